//! [`Verdict`]: what the evidence says of a statement.
//!
//! | stated rows | corrected rows | rows beyond the regime | verdict |
//! |---|---|---|---|
//! | agree | | agree, or none | holds |
//! | agree | | some disagree | holds within its regime |
//! | some disagree | agree | | fails as printed, with the correction |
//! | some disagree | none | | fails as printed, without one |
//! | some disagree | some disagree | | inconclusive |
//! | none, or some blurred | | | inconclusive |
//! | any of these not a finite number | | | inconclusive |

use serde::{Deserialize, Serialize};

use super::card::{Card, Severity};
use super::row::{Role, Row};

/// A failed claim is a verdict, not an error.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The statement holds wherever it was tested.
    Holds,
    /// It holds in a regime that the paper does not state.
    HoldsWithin {
        /// Which.
        regime: String,
    },
    /// It does not hold as printed.
    FailsAsPrinted {
        /// What holds instead.
        correction: String,
        /// Whether what is derived from it stands; of a failure that no card foresaw, nobody has shown that it does.
        severity: Severity,
    },
    /// The evidence does not decide.
    Inconclusive {
        /// Why.
        reason: String,
    },
}

/// The verdicts without what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// The statement holds.
    Holds,
    /// The statement holds in a regime.
    HoldsWithin,
    /// The statement does not hold as printed.
    FailsAsPrinted,
    /// The evidence does not decide.
    Inconclusive,
}

impl VerdictKind {
    /// The name in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HoldsWithin => "holds_within",
            Self::FailsAsPrinted => "fails_as_printed",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// The name for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HoldsWithin => "holds within",
            Self::FailsAsPrinted => "fails as printed",
            Self::Inconclusive => "inconclusive",
        }
    }
}

impl Verdict {
    /// Judges a claim by its evidence.
    pub fn of(card: &Card, rows: &[Row]) -> Self {
        let Card { regime, correction, .. } = *card;
        Self::judge(rows, regime, correction, card.severity.unwrap_or(Severity::False))
    }

    /// Judges any statement by its evidence, given the words for where it holds, what holds instead, and how bad a failure is.
    pub(crate) fn judge(rows: &[Row], regime: &str, correction: &str, severity: Severity) -> Self {
        let of_role = |role| rows.iter().filter(move |row| row.role == role);
        let inconclusive = |reason: String| Self::Inconclusive { reason };
        if of_role(Role::Stated).next().is_none() {
            return inconclusive("there is no evidence".into());
        }
        // What is not a number contradicts nothing.
        if let Some(row) = rows.iter().find(|row| row.role != Role::Context && !row.is_finite()) {
            return inconclusive(format!("{} is not a finite number", row.name()));
        }
        if of_role(Role::Stated).all(Row::agrees) {
            return match of_role(Role::Stated).find(|row| row.is_blurred()) {
                Some(row) => inconclusive(format!("the error bar of {} is too wide", row.name())),
                None if of_role(Role::Beyond).all(Row::agrees) => Self::Holds,
                None => Self::HoldsWithin { regime: regime.into() },
            };
        }
        let corrected: Vec<&Row> = of_role(Role::Corrected).collect();
        match corrected.iter().find(|row| !row.agrees() || row.is_blurred()) {
            Some(row) => inconclusive(format!("not even the correction agrees with {}", row.name())),
            None if corrected.is_empty() => {
                let correction = "none is known; see the rows that disagree".into();
                Self::FailsAsPrinted { correction, severity }
            }
            None => Self::FailsAsPrinted { correction: correction.into(), severity },
        }
    }

    /// Which of the four it is.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Self::Holds => VerdictKind::Holds,
            Self::HoldsWithin { .. } => VerdictKind::HoldsWithin,
            Self::FailsAsPrinted { .. } => VerdictKind::FailsAsPrinted,
            Self::Inconclusive { .. } => VerdictKind::Inconclusive,
        }
    }

    /// How bad it is that the statement fails, if it does.
    pub fn severity(&self) -> Option<Severity> {
        match self {
            Self::FailsAsPrinted { severity, .. } => Some(*severity),
            _ => None,
        }
    }

    /// The verdict for people: `fails as printed (misprint)`.
    pub fn words(&self) -> String {
        let words = self.kind().words();
        self.severity().map_or_else(|| words.into(), |severity| format!("{words} ({})", severity.key()))
    }

    /// The regime, the correction or the reason, where there is one.
    pub fn remark(&self) -> Option<&str> {
        match self {
            Self::Holds => None,
            Self::HoldsWithin { regime: remark }
            | Self::FailsAsPrinted { correction: remark, .. }
            | Self::Inconclusive { reason: remark } => Some(remark),
        }
    }
}

/// The row that decides a verdict: the one with the least margin among those as stated.
pub fn decisive(rows: &[Row]) -> Option<&Row> {
    let stated = rows.iter().filter(|row| row.role == Role::Stated);
    stated.min_by(|a, b| a.margin().total_cmp(&b.margin()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Headline;
    use crate::measured::Measured;

    const CARD: Card = Card {
        id: "sum",
        label: "lem:sum",
        statement: "One and one is two.",
        gist: "1 + 1 = 2",
        ours: "",
        regime: "small numbers",
        correction: "one and one is three",
        severity: Some(Severity::Misprint),
        expected: VerdictKind::Holds,
        headline: Headline { row: "", says: "the sum" },
        plot: None,
    };

    fn row(role: Role, agrees: bool) -> Row {
        let measured = Measured::exact(if agrees { 2.0 } else { 3.0 });
        Row::equal("", "", measured, Measured::exact(2.0)).as_role(role)
    }

    #[test]
    fn a_failure_that_no_card_foresaw_is_not_called_a_misprint() {
        let of = |severity| Verdict::of(&Card { severity, ..CARD }, &[row(Role::Stated, false)]);
        assert_eq!(of(CARD.severity).words(), "fails as printed (misprint)");
        assert_eq!(of(None).severity(), Some(Severity::False));
    }

    fn verdict(rows: &[Row]) -> VerdictKind {
        Verdict::of(&CARD, rows).kind()
    }

    #[test]
    fn follows_its_table() {
        use Role::{Beyond, Context, Corrected, Stated};
        assert_eq!(verdict(&[]), VerdictKind::Inconclusive);
        assert_eq!(verdict(&[row(Context, true)]), VerdictKind::Inconclusive);
        assert_eq!(verdict(&[row(Stated, true), row(Context, false)]), VerdictKind::Holds);
        assert_eq!(verdict(&[row(Stated, true), row(Beyond, true)]), VerdictKind::Holds);
        assert_eq!(verdict(&[row(Stated, true), row(Beyond, false)]), VerdictKind::HoldsWithin);
        assert_eq!(verdict(&[row(Stated, false)]), VerdictKind::FailsAsPrinted);
        assert_eq!(verdict(&[row(Stated, false), row(Corrected, true)]), VerdictKind::FailsAsPrinted);
        assert_eq!(verdict(&[row(Stated, false), row(Corrected, false)]), VerdictKind::Inconclusive);
        let lost = |role| Row::equal("", "", Measured::exact(f64::NAN), Measured::exact(2.0)).as_role(role);
        assert_eq!(verdict(&[lost(Stated), row(Corrected, true)]), VerdictKind::Inconclusive);
        assert_eq!(verdict(&[row(Stated, true), lost(Beyond)]), VerdictKind::Inconclusive);
        assert_eq!(verdict(&[row(Stated, true), lost(Context)]), VerdictKind::Holds);
        let blurred = Row::equal("", "", Measured::known_to(2.0, 1.0), Measured::exact(2.0));
        assert_eq!(verdict(&[row(Stated, true), blurred]), VerdictKind::Inconclusive);
    }
}
