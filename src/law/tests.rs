//! What holds for every kind of law, and values computed elsewhere.

use proptest::prelude::*;

use super::*;
use crate::cloud::norm;
use crate::scale::NoiseVariance;

/// Closed forms that nowhere cancel.
const ROUNDOFF: f64 = 1e-13;
/// Standard errors that a sample moment may be off: one test in a million fails by chance, and the seed is fixed.
const STATISTICAL: f64 = 5.0;
const SEED: u64 = 20_240_229;

const LAWS: [&str; 9] = [
    r#"{ kind = "gaussian", mean = [1, -2], cov = [[2, 0.5], [0.5, 1]] }"#,
    r#"{ kind = "gaussian", mean = [1, -2], cov = [[1, 2], [2, 4]] }"#,
    r#"{ kind = "mixture", weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }"#,
    r#"{ kind = "mixture", weights = [0.2, 0.8], means = [[-1, 0, 1], [1, 0, 2]], covs = [[[1, 0, 0], [0, 0, 0], [0, 0, 2]], [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 0.1]]] }"#,
    r#"{ kind = "atoms", points = [[0, 1], [2, 3], [-1, 0.5]], weights = [0.5, 0.25, 0.25] }"#,
    r#"{ kind = "atoms", points = [-1, 1] }"#,
    r#"{ kind = "laplace", mean = 0.5, scale = 2 }"#,
    r#"{ kind = "uniform", low = -1, high = 3 }"#,
    r#"{ kind = "student", df = 12, mean = 1, scale = 0.5 }"#,
];

fn law(text: &str) -> Law {
    Law::parse(text).unwrap()
}

fn noise(variance: f64) -> NoiseVariance {
    NoiseVariance::new(variance).unwrap()
}

struct Posterior {
    law: &'static str,
    y: f64,
    noise: f64,
    mean: f64,
}

/// mpmath, 50 digits: quadrature of prior times likelihood for Laplace and uniform, log-sum-exp for the others.
const POSTERIORS: [Posterior; 43] = [
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 1.0 }"#,
        y: 0.5,
        noise: 1.0,
        mean: 0.2410185509650143,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 1.0 }"#,
        y: 1e-06,
        noise: 1.0,
        mean: 4.7486472383904753e-07,
    },
    Posterior { law: r#"{ kind = "laplace", mean = 0.0, scale = 1.0 }"#, y: 50.0, noise: 1.0, mean: 49.0 },
    Posterior { law: r#"{ kind = "laplace", mean = 0.0, scale = 1.0 }"#, y: -50.0, noise: 1.0, mean: -49.0 },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 1.0 }"#,
        y: 0.01,
        noise: 0.25,
        mean: 0.006794732590993422,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 0.01 }"#,
        y: 1.0,
        noise: 1.0,
        mean: 0.00019992003997920752,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 0.01 }"#,
        y: 50.0,
        noise: 1.0,
        mean: 0.013319730516642135,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 2.0, scale = 0.5 }"#,
        y: 3.0,
        noise: 0.1,
        mean: 2.8016166482075966,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 2.0, scale = 0.5 }"#,
        y: 2.3,
        noise: 0.1,
        mean: 2.1929759821496573,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 10.0 }"#,
        y: 0.3,
        noise: 0.01,
        mean: 0.29900277404529385,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 0.3 }"#,
        y: 7.0,
        noise: 4.0,
        mean: 0.3586709361867337,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 1000.0, scale = 1.0 }"#,
        y: 1001.0,
        noise: 0.5,
        mean: 1000.6414217531108,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 1.0 }"#,
        y: 2.0,
        noise: 2.0,
        mean: 0.8137535635333412,
    },
    Posterior {
        law: r#"{ kind = "laplace", mean = 0.0, scale = 0.1 }"#,
        y: 5.0,
        noise: 0.5,
        mean: 0.5315672162101197,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -1.0, high = 1.0 }"#,
        y: 0.5,
        noise: 1.0,
        mean: 0.14372711582294023,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -1.0, high = 1.0 }"#,
        y: 1e-05,
        noise: 1.0,
        mean: 2.9112509477129722e-06,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -1.0, high = 1.0 }"#,
        y: 50.0,
        noise: 1.0,
        mean: 0.9796088011615439,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -1.0, high = 1.0 }"#,
        y: -50.0,
        noise: 1.0,
        mean: -0.9796088011615439,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = 0.0, high = 1.0 }"#,
        y: -50.0,
        noise: 1.0,
        mean: 0.01998403190563981,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -1.0, high = 0.0 }"#,
        y: 50.0,
        noise: 1.0,
        mean: -0.01998403190563981,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -0.001, high = 0.001 }"#,
        y: 0.7,
        noise: 1.0,
        mean: 2.3333329460000473e-07,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -0.001, high = 0.001 }"#,
        y: 0.001,
        noise: 1.0,
        mean: 3.333332888888688e-10,
    },
    Posterior { law: r#"{ kind = "uniform", low = -10.0, high = 10.0 }"#, y: 0.3, noise: 1.0, mean: 0.3 },
    Posterior {
        law: r#"{ kind = "uniform", low = -10.0, high = 10.0 }"#,
        y: 9.0,
        noise: 1.0,
        mean: 8.712400029060822,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -10.0, high = 10.0 }"#,
        y: 12.0,
        noise: 0.01,
        mean: 9.995024693147215,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = 2.0, high = 3.0 }"#,
        y: 2.4,
        noise: 0.05,
        mean: 2.4162297004238065,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = 2.0, high = 3.0 }"#,
        y: 4.0,
        noise: 0.05,
        mean: 2.9540696559539836,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -1.5, high = 1.5 }"#,
        y: 0.8,
        noise: 1.0,
        mean: 0.4200692544818894,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -1.01, high = 1.01 }"#,
        y: 0.99,
        noise: 1.0,
        mean: 0.2792590612660329,
    },
    Posterior {
        law: r#"{ kind = "uniform", low = -0.99, high = 0.99 }"#,
        y: 1.02,
        noise: 1.0,
        mean: 0.2775563430076373,
    },
    Posterior {
        law: r#"{ kind = "mixture", weights = [0.25, 0.75], means = [-1, 2], covs = [0.5, 0.0] }"#,
        y: 0.3,
        noise: 0.3,
        mean: 0.03638905211435462,
    },
    Posterior {
        law: r#"{ kind = "mixture", weights = [0.25, 0.75], means = [-1, 2], covs = [0.5, 0.0] }"#,
        y: 1.0,
        noise: 0.3,
        mean: 1.8574039962458049,
    },
    Posterior {
        law: r#"{ kind = "mixture", weights = [0.25, 0.75], means = [-1, 2], covs = [0.5, 0.0] }"#,
        y: -2.0,
        noise: 0.3,
        mean: -1.6249999999129716,
    },
    Posterior {
        law: r#"{ kind = "mixture", weights = [0.25, 0.75], means = [-1, 2], covs = [0.5, 0.0] }"#,
        y: 30.0,
        noise: 0.3,
        mean: 18.375,
    },
    Posterior {
        law: r#"{ kind = "mixture", weights = [0.25, 0.75], means = [-1, 2], covs = [0.5, 0.0] }"#,
        y: -1000000.0,
        noise: 0.3,
        mean: -625000.375,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.25, 0.25, 0.5] }"#,
        y: 0.1,
        noise: 0.3,
        mean: 0.2872178910095123,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.25, 0.25, 0.5] }"#,
        y: -0.3,
        noise: 0.3,
        mean: -0.34238125568482314,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.25, 0.25, 0.5] }"#,
        y: 1.25,
        noise: 0.3,
        mean: 1.4995391813154142,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.25, 0.25, 0.5] }"#,
        y: 100000000.0,
        noise: 0.3,
        mean: 2.0,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.25, 0.25, 0.5] }"#,
        y: -100000000.0,
        noise: 0.3,
        mean: -1.0,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.25, 0.25, 0.5] }"#,
        y: 50000000.0,
        noise: 0.3,
        mean: 2.0,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [1000, 1000.0000001], weights = [0.5, 0.5] }"#,
        y: 1000000.0,
        noise: 0.5,
        mean: 1000.0000000549784,
    },
    Posterior {
        law: r#"{ kind = "atoms", points = [1000, 1000.0000001], weights = [0.5, 0.5] }"#,
        y: 100000000.0,
        noise: 0.5,
        mean: 1000.0000001,
    },
];

#[test]
fn posterior_means_match_quadrature() {
    for row in &POSTERIORS {
        let ours = law(row.law).posterior_mean(&[row.y], noise(row.noise)).unwrap()[0];
        assert!(
            (ours / row.mean - 1.0).abs() < ROUNDOFF,
            "{} at {}: {ours}, not {}",
            row.law,
            row.y,
            row.mean
        );
    }
}

struct Convolved {
    /// Degrees of freedom, mean, scale.
    law: [f64; 3],
    noise: f64,
    y: f64,
    posterior: f64,
    log_density: f64,
    above: f64,
    upper_mean: f64,
}

/// mpmath, 30 digits, by quadrature of the convolution: `tests/reference/student.py`.
const STUDENT: [Convolved; 15] = [
    Convolved {
        law: [2.5, 0.0, 1.0],
        noise: 0.5,
        y: 0.3,
        posterior: 0.19821699177824298,
        log_density: -1.2822706996707012,
        above: 0.41505817474949847,
        upper_mean: 0.5453284091655998,
    },
    Convolved {
        law: [2.5, 0.0, 1.0],
        noise: 0.5,
        y: 4.0,
        posterior: 3.587671271940093,
        log_density: -4.325729106538877,
        above: 0.021877500402102613,
        upper_mean: 0.059373207758557235,
    },
    Convolved {
        law: [2.5, 0.0, 1.0],
        noise: 0.5,
        y: 100.0,
        posterior: 99.98250043881335,
        log_density: -15.53127027929229,
        above: 7.193222172346564e-6,
        upper_mean: 0.00047955481405365796,
    },
    Convolved {
        law: [2.5, 0.0, 1.0],
        noise: 0.5,
        y: 100000.0,
        posterior: 99999.9999825,
        log_density: -39.70836994012023,
        above: 2.2747519236732243e-13,
        upper_mean: 1.5165012824698787e-8,
    },
    Convolved {
        law: [3.0, 0.5, 0.2],
        noise: 1.0,
        y: 0.001,
        posterior: 0.46263267180724077,
        log_density: -1.0774780685835081,
        above: 0.6835575128722322,
        upper_mean: 0.7152634828017906,
    },
    Convolved {
        law: [3.0, 0.5, 0.2],
        noise: 1.0,
        y: 7.0,
        posterior: 6.283892574220744,
        log_density: -10.848610188701176,
        above: 3.757524369947273e-5,
        upper_mean: 0.00011263748088473892,
    },
    Convolved {
        law: [3.0, 0.0, 2.0],
        noise: 0.01,
        y: 3.0,
        posterior: 2.9942907941338435,
        log_density: -2.811774089608158,
        above: 0.11546343776218802,
        upper_mean: 0.28451463559086604,
    },
    Convolved {
        law: [3.0, 0.0, 2.0],
        noise: 0.01,
        y: -30.0,
        posterior: -29.998684140658728,
        log_density: -10.355394786660199,
        above: 0.9996784194024622,
        upper_mean: 30.004862024333388,
    },
    Convolved {
        law: [5.0, -1.0, 1.0],
        noise: 0.25,
        y: 2.0,
        posterior: 1.674831821694136,
        log_density: -3.835731943668476,
        above: 0.01818710576490431,
        upper_mean: 0.01779573651001413,
    },
    Convolved {
        law: [5.0, -1.0, 1.0],
        noise: 4.0,
        y: 20.0,
        posterior: 18.789952089454385,
        log_density: -14.241543181977168,
        above: 2.6135067146411206e-6,
        upper_mean: 1.3185462449336615e-5,
    },
    Convolved {
        law: [30.0, 0.0, 1.0],
        noise: 0.5,
        y: 1.5,
        posterior: 1.0104744680022673,
        log_density: -1.8750363644921126,
        above: 0.11420651630433593,
        upper_mean: 0.07122000764973666,
    },
    Convolved {
        law: [30.0, 0.0, 1.0],
        noise: 0.5,
        y: 12.0,
        posterior: 10.861526528590657,
        log_density: -26.92671182530196,
        above: 9.12082745476691e-13,
        upper_mean: 4.229688695041906e-13,
    },
    Convolved {
        law: [300.0, 0.0, 1.0],
        noise: 1.0,
        y: 5.0,
        posterior: 2.5283121237594464,
        log_density: -7.478688488750833,
        above: 0.00021371420122548568,
        upper_mean: 7.636919893207264e-5,
    },
    Convolved {
        law: [300.0, 0.0, 0.1],
        noise: 0.01,
        y: 2.0,
        posterior: 1.1911446249375375,
        log_density: -89.72185984738879,
        above: 1.3339791318014117e-41,
        upper_mean: 1.6397285567752891e-43,
    },
    Convolved {
        law: [10000.0, 0.0, 1.0],
        noise: 0.5,
        y: 3.0,
        posterior: 2.000266628132159,
        log_density: -4.121304482823116,
        above: 0.007157805903643881,
        upper_mean: 0.002870243898925063,
    },
];

/// Sums of a hundred terms or two; far out, exponentials of numbers up to a hundred.
const MIXED: f64 = 1e-12;

#[test]
fn students_law_matches_thirty_digits() {
    for row in &STUDENT {
        let [freedom, mean, scale] = row.law;
        let clean = Law::Student(Student::new(freedom, mean, scale).unwrap());
        let noisy = clean.noisy(noise(row.noise));
        let split = noisy.on_line().unwrap().split(row.y);
        let posterior = clean.posterior_mean(&[row.y], noise(row.noise)).unwrap()[0];
        let pairs = [
            (posterior - mean, row.posterior - mean),
            (noisy.log_density(&[row.y]).unwrap(), row.log_density),
            (split.density.ln(), row.log_density),
            (split.above, row.above),
            (split.upper_mean, row.upper_mean),
        ];
        for (which, (ours, exact)) in pairs.into_iter().enumerate() {
            assert!(
                (ours / exact - 1.0).abs() < MIXED,
                "{:?} at {}, {which}: {ours}, not {exact}",
                row.law,
                row.y
            );
        }
    }
}

/// Without noise the tail is that of the closed form: for three degrees of freedom `P(T > t) = 1/2 − (arctan s + s/(1 + s²))/π`, `s = t/√3`.
#[test]
fn students_law_without_noise_meets_its_closed_form() {
    let line = law(r#"{ kind = "student", df = 3, mean = 0, scale = 1 }"#).on_line().unwrap();
    for t in [0.0, 0.3, 1.0, 2.5] {
        let s = t / 3.0_f64.sqrt();
        let above = 0.5 - (s.atan() + s / (1.0 + s * s)) / std::f64::consts::PI;
        assert!((line.split(t).above - above).abs() < 1e-14, "{t}");
        // E(T − t)+ = √3/(π(1 + s²)) − t P(T > t).
        let upper = 3.0_f64.sqrt() / (std::f64::consts::PI * (1.0 + s * s)) - t * above;
        assert!((line.split(t).upper_mean - upper).abs() < 1e-14, "{t}");
    }
    // Far out, where P(T > t) ≈ 6√3/(πt³)·…: relative accuracy.
    let far = line.split(1e6).above;
    assert!((far * 1e18 * std::f64::consts::PI / (2.0 * 3.0_f64.sqrt()) - 1.0).abs() < 1e-10, "{far}");
}

/// Coordinates of a product law are those of its factors, to the bit; noise, density and posterior means with them.
#[test]
fn product_laws_are_their_factors() {
    let whole = law(r#"{ kind = "uniform", low = [-1, 0, 2], high = [1, 3, 2.5] }"#);
    let sides = [("-1", "1"), ("0", "3"), ("2", "2.5")];
    let factors =
        sides.map(|(low, high)| law(&format!("{{ kind = 'uniform', low = {low}, high = {high} }}")));
    let (point, tau) = ([0.3, -0.5, 2.2], noise(0.3));
    let alone = |k: usize| factors[k].posterior_mean(&point[k..=k], tau).unwrap()[0];
    assert_eq!(whole.posterior_mean(&point, tau).unwrap(), [alone(0), alone(1), alone(2)]);
    let logs: f64 = (0..3).map(|k| factors[k].noisy(tau).log_density(&point[k..=k]).unwrap()).sum();
    assert_eq!(whole.noisy(tau).log_density(&point).unwrap(), logs);
    assert_eq!(whole.mean().as_slice(), [0.0, 1.5, 2.25]);
    assert_eq!(whole.covariance()[(1, 1)], factors[1].covariance()[(0, 0)]);
    assert_eq!(whole.covariance()[(0, 1)], 0.0);
    assert_eq!(whole.projection(&[0.0, -2.0, 0.0]).unwrap(), factors[1].projection(&[-2.0]).unwrap());
    let refused = whole.projection(&[1.0, 1.0, 0.0]).unwrap_err().to_string();
    assert!(refused.contains("not available for a law of kind uniform"), "{refused}");
    let sample = whole.sample(4000, &mut generator(SEED)).unwrap();
    assert!(
        sample
            .rows()
            .all(|x| (-1.0..1.0).contains(&x[0]) && (0.0..3.0).contains(&x[1]) && (2.0..2.5).contains(&x[2]))
    );
    let apart = (sample.covariance() - whole.covariance()).amax();
    assert!(apart < STATISTICAL * whole.covariance().amax() / (4000.0_f64).sqrt(), "{apart}");
}

struct Planar {
    y: [f64; 2],
    mean: [f64; 2],
    log_density: f64,
}

const PLANAR_LAW: &str = r#"{ kind = "mixture", weights = [0.5, 0.25, 0.25], means = [[-1, 0], [1, 0.5], [0, 2]],
    covs = [[[0.5, 0.25], [0.25, 0.25]], [[0.125, 0.25], [0.25, 0.5]], [[0, 0], [0, 0]]] }"#;

/// mpmath, 50 digits, by LU factors of `Σ_k + τI` with `τ = 1/4`; the second covariance has rank one, the third is zero.
const PLANAR: [Planar; 4] = [
    Planar {
        y: [0.0, 0.0],
        mean: [-0.11574957863789441, 0.13193866403431306],
        log_density: -2.454413273594992,
    },
    Planar {
        y: [0.5, 1.25],
        mean: [0.3997221385594263, 1.3341982837770496],
        log_density: -2.6620711787807108,
    },
    Planar {
        y: [-3.0, 4.0],
        mean: [-0.07221827821528284, 1.9587324124478604],
        log_density: -27.784914501206014,
    },
    Planar { y: [40.0, -30.0], mean: [17.6, -3.8], log_density: -3410.7494488420666 },
];

#[test]
fn planar_mixtures_match_fifty_digits() {
    let (law, noise) = (law(PLANAR_LAW), noise(0.25));
    for row in &PLANAR {
        let ours = law.posterior_mean(&row.y, noise).unwrap();
        for (ours, exact) in ours.iter().zip(row.mean) {
            assert!((ours / exact - 1.0).abs() < ROUNDOFF, "{ours}, not {exact}");
        }
        let log_density = law.noisy(noise).log_density(&row.y).unwrap();
        assert!((log_density / row.log_density - 1.0).abs() < ROUNDOFF, "{log_density}");
    }
}

struct LogDensity {
    law: &'static str,
    noise: f64,
    x: f64,
    value: f64,
}

/// mpmath: quadrature with 60 digits for Laplace, differences of `erfc` with 1500 digits for uniform.
const LOG_DENSITIES: [LogDensity; 14] = [
    LogDensity {
        law: r#"{ kind = "laplace", mean = 0, scale = 1 }"#,
        noise: 1.0,
        x: 0.0,
        value: -1.3410216450092636,
    },
    LogDensity {
        law: r#"{ kind = "laplace", mean = 0, scale = 1 }"#,
        noise: 1.0,
        x: 0.7,
        value: -1.4679595827470129,
    },
    LogDensity {
        law: r#"{ kind = "laplace", mean = 0, scale = 1 }"#,
        noise: 0.25,
        x: 50.0,
        value: -50.56814718055995,
    },
    LogDensity {
        law: r#"{ kind = "laplace", mean = 0, scale = 0.01 }"#,
        noise: 1.0,
        x: 30.0,
        value: -450.8247811437938,
    },
    LogDensity {
        law: r#"{ kind = "laplace", mean = 0, scale = 0.1 }"#,
        noise: 2.0,
        x: -9.0,
        value: -21.301395036060416,
    },
    LogDensity {
        law: r#"{ kind = "laplace", mean = 0, scale = 10 }"#,
        noise: 0.01,
        x: 1.5,
        value: -3.145682273553991,
    },
    LogDensity {
        law: r#"{ kind = "laplace", mean = 0, scale = 1 }"#,
        noise: 1e-06,
        x: 3.0,
        value: -3.6931466805599453,
    },
    LogDensity {
        law: r#"{ kind = "uniform", low = -1, high = 1 }"#,
        noise: 1.0,
        x: 0.0,
        value: -1.0748623268620714,
    },
    LogDensity {
        law: r#"{ kind = "uniform", low = -1, high = 1 }"#,
        noise: 1.0,
        x: 0.9,
        value: -1.3643151289339412,
    },
    LogDensity {
        law: r#"{ kind = "uniform", low = -1, high = 1 }"#,
        noise: 1.0,
        x: 50.0,
        value: -1206.0043220722252,
    },
    LogDensity {
        law: r#"{ kind = "uniform", low = 0, high = 1 }"#,
        noise: 0.01,
        x: -3.0,
        value: -454.3212439563432,
    },
    LogDensity {
        law: r#"{ kind = "uniform", low = -0.001, high = 0.001 }"#,
        noise: 1.0,
        x: 4.0,
        value: -8.918936033206439,
    },
    LogDensity {
        law: r#"{ kind = "uniform", low = -10, high = 10 }"#,
        noise: 0.25,
        x: 9.5,
        value: -3.1684860525774408,
    },
    LogDensity {
        law: r#"{ kind = "uniform", low = -10, high = 10 }"#,
        noise: 0.25,
        x: 3.0,
        value: -2.995732273553991,
    },
];

#[test]
fn log_densities_match_sixty_digits() {
    for row in &LOG_DENSITIES {
        let ours = law(row.law).noisy(noise(row.noise)).log_density(&[row.x]).unwrap();
        assert!(
            (ours / row.value - 1.0).abs() < ROUNDOFF,
            "{} at {}: {ours}, not {}",
            row.law,
            row.x,
            row.value
        );
    }
}

#[test]
fn far_queries_survive() {
    for text in LAWS {
        let law = law(text);
        for size in [1e3, 1e30, 1e150] {
            let query = vec![size; law.dimension()];
            let mean = law.posterior_mean(&query, noise(0.5)).unwrap();
            // Each component contracts towards its own mean, and no mean here is farther out than 5.
            assert!(norm(&mean) <= norm(&query) + 10.0, "{text} at {size}: {mean:?}");
        }
    }
}

#[test]
fn laws_without_density_say_so() {
    for text in [LAWS[1], LAWS[4]] {
        let law = law(text);
        let error = law.log_density(&vec![0.0; law.dimension()]).unwrap_err().to_string();
        assert!(error.contains("add noise first"), "{error}");
        assert!(law.noisy(noise(0.1)).log_density(&vec![0.0; law.dimension()]).is_ok());
    }
    assert!(law(LAWS[0]).log_density(&[0.0]).is_err());
    assert!(law(LAWS[0]).posterior_mean(&[0.0, f64::NAN], noise(1.0)).is_err());
}

/// Sample mean and covariance within five standard errors of the law's, for the prior and for the noisy law.
#[test]
fn samples_have_the_moments_of_their_law() {
    const DRAWS: usize = 40_000;
    for text in LAWS {
        let prior = law(text);
        for law in [prior.noisy(noise(0.3)), prior] {
            let cloud = law.sample(DRAWS, &mut generator(SEED)).unwrap();
            let (mean, covariance) = (law.mean(), law.covariance());
            for i in 0..law.dimension() {
                let error = STATISTICAL * (covariance[(i, i)] / DRAWS as f64).sqrt();
                assert!((cloud.mean()[i] - mean[i]).abs() <= error, "{text}: {}", cloud.mean());
                for j in 0..law.dimension() {
                    // No law here has a kurtosis above six, that of the Laplace law.
                    let size = 6.0 * covariance[(i, i)] * covariance[(j, j)];
                    let error = STATISTICAL * (size / DRAWS as f64).sqrt();
                    assert!((cloud.covariance()[(i, j)] - covariance[(i, j)]).abs() <= error, "{text}");
                }
            }
        }
    }
}

#[test]
fn samples_are_nested_and_clean_points_ignore_the_noise() {
    for text in LAWS {
        let law = law(text);
        let small = law.sample_noisy(50, noise(0.5), SEED).unwrap();
        let large = law.sample_noisy(80, noise(0.1), SEED).unwrap();
        let length = small.clean.points().len();
        assert_eq!(small.clean.points(), &large.clean.points()[..length]);
        assert_eq!(small.clean, law.sample(50, &mut generator(SEED)).unwrap());
        let again = law.sample_noisy(80, noise(0.5), SEED).unwrap();
        assert_eq!(small.noisy.points(), &again.noisy.points()[..length]);
    }
}

#[test]
fn impossible_sizes_are_refused() {
    for n in [0, usize::MAX, usize::MAX / 2] {
        assert!(law(LAWS[0]).sample(n, &mut generator(SEED)).is_err());
    }
}

#[test]
fn noise_has_its_variance() {
    let sample = law(LAWS[0]).sample_noisy(40_000, noise(0.25), SEED).unwrap();
    let residuals = sample.noisy.points().iter().zip(sample.clean.points()).map(|(y, x)| y - x);
    let residuals: Vec<f64> = residuals.collect();
    let variance = residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64;
    assert!((variance - 0.25).abs() < STATISTICAL * 0.25 * (2.0 / residuals.len() as f64).sqrt());
}

/// Smoothing twice is smoothing once by the sum, and the posterior mean of a smoothed prior obeys the tower property.
#[test]
fn noise_adds_up() {
    for text in &LAWS[6..] {
        let law = law(text);
        let (once, twice) = (law.noisy(noise(0.75)), law.noisy(noise(0.5)).noisy(noise(0.25)));
        assert_eq!(once, twice);
    }
}

/// Fourth-order central differences of the log density: truncation and rounding both near 1e-11 at this step.
const DIFFERENCE_STEP: f64 = 2e-3;
const DIFFERENCE_TOLERANCE: f64 = 1e-8;

fn score(law: &Law, y: &[f64], axis: usize, step: f64) -> f64 {
    let at = |steps: f64| {
        let mut moved = y.to_vec();
        moved[axis] += steps * step;
        law.log_density(&moved).unwrap()
    };
    (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)
}

proptest! {
    /// Tweedie: `E[X | y] = y + τ ∇log f0(y)`.
    #[test]
    fn posterior_mean_is_tweedies(
        which in 0..LAWS.len(), direction in prop::array::uniform3(-4.0..4.0_f64), variance in 0.2..3.0_f64,
    ) {
        let law = law(LAWS[which]);
        let y = &direction[..law.dimension()];
        let mean = law.posterior_mean(y, noise(variance)).unwrap();
        let noisy = law.noisy(noise(variance));
        for axis in 0..law.dimension() {
            let tweedie = y[axis] + variance * score(&noisy, y, axis, DIFFERENCE_STEP);
            prop_assert!((mean[axis] - tweedie).abs() < DIFFERENCE_TOLERANCE * (1.0 + y[axis].abs()), "{} {tweedie}", mean[axis]);
        }
    }

    /// The same for priors that carry smoothing already.
    #[test]
    fn smoothed_priors_obey_tweedie_too(which in 6..LAWS.len(), y in -20.0..20.0_f64, variance in 0.2..3.0_f64) {
        let law = law(LAWS[which]).noisy(noise(0.4));
        let mean = law.posterior_mean(&[y], noise(variance)).unwrap()[0];
        let tweedie = y + variance * score(&law.noisy(noise(variance)), &[y], 0, DIFFERENCE_STEP);
        prop_assert!((mean - tweedie).abs() < DIFFERENCE_TOLERANCE * (1.0 + y.abs()), "{mean} {tweedie}");
    }

    /// Posterior means are non-decreasing in the query on the line.
    #[test]
    fn posterior_mean_is_monotone(which in 5..LAWS.len(), a in -60.0..60.0_f64, b in -60.0..60.0_f64, variance in 0.01..3.0_f64) {
        let law = law(LAWS[which]);
        let mean = |y| law.posterior_mean(&[y], noise(variance)).unwrap()[0];
        prop_assert!(mean(a.min(b)) <= mean(a.max(b)) + ROUNDOFF);
    }
}
