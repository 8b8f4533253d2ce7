//! Tables as outputs: names from headers, types from how the cells are written.

use waymark_artifact::{
    DateOrder, Locale, Name, Output, OutputColumn, ReadFormat, RowKey, RowLimit, TableColumn, Template, Type, Value,
    read,
};
use waymark_perception::grid;
use waymark_snapshot::{Cell, Ix, UiSnapshot, squash};

use crate::{Reading, Values, from_words, unlike};

/// Whether a cell stands in a row of records: below the headers of a table that has some.
pub(crate) fn is_record(screen: &UiSnapshot, cell: Cell) -> bool {
    let grid = grid(screen, cell.table);
    grid.has_declared_headers() && grid.data_rows().any(|row| row == cell.row)
}

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
    let mut wanted: Vec<bool> = Vec::new();
    let mut may_be_empty: Vec<bool> = Vec::new();
    for header in &headers {
        let header = all.iter().find(|h| same(h, header)).cloned().unwrap_or_else(|| header.clone());
        let col = grid.column(&header).map_err(|_| {
            format!("`{header}` stands over no column, or over several; the headers are: {}", all.join(" | "))
        })?;
        let named = from_words(&header).unwrap_or_else(|| format!("column_{}", col + 1));
        let declared = declared_column(asked, &named, columns.len(), headers.len());
        let named = declared.map_or(named, |column| column.name.to_string());
        let name = unlike(&named, |name| columns.iter().any(|c: &OutputColumn| c.name.as_str() == name));
        let name = Name::new(&name).map_err(|e| e.to_string())?;
        let kind = declared.map_or(Type::Text, |column| column.kind.clone());
        let format = ReadFormat::default();
        columns.push(OutputColumn { name: name.clone(), description: String::new(), kind, format, optional: false });
        wanted.push(declared.is_some());
        may_be_empty.push(declared.is_some_and(|column| column.optional));
        let header = values.reference(&header).ok_or("a header shows a sensitive value")?;
        places.push((col, TableColumn { column: name, header }));
    }
    let except = no_data(screen, table, &columns, &places, values);
    let is_data =
        |row: u32| !except.iter().any(|key| places.iter().any(|(col, _)| is_key(&grid, row, *col, key, values)));
    // A text over several columns stands for none of them.
    let is_one = |row: u32| {
        let cells: Vec<Option<Ix>> = places.iter().map(|(col, _)| grid.cell(row, *col)).collect();
        cells.windows(2).all(|pair| pair[0].is_none() || pair[0] != pair[1])
    };
    let rows: Vec<u32> = grid.data_rows().filter(|row| is_data(*row) && is_one(*row)).collect();
    let texts = |col: u32| rows.iter().filter_map(|row| grid.text(*row, col)).collect::<Vec<_>>();
    let said = wanted.iter().zip(&may_be_empty);
    for ((column, (col, place)), (wanted, may_be_empty)) in columns.iter_mut().zip(&places).zip(said) {
        let cells = texts(*col);
        if *wanted {
            column.format = format_for(&column.kind, &cells).ok_or_else(|| {
                let header = place.header.to_string();
                format!(
                    "what stands under `{header}` is not, or not in one way alone, what `{}` is declared to be",
                    column.name
                )
            })?;
        } else {
            (column.kind, column.format) = type_of(&cells);
        }
        column.optional = *may_be_empty || cells.iter().any(String::is_empty);
    }
    let found = columns.iter().zip(&places).find(|(column, (col, _))| {
        let cells = texts(*col);
        let mut once = cells.clone();
        once.sort();
        once.dedup();
        column.kind == Type::Text && !column.optional && !cells.is_empty() && once.len() == cells.len()
    });
    // What tells the rows of one run apart may not do so in the next: where the analyst declared the columns, they know.
    let key = match &asked.declared {
        Some(Output { kind: Type::Table { columns, key }, .. }) if !columns.is_empty() => key.clone(),
        _ => found.map(|(column, _)| vec![column.name.clone()]).unwrap_or_default(),
    };
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
        let text = squash(&screen.text_of(cell));
        Some(RowKey { column: Some(place.header.clone()), equals: Template::literal(&text) })
    })
    .filter(|key| values.left_in(&key.equals.to_string()).is_none())
    .collect()
}

fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| squash(text).trim_end_matches(['*', ':', ' ']).to_lowercase();
    plain(a) == plain(b)
}

/// The column that the analyst declared for a header: by its name, else by its place where all are declared.
fn declared_column<'a>(asked: &'a TableReading, named: &str, at: usize, of: usize) -> Option<&'a OutputColumn> {
    let Some(Output { kind: Type::Table { columns, .. }, .. }) = &asked.declared else { return None };
    let by_name = columns.iter().find(|column| column.name.as_str() == named);
    by_name.or_else(|| columns.get(at).filter(|_| columns.len() == of))
}

/// The type that every cell can be read as: money where a currency sign says so, else text. Numbers without a currency
/// stay texts: most are names of something.
#[must_use]
pub fn type_of(cells: &[String]) -> (Type, ReadFormat) {
    let filled: Vec<&String> = cells.iter().filter(|c| !c.is_empty()).collect();
    let signs = [('$', "USD"), ('€', "EUR"), ('£', "GBP")];
    let signed = signs.iter().find(|(sign, _)| !filled.is_empty() && filled.iter().all(|cell| cell.contains(*sign)));
    if let Some((_, currency)) = signed {
        let kind = Type::Money { currency: Some((*currency).to_owned()) };
        if let Some(format) = format_for(&kind, cells) {
            return (kind, format);
        }
    }
    (Type::Text, ReadFormat::default())
}

/// How a screen writes values of a type, where every cell says so and none can be meant in two ways. Cells without text
/// say nothing.
#[must_use]
pub fn format_for(kind: &Type, cells: &[String]) -> Option<ReadFormat> {
    let filled: Vec<&String> = cells.iter().filter(|c| !c.is_empty()).collect();
    let plain = ReadFormat::default();
    let candidates: Vec<ReadFormat> = match kind {
        Type::Money { .. } | Type::Decimal | Type::Integer => [Locale::EnUs, Locale::DeDe]
            .into_iter()
            .map(|locale| ReadFormat { locale: Some(locale), ..plain.clone() })
            .collect(),
        Type::Date => [DateOrder::MonthDayYear, DateOrder::DayMonthYear, DateOrder::YearMonthDay]
            .into_iter()
            .map(|order| ReadFormat { date_order: Some(order), ..plain.clone() })
            .collect(),
        Type::Text | Type::Boolean | Type::Enum { .. } => vec![plain],
        Type::Table { .. } | Type::File => return None,
    };
    let values = |format: &ReadFormat| -> Option<Vec<Value>> {
        filled.iter().map(|cell| read(kind, format, cell).ok().filter(|value| *value != Value::Null)).collect()
    };
    let fitting: Vec<(ReadFormat, Vec<Value>)> =
        candidates.into_iter().filter_map(|format| values(&format).map(|v| (format, v))).collect();
    let (first, meant) = fitting.first()?;
    // Where two conventions fit and mean different values, neither is guessed.
    fitting.iter().all(|(_, other)| other == meant).then(|| first.clone())
}
