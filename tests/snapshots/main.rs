//! Numbers beside what theory says they are: the tables in `tables/`, one per theme.
//!
//! | table | numeric | analytic |
//! |---|---|---|
//! | `simplex` | few particles, equally far from each other | their distance, by an exponential integral |
//! | `covariance` | a Gaussian law as weighted nodes, carried by the flow | `Γ_t` and the recursion of layers |
//!
//! Every row has a number, its analytic partner, their difference, and how large that may be: `numerical` bounds what discretisation
//! does, `sampling` is a standard error, which counts four times. A row whose difference is larger fails, and so does a table with a
//! bar wider than its header says, whatever snapshot was accepted: snapshots only guard what the bars leave open.

mod covariance;
mod drifts;
mod nodes;
mod simplex;
mod table;
