//! Networks as people build them: on spheres.
//!
//! # Symbols
//! `η` the step of a layer, `ρ` the radius of a sphere.
//!
//! | file | claim |
//! |---|---|
//! | `sphere` | `sphere-softmax` |

mod sphere;

pub use sphere::SphereSoftmax;
