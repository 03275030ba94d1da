//! Drifts as one machine computed them, beside what this one computes: both lie within their rounding bounds of the true drift.

use super::*;
use crate::drift::GaussTransform;

/// Velocities on x86 with plain arrays, a line for each drift and dimension, as the bits of doubles. `EBFLOW_SIMD=portable cargo test --release
/// --lib machines -- --nocapture` prints such lines.
const STORED: &str = include_str!("machines.txt");

const POINTS: usize = 30;

/// A cloud and weights that are computed without a library function, so that they are the same everywhere.
fn rational_cloud(d: usize) -> Cloud {
    let number = |k: usize| ((k * 7919 + 13 * k * k) % 1009) as f64 / 256.0 - 2.0;
    let weights: Vec<f64> = (0..POINTS).map(|i| (1 + i % 5) as f64 / 90.0).collect();
    Cloud::new((0..POINTS * d).map(number).collect(), d).unwrap().with_weights(weights).unwrap()
}

#[test]
fn machines_agree_to_their_rounding_bounds() {
    let mut stored = STORED.lines();
    let drifts: [(&str, &dyn Drift, usize); 4] = [
        ("dense", &Dense, 5),
        ("blocks", &Blocks::default(), 5),
        ("kdtree", &KdTree::default(), 5),
        ("gauss", &GaussTransform::default(), 2),
    ];
    let (mut same, mut all) = (0, 0);
    for (name, drift, most) in drifts {
        for d in 1..=most {
            let field = evaluated(drift, &rational_cloud(d), Targets::Sources, 8.0);
            let bits = field.velocity.iter().map(|v| format!(" {:016x}", v.to_bits())).collect::<String>();
            println!("{name} {d}{bits}");
            let mut line = stored.next().unwrap().split(' ');
            assert_eq!([line.next(), line.next()], [Some(name), Some(d.to_string().as_str())]);
            let numbers: Vec<f64> =
                line.map(|bits| f64::from_bits(u64::from_str_radix(bits, 16).unwrap())).collect();
            assert_eq!(numbers.len(), field.velocity.len());
            for (i, (here, there)) in field.velocity.chunks(d).zip(numbers.chunks(d)).enumerate() {
                let square: f64 = here.iter().zip(there).map(|(x, y)| (x - y) * (x - y)).sum();
                let bound = 2.0 * (field.rounding[i] + field.truncation[i]);
                assert!(square.sqrt() <= bound, "{name}, d = {d}, point {i}: {here:?} against {there:?}");
                same += here.iter().zip(there).filter(|(x, y)| x == y).count();
                all += d;
            }
        }
    }
    println!("{same} of {all} numbers are the same");
}
