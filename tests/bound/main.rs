//! The error bound, the estimate and the monitors against the truth.

mod broken;
mod budget;
mod extremes;
#[allow(dead_code)] // estimates use the rest
#[path = "../flow/problems.rs"]
mod flow_problems;
mod jacobian;
mod paper_setting;
mod problems;
mod random;
mod reference;
mod refusals;
mod threads;
mod tokens;
mod unkind;
