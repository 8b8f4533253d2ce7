//! The rules: one code, one severity, one sentence, one way out each.

use super::Severity::{self, Error, Note, Warning};

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub code: &'static str,
    pub severity: Severity,
    pub hint: &'static str,
}

macro_rules! rules {
    ($($name:ident = $code:literal $severity:ident $sentence:literal => $hint:literal;)+) => {
        $(pub(crate) const $name: Rule = Rule { code: $code, severity: $severity, hint: $hint };)+

        /// Every rule: code, severity, what it says in general, and the way out.
        pub const CODES: &[(&str, Severity, &str, &str)] = &[$(($code, $severity, $sentence, $hint)),+];
    };
}

rules! {
    // Declarations.
    DUPLICATE_ID = "duplicate_id" Error "A name stands for two things." => "give one of them another name";
    BLANK_TEXT = "blank_text" Error "A text that must say something is blank." => "write it";
    ENUM_EMPTY = "enum_empty" Error "An enum has no words." => "list the words";
    TABLE_EMPTY = "table_empty" Error "A table has no columns." => "declare its columns";
    NESTED_TABLE = "nested_table" Error "A column is a table or a file." => "give the column a plain type";
    PARAMETER_TYPE = "parameter_type" Error "A parameter is a table." => "tables are outputs only; take plain parameters";
    CURRENCY_UNKNOWN = "currency_unknown" Error "A currency is no code of ISO 4217." => "write its three capital letters, such as `USD`";
    CURRENCY_CONFLICT = "currency_conflict" Error "Type and format name different currencies." => "leave the currency out of the format";
    CONSTRAINT_UNFIT = "constraint_unfit" Error "A parameter has a constraint that its type cannot have." => "pattern and max_length are for text, and max_length is at least 1; a minimum is for numbers, a format for numbers and dates";
    PATTERN_INVALID = "pattern_invalid" Error "A pattern is no regular expression of the supported kind." => "look-around and back-references are not supported; say it without them";
    PATTERN_TOO_LARGE = "pattern_too_large" Error "A pattern is too long or needs too much memory." => "at most 512 characters, and no large repetitions";
    UNUSED_PARAMETER = "unused_parameter" Warning "A parameter is used nowhere." => "use it or take it out: a caller who gives it expects an effect";
    UNUSED_DECLARATION = "unused_declaration" Warning "A variable, credential or sub-flow is used nowhere." => "use it or take it out";
    ENGINE_RULE_UNKNOWN = "engine_rule_unknown" Error "The document was made for an engine rule that is not known." => "only rule 1 is known; record the capability anew";
    CREATED_AT_MALFORMED = "created_at_malformed" Error "The time of making is not RFC 3339." => "write it as `2026-11-30T09:30:00Z`";
    DIGEST_MALFORMED = "digest_malformed" Error "A digest has another shape." => "write `sha256:` and 64 lower-case hexadecimal digits";
    TRIGGER_UNKNOWN = "trigger_unknown" Error "An escalation trigger names a code that cannot be moved." => "see the codes that may be moved; an unproven effect always goes to a person";
    LIMIT_OUT_OF_RANGE = "limit_out_of_range" Error "A bound is beyond what is allowed." => "choose a value within the range";
    DEADLINE_ZERO = "deadline_zero" Error "A time of zero leaves no time for anything." => "give it time, or leave it out for the default";

    // References.
    UNKNOWN_PARAMETER = "unknown_parameter" Error "A parameter is not declared." => "declare it under `parameters`, or correct the name";
    UNKNOWN_VARIABLE = "unknown_variable" Error "A variable is not declared." => "declare it under `variables`, or correct the name";
    UNKNOWN_CREDENTIAL = "unknown_credential" Error "A credential is not declared." => "declare it under `credentials`, or correct the name";
    UNKNOWN_OUTPUT = "unknown_output" Error "An output is not declared." => "declare it under `outputs`, or correct the name";
    UNKNOWN_COLUMN = "unknown_column" Error "A column is not declared." => "declare it in the table's columns, or correct the name";
    UNKNOWN_STEP = "unknown_step" Error "There is no such step." => "correct the step id";
    UNKNOWN_SUBFLOW = "unknown_subflow" Error "There is no such sub-flow." => "declare it under `subflows`, or correct the name";
    SENSITIVE_IN_TEXT = "sensitive_in_text" Error "A sensitive parameter stands in a text that is looked for or shown." => "a sensitive value may only be typed; look for something else";
    OPTIONAL_UNGUARDED = "optional_unguarded" Error "An optional parameter is used where it may be missing." => "put `only_if` with this parameter on the step, or make the parameter required";
    ONLY_IF_REQUIRED = "only_if_required" Warning "A step depends on a parameter that is always given." => "take `only_if` out, or make the parameter optional";

    // Outputs and reading.
    CURRENCY_MISSING = "currency_missing" Error "No currency is declared for an amount." => "declare `currency` in the type, or in the format where the screen may name it";
    OUTPUT_AMBIGUOUS = "output_ambiguous" Error "A number or date is read without its conventions declared." => "declare `format.locale` for numbers, `format.date_order` for dates";
    FORMAT_UNUSED = "format_unused" Warning "A format says something that the type does not use." => "take it out, or correct the type";
    NULL_WORDS_REQUIRED = "null_words_required" Warning "Words for no value are declared where a value must be." => "make it optional, or take the words out";
    READ_TYPE_MISMATCH = "read_type_mismatch" Error "An action reads into an output of another type." => "`read` fills plain outputs, `read_table` tables, a download files";
    OUTPUT_NOT_READ = "output_not_read" Error "A required output is not read in every run." => "read it in a step without `only_if`, or make it optional";
    OPTIONAL_OUTPUT_NOT_READ = "optional_output_not_read" Warning "No step reads an optional output." => "read it or take it out";
    OUTPUT_READ_TWICE = "output_read_twice" Error "Two steps read the same output." => "read it once, or make it optional and the steps conditional";
    COLUMN_NOT_READ = "column_not_read" Error "A required column of a table is not read." => "say under which header it stands, or make it optional";

    // Values.
    LITERAL_VALUE = "literal_value" Warning "A step puts in the same text in every run." => "make it a parameter, or mark it `confirmed` if it is a constant of the application";
    VALUE_TYPE_MISMATCH = "value_type_mismatch" Error "A value has a type that this action cannot use." => "toggles take booleans, uploads take files, fields take what can be written";
    SENSITIVE_UNPROTECTED = "sensitive_unprotected" Warning "A secret goes into a field that is not known to hide it." => "record the field with a fingerprint that says `protected`, or check that the field may show it";
    DISPLAY_FORMAT_MISSING = "display_format_missing" Error "A date is typed without its written form declared." => "declare `format.date`, such as `MM/dd/yyyy`";
    DISPLAY_FORMAT_DEFAULT = "display_format_default" Warning "A number is typed in the default form." => "declare `format.locale`: another decimal mark is another number";
    DATE_PATTERN_MALFORMED = "date_pattern_malformed" Error "The pattern of a date is not understood." => "use `yyyy`, `MM`, `dd` (or `M`, `d`) once each, with separators";

    // Steps.
    NO_STEPS = "no_steps" Error "The document has no steps." => "record the capability";
    CHECKPOINT_MISSING = "checkpoint_missing" Error "A step changes something and does not say what must become true." => "add a checkpoint that did not hold before";
    CHECKPOINT_VACUOUS = "checkpoint_vacuous" Error "A check proves nothing." => "look for something on the screen that only the effect brings";
    CHECKPOINT_NEGATIVE_ONLY = "checkpoint_negative_only" Warning "A checkpoint only says what is not there; an error page satisfies it too." => "add something that must be there";
    CONDITION_EMPTY = "condition_empty" Error "An `all` or `any` has nothing in it." => "add conditions, or take it out";
    RISKY_WITHOUT_PROOF = "risky_without_proof" Error "A risky step has neither a read-back checkpoint nor a reconcile check." => "look at the record again another way (`read_back`), or declare `reconcile`";
    RISKY_WITHOUT_FINGERPRINT = "risky_without_fingerprint" Error "A risky step does not say what its target looks like." => "record the target's fingerprint";
    RECONCILE_UNSAFE = "reconcile_unsafe" Error "A reconcile check runs steps that are not safe." => "looking must not change anything: use safe steps only";
    RECONCILE_UNSEEN = "reconcile_unseen" Warning "A reconcile check runs another capability, whose steps are not seen here." => "check that it only looks";
    RECONCILE_CONTRADICTION = "reconcile_contradiction" Error "Landed and not landed are the same condition." => "say two different things";
    DIALOG_RISK_LOWER = "dialog_risk_lower" Error "A dialog is accepted at a lower risk than its step has." => "the answer is what does it: give it at least the risk of the step";
    PROMPT_WITHOUT_TEXT = "prompt_without_text" Error "A dialog that asks for a text is accepted without one." => "answer with `text`, or dismiss it";
    DIALOG_ANSWER_UNFIT = "dialog_answer_unfit" Error "A dialog that asks for no text is answered with one." => "answer `accept` or `dismiss`";
    OPENS_UNFIT = "opens_unfit" Error "An action that only looks is said to open something." => "put it on the step that opens it";
    WINDOW_UNKNOWN = "window_unknown" Error "No earlier step opens this window." => "declare it under `opens.window` of the step that opens it";
    KEY_UNKNOWN = "key_unknown" Error "A key has no such name." => "for example `Enter`, `Tab`, `F5`, `Control+s`";
    LOCATION_RELATIVE = "location_relative" Error "An address begins neither with a variable nor with a scheme." => "begin it with `{var.base_url}`";
    RUN_UNFIT = "run_unfit" Error "A step that runs another capability says more than that, or names none." => "pin a capability under `subflows`; risk, opens, reconcile and `only_if` belong to its own steps";
    SUBFLOW_ORDER = "subflow_order" Error "A sub-flow ends before it begins." => "put the earlier step under `from`";

    // Targets.
    LADDER_EMPTY = "ladder_empty" Error "A target says no way to find it." => "record at least one rung";
    VISION_IN_REPLAY = "vision_in_replay" Error "A target is found by looks, which is refused in replay." => "take the rung out; record one by name or relation";
    LADDER_ORDER = "ladder_order" Warning "The rungs are not in order of strength." => "strongest first: role_name, role_name_normalized, label, anchor, ordinal, native_hint";
    HINT_NOT_LAST = "hint_not_last" Error "A native hint stands before a rung that says more." => "put native hints last";
    CANDIDATE_DUPLICATE = "candidate_duplicate" Warning "A rung stands twice in a ladder." => "take one out";
    LEADS_WITH_HINT = "leads_with_hint" Warning "The first way to find a target is a native hint." => "its use is always drift: record a rung by name or relation before it";
    LEADS_WITH_INFERRED_NAME = "leads_with_inferred_name" Warning "The first way to find a target is a name inferred from text beside it." => "check that the caption belongs to this control";
    HINT_FOR_OTHER_SURFACE = "hint_for_other_surface" Error "A native hint says nothing for the surface of this application." => "add a hint under the word of `application.surface`, or take the rung out";
    ORDINAL_OUT_OF_RANGE = "ordinal_out_of_range" Error "A position is not one of those there are." => "`index` counts from 1 to `of`";
    ORDINAL_UNSCOPED = "ordinal_unscoped" Warning "A position is counted over a whole screen." => "count within a region, row or column";
    ROW_WITHOUT_KEYS = "row_without_keys" Error "A row is named by no cell." => "say which cells it has";
    TABLE_UNNAMED = "table_unnamed" Error "A table is referred to by nothing." => "give its name or headers, or leave it out";
    FRAME_UNNAMED = "frame_unnamed" Error "A frame is referred to by nothing." => "give its name, title or location";
    ROLE_UNKNOWN = "role_unknown" Warning "A role is none that this version knows." => "correct the word; an unknown role is compared as it stands";
    FINGERPRINT_COVERAGE = "fingerprint_coverage" Note "Some targets do not say what they look like." => "record their fingerprints";

    // Conditions.
    RUNG_NOT_EXACT = "rung_not_exact" Error "A check finds its element by a rung that heals." => "checks use `role_name`, `label` or `anchor`";
    LOOKS_LIKE_A_VALUE = "looks_like_a_value" Warning "A checkpoint contains a figure that may be this run's." => "refer to a parameter, or look for something that is the same in every run";
    SCREEN_ID_UNDECLARED = "screen_id_undeclared" Error "A screen identifier is checked, but not how screens carry it." => "declare `application.screen_id`";

    // Answers and remedies.
    DETECTOR_VACUOUS = "detector_vacuous" Error "A detector holds on every screen." => "look for something that only this answer or nuisance brings";
    OUTCOME_OVERLAPS_CHECKPOINT = "outcome_overlaps_checkpoint" Warning "An outcome is seen wherever a checkpoint holds." => "the outcome would win over success: look for something that success does not show";
    OUTCOME_SAME_DETECTOR = "outcome_same_detector" Error "Two outcomes are recognised by the same thing." => "tell them apart, or make them one";
    NEGATIVE_OUTCOME_UNGUARDED = "negative_outcome_unguarded" Warning "An answer that says that something is not there is believed without a guard." => "declare `guard`: a loading mark that must be gone, a time without change, or an answered request";
    GUARD_EMPTY = "guard_empty" Warning "A guard asks for nothing." => "declare `absent`, `stable_for_ms` or `after_request`";
    RESOLUTION_UNFIT = "resolution_unfit" Error "An outcome waits for a result that its step cannot have." => "`row_absent` needs a ladder with a row key, `option_absent` a `choose`, `target_ambiguous` a target";
    RECOVERY_RISKY = "recovery_risky" Error "A remedy runs steps that are not safe." => "a remedy must not change anything that cannot be repeated";
    REMEDY_UNFIT = "remedy_unfit" Error "A remedy does what a remedy cannot do: it reads an output, or answers a dialog that its condition does not name." => "remedies act, wait, or answer the dialog that their condition says is open; steps read";
    RECOVERY_OVERLAPS_CHECKPOINT = "recovery_overlaps_checkpoint" Warning "A nuisance is seen wherever a checkpoint holds." => "look for something that the good screen does not show";
    REWALK_WITHOUT_SAFE_POINT = "rewalk_without_safe_point" Warning "A remedy walks again from a safe point, but no step is one." => "mark the step where a walk may begin again with `safe_point`";
}
