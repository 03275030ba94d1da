//! Fits against SciPy 1.17 (NumPy 2.4) on data typed by hand, and against laws that are known.

use rand_distr::{Distribution, StandardNormal};

use super::*;
use crate::law::generator;
use crate::metric::interval::{Confidence, Interval};

/// SciPy's own convergence; both sides compute in f64.
const SCIPY: f64 = 1e-9;
/// `curve_fit` iterates to about the square root of rounding.
const CURVE_FIT: f64 = 1e-6;
const SEED: u64 = 404;

const SIZES: [f64; 6] = [100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0];

/// About `0.9/√N`, three seeds.
const POWER: [[f64; 3]; 6] = [
    [0.0921, 0.0885, 0.0913],
    [0.0650, 0.0621, 0.0637],
    [0.0441, 0.0462, 0.0450],
    [0.0325, 0.0309, 0.0322],
    [0.0229, 0.0222, 0.0231],
    [0.0158, 0.0163, 0.0160],
];

/// About `0.92/√N + 0.015`, three seeds.
const MIXED: [[f64; 3]; 6] = [
    [0.1093, 0.1078, 0.1102],
    [0.0812, 0.0823, 0.0807],
    [0.0621, 0.0612, 0.0630],
    [0.0480, 0.0486, 0.0477],
    [0.0384, 0.0390, 0.0381],
    [0.0322, 0.0317, 0.0319],
];

fn table(values: &[[f64; 3]]) -> RateData {
    let sample = |(&size, row): (&f64, &[f64; 3])| SizeSample { size, values: row.to_vec() };
    RateData::new(SIZES.iter().zip(values).map(sample).collect()).unwrap()
}

/// `seeds` values per size of a curve with relative scatter `scatter`.
fn drawn(sizes: &[f64], seeds: usize, scatter: f64, curve: impl Fn(f64) -> f64) -> RateData {
    let mut generator = generator(SEED);
    let mut value = |size: f64| -> f64 {
        let standard: f64 = StandardNormal.sample(&mut generator);
        curve(size) * (scatter * standard).exp()
    };
    let mut sample = |size: f64| SizeSample { size, values: (0..seeds).map(|_| value(size)).collect() };
    RateData::new(sizes.iter().map(|&size| sample(size)).collect()).unwrap()
}

fn confidence() -> Confidence {
    Confidence::new(0.95).unwrap()
}

fn close(ours: f64, exact: f64, tolerance: f64) {
    assert!((ours / exact - 1.0).abs() < tolerance, "{ours}, not {exact}");
}

/// Estimate, standard error, and half the width of the interval.
fn agrees(interval: Interval, estimate: f64, error: f64, quantile: f64, tolerance: f64) {
    close(interval.estimate, estimate, tolerance);
    close(interval.standard_error, error, tolerance);
    close(interval.upper - interval.estimate, quantile * error, tolerance);
    close(interval.estimate - interval.lower, quantile * error, tolerance);
}

/// `scipy.stats.linregress(log(x), log(y))` and `t.ppf(0.975, 16)`.
#[test]
fn power_fit_matches_linregress() {
    let fit = power_fit(&table(&POWER), confidence()).unwrap();
    let quantile = 2.1199052992212546;
    agrees(fit.slope, -0.49851612552948715, 0.0038697133011552517, quantile, SCIPY);
    agrees(fit.log_prefactor, -0.1102390361932879, 0.024950514413528864, quantile, SCIPY);
}

/// `linregress` per column, mean and standard error of the three slopes, `t.ppf(0.975, 2)`.
#[test]
fn seedwise_slopes_match_linregress_by_column() {
    let slope = seedwise_slope(&table(&POWER), confidence()).unwrap();
    agrees(slope, -0.4985161255294872, 0.0035969197918734367, 4.302652729749462, SCIPY);
}

/// `numpy.linalg.lstsq` of a centred quadratic with the usual covariance, `t.ppf(0.975, 15)`.
#[test]
fn drift_matches_a_quadratic_fit() {
    let range = asymptotic_range(&table(&POWER), 0.1, confidence()).unwrap();
    agrees(range.drift, 0.012908809461300116, 0.027159250619440516, 2.131449545559776, SCIPY);
    assert_eq!(range.verdict, RangeVerdict::Reached);
    assert_eq!(range.local_slopes.len(), 5);
}

/// About `1/√N + 0.02` with a scatter of a tenth, and `0.9 N^−0.72 + 0.002`; three seeds.
const NOISY: [[f64; 3]; 6] = [
    [0.118, 0.104, 0.127],
    [0.092, 0.081, 0.095],
    [0.066, 0.073, 0.061],
    [0.058, 0.049, 0.054],
    [0.047, 0.041, 0.046],
    [0.037, 0.041, 0.034],
];
const STEEP: [[f64; 3]; 6] = [
    [0.0342, 0.0335, 0.0327],
    [0.0216, 0.0209, 0.0213],
    [0.0135, 0.0131, 0.0137],
    [0.00876, 0.00852, 0.00869],
    [0.00594, 0.00612, 0.00587],
    [0.00431, 0.00420, 0.00428],
];

/// `scipy.optimize.curve_fit` of `a N^-p + b` with `sigma` the means over seeds, `absolute_sigma=False`, tolerances 1e-15.
#[test]
fn mixed_fit_matches_curve_fit() {
    let fit = mixed_fit(&table(&MIXED), confidence()).unwrap();
    for (interval, estimate, error) in [
        (fit.prefactor, 0.9848034930137325, 0.04969826834027995),
        (fit.exponent, 0.5121496703542155, 0.011886142862969585),
        (fit.floor, 0.016091645150759545, 0.0008441238752860713),
    ] {
        close(interval.estimate, estimate, CURVE_FIT);
        close(interval.standard_error, error, CURVE_FIT);
    }
}

/// SciPy 1.17: for each parameter `brentq` of `S(v) − S_min (1 + t²/ν)`, with `S(v)` minimised over the other two by `least_squares`; estimate and both ends.
#[test]
fn intervals_are_those_of_the_profile_likelihood() {
    let rows = [
        (
            &MIXED,
            [
                [0.9848034918950146, 0.8854729335962939, 1.0973541262939757],
                [0.5121496700779005, 0.486921868647036, 0.5374662764916719],
                [0.01609164513126399, 0.014209606719105566, 0.017807639268806196],
            ],
        ),
        (
            &NOISY,
            [
                [1.0931481868525479, 0.4754081539524228, 2.905101367833395],
                [0.531977913299152, 0.3190715829119995, 0.7526170537447561],
                [0.022576503557837854, -0.0012614761895099887, 0.03336866734852212],
            ],
        ),
        (
            &STEEP,
            [
                [0.9025244205595102, 0.7851458261699452, 1.038193096429738],
                [0.7249885237568281, 0.6962129702837906, 0.7538513467435244],
                [0.0016646059602528453, 0.0013469718096191367, 0.0019601972177293626],
            ],
        ),
    ];
    for (values, expected) in rows {
        let fit = mixed_fit(&table(values), confidence()).unwrap();
        for (interval, [estimate, lower, upper]) in
            [fit.prefactor, fit.exponent, fit.floor].iter().zip(expected)
        {
            close(interval.estimate, estimate, CURVE_FIT);
            close(interval.lower, lower, CURVE_FIT);
            close(interval.upper, upper, CURVE_FIT);
        }
    }
}

/// Simulated studies of each kind in `cargo test`; `EBFLOW_STUDIES` asks for more, `EBFLOW_STUDIES_SEED` for others.
const STUDIES: u64 = 100;

/// Intervals of the floor at a nominal 95 % over simulated studies of six kinds; misses on both sides. The share allowed is five binomial deviations off.
#[test]
fn intervals_of_the_floor_cover_it_as_often_as_they_say() {
    let number = |name, usual| std::env::var(name).map_or(usual, |value| value.parse().expect("a number"));
    let studies = number("EBFLOW_STUDIES", STUDIES);
    let mut generator = generator(number("EBFLOW_STUDIES_SEED", SEED));
    let kinds: [(&[f64], usize, f64, f64, f64); 6] = [
        (&SIZES, 4, 0.03, 0.5, 0.02),
        (&SIZES, 4, 0.1, 0.5, 0.02),
        (&SIZES, 3, 0.03, 0.75, 0.002),
        (&[100.0, 1000.0, 10000.0], 5, 0.05, 0.5, 0.005),
        (&[100.0, 400.0, 1600.0, 6400.0], 8, 0.05, 0.5, 0.005),
        (&[100.0, 300.0, 1000.0, 3000.0, 10000.0], 5, 0.05, 0.3, 0.05),
    ];
    let (mut all, mut covered, mut above, mut refused) = (0.0, 0.0, 0.0, 0.0);
    for (sizes, seeds, scatter, exponent, floor) in kinds {
        let before = (all, covered);
        for _ in 0..studies {
            let mut value = |size: &f64| -> f64 {
                let standard: f64 = StandardNormal.sample(&mut generator);
                (size.powf(-exponent) + floor) * (1.0 + scatter * standard)
            };
            let mut sample =
                |size: &f64| SizeSample { size: *size, values: (0..seeds).map(|_| value(size)).collect() };
            let data = RateData::new(sizes.iter().map(&mut sample).collect()).unwrap();
            let Ok(fit) = mixed_fit(&data, confidence()) else {
                refused += 1.0;
                continue;
            };
            all += 1.0;
            covered += f64::from(fit.floor.lower <= floor && floor <= fit.floor.upper);
            above += f64::from(fit.floor.lower > floor);
        }
        println!(
            "{sizes:?} {seeds} {scatter} {exponent} {floor}: {}",
            (covered - before.1) / (all - before.0)
        );
    }
    let (share, deviation) = (covered / all, (0.95 * 0.05 / all).sqrt());
    println!(
        "{all} studies ({refused} refused): {share:.4} ± {deviation:.4} covered, {} above, {} below",
        above / all,
        1.0 - share - above / all
    );
    assert!((share - 0.95).abs() < 5.0 * deviation, "{share} ± {deviation}");
    assert!((above / all - 0.025).abs() < 5.0 * deviation, "{above} of {all} too high");
    assert!(refused <= 0.02 * all, "{refused} refused");
}

#[test]
fn exact_curves_are_found_exactly() {
    let sizes = [1e2, 1e3, 1e4, 1e5];
    let fit = mixed_fit(&drawn(&sizes, 2, 0.0, |n| 3.0 * n.powf(-0.75) + 0.01), confidence()).unwrap();
    close(fit.exponent.estimate, 0.75, 1e-10);
    close(fit.floor.estimate, 0.01, 1e-10);
    close(fit.prefactor.estimate, 3.0, 1e-9);
    close(fit.at(1e6), 3.0 * 1e6_f64.powf(-0.75) + 0.01, 1e-9);
    let power = power_fit(&drawn(&sizes, 1, 0.0, |n| 3.0 * n.powf(-0.75)), confidence()).unwrap();
    close(power.at(1e7), 3.0 * 1e7_f64.powf(-0.75), 1e-12);
}

/// Of 200 sets of independent values, a 95 % interval misses the truth in about 10 ± 3.1; 25 would be five deviations.
#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    let mut generator = generator(SEED);
    let mut misses = [0; 2];
    for _ in 0..200 {
        let mut value = |mean: f64| -> f64 {
            let standard: f64 = StandardNormal.sample(&mut generator);
            mean * (1.0 + 0.03 * standard)
        };
        let mut data = |curve: fn(f64) -> f64| {
            let sample =
                |&size: &f64| SizeSample { size, values: (0..4).map(|_| value(curve(size))).collect() };
            RateData::new(SIZES.iter().map(sample).collect()).unwrap()
        };
        let slope = power_fit(&data(|n| n.powf(-0.5)), confidence()).unwrap().slope;
        misses[0] += usize::from(slope.lower > -0.5 || slope.upper < -0.5);
        let floor = mixed_fit(&data(|n| n.powf(-0.5) + 0.02), confidence()).unwrap().floor;
        misses[1] += usize::from(floor.lower > 0.02 || floor.upper < 0.02);
    }
    assert!(misses.iter().all(|&m| (1..25).contains(&m)), "{misses:?}");
}

#[test]
fn verdicts() {
    let verdict = |data: &RateData| asymptotic_range(data, 0.1, confidence()).unwrap().verdict;
    let power = |n: f64| n.powf(-0.5);
    let ends_on_a_floor = |n: f64| n.powf(-0.5) + 0.02;
    assert_eq!(verdict(&drawn(&SIZES, 10, 0.03, power)), RangeVerdict::Reached);
    assert_eq!(verdict(&drawn(&SIZES, 10, 0.03, ends_on_a_floor)), RangeVerdict::NotReached);
    assert_eq!(verdict(&drawn(&SIZES, 2, 0.5, power)), RangeVerdict::Undecided);
}

#[test]
fn refuses_data_that_say_nothing() {
    let sample = |size: f64, values: &[f64]| SizeSample { size, values: values.to_vec() };
    let two = RateData::new(vec![sample(10.0, &[1.0, 1.1]), sample(20.0, &[0.5, 0.6])]).unwrap();
    assert!(power_fit(&two, confidence()).is_ok());
    assert!(mixed_fit(&two, confidence()).is_err());
    assert!(asymptotic_range(&two, 0.1, confidence()).is_err());
    assert!(power_fit(&RateData::new(vec![sample(10.0, &[1.0, 1.1])]).unwrap(), confidence()).is_err());
    assert!(power_fit(&RateData::new(vec![]).unwrap(), confidence()).is_err());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(RateData::new(vec![sample(10.0, &[bad])]).is_err());
        assert!(RateData::new(vec![sample(bad, &[1.0])]).is_err());
        assert!(asymptotic_range(&table(&POWER), bad, confidence()).is_err());
    }
    assert!(RateData::new(vec![sample(10.0, &[1.0]), sample(10.0, &[1.0])]).is_err());
    let grows = drawn(&SIZES, 3, 0.01, |n| 1.0 + n.ln());
    let message = mixed_fit(&grows, confidence()).unwrap_err().to_string();
    assert!(message.contains("add sizes"), "{message}");
}
