//! The flow against independent integrators and closed forms, at its edges, and when things go wrong.

mod accuracy;
mod doubles;
mod edges;
mod failures;
mod gaussian;
mod observers;
mod reference;
mod schedules;
