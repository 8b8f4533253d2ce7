//! A document with other texts and values in the same places.

use serde_json::{Error, to_value};

use crate::validate::sites::{Sites, Use};
use crate::{Artifact, Template, ValueExpr};

/// The document with every text and value for which there is another one in its place.
///
/// # Errors
/// It cannot be written as JSON, or what is put in makes it none.
pub(crate) fn rewrite(
    artifact: &Artifact,
    mut text: impl FnMut(&Template, Use) -> Option<Template>,
    mut value: impl FnMut(&ValueExpr) -> Option<ValueExpr>,
) -> Result<Artifact, Error> {
    let sites = Sites::of(artifact);
    let mut document = to_value(artifact)?;
    // A place that is not written holds its default: nothing, and there is nothing else for that.
    for (site, used) in &sites.templates {
        if let Some(other) = text(site.it, *used)
            && let Some(place) = document.pointer_mut(&site.pointer)
        {
            *place = to_value(other)?;
        }
    }
    for site in &sites.values {
        if let Some(other) = value(site.it)
            && let Some(place) = document.pointer_mut(&site.pointer)
        {
            *place = to_value(other)?;
        }
    }
    serde_json::from_value(document)
}
