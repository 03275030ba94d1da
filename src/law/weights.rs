//! The weights of a finite mixture: a probability vector, and the choice of a component by it.

/// Weights may miss the sum one by this much before they are refused: decimal rounding, not a mistake.
const WEIGHT_SUM_TOLERANCE: f64 = 1e-6;

/// Positive weights that sum to one, with their running sums.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weights {
    weights: Vec<f64>,
    cumulative: Vec<f64>,
}

impl Weights {
    /// Checks `weights` and drops those that are zero, with what they weigh; the error says what is wrong.
    pub(crate) fn new<T>(mut weights: Vec<f64>, weighed: &mut Vec<T>, name: &str) -> Result<Self, String> {
        if weighed.is_empty() {
            return Err(format!("it has no {name}; at least one is needed"));
        }
        if weights.len() != weighed.len() {
            return Err(format!("it has {} {name}, but {} weights", weighed.len(), weights.len()));
        }
        if let Some(at) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(format!("weight {at} is {}; weights must be finite and not negative", weights[at]));
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > WEIGHT_SUM_TOLERANCE {
            return Err(format!("the weights sum to {sum}, not to 1; divide them by their sum"));
        }
        let mut positive = weights.iter().map(|&w| w > 0.0);
        weighed.retain(|_| positive.next() == Some(true));
        weights.retain(|&w| w > 0.0);
        weights.iter_mut().for_each(|w| *w /= sum);
        Ok(Self::trusted(weights))
    }

    pub(crate) fn trusted(weights: Vec<f64>) -> Self {
        let running = |sum: &mut f64, w: &f64| {
            *sum += w;
            Some(*sum)
        };
        let cumulative = weights.iter().scan(0.0, running).collect();
        Self { weights, cumulative }
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.weights
    }

    /// The index that the uniform number `level` in `[0, 1)` selects.
    pub(crate) fn choose(&self, level: f64) -> usize {
        // Rounding may leave the last running sum a hair below one.
        self.cumulative.partition_point(|&sum| sum <= level).min(self.weights.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choice_respects_zero_weights_and_rounding() {
        let mut points = vec!['a', 'b', 'c', 'd', 'e'];
        let weights = Weights::new(vec![0.0, 0.3, 0.0, 0.7, 0.0], &mut points, "points").unwrap();
        assert_eq!(points, ['b', 'd']);
        assert_eq!(weights.choose(0.0), 0);
        assert_eq!(weights.choose(0.29), 0);
        assert_eq!(weights.choose(0.31), 1);
        assert_eq!(weights.choose(1.0 - f64::EPSILON / 2.0), 1);
    }

    #[test]
    fn refuses_what_is_no_probability_vector() {
        let refuse = |weights: &[f64]| Weights::new(weights.to_vec(), &mut vec![0, 1], "points").unwrap_err();
        assert!(refuse(&[1.0]).contains("2 points, but 1 weights"));
        assert!(refuse(&[0.4, 0.4]).contains("divide them by their sum"));
        assert!(refuse(&[1.5, -0.5]).contains("weight 1 is -0.5"));
        assert!(refuse(&[f64::NAN, 1.0]).contains("weight 0 is NaN"));
    }
}
