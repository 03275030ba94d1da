//! Quantities of the proof beside the same computed otherwise: from their definitions in doubles, and in multi-precision arithmetic.

mod precise;
mod terms;
