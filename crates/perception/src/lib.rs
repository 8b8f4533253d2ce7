//! perception
