//! Convergence studies, as a user runs them.

mod bench;
mod complaints;
mod fits;
#[cfg(unix)]
mod interruption;
mod page;
mod ready;
mod rows;
mod shards;
