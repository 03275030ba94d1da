//! How noisy observations are: a variance, or a standard deviation.

use ebflow::{Error, NoiseVariance};
use serde::{Serialize, Serializer};

use super::args::noise_variance;

/// What the user says of the noise.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(required = true, multiple = false)]
pub struct Noise {
    /// Variance τ = σ² of the observation noise.
    #[arg(long, value_name = "V", value_parser = noise_variance, allow_negative_numbers = true)]
    noise_var: Option<NoiseVariance>,
    /// Standard deviation σ of the observation noise, instead of its variance.
    #[arg(long, value_name = "S", value_parser = deviation, allow_negative_numbers = true)]
    noise_std: Option<NoiseVariance>,
}

impl Noise {
    /// The variance; clap has seen to it that there is exactly one.
    pub fn variance(&self) -> NoiseVariance {
        self.noise_var.or(self.noise_std).expect("clap requires one of the group")
    }
}

/// What was given, as a variance.
#[derive(Serialize)]
struct Given {
    noise_var: NoiseVariance,
}

impl Serialize for Noise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Given { noise_var: self.variance() }.serialize(serializer)
    }
}

/// The variance that belongs to a standard deviation.
pub fn deviation(text: &str) -> Result<NoiseVariance, String> {
    let deviation: f64 = text.trim().parse().map_err(|_| format!("'{text}' is not a number"))?;
    let refused = |value| Error::InvalidParameter {
        name: "standard deviation of the noise",
        value,
        requirement: "a positive number whose square is a double",
    };
    match NoiseVariance::new(deviation * deviation) {
        Ok(variance) if deviation > 0.0 => Ok(variance),
        _ => Err(refused(deviation).to_string()),
    }
}
