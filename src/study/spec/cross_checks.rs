//! What the sections of a study must satisfy together: quantities that fit the prior, fits with enough sizes, layers short enough.

use super::sections::top_value;
use super::{Axis, Complaints, Model, Node, Quantity, Setting, Spec, Tree};
use crate::error::Error;
use crate::files::document::Diagnostic;
use crate::law::Law;

/// Cells of a study at most: more would be planned for hours and never read.
pub(super) const MOST_CELLS: usize = 1_000_000;

/// What the sections must satisfy together.
pub(super) struct CrossChecks<'a> {
    pub spec: &'a Spec,
    pub tree: &'a Tree,
    pub complaints: &'a Complaints,
}

impl CrossChecks<'_> {
    pub fn check(&self) {
        for (at, quantity) in self.spec.quantities.iter().enumerate() {
            if let Some(problem) = self.problem_of(*quantity) {
                let title = format!("`{}` cannot be measured in this study", quantity.key());
                self.complain(title, &["quantities"], Some(at), problem);
            }
        }
        self.check_drift();
        self.check_measure();
        self.check_fits();
        self.check_layers();
        self.check_size();
    }

    /// Counts the cells without making any.
    fn check_size(&self) {
        let lengths = self.spec.sweep.iter().map(|sweep| sweep.values.len());
        let cells = lengths.fold(self.spec.seeds.len(), usize::saturating_mul);
        if cells > MOST_CELLS {
            let remedy =
                format!("a study has at most {MOST_CELLS} cells; sweep less, or split it into several");
            self.complain(format!("this sweep has {cells} cells"), &["sweep"], None, remedy);
        }
    }

    /// Why a quantity makes no sense here, if so.
    fn problem_of(&self, quantity: Quantity) -> Option<String> {
        let Spec { prior, base, measure, .. } = self.spec;
        let gaussian = matches!(prior, Law::Gaussian(_));
        if quantity.needs_gaussian() && !gaussian {
            return Some(format!(
                "it uses closed forms of a gaussian prior; this one is {}",
                prior.kind_name()
            ));
        }
        if quantity == Quantity::HittingTimeExact && !isotropic(prior) {
            return Some("it needs an isotropic gaussian prior: give `std` in place of `cov`".into());
        }
        if quantity.needs_variance() && prior.covariance().trace() <= 0.0 {
            return Some(
                "the variance of a single atom is never reached; take a prior of positive variance".into(),
            );
        }
        if quantity.needs_all_tokens() && base.radius.is_some() {
            return Some("it needs a particle for every token; take the radius out".into());
        }
        if quantity.needs_radius() && base.radius.is_none() {
            return Some("it compares with the flow without a ball; give a radius".into());
        }
        if quantity.needs_line() && prior.dimension() > 1 {
            return Some("it is known on the line only; take a prior of dimension one".into());
        }
        if let Some(most) = quantity.most_dimensions().filter(|most| prior.dimension() > *most) {
            return Some(format!("it is certified in up to {most} dimensions only"));
        }
        if quantity == Quantity::PosteriorSup && matches!(prior, Law::Student(_) | Law::Product(_)) {
            return Some(format!(
                "it is not certified for a law of kind {}; measure gap_two_stage, a mean square",
                prior.kind_name()
            ));
        }
        if quantity == Quantity::PosteriorSup && measure.sup_radius.is_none() {
            return Some("say in which ball: sup_radius = 3 in [measure]".into());
        }
        None
    }

    fn check_drift(&self) {
        let Some(most) = self.spec.method.drift.most_dimensions() else { return };
        let dimension = self.spec.prior.dimension();
        if dimension > most {
            let remedy =
                format!("it works in up to {most} dimensions, and the prior has {dimension}; take auto");
            self.complain("this drift does not reach that far", &["drift", "method"], None, remedy);
        }
    }

    fn check_measure(&self) {
        let uses = |quantity| self.spec.quantities.contains(&quantity);
        if self.spec.measure.sup_radius.is_some() && !uses(Quantity::PosteriorSup) {
            self.complain(
                "`sup_radius` has no effect here",
                &["measure", "sup_radius"],
                None,
                "it belongs to the quantity posterior_sup, which is not measured",
            );
        }
        let depths = top_value(self.tree, "measure").and_then(|measure| top_value(measure, "depths"));
        if depths.is_some() && !uses(Quantity::VariancePath) && self.spec.measure.cloud_points.is_none() {
            self.complain(
                "`depths` has no effect here",
                &["measure", "depths"],
                None,
                "it belongs to the quantity variance_path and to cloud_points, and neither is there",
            );
        }
    }

    fn check_fits(&self) {
        for (at, fit) in self.spec.fits.iter().enumerate() {
            if !self.spec.quantities.contains(&fit.quantity) {
                let title = format!("`{}` is not measured", fit.quantity.key());
                self.complain(title, &["fit"], Some(at), "add it to `quantities`");
            } else if fit.quantity.is_path() {
                let title = format!("`{}` is a curve over depth and has no rate", fit.quantity.key());
                self.complain(title, &["fit"], Some(at), "fit a quantity that is a number");
            }
            let sweep = self.spec.sweep.iter().find(|sweep| sweep.axis == fit.against);
            let sizes = sweep.map_or(0, |sweep| sweep.values.iter().filter(|x| fit.covers(**x)).count());
            let parameters = if fit.model == Model::Power { 2 } else { 3 };
            if sizes < parameters {
                let title = format!("a fit against `{}` has too few sizes", fit.against);
                let remedy = format!(
                    "it needs {parameters} values or more in [sweep] between its limits, and has {sizes}"
                );
                self.complain(title, &["fit"], Some(at), remedy);
            }
        }
    }

    /// Every layer must have `η < 1`.
    fn check_layers(&self) {
        let Spec { base, sweep, .. } = self.spec;
        let over =
            |axis: Axis| sweep.iter().filter(move |s| s.axis == axis).flat_map(|s| s.values.iter().copied());
        let Some(fewest) = base.layers.map(|l| over(Axis::Layers).fold(l as f64, f64::min)) else { return };
        let beta = over(Axis::Beta).fold(base.beta, f64::max);
        let noise = over(Axis::NoiseVar).fold(base.noise_var, f64::max);
        let horizon = Setting { beta, noise_var: noise, ..*base }.raw_horizon();
        if horizon / fewest >= 1.0 {
            let enough = (horizon.floor() as usize).saturating_add(1);
            let error = Error::StepTooLong { layers: fewest as usize, step: horizon / fewest, enough };
            let home = if sweep.iter().any(|s| s.axis == Axis::Layers) { "sweep" } else { "flow" };
            self.complain("a layer would be too long", &[home, "layers"], None, error.to_string());
        }
    }

    /// A complaint about the value at a path of keys, or about an item of the list there.
    fn complain(
        &self,
        title: impl Into<String>,
        path: &[&str],
        item: Option<usize>,
        help: impl Into<String>,
    ) {
        let found = path.iter().try_fold(self.tree, |tree, key| top_value(tree, key));
        let mut tree = found.unwrap_or(self.tree);
        if let (Node::List(list), Some(at)) = (&tree.node, item) {
            tree = list.get(at).unwrap_or(tree);
        }
        self.complaints.push(Diagnostic::new(title, tree.place.clone()).help(help));
    }
}

fn isotropic(law: &Law) -> bool {
    let covariance = law.covariance();
    let first = covariance[(0, 0)];
    covariance == nalgebra::DMatrix::from_diagonal_element(law.dimension(), law.dimension(), first)
}
