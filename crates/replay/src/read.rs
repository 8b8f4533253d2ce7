//! Reading typed values from a snapshot.

use std::collections::BTreeMap;

use waymark_artifact::{
    Bindings, Name, Output, ReadPart, RowKey, RowLimit, TableColumn, TableValue, Type, Value, read,
};
use waymark_perception::{grid, rows};
use waymark_snapshot::{Ix, UiSnapshot, squash};

/// Reads one value.
///
/// # Errors
/// A sentence: what was read is not what was declared. The text itself is left out where the output is sensitive.
pub fn scalar(snapshot: &UiSnapshot, ix: Ix, part: ReadPart, output: &Output) -> Result<Value, String> {
    let node = snapshot.node(ix);
    let text = match part {
        ReadPart::Text => shown(snapshot, ix),
        ReadPart::Value => node.value.clone().unwrap_or_default(),
        ReadPart::Name => node.name.clone(),
    };
    let value = read(&output.kind, &output.format, &text).map_err(|e| told(output.sensitive, &e.to_string()))?;
    if value == Value::Null && !output.optional {
        return Err("nothing is there, and the output is not optional".into());
    }
    Ok(value)
}

/// Reads rows of a table.
///
/// # Errors
/// A sentence: a column is not there, or a cell is not what was declared.
pub fn table(
    snapshot: &UiSnapshot,
    ix: Ix,
    output: &Output,
    columns: &[TableColumn],
    limit: RowLimit,
    except: &[RowKey],
    bindings: &Bindings,
) -> Result<TableValue, String> {
    let Type::Table { columns: declared, key } = &output.kind else {
        return Err(format!("the output `{}` is no table", output.name));
    };
    let grid = grid(snapshot, ix);
    let mut places = Vec::new();
    for column in columns {
        let header = bindings.text(&column.header).map_err(|e| e.to_string())?;
        let col = grid.column(&header).map_err(|miss| format!("the header `{header}`: {miss:?}"))?;
        let kind = declared.iter().find(|d| d.name == column.column);
        places.push((col, kind.ok_or_else(|| format!("the output has no column `{}`", column.column))?));
    }
    let mut left_out = Vec::new();
    for key in except {
        // A row that is to be left out need not be there.
        left_out.extend(rows(&grid, std::slice::from_ref(key), bindings).unwrap_or_default());
    }
    let data: Vec<u32> = grid.data_rows().filter(|r| !left_out.contains(r)).collect();
    let wanted = match limit {
        RowLimit::All => data.len(),
        RowLimit::First(n) => data.len().min(n as usize),
    };
    let mut out = TableValue { rows: Vec::new(), complete: true, more: data.len() > wanted };
    for row in &data[..wanted] {
        let mut values: BTreeMap<Name, Value> = BTreeMap::new();
        for (col, column) in &places {
            let text = grid.cell(*row, *col).map(|cell| shown(snapshot, cell)).unwrap_or_default();
            let value = read(&column.kind, &column.format, &text).map_err(|e| {
                told(output.sensitive, &format!("row {}, column `{}`: {e}", out.rows.len() + 1, column.name))
            })?;
            if value == Value::Null && !column.optional {
                return Err(format!("row {}, column `{}`: the cell is empty", out.rows.len() + 1, column.name));
            }
            values.insert(column.name.clone(), value);
        }
        // Rows that nothing tells apart are one record shown twice, or two that a caller would take for one.
        let same = |other: &BTreeMap<Name, Value>| key.iter().all(|name| other.get(name) == values.get(name));
        if !key.is_empty()
            && let Some(first) = out.rows.iter().position(same)
        {
            let names: Vec<&str> = key.iter().map(Name::as_str).collect();
            let (first, second) = (first + 1, out.rows.len() + 1);
            return Err(format!("the rows {first} and {second} have the same {}", names.join(", ")));
        }
        out.rows.push(values);
    }
    Ok(out)
}

/// What a thing shows: its visible text, else the value of the one control in it.
fn shown(snapshot: &UiSnapshot, ix: Ix) -> String {
    let text = squash(&snapshot.text_of(ix));
    if !text.is_empty() {
        return text;
    }
    let mut values = snapshot.subtree(ix).filter_map(|(_, n)| n.value.as_deref());
    match (values.next(), values.next()) {
        (Some(one), None) => squash(one),
        _ => String::new(),
    }
}

fn told(sensitive: bool, message: &str) -> String {
    if sensitive { "what was read is not of the declared type".into() } else { message.to_owned() }
}
