#![doc = "ebflow: verified integration of the mean-field particle flow of Gaussian attention."]
#![warn(missing_docs)]

pub mod cloud;
pub mod drift;
pub mod error;
pub mod exact;
pub mod flow;
pub mod law;
pub mod meanfield;
pub mod metric;
pub mod npy;
pub mod posterior;
pub mod scale;

pub use cloud::{Cloud, CloudView};
pub use drift::{Drift, DriftField, Targets};
pub use error::{Error, Result};
pub use flow::{Adaptive, Flow, Layers, Schedule, Trajectory};
pub use scale::{BallRadius, Beta, KernelCutoff, NoiseVariance, RawTime, ScoreTime};
