//! Reading typed values.

use expect_test::expect;

use crate::check;

#[test]
fn a_value_is_read_of_a_settled_screen() {
    check(
        r#"
outputs:
- {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}}
steps:
- {id: read, read: cell "Balance", into: balance}
end: output balance
"#,
        r#"
0 start
10 seen changing
  table
    row
      cell "Balance" cell=0,0
        text "$1,0"
20 seen
  table
    row
      cell "Balance" cell=0,0
        text "$1,050.25"
30 seen
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: wait 14990
            20 seen: found cell "Balance" by role_name; read balance {"amount":"1050.25","currency":"USD"}; done read; look
            30 seen: check run holds; END success
              effect none, done 1/1
              balance = {"amount":"1050.25","currency":"USD"}
        "#]],
    );
}

#[test]
fn nothing_is_read_of_half_a_document() {
    check(
        r#"
outputs:
- {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}}
steps:
- {id: go, click: link "Balance", check: heading "Balance"}
- {id: read, read: cell "Balance", into: balance}
end: output balance
"#,
        r#"
0 start
10 seen
  link "Balance"
20 delivered
30 seen
  ! failed http://app.test/balance
  heading "Balance"
  table
    row
      cell "Balance" cell=0,0
        text "$1,0"
40 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found link "Balance" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: fact document; check go holds; done go; step read; look
            40 seen: found cell "Balance" by role_name; unexpectedstate app_error; END failed app_error at read
              "http://app.test/balance could not be loaded: connection refused"
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn a_value_of_another_type_is_invalid() {
    check(
        r#"
outputs:
- {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}}
steps:
- {id: read, read: cell "Balance", into: balance}
end: output balance
"#,
        r#"
0 start
10 seen
  table
    row
      cell "Balance" cell=0,0
        text "n/a"
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found cell "Balance" by role_name; unexpectedstate output_invalid; END failed output_invalid at read
              "`n/a` is no amount of money"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_value_that_is_missing_is_invalid_unless_it_is_optional() {
    check(
        r#"
outputs:
- {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}}
steps:
- {id: read, read: cell "Balance", into: balance}
end: output balance
"#,
        r#"
0 start
10 seen
  table
    row
      cell "Balance" cell=0,0
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found cell "Balance" by role_name; unexpectedstate output_invalid; END failed output_invalid at read
              "nothing is there, and the output is not optional"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_optional_value_may_be_missing() {
    check(
        r#"
outputs:
- {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, optional: true}
steps:
- {id: read, read: cell "Balance", into: balance}
"#,
        r#"
0 start
10 seen
  table
    row
      cell "Balance" cell=0,0
20 seen
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found cell "Balance" by role_name; read balance null; done read; look
            20 seen: check run holds; END success
              effect none, done 1/1
              balance = null
        "#]],
    );
}

#[test]
fn a_sensitive_value_is_in_no_event() {
    check(
        r#"
outputs:
- {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, sensitive: true}
steps:
- {id: read, read: cell "Balance", into: balance}
end: output balance
"#,
        r#"
0 start
10 seen
  table
    row
      cell "Balance" cell=0,0
        text "$1,050.25"
20 seen
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found cell "Balance" by role_name; read balance null; done read; look
            20 seen: check run holds; END success
              effect none, done 1/1
              balance = {"amount":"1050.25","currency":"USD"}
        "#]],
    );
}

#[test]
fn a_sensitive_value_of_another_type_is_not_told() {
    check(
        r#"
outputs:
- {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, sensitive: true}
steps:
- {id: read, read: cell "Balance", into: balance}
end: output balance
"#,
        r#"
0 start
10 seen
  table
    row
      cell "Balance" cell=0,0
        text "412-88-7301"
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found cell "Balance" by role_name; unexpectedstate output_invalid; END failed output_invalid at read
              "what was read is not of the declared type"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn the_value_of_a_control_is_read() {
    check(
        r#"
outputs:
- {name: phone, type: text}
steps:
- {id: read, read: label textbox "Phone", part: value, into: phone}
"#,
        r#"
0 start
10 seen
  textbox "Phone" = "555-1234" labelled
20 seen
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found textbox "Phone" by label; read phone "555-1234"; done read; look
            20 seen: check run holds; END success
              effect none, done 1/1
              phone = "555-1234"
        "#]],
    );
}

#[test]
fn all_rows_of_a_table_are_read_but_those_that_are_no_data() {
    check(
        r#"
outputs:
- name: rows
  type: {table: {columns: [{name: account, type: text}, {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, optional: true}]}}
steps:
- {id: read, rows: table "Accounts", into: rows, columns: {account: Account, balance: Balance}, except: ["Total"]}
"#,
        r#"
0 start
10 seen
  table "Accounts"
    row
      columnheader cell=0,0,1,1,header
        text "Account"
      columnheader cell=0,1,1,1,header
        text "Balance"
    row
      cell cell=1,0
        text "A1"
      cell cell=1,1
        text "$10.00"
    row
      cell cell=2,0
        text "A2"
      cell cell=2,1
    row
      cell cell=3,0
        text "Total"
      cell cell=3,1
        text "$10.00"
20 seen
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found table "Accounts" by role_name; read rows {"complete":true,"more":false,"rows":[{"account":"A1","balance":{"amount":"10.00","currency":"USD"}},{"account":"A2","balance":null}]}; done read; look
            20 seen: check run holds; END success
              effect none, done 1/1
              rows = {"rows":[{"account":"A1","balance":{"amount":"10.00","currency":"USD"}},{"account":"A2","balance":null}],"complete":true,"more":false}
        "#]],
    );
}

#[test]
fn the_first_rows_are_read_and_more_is_told() {
    check(
        r#"
outputs:
- name: rows
  type: {table: {columns: [{name: account, type: text}, {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, optional: true}]}}
steps:
- {id: read, rows: table "Accounts", into: rows, columns: {account: Account, balance: Balance}, first: 1, except: ["Total"]}
"#,
        r#"
0 start
10 seen
  table "Accounts"
    row
      columnheader cell=0,0,1,1,header
        text "Account"
      columnheader cell=0,1,1,1,header
        text "Balance"
    row
      cell cell=1,0
        text "A1"
      cell cell=1,1
        text "$10.00"
    row
      cell cell=2,0
        text "A2"
      cell cell=2,1
    row
      cell cell=3,0
        text "Total"
      cell cell=3,1
        text "$10.00"
20 seen
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found table "Accounts" by role_name; read rows {"complete":true,"more":true,"rows":[{"account":"A1","balance":{"amount":"10.00","currency":"USD"}}]}; done read; look
            20 seen: check run holds; END success
              effect none, done 1/1
              rows = {"rows":[{"account":"A1","balance":{"amount":"10.00","currency":"USD"}}],"complete":true,"more":true}
        "#]],
    );
}

#[test]
fn an_empty_cell_of_a_required_column_is_invalid() {
    check(
        r#"
outputs:
- name: rows
  type: {table: {columns: [{name: account, type: text}, {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}}]}}
steps:
- {id: read, rows: table "Accounts", into: rows, columns: {account: Account, balance: Balance}, except: ["Total"]}
"#,
        r#"
0 start
10 seen
  table "Accounts"
    row
      columnheader cell=0,0,1,1,header
        text "Account"
      columnheader cell=0,1,1,1,header
        text "Balance"
    row
      cell cell=1,0
        text "A1"
      cell cell=1,1
        text "$10.00"
    row
      cell cell=2,0
        text "A2"
      cell cell=2,1
    row
      cell cell=3,0
        text "Total"
      cell cell=3,1
        text "$10.00"
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found table "Accounts" by role_name; unexpectedstate output_invalid; END failed output_invalid at read
              "row 2, column `balance`: the cell is empty"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_cell_of_another_type_names_row_and_column() {
    check(
        r#"
outputs:
- name: rows
  type: {table: {columns: [{name: account, type: text}, {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, optional: true}]}}
steps:
- {id: read, rows: table "Accounts", into: rows, columns: {account: Account, balance: Balance}, except: ["Total"]}
"#,
        r#"
0 start
10 seen
  table "Accounts"
    row
      columnheader cell=0,0,1,1,header
        text "Account"
      columnheader cell=0,1,1,1,header
        text "Balance"
    row
      cell cell=1,0
        text "A1"
      cell cell=1,1
        text "ten"
    row
      cell cell=2,0
        text "A2"
      cell cell=2,1
    row
      cell cell=3,0
        text "Total"
      cell cell=3,1
        text "$10.00"
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found table "Accounts" by role_name; unexpectedstate output_invalid; END failed output_invalid at read
              "row 1, column `balance`: `ten` is no amount of money"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_header_that_is_not_there_is_invalid() {
    check(
        r#"
outputs:
- name: rows
  type: {table: {columns: [{name: account, type: text}, {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, optional: true}]}}
steps:
- {id: read, rows: table "Accounts", into: rows, columns: {account: Account, balance: Amount}, except: ["Total"]}
"#,
        r#"
0 start
10 seen
  table "Accounts"
    row
      columnheader cell=0,0,1,1,header
        text "Account"
      columnheader cell=0,1,1,1,header
        text "Balance"
    row
      cell cell=1,0
        text "A1"
      cell cell=1,1
        text "$10.00"
    row
      cell cell=2,0
        text "A2"
      cell cell=2,1
    row
      cell cell=3,0
        text "Total"
      cell cell=3,1
        text "$10.00"
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found table "Accounts" by role_name; unexpectedstate output_invalid; END failed output_invalid at read
              "the header `Amount`: Absent"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_empty_table_is_no_output_that_holds_something() {
    check(
        r#"
outputs:
- name: rows
  type: {table: {columns: [{name: account, type: text}, {name: balance, type: {money: {currency: USD}}, format: {locale: en-US}, optional: true}]}}
steps:
- {id: read, rows: table "Accounts", into: rows, columns: {account: Account, balance: Balance}, except: ["Total"]}
end: output rows
"#,
        r#"
0 start
10 seen
  table "Accounts"
    row
      columnheader cell=0,0,1,1,header
        text "Account"
      columnheader cell=0,1,1,1,header
        text "Balance"
20 seen
15030 seen
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found table "Accounts" by role_name; read rows {"complete":true,"more":false,"rows":[]}; done read; look
            20 seen: wait 14990
            15030 seen: check run fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet
              "output rows Not so: output rows holds something"
              effect none, done 1/1
              rows = {"rows":[],"complete":true,"more":false}
        "#]],
    );
}

#[test]
fn two_rows_of_one_key_are_invalid() {
    check(
        r#"
outputs:
- name: rows
  type: {table: {columns: [{name: account, type: text}], key: [account]}}
steps:
- {id: read, rows: table "Accounts", into: rows, columns: {account: Account}}
"#,
        r#"
0 start
10 seen
  table "Accounts"
    row
      columnheader cell=0,0,1,1,header
        text "Account"
    row
      cell cell=1,0
        text "A1"
    row
      cell cell=2,0
        text "A2"
    row
      cell cell=3,0
        text "A1"
"#,
        expect![[r#"
            0 start: step read; look
            10 seen: found table "Accounts" by role_name; unexpectedstate output_invalid; END failed output_invalid at read
              "the rows 1 and 3 have the same account"
              effect none, done 0/1
        "#]],
    );
}
