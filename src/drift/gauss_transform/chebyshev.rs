//! Chebyshev polynomials and their derivatives, four degrees at a time.
//!
//! # Formula
//! `T_{k+4} = 2 T_4 T_k − T_{k−4}` and, with `T_k' = k W_k`, `W_{k+4} = 2 T_4 W_k − W_{k−4}`; degrees below zero follow
//! from `T_{−k} = T_k` and `W_{−k} = −W_k`.

use super::fused::Arithmetic;

/// `T_0 … T_{P−1}` at `t`, for `P` a multiple of four.
#[inline(always)]
pub(super) fn values<A: Arithmetic, const P: usize>(t: f64) -> [f64; P] {
    let second = A::mul_add(2.0 * t, t, -1.0);
    let third = t * A::mul_add(2.0, second, -1.0);
    let fourth = A::mul_add(2.0 * second, second, -1.0);
    extend::<A, P>([1.0, t, second, third], [fourth, third, second, t], 2.0 * fourth)
}

/// `T_0' … T_{P−1}'` at `t`.
#[inline(always)]
pub(super) fn slopes<A: Arithmetic, const P: usize>(t: f64) -> [f64; P] {
    let (second, double) = (A::mul_add(2.0 * t, t, -1.0), 2.0 * t);
    let third = A::mul_add(2.0, second, 1.0);
    let fourth = 2.0 * double * second;
    let twice = 2.0 * A::mul_add(2.0 * second, second, -1.0);
    let mut slopes = extend::<A, P>([0.0, 1.0, double, third], [-fourth, -third, -double, -1.0], twice);
    for (degree, slope) in slopes.iter_mut().enumerate() {
        *slope *= degree as f64;
    }
    slopes
}

/// Continues `f_{k+4} = twice·f_k − f_{k−4}` from degrees `0 … 3` and `−4 … −1`.
#[inline(always)]
fn extend<A: Arithmetic, const P: usize>(first: [f64; 4], before: [f64; 4], twice: f64) -> [f64; P] {
    let mut all = [0.0; P];
    let (mut previous, mut current) = (before, first);
    for four in all.chunks_exact_mut(4) {
        four.copy_from_slice(&current);
        let mut next = [0.0; 4];
        for i in 0..4 {
            next[i] = A::mul_add(twice, current[i], -previous[i]);
        }
        (previous, current) = (current, next);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::fused::Fused;
    use super::*;

    /// Half a rounding times `1 + degree²`, and as much again for the reference, whose angle is rounded too.
    const RECURRENCE: f64 = 4e-16;

    #[test]
    fn agree_with_cosines_and_sines() {
        for step in 0..=1000 {
            let angle = std::f64::consts::PI * f64::from(step) / 1000.0;
            let t = angle.cos();
            let (values, slopes) = (values::<Fused, 24>(t), slopes::<Fused, 24>(t));
            // Evaluate the angle of the rounded t, so that only the recurrence is tested.
            let angle = t.acos();
            for degree in 0..24 {
                let k = degree as f64;
                let allowed = RECURRENCE * (1.0 + k * k);
                assert!((values[degree] - (k * angle).cos()).abs() <= allowed, "T_{degree}({t})");
                if angle.sin() > 0.1 {
                    let slope = k * (k * angle).sin() / angle.sin();
                    assert!((slopes[degree] - slope).abs() <= allowed * (1.0 + k * k), "T_{degree}'({t})");
                }
            }
        }
    }
}
