//! The covariance ODE integrated numerically: a second road to the closed form.
//!
//! # Formula
//! For `u = ln λ` of every eigenvalue, in raw time,
//! ```text
//! du/dt = −2/(1 + β e^u)
//! ```
//! In logarithms an absolute tolerance on `u` is a relative one on `λ`, however small; integrating the matrix itself would lose
//! small eigenvalues and even turn them negative. The eigenvalues are particles on the line that do not interact, so the
//! integrators of the particle flow serve here too.
//!
//! # Paper
//! `eq:eigenvalue-ode`

use nalgebra::DVector;

use super::CovarianceFlow;
use crate::cloud::{Cloud, CloudView};
use crate::drift::{Drift, DriftField, Targets};
use crate::error::Result;
use crate::flow::{Field, Integrator, Schedule, Unobserved};
use crate::scale::{Beta, RawTime};

/// The rate at which logarithms of eigenvalues fall.
struct LogEigenvalueRate;

impl Drift for LogEigenvalueRate {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        _: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        field.reset(sources.len(), 1);
        let rate = |u: &f64| -2.0 / (1.0 + beta.get() * u.exp());
        field.velocity.iter_mut().zip(sources.points).for_each(|(v, u)| *v = rate(u));
        Ok(())
    }
}

impl CovarianceFlow {
    /// Eigenvalues of `Γ_t` by integrating the ODE instead of solving the implicit equation.
    pub fn integrated_eigenvalues(&self, time: RawTime, integrator: &dyn Integrator) -> Result<DVector<f64>> {
        let logarithms = Cloud::new(self.initial_eigenvalues().iter().map(|l| l.ln()).collect(), 1)?;
        if time.get() == 0.0 {
            return Ok(self.initial_eigenvalues());
        }
        // Not a `Flow`: that watches over laws which only particles obey.
        let schedule = Schedule::constant(self.beta());
        let mut field = Field::new(&LogEigenvalueRate, &schedule, &logarithms, time);
        let end = integrator.integrate(&mut field, &mut Unobserved)?.points;
        Ok(DVector::from_iterator(end.len(), end.iter().map(|u| u.exp())))
    }
}
