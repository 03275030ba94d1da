//! Drifts by the names they have in the tables.

use ebflow::Drift;
use ebflow::drift::{Auto, Blocks, Dense, GaussTransform, KdTree, Tolerance};

/// What `ε` in a name stands for: the truncation may move a drift by so much.
const EPSILON: f64 = 1e-8;

/// The drift of a name; `ε` marks one that is truncated by more than rounding.
pub fn drift(name: &str) -> Box<dyn Drift> {
    let tolerance = match name.ends_with('ε') {
        true => Tolerance::new(EPSILON).unwrap(),
        false => Tolerance::BELOW_ROUNDING,
    };
    match name.trim_end_matches([' ', 'ε']) {
        "dense" => Box::new(Dense),
        "blocks" => Box::new(Blocks { tolerance }),
        "kdtree" => Box::new(KdTree { tolerance }),
        "gauss" => Box::new(GaussTransform { tolerance }),
        "auto" => Box::new(Auto { tolerance }),
        other => unreachable!("no drift is called {other}"),
    }
}
