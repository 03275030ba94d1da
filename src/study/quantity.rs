//! [`Quantity`]: what a study measures in every cell.
//!
//! | key | measures | needs |
//! |---|---|---|
//! | `w1_prior` | W1 between the refined particles and the prior | |
//! | `w1_tokens` | W1 between the noisy tokens and the prior: where Stage 1 starts | |
//! | `w1_floor` | the expected W1 of `N` independent points of the prior: what perfect denoising would show | |
//! | `w1_untruncated` | W1 between the refined particles and those of the same tokens without a ball | a radius |
//! | `w1_exact_prior` | W1 between the exact mean-field solution and the prior: what more particles do not remove | a Gaussian prior |
//! | `w1_mean_field` | W1 between the refined particles and the mean-field law, `N = ∞` | dimension 1 |
//! | `w1_mean_field_prior` | W1 between that law and the prior, by quadrature: any prior, with or without a ball | dimension 1 |
//! | `coupled` | mean distance of the particles from their exact mean-field partners | a Gaussian prior, no radius |
//! | `posterior_sup` | largest posterior-mean error in the ball `|y| ≤ sup_radius`, certified | dimension ≤ 3 |
//! | `integration_error` | mean distance of the particles from those of the exact flow of the same tokens | |
//! | `error_bound` | an upper bound on the same (what is proved and what assumed, `flow::bound` says); missing where there is none | |
//! | `mse_tokens` … `mse_bayes` | mean squared error of an estimator against the clean tokens | |
//! | `gap_one_shot` … `gap_two_stage` | mean squared distance of an estimator from the Bayes estimator | |
//! | `hitting_time` | score time at which the particles' variance is back at the prior's | a prior of positive variance |
//! | `hitting_time_exact` | the same for the exact mean-field solution | an isotropic Gaussian prior |
//! | `kept` | the share of tokens inside the ball | a radius |
//! | `variance_path` | the particles' variance over depth, beside the exact one where it is known | |
//!
//! # Adding one
//! 1. A line in the list below: variant, key, a few words, unit; a row in the table above.
//! 2. What it needs of prior and sweep in the functions at the end of this file, so that a study which cannot have it is refused before it runs.
//! 3. An arm in `CellRun::quantity` of `measure/mod.rs`. A measurement is a number with its bar, a bracket, a path, or the reason why it is missing; what displaced
//!    particles do to it belongs into `measure/bars.rs`.
//! 4. What it costs, if that is not small beside a flow, in `cost.rs`.
//! 5. Its value for a known case in `tests/study/rows.rs`, where bars are also tested against runs with finer tolerances.

use serde::{Deserialize, Serialize};

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident, $key:literal, $label:literal, $unit:literal;)*) => {
        /// Something a study measures; see the [module](self) for what each is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Quantity {
            $($(#[$doc])* #[serde(rename = $key)] $name,)*
        }

        impl Quantity {
            /// All quantities.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The key in files.
            pub fn key(self) -> &'static str {
                match self { $(Self::$name => $key,)* }
            }

            /// A few words, for tables and plots.
            pub fn label(self) -> &'static str {
                match self { $(Self::$name => $label,)* }
            }

            /// The unit it is measured in.
            pub fn unit(self) -> &'static str {
                match self { $(Self::$name => $unit,)* }
            }
        }
    };
}

quantities! {
    /// W1 between the refined particles and the prior.
    W1Prior, "w1_prior", "W1 to the prior", "length";
    /// W1 between the noisy tokens and the prior.
    W1Tokens, "w1_tokens", "W1 of the noisy tokens to the prior", "length";
    /// The expected W1 of `N` independent points of the prior.
    W1Floor, "w1_floor", "expected W1 of N independent points", "length";
    /// W1 to the particles that the same tokens become without truncation.
    W1Untruncated, "w1_untruncated", "W1 to the flow without a ball", "length";
    /// W1 between the exact mean-field solution and the prior.
    W1ExactPrior, "w1_exact_prior", "W1 of the mean field to the prior", "length";
    /// W1 between the refined particles and the mean-field law.
    W1MeanField, "w1_mean_field", "W1 to the mean-field law", "length";
    /// W1 between the mean field, by quadrature, and the prior.
    W1MeanFieldPrior, "w1_mean_field_prior", "W1 of the mean field (quadrature) to the prior", "length";
    /// Mean distance from the exact mean-field partners.
    Coupled, "coupled", "coupled distance to the mean field", "length";
    /// Largest posterior-mean error in a ball.
    PosteriorSup, "posterior_sup", "largest posterior-mean error", "length";
    /// Mean distance from the exact flow of the same tokens.
    IntegrationError, "integration_error", "distance to the exact flow", "length";
    /// An upper bound on the distance to the exact flow of the same tokens.
    ErrorBound, "error_bound", "bound on the distance to the exact flow", "length";
    /// Mean squared error of the tokens themselves.
    MseTokens, "mse_tokens", "MSE of the noisy tokens", "length²";
    /// Mean squared error of the one-shot estimator.
    MseOneShot, "mse_one_shot", "MSE of the one-shot estimator", "length²";
    /// Mean squared error of the refined particles as estimates.
    MseStageOne, "mse_stage_one", "MSE of Stage 1 only", "length²";
    /// Mean squared error of both stages.
    MseTwoStage, "mse_two_stage", "MSE of the two stages", "length²";
    /// Mean squared error of the Bayes estimator.
    MseBayes, "mse_bayes", "MSE of the Bayes estimator", "length²";
    /// Mean squared distance of the one-shot estimator from Bayes.
    GapOneShot, "gap_one_shot", "one-shot estimator against Bayes", "length²";
    /// Mean squared distance of the refined particles from Bayes.
    GapStageOne, "gap_stage_one", "Stage 1 only against Bayes", "length²";
    /// Mean squared distance of both stages from Bayes.
    GapTwoStage, "gap_two_stage", "two stages against Bayes", "length²";
    /// Score time at which the variance is back at the prior's.
    HittingTime, "hitting_time", "hitting time of the prior's variance", "score time, length²";
    /// The same for the exact mean field.
    HittingTimeExact, "hitting_time_exact", "exact hitting time", "score time, length²";
    /// Share of tokens inside the ball.
    Kept, "kept", "share of tokens in the ball", "share";
    /// Variance over depth.
    VariancePath, "variance_path", "variance per coordinate", "length²";
}

impl Quantity {
    /// True when the measurement is a curve over depth rather than a number.
    pub fn is_path(self) -> bool {
        self == Self::VariancePath
    }

    /// True when it depends on the setting alone and not on the tokens.
    pub(super) fn is_the_same_for_all_seeds(self) -> bool {
        matches!(self, Self::W1ExactPrior | Self::W1MeanFieldPrior | Self::HittingTimeExact)
    }

    /// Name and unit, as they stand beside an axis of a plot.
    pub fn axis_label(self) -> String {
        format!("{} ({})", self.label(), self.unit())
    }

    /// True when the same tokens without a ball must have their own particle for every token.
    pub(super) fn needs_all_tokens(self) -> bool {
        matches!(self, Self::Coupled | Self::MseStageOne | Self::GapStageOne)
    }

    /// True when the closed forms of a Gaussian prior are used.
    pub(super) fn needs_gaussian(self) -> bool {
        matches!(self, Self::Coupled | Self::W1ExactPrior | Self::HittingTimeExact)
    }

    /// True when it is known on the line only.
    pub(super) fn needs_line(self) -> bool {
        matches!(self, Self::W1MeanField | Self::W1MeanFieldPrior)
    }

    /// True when it is about the ball.
    pub(super) fn needs_radius(self) -> bool {
        matches!(self, Self::W1Untruncated | Self::Kept)
    }
}
