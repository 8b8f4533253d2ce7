//! Tables as outputs: names from headers, types from how the cells are written.

use waymark_artifact::{
    Locale, Name, Output, OutputColumn, ReadFormat, RowKey, RowLimit, TableColumn, Template, Type, Value, read,
};
use waymark_perception::grid;
use waymark_snapshot::{Ix, UiSnapshot, squash};

use crate::{Reading, Values, from_words, unlike};

/// What was asked to be read of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReading {
    /// The output's name.
    pub into: Name,
    /// The output in words.
    pub description: String,
    /// The headers that were asked for, as the screen writes them; all if empty.
    pub headers: Vec<String>,
    /// How many rows; all if `None`.
    pub first: Option<u32>,
    /// The output as the analyst declared it, where they did: its columns by name.
    pub declared: Option<Output>,
}

/// The reading of a table.
///
/// # Errors
/// In words: a header stands over no column, or over several; two columns have one name.
pub fn table_reading(screen: &UiSnapshot, table: Ix, asked: &TableReading, values: &Values) -> Result<Reading, String> {
    let grid = grid(screen, table);
    let all: Vec<String> = (0..grid.columns()).filter_map(|col| grid.header_over(col)).collect();
    let headers = if asked.headers.is_empty() { all.clone() } else { asked.headers.clone() };
    if headers.is_empty() {
        return Err("the table has no headers by which its columns could be named".into());
    }
    let mut columns = Vec::new();
    let mut places = Vec::new();
    for header in &headers {
        let header = all.iter().find(|h| same(h, header)).cloned().unwrap_or_else(|| header.clone());
        let col = grid.column(&header).map_err(|_| {
            format!("`{header}` stands over no column, or over several; the headers are: {}", all.join(" | "))
        })?;
        let named = from_words(&header).unwrap_or_else(|| format!("column_{}", col + 1));
        let name = unlike(&named, |name| columns.iter().any(|c: &OutputColumn| c.name.as_str() == name));
        let name = Name::new(&name).map_err(|e| e.to_string())?;
        let cells: Vec<String> = grid.data_rows().filter_map(|row| grid.text(row, col)).collect();
        let (kind, format) = type_of(&cells);
        columns.push(OutputColumn { name: name.clone(), description: String::new(), kind, format, optional: false });
        let header = values.reference(&header).ok_or("a header shows a sensitive value")?;
        places.push((col, TableColumn { column: name, header }));
    }
    let except = no_data(screen, table, &columns, &places, values);
    let is_data =
        |row: u32| !except.iter().any(|key| places.iter().any(|(col, _)| is_key(&grid, row, *col, key, values)));
    let rows: Vec<u32> = grid.data_rows().filter(|row| is_data(*row)).collect();
    let texts = |col: u32| rows.iter().filter_map(|row| grid.text(*row, col)).collect::<Vec<_>>();
    for (column, (col, _)) in columns.iter_mut().zip(&places) {
        let cells = texts(*col);
        let (kind, format) = type_of(&cells);
        column.kind = kind;
        column.format = format;
        column.optional = cells.iter().any(String::is_empty);
    }
    let key = columns.iter().zip(&places).find(|(column, (col, _))| {
        let cells = texts(*col);
        let mut once = cells.clone();
        once.sort();
        once.dedup();
        column.kind == Type::Text && !column.optional && !cells.is_empty() && once.len() == cells.len()
    });
    let key = key.map(|(column, _)| vec![column.name.clone()]).unwrap_or_default();
    let output = Output {
        name: asked.into.clone(),
        description: asked.description.clone(),
        kind: Type::Table { columns, key },
        format: ReadFormat::default(),
        optional: false,
        sensitive: asked.declared.as_ref().is_some_and(|d| d.sensitive),
    };
    Ok(Reading::Rows {
        output,
        columns: places.into_iter().map(|(_, column)| column).collect(),
        rows: asked.first.map_or(RowLimit::All, RowLimit::First),
        except,
    })
}

fn is_key(grid: &waymark_perception::Grid<'_>, row: u32, col: u32, key: &RowKey, values: &Values) -> bool {
    let text = values.bindings().text(&key.equals).unwrap_or_default();
    let of = key.column.as_ref().map(|c| values.bindings().text(c).unwrap_or_default());
    grid.text(row, col).as_deref() == Some(text.as_str())
        && of.is_none_or(|header| grid.column(&header).is_ok_and(|column| column == col))
}

/// Rows at the end that are no data: their first cell is a word where every other row has a figure there, or a text over
/// several columns.
fn no_data(
    screen: &UiSnapshot,
    table: Ix,
    columns: &[OutputColumn],
    places: &[(u32, TableColumn)],
    values: &Values,
) -> Vec<RowKey> {
    let grid = grid(screen, table);
    let Some((col, place)) = places.first() else { return Vec::new() };
    if columns.is_empty() {
        return Vec::new();
    }
    let rows: Vec<u32> = grid.data_rows().collect();
    let figures = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    let last = rows.iter().rev().take(3).filter(|row| {
        let text = grid.text(**row, *col).unwrap_or_default();
        !text.is_empty() && !figures(&text)
    });
    let mostly = rows.iter().filter(|row| grid.text(**row, *col).is_some_and(|t| figures(&t))).count();
    if mostly + 3 < rows.len() || mostly == 0 {
        return Vec::new();
    }
    last.filter_map(|row| {
        let cell = grid.cell(*row, *col)?;
        let spans = screen.node(cell).cell.is_some_and(|c| c.col_span > 1);
        let text = squash(&screen.text_of(cell));
        (!spans).then(|| RowKey { column: Some(place.header.clone()), equals: Template::literal(&text) })
    })
    .filter(|key| values.left_in(&key.equals.to_string()).is_none())
    .collect()
}

fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| squash(text).trim_end_matches(['*', ':', ' ']).to_lowercase();
    plain(a) == plain(b)
}

/// The type that every cell can be read as: money where a currency sign says so, a date where only one order fits, else
/// text. Numbers without a currency stay texts: most are names of something.
#[must_use]
pub fn type_of(cells: &[String]) -> (Type, ReadFormat) {
    let filled: Vec<&String> = cells.iter().filter(|c| !c.is_empty()).collect();
    let reads = |kind: &Type, format: &ReadFormat| {
        !filled.is_empty() && filled.iter().all(|cell| read(kind, format, cell).is_ok_and(|value| value != Value::Null))
    };
    let signs = [('$', "USD"), ('€', "EUR"), ('£', "GBP")];
    if let Some((_, currency)) = signs.iter().find(|(sign, _)| filled.iter().all(|cell| cell.contains(*sign))) {
        let kind = Type::Money { currency: Some((*currency).to_owned()) };
        let fitting: Vec<ReadFormat> = [Locale::EnUs, Locale::DeDe]
            .into_iter()
            .map(|locale| ReadFormat { locale: Some(locale), ..ReadFormat::default() })
            .filter(|format| reads(&kind, format))
            .collect();
        let values = |format: &ReadFormat| -> Vec<_> { filled.iter().map(|cell| read(&kind, format, cell)).collect() };
        // Where two conventions fit and mean different amounts, neither is guessed.
        if let Some(format) = fitting.first()
            && fitting.iter().all(|other| values(other) == values(format))
        {
            return (kind.clone(), format.clone());
        }
    }
    (Type::Text, ReadFormat::default())
}
