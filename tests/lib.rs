//! Acceptance, architecture and journey tests of the whole product.
