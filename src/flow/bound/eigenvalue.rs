//! The largest eigenvalue of a small symmetric matrix, from above.
//!
//! # Formula
//! `λ_max(M) ≤ c` if `cI − M` is positive semidefinite. A Cholesky factorisation in floating point that runs to its end shows that no eigenvalue of `A = cI − M` is below
//! `−γ_{d+2} tr A` (Rump, *Verification of positive definiteness*, BIT 46 (2006), theorem 2.3), whatever `c` was guessed from. So `λ_max(M) ≤ c + 4(d+3)u·dc`, the rounding of the diagonal included.
//! Where no guess is confirmed, the trace does: `M` is a sum of squares.

use nalgebra::DMatrix;

/// Guesses exceed what was computed by this, then by its square root.
const GUESSES: [f64; 2] = [1e-10, 1e-5];

/// An upper bound of the largest eigenvalue of a positive semidefinite matrix given by its lower triangle, row by row.
pub(super) fn largest_above(lower: &[f64], dimension: usize) -> f64 {
    if dimension == 1 {
        return lower[0];
    }
    let trace: f64 = (0..dimension).map(|r| entry(lower, r, r)).sum();
    let above = 1.0 + 4.0 * (dimension + 3) as f64 * f64::EPSILON * dimension as f64;
    let computed = guess(lower, dimension);
    let confirmed =
        GUESSES.iter().map(|more| computed * (1.0 + more)).find(|c| dominates(lower, dimension, *c));
    above * confirmed.unwrap_or(trace)
}

fn guess(lower: &[f64], dimension: usize) -> f64 {
    if dimension == 2 {
        return 0.5 * (lower[0] + lower[2]) + (0.5 * (lower[0] - lower[2])).hypot(lower[1]);
    }
    DMatrix::from_fn(dimension, dimension, |r, c| entry(lower, r, c)).symmetric_eigenvalues().max()
}

fn entry(lower: &[f64], row: usize, column: usize) -> f64 {
    let (row, column) = (row.max(column), row.min(column));
    lower[row * (row + 1) / 2 + column]
}

/// Whether Cholesky's factorisation of `cI − M` runs to its end.
fn dominates(lower: &[f64], dimension: usize, c: f64) -> bool {
    let mut factor = vec![0.0; lower.len()];
    for row in 0..dimension {
        for column in 0..=row {
            let products = (0..column).map(|k| entry(&factor, row, k) * entry(&factor, column, k));
            let rest = products
                .fold(if row == column { c } else { 0.0 } - entry(lower, row, column), |sum, x| sum - x);
            let at = row * (row + 1) / 2 + column;
            if row > column {
                factor[at] = rest / entry(&factor, column, column);
            } else if rest > 0.0 {
                factor[at] = rest.sqrt();
            } else {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `M = Σ_k λ_k q_k q_kᵀ` with Householder's `q_k`, whose largest eigenvalue is known.
    fn with_eigenvalues(values: &[f64]) -> Vec<f64> {
        let d = values.len();
        let axis: Vec<f64> = (0..d).map(|k| (1.0 + k as f64).sqrt()).collect();
        let length_2: f64 = axis.iter().map(|x| x * x).sum();
        let q = |k: usize, r: usize| f64::from(u8::from(k == r)) - 2.0 * axis[k] * axis[r] / length_2;
        let at = |r: usize, c: usize| (0..d).map(|k| values[k] * q(k, r) * q(k, c)).sum();
        (0..d).flat_map(|r| (0..=r).map(move |c| (r, c))).map(|(r, c)| at(r, c)).collect()
    }

    #[test]
    fn largest_eigenvalues_are_exceeded_by_little() {
        for values in [vec![2.0], vec![1.0, 1.0], vec![1e-20, 3.0], vec![0.0, 1e-3, 5.0], vec![4.0; 7]] {
            let bound = largest_above(&with_eigenvalues(&values), values.len());
            let largest = values.iter().copied().fold(0.0, f64::max);
            assert!(
                bound >= largest * (1.0 - 1e-15) && bound <= largest * (1.0 + 1e-9),
                "{values:?}: {bound}"
            );
        }
        assert_eq!(largest_above(&[0.0; 3], 2), 0.0);
        assert!(largest_above(&[f64::NAN; 3], 2).is_nan());
    }

    #[test]
    fn what_is_too_small_is_not_confirmed() {
        let matrix = with_eigenvalues(&[1.0, 2.0, 3.0]);
        assert!(!dominates(&matrix, 3, 3.0 - 1e-9) && dominates(&matrix, 3, 3.0 + 1e-9));
    }
}
