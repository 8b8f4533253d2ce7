//! targeting
