//! [`Interval`]: a number with its standard error and a confidence interval of Student's kind.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::error::{Error, Result};

/// The probability with which an interval is meant to cover the truth, strictly between zero and one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    /// Checks that it is strictly between zero and one.
    pub fn new(level: f64) -> Result<Self> {
        if level > 0.0 && level < 1.0 {
            return Ok(Self(level));
        }
        let requirement = "strictly between 0 and 1, such as 0.95";
        Err(Error::InvalidParameter { name: "confidence level", value: level, requirement })
    }

    /// The plain number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// How many standard errors to either side, for an error estimated with this many degrees of freedom.
    pub(crate) fn reach(self, freedom: f64) -> f64 {
        match StudentsT::new(0.0, 1.0, freedom) {
            Ok(student) => student.inverse_cdf(0.5 + 0.5 * self.0),
            Err(_) => f64::INFINITY,
        }
    }
}

/// An estimate and the interval that covers the truth with the confidence asked for.
///
/// ```
/// use ebflow::metric::{Confidence, Interval};
/// let interval = Interval::of_mean(&[1.0, 2.0, 3.0], Confidence::new(0.95)?)?;
/// assert_eq!(interval.estimate, 2.0);
/// assert!(interval.lower < 0.0 && interval.upper > 4.0, "three numbers say little");
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The middle: a mean over independent values.
    pub estimate: f64,
    /// Standard deviation of that mean.
    pub standard_error: f64,
    /// Where the confidence interval begins.
    pub lower: f64,
    /// Where the confidence interval ends.
    pub upper: f64,
}

impl Interval {
    /// `estimate ± t · standard_error` with Student's `t` of the given degrees of freedom, at least one.
    pub fn student(estimate: f64, standard_error: f64, freedom: usize, confidence: Confidence) -> Self {
        SampleMean { mean: estimate, standard_error, freedom: freedom as f64 }.interval(confidence)
    }

    /// The mean of independent numbers, at least two.
    pub fn of_mean(values: &[f64], confidence: Confidence) -> Result<Self> {
        Ok(SampleMean::of(values)?.interval(confidence))
    }

    /// True when the interval lies within `±bound`.
    pub(crate) fn within(&self, bound: f64) -> bool {
        self.lower >= -bound && self.upper <= bound
    }

    /// True when no point of the interval lies within `±bound`.
    pub(crate) fn beyond(&self, bound: f64) -> bool {
        self.lower > bound || self.upper < -bound
    }
}

/// A mean with its standard error and the degrees of freedom that this was estimated with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampleMean {
    pub(crate) mean: f64,
    standard_error: f64,
    freedom: f64,
}

impl SampleMean {
    /// Of independent numbers, at least two.
    pub(crate) fn of(values: &[f64]) -> Result<Self> {
        if values.len() < 2 {
            return Err(Error::Fit {
                problem: "a standard error needs at least two independent values; add seeds or replicates"
                    .into(),
            });
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Ok(Self { mean, standard_error: (square / (count - 1.0) / count).sqrt(), freedom: count - 1.0 })
    }

    /// The sum of two independent means; degrees of freedom after Welch and Satterthwaite.
    pub(crate) fn plus(self, other: Self) -> Self {
        let (a, b) = (self.standard_error.powi(2), other.standard_error.powi(2));
        let freedom = (a + b).powi(2) / (a * a / self.freedom + b * b / other.freedom);
        let freedom = if freedom.is_nan() { self.freedom } else { freedom };
        Self { mean: self.mean + other.mean, standard_error: (a + b).sqrt(), freedom }
    }

    pub(crate) fn interval(self, confidence: Confidence) -> Interval {
        let Self { mean, standard_error, freedom } = self;
        let reach = if standard_error == 0.0 { 0.0 } else { confidence.reach(freedom) * standard_error };
        Interval { estimate: mean, standard_error, lower: mean - reach, upper: mean + reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.17, `scipy.stats.t.ppf(0.5 + c/2, df)`.
    #[test]
    fn students_quantiles_match_scipy() {
        let rows = [
            (0.95, 1, 12.706204736174694),
            (0.95, 2, 4.302652729749462),
            (0.95, 10, 2.228138851986274),
            (0.99, 4, 4.604094871349992),
            (0.999, 30, 3.6459586350420627),
            (0.95, 1000, 1.9623390808264083),
            (0.5, 3, 0.7648923284043444),
        ];
        for (level, freedom, exact) in rows {
            let ours = Confidence::new(level).unwrap().reach(f64::from(freedom));
            assert!((ours / exact - 1.0).abs() < 1e-9, "{level} {freedom}: {ours}");
        }
    }

    #[test]
    fn refuses_what_is_no_confidence() {
        for bad in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
            assert!(Confidence::new(bad).is_err());
        }
        assert!(Interval::of_mean(&[1.0], Confidence::new(0.9).unwrap()).is_err());
    }

    /// SciPy 1.17: `ttest_ind(a, -b, equal_var=False)` has `df = 4.959183673469389` and `statistic = 4.618802153517007`.
    #[test]
    fn sums_of_means_follow_welch() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [0.5, 1.5, 2.5]);
        let sum = SampleMean::of(&a).unwrap().plus(SampleMean::of(&b).unwrap());
        assert!((sum.mean / sum.standard_error - 4.618802153517007).abs() < 1e-14);
        assert!((sum.freedom - 4.959183673469389).abs() < 1e-14);
    }
}
