//! fixture-apps
