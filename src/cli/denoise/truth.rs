//! What is known of the truth, and how far estimators are from it.

use ebflow::denoise::{Denoised, Denoiser};
use ebflow::error::check_same_space;
use ebflow::files;
use ebflow::law::{BayesOracle, Law};
use ebflow::posterior::mean_squared_error;
use ebflow::{Cloud, Error, Result};
use serde::Serialize;

use super::Args;

/// How good one estimator is, in mean squared error per token, summed over coordinates.
#[derive(Clone, Serialize)]
pub(super) struct Score {
    pub(super) estimator: &'static str,
    pub(super) mse_to_clean: Option<f64>,
    pub(super) mse_to_bayes: Option<f64>,
    /// `mse_to_clean` divided by the dimension.
    pub(super) mse_per_coordinate: Option<f64>,
}

/// What is known of the truth: the clean tokens, the Bayes estimates, both or neither.
pub(super) struct Truth {
    clean: Option<Cloud>,
    bayes: Option<Cloud>,
}

impl Truth {
    pub(super) fn read(args: &Args, tokens: &Cloud) -> Result<Self> {
        let clean = args.clean.as_ref().map(|path| files::read_cloud(path)).transpose()?;
        if let Some(cloud) = &clean {
            same_shape(cloud, tokens)?;
        }
        let law = args.law.as_ref().map(|text| Law::parse(text)).transpose()?;
        let bayes = law.map(|law| law.posterior_means(tokens, args.noise.variance())).transpose()?;
        Ok(Self { clean, bayes })
    }

    pub(super) fn scores(
        &self,
        tokens: &Cloud,
        denoised: &Denoised,
        denoiser: &Denoiser<'_>,
    ) -> Result<Vec<Score>> {
        if self.clean.is_none() && self.bayes.is_none() {
            return Ok(Vec::new());
        }
        let score = |estimator, estimates: &Cloud| {
            let mse_to_clean = self.clean.as_ref().map(|clean| mean_squared_error(estimates, clean));
            Score {
                estimator,
                mse_to_clean,
                mse_to_bayes: self.bayes.as_ref().map(|bayes| mean_squared_error(estimates, bayes)),
                mse_per_coordinate: mse_to_clean.map(|mse| mse / tokens.dimension() as f64),
            }
        };
        let one_shot = denoiser.stage_two(tokens, tokens)?.mean;
        let mut scores = vec![score("noisy tokens", tokens), score("one-shot", &one_shot)];
        let particles = &denoised.trajectory.end;
        if particles.len() == tokens.len() {
            scores.push(score("Stage 1 only", particles));
        }
        scores.push(score("two stages", &denoised.inference.mean));
        scores.extend(self.bayes.as_ref().map(|bayes| score("Bayes", bayes)));
        Ok(scores)
    }
}

fn same_shape(clean: &Cloud, tokens: &Cloud) -> Result<()> {
    check_same_space(
        "the set of clean tokens",
        clean.dimension(),
        "the set of noisy tokens",
        tokens.dimension(),
    )?;
    if clean.len() != tokens.len() {
        return Err(Error::LengthMismatch {
            what: "the set of clean tokens".into(),
            other: "the noisy tokens".into(),
            expected: tokens.len(),
            found: clean.len(),
        });
    }
    Ok(())
}
