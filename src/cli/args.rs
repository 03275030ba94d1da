//! Arguments that several verbs share.

use ebflow::{Beta, Error, NoiseVariance, RawTime, ScoreTime};

/// A parser for one of the checked quantities, whose message clap shows beside the option's name.
macro_rules! quantity_parser {
    ($name:ident, $type:ty) => {
        pub fn $name(text: &str) -> Result<$type, String> {
            let value = text.trim().parse().map_err(|_| format!("'{text}' is not a number"))?;
            <$type>::new(value).map_err(|e: Error| e.to_string())
        }
    };
}

quantity_parser!(beta, Beta);
quantity_parser!(noise_variance, NoiseVariance);
quantity_parser!(raw_time, RawTime);
quantity_parser!(score_time, ScoreTime);

/// How far the flow runs: exactly one of the three.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct Horizon {
    /// Raw depth time t.
    #[arg(long, value_name = "T", value_parser = raw_time, allow_negative_numbers = true)]
    raw_time: Option<RawTime>,
    /// Score time s = t/β.
    #[arg(long, value_name = "S", value_parser = score_time, allow_negative_numbers = true)]
    score_time: Option<ScoreTime>,
}
