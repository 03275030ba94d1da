//! Numbers beside what theory says they are: the tables in `tables/`, one per theme.
//!
//! | table | numeric | analytic |
//! |---|---|---|
//! | `simplex` | few particles, equally far from each other | their distance, by an exponential integral |
//! | `covariance` | a Gaussian law as weighted nodes, carried by the flow | `Γ_t` and the recursion of layers |
//! | `hitting_times` | when variances of nodes and of samples come back | `T*` |
//! | `samples` | samples of Gaussian laws, over seeds | moments and `W1` of the mean field, noise floors |
//! | `posterior` | Stage 2 and mean squared errors, over seeds | the mean field's, and Bayes' |
//! | `meanfield` | the noise-free mean field | closed forms |
//!
//! Every row has a number, its analytic partner, their difference, and how large that may be: `numerical` bounds what discretisation
//! does, `sampling` is a standard error, which counts four times. A row whose difference is larger fails, and so does a table with a
//! bar wider than its header says, whatever snapshot was accepted: snapshots only guard what the bars leave open.

mod covariance;
mod drifts;
mod hitting_times;
mod meanfield;
mod nodes;
mod posterior;
mod samples;
mod seeds;
mod simplex;
mod table;
