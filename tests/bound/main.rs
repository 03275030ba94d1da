//! The error bound, the estimate and the monitors against the truth.

mod broken;
mod budget;
mod extremes;
mod jacobian;
mod paper_setting;
mod problems;
mod random;
mod reference;
mod refusals;
mod threads;
mod tokens;
