//! The report page: self-contained, well formed, and right in a browser.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, SMALL};

/// Everything that a page can hold: curves with fits, heatmaps, bands over depth, clouds.
fn rich() -> String {
    SMALL
        .replace("\"coupled\"", "\"coupled\", \"variance_path\"")
        .replace("beta = [2, 4]", "beta = [2, 3, 4]")
        .replace("quantity = \"coupled\", \"variance_path\"", "quantity = \"coupled\"")
        .replace("[[fit]]", "[measure]\ndepths = 6\ncloud_points = 30\n[[fit]]")
        .replace("A small study", "A <small> & \\\"quoted\\\" study")
}

fn page(bench: &Bench) -> String {
    bench.good(&["study", "study.toml", "--out", "out"]);
    std::fs::read_to_string(bench.path("out").join("report.html")).unwrap()
}

#[test]
fn the_page_needs_nothing_but_itself_and_is_a_function_of_the_rows() {
    let bench = Bench::with(&rich());
    let page = page(&bench);
    for outside in ["src=", "href=", "url(", "@import", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("http://www.w3.org/2000/svg").count(), "only the name of SVG");
    assert!(page.contains("A &lt;small&gt; &amp;"), "what people write is escaped");
    assert!(page.contains("prefers-color-scheme: dark"));
    for shown in
        ["Verdicts", "within the band", "Particles over depth", "Provenance", "numerics 1", "expected slope"]
    {
        assert!(page.contains(shown), "{shown}");
    }
    // Curves for two numbers and a bias, heatmaps for the same, one plot over depth, the cloud.
    assert_eq!(page.matches("class=\"plot\"").count(), 8);
    for label in
        ["tokens N (count)", "inverse temperature β (length⁻²)", "score time s (length²)", "(length)"]
    {
        assert!(page.contains(label), "{label}");
    }
    bench.good(&["report", "out"]);
    let again = std::fs::read_to_string(bench.path("out").join("report.html")).unwrap();
    assert_eq!(again, page);
}

#[test]
fn the_summary_is_what_other_programs_read() {
    let bench = Bench::with(&rich());
    let printed: serde_json::Value =
        serde_json::from_str(&bench.good(&["study", "study.toml", "--out", "out", "--json"])).unwrap();
    assert_eq!(printed["schema"], 1);
    assert_eq!((printed["cells"].as_u64(), printed["finished"].as_u64()), (Some(60), Some(60)));
    assert_eq!(printed["fits"].as_array().unwrap().len(), 3);
    assert!(printed["fits"][0]["fitted"]["slope"]["estimate"].as_f64().unwrap() < 0.0);
    let mean = printed["settings"][0]["quantities"]["coupled"]["mean"].as_f64().unwrap();
    let table = std::fs::read_to_string(bench.path("out").join("rows.csv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = header.iter().position(|name| *name == "coupled").unwrap();
    let values: Vec<f64> =
        lines.take(5).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    assert!((values.iter().sum::<f64>() / 5.0 - mean).abs() < 1e-15);
    assert!(printed["runs"][0]["command"].as_str().unwrap().starts_with("ebflow study"));
}

/// The browsers that may be there, by the names that systems give them.
fn browser() -> Option<&'static str> {
    let there = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(there)
}

/// The page as a browser has it after its script has run.
fn dom(browser: &str, bench: &Bench) -> String {
    let profile = bench.path("profile");
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--virtual-time-budget=2000",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", bench.path("out").join("report.html").display()))
        .stdout(Stdio::from(std::fs::File::create(bench.path("dom.html")).unwrap()))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("{browser} did not finish");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::read_to_string(bench.path("dom.html")).unwrap()
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no browser (Debian package `chromium`)");
        return;
    };
    let bench = Bench::with(&rich());
    page(&bench);
    let dom = dom(browser, &bench);
    assert!(dom.contains("data-ready=\"yes\""), "the script ran to its end");
    assert_eq!(
        dom.matches("<circle").filter(|_| true).count() - plotted(&dom),
        20,
        "the first cloud has 20 tokens"
    );
    assert!(dom.contains("score time 0.00") && dom.contains("<option"));
}

/// Circles of the plots: those with a class; the cloud's have none.
fn plotted(dom: &str) -> usize {
    dom.matches("<circle class=").count()
}
