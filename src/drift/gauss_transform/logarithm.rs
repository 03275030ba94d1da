//! `ln x` without a library call, so that loops over it vectorise.
//!
//! # Formula
//! `x = 2^e m` with `m` in `[1/√2, √2)`, `s = (m − 1)/(m + 1)`, and `ln m = 2s(1 + s²/3 + s⁴/5 + …)`; `|s| ≤ 0.172`, so
//! the first term left out is below 1e-17.

use crate::simd::Vector;

/// Bits of `1/√2`: subtracting them moves the exponent over where the mantissa passes `√2`.
const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
const MANTISSA_BITS: u32 = 52;
const MANTISSA: u64 = (1 << MANTISSA_BITS) - 1;
/// `2^52`, whose low bits count in ones.
const COUNTER: u64 = 0x4330_0000_0000_0000;
/// Makes exponents positive before they go into a counter.
const BIAS: u64 = 2048;
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// `ln x` for normal positive `x`, to about two roundings.
#[inline(always)]
pub(super) fn ln<V: Vector<Scalar = f64>>(x: f64) -> f64 {
    let shifted = x.to_bits().wrapping_sub(SQRT_HALF_BITS).wrapping_add(BIAS << MANTISSA_BITS);
    let steps = (shifted >> MANTISSA_BITS) & (2 * BIAS - 1);
    let exponent = f64::from_bits(COUNTER | steps) - (f64::from_bits(COUNTER) + BIAS as f64);
    let m = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF_BITS));
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut tail = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        tail = V::fused(tail, z, 1.0 / odd);
    }
    let double = 2.0 * s;
    let mantissa = V::fused(double * z, tail, double);
    V::fused(exponent, LN_2_HIGH, V::fused(exponent, LN_2_LOW, mantissa))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Instructions, Program};

    struct Logarithm(f64);

    impl Program for Logarithm {
        type Scalar = f64;
        type Output = f64;

        #[inline(always)]
        fn run<V: Vector<Scalar = f64>>(self, _: V) -> f64 {
            ln::<V>(self.0)
        }
    }

    #[test]
    fn agrees_with_the_standard_library() {
        for i in -20_000..20_000 {
            let x = (f64::from(i) * 0.035_1).exp() * (1.0 + f64::from(i) * 1e-9);
            for computed in Instructions::all().into_iter().map(|it| it.run(Logarithm(x))) {
                assert!(
                    (computed - x.ln()).abs() <= 4e-16 * (1.0 + x.ln().abs()),
                    "{x:e}: {computed} {}",
                    x.ln()
                );
            }
        }
        for near_one in [1.0, 1.0 - f64::EPSILON, 1.0 + f64::EPSILON, 1.0 + 1e-9] {
            for computed in Instructions::all().into_iter().map(|it| it.run(Logarithm(near_one))) {
                assert!((computed - near_one.ln()).abs() <= 1e-15 * near_one.ln().abs());
            }
        }
    }
}
