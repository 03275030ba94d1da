//! The real binary, run as a user runs it.

mod bad_input;
mod bench_of_files;
mod bound;
mod denoise;
mod help;
mod jobs;
mod meanfield;
#[cfg(unix)]
mod outputs;
mod w1;
