//! Claims give the verdicts that are expected of them, and turn when a part is at fault.

mod confine;
mod drifts;
mod faults;
mod gaussian;
mod kernel;
mod recovery;
mod truncation;
