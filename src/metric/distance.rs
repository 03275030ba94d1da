//! [`Distance`]: W1 by the method that fits, always with both bounds.
//!
//! | clouds in | against a cloud | against a law |
//! |---|---|---|
//! | `d = 1` | exact, on the line | exact, on the line |
//! | `d ≥ 2` | exact transport | exact transport for atoms, else a bracket |

use serde::Serialize;

use super::bracket::{SampledBracket, Sampling, bracket};
use super::reference::{atoms_of, check_dimension};
use super::{line, transport};
use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::Law;
use crate::measured::Bracket;

/// Distances from a law on the line are good to this share of the largest coordinate: the distribution functions are, and their own tests hold them to it.
const LINE: f64 = 1e-14;

/// How a distance was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The integral of the difference of distribution functions, in closed form.
    Line,
    /// A coupling and a potential that agree.
    Transport,
    /// Fresh samples above, a potential and slices below.
    Bracket,
}

/// W1 with its bounds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// W1: exact up to rounding, or for a bracket the best estimate.
    pub w1: f64,
    /// Holds W1; where points were sampled, with the confidence asked for.
    pub bracket: Bracket,
    /// How it was found.
    pub method: Method,
    /// What a bracket by sampling was made of.
    pub sampled: Option<SampledBracket>,
}

impl Distance {
    /// Known but for so much rounding.
    fn on_line(w1: f64, rounding: f64) -> Self {
        let (lower, upper) = ((w1 - rounding).next_down().max(0.0), (w1 + rounding).next_up());
        let bracket = Bracket { lower, upper };
        Self { w1, bracket, method: Method::Line, sampled: None }
    }

    fn by_transport(a: &Cloud, b: &Cloud) -> Result<Self> {
        let transport = transport::wasserstein(a, b)?;
        let (lower, upper) = (transport.lower, transport.upper);
        let w1 = transport.distance.clamp(lower, upper);
        Ok(Self { w1, bracket: Bracket { lower, upper }, method: Method::Transport, sampled: None })
    }
}

/// W1 between two clouds, exactly.
///
/// ```
/// use ebflow::Cloud;
/// use ebflow::metric::{Method, distance};
/// let (a, b) = (Cloud::new(vec![0.0, 0.0], 2)?, Cloud::new(vec![3.0, 4.0, 0.0, 0.0], 2)?);
/// let distance = distance(&a, &b)?;
/// assert_eq!((distance.w1, distance.method), (2.5, Method::Transport));
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn distance(a: &Cloud, b: &Cloud) -> Result<Distance> {
    if a.dimension() == 1 && b.dimension() == 1 {
        let w1 = line::w1(a, b)?;
        return Ok(Distance::on_line(w1, line::rounding(a, b, w1)));
    }
    Distance::by_transport(a, b)
}

/// W1 between two clouds, from both sides: what the exact distance is known to lie between.
///
/// ```
/// use ebflow::Cloud;
/// let (a, b) = (Cloud::new(vec![0.0, 0.0], 2)?, Cloud::new(vec![3.0, 4.0, 0.0, 0.0], 2)?);
/// let distance = ebflow::w1(&a, &b)?;
/// assert!(distance.lower <= 2.5 && 2.5 <= distance.upper);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn w1(a: &Cloud, b: &Cloud) -> Result<Bracket> {
    Ok(distance(a, b)?.bracket)
}

/// W1 between a cloud and a law: exactly on the line and for atoms, otherwise as a bracket, for which alone points are sampled.
pub fn distance_to_law(cloud: &Cloud, law: &Law, sampling: &Sampling) -> Result<Distance> {
    check_dimension(cloud, law)?;
    if law.dimension() == 1 {
        let w1 = line::w1_to_law(cloud, &law.on_line()?)?;
        let rounding = LINE * cloud.points().iter().fold(w1, |largest, x| largest.max(x.abs()));
        return Ok(Distance::on_line(w1, rounding));
    }
    if let Some(atoms) = atoms_of(law)? {
        return Distance::by_transport(cloud, &atoms);
    }
    let sampled = bracket(cloud, law, sampling)?;
    let (w1, bracket) = (sampled.estimate, sampled.bracket);
    Ok(Distance { w1, bracket, method: Method::Bracket, sampled: Some(sampled) })
}
