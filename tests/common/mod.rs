//! Snapshots of numbers, compared with a tolerance per field.

use insta::Settings;
use insta::Snapshot;
use insta::comparator::Comparator;
use insta::internals::SnapshotContents;
use serde_json::Value;

/// How far a field may move before a snapshot counts as changed.
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

/// Compares JSON snapshots: integers and strings exactly, floats within the tolerance of the innermost named field.
#[derive(Debug, Clone)]
struct Numeric {
    default: Tolerance,
    fields: Vec<(&'static str, Tolerance)>,
}

impl Numeric {
    fn agrees(&self, a: &Value, b: &Value, tolerance: Tolerance) -> bool {
        match (a, b) {
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, a)| {
                        let own = self.fields.iter().find(|(name, _)| name == key).map(|(_, t)| *t);
                        b.get(key).is_some_and(|b| self.agrees(a, b, own.unwrap_or(tolerance)))
                    })
            }
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.agrees(a, b, tolerance))
            }
            (Value::Number(x), Value::Number(y)) if x.is_f64() || y.is_f64() => {
                let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
                (x - y).abs() <= tolerance.absolute + tolerance.relative * x.abs()
            }
            _ => a == b,
        }
    }
}

impl Comparator for Numeric {
    fn matches(&self, reference: &Snapshot, test: &Snapshot) -> bool {
        match (parsed(reference), parsed(test)) {
            (Some(a), Some(b)) => self.agrees(&a, &b, self.default),
            _ => false,
        }
    }

    fn dyn_clone(&self) -> Box<dyn Comparator> {
        Box::new(self.clone())
    }
}

fn parsed(snapshot: &Snapshot) -> Option<Value> {
    match snapshot.contents() {
        SnapshotContents::Text(text) => serde_json::from_str(&text.to_string()).ok(),
        SnapshotContents::Binary(_) => None,
    }
}

/// Runs `check` with snapshots that compare numerically; `fields` overrides the default tolerance by name.
pub fn with_tolerance(default: Tolerance, fields: &[(&'static str, Tolerance)], check: impl FnOnce()) {
    let mut settings = Settings::clone_current();
    settings.set_comparator(Box::new(Numeric { default, fields: fields.to_vec() }));
    settings.bind(check);
}
