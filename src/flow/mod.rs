//! Layers and the adaptive flow.
