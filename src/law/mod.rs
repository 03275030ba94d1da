//! Priors and noisy laws.
