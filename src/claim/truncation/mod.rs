//! Truncation to a ball: what it costs, how much it keeps, and how large the ball must be.
