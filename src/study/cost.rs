//! How long a cell will take, roughly: for the order of work, the split into shards and the time that remains.
//!
//! # Formula
//! ```text
//! evaluations ≈ L for layers, (1 + 5.5·T)·(1e-3/rtol)^(3/16) for the ODE, T = βτ/2
//! seconds per evaluation ≈ 10 µs + N·0.1 µs + min(N²·(3d + 10)·0.05 ns, fast transform)
//! fast transform ≈ 0.4 ms + N·0.06 µs for d = 1, 3 ms + N·0.35 µs for d = 2
//! ```
//! and what the dearer quantities add. Only operations that every machine rounds alike are used (no logarithm, no
//! power), so that every machine splits a study into the same shards.

use super::cell::Cell;
use super::quantity::Quantity;
use super::spec::Spec;

/// Flows beside the main one that a quantity runs, in units of it.
const FINER_FLOW: f64 = 4.0;
const LONGER_FLOW: f64 = 3.0;
const BOUNDED_FLOW: f64 = 10.0;
/// Seconds of the mean field on the line.
const MEAN_FIELD: f64 = 0.1;
/// Seconds per point and square root of points of a transport against a law, its replicates and fresh points included.
const TRANSPORT: f64 = 2e-5;
/// Seconds per particle of a certified supremum, by dimension.
const SUPREMUM: [f64; 3] = [1e-5, 4e-4, 2e-2];

/// The estimated seconds of a cell on one thread.
pub fn seconds(spec: &Spec, cell: &Cell) -> f64 {
    let n = cell.setting.n as f64;
    let flow = evaluations(spec, cell) * evaluation(n, spec.prior.dimension());
    let extras = spec.quantities.iter().map(|quantity| extra(*quantity, n, spec.prior.dimension(), flow));
    flow + extras.sum::<f64>()
}

fn evaluations(spec: &Spec, cell: &Cell) -> f64 {
    let Some(tolerances) = spec.method.tolerances else {
        return cell.setting.layers.unwrap_or(1) as f64;
    };
    // x^(3/16) by square roots.
    let eighth = (1e-3 / tolerances.rtol).sqrt().sqrt().sqrt();
    (1.0 + 5.5 * cell.setting.raw_horizon()) * eighth * eighth.sqrt()
}

/// Seconds of one evaluation of the self-drift.
fn evaluation(n: f64, dimension: usize) -> f64 {
    let operations = (3 * dimension + 10) as f64;
    let dense = n * n * operations * 0.05e-9;
    let fast = match dimension {
        1 => 0.4e-3 + 0.06e-6 * n,
        2 => 3e-3 + 0.35e-6 * n,
        _ => f64::INFINITY,
    };
    10e-6 + 0.1e-6 * n + dense.min(fast)
}

/// What a quantity costs beside the flow, in words; nothing where that is little.
pub fn words(quantity: Quantity) -> Option<String> {
    let flows = |flows: f64| Some(format!("{flows} times the flow"));
    match quantity {
        Quantity::W1Prior | Quantity::W1Tokens | Quantity::W1Floor => {
            Some(format!("beyond the line N√N · {:.0} µs", 1e6 * TRANSPORT))
        }
        Quantity::W1Untruncated => flows(1.0),
        Quantity::IntegrationError => flows(FINER_FLOW),
        Quantity::HittingTime => flows(LONGER_FLOW),
        Quantity::ErrorBound => flows(BOUNDED_FLOW),
        Quantity::W1MeanField | Quantity::W1MeanFieldPrior => Some(format!("{MEAN_FIELD} s")),
        Quantity::PosteriorSup => {
            let per = SUPREMUM.map(|seconds| format!("{}", 1e6 * seconds)).join(", ");
            Some(format!("N · ({per}) µs in dimension 1, 2, 3"))
        }
        _ => None,
    }
}

/// What a quantity adds to the flow.
fn extra(quantity: Quantity, n: f64, dimension: usize, flow: f64) -> f64 {
    let against_law = if dimension == 1 { 1e-6 * n } else { TRANSPORT * n * n.sqrt() };
    match quantity {
        Quantity::W1Prior | Quantity::W1Tokens => against_law,
        Quantity::W1Floor if dimension == 1 => 2e-3,
        Quantity::W1Floor => 2.0 * against_law,
        Quantity::W1Untruncated => flow + if dimension == 1 { 1e-6 * n } else { 0.1 * against_law },
        Quantity::IntegrationError => FINER_FLOW * flow,
        Quantity::HittingTime => LONGER_FLOW * flow,
        Quantity::ErrorBound => BOUNDED_FLOW * flow,
        Quantity::W1MeanFieldPrior => MEAN_FIELD,
        Quantity::W1MeanField => MEAN_FIELD + 1e-5 * n,
        Quantity::PosteriorSup => n * SUPREMUM[dimension.clamp(1, 3) - 1],
        _ => 1e-7 * n,
    }
}
