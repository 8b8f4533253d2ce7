//! The vendor's markup of 1998: tables in tables, `<font>`, colours in attributes, captions in the cell beside the field.

use super::super::format;
use super::super::screen::{Field, FieldKind, Form, Link, Part, Screen, Table};
use super::super::words::{Variant, Word};
use super::{BASE, NAVIGATION, NOTICE, asking};
use crate::markup::escape;
use crate::oracle;
use crate::parabank::bank::TODAY;

pub(super) fn navigation(variant: Variant) -> String {
    let link = |(word, to): (Word, &str)| {
        format!(
            r##"<tr><td width="10"><img src="{BASE}/dot.gif" width="8" height="8"></td><td>{}</td></tr>
"##,
            font(&format!(
                r##"<a href="{BASE}/{to}" target="main"><font color="#ffffff">{}</font></a>"##,
                word.of(variant)
            ))
        )
    };
    let links: String = NAVIGATION.into_iter().map(link).collect();
    let sign_off = link((Word::SignOff, "signoff"));
    format!(
        r##"<html><head><title>Navigation</title>{}</head>
<body bgcolor="#003366" text="#ffffff" link="#ffffff" vlink="#ffffff" alink="#ffff00" topmargin="0" leftmargin="0" marginwidth="0" marginheight="0">
<center>
<table width="100%" border="0" cellspacing="0" cellpadding="6" bgcolor="#001a33"><tr><td align="center"><font face="Times New Roman,serif" size="4" color="#ffcc00"><b><i>Meridian</i></b></font><br><font face="Arial,Helvetica" size="1" color="#99ccff">CORE 4.2</font></td></tr></table>
<table width="92%" border="0" cellspacing="0" cellpadding="0"><tr><td>
<br><table border="0" cellspacing="2" cellpadding="3">
{links}<tr><td colspan="2"><hr noshade size="1"></td></tr>
{sign_off}</table>
</td></tr></table>
</center></body></html>
"##,
        oracle::TAG
    )
}

pub(super) fn page(screen: &Screen, variant: Variant, signed_on: bool) -> String {
    let parts: String = screen.parts.iter().map(|each| part(each, variant)).collect();
    let status = if signed_on { status(screen, variant) } else { String::new() };
    let message = screen.message.as_deref().map(message).unwrap_or_default();
    format!(
        r##"<html><head><title>Meridian Core 4.2</title>{}</head>
<body bgcolor="#c0c0c0" text="#000000" link="#000080" vlink="#000080" topmargin="4" leftmargin="4">
<center>
<table width="100%" border="2" cellspacing="0" cellpadding="0" bordercolor="#808080"><tr><td>
<table width="100%" border="0" cellspacing="0" cellpadding="3" bgcolor="#000080"><tr><td align="left"><font face="Arial,Helvetica" size="3" color="#ffffff"><b>{}</b></font></td><td align="right" width="80"><font face="Courier New,Courier" size="2" color="#ffff00"><b>{}</b></font></td></tr></table>
{status}<table width="100%" border="0" cellspacing="0" cellpadding="8"><tr><td align="left" valign="top">
{parts}</td></tr></table>
{message}</td></tr></table>
</center>{}</body></html>
"##,
        oracle::TAG,
        screen.title.of(variant),
        screen.id,
        screen.tail
    )
}

pub(super) fn notice(variant: Variant) -> String {
    format!(
        r##"<div id="mxnote" style="position:fixed;left:0;top:0;width:100%;height:100%;background:#c0c0c0;z-index:9"><center><br><br><table border="3" cellspacing="0" cellpadding="14" bgcolor="#ffffcc"><tr><td align="center"><font face="Arial,Helvetica" size="4" color="#990000"><b>{}</b></font><p>{}</p><input type="button" value="{}" onclick="document.getElementById('mxnote').style.display='none'"></td></tr></table></center></div>"##,
        Word::Maintenance.of(variant),
        font(NOTICE),
        Word::DoProceed.of(variant)
    )
}

/// Who is there, on which day, and whom it is about.
fn status(screen: &Screen, variant: Variant) -> String {
    let about = screen.member.as_ref().map(|(number, name)| {
        format!(
            r#"<td align="center">{}</td>"#,
            font(&format!("<b>{} {} {}</b>", Word::MemberNo.of(variant), escape(number), escape(name)))
        )
    });
    format!(
        r##"<table width="100%" border="0" cellspacing="0" cellpadding="2" bgcolor="#dcdcdc"><tr><td align="left">{}</td>{}<td align="right">{}</td></tr></table>
"##,
        font("TELLER1 BR 014"),
        about.unwrap_or_default(),
        font(&format::date(TODAY, variant))
    )
}

fn part(part: &Part, variant: Variant) -> String {
    match part {
        Part::Facts(facts) => facts_table(facts, variant),
        Part::Form(form) => form_table(form, variant),
        Part::Table(table) => grid(table, variant),
        Part::Links(links) => link_row(links, variant),
        Part::Line(words) => {
            format!(
                r##"<p><font face="Arial,Helvetica" size="2" color="#990000"><b>{words}</b></font></p>
"##
            )
        }
        Part::Notes(notes) => {
            let rows = notes.iter().map(|(head, text)| {
                format!(
                    r##"<tr><td bgcolor="#dcdcdc" nowrap valign="top">{}</td><td bgcolor="#ffffff">{}</td></tr>
"##,
                    font(&escape(head)),
                    font(&escape(text))
                )
            });
            framed(&format!(
                r##"<table border="0" cellspacing="1" cellpadding="3">{}</table>"##,
                rows.collect::<String>()
            ))
        }
    }
}

fn facts_table(facts: &[(Word, String)], variant: Variant) -> String {
    let rows = facts.iter().map(|(caption, value)| {
        format!(
            r##"<tr><td align="right" bgcolor="#dcdcdc" nowrap>{}</td><td bgcolor="#ffffff">{}</td></tr>
"##,
            bold(caption.of(variant)),
            font(&escape(value))
        )
    });
    framed(&format!(r#"<table border="0" cellspacing="1" cellpadding="3">{}</table>"#, rows.collect::<String>()))
}

fn form_table(form: &Form, variant: Variant) -> String {
    let rows = form.fields.iter().map(|field| {
        format!(
            r##"<tr><td align="right" bgcolor="#dcdcdc" nowrap>{}</td><td>{}</td></tr>
"##,
            bold(field.caption.of(variant)),
            input(field, variant)
        )
    });
    let hidden = form.hidden.iter().map(|(slot, value)| {
        format!(r#"<input type="hidden" name="{}" value="{}">"#, slot.name(variant), escape(value))
    });
    let buttons = form
        .buttons
        .iter()
        .map(|button| format!(r#"<input type="submit" value="{}"{}> "#, button.word.of(variant), asking(button.asks)));
    framed(&format!(
        r#"<form name="{}" action="{BASE}/{}" method="post">{}<table border="0" cellspacing="1" cellpadding="3">
{}<tr><td>&nbsp;</td><td>{}</td></tr>
</table></form>"#,
        form.names.0,
        form.action,
        hidden.collect::<String>(),
        rows.collect::<String>(),
        buttons.collect::<String>()
    ))
}

fn input(field: &Field, variant: Variant) -> String {
    let name = field.slot.name(variant);
    match &field.kind {
        FieldKind::Text(size, value) => {
            format!(r#"<input type="text" name="{name}" size="{size}" value="{}">"#, escape(value))
        }
        FieldKind::Secret => format!(r#"<input type="password" name="{name}" size="12">"#),
        FieldKind::Area => format!(r#"<textarea name="{name}" rows="4" cols="48"></textarea>"#),
        FieldKind::Choice(options, chosen) => {
            let options = options.iter().map(|(value, shown)| {
                let selected = if value == chosen { " selected" } else { "" };
                format!(r#"<option value="{}"{selected}>{}"#, escape(value), escape(shown))
            });
            format!(r#"<select name="{name}">{}</select>"#, options.collect::<String>())
        }
    }
}

fn grid(table: &Table, variant: Variant) -> String {
    let heads = table.columns.iter().map(|column| {
        format!(
            r##"<th bgcolor="#000080"><font face="Arial,Helvetica" size="2" color="#ffffff">{}</font></th>"##,
            column.of(variant)
        )
    });
    let rows = table.rows.iter().enumerate().map(|(at, row)| {
        let colour = if at % 2 == 0 { "#ffffff" } else { "#e8e8f0" };
        let cells = row.iter().map(|cell| {
            let align = if is_amount(cell) { "right" } else { "left" };
            format!(r#"<td bgcolor="{colour}" align="{align}" nowrap>{}</td>"#, font(&escape(cell)))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    format!(
        "<p>{}</p>\n{}",
        bold(table.title.of(variant)),
        framed(&format!(
            r#"<table border="0" cellspacing="1" cellpadding="4"><tr>{}</tr>
{}</table>"#,
            heads.collect::<String>(),
            rows.collect::<String>()
        ))
    )
}

fn link_row(links: &[Link], variant: Variant) -> String {
    let cells = links.iter().map(|link| {
        format!(r#"<td>{}</td>"#, font(&format!(r#"<a href="{BASE}/{}">{}</a>"#, link.to, link.word.of(variant))))
    });
    format!(
        r#"<br><table border="0" cellspacing="0" cellpadding="5"><tr>{}</tr></table>
"#,
        cells.collect::<String>()
    )
}

fn message(words: &str) -> String {
    format!(
        r##"<table width="100%" border="0" cellspacing="0" cellpadding="3" bgcolor="#ffffcc"><tr><td align="left"><font face="Courier New,Courier" size="2" color="#990000"><b>{}</b></font></td></tr></table>
"##,
        escape(words)
    )
}

/// A table for the sake of its border.
fn framed(inner: &str) -> String {
    format!(
        r##"<table border="1" cellspacing="0" cellpadding="4" bordercolor="#808080"><tr><td>{inner}</td></tr></table>
"##
    )
}

fn font(inner: &str) -> String {
    format!(r#"<font face="Arial,Helvetica" size="2">{inner}</font>"#)
}

fn bold(words: &str) -> String {
    font(&format!("<b>{words}</b>"))
}

/// Numbers stand to the right.
fn is_amount(cell: &str) -> bool {
    cell.ends_with(|last: char| last.is_ascii_digit() || last == '-')
        && cell.contains(['.', ','])
        && cell.chars().all(|each| each.is_ascii_digit() || ".,-".contains(each))
}
