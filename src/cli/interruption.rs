//! [`Interruption`]: Ctrl-C, or a polite request to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a signal and the verb at work know of each other.
#[derive(Debug, Clone, Default)]
pub struct Interruption {
    raised: Arc<AtomicBool>,
    awaited: Arc<AtomicBool>,
}

impl Interruption {
    /// A flag that is raised when the user wants an end, for a verb that looks at it and comes to an end itself. Without
    /// one, the process ends at once.
    pub fn awaited(&self) -> Arc<AtomicBool> {
        self.awaited.store(true, Ordering::Relaxed);
        Arc::clone(&self.raised)
    }

    /// Raises the flag. False when nobody looks at it.
    pub fn raise(&self) -> bool {
        self.raised.store(true, Ordering::Relaxed);
        self.awaited.load(Ordering::Relaxed)
    }
}
