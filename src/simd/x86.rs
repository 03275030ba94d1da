//! AVX-512 and AVX2 registers.

use std::arch::x86_64::{__m256, __m256d, __m512, __m512d, _CMP_LE_OQ};

use pulp::bytemuck::cast;
use pulp::x86::{V3, V4};

use super::Vector;

/// Implements [`Vector`] for a register type; the instructions are named one by one, each group with the feature it belongs to.
macro_rules! registers {
    ($(#[$doc:meta])* $name:ident($token:ty, $register:ty), $width:literal of $scalar:ty:
     $float:ident $set:ident $add:ident $sub:ident $mul:ident $max:ident $min:ident $sqrt:ident,
     $fused:ident $mul_add:ident, $integer:ident $shift:ident $mantissa:literal $add_bits:ident,
     $where_at_most:expr, $at_most:expr, $sums:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($token, $register);

        impl From<$token> for $name {
            #[inline(always)]
            fn from(token: $token) -> Self {
                Self(token, token.$float.$set(0.0))
            }
        }

        impl Vector for $name {
            type Scalar = $scalar;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(self, value: $scalar) -> Self {
                Self(self.0, self.0.$float.$set(value))
            }

            #[inline(always)]
            fn load(self, from: &[$scalar]) -> Self {
                let from: &[$scalar; $width] = from[..$width].try_into().expect("a whole vector");
                Self(self.0, cast(*from))
            }

            #[inline(always)]
            fn store(self, to: &mut [$scalar]) {
                to[..$width].copy_from_slice(&cast::<_, [$scalar; $width]>(self.1));
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(self.0, self.0.$float.$add(self.1, other.1))
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(self.0, self.0.$float.$sub(self.1, other.1))
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(self.0, self.0.$float.$mul(self.1, other.1))
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Self(self.0, self.0.$fused.$mul_add(self.1, factor.1, term.1))
            }

            #[inline(always)]
            fn fused(a: $scalar, b: $scalar, c: $scalar) -> $scalar {
                a.mul_add(b, c)
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(self.0, self.0.$float.$max(self.1, other.1))
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(self.0, self.0.$float.$min(self.1, other.1))
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0, self.0.$float.$sqrt(self.1))
            }

            #[inline(always)]
            fn scaled(self, power: Self) -> Self {
                let exponent = self.0.$integer.$shift::<$mantissa>(cast(power.1));
                Self(self.0, cast(self.0.$integer.$add_bits(cast(self.1), exponent)))
            }

            #[inline(always)]
            fn where_at_most(self, x: Self, bound: Self) -> Self {
                Self(self.0, $where_at_most(self.0, self.1, x.1, bound.1))
            }

            #[inline(always)]
            fn at_most(self, bound: Self) -> u32 {
                $at_most(self.0, self.1, bound.1)
            }

            #[inline(always)]
            fn sums(rows: [Self; 4]) -> [$scalar; 4] {
                $sums(rows[0].0, [rows[0].1, rows[1].1, rows[2].1, rows[3].1])
            }
        }
    };
}

registers!(
    /// Eight doubles.
    Doubles512(V4, __m512d), 8 of f64:
    avx512f _mm512_set1_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_max_pd _mm512_min_pd _mm512_sqrt_pd,
    avx512f _mm512_fmadd_pd, avx512f _mm512_slli_epi64 52 _mm512_add_epi64,
    |token: V4, it, x, bound| token.avx512f._mm512_maskz_mov_pd(token.avx512f._mm512_cmp_pd_mask::<_CMP_LE_OQ>(x, bound), it),
    |token: V4, x, bound| u32::from(token.avx512f._mm512_cmp_pd_mask::<_CMP_LE_OQ>(x, bound)),
    sums_of_eights
);

registers!(
    /// Four doubles.
    Doubles256(V3, __m256d), 4 of f64:
    avx _mm256_set1_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_max_pd _mm256_min_pd _mm256_sqrt_pd,
    fma _mm256_fmadd_pd, avx2 _mm256_slli_epi64 52 _mm256_add_epi64,
    |token: V3, it, x, bound| token.avx._mm256_and_pd(it, token.avx._mm256_cmp_pd::<_CMP_LE_OQ>(x, bound)),
    |token: V3, x, bound| token.avx._mm256_movemask_pd(token.avx._mm256_cmp_pd::<_CMP_LE_OQ>(x, bound)) as u32,
    sums_of_fours
);

registers!(
    /// Sixteen singles.
    Singles512(V4, __m512), 16 of f32:
    avx512f _mm512_set1_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_max_ps _mm512_min_ps _mm512_sqrt_ps,
    avx512f _mm512_fmadd_ps, avx512f _mm512_slli_epi32 23 _mm512_add_epi32,
    |token: V4, it, x, bound| token.avx512f._mm512_maskz_mov_ps(token.avx512f._mm512_cmp_ps_mask::<_CMP_LE_OQ>(x, bound), it),
    |token: V4, x, bound| u32::from(token.avx512f._mm512_cmp_ps_mask::<_CMP_LE_OQ>(x, bound)),
    |_: V4, rows: [__m512; 4]| sums_of_singles(rows.map(cast::<_, [f32; 16]>))
);

registers!(
    /// Eight singles.
    Singles256(V3, __m256), 8 of f32:
    avx _mm256_set1_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_max_ps _mm256_min_ps _mm256_sqrt_ps,
    fma _mm256_fmadd_ps, avx2 _mm256_slli_epi32 23 _mm256_add_epi32,
    |token: V3, it, x, bound| token.avx._mm256_and_ps(it, token.avx._mm256_cmp_ps::<_CMP_LE_OQ>(x, bound)),
    |token: V3, x, bound| token.avx._mm256_movemask_ps(token.avx._mm256_cmp_ps::<_CMP_LE_OQ>(x, bound)) as u32,
    |_: V3, rows: [__m256; 4]| sums_of_singles(rows.map(cast::<_, [f32; 8]>))
);

#[inline(always)]
fn sums_of_eights(token: V4, rows: [__m512d; 4]) -> [f64; 4] {
    let mut halves = [token.avx._mm256_set1_pd(0.0); 4];
    for (half, row) in halves.iter_mut().zip(rows) {
        let high = token.avx512f._mm512_extractf64x4_pd::<1>(row);
        *half = token.avx._mm256_add_pd(token.avx512f._mm512_castpd512_pd256(row), high);
    }
    sums_of_fours(*token, halves)
}

#[inline(always)]
fn sums_of_fours(token: V3, rows: [__m256d; 4]) -> [f64; 4] {
    let low = token.avx._mm256_hadd_pd(rows[0], rows[1]);
    let high = token.avx._mm256_hadd_pd(rows[2], rows[3]);
    let straight = token.avx._mm256_blend_pd::<0b1100>(low, high);
    let crossed = token.avx._mm256_permute2f128_pd::<0x21>(low, high);
    cast(token.avx._mm256_add_pd(straight, crossed))
}

#[inline(always)]
fn sums_of_singles<const N: usize>(rows: [[f32; N]; 4]) -> [f32; 4] {
    rows.map(|row| row.iter().sum())
}
