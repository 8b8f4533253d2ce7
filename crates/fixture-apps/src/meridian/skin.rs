//! From a screen to a page: what both skins share, and which one a tenant wears.

mod desk;
mod vendor;

use super::screen::Screen;
use super::words::{Variant, Word};
use crate::markup::escape;
use crate::oracle;

/// Where the application lies.
pub(super) const BASE: &str = "/meridian";

/// Addresses of the navigation, in its order.
const NAVIGATION: [(Word, &str); 8] = [
    (Word::Inquiry, "mi0200"),
    (Word::Detail, "mi0210"),
    (Word::Shares, "sa0320"),
    (Word::Loans, "ln0410"),
    (Word::Open, "sa0500"),
    (Word::Transfer, "tr0600"),
    (Word::Notes, "tn0700"),
    (Word::Admin, "admin"),
];

/// The document that holds the two frames; the frames' names are the product's, since its links name them.
pub(super) fn frameset(variant: Variant, first: &str) -> String {
    let (columns, title) = match variant {
        Variant::B => ("210,*", "Harbor Desk"),
        _ => ("180,*", "Meridian Core 4.2"),
    };
    format!(
        r#"<html><head><title>{title}</title></head>
<frameset cols="{columns}" border="2" frameborder="1" framespacing="2">
<frame name="nav" src="{BASE}/nav" scrolling="auto">
<frame name="main" src="{BASE}/{first}" scrolling="auto">
<noframes><body>This console needs frames.</body></noframes>
</frameset></html>
"#
    )
}

/// The page of the navigation frame.
pub(super) fn navigation(variant: Variant) -> String {
    if variant == Variant::B { desk::navigation() } else { vendor::navigation(variant) }
}

/// The page of a screen; `signed_on` is whether the status line says who is there.
pub(super) fn page(screen: &Screen, variant: Variant, signed_on: bool) -> String {
    if variant == Variant::B { desk::page(screen, signed_on) } else { vendor::page(screen, variant, signed_on) }
}

/// The page of a crashed host: the same for all.
pub(super) fn crash(words: &str) -> String {
    format!(
        r##"<html><head><title>ABEND</title>{}</head><body bgcolor="#000000"><pre><font color="#33ff33">{}</font></pre></body></html>
"##,
        oracle::TAG,
        escape(words)
    )
}

/// An alert that nobody asked for.
pub(super) const ALERT: &str =
    r#"<script>window.addEventListener("load", () => alert("HOST LINK CLOSES AT 18:00 TODAY."));</script>"#;

/// The question, where there is no button to be pressed.
pub(super) fn question_at_load() -> String {
    format!(r#"<script>window.addEventListener("load", () => confirm("{QUESTION}"));</script>"#)
}

/// The notice that covers a screen until its button is pressed.
pub(super) fn notice(variant: Variant) -> String {
    if variant == Variant::B { desk::notice() } else { vendor::notice(variant) }
}

/// What the undeclared dialog asks.
const QUESTION: &str = "TERMINAL WILL BE RE-BOUND. KEEP THIS SESSION?";

/// What the notice says besides its heading.
const NOTICE: &str = "THE HOST WILL BE DOWN SUNDAY 02:00 TO 04:00 FOR MAINTENANCE.";

/// What the button asks before it sends anything, as an attribute.
fn asking(asks: bool) -> String {
    if asks { format!(r#" onclick="return confirm('{QUESTION}')""#) } else { String::new() }
}
