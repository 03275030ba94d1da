//! What turns each claim.
