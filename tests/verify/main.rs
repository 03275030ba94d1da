//! The verbs `verify`, `check`, `bless` and what they write.

mod baseline;
mod bench;
mod documents;
mod verbs;
