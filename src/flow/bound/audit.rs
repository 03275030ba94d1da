//! An independent look at the drift: the full sum, computed for the Jacobian anyway, against what the run was given.

use crate::cloud::norm;
use crate::error::{Error, Result};
use crate::flow::{Field, Moment};
use crate::scale::Beta;

/// A drift may miss the full sum by this many of its own certificates: the full sum is rounded as well, and the
/// certificate is that of a point close by.
const CERTIFICATES: f64 = 4.0;

/// Rounding of a plain sum over a large cloud, in units of the kernel's width.
const SUM_ROUNDING: f64 = 1e-12;

/// Refuses a drift that misses the full sum `exact` at the end of a step by more than it certifies. The field's last evaluation
/// must be close to that end.
pub(super) fn drift(field: &mut Field<'_>, end: Moment<'_>, exact: &[f64], beta: Beta) -> Result<()> {
    let d = field.start().dimension();
    let plain = SUM_ROUNDING / beta.get().sqrt();
    let certified = field.last().truncation.iter().zip(&field.last().rounding);
    let allowed: Vec<f64> = certified.map(|(t, r)| plain + CERTIFICATES * (t + r)).collect();
    if disagreement(end.derivative, exact, &allowed, d).is_none() {
        return Ok(());
    }
    // The run may report the slope of its own path there; ask the drift itself.
    let mut derivative = vec![0.0; exact.len()];
    field.evaluate(end.raw_time.get(), end.points, &mut derivative)?;
    match disagreement(&derivative, exact, &allowed, d) {
        None => Ok(()),
        Some((particle, distance)) => Err(Error::Integration {
            what: "the particle flow",
            raw_time: end.raw_time.get(),
            problem: format!(
                "the drift of particle {particle} is {distance:.1e} away from the full sum over all pairs, but certifies {:.1e}; \
                 this drift is wrong, so use another",
                allowed[particle]
            ),
        }),
    }
}

/// The worst particle beyond its allowance, and how far off it is.
fn disagreement(found: &[f64], exact: &[f64], allowed: &[f64], dimension: usize) -> Option<(usize, f64)> {
    let rows = found.chunks_exact(dimension).zip(exact.chunks_exact(dimension));
    let distance = |(a, b): (&[f64], &[f64])| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
    let beyond = rows.map(distance).enumerate().filter(|(i, distance)| *distance > allowed[*i]);
    beyond.max_by(|a, b| (a.1 / allowed[a.0]).total_cmp(&(b.1 / allowed[b.0])))
}
