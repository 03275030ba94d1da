//! Formulas beside values from Python, and what is wrong with those that are none.

use super::*;

const NAMES: [&str; 4] = ["n", "beta", "tau", "prior_var"];

fn known(name: &str) -> Option<Measured> {
    match name {
        "n" => Some(plain(100.0)),
        "beta" => Some(plain(20.0)),
        "tau" => Some(plain(0.5)),
        "prior_var" => Some(Measured { value: 1.0, numerical: 1e-3, sampling: 1e-2 }),
        _ => None,
    }
}

fn value(text: &str) -> Measured {
    Formula::parse(text, &NAMES).unwrap().value(&known)
}

fn error(text: &str) -> FormulaError {
    Formula::parse(text, &NAMES).unwrap_err()
}

/// Python, with n = 100, beta = 20, tau = 0.5, prior_var = 1.
#[test]
fn values_are_those_of_python() {
    for (text, expected) in [
        ("1 - 2 - 3", -4.0),
        ("8 / 4 / 2", 1.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2 * -3", -6.0),
        ("(1 + 2)*3", 9.0),
        (".5 + 1e-1 + 2E2", 200.6),
        ("tau/2 + ln(1 + tau/prior_var)/(2*beta)", 0.260_136_627_702_704_1),
        ("exp(-beta*tau/2) + log10(n) + sqrt(abs(-n))", 12.006_737_946_999_086),
        ("n^(-1/2)*pi", 0.314_159_265_358_979_3),
        ("log(n)", 4.605_170_185_988_092),
    ] {
        assert!((value(text).value - expected).abs() <= 1e-15 * expected.abs(), "{text}: {:?}", value(text));
    }
}

/// Slopes by hand: d(x²) = 2x dx, d√x = dx/(2√x), d(2^x) = 2^x ln 2 dx.
#[test]
fn bars_are_carried_along() {
    for (text, slope) in [
        ("prior_var^2", 2.0),
        ("sqrt(prior_var)", 0.5),
        ("2^prior_var", 2.0 * std::f64::consts::LN_2),
        ("exp(prior_var)", std::f64::consts::E),
        ("3 - prior_var", 1.0),
        ("-prior_var", 1.0),
    ] {
        let found = value(text);
        assert!((found.numerical - slope * 1e-3).abs() < 1e-12, "{text}: {found:?}");
        assert!((found.sampling - slope * 1e-2).abs() < 1e-12, "{text}: {found:?}");
    }
    assert!(value("(0 - 2)^2").value == 4.0 && value("(0 - 2)^2").is_finite());
    assert!(value("ln(0 - 1)").value.is_nan());
}

#[test]
fn conditions_are_met_or_not() {
    let met = |text: &str| Condition::parse(text, &NAMES).unwrap().is_met(&known);
    assert!(met("beta*tau >= 10") && !met("beta*tau > 10") && met("n < 101 and tau <= 0.5"));
    assert!(met("n < 1 or tau < 1") && !met("n < 1 or tau < 1 and beta < 1"));
    assert!(!met("ln(0 - 1) < 1") && !met("ln(0 - 1) >= 1"));
}

#[test]
fn errors_have_their_place_and_a_remedy() {
    for (text, span, words) in [
        ("tau/2 + lg(2)", 8..10, "did you mean `ln`?"),
        ("2*bta", 2..5, "did you mean `beta`?"),
        ("2 beta", 2..6, "an operator is missing"),
        ("(1 + 2", 6..6, "not closed"),
        ("1 +", 3..3, "missing here"),
        ("", 0..0, "missing here"),
        ("2 $ 3", 2..3, "no meaning"),
        ("β*tau", 0..2, "unknown name `β`"),
        ("sqrt 2", 5..6, "needs its bracket"),
        ("1..2", 2..4, "an operator is missing"),
        (")", 0..1, "missing here"),
    ] {
        let found = error(text);
        assert!(found.span == span && found.problem.contains(words), "{text}: {found:?}");
        assert!(!found.remedy.is_empty());
    }
    let missing = Condition::parse("beta", &NAMES).unwrap_err();
    assert!(missing.problem.contains("comparison") && missing.span == (4..4), "{missing:?}");
    let deep = "(".repeat(1000);
    assert!(error(&deep).problem.contains("too deeply"));
}
