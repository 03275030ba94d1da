//! The flow against independent integrators and closed forms, at its edges, and when things go wrong.

mod accuracy;
mod doubles;
mod edges;
mod estimates;
mod failures;
mod gaussian;
mod observers;
mod problems;
mod reference;
mod schedules;
