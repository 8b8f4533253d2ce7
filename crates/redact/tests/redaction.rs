//! What is masked, and what must not be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::LazyLock;

use serde_json::{Value, json};
use waymark_redact::{MASK, RedactError, Redactor, Rules, mask};

const VALUES: &[(&str, &str)] = &[
    ("password", r#"p@ss "w<o>rd"/é&1"#),
    ("payee", "Frank O'Neil"),
    ("balance", "55023.1"),
    ("account", "12345"),
    ("pin", "417"),
    ("initial", "x"),
];

fn rules() -> Rules {
    serde_json::from_value(json!({
        "version": 1,
        "field_names": ["password", "pin_code", "ssn", "Set-Cookie"],
        "query_parameters": ["password", "token", "jsessionid"],
        "patterns": ["card", "us_tax_id", "iban", "email", "bearer", "user_info", "api_key", "cookie"],
        "custom": [{ "name": "member", "regex": "member no\\. (?<secret>[0-9]+)" }],
    }))
    .unwrap()
}

fn redactor(values: &[(&str, &str)]) -> Redactor {
    let redactor = Redactor::new(&rules()).unwrap();
    for (kind, value) in values {
        redactor.register(kind, value).unwrap();
    }
    redactor
}

/// The text masked with [`VALUES`] registered; masks are written `<KIND>` to be read more easily. What is masked
/// must stay as it is when it is masked again.
fn check(text: &str, expected: &str) {
    static SHARED: LazyLock<Redactor> = LazyLock::new(|| redactor(VALUES));
    let redactor = &*SHARED;
    let once = redactor.redact_text(text).into_owned();
    let twice = redactor.redact_text(&once).into_owned();
    assert_eq!(once, twice, "masking twice is masking once");
    assert_eq!(once.replace("‹redacted:", "<").replace('›', ">"), expected, "of {text:?}");
}

fn unchanged(text: &str) {
    check(text, text);
}

fn check_json(mut value: Value, expected: &Value) {
    redactor(VALUES).redact_json(&mut value);
    assert_eq!(&value, expected);
}

#[test]
fn a_value_is_masked_inside_other_text() {
    check(r#"typed p@ss "w<o>rd"/é&1."#, "typed <password>.");
    check("to Frank O'Neil, twice: Frank O'Neil", "to <payee>, twice: <payee>");
}

#[test]
fn a_value_is_masked_as_an_address_carries_it() {
    check("/x?p=p%40ss%20%22w%3Co%3Erd%22%2F%C3%A9%261&y=1", "/x?p=<password>&y=1");
    check("/x?p=p%40ss+%22w%3co%3erd%22%2f%c3%a9%261&y=1", "/x?p=<password>&y=1");
    check("p=p@ss%20%22w<o>rd%22/%e9&1, p%40ss+%22w%3Co%3erd%22/é&1", "p=p@ss%20%22w<o>rd%22/%e9&1, <password>");
    check("twice%253A%20Frank%2520O%2527Neil", "twice%253A%20<payee>");
    check("escape(Frank%20O%u0027Neil)", "escape(<payee>)");
}

#[test]
fn a_value_is_masked_as_json_and_scripts_escape_it() {
    check(r#"{"p":"p@ss \"w<o>rd\"/é&1"}"#, r#"{"p":"<password>"}"#);
    check(r#"{"p":"p@ss \"w\u003co\u003erd\"\/\u00e9\u00261"}"#, r#"{"p":"<password>"}"#);
    check(r#""{\"p\":\"p@ss \\\"w<o>rd\\\"/é&1\"}""#, r#""{\"p\":\"<password>\"}""#);
    check(r"Text('Frank O\u{27}Neil')", "Text('<payee>')");
}

#[test]
fn a_value_is_masked_as_html_escapes_it() {
    check("<b>p@ss &quot;w&lt;o&gt;rd&quot;/é&amp;1</b>", "<b><password></b>");
    check("Frank&nbsp;O&#39;Neil, Frank&#x20;O&#X27;Neil", "<payee>, <payee>");
}

#[test]
fn a_value_is_masked_in_base64_wherever_it_stands_in_it() {
    // "Frank O'Neil" alone, and behind one, two and three other bytes.
    check("RnJhbmsgTydOZWls", "<payee>");
    check("eEZyYW5rIE8nTmVpbA==", "e<payee>==");
    check("eHhGcmFuayBPJ05laWx6", "eH<payee>6");
    check("eHh4RnJhbmsgTydOZWls", "eHh4<payee>");
}

#[test]
fn a_number_is_masked_however_it_is_written() {
    check(
        "$55,023.10 and -55023.1 and 55.023,10 and 55 023,1",
        "$<balance> and -<balance> and <balance> and <balance>",
    );
    check("($55,023.10)", "($<balance>)");
    check("account 12345, 12,345.00", "account <account>, <account>");
    unchanged("$55,023.11, 155,023.10, 5,502.31, 1.2.55023");
}

#[test]
fn a_short_value_is_masked_as_a_whole_word_only() {
    check("417", "<pin>");
    check(
        "pin=417&x; PIN: 417. (417) <td>417</td> \"417\"",
        "pin=<pin>&x; PIN: <pin>. (<pin>) <td><pin></td> \"<pin>\"",
    );
    unchanged("4170 a417 2026-11-30T04:41:7 1.417 417-88 v417 12:417 417% 417px");
    check("x", "<initial>");
    unchanged("x marks the x");
}

#[test]
fn what_is_not_secret_survives() {
    unchanged("id@1.2.0 waymark@0.1.0 @scope/name@2.0.0-beta.1");
    unchanged("sha256:6d7fce9fee471194aa8b5b6e47267f0391f5a1c5a4111111111111111d1b45c6");
    unchanged("2026-11-30T04:41:36.123456Z 20261130044136 1764477696123 1764477696123456");
    unchanged("run 01K4B8Z0QX7J2M5N6P8R9S0T1V 550e8400-e29b-41d4-a716-446655440000");
    unchanged("$1,351.12 -$2300.00 12456 54321 13,344.00 310-447-4121 12-14-2025 1111 1211");
    unchanged("Basic information. The bearer certificates were basic accounts.");
    unchanged("http://127.0.0.1:8080/parabank/activity.htm?id=12456&month=All");
    unchanged("order 4111-1111-1111-1112, 1234 5678 9012 3456");
    unchanged("Password: (empty) token, password hint; password reset");
    unchanged("");
}

#[test]
fn cards_are_found_by_their_check_digit() {
    check("card 4111111111111111 and 5500-0000-0000-0004, 3782 822463 10005", "card <card> and <card>, <card>");
    check("Card4111 1111 1111 1111.", "Card<card>.");
    unchanged("4111111111111112 94111111111111111 4111111111111111-2");
}

#[test]
fn tax_ids_are_found_without_a_word_boundary() {
    check("Tax ID412-88-7301", "Tax ID<tax_id>");
    check("SSN: 622119999, EIN 12-3456789", "SSN: <tax_id>, EIN <tax_id>");
    unchanged("000-12-3456 412-00-7301 1412-88-7301 412-88-73011 622119999");
}

#[test]
fn bank_accounts_are_found_by_length_and_checksum() {
    check("DE89 3704 0044 0532 0130 00 USD", "<iban> USD");
    check("GB29NWBK60161331926819", "<iban>");
    unchanged("DE88 3704 0044 0532 0130 00, DE8937040044053201300, ZZ89370400440532013000");
}

#[test]
fn addresses_of_people_are_found() {
    check("mail john.smith+bank@mail.parabank.example now", "mail <email> now");
    check("q=john%40parabank.example", "q=<email>");
}

#[test]
fn credentials_of_requests_are_found() {
    check("Authorization: Bearer abc123def456", "Authorization: Bearer <bearer>");
    check("authorization: Basic dGVsbGVyMTpkZW1vMTIz", "authorization: Basic <bearer>");
    check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_", "<bearer>");
    check("http://teller1:demo123@core.example/x", "http://<user_info>@core.example/x");
    check(
        "/a;jsessionid=0A1B2C?password=hunter2&x=1#token=t0",
        "/a;jsessionid=<jsessionid>?password=<password>&x=1#token=<token>",
    );
    check("/go?to=http://core.example/a?token=t0&x=1", "/go?to=http://core.example/a?token=<token>&x=1");
    check("password=hunter2&id=5", "password=<password>&id=5");
    check("/x?password=hun?ter2&amp;token=t?1", "/x?password=<password>&amp;token=<token>");
    unchanged("/x?password=&passwords=3&id=5");
}

#[test]
fn a_form_of_ones_own_is_found() {
    check("member no. 5512 since 1999", "member no. <member> since 1999");
}

#[test]
fn fields_are_masked_in_json_that_is_only_a_text() {
    check(
        r#"{"password": "hunter2", "Pin-Code": 1234, "id": 5}"#,
        r#"{"password": "<password>", "Pin-Code": "<pincode>", "id": 5}"#,
    );
}

#[test]
fn json_is_masked_by_value_and_by_field() {
    check_json(
        json!({
            "password": "hunter2", "PINCODE": 99, "ssn": ["1", "2"], "set_cookie": "", "pin": 7,
            "text": "to Frank O'Neil", "amount": 55023.1, "id": 12345, "count": 417, "ok": true, "none": null,
            "properties": { "password": { "type": "string" } },
        }),
        &json!({
            "password": mask("password"), "PINCODE": mask("pincode"), "ssn": [mask("ssn"), mask("ssn")], "set_cookie": "",
            "pin": 7, "text": format!("to {}", mask("payee")), "amount": mask("balance"), "id": mask("account"),
            "count": 417, "ok": true, "none": null,
            "properties": { "password": { "type": "string" } },
        }),
    );
}

#[test]
fn keys_are_masked_and_none_is_lost() {
    let masked = mask("account");
    check_json(
        json!({ "12345": 1, "12,345": 2, "54321": 3 }),
        &json!({ masked.as_str(): 2, format!("{masked}#2"): 1, "54321": 3 }),
    );
}

#[test]
fn file_names_are_masked_with_plain_characters() {
    let redactor = redactor(VALUES);
    assert_eq!(redactor.redact_file_name("account-12345_417.png"), "account-redacted-account_redacted-pin.png");
    assert_eq!(redactor.redact_file_name("step-04-4170.png"), "step-04-4170.png");
}

#[test]
fn a_canary_is_found_in_any_encoding() {
    let redactor = redactor(VALUES);
    for text in ["Frank%20O%27Neil", "eHhGcmFuayBPJ05laWx6", "$55,023.10", "PIN 417", r"Frank O\u0027Neil"] {
        assert!(redactor.finds(text), "{text}");
    }
    for text in ["", "Frank", "4111111111111111", "john@parabank.example"] {
        assert!(!redactor.finds(text), "{text}");
    }
    assert!(!Redactor::new(&rules()).unwrap().finds("anything"));
}

#[test]
fn a_value_that_is_a_word_of_the_mask_is_masked_plainly() {
    let redactor = redactor(&[("password", "password"), ("word", "redacted")]);
    assert_eq!(redactor.redact_text("the password is redacted"), format!("the {MASK} is {MASK}"));
}

#[test]
fn overlapping_values_leave_no_rest() {
    let redactor = redactor(&[("a", "abcdef"), ("b", "defghi")]);
    assert_eq!(redactor.redact_text("xabcdefghix"), format!("x{}x", mask("a")));
}

#[test]
fn digits_are_not_masked_where_they_stand_by_chance() {
    let redactor = redactor(&[("account", "12345"), ("word", "beef")]);
    for text in ["1764477696123456", "11112345", "sha256:6d7f12345e471194", "deadbeef00112233"] {
        assert_eq!(redactor.redact_text(text), text);
    }
    assert_eq!(redactor.redact_text("0000012345, id12345z, a beefy"), {
        let (account, word) = (mask("account"), mask("word"));
        format!("{account}, id{account}z, a {word}y")
    });
}

#[test]
fn empty_values_mask_nothing_and_keywords_only_whole_texts() {
    let redactor = redactor(&[("empty", ""), ("blank", "  "), ("flag", "true")]);
    assert_eq!(redactor.redact_text("a  b is true"), "a  b is true");
    assert_eq!(redactor.redact_text("true"), mask("flag"));
}

#[test]
fn bytes_that_are_no_text_are_an_error() {
    let redactor = redactor(VALUES);
    assert_eq!(redactor.redact_bytes(b"\xff\xfe12345"), Err(RedactError::NotText));
    assert_eq!(redactor.redact_bytes(b"12345").unwrap(), mask("account"));
}

#[test]
fn a_form_that_is_no_expression_is_an_error() {
    let mut rules = rules();
    rules.custom[0].regex = "(".to_owned();
    assert!(matches!(Redactor::new(&rules), Err(RedactError::Form { name, .. }) if name == "member"));
}

#[test]
fn a_form_that_takes_much_memory_is_an_error() {
    let mut rules = rules();
    rules.custom[0].regex = r"\w{200}".to_owned();
    assert!(matches!(Redactor::new(&rules), Err(RedactError::Form { name, .. }) if name == "member"));
    rules.custom[0].regex = "[0-9a-z]{200}".to_owned();
    assert!(Redactor::new(&rules).is_ok());
}

#[test]
fn debug_output_shows_no_value() {
    assert_eq!(format!("{:?}", redactor(&[("password", "hunter2")])), "Redactor(1 values)");
}

/// A text with these values registered, and what becomes of it.
fn check_with(values: &[(&str, &str)], text: &str, expected: &str) {
    let redactor = redactor(values);
    let once = redactor.redact_text(text).into_owned();
    assert_eq!(once.replace("‹redacted:", "<").replace('›', ">"), expected, "of {text:?}");
    assert_eq!(redactor.redact_text(&once), once, "masking twice is masking once");
}

#[test]
fn a_value_that_a_page_or_a_writer_wraps_is_masked() {
    check("to Frank\n      O'Neil.", "to <payee>.");
    check("to Frank\u{a0}O'Neil, Frank  O'Neil", "to <payee>, <payee>");
    check("Frank\\n O'Neil, Fra\u{ad}nk O\u{200b}'Neil", "<payee>, <payee>");
    let values = [("password", "Tr0ub4dor&3")];
    check_with(&values, "Tr0ub\n  4dor&3", "<password>");
    check_with(&values, "VHIwdWI0ZG\r\n9yJjM=", "<password>=");
    check_with(&values, "T r 0 u b 4 d o r & 3!", "<password>!");
    check_with(&values, "T r 0 u b 4 d o r", "T r 0 u b 4 d o r");
}

#[test]
fn short_words_that_only_touch_make_no_value() {
    check_with(&[("word", "heat")], "he at the heath", "he at the <word>h");
    check_with(&[("account", "12345")], "123 45, 12 345, 1 2345", "123 45, <account>, 1 2345");
}

#[test]
fn a_value_is_masked_in_hexadecimal_in_any_case_and_in_pairs() {
    let values = [("password", "Tr0ub4dor")];
    check_with(&values, "547230756234646f72", "<password>");
    check_with(&values, "x=547230756234646F72;", "x=<password>;");
    check_with(&values, "54:72:30:75:62:34:64:6f:72 54-72-30-75-62-34-64-6F-72", "<password> <password>");
    check_with(&values, r"\x54\x72\x30\x75\x62\x34\x64\x6f\x72", "<password>");
    check_with(&values, "54 72 30 75 62 34 64 6f 72", "<password>");
}

#[test]
fn a_value_is_masked_in_a_document_or_an_address_that_is_put_into_base64() {
    let redactor = redactor(&[("password", r#"pa"ss wörd"#)]);
    for inner in [r#"{"p":"pa\"ss wörd"}"#, "p=pa%22ss%20w%C3%B6rd&x=1", r#"pa"ss wörd"#] {
        let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, inner);
        let masked = redactor.redact_text(&text).into_owned();
        assert!(masked.contains(&mask("password")) && !redactor.finds(&masked), "{inner}: {masked}");
    }
    // In an address, the padding and `/` and `+` of base64 are escaped once more.
    check_with(&[("word", "subjects?")], "q=c3ViamVjdHM%2F&c3ViamVjdHM%252f", "q=<word>&<word>");
}

#[test]
fn a_value_is_masked_as_signs_with_names() {
    check_with(&[("street", "Rue Él (3) €5")], "Rue&nbsp;&Eacute;l &lpar;3&rpar; &euro;5", "<street>");
    check("p=p&commat;ss &quot;w&lt;o&gt;rd&quot;&sol;&eacute;&amp;1", "p=<password>");
    unchanged("AT&T; &copy; &bogus; &#; &#x; &;");
}

#[test]
fn a_long_value_is_masked_in_any_case() {
    check_with(&[("word", "Tr0ub4dor")], "TR0UB4DOR tr0ub4dor", "<word> <word>");
    check_with(&[("word", "Åse-Marie")], "ÅSE-MARIE åse-marie", "<word> <word>");
    check_with(&[("word", "Main")], "Main menu, main, MAIN", "<word> menu, main, MAIN");
}

#[test]
fn an_identifier_is_masked_however_its_digits_are_grouped() {
    let tax = [("tax", "622-11-9999")];
    check_with(&tax, "622119999, 622 11 9999; 622.11.9999", "<tax>, <tax>; <tax>");
    check_with(&tax, "622–11–9999 (622) 11-9999", "<tax> (<tax>");
    check_with(&tax, "622 11 99990, 1622 11 9999, 62-211-9999", "622 11 99990, 1622 11 9999, <tax>");
    check_with(&[("member", "55501234567")], "555 0123 4567, 555-0123-4567", "<member>, <member>");
    check_with(&[("born", "1971-04-30")], "1971/04/30 19710430 30.04.1971", "<born> <born> 30.04.1971");
    check_with(&[("account", "12345")], "12-345, 123 45", "12-345, 123 45");
}

#[test]
fn keys_and_cookies_are_found() {
    check("use sk-proj-abcdefghij0123456789XY now", "use <api_key> now");
    check("AKIAIOSFODNN7EXAMPLE, ghp_0123456789abcdefghijABCDEFGHIJ012345", "<api_key>, <api_key>");
    check("X-Api-Key: 0123456789abcdef", "X-Api-Key: <api_key>");
    check("Cookie: JSESSIONID=0A1B2C; theme=dark", "Cookie: <cookie>");
    check("set-cookie: id=a3fWa; Path=/; HttpOnly", "set-cookie: <cookie>");
    check("-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----.", "<api_key>.");
    unchanged("This site uses cookies: accept or decline. Cookie: accept. Cookies=yes are fine.");
    unchanged("sk-learn, pk-something-with-many-words-in-it, the api key: ask your administrator");
}

#[test]
fn ranges_are_those_that_are_masked() {
    let redactor = redactor(&[("payee", "Frank O'Neil")]);
    assert_eq!(redactor.ranges("to Frank  O'Neil or Frank").first(), Some(&(3..16)));
    assert_eq!(redactor.ranges("to Frank  O'Neil or Frank").len(), 1);
    assert!(redactor.ranges("nobody").is_empty());
    assert!(redactor.ranges(&mask("payee")).is_empty());
    assert!(redactor.knows_any() && !Redactor::new(&rules()).unwrap().knows_any());
}
