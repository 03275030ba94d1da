//! [`Gauge`]: how far some work is, for whoever watches it from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The share of some work that is done. Copies show the same.
///
/// ```
/// use ebflow::{Beta, Cloud, Flow, Gauge, RawTime};
/// let gauge = Gauge::default();
/// let flow = Flow::new(Beta::new(20.0)?, RawTime::new(2.0)?).with_gauge(&gauge);
/// assert_eq!(gauge.share(), 0.0);
/// flow.run(&Cloud::new(vec![-1.2, -0.9, 0.8, 1.1], 1)?)?;
/// assert_eq!(gauge.share(), 1.0);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Gauge {
    /// The bits of a double.
    share: Arc<AtomicU64>,
}

impl Gauge {
    /// Between zero and one.
    pub fn share(&self) -> f64 {
        f64::from_bits(self.share.load(Ordering::Relaxed))
    }

    /// Shows another share.
    pub(crate) fn show(&self, share: f64) {
        self.share.store(share.to_bits(), Ordering::Relaxed);
    }
}
