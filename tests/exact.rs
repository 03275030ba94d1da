//! Closed forms against integration, and against values from outside.

use ebflow::exact::CovarianceFlow;
use ebflow::{Adaptive, Beta, RawTime};
use nalgebra::{DMatrix, DVector};

/// Relative agreement asked of two roads to the same eigenvalue.
const SOLVER: f64 = 1e-9;

/// Eigenvalues of `Γ0`, over thirteen orders of magnitude.
const INITIAL: [f64; 6] = [1e-12, 1e-8, 1e-4, 0.04, 1.0, 10.0];

fn flow(beta: f64) -> CovarianceFlow {
    let covariance = DMatrix::from_diagonal(&DVector::from_row_slice(&INITIAL));
    CovarianceFlow::of_noisy(DVector::zeros(INITIAL.len()), covariance, Beta::new(beta).unwrap()).unwrap()
}

#[test]
fn the_closed_form_is_the_solution_of_the_covariance_ode() {
    // Tolerance well below the asked agreement: the error per step adds up over a few hundred steps.
    let integrator = Adaptive::new(1e-12, 1e-12).unwrap();
    let mut worst = 0.0_f64;
    for beta in [0.1, 1.0, 5.0, 20.0, 100.0, 1e3, 1e4] {
        for noise in [0.01, 0.5] {
            let time = RawTime::new(beta * noise / 2.0).unwrap();
            let closed = flow(beta).eigenvalues_at(time);
            let integrated = flow(beta).integrated_eigenvalues(time, &integrator).unwrap();
            for (a, b) in closed.iter().zip(&integrated) {
                let error = if *a == *b { 0.0 } else { (a / b - 1.0).abs() };
                worst = worst.max(error);
                assert!(error < SOLVER, "β = {beta}, τ = {noise}: {a} against {b}");
            }
        }
    }
    println!("largest relative difference {worst:.1e}");
}
