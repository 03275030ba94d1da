//! Atoms on the line, with running sums so that a split costs a search rather than a pass.

/// A point that carries probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineAtom {
    /// Where it is.
    pub at: f64,
    /// How much probability it carries.
    pub weight: f64,
}

/// One atom with what lies to either side of it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    at: f64,
    weight: f64,
    /// Weight up to and including this atom.
    below: f64,
    /// `Σ_{a ≤ at} w (at − a)`.
    lower_mean: f64,
    /// Weight beyond this atom.
    above: f64,
    /// `Σ_{a > at} w (a − at)`.
    upper_mean: f64,
}

/// Atoms in increasing order, no two at one place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AtomTable {
    steps: Vec<Step>,
}

/// The atoms' share of a split of the law at a point.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AtomSplit {
    pub(crate) jump: f64,
    pub(crate) below: f64,
    pub(crate) above: f64,
    pub(crate) lower_mean: f64,
    pub(crate) upper_mean: f64,
}

impl AtomTable {
    pub(crate) fn new(mut atoms: Vec<LineAtom>) -> Self {
        atoms.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.weight.total_cmp(&b.weight)));
        let mut steps: Vec<Step> = Vec::with_capacity(atoms.len());
        for LineAtom { at, weight } in atoms {
            match steps.last_mut() {
                Some(last) if last.at == at => last.weight += weight,
                _ => {
                    steps.push(Step { at, weight, below: 0.0, lower_mean: 0.0, above: 0.0, upper_mean: 0.0 })
                }
            }
        }
        let mut table = Self { steps };
        table.accumulate();
        table
    }

    /// Sums of positive terms only: `E(x − X)₊` at an atom is that at the one before plus weight times gap.
    fn accumulate(&mut self) {
        let (mut weight, mut mean, mut previous) = (0.0, 0.0, 0.0);
        for step in &mut self.steps {
            mean += weight * (step.at - previous);
            weight += step.weight;
            (step.below, step.lower_mean, previous) = (weight, mean, step.at);
        }
        (weight, mean) = (0.0, 0.0);
        for step in self.steps.iter_mut().rev() {
            mean += weight * (previous - step.at);
            (step.above, step.upper_mean, previous) = (weight, mean, step.at);
            weight += step.weight;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The atoms, in increasing order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = LineAtom> {
        self.steps.iter().map(|step| LineAtom { at: step.at, weight: step.weight })
    }

    pub(crate) fn split(&self, x: f64) -> AtomSplit {
        let next = self.steps.partition_point(|step| step.at <= x);
        let mut split = AtomSplit::default();
        if let Some(before) = next.checked_sub(1).map(|at| &self.steps[at]) {
            split.jump = if before.at == x { before.weight } else { 0.0 };
            split.below = before.below;
            split.lower_mean = before.lower_mean + before.below * (x - before.at);
        }
        if let Some(after) = self.steps.get(next) {
            split.above = after.above + after.weight;
            split.upper_mean = after.upper_mean + split.above * (after.at - x);
        }
        split
    }
}
