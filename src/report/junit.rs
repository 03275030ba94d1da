//! Verdicts as test cases, which continuous integration shows everywhere.
//!
//! # Format
//! JUnit's XML: `testsuites` holds a `testsuite` of `testcase`s, each with a `failure` where it failed and with `system-out`.

use std::fmt::Write;
use std::time::Duration;

use super::svg::escape;

/// A test case.
pub(super) struct Case {
    pub name: String,
    pub class: String,
    pub elapsed: Option<Duration>,
    /// Of which kind the failure is, and what it says.
    pub failure: Option<(&'static str, String)>,
    /// What there is to read, line by line.
    pub output: Vec<String>,
}

/// Test cases of one suite, gathered by one command.
pub(super) fn document(command: &str, suite: &str, cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let counts = format!(r#"tests="{}" skipped="0" failures="{failures}" errors="0""#, cases.len());
    let cases: String = cases.iter().map(element).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="{command}" {counts}>
  <testsuite name="{suite}" {counts}>
{cases}  </testsuite>
</testsuites>
"#
    )
}

fn element(case: &Case) -> String {
    let mut text =
        format!(r#"    <testcase name="{}" classname="{}""#, escape(&case.name), escape(&case.class));
    if let Some(elapsed) = case.elapsed {
        let _ = write!(text, r#" time="{:.3}""#, elapsed.as_secs_f64());
    }
    text.push_str(">\n");
    if let Some((kind, message)) = &case.failure {
        let _ = writeln!(text, r#"      <failure type="{kind}" message="{}"/>"#, escape(message));
    }
    if !case.output.is_empty() {
        let _ = writeln!(text, "      <system-out>{}</system-out>", escape(&case.output.join("\n")));
    }
    text + "    </testcase>\n"
}
