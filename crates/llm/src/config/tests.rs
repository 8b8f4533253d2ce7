//! What is chosen from variables, file and options.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn options(provider: &str, model: &str, base_url: &str) -> Options {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Options { provider: some(provider), model: some(model), base_url: some(base_url), answer_by: None }
}

/// The choice, or the code of why there is none.
fn check(exported: &[(&str, &str)], dot_env: &str, options: &Options, expected: Result<(&str, &str, &str), &str>) {
    let chosen = resolve(&map(exported), Some(dot_env), options);
    match (chosen, expected) {
        (Ok(settings), Ok((name, url, key))) => {
            assert_eq!(format!("{} {}", settings.provider.word(), settings.model), name);
            assert_eq!(settings.base_url, url);
            assert_eq!(settings.key.as_ref().map_or("", |key| key.expose()), key);
            assert!(!format!("{settings:?} {settings}").contains("canary"));
        }
        (Err(error), Err(code)) => {
            assert_eq!(error.code, code);
            assert!(CONFIG_CODES.iter().any(|(known, _)| *known == code));
            assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
        }
        (got, expected) => panic!("{got:?} instead of {expected:?}"),
    }
}

const ANTHROPIC: &str = "https://api.anthropic.com";
const OPENAI: &str = "https://api.openai.com/v1";
const GROQ: &str = "https://api.groq.com/openai/v1";

#[test]
fn each_provider_has_its_default_model_and_key() {
    let exported = [("ANTHROPIC_API_KEY", "canary"), ("OPENAI_API_KEY", "o"), ("GROQ_API_KEY", "g")];
    check(&exported, "", &options("", "", ""), Ok(("anthropic claude-3-5-sonnet-latest", ANTHROPIC, "canary")));
    check(&exported, "", &options("openai", "", ""), Ok(("openai gpt-4o", OPENAI, "o")));
    check(&exported, "", &options("Groq", "", ""), Ok(("groq openai/gpt-oss-120b", GROQ, "g")));
    check(&exported[2..], "", &options("", "", ""), Ok(("groq openai/gpt-oss-120b", GROQ, "g")));
    check(&[], "", &options("", "", ""), Err("no_provider"));
    check(&[], "", &options("openai", "", ""), Err("key_missing"));
    check(&[], "", &options("gemini", "", ""), Err("provider_unknown"));
}

#[test]
fn exported_variables_stand_before_those_of_the_file() {
    let file = "OPENAI_API_KEY=file\nLLM_PROVIDER=openai\nLLM_MODEL='of file'\n";
    check(&[], file, &options("", "", ""), Ok(("openai of file", OPENAI, "file")));
    check(&[("OPENAI_API_KEY", "env")], file, &options("", "", ""), Ok(("openai of file", OPENAI, "env")));
    check(&[("LLM_MODEL", "m"), ("OPENAI_API_KEY", "")], file, &options("", "", ""), Ok(("openai m", OPENAI, "file")));
}

#[test]
fn the_two_variables_stand_before_the_options_and_say_so() {
    let exported = [("OPENAI_API_KEY", "o"), ("GROQ_API_KEY", "g"), ("LLM_PROVIDER", "groq")];
    check(&exported, "", &options("openai", "gpt-4o", ""), Ok(("groq openai/gpt-oss-120b", GROQ, "g")));
    let settings = resolve(&map(&exported), None, &options("openai", "gpt-4o", "")).unwrap();
    assert_eq!(settings.notes, ["LLM_PROVIDER=groq stands before --provider"]);
    let exported = [("OPENAI_API_KEY", "o"), ("LLM_MODEL", "m")];
    let settings = resolve(&map(&exported), None, &options("openai", "gpt-4o", "")).unwrap();
    assert_eq!((settings.model.as_str(), settings.notes.len()), ("m", 1));
}

#[test]
fn any_compatible_address_is_taken_and_needs_no_key() {
    let local = "http://127.0.0.1:8080/v1/";
    check(&[], "", &options("", "tiny", local), Ok(("openai tiny", "http://127.0.0.1:8080/v1", "")));
    check(
        &[("GROQ_API_KEY", "g")],
        "",
        &options("groq", "tiny", local),
        Ok(("groq tiny", "http://127.0.0.1:8080/v1", "g")),
    );
    check(
        &[("LLM_BASE_URL", local)],
        "",
        &options("", "tiny", ""),
        Ok(("openai tiny", "http://127.0.0.1:8080/v1", "")),
    );
    for bad in ["127.0.0.1", "ftp://x.test", "http://canary:b@x.test/v1", "http://x.test/v1?key=canary", "file:///x"] {
        check(&[], "", &options("", "", bad), Err("address_unusable"));
    }
    let settings = resolve(&map(&[("OPENAI_API_KEY", "o")]), None, &options("", "", "http://models.test/v1")).unwrap();
    assert!(settings.notes[0].contains("not encrypted"));
}

#[test]
fn an_exported_key_does_not_go_where_only_a_file_says() {
    let file = "OPENAI_BASE_URL=https://models.test/v1";
    check(&[("OPENAI_API_KEY", "canary")], file, &options("openai", "", ""), Err("key_elsewhere"));
    let both = format!("{file}\nOPENAI_API_KEY=k");
    check(&[], &both, &options("openai", "", ""), Ok(("openai gpt-4o", "https://models.test/v1", "k")));
    let said = options("openai", "", "https://models.test/v1");
    check(&[("OPENAI_API_KEY", "k")], file, &said, Ok(("openai gpt-4o", "https://models.test/v1", "k")));
}

#[test]
fn a_model_that_searches_or_runs_code_is_refused() {
    for model in
        ["groq/compound", "compound-beta-mini", "gpt-4o-search-preview", "o3-deep-research", "computer-use-preview"]
    {
        check(&[("OPENAI_API_KEY", "o")], "", &options("openai", model, ""), Err("model_has_tools"));
    }
    assert!(ADVICE.contains("strongest") && ADVICE.contains("provider's side"));
}

#[test]
fn a_line_that_does_not_read_is_named_and_not_repeated() {
    check(&[], "A=1\nOPENAI_API_KEY=canary bad 'line\n", &options("openai", "", ""), Err("dot_env"));
    let error = resolve(&map(&[]), Some("A=1\ncanary-key\n"), &options("openai", "", "")).unwrap_err();
    assert_eq!(error.message, ".env line 2 does not read");
    check(&[("OPENAI_API_KEY", "canary\u{e9}")], "", &options("openai", "", ""), Err("key_unusable"));
    check(&[("OPENAI_API_KEY", "canary two")], "", &options("openai", "", ""), Err("key_unusable"));
}

#[test]
fn a_model_answers_by_tool_or_by_schema() {
    let by = |word: &str| {
        let exported = map(&[("OPENAI_API_KEY", "o"), ("LLM_ANSWER_BY", word)]);
        let options = Options { answer_by: Some(AnswerBy::Tool), ..Options::default() };
        resolve(&exported, None, &options).map(|settings| settings.answer_by).map_err(|error| error.code)
    };
    assert_eq!((by(""), by("Schema")), (Ok(AnswerBy::Tool), Ok(AnswerBy::Schema)));
    assert_eq!(by("magic"), Err("answer_by_unknown"));
}

#[test]
fn only_these_variables_are_looked_at() {
    let names = variables();
    assert_eq!(names.len(), 17);
    assert!(names.contains(&"LLM_PROVIDER") && names.contains(&"GROQ_API_KEY"));
}

#[test]
fn the_selector_is_configured_on_its_own() {
    let chosen = |exported: &[(&str, &str)], file: &str, options: &Options| {
        let chosen = resolve_selector(&map(exported), Some(file), options).map_err(|error| error.code)?;
        let key = |settings: &Settings| settings.key.as_ref().map_or(String::new(), |key| key.expose().clone());
        Ok::<_, &str>(chosen.map(|settings| format!("{settings} {}", key(&settings))))
    };
    let none = options("", "", "");
    let navigator =
        [("OPENAI_API_KEY", "o"), ("LLM_PROVIDER", "openai"), ("LLM_MODEL", "m"), ("LLM_BASE_URL", "http://x.test/v1")];
    assert_eq!(chosen(&navigator, "", &none), Ok(None), "the navigator's choice is not the selector's");
    let some = |text: &str| Ok(Some(text.to_owned()));
    let both = [navigator.as_slice(), &[("SELECTOR_MODEL", "tiny")]].concat();
    assert_eq!(chosen(&both, "", &none), some("openai tiny at https://api.openai.com/v1 o"));
    let local = "http://127.0.0.1:8080/v1";
    assert_eq!(chosen(&[], "", &options("", "tiny", local)), some("openai tiny at http://127.0.0.1:8080/v1 "));
    let own = [("SELECTOR_API_KEY", "s"), ("OPENAI_API_KEY", "o"), ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")];
    let file = "SELECTOR_PROVIDER=openai\nSELECTOR_BASE_URL=http://127.0.0.1:8080/v1";
    assert_eq!(chosen(&own, file, &none), some("openai gpt-4o at http://127.0.0.1:8080/v1 s"));
    let exported = [("SELECTOR_PROVIDER", "groq"), ("GROQ_API_KEY", "g")];
    assert_eq!(chosen(&exported, file, &none), some("groq openai/gpt-oss-120b at http://127.0.0.1:8080/v1 g"));
    assert_eq!(chosen(&[("SELECTOR_PROVIDER", "anthropic")], "", &none), Err("key_missing"));
    let elsewhere = "SELECTOR_PROVIDER=openai\nSELECTOR_BASE_URL=https://models.test/v1";
    assert_eq!(chosen(&[("SELECTOR_API_KEY", "canary")], elsewhere, &none), Err("key_elsewhere"));
    let noted = resolve_selector(&map(&exported), None, &options("openai", "", "")).unwrap().unwrap();
    assert_eq!(noted.notes, ["SELECTOR_PROVIDER=groq stands before --selector-provider"]);
}

#[test]
fn a_slow_server_on_this_machine_is_not_asked_again_while_it_still_works() {
    let patience = |url: &str| {
        let settings = resolve(&map(&[("OPENAI_API_KEY", "k")]), None, &options("openai", "m", url)).unwrap();
        connect(&settings, &Prices::default()).unwrap().pace.call
    };
    assert_eq!(patience("http://127.0.0.1:8080/v1"), std::time::Duration::MAX);
    assert_eq!(patience("https://models.test/v1"), std::time::Duration::from_secs(60));
}

#[test]
fn the_way_out_names_what_configures_the_role() {
    let groq = |words: &[(&str, &str)]| map(words);
    let none = options("", "", "");
    let hint = |result: Result<Settings, ConfigError>| result.err().map(|error| error.hint).unwrap_or_default();
    let navigator = hint(resolve(&groq(&[("LLM_PROVIDER", "groq")]), None, &none));
    assert!(
        navigator.contains("export GROQ_API_KEY") && navigator.contains("--model-url (or LLM_BASE_URL)"),
        "{navigator}"
    );
    let selector = resolve_selector(&groq(&[("SELECTOR_PROVIDER", "groq")]), None, &none).map(|found| found.unwrap());
    let selector = hint(selector);
    assert!(selector.contains("export SELECTOR_API_KEY or GROQ_API_KEY"), "{selector}");
    assert!(selector.contains("--selector-url (or SELECTOR_BASE_URL)") && !selector.contains("LLM_"), "{selector}");
    let unnamed = hint(resolve_selector(&map(&[("SELECTOR_MODEL", "m")]), None, &none).map(|found| found.unwrap()));
    assert!(unnamed.contains("set SELECTOR_PROVIDER") && unnamed.contains("--selector-url"), "{unnamed}");
}
