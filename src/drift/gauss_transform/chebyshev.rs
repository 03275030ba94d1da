//! Chebyshev polynomials at one position, four degrees at a time.
//!
//! # Formula
//! `T_{k+4} = 2 T_4 T_k − T_{k−4}`, and `T_{−k} = T_k`.

use crate::simd::Vector;

/// `ω T_0 … ω T_{P−1}` at `t`, for `P` a multiple of four.
#[inline(always)]
pub(super) fn weighted<V: Vector<Scalar = f64>, const P: usize>(t: f64, weight: f64) -> [f64; P] {
    let second = V::fused(2.0 * t, t, -1.0);
    let third = t * V::fused(2.0, second, -1.0);
    let fourth = V::fused(2.0 * second, second, -1.0);
    let mut current = [weight, weight * t, weight * second, weight * third];
    let mut previous = [weight * fourth, current[3], current[2], current[1]];
    let mut all = [0.0; P];
    for four in all.chunks_exact_mut(4) {
        four.copy_from_slice(&current);
        let mut next = [0.0; 4];
        for i in 0..4 {
            next[i] = V::fused(2.0 * fourth, current[i], -previous[i]);
        }
        (previous, current) = (current, next);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Instructions, Program};

    struct Weighted(f64);

    impl Program for Weighted {
        type Scalar = f64;
        type Output = [f64; 20];

        #[inline(always)]
        fn run<V: Vector<Scalar = f64>>(self, _: V) -> [f64; 20] {
            weighted::<V, 20>(self.0, 2.5)
        }
    }

    /// The bound that certificates use, and as much again for the reference, whose angle is rounded too.
    const RECURRENCE: f64 = 2.0 * f64::EPSILON / 2.0;

    #[test]
    fn agrees_with_cosines() {
        for step in 0..=1000 {
            let t = (std::f64::consts::PI * f64::from(step) / 1000.0).cos();
            for values in Instructions::all().into_iter().map(|it| it.run(Weighted(t))) {
                for (degree, value) in values.iter().enumerate() {
                    let k = degree as f64;
                    let error = (value / 2.5 - (k * t.acos()).cos()).abs();
                    assert!(error <= RECURRENCE * (4.0 + 0.5 * k * k), "T_{degree}({t}): {error}");
                }
            }
        }
    }
}
