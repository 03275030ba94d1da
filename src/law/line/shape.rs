//! The symmetric shapes that one-dimensional laws are mixed from, each known by its tails.

use super::super::laplace::Laplace;
use super::super::student::Student;
use super::super::uniform::Uniform;
use crate::numeric::quadrature::{Node, TWELVE};
use crate::numeric::tail;

/// A panel is exact while the density varies by no more than this factor across it.
const GENTLE_DECAY: f64 = 0.135;

/// What lies beyond a point, on the side away from the centre.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tail {
    /// The density at the point.
    pub(crate) density: f64,
    /// The probability beyond the point; at most one half.
    pub(crate) mass: f64,
    /// The mean distance by which that probability exceeds the point: `E(X − x)₊` or `E(x − X)₊`.
    pub(crate) mean: f64,
}

/// What lies between `a` and `b`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slice {
    /// `∫ f`.
    pub(crate) mass: f64,
    /// `∫ (t − a) f(t) dt`.
    pub(crate) from_left: f64,
    /// `∫ (b − t) f(t) dt`.
    pub(crate) from_right: f64,
}

impl Slice {
    fn mirrored(self) -> Self {
        Self { mass: self.mass, from_left: self.from_right, from_right: self.from_left }
    }

    /// This slice followed by the adjacent one; each is as long as stated.
    fn then(self, next: Self, length: f64, next_length: f64) -> Self {
        Self {
            mass: self.mass + next.mass,
            from_left: self.from_left + next.from_left + length * next.mass,
            from_right: self.from_right + next_length * self.mass + next.from_right,
        }
    }
}

/// A law that is symmetric about its centre and has a density that decreases away from it.
pub(crate) trait Symmetric {
    fn centre(&self) -> f64;

    /// The right tail at `x ≥ centre`, the left tail otherwise; every entry accurate relative to itself.
    fn tail(&self, x: f64) -> Tail;

    /// A length on which the density is smooth on either side of the centre, zero if there is none.
    fn resolution(&self) -> f64;

    /// A number of the order of the standard deviation.
    fn spread(&self) -> f64;

    /// What lies between `a ≤ b`, accurate relative to itself down to narrow slices.
    fn slice(&self, a: f64, b: f64) -> Slice {
        slice(self, a, b)
    }
}

/// The slice of a smooth symmetric law, cut at the centre if that lies inside.
pub(crate) fn slice<S: Symmetric + ?Sized>(shape: &S, a: f64, b: f64) -> Slice {
    let centre = shape.centre();
    if a >= centre {
        outer_slice(shape, a, b)
    } else if b <= centre {
        outer_slice(shape, b, a).mirrored()
    } else {
        let left = outer_slice(shape, centre, a).mirrored();
        left.then(outer_slice(shape, centre, b), centre - a, b - centre)
    }
}

/// The slice between `near` and `far`, both on one side of the centre, as if that side were the right one.
fn outer_slice<S: Symmetric + ?Sized>(shape: &S, near: f64, far: f64) -> Slice {
    let (inner, outer) = (shape.tail(near), shape.tail(far));
    let length = (far - near).abs();
    if length <= shape.resolution() && outer.density >= GENTLE_DECAY * inner.density {
        return panel_slice(shape, near, far);
    }
    let between = inner.mean - outer.mean;
    Slice {
        mass: inner.mass - outer.mass,
        from_left: between - length * outer.mass,
        from_right: length * inner.mass - between,
    }
}

/// The same by one quadrature panel, which nowhere subtracts.
fn panel_slice<S: Symmetric + ?Sized>(shape: &S, near: f64, far: f64) -> Slice {
    let length = (far - near).abs();
    let mut slice = Slice { mass: 0.0, from_left: 0.0, from_right: 0.0 };
    for Node { at, weight } in TWELVE.on(0.0, 1.0) {
        let mass = length * weight * shape.tail(near + at * (far - near)).density;
        slice.mass += mass;
        slice.from_left += mass * length * at;
        slice.from_right += mass * length * (1.0 - at);
    }
    slice
}

/// `N(mean, std²)` on the line, `std > 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Normal {
    pub(crate) mean: f64,
    pub(crate) std: f64,
}

impl Symmetric for Normal {
    fn centre(&self) -> f64 {
        self.mean
    }

    fn tail(&self, x: f64) -> Tail {
        let t = (x - self.mean).abs() / self.std;
        let density = tail::density(t);
        Tail {
            density: density / self.std,
            mass: density * tail::mills(t),
            mean: self.std * (density * tail::mills_first(t)),
        }
    }

    fn resolution(&self) -> f64 {
        self.std
    }

    fn spread(&self) -> f64 {
        self.std
    }
}

/// What a law `m + bT + sZ` on the line is made of, `T` of a given shape about zero and `sZ` the noise folded in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocationScale {
    /// `m`, the centre.
    pub mean: f64,
    /// `b`, by which `T` is stretched.
    pub scale: f64,
    /// The variance `s²` of the noise folded in, zero for the plain law.
    pub smoothing: f64,
}

impl LocationScale {
    /// With more noise.
    pub(crate) fn plus(self, noise: f64) -> Self {
        Self { smoothing: self.smoothing + noise, ..self }
    }

    /// Of `factor` times the variable.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            mean: factor * self.mean,
            scale: factor.abs() * self.scale,
            smoothing: factor * factor * self.smoothing,
        }
    }

    /// A number of the order of the standard deviation.
    pub(crate) fn spread(self) -> f64 {
        self.scale + self.smoothing.sqrt()
    }
}

/// The shapes themselves; an enumeration rather than a boxed trait so that laws can be compared and copied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    Normal(Normal),
    Laplace(Laplace),
    Uniform(Uniform),
    Student(Student),
}

impl Shape {
    pub(crate) fn symmetric(&self) -> &dyn Symmetric {
        match self {
            Self::Normal(shape) => shape,
            Self::Laplace(shape) => shape,
            Self::Uniform(shape) => shape,
            Self::Student(shape) => shape,
        }
    }

    /// The standard deviation of the Gaussian factor, which bounds every derivative of the distribution function.
    pub(crate) fn smoothing(&self) -> f64 {
        match self {
            Self::Normal(shape) => shape.std,
            Self::Laplace(shape) => shape.parameters().smoothing.sqrt(),
            Self::Uniform(shape) => shape.smoothing().sqrt(),
            Self::Student(shape) => shape.parameters().smoothing.sqrt(),
        }
    }
}
