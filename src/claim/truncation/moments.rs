//! What lies inside and outside a ball: `q_R`, `A_R`, `I_R`.
//!
//! # Formula
//! On the line, with `L(x) = E(x − X)₊` and `U(x) = E(X − x)₊`: `A_R = Rq_R + L(−R) + U(R)`, `E|X| = L(0) + U(0)`. For
//! `N(0, vI)` in `R^d`, whose radius has the density of `√v χ_d`: `A_R = √v c_d Q((d+1)/2, R²/2v)`,
//! `c_d = √2 Γ((d+1)/2)/Γ(d/2)`. For a cloud they are sums.

use super::norm_tail::chi_square_tail;
use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::LineLaw;
use crate::measured::Measured;
use crate::metric::mean_length;

/// Entries of a split are good to this much, relatively; the laws' own tests hold them to it.
pub(super) const SPLIT: f64 = 4e-15;
/// Masses of balls are good to this much, relatively: the laws' own tests hold the incomplete gamma function to it, and
/// intervals are known better.
pub(super) const MASS: f64 = 1e-12;

/// Masses and first moments inside and outside a ball.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// `q_R`
    pub(super) outside: f64,
    /// `A_R`
    pub(super) far: f64,
    /// `I_R`
    pub(super) near: f64,
    /// How far off each may be, relative to itself; `I_R` relative to `E|X|`.
    error: f64,
}

impl Moments {
    /// Of a law on the line without atoms at `±R`.
    pub(super) fn on_line(law: &LineLaw, radius: f64) -> Self {
        let (left, centre, right) = (law.split(-radius), law.split(0.0), law.split(radius));
        let outside = left.below + right.above;
        let far = radius * outside + left.lower_mean + right.upper_mean;
        let near = centre.lower_mean + centre.upper_mean - far;
        Self { outside, far, near, error: 2.0 * SPLIT }
    }

    /// Of `N(0, vI)` in `R^d`.
    pub(super) fn of_ball(d: usize, variance: f64, radius: f64) -> Result<Self> {
        let (x, length) = (0.5 * radius * radius / variance, variance.sqrt() * mean_length(d));
        let far = length * chi_square_tail(d + 1, x);
        // A tail of the normal law, and exponents of size x that are rounded relatively.
        let error = SPLIT + 16.0 * f64::EPSILON * (1.0 + x);
        Ok(Self { outside: chi_square_tail(d, x), far, near: length - far, error })
    }

    /// Of a cloud.
    pub(super) fn of_cloud(cloud: &Cloud, radius: f64) -> Self {
        // Lengths are rounded once per coordinate and a few times more, sums once per point.
        let error = (cloud.len() + cloud.dimension() + 4) as f64 * f64::EPSILON;
        let mut moments = Self { outside: 0.0, far: 0.0, near: 0.0, error };
        for (i, row) in cloud.rows().enumerate() {
            let (weight, length) = (cloud.weight(i), row.iter().map(|x| x * x).sum::<f64>().sqrt());
            if length > radius {
                moments.outside += weight;
                moments.far += weight * length;
            } else {
                moments.near += weight * length;
            }
        }
        moments
    }

    /// The printed bound `A_R + (q_R/p_R) I_R`.
    pub(super) fn bound(&self) -> Measured {
        let moved = self.outside / (1.0 - self.outside) * self.near;
        self.value(self.far + moved, moved)
    }

    /// `W1(μ^[R], μ) = A_R − (q_R/p_R) I_R` for laws whose length and direction are independent: transport runs along rays, and lengths only shrink.
    pub(super) fn radial_distance(&self) -> Measured {
        let moved = self.outside / (1.0 - self.outside) * self.near;
        self.value(self.far - moved, moved)
    }

    /// `A_R + R q_R`, which bounds how far truncation moves a sample.
    pub(super) fn empirical_bound(&self, radius: f64) -> Measured {
        let value = self.far + radius * self.outside;
        Measured::known_to(value, self.error * value)
    }

    /// `I_R` errs relative to `E|X|` and counts by the share `q/p` that is moved, which itself errs by `1/p` times as much as `q`.
    fn value(&self, value: f64, moved: f64) -> Measured {
        let inside = 1.0 - self.outside;
        let share = self.outside / inside;
        Measured::known_to(value, self.error * (self.far + moved / inside + share * (self.far + self.near)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;

    /// On the line a ball is an interval, whichever way it is computed.
    #[test]
    fn both_ways_agree() {
        let law = Law::parse("{ kind = 'gaussian', mean = 0, std = 2 }").unwrap().on_line().unwrap();
        for radius in [0.5, 2.0, 9.0] {
            let (line, ball) = (Moments::on_line(&law, radius), Moments::of_ball(1, 4.0, radius).unwrap());
            for (a, b) in [(line.outside, ball.outside), (line.far, ball.far), (line.near, ball.near)] {
                assert!((a / b - 1.0).abs() < 1e-13, "{line:?} {ball:?}");
            }
        }
    }

    #[test]
    fn clouds_are_summed() {
        let cloud = Cloud::new(vec![3.0, 4.0, 0.0, 1.0], 2).unwrap();
        let moments = Moments::of_cloud(&cloud, 2.0);
        assert_eq!((moments.outside, moments.far, moments.near), (0.5, 2.5, 0.5));
        assert_eq!((moments.bound().value, moments.radial_distance().value), (3.0, 2.0));
    }
}
