//! Rows: the same bytes whatever the threads, a store that heals and can be shared, failures that stay where they are.

use std::io::Write;

use ebflow::Preset;
use ebflow::study::{Spec, Store, measure};

use crate::bench::{Bench, SMALL, stderr};

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--jobs", "1", "--out", "one"]);
    bench.good(&["study", "study.toml", "--jobs", "2", "--out", "two"]);
    bench.good(&["study", "study.toml", "--jobs", "7", "--out", "seven"]);
    assert_eq!(bench.rows("one").len(), 40);
    assert_eq!(bench.rows("one"), bench.rows("two"));
    assert_eq!(bench.rows("one"), bench.rows("seven"));
    // One dear cell among cheap ones gets all threads to itself, and the same row.
    let lopsided =
        SMALL.replace("n = [20, 40, 80, 160]", "n = [5, 10, 3000]").replace("seeds = 5", "seeds = 1");
    let bench = Bench::with(&lopsided);
    bench.good(&["study", "study.toml", "--jobs", "1", "--out", "one"]);
    bench.good(&["study", "study.toml", "--jobs", "2", "--out", "two"]);
    assert_eq!(bench.rows("one"), bench.rows("two"));
}

#[test]
fn a_rerun_computes_what_is_missing_and_nothing_else() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--set", "sweep.seeds=3", "--out", "grown"]);
    let before = bench.lines("grown");
    bench.good(&["study", "study.toml", "--out", "grown"]);
    let after = bench.lines("grown");
    assert_eq!((before.len(), after.len()), (24, 40));
    assert_eq!(after[..24], before[..], "finished rows stay as they are");
    let third = bench.run(&["study", "study.toml", "--out", "grown"]);
    assert!(!stderr(&third).contains("finished"), "nothing is computed anew");
    assert_eq!(bench.lines("grown"), after);
    bench.good(&["study", "study.toml", "--out", "whole"]);
    assert_eq!(bench.rows("grown"), bench.rows("whole"));
}

#[test]
fn every_parameter_is_part_of_the_key() {
    let spec = |study: &str| Spec::parse("study.toml", study).unwrap();
    let key = |study: &str| {
        let spec = spec(study);
        spec.cells()[0].key(&spec)
    };
    let changes = [
        ("std = 1", "std = 1.5"),
        ("variance = 0.25", "variance = 0.26"),
        ("rtol = 1e-6", "rtol = 1e-7"),
        ("atol = 1e-6", "atol = 1e-7"),
        ("n = [20,", "n = [21,"),
        ("beta = [2,", "beta = [2.5,"),
        ("seeds = 5", "seeds = [1, 2]"),
        ("\"w1_exact_prior\"]", "\"mse_bayes\"]"),
        ("[sweep]", "radius = 2\n[sweep]"),
        ("[sweep]", "[drift]\nmethod = \"dense\"\n[sweep]"),
        ("[sweep]", "[drift]\neps = 1e-9\n[sweep]"),
        ("[[fit]]", "[measure]\ncloud_points = 3\n[[fit]]"),
    ];
    for (from, to) in changes {
        // The coupled distance and its fit do not go with a radius.
        let base = if to.contains("radius") {
            SMALL.split("[[fit]]").next().unwrap().replace("\"coupled\", ", "")
        } else {
            SMALL.to_owned()
        };
        let changed = base.replacen(from, to, 1);
        assert_ne!(base, changed);
        assert_ne!(key(&base), key(&changed), "{to}");
    }
    let renamed = SMALL.replace("A small study", "The same study");
    assert_eq!(key(SMALL), key(&renamed), "what does not determine a row is no part of its key");
}

/// What a file holds determines a row, not what it is called.
#[test]
fn the_points_of_a_file_are_part_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let key = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let law = format!("prior = {{ kind = 'atoms', file = '{}' }}", path.display());
        let sets = [law, "quantities = ['w1_prior']".into(), "fit = []".into()];
        let spec =
            Spec::read("study.toml", SMALL, Preset::Full, &sets).unwrap_or_else(|error| panic!("{error}"));
        spec.cells()[0].key(&spec)
    };
    let first = key("a.csv", "0\n1\n");
    assert_eq!(first, key("b.csv", "0\n1\n"));
    assert_ne!(first, key("a.csv", "0\n2\n"));
}

#[test]
fn common_random_numbers_nest() {
    let spec = Spec::parse("study.toml", SMALL).unwrap();
    let noise = ebflow::NoiseVariance::new(0.25).unwrap();
    let (few, many) =
        (spec.prior.sample_noisy(20, noise, 3).unwrap(), spec.prior.sample_noisy(40, noise, 3).unwrap());
    assert_eq!(few.noisy.points(), &many.noisy.points()[..20]);
}

/// The measured numbers are those of the library, asked directly.
#[test]
fn a_cell_measures_what_its_quantities_say() {
    use ebflow::metric::{coupled_to_gaussian, line};
    use ebflow::study::Quantity;
    use ebflow::{Adaptive, Beta, Flow, NoiseVariance, drift::Auto, exact::CovarianceFlow};
    let spec = Spec::parse("study.toml", SMALL).unwrap();
    let cell = *spec.cells().iter().find(|cell| cell.setting.n == 80 && cell.seed == 2).unwrap();
    let values = measure(&spec, &cell).unwrap();
    let (noise, beta) = (NoiseVariance::new(0.25).unwrap(), Beta::new(2.0).unwrap());
    let tokens = spec.prior.sample_noisy(80, noise, 2).unwrap().noisy;
    let flow = Flow::new(beta, noise.denoising_horizon());
    let end = flow
        .with_drift(Auto::default())
        .with_integrator(Adaptive::new(1e-6, 1e-6).unwrap())
        .run(&tokens)
        .unwrap();
    let exact = CovarianceFlow::of_prior(spec.prior.mean(), spec.prior.covariance(), noise, beta).unwrap();
    let coupled = coupled_to_gaussian(&tokens, &end.end, &exact, end.raw_time).unwrap().mean;
    let number = |quantity| values.quantities[&quantity].number().unwrap();
    assert_eq!(number(Quantity::Coupled), coupled);
    assert_eq!(number(Quantity::W1Prior), line::w1_to_law(&end.end, &spec.prior.on_line().unwrap()).unwrap());
    // On the line W1 between N(0, a²) and N(0, b²) is |a − b| √(2/π).
    let bias =
        (exact.eigenvalues_at(end.raw_time)[0].sqrt() - 1.0).abs() * (2.0 / std::f64::consts::PI).sqrt();
    assert!((number(Quantity::W1ExactPrior) - bias).abs() < 1e-14);
}

/// The particles' hitting time approaches the closed form, to their sampling error.
#[test]
fn the_hitting_time_is_near_the_closed_form() {
    use ebflow::study::Quantity::{HittingTime, HittingTimeExact};
    let study = SMALL.split("[[fit]]").next().unwrap();
    let study = study
        .replace("\"coupled\", \"w1_prior\", \"w1_exact_prior\"", "\"hitting_time\", \"hitting_time_exact\"");
    for method in ["rtol = 1e-6\natol = 1e-6", "layers = 100"] {
        let study =
            study.replace("rtol = 1e-6\natol = 1e-6", method).replace("n = [20, 40, 80, 160]", "n = 4000");
        let spec = Spec::parse("study.toml", &study).unwrap();
        for cell in spec.cells().iter().filter(|cell| cell.seed < 2) {
            let values = measure(&spec, cell).unwrap();
            let number = |quantity| values.quantities[&quantity].number().unwrap();
            // dT = dv (1 + 1/βv)/2, and the variance of 4000 tokens has relative standard deviation √(2/4000) = 0.022.
            let slack = 4.0 * 0.022 * 1.25 * (1.0 + 1.0 / cell.setting.beta) / 2.0;
            assert!((number(HittingTime) - number(HittingTimeExact)).abs() < slack, "{values:?}");
        }
    }
}

/// The proved bound is above the distance to a flow at 1e-11, and quadrature finds the closed form of a Gaussian prior.
#[test]
fn bounds_bound_and_the_mean_field_meets_its_closed_form() {
    use ebflow::study::Measurement;
    use ebflow::study::Quantity::{
        ErrorBound, IntegrationError, W1ExactPrior, W1MeanField, W1MeanFieldPrior, W1Prior,
    };
    let study = SMALL.split("[[fit]]").next().unwrap().replace(
        "\"coupled\", \"w1_prior\", \"w1_exact_prior\"",
        "\"error_bound\", \"integration_error\", \"w1_exact_prior\", \"w1_mean_field_prior\", \"w1_mean_field\", \"w1_prior\"",
    );
    let spec = Spec::parse("study.toml", &study).unwrap();
    for cell in spec.cells().iter().filter(|cell| cell.seed == 0 && cell.setting.n == 40) {
        let values = measure(&spec, cell).unwrap();
        let number = |quantity| values.quantities[&quantity].number().unwrap();
        assert!(number(ErrorBound) >= number(IntegrationError), "{values:?}");
        assert!(number(ErrorBound) < 1e-2, "{values:?}");
        let Measurement::Number(found) = values.quantities[&W1MeanFieldPrior] else { panic!() };
        assert!((found.value - number(W1ExactPrior)).abs() <= found.numerical, "{values:?}");
        assert!(found.numerical < 5e-7, "{values:?}");
        // The mean field of a Gaussian is a Gaussian, to which W1 is known exactly.
        let noise = ebflow::NoiseVariance::new(cell.setting.noise_var).unwrap();
        let beta = ebflow::Beta::new(cell.setting.beta).unwrap();
        let (mean, covariance) = (spec.prior.mean(), spec.prior.covariance());
        let flow = ebflow::exact::CovarianceFlow::of_prior(mean, covariance, noise, beta).unwrap();
        let std = flow.eigenvalues_at(noise.denoising_horizon())[0].sqrt();
        let law = format!("{{ kind = 'gaussian', mean = 0, std = {std:?} }}");
        let law = ebflow::Law::parse(&law).unwrap().on_line().unwrap();
        let tokens = spec.prior.sample_noisy(cell.setting.n, noise, cell.seed).unwrap().noisy;
        let run = ebflow::Flow::new(beta, noise.denoising_horizon());
        let end = run
            .with_drift(ebflow::drift::Auto::default())
            .with_integrator(ebflow::Adaptive::new(1e-6, 1e-6).unwrap())
            .run(&tokens);
        let exact = ebflow::metric::line::w1_to_law(&end.unwrap().end, &law).unwrap();
        assert!((number(W1MeanField) - exact).abs() < 1e-6, "{values:?}, not {exact}");
        let (apart, bias) = (number(W1Prior), number(W1ExactPrior));
        assert!((number(W1MeanField) - apart).abs() <= bias + 1e-9, "the triangle closes");
    }
}

#[test]
fn a_torn_last_line_is_repaired_and_its_cell_computed_anew() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--out", "whole"]);
    bench.good(&["study", "study.toml", "--out", "torn"]);
    let path = bench.path("torn").join("rows.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    for cut in [1, 2, 40] {
        std::fs::write(&path, &text[..text.len() - cut]).unwrap();
        bench.good(&["study", "study.toml", "--out", "torn"]);
        assert_eq!(bench.rows("torn"), bench.rows("whole"));
    }
    // A spoilt line in the middle is no torn end: nobody may guess what it was.
    let spoilt = text.replacen("\"schema\":2", "\"schema\":", 1);
    std::fs::write(&path, &spoilt).unwrap();
    let output = bench.run(&["study", "study.toml", "--out", "torn"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("line 1 is not a row") && stderr(&output).contains("remove that line"));
}

#[test]
fn two_processes_share_a_store() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--out", "alone"]);
    let start = || bench.command(&["study", "study.toml", "--jobs", "1", "--out", "shared"]).output();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(start)).collect();
        for run in runs {
            let output = run.join().unwrap().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
        }
    });
    assert_eq!(bench.rows("shared"), bench.rows("alone"));
}

#[test]
fn a_store_sees_what_others_write() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--out", "first"]);
    let path = bench.path("rows.jsonl");
    let (mut here, mut there) = (Store::open(&path).unwrap(), Store::open(&path).unwrap());
    let rows: Vec<_> = Store::open(&bench.path("first").join("rows.jsonl")).unwrap().into_rows().collect();
    here.append(rows[0].clone()).unwrap();
    assert!(there.get(&rows[0].key).is_none());
    there.refresh().unwrap();
    assert_eq!(there.get(&rows[0].key), Some(&rows[0]));
    // Someone dies in the middle of a line; the next writer removes it.
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"schema\":1,\"k").unwrap();
    there.append(rows[0].clone()).unwrap();
    there.append(rows[1].clone()).unwrap();
    here.refresh().unwrap();
    assert_eq!((here.len(), there.len()), (2, 2));
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
}

/// A ball that no token is in fails for some settings; the others go on.
#[test]
fn failing_cells_are_recorded_and_the_rest_goes_on() {
    let study = SMALL.split("[[fit]]").next().unwrap().replace("\"coupled\", ", "");
    let study = study.replace("beta = [2, 4]", "beta = 2\nradius = [1e-9, 2]");
    let bench = Bench::with(&study);
    let output = bench.run(&["study", "study.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(3));
    let failed = |lines: &[String]| lines.iter().filter(|line| line.contains("\"error\":")).count();
    assert_eq!((bench.lines("out").len(), failed(&bench.lines("out"))), (40, 20));
    assert!(bench.lines("out").iter().any(|line| line.contains("increase R or resample")));
    let summary = std::fs::read_to_string(bench.path("out").join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((summary["finished"].as_u64(), summary["failed"].as_u64()), (Some(40), Some(20)));
    let output = bench.run(&["study", "study.toml", "--fail-fast", "--jobs", "1", "--out", "fast"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(failed(&bench.lines("fast")), 1);
    assert!(bench.lines("fast").len() < 40);
}

/// Every number of a row has a bar, and the bar covers what a run of a thousand times the accuracy finds instead.
#[test]
fn bars_cover_what_a_finer_run_finds() {
    let study = SMALL.split("[[fit]]").next().unwrap().replace(
        "\"coupled\", \"w1_prior\", \"w1_exact_prior\"",
        "\"coupled\", \"w1_prior\", \"w1_mean_field\", \"posterior_sup\", \"mse_two_stage\", \"gap_stage_one\", \"hitting_time\"",
    );
    let study = format!("{study}\n[measure]\nsup_radius = 2\n");
    let loose = Spec::parse("study.toml", &study.replace("1e-6", "1e-4")).unwrap();
    let tight = Spec::parse("study.toml", &study.replace("1e-6", "1e-9")).unwrap();
    assert_ne!(loose.cells()[0].key(&loose).to_string(), tight.cells()[0].key(&tight).to_string());
    for cell in loose.cells().iter().filter(|cell| cell.seed == 0) {
        let (a, b) = (measure(&loose, cell).unwrap(), measure(&tight, cell).unwrap());
        for (quantity, rough) in &a.quantities {
            let fine = &b.quantities[quantity];
            let (Some(rough), Some(fine)) = (rough.measured(), fine.measured()) else {
                assert_eq!(rough.number(), fine.number(), "{quantity:?} is missing from one of them");
                continue;
            };
            let apart = (rough.value - fine.value).abs();
            assert!(
                rough.numerical > 0.0 && apart <= rough.numerical + fine.numerical,
                "{quantity:?}: {rough:?} {fine:?}"
            );
        }
    }
}
