//! Laws on the line: the exact law of `⟨u, X⟩` for every kind of law, split at a point into its two tails.
//!
//! # Formula
//! A [`LineLaw`] is a finite mixture of atoms and of symmetric shapes (normal, and Laplace and uniform with Gaussian noise
//! folded in), perhaps restricted to `[−R, R]`. A [`Split`] at `x` holds
//! ```text
//! F(x) = P(X ≤ x),   P(X > x),   E(x − X)₊ = ∫_{−∞}^x F,   E(X − x)₊ = ∫_x^∞ (1 − F)
//! ```
//! and each is a sum of positive terms that are accurate relative to themselves: no tail is one minus the other.

mod atoms;
mod quantile;
mod shape;
#[cfg(test)]
mod tests;

pub use atoms::LineAtom;
pub use quantile::Level;
pub use shape::LocationScale;
pub(crate) use shape::{Normal, Shape, Slice, Symmetric, Tail, slice};

use self::atoms::AtomTable;
use crate::error::{Error, Result};
use crate::scale::BallRadius;

/// A ball that carries less than this has no usable law: its mass is close to the smallest numbers there are.
const SMALLEST_MASS: f64 = 1e-280;

/// A probability law on the line.
///
/// ```
/// use ebflow::law::Law;
/// let law = Law::parse(r#"{ kind = "gaussian", mean = [3, 0], std = 2 }"#)?;
/// let line = law.projection(&[1.0, 0.0])?;
/// assert_eq!(line.split(3.0).below, 0.5);
/// assert!((line.quantile(0.5)? - 3.0).abs() < 1e-15);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LineLaw {
    parts: Vec<Part>,
    atoms: AtomTable,
    radius: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    pub(crate) weight: f64,
    pub(crate) shape: Shape,
}

/// A component of a mixture of normal laws on the line.
pub(crate) struct WeightedNormal {
    pub(crate) weight: f64,
    pub(crate) normal: Normal,
}

/// A law cut in two at a point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Split {
    /// The point `x`.
    pub at: f64,
    /// The density at `x`, atoms aside.
    pub density: f64,
    /// `P(X = x)`.
    pub jump: f64,
    /// `F(x) = P(X ≤ x)`.
    pub below: f64,
    /// `P(X > x)`.
    pub above: f64,
    /// `E(x − X)₊`.
    pub lower_mean: f64,
    /// `E(X − x)₊`.
    pub upper_mean: f64,
}

impl Split {
    fn add(&mut self, weight: f64, part: Self) {
        self.density += weight * part.density;
        self.below += weight * part.below;
        self.above += weight * part.above;
        self.lower_mean += weight * part.lower_mean;
        self.upper_mean += weight * part.upper_mean;
    }

    /// From the tail of a symmetric shape: the near side by its tail, the other by what the tail leaves.
    fn of_shape(shape: &dyn Symmetric, x: f64) -> Self {
        let (tail, offset) = (shape.tail(x), x - shape.centre());
        let right = Self {
            density: tail.density,
            below: 1.0 - tail.mass,
            above: tail.mass,
            lower_mean: offset.abs() + tail.mean,
            upper_mean: tail.mean,
            ..Self::default()
        };
        if offset >= 0.0 { right } else { right.mirrored() }
    }

    fn mirrored(self) -> Self {
        Self {
            below: self.above,
            above: self.below,
            lower_mean: self.upper_mean,
            upper_mean: self.lower_mean,
            ..self
        }
    }

    /// From what a shape leaves on `[−R, x]` and on `[x, R]`.
    fn of_slices(shape: &dyn Symmetric, x: f64, radius: f64) -> Self {
        let (left, right) = (shape.slice(-radius, x), shape.slice(x, radius));
        Self {
            density: shape.tail(x).density,
            below: left.mass,
            above: right.mass,
            lower_mean: left.from_right,
            upper_mean: right.from_left,
            ..Self::default()
        }
    }
}

impl LineLaw {
    /// From parts and atoms whose weights sum to one.
    pub(crate) fn new(parts: Vec<Part>, atoms: Vec<LineAtom>) -> Self {
        Self { parts, atoms: AtomTable::new(atoms), radius: None }
    }

    /// One shape, or the atom at `centre` when its scale is zero.
    pub(crate) fn of_shape(scale: f64, centre: f64, shape: Shape) -> Self {
        if scale == 0.0 {
            return Self::new(vec![], vec![LineAtom { at: centre, weight: 1.0 }]);
        }
        Self::new(vec![Part { weight: 1.0, shape }], vec![])
    }

    /// A mixture of normal laws; those of standard deviation zero are atoms.
    pub(crate) fn of_normals(normals: impl Iterator<Item = WeightedNormal>) -> Self {
        let (mut parts, mut atoms) = (vec![], vec![]);
        for WeightedNormal { weight, normal } in normals {
            if normal.std == 0.0 {
                atoms.push(LineAtom { at: normal.mean, weight });
            } else {
                parts.push(Part { weight, shape: Shape::Normal(normal) });
            }
        }
        Self::new(parts, atoms)
    }

    /// The law conditioned on `|X| ≤ R`.
    pub fn truncated(&self, radius: BallRadius) -> Result<Self> {
        let radius = self.radius.map_or(radius.get(), |own| own.min(radius.get()));
        let mass = self.ball_mass(radius);
        if mass < SMALLEST_MASS {
            return Err(Error::InvalidLaw {
                kind: "truncated",
                problem: format!("the interval of radius R = {radius} carries no mass; increase R"),
            });
        }
        let parts = self.parts.iter().map(|part| Part { weight: part.weight / mass, ..*part });
        let inside = self.atoms.iter().filter(|atom| atom.at.abs() <= radius);
        let atoms = inside.map(|atom| LineAtom { weight: atom.weight / mass, ..atom });
        Ok(Self { parts: parts.collect(), atoms: AtomTable::new(atoms.collect()), radius: Some(radius) })
    }

    /// `P(|X| ≤ R)`, for a radius not above the one the law is truncated to.
    pub(crate) fn ball_mass(&self, radius: f64) -> f64 {
        let of_part = |part: &Part| part.weight * part.shape.symmetric().slice(-radius, radius).mass;
        let inside = self.atoms.iter().filter(|atom| atom.at.abs() <= radius);
        self.parts.iter().map(of_part).sum::<f64>() + inside.map(|atom| atom.weight).sum::<f64>()
    }

    /// The radius `R` that the law was truncated to.
    pub fn radius(&self) -> Option<f64> {
        self.radius
    }

    /// Points that carry mass of their own, in increasing order.
    pub fn atoms(&self) -> impl Iterator<Item = LineAtom> {
        self.atoms.iter()
    }

    /// False beyond the ends of a truncated law.
    pub(crate) fn holds(&self, x: f64) -> bool {
        self.radius.is_none_or(|radius| x.abs() <= radius)
    }

    /// The scale `s` on which `F` is smooth: its fourth derivative stays below that of a normal law over `s⁴`. Zero if it is not.
    pub(crate) fn smoothness(&self) -> f64 {
        let scale = |part: &Part| {
            let std = part.shape.smoothing();
            // Conditioned on a ball t standard deviations out, a law decays over s/t.
            std / self.radius.map_or(1.0, |r| 1.0 + (r + part.shape.symmetric().centre().abs()) / std)
        };
        self.parts.iter().map(scale).fold(f64::INFINITY, f64::min)
    }

    /// The law cut in two at `x`.
    pub fn split(&self, x: f64) -> Split {
        match self.radius {
            Some(radius) if x.abs() > radius => self.outside(x, radius),
            radius => self.inside(x, radius),
        }
    }

    fn inside(&self, x: f64, radius: Option<f64>) -> Split {
        let mut split = Split { at: x, ..Split::default() };
        for part in &self.parts {
            let shape = part.shape.symmetric();
            let cut = radius.map_or_else(|| Split::of_shape(shape, x), |r| Split::of_slices(shape, x, r));
            split.add(part.weight, cut);
        }
        if !self.atoms.is_empty() {
            let atoms = self.atoms.split(x);
            split.jump = atoms.jump;
            split.below += atoms.below;
            split.above += atoms.above;
            split.lower_mean += atoms.lower_mean;
            split.upper_mean += atoms.upper_mean;
        }
        split
    }

    /// Beyond the end of a truncated law nothing is left, and the means grow with the distance.
    fn outside(&self, x: f64, radius: f64) -> Split {
        let end = self.inside(radius.copysign(x), Some(radius));
        let distance = x.abs() - radius;
        let beyond = Split { at: x, density: 0.0, jump: 0.0, ..end };
        if x > 0.0 {
            Split { below: 1.0, above: 0.0, lower_mean: end.lower_mean + distance, upper_mean: 0.0, ..beyond }
        } else {
            Split { below: 0.0, above: 1.0, lower_mean: 0.0, upper_mean: end.upper_mean + distance, ..beyond }
        }
    }
}
