//! The verbs `verify`, `check`, `bless` and what they write.

mod baseline;
mod bench;
#[path = "../common/browser.rs"]
mod browser;
mod documents;
mod verbs;
