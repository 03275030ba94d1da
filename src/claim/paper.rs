//! The statements of the paper as they are numbered when printed, and which claim judges each, or why none can.
//!
//! Theorem, lemma, corollary and proposition share a counter per section; definitions have their own; remarks have no
//! number and go by their section. Appendices are sections A to F.

/// One statement, definition, algorithm, remark or figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// As printed: `Lemma E.12`, `Remark in C.1`, `Figure 4`.
    pub number: &'static str,
    /// LaTeX label; where there is none, words that find it.
    pub label: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The claims that judge it, wholly or in part.
    pub judges: &'static [&'static str],
    /// What of it is judged by no claim, and why; empty if all of it is judged.
    pub rest: &'static str,
}

/// The statement with this label.
pub fn labelled(label: &str) -> Option<&'static Statement> {
    STATEMENTS.iter().find(|statement| statement.label == label)
}

const fn row(
    number: &'static str,
    label: &'static str,
    title: &'static str,
    judges: &'static [&'static str],
    rest: &'static str,
) -> Statement {
    Statement { number, label, title, judges, rest }
}

const ORDER_OF_LIMITS: &str = "a limit is judged by its trend at finite parameters";
const DEFINITION: &str = "a definition; nothing to judge";
const FIGURE: &str = "a figure: `ebflow figure` draws it from runs of its own";
const SETTING: &str = "describes the setting; nothing to judge";

/// All of them, in the order of the paper.
#[rustfmt::skip]
pub const STATEMENTS: &[Statement] = &[
    row("Figure 1", "fig:setup", "the task and the two stages", &[], SETTING),
    row("Proposition 3.1", "prop:informal_reverse_diffusion_derivation", "(informal) particles approximate the prior when Nρ̄/β^{d/2} → ∞", &["density-condition", "layers-to-flow", "recovery-beyond-gaussian"], ORDER_OF_LIMITS),
    row("Proposition 3.2", "prop:denoising_time", "(informal) the denoising time is σ²/2 + O(1/β)", &["denoising-time"], ""),
    row("Figure 2", "fig:gaussian_linear_variance_decay", "variance decay of a Gaussian", &["variance-decay"], FIGURE),
    row("Algorithm 1", "alg:two_stage_multilayer_attn", "two-stage denoising by layers", &["layers-to-flow"], ""),
    row("Figure 3", "fig:stage1_vs_stage2_energy_mechanism", "the energy landscape", &["energy-landscape"], FIGURE),
    row("Equation (2)", "eq:energy_DAM", "Stage 2 is a gradient step on an energy", &["energy-gradient"], ""),
    row("Figure 4", "fig:stage1_vs_stage2_bayes_optimal", "mean squared error in N and σ² beside Bayes", &["bayes-optimal"], FIGURE),
    row("Theorem 5.1", "thm:main-text-sequential-posterior-mean-recovery", "sequential posterior-mean recovery", &["sequential-recovery"], ORDER_OF_LIMITS),
    row("Section 5, end", "sec:sequential-posterior-mean-recovery, on the choice of R_N", "Gaussian tails and the radius R_N", &["gaussian-tail"], ""),
    row("Section 7, first paragraph", "one-step Tweedie estimators", "in the population limit one-step Tweedie estimators are Bayes-optimal", &["one-shot"], ""),
    row("Sections A.3 to A.6", "app:informal_argument, Tweedie's formula", "Tweedie's formula and the update derived from it", &["tweedie"], ""),
    row("Section A.6", "app:informal_argument, kernel approximation", "sums replace integrals when Nρ̄/β^{d/2} ≫ 1", &["density-condition"], ""),
    row("Section B.1", "app:stability", "stability of smoothed scores (heuristic)", &["stability", "log-stability"], "qualitative properties of any smooth positive kernel, no constants"),
    row("(A.I)", "ass:p1", "only the Gaussian kernel: every prior", &["gaussian-kernel-only"], ""),
    row("(A.II)", "ass:p2", "only the Gaussian kernel: every empirical measure", &["gaussian-kernel-only"], ""),
    row("Remark in C.1, Choice of prior", "remark on the choice of prior", "why mixtures", &[], SETTING),
    row("Remark in C.1, Finite discretization", "remark on finite discretization", "η = βσ²/(2L) < 1", &["layers-to-flow"], "the rest describes the setting"),
    row("Remark in C.1, Annealing schedule", "remark on annealing schedules", "denoising depends on β(t), η(t) only through ∫η/β", &["annealing"], ""),
    row("Remark in C.1, Convex hull", "remark on convex hull invariance", "layers keep the convex hull", &["invariant-ball"], ""),
    row("Remark in C.1, Layer-norm", "remark on layer-norm", "on a sphere the Gaussian kernel is softmax attention", &["sphere-softmax"], ""),
    row("Remark in C.1, One-shot", "remark on the one-shot predictor", "for N → ∞ the one-shot estimator is the Bayes posterior mean", &["one-shot"], ""),
    row("Remark in C.1, Tweedie & Finite-N", "remark on Tweedie and finite N", "one-shot and iterative estimators coincide in the population limit", &["one-shot"], ""),
    row("Remark in C.1, Depth/stepsize", "remark on depth and stepsize", "fewer layers of larger steps could be used", &["layers-to-flow"], ""),
    row("Remark in C.1, Posterior sufficiency", "remark on posterior sufficiency", "posterior inference stays accurate while particles cluster", &["posterior-sufficiency"], ""),
    row("Figure 5", "fig:app_stage1_vs_stage2_bayes_optimal", "mean squared error in depth and β", &["depth-and-bandwidth"], FIGURE),
    row("Equation (20)", "eq:posterior_mean_GMM", "posterior mean of a Gaussian mixture", &["tweedie"], "the closed form serves as a reference and is tested against quadrature with the library"),
    row("Algorithm 2", "alg:full-sample-sequential-posterior", "full-sample estimator", &["sequential-recovery"], "what untruncated samples lose is judged by gaussian-tail"),
    row("Algorithm 3", "alg:truncated-sequential-posterior", "truncated estimator", &["sequential-recovery", "retained-fraction"], ""),
    row("Proposition E.1", "prop:nc-posterior-mean-W1", "posterior means are continuous in W1, locally uniformly", &["posterior-continuity"], ""),
    row("Proposition E.2", "prop:sc-barycentric-drift", "the drift is a barycentre minus the identity", &["drift-is-log-gradient"], ""),
    row("Proposition E.3", "prop:sc-invariant-ball", "invariant balls", &["invariant-ball"], ""),
    row("Proposition E.4", "prop:sc-drift-lipschitz-bounded-support", "the drift is Lipschitz on a ball", &["stability"], ""),
    row("Proposition E.5", "prop:sc-deterministic-wellposedness-stability", "well-posedness and stability on a ball", &["stability"], "existence and uniqueness are no numerical statements"),
    row("Proposition E.5 (iii)", "eq:sc-deterministic-stability-W1", "W1(f_t, g_t) ≤ e^{2Lt} W1(f_0, g_0)", &["stability"], ""),
    row("Definition E.1", "def:nc-finite-action-weak-solution", "finite-action weak solutions", &[], DEFINITION),
    row("Theorem E.6", "thm:sc-exact-fixed-beta-poc-compact-support", "propagation of chaos on a ball", &["propagation-of-chaos"], "well-posedness is no numerical statement; the k-particle marginals follow from the coupling"),
    row("Lemma E.7", "lem:nc-hard-truncation-W1", "hard truncation in W1", &["hard-truncation"], ""),
    row("Remark in E.4, after Lemma E.7", "rem:empirical-hard-truncation", "truncation of samples", &["retained-fraction"], ""),
    row("Definition E.2", "def:nc-admissible-law", "noncompact admissibility", &[], DEFINITION),
    row("Remark in E.4, after Definition E.2", "rem:unique-associated-admissible-flow", "the admissible flow is unique", &[], "uniqueness: the triangle inequality, nothing to measure"),
    row("Theorem E.8", "thm:nc-admissible-particle-approximation", "particle approximation for admissible laws", &["sequential-recovery", "truncated-flows"], ORDER_OF_LIMITS),
    row("Definition E.3", "def:recoverable-admissible-prior-class", "recoverable admissible priors", &["recovery-beyond-gaussian"], "a definition; which priors satisfy it is the question that is judged"),
    row("Remark in E.4, Role of the class", "rem:role-of-A-tau", "the class is no regularity class", &[], SETTING),
    row("Theorem E.9", "thm:recoverable-prior-hard-truncated-posterior-recovery", "recovery for recoverable priors", &["sequential-recovery", "recovery-beyond-gaussian"], ORDER_OF_LIMITS),
    row("Remark in E.5, Sampling interpretation", "remark on the sampling interpretation", "the Gaussian tail bound and when no point is lost", &["gaussian-tail", "retained-fraction"], ""),
    row("Lemma E.10", "lem:gaussian-invariance-covariance", "Gaussian laws stay Gaussian; the covariance equation", &["covariance-flow"], ""),
    row("Lemma E.11", "lem:gaussian-recovery-condition", "Gaussian laws recover", &["recovery-rate"], ""),
    row("Remark in E.5, Time normalization", "remark on time normalization", "raw and score time", &["hitting-time"], ""),
    row("Lemma E.12", "lem:barycentric-action-estimate", "the action is at most twice the second moment", &["action-estimate"], ""),
    row("Proposition E.13", "prop:uniform-moment-action-hard-trunc", "uniform second moment and action", &["moment-growth"], ""),
    row("Theorem E.14", "thm:hard-trunc-compactness-identification", "compactness of truncated flows", &["truncated-flows", "moment-growth"], "the limit along subsequences is judged through its consequence, Corollary E.21"),
    row("Lemma E.15", "lem:reference-gaussian-convolution-bounds", "convolution bounds of the Gaussian reference", &["convolution-bounds"], "that r_t(X) is distributed like |Z| is a change of variables"),
    row("Lemma E.16", "lem:elementary-log-cutoff-estimates", "logarithmic cutoff estimates", &["cutoff-and-tails"], ""),
    row("Lemma E.17", "lem:gaussian-radial-tail-transfer", "Gaussian tails transfer by W1", &["cutoff-and-tails"], ""),
    row("Lemma E.18", "lem:gaussian-reference-osgood-stability", "logarithmic stability about the Gaussian reference", &["log-stability"], ""),
    row("Lemma E.19", "lem:continuity-equation-lipschitz-reference-stability", "stability against an affine field", &["affine-stability"], ""),
    row("Theorem E.20", "thm:weak-strong-uniqueness-gaussian", "weak–strong uniqueness about the Gaussian flow", &["log-stability", "affine-stability"], "uniqueness among all weak solutions cannot be judged numerically; the two lemmas that it rests on are"),
    row("Corollary E.21", "cor:hard-truncated-gaussian-flows-converge", "truncated Gaussian flows converge", &["truncated-flows"], ""),
    row("Theorem E.22", "thm:gaussian-noisy-laws-admissible", "Gaussian noisy laws are admissible", &["covariance-flow", "truncated-flows"], ""),
    row("Corollary E.23", "cor:gaussian-priors-are-recoverable-admissible", "Gaussian priors are recoverable", &["recovery-rate", "truncated-flows"], ""),
    row("Theorem E.24", "thm:gaussian-prior-hard-truncated-posterior-recovery", "recovery for Gaussian priors", &["sequential-recovery"], ORDER_OF_LIMITS),
    row("Theorem F.1", "thm:gaussiandenoise", "variance equation and denoising time", &["hitting-time", "covariance-flow"], ""),
    row("Corollary F.2", "corollary after thm:gaussiandenoise", "denoising time of a point mass", &["dirac-hitting-time"], ""),
    row("Lemma F.3", "lem:purturb", "first-order expansion of the flow in 1/β", &["first-order-correction", "kernel-expansion"], ""),
    row("Lemma F.3, assumption 2", "lem:purturb, assumption 2", "expansion of the kernelised operator", &["kernel-expansion"], ""),
    row("Lemma F.4", "lem:time", "conditional criterion for the denoising time", &["denoising-time"], "its hypotheses are assumptions; its conclusion is judged"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::STATEMENTS;
    use crate::claim::card::LINE;
    use crate::claim::register;

    /// Kinds that share a counter, by the section and the last number that the paper has of them.
    const COUNTERS: [(&[&str], &str, u32); 8] = [
        (&["Theorem", "Lemma", "Corollary", "Proposition"], "3", 2),
        (&["Theorem", "Lemma", "Corollary", "Proposition"], "5", 1),
        (&["Theorem", "Lemma", "Corollary", "Proposition"], "E", 24),
        (&["Theorem", "Lemma", "Corollary", "Proposition"], "F", 4),
        (&["Definition"], "E", 3),
        (&["Figure"], "", 5),
        (&["Algorithm"], "", 3),
        (&["(A.I)", "(A.II)"], "", 0),
    ];

    /// `E.12` of section `E` is 12; a part of a statement, such as `Lemma F.3, assumption 2`, is none.
    fn counted(number: &str, kinds: &[&str], section: &str) -> Option<u32> {
        let (kind, place) = number.split_once(' ')?;
        let within =
            if section.is_empty() { place } else { place.strip_prefix(section)?.strip_prefix('.')? };
        if kinds.contains(&kind) { within.parse().ok() } else { None }
    }

    #[test]
    fn no_number_of_the_paper_is_missing() {
        for (kinds, section, last) in COUNTERS {
            let found = STATEMENTS.iter().filter_map(|statement| counted(statement.number, kinds, section));
            let numbers: Vec<u32> = found.collect();
            assert_eq!(numbers, (1..=last).collect::<Vec<_>>(), "{kinds:?} of {section}");
        }
    }

    #[test]
    fn labels_are_unique_and_everything_is_judged_or_excused() {
        let mut labels = BTreeMap::new();
        for statement in STATEMENTS {
            assert!(labels.insert(statement.label, ()).is_none(), "{}", statement.label);
            assert!(!(statement.judges.is_empty() && statement.rest.is_empty()), "{}", statement.number);
        }
    }

    #[test]
    fn every_claim_has_a_number_and_judges_what_its_label_names() {
        for claim in register() {
            let card = claim.card();
            assert!(!card.number().is_empty(), "{}: no statement has the label {}", card.id, card.label);
            assert!(STATEMENTS.iter().any(|statement| statement.judges.contains(&card.id)), "{}", card.id);
            assert!(card.gist.chars().count() <= LINE - 4, "{}: {}", card.id, card.gist);
        }
    }
}
