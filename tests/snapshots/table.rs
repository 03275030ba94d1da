//! [`Table`]: rows that are asserted first and compared with a snapshot afterwards.

use std::fmt;

use ebflow::{Measured, Result};
use insta::comparator::Comparator;
use insta::internals::SnapshotContents;
use insta::{Settings, Snapshot};

/// What the printed digits resolve.
const PRINTED: f64 = 1e-10;

/// An error bar is itself known to a factor: it may move by so much.
const BAR_FACTOR: f64 = 10.0;

/// Sampled numbers repeat to this, however wide the bar: seeds are fixed.
const REPEATED: f64 = 1e-6;

/// The widest bar of a row without sampling error.
pub const SHARP: f64 = 1e-7;

/// Numbers below this are printed with an exponent.
const SMALL: f64 = 1e-4;

/// Bars below this are rounding and differ between machines.
const SMALLEST_BAR: f64 = 1e-9;

/// What was computed: a law or a shape, its dimension, `β`, the number of particles, how time and the kernel sum were treated.
#[derive(Debug, Clone)]
pub struct Case {
    pub law: &'static str,
    pub d: usize,
    pub beta: f64,
    pub n: usize,
    pub flow: String,
    pub drift: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { law, d, beta, n, flow, drift } = self;
        write!(f, "{law:<11} {d} {beta:>3} {n:>5} {flow:<9} {drift:<8}")
    }
}

/// A number beside its analytic partner.
struct Row {
    name: String,
    numeric: Measured,
    analytic: f64,
}

impl Row {
    fn difference(&self) -> f64 {
        self.numeric.value - self.analytic
    }

    /// What is wrong with the row, if anything; `widest` is the widest bar that says something about a sampled number.
    fn fault(&self, widest: f64) -> Option<String> {
        let widest = if self.numeric.sampling == 0.0 { SHARP } else { widest };
        let (difference, allowance) = (self.difference(), self.numeric.allowance());
        let within = difference.abs() <= allowance;
        let sharp = allowance <= widest;
        (!within || !sharp).then(|| {
            let Self { name, numeric, analytic } = self;
            let reason = if within { "the bar is too wide to say anything" } else { "beyond the bar" };
            format!(
                "{name}\n    {:.10} against {analytic:.10}: {difference:+.2e}, bar {allowance:.2e}: {reason}",
                numeric.value
            )
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { value, numerical, sampling } = self.numeric;
        let sampling = if sampling == 0.0 { "-".to_owned() } else { format!("{sampling:.1e}") };
        let [value, analytic] = [value, self.analytic].map(printed);
        let (name, difference) = (&self.name, self.difference());
        write!(f, "{name} {value:>13} {analytic:>13} {difference:>+8.1e} {numerical:>7.1e} {sampling:>7}")
    }
}

/// Ten decimals, or six digits of a small number.
fn printed(value: f64) -> String {
    if value == 0.0 || value.abs() >= SMALL { format!("{value:.10}") } else { format!("{value:.5e}") }
}

/// Rows of one theme.
pub struct Table {
    name: &'static str,
    about: &'static str,
    widest: f64,
    rows: Vec<Row>,
    faults: Vec<String>,
}

impl Table {
    /// An empty table; no row may have a bar wider than [`SHARP`], or, sampling errors included, than `widest`.
    pub fn new(name: &'static str, widest: f64, about: &'static str) -> Self {
        Self { name, about, widest, rows: vec![], faults: vec![] }
    }

    /// Adds a row.
    pub fn row(&mut self, case: &Case, quantity: &str, numeric: Measured, analytic: f64) {
        let row = Row { name: format!("{case} {quantity:<16}"), numeric, analytic };
        self.faults.extend(row.fault(self.widest));
        self.rows.push(row);
    }

    /// Counts what could not be computed as a fault.
    pub fn expect(&mut self, case: &Case, result: Result<()>) {
        self.faults.extend(result.err().map(|error| format!("{case}\n    {error}")));
    }

    /// Asserts every row, then compares with the snapshot.
    pub fn check(self) {
        let (faults, rows) = (self.faults.len(), self.rows.len());
        assert!(faults == 0, "{}: {faults} faults in {rows} rows\n{}", self.name, self.faults.join("\n"));
        let mut settings = Settings::clone_current();
        settings.set_snapshot_path("tables");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_comparator(Box::new(Numeric));
        settings.bind(|| insta::assert_snapshot!(self.name, self.to_string()));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.about)?;
        writeln!(
            f,
            "No bar is wider than {SHARP:.0e}, or, where there is sampling error, than {:.0e}.\n",
            self.widest
        )?;
        let [law, flow, drift] = ["law", "flow", "drift"];
        writeln!(
            f,
            "{law:<11} d   β     N {flow:<9} {drift:<8} {:<16} {:>13} {:>13} {:>8} {:>7} {:>7}",
            "quantity", "numeric", "analytic", "differ.", "numer.", "sampl."
        )?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

/// Compares tables row by row: text exactly, numbers within the numerical bar of the accepted row. Seeds are fixed, so sampling
/// errors allow nothing here, and what a bar allows for the size of a sample counts no more than [`REPEATED`].
#[derive(Debug, Clone)]
struct Numeric;

/// A printed row.
struct Printed<'a> {
    name: &'a str,
    /// Numeric, analytic.
    values: [f64; 2],
    /// Numerical, sampling.
    bars: [f64; 2],
}

impl<'a> Printed<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut rest = line;
        let mut fields = [0.0; 5];
        for field in fields.iter_mut().rev() {
            let (before, last) = rest.trim_end().rsplit_once(' ')?;
            *field = if last == "-" { 0.0 } else { last.parse().ok()? };
            rest = before;
        }
        let [numeric, analytic, _, numerical, sampling] = fields;
        Some(Self { name: rest.trim_end(), values: [numeric, analytic], bars: [numerical, sampling] })
    }

    /// What moved since `accepted`, in words.
    fn moved(&self, accepted: &Self) -> Option<String> {
        if self.name != accepted.name {
            return Some(format!("'{}' was '{}'", self.name, accepted.name));
        }
        let repeated = if accepted.bars[1] == 0.0 { f64::INFINITY } else { REPEATED };
        let tolerance = accepted.bars[0].min(repeated) + PRINTED;
        for (what, was, is) in [
            ("numeric", accepted.values[0], self.values[0]),
            ("analytic", accepted.values[1], self.values[1]),
            ("sampling error", accepted.bars[1], self.bars[1]),
        ] {
            // Bars are printed with two digits.
            let printed = if what == "sampling error" { 0.05 * was } else { 0.0 };
            if (was - is).abs() > tolerance + printed {
                return Some(format!(
                    "{}: {what} moved from {was} to {is}, by more than {tolerance:.1e}",
                    self.name
                ));
            }
        }
        let [was, is] = [accepted.bars[0], self.bars[0]].map(|bar| bar.max(SMALLEST_BAR));
        let same = is <= BAR_FACTOR * was && was <= BAR_FACTOR * is;
        (!same).then(|| format!("{}: the numerical bar moved from {was:.1e} to {is:.1e}", self.name))
    }
}

impl Comparator for Numeric {
    fn matches(&self, reference: &Snapshot, test: &Snapshot) -> bool {
        let [Some(accepted), Some(found)] = [reference, test].map(text) else { return false };
        let moved = moved(&accepted, &found);
        moved.iter().for_each(|line| eprintln!("{line}"));
        moved.is_empty()
    }

    fn dyn_clone(&self) -> Box<dyn Comparator> {
        Box::new(self.clone())
    }
}

fn text(snapshot: &Snapshot) -> Option<String> {
    match snapshot.contents() {
        SnapshotContents::Text(text) => Some(text.to_string()),
        SnapshotContents::Binary(_) => None,
    }
}

/// All that moved, line by line.
fn moved(accepted: &str, found: &str) -> Vec<String> {
    let [accepted, found]: [Vec<&str>; 2] = [accepted, found].map(|text| text.trim().lines().collect());
    if accepted.len() != found.len() {
        return vec![format!("{} lines were {}", found.len(), accepted.len())];
    }
    let compare = |(was, is): (&&str, &&str)| match (Printed::parse(was), Printed::parse(is)) {
        (Some(was), Some(is)) => is.moved(&was),
        _ => (was.trim_end() != is.trim_end()).then(|| format!("'{is}' was '{was}'")),
    };
    accepted.iter().zip(&found).filter_map(compare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64, numerical: f64) -> String {
        let case = Case { law: "iso", d: 1, beta: 2.0, n: 4, flow: "adaptive".into(), drift: "dense" };
        let numeric = Measured { value, numerical, sampling: 0.0 };
        Row { name: format!("{case} variance"), numeric, analytic: 1.0 }.to_string()
    }

    #[test]
    fn rows_move_by_more_than_their_bar_or_not_at_all() {
        let accepted = row(1.25, 1e-6);
        assert!(moved(&accepted, &row(1.25 + 5e-7, 2e-6)).is_empty());
        assert_eq!(moved(&accepted, &row(1.25 + 5e-6, 1e-6)).len(), 1);
        assert_eq!(moved(&accepted, &row(1.25, 1e-4)).len(), 1);
        assert_eq!(moved(&accepted, &accepted.replace("dense", "gauss")).len(), 1);
    }

    #[test]
    fn wrong_rows_and_vague_rows_are_faults() {
        let fault = |value: f64, bar: f64| {
            let numeric = Measured { value, numerical: 0.0, sampling: bar / 4.0 };
            Row { name: String::new(), numeric, analytic: 1.0 }.fault(0.1)
        };
        assert!(fault(1.0, 1e-9).is_none());
        assert!(fault(1.01, 1e-3).is_some_and(|fault| fault.contains("beyond the bar")));
        assert!(fault(1.01, 0.5).is_some_and(|fault| fault.contains("too wide")));
        assert!(fault(f64::NAN, 1e-3).is_some() && fault(1.0, f64::NAN).is_some());
    }
}
