//! [`Statement`]: what a study says of its own numbers, judged as the claims are.
//!
//! A statement comes to rows: for every setting the mean over seeds, for every family of settings a slope or the changes from one size to the
//! next, each beside what is predicted. Bars of both sides count; no tolerance is chosen.
//!
//! # Formula
//! ```text
//! mean      numerical bars averaged; standard error over seeds of measured − predicted, none for what all seeds share
//! slope     Σ_k |x_k − x̄| (ν_k/|y_k|) / Σ_k (x_k − x̄)²,  x = ln size;  standard error over seeds
//! change    ν_k + ν_{k+1};  standard error of the differences within seeds
//! ```

use std::cell::RefCell;

use super::axis::{Axis, Setting};
use super::fit::{Fit, PairedStep};
use super::formula::{Condition, Formula};
use super::quantity::Quantity;
use super::row::{CellRow, Measurement};
use super::spec::{FitSpec, Model, Spec, StatementSpec, Subject};
use super::summary::{Completeness, Filled, Statistic, Table};
use crate::claim::{Relation, Role, Row, Severity, Verdict, VerdictKind, decisive};
use crate::measured::Measured;
use crate::metric::{Confidence, Interval};

/// A statement and what the rows say of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Statement {
    /// What is stated.
    pub spec: StatementSpec,
    /// The comparisons that it comes to.
    pub rows: Vec<Row>,
    /// The judgement.
    pub verdict: Verdict,
}

/// Rows, or why there can be none.
type Rows = Result<Vec<Row>, String>;

impl Statement {
    /// All statements of a study.
    pub(super) fn all(spec: &Spec, table: &Table, confidence: Confidence) -> Vec<Self> {
        let judged = |statement: &StatementSpec| {
            let evidence = Evidence { spec, table, confidence, statement };
            let (rows, verdict) = match evidence.rows() {
                Ok(rows) => {
                    let verdict = Verdict::judge(&rows, statement.regime(), "", Severity::False);
                    (rows, verdict)
                }
                Err(reason) => (Vec::new(), Verdict::Inconclusive { reason }),
            };
            Self { spec: statement.clone(), rows, verdict }
        };
        spec.statements.iter().map(judged).collect()
    }

    /// True when the verdict is the one that its author expects.
    pub fn is_expected(&self) -> bool {
        self.verdict.kind() == self.spec.expect
    }

    /// Where it holds, or why nothing can be said; of a statement that simply holds or fails, nothing.
    pub fn remark(&self) -> Option<&str> {
        let fails = self.verdict.kind() == VerdictKind::FailsAsPrinted;
        self.verdict.remark().filter(|_| !fails)
    }

    /// The row that decides: the one with the least margin.
    pub fn decisive(&self) -> Option<&Row> {
        decisive(&self.rows)
    }
}

/// What one statement is judged by.
struct Evidence<'a> {
    spec: &'a Spec,
    table: &'a Table,
    confidence: Confidence,
    statement: &'a StatementSpec,
}

impl Evidence<'_> {
    fn rows(&self) -> Rows {
        let lacks = |filled: &&Filled| filled.row.as_ref().is_none_or(|row| row.values().is_none());
        match self.table.cells.iter().filter(lacks).count() {
            0 => {}
            missing => return Err(format!("{missing} of {} cells have no row", self.table.cells.len())),
        }
        match self.statement.subject {
            Subject::Mean(quantity) => self.means(quantity),
            Subject::Slope(quantity, against) => self.of_families(quantity, against, Self::slope),
            Subject::Change(quantity, against) => self.of_families(quantity, against, Self::changes),
        }
    }

    /// What a setting is evidence of: nothing where the statement leaves it out.
    fn role(&self, setting: &Setting) -> Option<Role> {
        let met = |condition: &Condition| condition.is_met(&|name| self.spec.parameter(setting, name));
        if self.statement.beyond.as_ref().is_some_and(met) {
            return Some(Role::Beyond);
        }
        self.statement.inside.as_ref().is_none_or(met).then_some(Role::Stated)
    }

    fn means(&self, quantity: Quantity) -> Rows {
        let mut rows = Vec::new();
        for setting in self.spec.settings() {
            let Some(role) = self.role(&setting) else { continue };
            for (relation, formula) in self.statement.prediction.parts() {
                let (measured, predicted) = self.beside(&setting, quantity, formula)?;
                let row = related(relation, &setting.to_string(), quantity.key(), measured, predicted);
                rows.push(row.as_role(role));
            }
        }
        Ok(rows)
    }

    /// Means over seeds of a quantity and of a formula. What seeds do to the difference stands with the former: noise that both share drops out.
    fn beside(
        &self,
        setting: &Setting,
        quantity: Quantity,
        formula: &Formula,
    ) -> Result<(Measured, Measured), String> {
        let (mut found, mut expected, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        for row in self.table.at(*setting).filter_map(|filled| filled.row.as_ref()) {
            let measured = number(row, quantity).map_err(|lacking| format!("{lacking} for {setting}"))?;
            let predicted = self.value(setting, formula, &|quantity| number(row, quantity))?;
            apart.push(measured.value - predicted.value);
            found.push(measured);
            expected.push(predicted);
        }
        let seeds = apart.len();
        let error = match Interval::of_mean(&apart, self.confidence) {
            Ok(interval) => interval.standard_error,
            // One seed, or what is not a number.
            Err(_) => 0.0,
        };
        let varies = |quantity: Quantity| !quantity.is_the_same_for_all_seeds();
        let by_name = |name: &str| self.named(name).is_some_and(varies);
        let found = averaged(&found);
        let predicted = averaged(&expected);
        if varies(quantity) || formula.has(&by_name) {
            return Ok((sampled(found, error, seeds)?, predicted));
        }
        Ok((found, predicted))
    }

    /// Rows of every family of settings that differ in one parameter, role by role.
    fn of_families(&self, quantity: Quantity, against: Axis, rows_of: fn(&Self, &Fit, Role) -> Rows) -> Rows {
        let plan = FitSpec { quantity, against, model: Model::Power, expect: None, from: None, to: None };
        let mut rows = Vec::new();
        for at in self.spec.settings() {
            if at.get(against) != self.spec.base.get(against) {
                continue;
            }
            for role in [Role::Stated, Role::Beyond] {
                let admitted = |setting: &Setting| self.role(setting) == Some(role);
                let members = self.spec.family(at, against).iter().filter(|(_, s)| admitted(s)).count();
                if members >= 2 {
                    let Self { spec, table, confidence, .. } = *self;
                    let fit = Fit::one(spec, &plan, at, table, Completeness::Required, confidence, &admitted);
                    rows.extend(rows_of(self, &fit, role)?.into_iter().map(|row| row.as_role(role)));
                }
            }
        }
        Ok(rows)
    }

    fn slope(&self, fit: &Fit, role: Role) -> Rows {
        let Some(fitted) = fit.fitted() else { return Err(fit.refusal().unwrap_or_default().to_owned()) };
        let members = self.members(fit, role)?;
        let middle = members.iter().map(|(size, _)| size.ln()).sum::<f64>() / members.len() as f64;
        let offset = |size: f64| size.ln() - middle;
        let spread: f64 = members.iter().map(|(size, _)| offset(*size).powi(2)).sum();
        let bars = members.iter().map(|(size, mean)| offset(*size).abs() * mean.relative());
        let independent = if fitted.by_seed { self.spec.seeds.len() } else { members.len() - 1 };
        let slope = Measured::known_to(fitted.slope.estimate, bars.sum::<f64>() / spread);
        let slope = sampled(slope, fitted.slope.standard_error, independent)?;
        let name = format!("slope of {} against {}", fit.quantity.key(), fit.against.key());
        let row = |(relation, formula)| {
            let predicted = self.value(fit.at(), formula, &|quantity| self.mean(fit.at(), quantity))?;
            // A slope is a number of order one, whatever is predicted.
            Ok(related(relation, &fit.family(), &name, slope, predicted).on_scale(1.0))
        };
        self.statement.prediction.parts().into_iter().map(row).collect()
    }

    fn changes(&self, fit: &Fit, role: Role) -> Rows {
        let Some(fitted) = fit.fitted() else { return Err(fit.refusal().unwrap_or_default().to_owned()) };
        let members = self.members(fit, role)?;
        let row = |(step, pair): (&PairedStep, &[(f64, Measured)])| {
            let numerical = pair[0].1.numerical + pair[1].1.numerical;
            let change = Measured { value: step.difference.estimate, numerical, sampling: 0.0 };
            let change = sampled(change, step.difference.standard_error, self.spec.seeds.len())?;
            let size = pair[0].1.value.abs().max(pair[1].1.value.abs());
            let case =
                format!("{}, {} from {} to {}", fit.family(), fit.against.symbol(), step.from, step.to);
            let zero = Measured { value: 0.0, numerical: 0.0, sampling: 0.0 };
            let name = format!("change of {}", fit.quantity.key());
            Ok(Row::at_most(&case, &name, change, zero).on_scale(size))
        };
        fitted.steps.iter().zip(members.windows(2)).map(row).collect()
    }

    /// The sizes of a family in one role, with the means there.
    fn members(&self, fit: &Fit, role: Role) -> Result<Vec<(f64, Measured)>, String> {
        let family = self.spec.family(*fit.at(), fit.against).into_iter();
        let members = family.filter(|(_, setting)| self.role(setting) == Some(role));
        members.map(|(size, setting)| Ok((size, self.mean(&setting, fit.quantity)?))).collect()
    }

    /// The mean over seeds; for a single one, known without sampling only if all seeds would agree.
    fn mean(&self, setting: &Setting, quantity: Quantity) -> Result<Measured, String> {
        let rows = self.table.at(*setting).filter_map(|filled| filled.row.as_ref());
        let numbers = rows.map(|row| number(row, quantity)).collect::<Result<Vec<_>, _>>();
        let numbers = numbers.map_err(|lacking| format!("{lacking} for {setting}"))?;
        let mean = averaged(&numbers);
        if quantity.is_the_same_for_all_seeds() {
            return Ok(mean);
        }
        let statistic = Statistic::of(&numbers, self.confidence).map_or(0.0, |found| found.mean.sampling);
        sampled(mean, statistic, numbers.len())
    }

    /// A formula's value, given that of a quantity.
    fn value(
        &self,
        setting: &Setting,
        formula: &Formula,
        of: &dyn Fn(Quantity) -> Result<Measured, String>,
    ) -> Result<Measured, String> {
        let missing = RefCell::new(None);
        let measured = |quantity| of(quantity).map_err(|reason| missing.replace(Some(reason))).ok();
        let value = formula.value(&|name| {
            self.spec.parameter(setting, name).or_else(|| self.named(name).and_then(measured))
        });
        missing.into_inner().map_or(Ok(value), |reason| Err(format!("{reason} for {setting}")))
    }

    /// What the study measures under that name.
    fn named(&self, name: &str) -> Option<Quantity> {
        self.spec.quantities.iter().copied().find(|quantity| quantity.key() == name)
    }
}

/// A seed's number, or the lack of it.
fn number(row: &CellRow, quantity: Quantity) -> Result<Measured, String> {
    let measured = row.measurement(quantity).and_then(Measurement::measured);
    measured.ok_or_else(|| format!("{} is missing", quantity.key()))
}

/// The mean of numbers and of their numerical bars; what is the same for all stays as it is.
fn averaged(numbers: &[Measured]) -> Measured {
    let first = numbers.first().copied().unwrap_or(Measured::UNKNOWN);
    let mean = |of: fn(&Measured) -> f64| {
        of(&first) + numbers.iter().map(|x| of(x) - of(&first)).sum::<f64>() / numbers.len() as f64
    };
    Measured { value: mean(|x| x.value), numerical: mean(|x| x.numerical), sampling: 0.0 }
}

/// Seeds that may differ from one another are needed twice at least.
fn sampled(mean: Measured, error: f64, seeds: usize) -> Result<Measured, String> {
    match seeds {
        0 | 1 => Err("one seed says nothing of others; give `seeds` of two or more".into()),
        seeds => Ok(mean.sampled_over(error, seeds)),
    }
}

fn related(relation: Relation, case: &str, name: &str, measured: Measured, predicted: Measured) -> Row {
    let row = match relation {
        Relation::Equal => Row::equal(case, name, measured, predicted),
        Relation::AtMost => Row::at_most(case, name, measured, predicted),
        Relation::AtLeast => Row::at_least(case, name, measured, predicted),
    };
    row.on_scale(measured.value.abs().max(predicted.value.abs()))
}

impl StatementSpec {
    /// Where it is meant to hold, in its author's words.
    fn regime(&self) -> &str {
        match (&self.inside, &self.beyond) {
            (Some(inside), _) => inside.text(),
            (None, Some(_)) => "where its `beyond` is not met",
            (None, None) => "everywhere",
        }
    }
}

impl Spec {
    /// What formulas call a parameter, in a setting: exact.
    pub(super) fn parameter(&self, setting: &Setting, name: &str) -> Option<Measured> {
        let d = self.prior.dimension() as f64;
        let value = match name {
            "n" => setting.get(Axis::N),
            "beta" => setting.get(Axis::Beta),
            "tau" => setting.get(Axis::NoiseVar),
            "radius" => setting.get(Axis::Radius),
            "layers" => setting.get(Axis::Layers),
            "d" => Some(d),
            "prior_var" => Some(self.prior.covariance().trace() / d),
            "prior_square" => Some(self.prior.covariance().trace() + self.prior.mean().norm_squared()),
            _ => None,
        };
        value.map(|value| Measured { value, numerical: 0.0, sampling: 0.0 })
    }
}
