//! Closed forms against integration, and against values from outside.

use ebflow::exact::CovarianceFlow;
use ebflow::{Adaptive, Beta, NoiseVariance, RawTime};
use nalgebra::{DMatrix, DVector};

/// Prior variance, β, and the variance at the denoising horizon of noise of variance 0.7: the root of
/// `λ + ln(λ)/β = σ + ln(σ + τ)/β`, found by `mpmath` 1.4.1 at 60 digits from the binary values of the inputs, checked to 45 digits
/// by inserting it, and rounded to the nearest double.
const AT_THE_HORIZON: [(f64, f64, f64); 33] = [
    (0.0, 0.001, 0.6995105138606074),
    (0.0, 0.37, 0.5674364911934106),
    (0.0, 20.0, 0.09820245566247389),
    (0.0, 10000.0, 0.0006919344402429285),
    (0.0, 1e8, 1.5333937303602976e-07),
    (0.0, 1e12, 2.4092447751894916e-11),
    (0.0, 1e16, 3.2988526718159833e-15),
    (0.0, 1e25, 5.323326882614221e-24),
    (0.0, 1e60, 1.3290876770000136e-58),
    (0.0, 1e150, 3.392044858764662e-148),
    (0.0, 1e300, 6.838910543266386e-298),
    (1e-12, 0.001, 0.6995105138616067),
    (1e-12, 0.37, 0.567436491194254),
    (1e-12, 20.0, 0.09820245566318385),
    (1e-12, 10000.0, 0.0006919344411167803),
    (1e-12, 1e8, 1.5334031181399317e-07),
    (1e-12, 1e12, 2.5053339057629694e-11),
    (1e-12, 1e16, 1.0027271622721678e-12),
    (1e-12, 1e25, 1.0000000000027275e-12),
    (1e-12, 1e60, 1e-12),
    (1e-12, 1e150, 1e-12),
    (1e-12, 1e300, 1e-12),
    (1.0, 0.001, 1.698812433853771),
    (1.0, 0.37, 1.4429943285814586),
    (1.0, 20.0, 1.0252829799297056),
    (1.0, 10000.0, 1.000053057519495),
    (1.0, 1e8, 1.0000000053062825),
    (1.0, 1e12, 1.0000000000005307),
    (1.0, 1e16, 1.0),
    (1.0, 1e25, 1.0),
    (1.0, 1e60, 1.0),
    (1.0, 1e150, 1.0),
    (1.0, 1e300, 1.0),
];

/// What the closed form may lose.
const ROUNDOFF: f64 = 1e-13;

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

#[test]
fn the_denoising_horizon_keeps_every_digit_at_any_temperature() {
    let noise = NoiseVariance::new(0.7).unwrap();
    for (prior, beta, expected) in AT_THE_HORIZON {
        let (mean, covariance) = (DVector::zeros(1), DMatrix::from_element(1, 1, prior));
        let flow = CovarianceFlow::of_prior(mean, covariance, noise, Beta::new(beta).unwrap()).unwrap();
        let found = flow.eigenvalues_at(noise.denoising_horizon())[0];
        assert!(
            (found / expected - 1.0).abs() < ROUNDOFF,
            "σ = {prior}, β = {beta:e}: {found:e} against {expected:e}"
        );
        let same = flow.covariance_at(noise.denoising_horizon())[(0, 0)];
        assert_eq!(same, found);
    }
}

#[test]
fn variances_beyond_the_range_of_doubles_are_refused() {
    let (beta, noise) = (Beta::new(1e300).unwrap(), NoiseVariance::new(1e9).unwrap());
    let flow = CovarianceFlow::of_prior(DVector::zeros(1), DMatrix::zeros(1, 1), noise, beta);
    assert!(flow.unwrap_err().to_string().contains("beyond the range of a double"));
}
