use super::risk::Problem;
use super::*;
use crate::drift::{Dense, JacobianField};
use crate::law::{Law, generator};
use crate::scale::ScoreTime;

const BETA: f64 = 8.0;

fn noise() -> NoiseVariance {
    NoiseVariance::new(0.3).unwrap()
}

fn tokens() -> Cloud {
    let law =
        Law::parse("{ kind = 'mixture', weights = [0.4, 0.6], means = [[-1, 0], [1, 0.5]], std = 0.2 }")
            .unwrap();
    law.sample_noisy(40, noise(), 3).unwrap().noisy
}

/// Points and tangent after Heun's third-order rule with many steps for `ż = v, ṡ = J s`.
fn tangent(cloud: &Cloud, signs: &[f64], horizon: f64) -> (Vec<f64>, Vec<f64>) {
    const STEPS: usize = 400;
    let (beta, h) = (Beta::new(BETA).unwrap(), horizon / STEPS as f64);
    let slope = |z: &[f64], s: &[f64]| {
        let mut field = JacobianField::default();
        field.evaluate(cloud.moved_to(z.to_vec()).unwrap().view(), beta, s).unwrap();
        (field.velocity, field.product)
    };
    let add =
        |x: &[f64], k: &[f64], by: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + by * k).collect() };
    let (mut z, mut s) = (cloud.points().to_vec(), signs.to_vec());
    for _ in 0..STEPS {
        let first = slope(&z, &s);
        let second = slope(&add(&z, &first.0, h / 3.0), &add(&s, &first.1, h / 3.0));
        let third = slope(&add(&z, &second.0, 2.0 * h / 3.0), &add(&s, &second.1, 2.0 * h / 3.0));
        z = add(&add(&z, &first.0, 0.25 * h), &third.0, 0.75 * h);
        s = add(&add(&s, &first.1, 0.25 * h), &third.1, 0.75 * h);
    }
    (z, s)
}

/// Mean and its derivative in the directions of a query and of the particles, from the formulas.
fn answer(query: &[f64], turn: &[f64], z: &[f64], s: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (d, tau) = (query.len(), noise().get());
    let offsets: Vec<Vec<f64>> =
        z.chunks(d).map(|z| z.iter().zip(query).map(|(z, q)| z - q).collect()).collect();
    let weights: Vec<f64> =
        offsets.iter().map(|o| (-o.iter().map(|x| x * x).sum::<f64>() / (2.0 * tau)).exp()).collect();
    let mass: f64 = weights.iter().sum();
    let mean: Vec<f64> =
        (0..d).map(|c| z.chunks(d).zip(&weights).map(|(z, w)| w * z[c]).sum::<f64>() / mass).collect();
    let mut derivative = vec![0.0; d];
    for ((z, s), (w, offset)) in z.chunks(d).zip(s.chunks(d)).zip(weights.iter().zip(&offsets)) {
        let log: f64 = (0..d).map(|c| offset[c] * (turn[c] - s[c]) / tau).sum();
        for c in 0..d {
            derivative[c] += w / mass * (s[c] + (z[c] - mean[c]) * log);
        }
    }
    (mean, derivative)
}

#[test]
fn terms_are_those_of_the_tangent_flow() {
    let tokens = tokens();
    let problem = Problem::new(&tokens, noise(), &Dense).unwrap();
    let tokens = problem.tokens.clone();
    let signs = super::tuning::signs(&tokens, &mut generator(5));
    let depths = [0.0, 0.1, 0.15].map(|s| ScoreTime::new(s).unwrap());
    let found = problem.terms(Beta::new(BETA).unwrap(), &depths, std::slice::from_ref(&signs)).unwrap();
    for (terms, depth) in found.iter().zip(depths) {
        let (z, s) = tangent(&tokens, &signs, depth.get() * BETA);
        for (i, term) in terms.tokens.iter().enumerate() {
            let [y, b] = [tokens.points(), &signs].map(|x| &x[2 * i..2 * i + 2]);
            let (mean, derivative) = answer(y, b, &z, &s);
            let residual: f64 = mean.iter().zip(y).map(|(m, y)| (m - y).powi(2)).sum();
            let divergence: f64 = derivative.iter().zip(b).map(|(g, b)| g * b).sum();
            let exact = residual - noise().get() * (2.0 - 2.0 * divergence);
            // The runs' tolerance is 1e-3, which the derivative magnifies.
            assert!((term - exact).abs() < 2e-2, "{depth:?} {i}: {term} {exact}");
            assert!(depth.get() > 0.0 || (term - exact).abs() < 1e-4, "{i}: {term} {exact}");
        }
    }
}

/// Over many draws the estimate is the mean squared error.
#[test]
fn the_estimate_is_unbiased() {
    const DRAWS: u64 = 60;
    let law = Law::parse("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }").unwrap();
    let (beta, depth) = (Beta::new(10.0).unwrap(), noise().denoising_horizon());
    let difference = |seed: u64| {
        let sample = law.sample_noisy(200, noise(), seed).unwrap();
        let tuning = Tuner::new(noise()).with_beta(beta).with_depth(depth).tune(&sample.noisy).unwrap();
        let estimates = denoise(&sample.noisy, noise(), beta).unwrap();
        tuning.risk.estimate - crate::posterior::mean_squared_error(&estimates, &sample.clean)
    };
    let differences: Vec<f64> = (0..DRAWS).map(difference).collect();
    let mean = differences.iter().sum::<f64>() / DRAWS as f64;
    let variance = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (DRAWS - 1) as f64;
    let error = (variance / DRAWS as f64).sqrt();
    assert!(mean.abs() < 4.0 * error && error < 0.01, "{mean} ± {error}");
}

#[test]
fn choices_repeat_and_do_not_depend_on_threads() {
    let law = Law::parse("{ kind = 'mixture', weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }")
        .unwrap();
    let tokens = law.sample_noisy(600, noise(), 1).unwrap().noisy;
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Tuner::new(noise()).with_seed(9).tune(&tokens)).unwrap()
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(3));
    assert_ne!(one.risk, Tuner::new(noise()).with_seed(10).tune(&tokens).unwrap().risk);
    let far = tokens.moved_to(tokens.points().iter().map(|y| y + 1024.0).collect()).unwrap();
    let moved = Tuner::new(noise()).with_seed(9).tune(&far).unwrap();
    assert_eq!((moved.beta, moved.depth), (one.beta, one.depth));
    assert!((moved.risk.estimate - one.risk.estimate).abs() < 1e-4);
}

#[test]
fn nothing_is_chosen_where_nothing_can_be() {
    let alone = Cloud::new(vec![1.0], 1).unwrap();
    assert!(Tuner::new(noise()).tune(&alone).unwrap_err().to_string().contains("at least two"));
    let wide = Cloud::new(vec![0.0, 1e12], 1).unwrap();
    assert!(Tuner::new(noise()).tune(&wide).unwrap_err().to_string().contains("noise variance"));
}

#[test]
fn neighbours_are_counted_as_their_formula_says() {
    let tokens = tokens();
    let beta = Beta::new(BETA).unwrap();
    let found = Neighbours::of_each(&tokens, beta, &Dense).unwrap();
    for (i, found) in found.iter().enumerate() {
        let [y, all] = [&tokens.points()[2 * i..2 * i + 2], tokens.points()];
        let weights =
            all.chunks(2).map(|z| (-0.5 * BETA * ((z[0] - y[0]).powi(2) + (z[1] - y[1]).powi(2))).exp());
        let (mass, squares) = weights.fold((0.0, 0.0), |(m, s), w| (m + w, s + w * w));
        assert!((found / (mass * mass / squares) - 1.0).abs() < 1e-12);
    }
    let sharp = Neighbours::of(&tokens, Beta::new(1e9).unwrap(), &Dense).unwrap();
    assert_eq!(sharp.isolated, 1.0);
    assert!((sharp.median - 1.0).abs() < 1e-12);
}
