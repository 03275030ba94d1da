//! [`Quantity`]: what a study measures in every cell.
//!
//! `ebflow study --quantities` lists them with their units, what they need and what they cost.
//!
//! # Adding one
//! 1. A line in the list below: variant, key, a sentence, a few words, unit.
//! 2. What it needs of prior and sweep in the functions at the end of this file, so that a study which cannot have it is refused before it runs, and
//!    `ebflow study --quantities` says so.
//! 3. An arm in `CellRun::quantity` of `measure/mod.rs`. A measurement is a number with its bar, a bracket, a path, or the reason why it is missing; what displaced
//!    particles do to it belongs into `measure/bars.rs`.
//! 4. What it costs, if that is not small beside a flow, in `cost.rs`.
//! 5. Its value for a known case in `tests/study/rows.rs`, where bars are also tested against runs with finer tolerances.

use serde::{Deserialize, Serialize};

/// Dimensions in which the posterior supremum can be certified.
const SUP_DIMENSIONS: usize = 3;

macro_rules! quantities {
    ($($name:ident, $key:literal, $says:literal, $label:literal, $unit:literal;)*) => {
        /// Something a study measures.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Quantity {
            $(#[doc = $says] #[serde(rename = $key)] $name,)*
        }

        impl Quantity {
            /// All quantities.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The key in files.
            pub fn key(self) -> &'static str {
                match self { $(Self::$name => $key,)* }
            }

            /// What it is, in a sentence.
            pub fn says(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
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
    W1Prior, "w1_prior",
        "W1 between the refined particles and the prior.",
        "W1 to the prior", "length";
    W1Tokens, "w1_tokens",
        "W1 between the noisy tokens and the prior: where Stage 1 starts.",
        "W1 of the noisy tokens to the prior", "length";
    W1Floor, "w1_floor",
        "The expected W1 of N independent points of the prior: what perfect denoising would show.",
        "expected W1 of N independent points", "length";
    W1Untruncated, "w1_untruncated",
        "W1 between the refined particles and those of the same tokens without a ball.",
        "W1 to the flow without a ball", "length";
    W1ExactPrior, "w1_exact_prior",
        "W1 between the exact mean-field solution and the prior: what more particles do not remove.",
        "W1 of the mean field to the prior", "length";
    W1MeanField, "w1_mean_field",
        "W1 between the refined particles and the mean-field law, N = ∞.",
        "W1 to the mean-field law", "length";
    W1MeanFieldPrior, "w1_mean_field_prior",
        "W1 between the mean-field law and the prior, by quadrature, with or without a ball.",
        "W1 of the mean field (quadrature) to the prior", "length";
    Coupled, "coupled",
        "Mean distance of the particles from their exact mean-field partners, which start at the same tokens.",
        "coupled distance to the mean field", "length";
    PosteriorSup, "posterior_sup",
        "Largest posterior-mean error in the ball |y| ≤ sup_radius, certified.",
        "largest posterior-mean error", "length";
    IntegrationError, "integration_error",
        "Mean distance of the particles from those of the exact flow of the same tokens.",
        "distance to the exact flow", "length";
    ErrorBound, "error_bound",
        "An upper bound on the distance to the exact flow of the same tokens; missing where there is none.",
        "bound on the distance to the exact flow", "length";
    MseTokens, "mse_tokens",
        "Mean squared error of the noisy tokens against the clean ones.",
        "MSE of the noisy tokens", "length²";
    MseOneShot, "mse_one_shot",
        "Mean squared error of the one-shot estimator against the clean tokens.",
        "MSE of the one-shot estimator", "length²";
    MseStageOne, "mse_stage_one",
        "Mean squared error of the refined particles, taken as estimates, against the clean tokens.",
        "MSE of Stage 1 only", "length²";
    MseTwoStage, "mse_two_stage",
        "Mean squared error of both stages against the clean tokens.",
        "MSE of the two stages", "length²";
    MseBayes, "mse_bayes",
        "Mean squared error of the Bayes estimator, which knows the prior, against the clean tokens.",
        "MSE of the Bayes estimator", "length²";
    GapOneShot, "gap_one_shot",
        "Mean squared distance of the one-shot estimator from the Bayes estimator.",
        "one-shot estimator against Bayes", "length²";
    GapStageOne, "gap_stage_one",
        "Mean squared distance of the refined particles, taken as estimates, from the Bayes estimator.",
        "Stage 1 only against Bayes", "length²";
    GapTwoStage, "gap_two_stage",
        "Mean squared distance of both stages from the Bayes estimator.",
        "two stages against Bayes", "length²";
    ExcessVariance, "excess_variance",
        "Variance per coordinate of the tokens that become particles, beyond the prior's: the σ² that the sample itself has.",
        "excess variance of the tokens", "length²";
    HittingTime, "hitting_time",
        "Score time at which the particles' variance is back at the prior's.",
        "hitting time of the prior's variance", "score time, length²";
    HittingTimeExact, "hitting_time_exact",
        "Score time at which the variance of the exact mean-field solution is back at the prior's.",
        "exact hitting time", "score time, length²";
    Kept, "kept",
        "The share of tokens inside the ball.",
        "share of tokens in the ball", "share";
    VariancePath, "variance_path",
        "The particles' variance over depth, beside the exact one where it is known.",
        "variance per coordinate", "length²";
}

impl Quantity {
    /// True when the measurement is a curve over depth rather than a number.
    pub fn is_path(self) -> bool {
        self == Self::VariancePath
    }

    /// True when it is a bound on an error: a bar rather than a number that has one.
    pub(super) fn is_bound(self) -> bool {
        self == Self::ErrorBound
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

    /// True when it is certified in a few dimensions only.
    pub(super) fn most_dimensions(self) -> Option<usize> {
        (self == Self::PosteriorSup).then_some(SUP_DIMENSIONS)
    }

    /// True when a variance that is zero, or infinite, leaves nothing to be measured.
    pub(super) fn needs_variance(self) -> bool {
        matches!(self, Self::HittingTime | Self::HittingTimeExact)
    }

    /// What it needs of a study, in words.
    pub fn needs(self) -> Vec<String> {
        let words = [
            (self.needs_gaussian(), "a Gaussian prior"),
            (self == Self::HittingTimeExact, "one variance for all axes"),
            (self.needs_variance() && !self.needs_gaussian(), "a prior of positive variance"),
            (self.needs_line(), "dimension 1"),
            (self.needs_radius(), "a radius"),
            (self.needs_all_tokens(), "no radius"),
            (self == Self::PosteriorSup, "`sup_radius` in [measure]"),
        ];
        let most = self.most_dimensions().map(|most| format!("dimension {most} at most"));
        words.iter().filter(|(needed, _)| *needed).map(|(_, words)| (*words).to_owned()).chain(most).collect()
    }
}
