//! Particles equally far from each other: the only clouds of several particles whose flow is known in closed form.
//!
//! # Formula
//! `N` particles at mutual distance `r` stay a regular simplex, since every pair has the weight `w = e^{−βr²/2}` and a particle itself has one:
//! ```text
//! ṙ = −N r / (e^{βr²/2} + N − 1),      N t = (Ei(βr0²/2) − Ei(βr²/2))/2 + (N − 1) ln(r0/r)      (raw time)
//! r ← r (1 − ηN/(e^{βr²/2} + N − 1))                                                             (one layer)
//! ```
//! The self term is the `1` of `N − 1 = (1 + (N − 1)w)/w − 1/w`. Bars are those that the runs report: their proved bound.

use ebflow::metric::coupled;
use ebflow::{Adaptive, Beta, Cloud, Flow, Layers, Measured, Result, ScoreTime};

use super::drifts::drift;
use super::table::{Case, SHARP, Table};

/// `r` at the end: mpmath 1.4.1, 40 digits, bisection of the equation above for `(N, β, r0, score time)`.
const ENDS: [(usize, f64, f64, f64, f64); 9] = [
    (2, 2.0, 1.5, 0.25, 1.333_390_089_790_154),
    (2, 20.0, 0.5, 0.125, 0.155_324_531_300_244_25),
    (2, 100.0, 0.25, 0.05, 0.016_292_096_165_725_08),
    (3, 2.0, 1.5, 0.25, 1.266_465_483_390_396_6),
    (3, 20.0, 0.5, 0.125, 0.102_184_847_157_549_65),
    (3, 100.0, 0.25, 0.05, 0.007_659_936_425_405_875),
    (4, 2.0, 1.5, 0.25, 1.212_887_546_437_989_5),
    (4, 20.0, 0.5, 0.125, 0.081_748_330_568_869_46),
    (4, 100.0, 0.25, 0.05, 0.005_246_508_891_321_122),
];

/// A rounding per operation and layer, in units of the distance.
const ROUNDOFF: f64 = 1e-14;

/// Coordinates of `n ≤ 4` points at mutual distance `r`, in `n − 1` dimensions, away from the origin.
fn simplex(n: usize, r: f64) -> Cloud {
    let unit: &[f64] = match n {
        2 => &[0.0, 1.0],
        3 => &[0.0, 0.0, 1.0, 0.0, 0.5, 0.866_025_403_784_438_6],
        _ => &[
            0.0,
            0.0,
            0.0,
            1.0,
            0.0,
            0.0,
            0.5,
            0.866_025_403_784_438_6,
            0.0,
            0.5,
            0.288_675_134_594_812_9,
            0.816_496_580_927_726,
        ],
    };
    Cloud::new(unit.iter().map(|x| 0.7 + r * x).collect(), n - 1).unwrap()
}

/// The mean distance of all pairs.
fn distance(cloud: &Cloud) -> f64 {
    let rows: Vec<&[f64]> = cloud.rows().collect();
    let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    let pairs: Vec<f64> = (0..rows.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| gap(rows[i], rows[j]))
        .collect();
    pairs.iter().sum::<f64>() / pairs.len() as f64
}

/// Where the flow takes a simplex: every point towards the centre.
fn shrunk(start: &Cloud, share: f64) -> Cloud {
    let centre = start.mean();
    let towards = |row: &[f64]| -> Vec<f64> {
        row.iter().zip(centre.iter()).map(|(x, c)| c + share * (x - c)).collect()
    };
    start.moved_to(start.rows().flat_map(towards).collect()).unwrap()
}

fn adaptive(table: &mut Table, case: &Case, (r0, score, end): (f64, f64, f64)) -> Result<()> {
    let flow =
        Flow::new(Beta::new(case.beta)?, ScoreTime::new(score)?).with_error_estimate().with_error_bound();
    let start = simplex(case.n, r0);
    let run = flow
        .with_drift(drift(case.drift).as_ref())
        .with_integrator(Adaptive::new(1e-9, 1e-9)?)
        .run(&start)?;
    let bound = run.error.bound.map_or(f64::INFINITY, |bound| bound.max);
    table.row(case, "distance", Measured::known_to(distance(&run.end), 2.0 * bound), end);
    let error = coupled(&run.end, &shrunk(&start, end / r0))?.max;
    let estimate = run.error.estimate.map_or(f64::INFINITY, |estimate| estimate.max);
    table.row(case, "estimated error", Measured::known_to(estimate, bound + ROUNDOFF), error);
    Ok(())
}

fn layers(table: &mut Table, case: &Case, (r0, score): (f64, f64), count: usize) -> Result<()> {
    let flow = Flow::new(Beta::new(case.beta)?, ScoreTime::new(score)?);
    let run = flow
        .with_drift(drift(case.drift).as_ref())
        .with_integrator(Layers::new(count)?)
        .run(&simplex(case.n, r0))?;
    let (n, step) = (case.n as f64, case.beta * score / count as f64);
    let layer = |r: f64| r * (1.0 - step * n / ((case.beta * r * r / 2.0).exp() + n - 1.0));
    let end = (0..count).fold(r0, |r, _| layer(r));
    table.row(case, "distance", Measured::known_to(distance(&run.end), ROUNDOFF * count as f64), end);
    Ok(())
}

#[test]
fn simplex_tables() {
    let about = "Two to four particles at equal distances: their distance at the end of the flow beside an exponential integral,
\
                 and after layers beside their recursion. Bars of adaptive runs are proved bounds; their estimated error is
\
                 beside the true one. ε marks kernel sums that are truncated at 1e-8.";
    let mut table = Table::new("simplex", SHARP, about);
    let drifts = ["dense", "blocks", "kdtree", "gauss", "auto", "dense", "blocks ε", "kdtree ε", "auto ε"];
    for ((n, beta, r0, score, end), drift) in ENDS.into_iter().zip(drifts) {
        let law = ["pair", "triangle", "tetrahedron"][n - 2];
        let case = Case { law, d: n - 1, beta, n, flow: "adaptive".into(), drift };
        let result = adaptive(&mut table, &case, (r0, score, end));
        table.expect(&case, result);
        let count = 8;
        let drift = drift.trim_end_matches([' ', 'ε']);
        let case = Case { flow: format!("{count} layers"), drift, ..case };
        let result = layers(&mut table, &case, (r0, score), count);
        table.expect(&case, result);
    }
    table.check();
}
