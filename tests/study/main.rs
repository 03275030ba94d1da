//! Convergence studies, as a user runs them.

mod baseline;
mod bench;
#[path = "../common/browser.rs"]
mod browser;
mod complaints;
mod damage;
mod fits;
#[cfg(unix)]
mod interruption;
mod page;
mod ready;
mod rows;
mod shards;
mod statements;
