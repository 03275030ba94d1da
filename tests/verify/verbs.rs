//! The verbs as scripts use them, on the two cheapest claims.

use crate::bench::{Bench, stderr, stdout};

/// Cheap claims with different verdicts.
const CHEAP: &str = "tweedie dirac-hitting-time";

#[test]
fn the_register_is_listed_in_the_order_of_the_argument() {
    let bench = Bench::new();
    let listed = bench.good("verify --list");
    let at = |id: &str| listed.find(&format!("{id}  [")).unwrap_or_else(|| panic!("{id} is listed"));
    assert!(at("drift-is-log-gradient") < at("tweedie") && at("tweedie") < at("hitting-time"));
    let json: serde_json::Value = serde_json::from_str(&bench.good("verify --list --json")).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(
        json["claims"].as_array().unwrap().len(),
        listed.lines().filter(|line| !line.starts_with(' ')).count()
    );
}

#[test]
fn verdicts_come_as_json_with_the_fields_of_the_contract() {
    let json: serde_json::Value =
        serde_json::from_str(&Bench::new().good(&format!("verify {CHEAP} --json"))).unwrap();
    assert_eq!((&json["schema"], &json["preset"]), (&1.into(), &"quick".into()));
    let claims = json["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 2);
    assert_eq!((&claims[0]["id"], &claims[0]["verdict"]), (&"tweedie".into(), &"fails_as_printed".into()));
    assert_eq!(
        (&claims[0]["severity"], &claims[1]["severity"]),
        (&"misprint".into(), &serde_json::Value::Null)
    );
    assert_eq!(claims[1]["number"], "Corollary F.2");
    for claim in claims {
        for number in ["measured", "predicted", "margin", "seconds"] {
            assert!(claim[number].is_f64(), "{number}: {claim}");
            assert!(number == "seconds" || claim["headline"][number].is_f64(), "{number}: {claim}");
        }
        for text in ["number", "label", "statement", "gist", "regime"] {
            assert!(claim[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {claim}");
        }
    }
}

#[test]
fn a_claim_that_does_not_exist_is_refused_with_the_nearest_name() {
    let output = Bench::new().run("verify tweedy");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean tweedie"), "{}", stderr(&output));
    let nonsense = stderr(&Bench::new().run("verify nonsense"));
    assert!(nonsense.contains("verify --list") && !nonsense.contains("did you mean"), "{nonsense}");
}

#[test]
fn a_folder_of_evidence_can_be_reported_again_and_checked() {
    let bench = Bench::new();
    let printed = bench.good(&format!("verify {CHEAP} --out out --junit tests/junit.xml"));
    assert!(printed.contains("every verdict as expected"), "{printed}");
    let (page, document) = (bench.read("out/report.html"), bench.read("out/CLAIMS.md"));
    assert!(page.contains("fails as printed") && document.contains("## tweedie"));
    for outside in ["src=", "url(", "@import", "http"] {
        assert!(!page.contains(outside), "the page needs nothing but itself: {outside}");
    }
    let junit = bench.read("tests/junit.xml");
    assert!(
        junit.contains("tests=\"2\" skipped=\"0\" failures=\"0\"") && junit.contains("name=\"tweedie\""),
        "{junit}"
    );
    bench.good("report out");
    assert_eq!((bench.read("out/report.html"), bench.read("out/CLAIMS.md")), (page, document));
    assert!(bench.good("check out").contains("nothing moved"));
}

/// Statement, verdict and headline, in three lines that fit a terminal.
#[test]
fn verdicts_fit_a_terminal() {
    let printed = Bench::new().good("verify tweedie");
    let lines: Vec<&str> = printed.lines().collect();
    assert!(
        lines[0].starts_with("tweedie  Sections A.3 to A.6")
            && lines[0].ends_with("✗ fails as printed (misprint)")
    );
    assert!(
        lines[1].contains("E[X|") && lines[2].contains("printed formula") && lines[3].is_empty(),
        "{printed}"
    );
    let columns = |line: &&str| line.chars().filter(|letter| *letter != '\u{303}').count();
    assert!(lines.iter().map(columns).all(|columns| columns <= 80), "{printed}");
}

/// Accepted evidence in which one measured number, a positive one, is off by a third.
fn moved_baseline(bench: &Bench) -> String {
    bench.good("verify dirac-hitting-time --out accepted");
    let text = bench.read("accepted/claims.jsonl");
    let line = text.lines().nth(2).unwrap();
    let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
    let measured = row["measured"]["value"].as_f64().unwrap();
    row["measured"]["value"] = (4.0 / 3.0 * measured).into();
    bench.write("accepted/claims.jsonl", &text.replace(line, &row.to_string()));
    row["quantity"].as_str().unwrap().to_owned()
}

#[test]
fn a_number_that_moved_fails_the_check_and_is_named() {
    let bench = Bench::new();
    let quantity = moved_baseline(&bench);
    let output = bench.run("check accepted");
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains(&quantity) && text.contains("error bars, from"), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&bench.run("check accepted --json").stdout).unwrap();
    assert_eq!((&json["schema"], &json["unchanged"]), (&1.into(), &false.into()));
    let changes = json["changes"].as_array().unwrap();
    let moved = changes.iter().find(|change| change["change"] == "moved").unwrap();
    assert_eq!((&moved["claim"], &moved["side"]), (&"dirac-hitting-time".into(), &"measured".into()));
    assert!(moved["error_bars"].as_f64().unwrap() > 1.0);
}

#[test]
fn github_is_told_where_it_runs_the_check() {
    let bench = Bench::new();
    moved_baseline(&bench);
    let summary = bench.path("summary.md");
    let output = bench
        .command("check accepted")
        .envs([("GITHUB_ACTIONS", "true".as_ref()), ("GITHUB_STEP_SUMMARY", summary.as_os_str())])
        .output()
        .unwrap();
    assert!(stderr(&output).contains("::error title=dirac-hitting-time::"), "{}", stderr(&output));
    assert!(bench.read("summary.md").contains("error bars"));
    assert!(!stderr(&bench.run("check accepted")).contains("::error"), "only where the variable is set");
}

/// Of everything that may change, what decides comes first.
#[test]
fn verdicts_come_before_numbers_rows_and_bars() {
    let bench = Bench::new();
    bench.good("verify dirac-hitting-time --out accepted");
    let text = bench.read("accepted/claims.jsonl");
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines[1..4] {
        let bar = line["measured"]["numerical"].as_f64().unwrap();
        line["measured"]["numerical"] = (1000.0 * bar.max(1e-15)).into();
    }
    lines[4]["quantity"] = "of which nobody has heard".into();
    let moved = lines[5]["measured"]["value"].as_f64().unwrap();
    lines[5]["measured"]["value"] = (2.0 * moved + 1.0).into();
    let judged: Vec<String> = lines.iter().map(|line| line.to_string() + "\n").collect();
    bench.write("accepted/claims.jsonl", &judged.concat());
    let output = bench.command("check accepted").env("GITHUB_ACTIONS", "true").output().unwrap();
    let said = stderr(&output);
    let at = |words: &str| said.find(words).unwrap_or_else(|| panic!("no '{words}' in {said}"));
    assert!(at("the verdict was") < at("number moved"), "{said}");
    assert!(at("number moved") < at("the row is") && at("the row is") < at("the error bar of"), "{said}");
    assert_eq!(said.matches("::error").count(), 4, "one of each kind: {said}");
    assert!(said.contains("2 rows") && said.contains("3 error bars"), "{said}");
}

#[test]
fn evidence_is_the_same_to_the_bit_for_any_number_of_threads() {
    let bench = Bench::new();
    let gathered = |jobs: usize| {
        bench.good(&format!("verify {CHEAP} covariance-flow layers-to-flow --jobs {jobs} --out on-{jobs}"));
        bench.read(&format!("on-{jobs}/claims.jsonl"))
    };
    let alone = gathered(1);
    assert!(alone == gathered(2) && alone == gathered(7));
}

#[test]
fn evidence_is_not_replaced_by_less() {
    let bench = Bench::new();
    bench.good(&format!("verify {CHEAP} --out out"));
    let kept = bench.read("out/claims.jsonl");
    let output = bench.run("verify tweedie --out out");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("choose another folder"), "{}", stderr(&output));
    bench.write("out/claims.jsonl", &kept.replace("\"quick\"", "\"full\""));
    assert_eq!(bench.run(&format!("verify {CHEAP} --out out")).status.code(), Some(2), "full by quick");
    bench.write("out/claims.jsonl", &kept);
    bench.good(&format!("verify {CHEAP} --out out"));
    assert_eq!(bench.read("out/claims.jsonl"), kept, "the same by the same");
}

#[test]
fn a_place_that_cannot_be_written_to_is_refused_before_any_work() {
    let bench = Bench::new();
    bench.write("file", "");
    for place in ["--out file", "--junit file/junit.xml", "--junit ."] {
        let output = bench.run(&format!("verify {CHEAP} {place}"));
        assert_eq!(output.status.code(), Some(2), "{place}");
        assert!(!stderr(&output).contains("[1/2]"), "{place}: {}", stderr(&output));
    }
    assert_eq!(bench.run("bless file").status.code(), Some(2));
}

#[test]
fn what_cannot_be_checked_is_an_input_error() {
    let bench = Bench::new();
    let missing = bench.run("check nowhere");
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("ebflow bless"), "{}", stderr(&missing));
    assert!(stderr(&missing).contains("there is no such folder"), "{}", stderr(&missing));
    assert!(stderr(&bench.run("check .")).contains("it has no such file"));
    std::fs::create_dir(bench.path("torn")).unwrap();
    bench.write("torn/claims.jsonl", "{\"schema\":1,\"pre");
    let torn = bench.run("check torn");
    assert_eq!(torn.status.code(), Some(2));
    assert!(stderr(&torn).contains("line 1"), "{}", stderr(&torn));
    bench.write("torn/claims.jsonl", "{\"schema\":99,\"preset\":\"quick\",\"claims\":[]}\n");
    let foreign = stderr(&bench.run("check torn"));
    assert!(foreign.contains("format 99") && foreign.contains("gather the evidence anew"), "{foreign}");
    bench.write("torn/claims.jsonl", "{\"schema\":1,\"preset\":\"quick\",\"claims\":[]}\n");
    assert_eq!(bench.run("check torn").status.code(), Some(2), "evidence of nothing");
}
