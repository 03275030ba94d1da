//! Studies as text, planned and run.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::case::{Case, Way};
use crate::laws::law;
use crate::text::{mostly, mutated_text, number};

const QUANTITIES: [&str; 8] = [
    "coupled",
    "w1_prior",
    "w1_exact_prior",
    "mse_bayes",
    "gap_two_stage",
    "variance_path",
    "hitting_time_exact",
    "w1_tokens",
];

fn study() -> impl Strategy<Value = String> {
    let quantities = subsequence(QUANTITIES.to_vec(), 1..4);
    let prior = prop_oneof![2 => Just("{ kind = \"gaussian\", mean = 0, std = 1 }".to_owned()), 1 => law(1)];
    let flow = mostly(
        &["rtol = 1e-4\natol = 1e-4", "layers = 6", "layers = 20"],
        &["layers = 1", "rtol = 1e-4", "", "rtol = 0\natol = -1"],
    );
    let n = mostly(
        &["[2, 5]", "3", "[1, 2, 4, 8]"],
        &["[]", "0", "-1", "1.5", "[3, 3]", "99999999999999", "\"x\""],
    );
    let seeds =
        mostly(&["2", "1", "[0, 7]"], &["0", "1000000000", "[9223372036854775807]", "[1, 1]", "\"two\""]);
    let extra = mostly(
        &[
            "",
            "",
            "[measure]\ncloud_points = 2\ndepths = 3\n",
            "[drift]\nmethod = \"dense\"\n",
            "[quick]\nsweep.n = [2, 3]\n",
        ],
        &["[[fit]]\nquantity = \"w1_prior\"\nagainst = \"n\"\n", "[measure]\ndepths = 999999999999\n"],
    );
    (quantities, prior, number(), number(), flow, n, (seeds, extra)).prop_map(
        |(quantities, prior, tau, beta, flow, n, (seeds, extra))| {
            let quantities = quantities.join("\", \"");
            format!(
                "title = \"t\"\nquantities = [\"{quantities}\"]\nprior = {prior}\n[noise]\nvariance = {tau}\n[flow]\n{flow}\n\
                 [sweep]\nn = {n}\nbeta = {beta}\nseeds = {seeds}\n{extra}"
            )
        },
    )
}

const LINES: &[&str] = &[
    "study @s.toml --out @o --jobs 1",
    "study @s.toml --out @o --jobs 1 --json",
    "study @s.toml --dry-run",
    "study @s.toml --dry-run --json --shard 1/18446744073709551615",
    "study @s.toml --out @o --jobs 1 --shard 2/3",
    "study @s.toml --out @o --jobs 1 --preset quick --set title=\"u\"",
    "study @s.toml --out @o --jobs 1 --set sweep.seeds=1 --fail-fast --allow-incomplete",
    "study @s.toml --dry-run --set sweep.n=[1,",
];

/// Horizons that small studies reach in a moment: what lies beyond is planned, not run.
fn is_affordable(study: &str) -> bool {
    let value = |key: &str| {
        let line = study.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split('=').nth(1)?.trim().parse::<f64>().ok()).unwrap_or(1.0)
    };
    value("variance") * value("beta") <= 200.0
}

pub fn cases() -> impl Strategy<Value = Case> {
    let way = prop_oneof![30 => Just(Way::Call), 2 => Just(Way::Interrupted), 1 => Just(Way::Process)];
    (mutated_text(study()), select(LINES), way).prop_map(|(study, line, way)| {
        let line = if is_affordable(&study) { line } else { "study @s.toml --dry-run --json" };
        Case::new(vec![("s.toml", study.into_bytes())], line.split_whitespace(), way)
    })
}
