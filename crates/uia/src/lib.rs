//! uia
