//! Programs over rows of pairs, written once for vectors of doubles and of singles.
//!
//! The tile kernels are built for one sum and squeeze everything out of it. What else is summed over pairs (Jacobians and bounds on them) is
//! written here as a [`RowProgram`]: one row against all columns, vector by vector.

use super::kernel::{EXP2, ROUNDER};

pub(crate) use super::simd::widest;

/// Columns that a row meets at a time: what is computed for them stays in the first-level cache.
pub(crate) const BLOCK: usize = 64;

/// `f64` and `f32`, with what the vectors need to know about them.
pub(crate) trait Real: Copy + Default + Send + Sync + 'static {
    /// Vectors where the machine has AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Wide<Scalar = Self>;
    /// Vectors where it has nothing.
    type Plain: Wide<Scalar = Self>;
    /// Coefficients of `2^r` on `|r| ≤ 1/2`, the highest first.
    const POWER: &'static [Self];
    /// `1.5·2^m` with `m` bits in the mantissa: adding it to `x` leaves `round(x)` in the low bits of the sum.
    const ROUNDER: Self;
    /// Exponents beyond this are taken as this: no sum that is kept can tell the difference.
    const LARGEST_EXPONENT: Self;
    fn of(value: f64) -> Self;
    fn double(self) -> f64;
}

impl Real for f64 {
    #[cfg(target_arch = "x86_64")]
    type Avx2 = super::simd::avx2::Doubles;
    type Plain = PlainDoubles;
    const POWER: &'static [Self] = &{
        let mut highest_first = EXP2;
        let mut k = 0;
        while k < EXP2.len() {
            highest_first[k] = EXP2[EXP2.len() - 1 - k];
            k += 1;
        }
        highest_first
    };
    const ROUNDER: Self = ROUNDER;
    const LARGEST_EXPONENT: Self = 1000.0;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}

impl Real for f32 {
    #[cfg(target_arch = "x86_64")]
    type Avx2 = super::simd::avx2::Singles;
    type Plain = PlainSingles;
    /// Interpolation in Chebyshev's points, relative error 3.6e-6.
    const POWER: &'static [Self] = &[0.009_666_368, 0.055_921_976, 0.240_223_5, 0.693_121, 1.0];
    const ROUNDER: Self = 12_582_912.0;
    const LARGEST_EXPONENT: Self = 120.0;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }
}

/// A vector of numbers.
pub(crate) trait Wide: Copy {
    /// What it holds.
    type Scalar: Real;
    /// Numbers in a vector; a divisor of [`BLOCK`].
    const WIDTH: usize;
    fn splat(value: Self::Scalar) -> Self;
    /// The numbers from `at` on.
    fn load(from: &[Self::Scalar; BLOCK], at: usize) -> Self;
    fn store(self, to: &mut [Self::Scalar; BLOCK], at: usize);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self·factor + term`
    fn mul_add(self, factor: Self, term: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// `self·2^(−n)`, with the integer `n` in the low bits of `times`.
    fn halved(self, times: Self) -> Self;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Scalar::default())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.max(Self::zero().sub(self))
    }

    /// `2^(−y)` for several vectors: to 3e-16 for doubles, 4e-6 for singles. The polynomials advance side by side, so that none has to wait
    /// for its own last term.
    #[inline(always)]
    fn exp2_minus<const N: usize>(y: [Self; N]) -> [Self; N] {
        let limit = Self::splat(Self::Scalar::LARGEST_EXPONENT);
        let rounder = Self::splat(Self::Scalar::ROUNDER);
        let (mut r, mut shifted) = (y, y);
        let mut power = [Self::splat(Self::Scalar::POWER[0]); N];
        for n in 0..N {
            let y = y[n].min(limit);
            shifted[n] = y.add(rounder);
            r[n] = shifted[n].sub(rounder).sub(y);
        }
        for c in &Self::Scalar::POWER[1..] {
            let c = Self::splat(*c);
            for n in 0..N {
                power[n] = power[n].mul_add(r[n], c);
            }
        }
        for n in 0..N {
            power[n] = power[n].halved(shifted[n]);
        }
        power
    }

    /// The sum of its numbers.
    #[inline(always)]
    fn total(self) -> f64 {
        let mut lanes = [Self::Scalar::default(); BLOCK];
        self.store(&mut lanes, 0);
        lanes[..Self::WIDTH].iter().map(|x| x.double()).sum()
    }
}

/// The block of an array that begins at `at`.
#[inline(always)]
pub(crate) fn block<R>(array: &[R], at: usize) -> &[R; BLOCK] {
    array[at..at + BLOCK].try_into().expect("as long as a block")
}

/// A computation on vectors. `run` and everything it calls must be `#[inline(always)]`: only then is it compiled for the
/// machine's vector instructions.
pub(crate) trait RowProgram {
    /// The precision it works in.
    type Scalar: Real;
    /// What it computes.
    type Output;
    fn run<V: Wide<Scalar = Self::Scalar>>(self) -> Self::Output;
}

/// Vectors as plain arrays, for machines without anything better.
macro_rules! plain {
    ($(#[$doc:meta])* $name:ident, $scalar:ty, $width:literal, $mantissa:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name([$scalar; $width]);

        impl $name {
            #[inline(always)]
            fn zip(self, other: Self, f: impl Fn($scalar, $scalar) -> $scalar) -> Self {
                Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
            }
        }

        impl Wide for $name {
            type Scalar = $scalar;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(value: $scalar) -> Self {
                Self([value; $width])
            }

            #[inline(always)]
            fn load(from: &[$scalar; BLOCK], at: usize) -> Self {
                Self(std::array::from_fn(|i| from[at + i]))
            }

            #[inline(always)]
            fn store(self, to: &mut [$scalar; BLOCK], at: usize) {
                to[at..at + $width].copy_from_slice(&self.0);
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
                self.mul(factor).add(term)
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
            fn halved(self, times: Self) -> Self {
                self.zip(times, |x, n| <$scalar>::from_bits(x.to_bits().wrapping_sub(n.to_bits() << $mantissa)))
            }
        }
    };
}

plain!(
    /// Four doubles.
    PlainDoubles, f64, 4, 52
);
plain!(
    /// Eight singles.
    PlainSingles, f32, 8, 23
);

#[cfg(test)]
mod tests {
    use super::*;

    struct Power<R>(R);

    impl<R: Real> RowProgram for Power<R> {
        type Scalar = R;
        type Output = f64;

        #[inline(always)]
        fn run<V: Wide<Scalar = R>>(self) -> f64 {
            let [a, b] = V::exp2_minus([V::splat(self.0), V::zero()]);
            assert_eq!(b.total(), V::WIDTH as f64);
            a.total() / V::WIDTH as f64
        }
    }

    #[test]
    fn powers_of_two_are_accurate() {
        for i in -400..9000 {
            let y = f64::from(i) * 0.1 + 0.037;
            for found in [widest(Power(y)), Power(y).run::<PlainDoubles>()] {
                assert!((found / (-y).exp2() - 1.0).abs() < 4e-16, "{y}: {found}");
            }
            let y = (y / 8.0) as f32;
            for found in [widest(Power(y)), Power(y).run::<PlainSingles>()] {
                let expected = (-f64::from(y.min(120.0))).exp2();
                assert!((found / expected - 1.0).abs() < 5e-6, "{y}: {found}");
            }
        }
        assert!(widest(Power(1e300)) < 1e-300);
    }
}
