//! Drifts and integrators by the names that a study gives them.

use crate::drift::{Drift, Tolerance};
use crate::error::Result;
use crate::flow::{Adaptive, Integrator, Layers};
use crate::study::cell::Cell;
use crate::study::spec::{MethodSpec, Spec, Tolerances};

/// The drift of a study.
pub(super) fn drift(method: &MethodSpec) -> Result<Box<dyn Drift>> {
    let tolerance = method.eps.map(Tolerance::new).transpose()?.unwrap_or_default();
    Ok(method.drift.drift(tolerance))
}

/// The integrator of a cell: layers or tolerances, as the study says.
pub(super) fn integrator(spec: &Spec, cell: &Cell) -> Result<Box<dyn Integrator>> {
    match (cell.setting.layers, spec.method.tolerances) {
        (None, Some(tolerances)) => adaptive(tolerances),
        (layers, _) => layered(layers.unwrap_or(1)),
    }
}

/// An adaptive integrator.
pub(super) fn adaptive(tolerances: Tolerances) -> Result<Box<dyn Integrator>> {
    Ok(Box::new(Adaptive::new(tolerances.rtol, tolerances.atol)?))
}

/// A network.
pub(super) fn layered(count: usize) -> Result<Box<dyn Integrator>> {
    Ok(Box::new(Layers::new(count)?))
}
