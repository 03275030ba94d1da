//! Vectors as plain arrays, for machines without anything that is known here; compilers find instructions for most of their loops.

use super::Vector;

/// `N` numbers.
#[derive(Clone, Copy)]
pub(crate) struct Plain<R, const N: usize>([R; N]);

/// Implements [`Vector`] for arrays.
macro_rules! plain {
    ($scalar:ty, $width:literal, $mantissa:literal) => {
        impl Default for Plain<$scalar, $width> {
            fn default() -> Self {
                Self([0.0; $width])
            }
        }

        impl Plain<$scalar, $width> {
            #[inline(always)]
            fn zip(self, other: Self, f: impl Fn($scalar, $scalar) -> $scalar) -> Self {
                Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
            }
        }

        impl Vector for Plain<$scalar, $width> {
            type Scalar = $scalar;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(self, value: $scalar) -> Self {
                Self([value; $width])
            }

            #[inline(always)]
            fn load(self, from: &[$scalar]) -> Self {
                Self(from[..$width].try_into().expect("a whole vector"))
            }

            #[inline(always)]
            fn store(self, to: &mut [$scalar]) {
                to[..$width].copy_from_slice(&self.0);
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.zip(other, |a, b| a + b)
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.zip(other, |a, b| a - b)
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.zip(other, |a, b| a * b)
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Self(std::array::from_fn(|i| Self::fused(self.0[i], factor.0[i], term.0[i])))
            }

            /// Fused where the machine fuses; a library call for it would cost more than everything else together.
            #[inline(always)]
            fn fused(a: $scalar, b: $scalar, c: $scalar) -> $scalar {
                if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
                    a.mul_add(b, c)
                } else {
                    a * b + c
                }
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                self.zip(other, |a, b| if a > b { a } else { b })
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                self.zip(other, |a, b| if a < b { a } else { b })
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.map(<$scalar>::sqrt))
            }

            #[inline(always)]
            fn scaled(self, power: Self) -> Self {
                self.zip(power, |x, n| {
                    <$scalar>::from_bits(x.to_bits().wrapping_add(n.to_bits() << $mantissa))
                })
            }

            #[inline(always)]
            fn where_at_most(self, x: Self, bound: Self) -> Self {
                Self(std::array::from_fn(|i| if x.0[i] <= bound.0[i] { self.0[i] } else { 0.0 }))
            }

            #[inline(always)]
            fn at_most(self, bound: Self) -> u32 {
                (0..$width).map(|i| u32::from(self.0[i] <= bound.0[i]) << i).sum()
            }

            /// Halves are added to each other, as wide registers do it.
            #[inline(always)]
            fn sums(rows: [Self; 4]) -> [$scalar; 4] {
                rows.map(|row| row.0.as_chunks::<4>().0.iter().map(|[a, b, c, d]| (a + b) + (c + d)).sum())
            }
        }
    };
}

plain!(f64, 4, 52);
plain!(f32, 8, 23);
