//! The report page: self-contained, well formed, and right in a browser.

use crate::bench::{Bench, SMALL};
use crate::browser;

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
    let mean = printed["settings"][0]["quantities"]["coupled"]["mean"]["value"].as_f64().unwrap();
    let table = std::fs::read_to_string(bench.path("out").join("rows.csv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = header.iter().position(|name| *name == "coupled").unwrap();
    let values: Vec<f64> =
        lines.take(5).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    assert!((values.iter().sum::<f64>() / 5.0 - mean).abs() < 1e-15);
    assert!(printed["runs"][0]["command"].as_str().unwrap().starts_with("ebflow study"));
}

/// Moves the slider to its end.
const TO_THE_END: &str = r#"<script>
const slider = document.getElementById('depth');
slider.value = slider.max;
slider.dispatchEvent(new Event('input'));
</script>"#;

#[test]
fn the_page_works_in_a_browser_and_every_plot_is_legible_at_800_pixels() {
    let Some(dom) = browser::dom(&page(&Bench::with(&rich())), TO_THE_END) else { return };
    assert!(dom.contains("data-ready=\"yes\""), "the page's own script ran to its end");
    // Circles of the plots have a class; those of the cloud, one for each of the first setting's 20 tokens, have none.
    let circles = dom.matches("<circle").count() - dom.matches("<circle class=").count();
    assert_eq!(circles, 20);
    assert!(dom.contains("score time 0.125"), "the slider went to the horizon τ/2");
    browser::assert_legible(&dom, 100);
}
