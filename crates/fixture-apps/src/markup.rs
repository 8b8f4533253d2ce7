//! What all pages are written with: escaping, templates, one transparent pixel.
//!
//! In a template `{{name}}` is replaced by the escaped value, `{{!name}}` by the value as it is.

/// One transparent pixel.
pub(crate) const CLEAR: &[u8] = &[
    0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x21, 0xF9, 4, 1, 0, 0, 0, 0, 0x2C,
    0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
];

/// Replaces the names of a template; a `!` before the name in `values` marks HTML.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            rest = after;
            break;
        };
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            if name.starts_with('!') {
                filled.push_str(value);
            } else {
                filled.push_str(&escape(value));
            }
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_unless_marked_as_html() {
        assert_eq!(fill("<b>{{a}}</b>{{!b}}{{c}}", &[("a", "<x>"), ("!b", "<i>"), ("d", "no")]), "<b>&lt;x&gt;</b><i>");
    }
}
