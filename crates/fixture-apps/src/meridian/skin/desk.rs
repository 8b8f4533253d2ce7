//! The skin of another tenant: blocks and classes instead of tables and colours, captions above the fields, buttons that
//! are buttons. No element bears an id, a name or a class of the vendor's.

use super::super::format;
use super::super::screen::{Field, FieldKind, Form, Part, Screen, Table};
use super::super::words::{Variant, Word};
use super::{BASE, NAVIGATION, NOTICE, asking};
use crate::markup::escape;
use crate::oracle;
use crate::parabank::bank::TODAY;

const B: Variant = Variant::B;

const STYLE: &str = "body.hd{margin:0;font:13px Verdana,sans-serif;background:#f3efe4;color:#222}
.hd-top{background:#6b1f2a;color:#fff;padding:6px 10px;overflow:hidden}.hd-top div{float:left;font-weight:bold}
.hd-top .hd-code{float:right;font:bold 12px monospace;color:#f7d774}
.hd-who{background:#e2d9c3;padding:3px 10px;overflow:hidden}.hd-who div{display:inline;margin-right:18px}
.hd-body{padding:10px 14px}.hd-cap{font-weight:bold;margin-top:8px}.hd-box input,.hd-box select,.hd-box textarea{border:1px solid #8a7d5c;padding:2px}
.hd-go{margin-top:12px;background:#6b1f2a;color:#fff;border:0;padding:5px 14px}
.hd-grid{border-collapse:collapse}.hd-grid th{background:#6b1f2a;color:#fff;padding:3px 9px;text-align:left}
.hd-grid td{border-bottom:1px solid #cbbf9c;padding:3px 9px;background:#fffdf6}.hd-sub{font-weight:bold;margin:12px 0 4px}
.hd-facts dt{font-weight:bold;float:left;clear:left;width:130px}.hd-facts dd{margin:0 0 4px 140px}
.hd-line{color:#8c1515;font-weight:bold;margin:8px 0}.hd-says{background:#fbe9a8;padding:5px 10px;font-family:monospace;font-weight:bold}
.hd-ways{list-style:none;padding:0}.hd-ways li{display:inline;margin-right:14px}
body.hd-nav{background:#3d1219;color:#fff}.hd-nav ul{list-style:none;padding:0 12px}.hd-nav li{margin:9px 0}.hd-nav a{color:#f7d774}
.hd-brand{font:bold 17px Georgia,serif;padding:12px}.hd-remark{border-left:3px solid #6b1f2a;padding-left:8px;margin:6px 0}
.hd-hold{position:fixed;left:0;top:0;width:100%;height:100%;background:#f3efe4;z-index:9}.hd-hold section{margin:50px auto;width:380px;background:#fff;padding:20px;text-align:center}";

pub(super) fn navigation() -> String {
    let entry = |(word, to): (Word, &str)| {
        format!(
            r#"<li><a href="{BASE}/{to}" target="main">{}</a></li>
"#,
            word.of(B)
        )
    };
    let entries: String = NAVIGATION.into_iter().chain([(Word::SignOff, "signoff")]).map(entry).collect();
    format!(
        r#"<!DOCTYPE html>
<html><head><title>Menu</title><style>{STYLE}</style>{}</head><body class="hd hd-nav">
<div class="hd-brand">Harbor Desk</div><ul>
{entries}</ul></body></html>
"#,
        oracle::TAG
    )
}

pub(super) fn page(screen: &Screen, signed_on: bool) -> String {
    let parts: String = screen.parts.iter().map(part).collect();
    let who = if signed_on { who(screen) } else { String::new() };
    let says = screen.message.as_deref().map(|words| format!("<div class=\"hd-says\">{}</div>\n", escape(words)));
    format!(
        r#"<!DOCTYPE html>
<html><head><title>Harbor Desk</title><style>{STYLE}</style>{}</head><body class="hd">
<div class="hd-top"><div>{}</div><div class="hd-code">{}</div></div>
{who}<div class="hd-body">
{}{parts}</div>
{}</body></html>
"#,
        oracle::TAG,
        screen.title.of(B),
        screen.id,
        says.unwrap_or_default(),
        screen.tail
    )
}

pub(super) fn notice() -> String {
    format!(
        r#"<div class="hd-hold" id="hd-hold"><section><b>{}</b><p>{NOTICE}</p><button type="button" class="hd-go" onclick="document.getElementById('hd-hold').remove()">{}</button></section></div>"#,
        Word::Maintenance.of(B),
        Word::DoProceed.of(B)
    )
}

fn who(screen: &Screen) -> String {
    let about = screen
        .member
        .as_ref()
        .map(|(number, name)| format!("<div>{} {} {}</div>", Word::MemberNo.of(B), escape(number), escape(name)));
    format!(
        "<div class=\"hd-who\"><div>{}</div>{}<div>TELLER1 BR 014</div></div>\n",
        format::date(TODAY, B),
        about.unwrap_or_default()
    )
}

fn part(part: &Part) -> String {
    match part {
        Part::Facts(facts) => {
            let entries =
                facts.iter().map(|(caption, value)| format!("<dt>{}</dt><dd>{}</dd>\n", caption.of(B), escape(value)));
            format!("<dl class=\"hd-facts\">\n{}</dl>\n", entries.collect::<String>())
        }
        Part::Form(form) => form_block(form),
        Part::Table(table) => grid(table),
        Part::Links(links) => {
            let entries =
                links.iter().map(|link| format!(r#"<li><a href="{BASE}/{}">{}</a></li>"#, link.to, link.word.of(B)));
            format!("<ul class=\"hd-ways\">{}</ul>\n", entries.collect::<String>())
        }
        Part::Line(words) => format!("<div class=\"hd-line\">{words}</div>\n"),
        Part::Notes(notes) => notes
            .iter()
            .map(|(head, text)| {
                format!("<div class=\"hd-remark\"><i>{}</i><div>{}</div></div>\n", escape(head), escape(text))
            })
            .collect(),
    }
}

fn form_block(form: &Form) -> String {
    let fields = form.fields.iter().map(|field| {
        format!("<div class=\"hd-cap\">{}</div><div class=\"hd-box\">{}</div>\n", field.caption.of(B), input(field))
    });
    let hidden = form
        .hidden
        .iter()
        .map(|(slot, value)| format!(r#"<input type="hidden" name="{}" value="{}">"#, slot.name(B), escape(value)));
    let buttons = form.buttons.iter().map(|button| {
        format!(r#"<button type="submit" class="hd-go"{}>{}</button> "#, asking(button.asks), button.word.of(B))
    });
    format!(
        "<form id=\"{}\" action=\"{BASE}/{}\" method=\"post\">\n{}{}{}</form>\n",
        form.names.1,
        form.action,
        hidden.collect::<String>(),
        fields.collect::<String>(),
        buttons.collect::<String>()
    )
}

fn input(field: &Field) -> String {
    let name = field.slot.name(B);
    match &field.kind {
        FieldKind::Text(size, value) => {
            format!(r#"<input id="hd-{name}" name="{name}" size="{size}" value="{}">"#, escape(value))
        }
        FieldKind::Secret => format!(r#"<input id="hd-{name}" type="password" name="{name}">"#),
        FieldKind::Area => format!(r#"<textarea id="hd-{name}" name="{name}" rows="5" cols="60"></textarea>"#),
        FieldKind::Choice(options, chosen) => {
            let options = options.iter().map(|(value, shown)| {
                let selected = if value == chosen { " selected" } else { "" };
                format!(r#"<option value="{}"{selected}>{}</option>"#, escape(value), escape(shown))
            });
            format!(r#"<select id="hd-{name}" name="{name}">{}</select>"#, options.collect::<String>())
        }
    }
}

fn grid(table: &Table) -> String {
    let heads = table.columns.iter().map(|column| format!("<th>{}</th>", column.of(B)));
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().map(|cell| format!("<td>{}</td>", escape(cell)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    format!(
        "<div class=\"hd-sub\">{}</div>\n<table class=\"hd-grid\"><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table>\n",
        table.title.of(B),
        heads.collect::<String>(),
        rows.collect::<String>()
    )
}
