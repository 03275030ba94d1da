//! Every claim gives the expected verdict with the parts that are shipped, and another with a faulty part.

mod faults;
mod kernel;
mod truncation;
