//! Claims give the verdicts that are expected of them, and turn when a part is at fault.

mod confine;
mod drifts;
mod expansion;
mod faults;
mod gaussian;
mod kernel;
mod network;
mod recovery;
mod stability;
mod truncation;
