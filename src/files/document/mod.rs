//! TOML documents that people write: every complaint shows the line, a caret and the remedy.
//!
//! | file | holds |
//! |---|---|
//! | [`Tree`] | a document in which every key and value remembers where it was written |
//! | [`Reader`] | takes a table apart key by key, and keeps a list of everything that is wrong with it |
//! | [`SpecError`] | that list, shown as a compiler would |

// Laws need a part of this, studies all of it.
#![cfg_attr(not(feature = "study"), allow(dead_code, unused_imports))]

mod diagnostic;
mod reader;
mod tree;

pub(crate) use diagnostic::Diagnostic;
pub use diagnostic::SpecError;
pub(crate) use reader::{Complaints, Reader, unknown};
pub(crate) use tree::{Node, Place, Source, Tree};
