//! [`StatementSpec`]: what a study says of its own numbers, as its file has it; the [module above](super) shows how it is written.

use super::{Axis, Complaints, Node, Quantity, Reader, Spec, Tree};
use crate::claim::{Relation, VerdictKind};
use crate::files::document::{Diagnostic, Place, unknown};
use crate::study::formula::{Condition, Formula, FormulaError};

/// What formulas call the parameters of a setting, and what is known of the prior.
pub const PARAMETERS: [(&str, &str); 8] = [
    ("n", "number of tokens N"),
    ("beta", "inverse temperature β"),
    ("tau", "variance τ of the noise"),
    ("radius", "radius R of the ball, where there is one"),
    ("layers", "number of layers L, where there are any"),
    ("d", "dimension of the prior"),
    ("prior_var", "variance of the prior per coordinate"),
    ("prior_square", "E|X|² of the prior"),
];

const VERDICTS: [(&str, VerdictKind); 4] = [
    ("holds", VerdictKind::Holds),
    ("holds_within", VerdictKind::HoldsWithin),
    ("fails", VerdictKind::FailsAsPrinted),
    ("inconclusive", VerdictKind::Inconclusive),
];

/// The relations by name; `within` and `decreasing` have no other side of the usual kind.
const RELATIONS: [(&str, Option<Relation>); 5] = [
    ("equal", Some(Relation::Equal)),
    ("at_most", Some(Relation::AtMost)),
    ("at_least", Some(Relation::AtLeast)),
    (WITHIN, None),
    (DECREASING, None),
];
const WITHIN: &str = "within";
const DECREASING: &str = "decreasing";

/// A statement about the numbers of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementSpec {
    /// Its name, which no other statement of the study has.
    pub id: String,
    /// The statement in words.
    pub says: String,
    /// The verdict that its author expects.
    pub expect: VerdictKind,
    pub(in crate::study) subject: Subject,
    pub(in crate::study) prediction: Prediction,
    pub(in crate::study) inside: Option<Condition>,
    pub(in crate::study) beyond: Option<Condition>,
}

/// What a statement is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::study) enum Subject {
    /// The mean of a quantity over seeds.
    Mean(Quantity),
    /// The exponent of its power law in a parameter.
    Slope(Quantity, Axis),
    /// Its change from one value of a parameter to the next.
    Change(Quantity, Axis),
}

/// What it should be.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::study) enum Prediction {
    /// Related to one number.
    To(Relation, Formula),
    /// Between two numbers.
    Within([Formula; 2]),
}

impl Prediction {
    /// Relations that must hold together.
    pub fn parts(&self) -> Vec<(Relation, &Formula)> {
        match self {
            Self::To(relation, formula) => vec![(*relation, formula)],
            Self::Within([low, high]) => vec![(Relation::AtLeast, low), (Relation::AtMost, high)],
        }
    }
}

/// The statements of a study whose other sections have been read.
pub(super) fn statements(tree: &Tree, spec: &Spec, complaints: &Complaints) -> Option<Vec<StatementSpec>> {
    let Node::List(list) = &tree.node else {
        let text = "write every statement as a table [[statement]]";
        complaints.push(Diagnostic::new("not a list of tables", tree.place.clone()).help(text));
        return None;
    };
    let mut found: Vec<StatementSpec> = Vec::new();
    for tree in list {
        let statement = One { reader: Reader::of(tree, "[[statement]]", complaints)?, spec, complaints };
        let read = statement.read(&found);
        statement.reader.finish();
        found.extend(read);
    }
    (found.len() == list.len()).then_some(found)
}

/// One of them.
struct One<'a> {
    reader: Reader<'a>,
    spec: &'a Spec,
    complaints: &'a Complaints,
}

impl One<'_> {
    fn read(&self, others: &[StatementSpec]) -> Option<StatementSpec> {
        let reader = &self.reader;
        let id = reader.needed("id", "name it: id = \"hitting-time\"").and_then(|tree| self.id(tree, others));
        let says = reader.needed("says", "say it in words: says = \"…\"").and_then(|tree| reader.text(tree));
        let (subject, prediction) = (self.subject(), self.prediction());
        let expect = reader
            .value("expect")
            .map_or(Some(VerdictKind::Holds), |tree| reader.one_of(tree, "verdict", &VERDICTS));
        let (inside, beyond) = (self.condition("where"), self.condition("beyond"));
        Some(StatementSpec {
            id: id?,
            says: says?.to_owned(),
            subject: subject?,
            prediction: prediction?,
            expect: expect?,
            inside: inside?,
            beyond: beyond?,
        })
    }

    fn id(&self, tree: &Tree, others: &[StatementSpec]) -> Option<String> {
        let Node::Text(id) = &tree.node else {
            return self.reader.refuse(tree, "not a name".into(), "give a name in quotes".into());
        };
        let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        if id.is_empty() || !id.chars().all(plain) {
            return self.reader.refuse(tree, "not a name".into(), "use letters, digits, - and _".into());
        }
        if others.iter().any(|other| other.id == *id) {
            return self.reader.refuse(tree, "taken".into(), "every statement needs its own id".into());
        }
        Some(id.clone())
    }

    fn subject(&self) -> Option<Subject> {
        let reader = &self.reader;
        let (mean, slope) = (reader.value("quantity"), reader.value("slope_of"));
        let against = reader.value("against").map(|tree| self.axis(tree));
        let decreasing = self.relation_is(DECREASING);
        match (mean, slope, against) {
            (Some(_), Some(slope), _) => {
                let remedy = "keep quantity for a number, or slope_of for a rate";
                reader.refuse(slope, "given beside `quantity`".into(), remedy.into())
            }
            (Some(mean), None, Some(axis)) if decreasing => {
                Some(Subject::Change(self.quantity(mean)?, axis?))
            }
            (None, Some(slope), Some(axis)) => Some(Subject::Slope(self.quantity(slope)?, axis?)),
            (Some(mean), None, None) if !decreasing => self.quantity(mean).map(Subject::Mean),
            (Some(_), None, Some(_)) => {
                let tree = reader.value("against")?;
                let remedy = "it belongs to slope_of and to the relation decreasing; take it out";
                reader.refuse(tree, "`against` has no effect here".into(), remedy.into())
            }
            (_, _, None) if mean.is_some() || slope.is_some() => {
                reader.needed("against", "say against which parameter: against = \"n\"");
                None
            }
            _ => {
                reader.needed("quantity", "say what it is about: quantity = \"w1_prior\"");
                None
            }
        }
    }

    fn relation_is(&self, name: &str) -> bool {
        self.reader
            .value("relation")
            .is_some_and(|tree| matches!(&tree.node, Node::Text(text) if text == name))
    }

    /// A quantity that the study measures, and that is a number.
    fn quantity(&self, tree: &Tree) -> Option<Quantity> {
        let Node::Text(name) = &tree.node else {
            return self.reader.refuse(tree, "not a name".into(), "name a quantity in quotes".into());
        };
        let Some(quantity) = Quantity::ALL.iter().find(|quantity| quantity.key() == name) else {
            let known: Vec<&str> = self.numbers().map(Quantity::key).collect();
            self.complaints.push(unknown("quantity", tree, name, &known));
            return None;
        };
        if self.numbers().any(|measured| measured == *quantity) {
            return Some(*quantity);
        }
        let (label, remedy) = if quantity.is_path() {
            ("a curve over depth, not a number", "take a quantity that is a number".to_owned())
        } else {
            ("not measured", format!("add \"{name}\" to `quantities`"))
        };
        self.reader.refuse(tree, label.into(), remedy)
    }

    /// What the study measures that is a number.
    fn numbers(&self) -> impl Iterator<Item = Quantity> {
        self.spec.quantities.iter().copied().filter(|quantity| !quantity.is_path())
    }

    /// A parameter with two values or more.
    fn axis(&self, tree: &Tree) -> Option<Axis> {
        let axes: Vec<(&str, Axis)> = Axis::ALL.iter().map(|axis| (axis.key(), *axis)).collect();
        let Node::Text(name) = &tree.node else {
            return self.reader.refuse(tree, "not a name".into(), "name a parameter: against = \"n\"".into());
        };
        let known: Vec<&str> = axes.iter().map(|(name, _)| *name).collect();
        let Some((_, axis)) = axes.iter().find(|(known, _)| known == name) else {
            self.complaints.push(unknown("parameter", tree, name, &known));
            return None;
        };
        let sizes = self.spec.sweep.iter().find(|sweep| sweep.axis == *axis).map_or(0, |s| s.values.len());
        if sizes < 2 {
            let remedy = format!("give two values of {name} or more in [sweep]");
            return self.reader.refuse(tree, "not swept".into(), remedy);
        }
        Some(*axis)
    }

    fn prediction(&self) -> Option<Prediction> {
        let reader = &self.reader;
        let relation = reader.needed("relation", "say how they relate: relation = \"equal\"")?;
        let Node::Text(name) = &relation.node else {
            return reader.refuse(relation, "not a name".into(), "name a relation: \"equal\"".into());
        };
        let to = reader.value("to");
        let known = RELATIONS.map(|(name, _)| name);
        let Some((_, related)) = RELATIONS.iter().find(|(known, _)| known == name) else {
            self.complaints.push(unknown("relation", relation, name, &known));
            // What is wrong with the other side is said at once.
            if let Some(to) = to.filter(|to| !matches!(to.node, Node::List(_))) {
                self.formula(to);
            }
            return None;
        };
        match (related, to) {
            (None, Some(to)) if name == DECREASING => {
                reader.refuse(to, "`to` has no effect here".into(), "take it out".into())
            }
            (None, None) if name == DECREASING => {
                Some(Prediction::To(Relation::AtMost, Formula::constant(0.0)))
            }
            (_, None) => {
                reader.needed("to", "say to what: to = 0.5, or a formula such as to = \"tau/2\"");
                None
            }
            (Some(relation), Some(to)) => Some(Prediction::To(*relation, self.formula(to)?)),
            (None, Some(to)) => self.ends(to),
        }
    }

    fn ends(&self, tree: &Tree) -> Option<Prediction> {
        let Node::List(list) = &tree.node else {
            return self.reader.refuse(tree, "not a range".into(), "give two ends: to = [-0.6, -0.4]".into());
        };
        match &list[..] {
            [low, high] => Some(Prediction::Within([self.formula(low)?, self.formula(high)?])),
            _ => self.reader.refuse(tree, "not a range".into(), "give two ends: to = [-0.6, -0.4]".into()),
        }
    }

    fn formula(&self, tree: &Tree) -> Option<Formula> {
        let Node::Text(text) = &tree.node else {
            return self.reader.number(tree).map(Formula::constant);
        };
        let quantities = self.numbers().map(Quantity::key);
        let names: Vec<&str> = self.parameters().chain(quantities).collect();
        Formula::parse(text, &names).map_err(|error| self.complain(tree, text, error)).ok()
    }

    /// A condition on settings: in parameters, not in what is measured.
    fn condition(&self, key: &'static str) -> Option<Option<Condition>> {
        let Some(tree) = self.reader.value(key) else { return Some(None) };
        let Node::Text(text) = &tree.node else {
            let remedy = format!("write a comparison in quotes: {key} = \"beta*tau >= 1\"");
            return self.reader.refuse(tree, "not a condition".into(), remedy);
        };
        let names: Vec<&str> = self.parameters().collect();
        let condition =
            Condition::parse(text, &names).map_err(|error| self.complain(tree, text, error)).ok()?;
        let met = |setting| condition.is_met(&|name| self.spec.parameter(setting, name));
        if !self.spec.settings().iter().any(met) {
            let remedy = "change it, or sweep further";
            return self.reader.refuse(tree, "no setting of the sweep meets this".into(), remedy.into());
        }
        Some(Some(condition))
    }

    /// The names of parameters that every setting of this study has.
    fn parameters(&self) -> impl Iterator<Item = &'static str> {
        let base = self.spec.base;
        PARAMETERS.into_iter().map(|(name, _)| name).filter(move |name| match *name {
            "radius" => base.radius.is_some(),
            "layers" => base.layers.is_some(),
            _ => true,
        })
    }

    /// Points into the formula where it is written as it reads, else at the whole of it.
    fn complain(&self, tree: &Tree, text: &str, error: FormulaError) {
        let Place { source, span } = tree.place.clone();
        // Quotes take one byte on either side; an escape would take more.
        let inside = if span.len() == text.len() + 2 {
            let from = span.start + 1;
            from + error.span.start..from + error.span.end
        } else {
            span
        };
        let place = Place { source, span: inside };
        let title = "this formula cannot be read";
        self.complaints.push(Diagnostic::new(title, place).label(error.problem).help(error.remedy));
    }
}
