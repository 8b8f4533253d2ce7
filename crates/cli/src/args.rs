//! The arguments of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use waymark_api::{BrowserWish, Consent, SCHEMAS};
use waymark_fixture_apps::{Fault, FaultError};

const EXITS: &str = "Exit codes:
  0    success, also with remedies used
  1    failed, or a fault of the program itself
  2    the application gave a declared answer (business outcome)
  3    a person is needed
  4    bad invocation; nothing was started
  129  told to end: the terminal went away (SIGHUP)
  130  told to end: from the keyboard (SIGINT)
  143  told to end: by the system (SIGTERM)";

const REPLAY_EXAMPLES: &str = "Examples:
  waymark replay --artifact artifacts/parabank.read_accounts_overview.v1.json --params-file fixtures/params/john.json
  waymark replay --artifact FILE --params-file - --json < params.json
  waymark replay --artifact FILE --params-file params.json --mode unattended --approve-risk risky";

/// Invokes recorded capabilities of web applications, without a model.
#[derive(Debug, Parser)]
#[command(name = "waymark", version, after_help = EXITS, max_term_width = 100, infer_subcommands = false)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) look: Look,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// How things are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Look {
    /// Print exactly one JSON object on standard output, on every ending
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more on standard error; twice: the engine's own diagnostics too
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Show no progress
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColorWhen::Auto, value_name = "WHEN")]
    pub(crate) color: ColorWhen,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Replay a capability in a real browser
    #[command(visible_alias = "run", after_help = REPLAY_EXAMPLES, after_long_help = REPLAY_LONG)]
    Replay(Box<ReplayOptions>),
    /// Let a model do a job once, and record it as a capability
    #[cfg(feature = "discovery")]
    #[command(after_help = DISCOVER_EXAMPLES, after_long_help = DISCOVER_LONG)]
    Discover(Box<DiscoverOptions>),
    /// Let a model do the jobs of goals, and judge each by what stands there at its end
    #[cfg(feature = "discovery")]
    #[command(after_long_help = crate::suite::SUITE_LONG)]
    Suite(Box<crate::suite::SuiteOptions>),
    /// Check artifacts without opening a browser
    Validate(ValidateOptions),
    /// Tell an artifact in plain English, with all that it says and what is proven of it
    Show {
        /// The artifact
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// List the capabilities that there are
    List(CatalogPlace),
    /// Tell what a capability takes and gives, for whoever is to invoke it
    Describe {
        /// Which: ID or ID@VERSION
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        place: CatalogPlace,
    },
    /// Invoke a capability by its name: a replay that nobody watches
    #[command(after_help = INVOKE_EXAMPLES)]
    Invoke(Box<InvokeOptions>),
    /// Approve a version that was looked at, by its digest
    Approve(ApproveOptions),
    /// Look at what differs for a tenant
    Overlay(OverlayOptions),
    /// Serve an offline stand-in until it is interrupted
    #[command(after_long_help = FIXTURE_LONG)]
    Fixture(FixtureOptions),
    /// Show the five endings of a run on the bundled console
    #[cfg(feature = "eval")]
    #[command(after_long_help = crate::demo::DEMO_LONG)]
    Demo(crate::demo::DemoOptions),
    /// Try recorded capabilities on the stand-ins, which judge them; from within a checkout
    #[cfg(feature = "eval")]
    Eval(crate::eval::EvalOptions),
    /// Look at the runs that were recorded
    Runs(RunsOptions),
    /// Answer for a run that waits for a person
    #[command(visible_alias = "interventions", after_help = crate::operator::EXAMPLES)]
    Operator(crate::operator::OperatorOptions),
    /// See and drive the session of a run that waits, from this terminal
    Attach(crate::operator::AttachOptions),
    /// Print the JSON Schema of a document, or the list of schemas
    Schema {
        /// Which document
        #[arg(value_parser = clap::builder::PossibleValuesParser::new(SCHEMAS.iter().map(|(name, _)| *name)))]
        name: Option<String>,
    },
    /// Check that this machine has what is needed
    #[cfg_attr(feature = "discovery", command(after_long_help = DOCTOR_LONG))]
    Doctor(DoctorOptions),
    /// Print a completion script
    Completions {
        /// For which shell
        shell: Shell,
    },
}

const INVOKE_EXAMPLES: &str = "Examples:
  waymark describe parabank.read_accounts_overview --json
  waymark invoke parabank.read_accounts_overview --params-file - --json < params.json
  waymark invoke parabank.transfer_funds@1.0.0 --params-file params.json --approve-risk irreversible";

const REPLAY_LONG: &str = "Examples:
  waymark replay --artifact artifacts/parabank.read_accounts_overview.v1.json --params-file fixtures/params/john.json
  waymark replay --artifact FILE --params-file - --json < params.json
  waymark replay --artifact FILE --params-file params.json --mode unattended --approve-risk risky

No environment variable changes what a replay does, except those that an application's profile
names for a credential. Sensitive parameters belong into a file or standard input, never on the
command line. In the pictures of the evidence, password fields, declared values wherever the page
shows them, and images are painted over; anything else that was on the screen is in them.

With --inject the stand-in at --base-url, which must be on this machine, is told before the run to
go wrong in these ways and no other, and after it to go right again. `waymark help fixture` lists
the faults.";

#[cfg(feature = "discovery")]
const DISCOVER_EXAMPLES: &str = "Examples:
  waymark discover --url http://127.0.0.1:8080/parabank/index.htm --params-file fixtures/params/john.json \\
    --goal \"Log in as the member. Stay on Accounts Overview and read account number and balance of the first three rows.\"
  waymark discover --goal-file goal.md --provider anthropic
  waymark discover --goal-file goal.md --provider scripted --script turns.jsonl
  waymark discover --goal-file goal.md --provider anthropic --cassette job.jsonl
  waymark discover --goal-file goal.md --provider cassette --cassette job.jsonl";

#[cfg(feature = "discovery")]
const DISCOVER_LONG: &str = "Examples:
  waymark discover --url http://127.0.0.1:8080/parabank/index.htm --params-file fixtures/params/john.json \\
    --goal \"Log in as the member. Stay on Accounts Overview and read account number and balance of the first three rows.\"
  waymark discover --goal-file goal.md --provider anthropic
  waymark discover --goal-file goal.md --provider scripted --script turns.jsonl
  waymark discover --goal-file goal.md --provider anthropic --cassette job.jsonl
  waymark discover --goal-file goal.md --provider cassette --cassette job.jsonl

Use the strongest model that you have, and not one with tools on its provider's side (search, code): what it finds once
is replayed from then on. It sees a numbered list of what is on the screen and nothing else; models that are known to
search or browse are refused. `waymark doctor --model` tries the one that is configured.

Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, GROQ_API_KEY. LLM_PROVIDER and LLM_MODEL stand before --provider and
--model. A file .env in this folder is read by this command and `doctor --model` alone; what is exported stands
before it.

The model may name an element by its label instead of its number. A label that is unique on the screen needs no
further call. Where it fits several, a second model may say which one is meant: the selector, configured on its own by
the --selector options or SELECTOR_PROVIDER, SELECTOR_MODEL, SELECTOR_BASE_URL and SELECTOR_API_KEY (else the key of
its provider). It plans nothing, and both share the bounds. Without one, the question goes back to the first model.
--selector-provider jev is a service that answers choices alone, so it cannot be --provider: model and address have to be
said (--selector-model, --selector-url or TYPESAFE_BASE_URL), its key is TYPESAFE_API_KEY, its confidence is not read. It
is unverified against the live service.

Credentials of the application's profile are offered to the model by name where they have a value: it signs on with
the name, and the capability refers to it.

Values of --params-file and `env NAME` reach the browser and never a model, which knows their names. A risky action
is done only with --approve-risk; the verifying replay stops before it, unless --verify-effects says that the system
is one for tests.

--provider scripted answers from a file instead of a model and says `simulated` wherever that shows.

--cassette FILE records the answers of the models of both roles, never their questions, keys or secrets. With
--provider cassette the same job is done again by them, and no model is asked. What is asked then must be what was asked
before, word for word, in the same order: where goal or screen are others it ends as `cassette_mismatch` and names the
turn.";

#[cfg(feature = "discovery")]
const DOCTOR_LONG: &str = "--model asks the model that `discover` would ask (and the selector's, where one is configured) one tiny question, and
says whether it called the tool in the right form, how long it took and how many tokens. The variables and .env are
those of `discover`; without --model neither is looked at.

Use the strongest model that you have, and not one with tools on its provider's side (search, code): what it decides
once is replayed from then on.";

const FIXTURE_LONG: &str = "Faults, written MODE[:COUNT][@PLACE]:
  interstitial       a notice covers the page until its \"Continue\" is pressed
  session_timeout    the session is forgotten: the login form, and 401 for data
                     (also session_expired)
  slow_load          the answer comes 6 seconds late (also slow)
  server_error       HTTP 500, with the error view (also host_500)
  app_error          the screen says that the host failed (meridian)
  element_missing    the page's main control is not there
  not_authorized     HTTP 403: the user may not do this (BNK-4031, SEC-0413)
  native_dialog      an alert() when the page has loaded
  undeclared_dialog  a confirm() at the press of the main button, or at load where there is none
  rename_control     the main control bears another name
  duplicate_control  the main control is there twice

COUNT is how many times it strikes, or `always`. Left out: interstitial, session_timeout and the
two dialogs strike once, the others always.

PLACE is a page or what the pages ask for. Left out: all pages after sign-on, and for slow_load
what they read. Of parabank:
  pages              index, login, overview, activity, transaction, transfer, billpay,
                     openaccount, findtrans, requestloan, updateprofile, register, lookup, contact
  reads              accounts, account, transactions
  writes             submit (before anything is booked), booked (after it)

Of meridian, by the identifier on the screen; at a receipt it strikes after the booking:
  screens            MI0100 sign-on, MI0200 member inquiry, MI0210 member detail, SA0320 share
                     accounts, LN0410 loan accounts, SA0500 open sub-account, SA0510 its receipt,
                     TR0600 transfer, TR0610 its confirmation, TR0615 a second one (variant c),
                     TR0620 its receipt, TN0700 teller notes, AD0900 administration
  writes             submit, booked

meridian leads to /meridian/admin where a test asks for it, ?bait=KIND on a screen or
/meridian/?bait=KIND@SCREEN for a session: link, redirect, form, popup, frame, script, fetch.

Examples:
  waymark fixture parabank --port 8080
  waymark fixture meridian --variant b --inject interstitial:1@SA0320
  waymark fixture parabank --inject session_timeout@activity --inject slow_load:1@transactions";

#[derive(Debug, Args)]
pub(crate) struct ReplayOptions {
    /// The artifact to replay
    #[arg(long, value_name = "FILE")]
    pub(crate) artifact: PathBuf,
    /// Whether a person is watching: unattended runs escalate at risky steps
    #[arg(long, value_enum, default_value_t = Mode::Attended)]
    pub(crate) mode: Mode,
    #[command(flatten)]
    pub(crate) call: Call,
}

/// A capability by name.
#[derive(Debug, Args)]
pub(crate) struct InvokeOptions {
    /// Which: ID, the newest that is approved or else the newest; or ID@VERSION
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) place: CatalogPlace,
    /// Whether a person is watching: unattended runs escalate at risky steps
    #[arg(long, value_enum, default_value_t = Mode::Unattended)]
    pub(crate) mode: Mode,
    #[command(flatten)]
    pub(crate) call: Call,
}

#[derive(Debug, Args)]
pub(crate) struct CatalogPlace {
    /// Where artifacts are
    #[arg(long, value_name = "DIR", default_value = "artifacts")]
    pub(crate) artifacts: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveOptions {
    /// Which: ID or ID@VERSION
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The digest of what was looked at, as `show` tells it; for a tenant as `overlay check` tells it
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: String,
    /// Who approves: a name or a role
    #[arg(long, value_name = "WHO")]
    pub(crate) by: String,
    /// Remarks
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) note: String,
    /// What this tenant gets of it, instead of the capability as it is
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
    #[command(flatten)]
    pub(crate) place: CatalogPlace,
    #[command(flatten)]
    pub(crate) config: Config,
}

#[derive(Debug, Args)]
pub(crate) struct OverlayOptions {
    #[command(subcommand)]
    pub(crate) command: OverlayCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OverlayCommand {
    /// Check that it fits the capabilities that there are
    Check {
        #[command(flatten)]
        what: OverlayPlace,
    },
    /// Tell in plain English what is replayed for the tenant
    Show {
        #[command(flatten)]
        what: OverlayPlace,
    },
}

#[derive(Debug, Args)]
pub(crate) struct OverlayPlace {
    /// The tenant, or the file of an overlay (with a `/` or a `.` in it)
    #[arg(value_name = "TENANT")]
    pub(crate) tenant: String,
    #[command(flatten)]
    pub(crate) place: CatalogPlace,
    #[command(flatten)]
    pub(crate) config: Config,
}

/// The caller's values, and how the run is to go.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// Parameters as a JSON object in a file; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) params_file: Option<PathBuf>,
    /// Parameters as a JSON object; a shell may take its quotes away, so prefer --params-file
    #[arg(long, value_name = "JSON")]
    pub(crate) params: Option<String>,
    /// One parameter; not for sensitive ones
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) param: Vec<(String, String)>,
    /// Where the application is installed, instead of the artifact's own address
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Whose installation it is, by the overlay of that name in the configuration
    #[arg(long, value_name = "NAME", conflicts_with = "overlay")]
    pub(crate) tenant: Option<String>,
    /// Whose installation it is, by this overlay
    #[arg(long, value_name = "FILE")]
    pub(crate) overlay: Option<PathBuf>,
    /// Tell the stand-in at --base-url to go wrong: MODE[:COUNT][@PLACE]; may be repeated
    #[arg(long, value_name = "FAULT", value_parser = fault)]
    pub(crate) inject: Vec<Fault>,
    /// The key that the stand-in printed when it started
    #[arg(long, value_name = "KEY", requires = "inject")]
    pub(crate) fixture_key: Option<String>,
    /// Who answers when a person is needed
    #[arg(long, value_enum, default_value_t = Operator::None)]
    pub(crate) operator: Operator,
    /// Wait so long for a person, then end with 3
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "3600")]
    pub(crate) max_wait: Duration,
    /// Lend control to a person for so long at a time
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "900")]
    pub(crate) lease: Duration,
    /// Fail instead of asking for a person
    #[arg(long)]
    pub(crate) no_escalate: bool,
    /// End the run after this time, if the artifact does not end it before
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Keep what the engine was told too, as inputs.jsonl in the run folder
    #[arg(long)]
    pub(crate) keep_inputs: bool,
    /// The number to return for a business outcome
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) outcome_exit: u8,
    #[command(flatten)]
    pub(crate) running: Running,
}

/// The goal, as flags or as a file; who decides; what is allowed.
#[cfg(feature = "discovery")]
#[derive(Debug, Args)]
pub(crate) struct DiscoverOptions {
    /// What is to be done, in words
    #[arg(long, value_name = "TEXT", required_unless_present = "goal_file", conflicts_with = "goal_file")]
    pub(crate) goal: Option<String>,
    /// The goal as a Markdown or JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) goal_file: Option<PathBuf>,
    /// Where it begins; instead of the file's own address
    #[arg(long, value_name = "URL", required_unless_present = "goal_file")]
    pub(crate) url: Option<String>,
    /// What it will be called: application.capability
    #[arg(long, value_name = "ID", conflicts_with = "goal_file")]
    pub(crate) capability: Option<String>,
    /// Its title
    #[arg(long, value_name = "TEXT", conflicts_with = "goal_file")]
    pub(crate) title: Option<String>,
    /// What must hold at the end: `Text: …`, `Not text: …` or `URL: …`; may be repeated
    #[arg(long, value_name = "CONDITION", conflicts_with = "goal_file")]
    pub(crate) success: Vec<String>,
    /// A value that the job needs: NAME, NAME=SOURCE or NAME (TYPE, sensitive): SOURCE; may be repeated
    #[arg(long, value_name = "VALUE", conflicts_with = "goal_file")]
    pub(crate) param: Vec<String>,
    /// An answer that the application may give: CODE: what the screen says (when NAME = VALUE); may be repeated
    #[arg(long, value_name = "OUTCOME", conflicts_with = "goal_file")]
    pub(crate) outcome: Vec<String>,
    /// What is to be read: NAME (TYPE) or NAME (table COLUMN TYPE, …); may be repeated
    #[arg(long, value_name = "OUTPUT", conflicts_with = "goal_file")]
    pub(crate) output: Vec<String>,
    /// Values as a JSON object in a file
    #[arg(long, value_name = "FILE")]
    pub(crate) params_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
    /// The turns of --provider scripted, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Record what the models answer to this new file; with --provider cassette, play it back instead of asking a model
    #[arg(long, value_name = "FILE")]
    pub(crate) cassette: Option<PathBuf>,
    /// The answers of --selector-provider scripted, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) selector_script: Option<PathBuf>,
    /// Turns at most
    #[arg(long, value_name = "N", conflicts_with = "goal_file")]
    pub(crate) max_steps: Option<u32>,
    /// Calls of models at most, of both roles together
    #[arg(long, value_name = "N", conflicts_with = "goal_file")]
    pub(crate) max_model_calls: Option<u32>,
    /// Seconds at most
    #[arg(long, value_name = "SECONDS", conflicts_with = "goal_file")]
    pub(crate) max_seconds: Option<u32>,
    /// US dollars at most, where prices are configured
    #[arg(long, value_name = "USD", conflicts_with = "goal_file")]
    pub(crate) max_usd: Option<String>,
    /// Seconds at most for one question to a model
    #[arg(long, value_name = "SECONDS", conflicts_with = "goal_file")]
    pub(crate) call_seconds: Option<u32>,
    /// Another value with which the draft is replayed once more: NAME=SOURCE; may be repeated. With --verify-effects it is
    /// the one with which risky steps are done
    #[arg(long, value_name = "NAME=SOURCE")]
    pub(crate) probe: Vec<String>,
    /// Replay through risky steps too, once: only where the system is one for tests. Say with which other value by --probe
    #[arg(long, requires = "approve_risk")]
    pub(crate) verify_effects: bool,
    /// The version of what is recorded
    #[arg(long, value_name = "VERSION", default_value = "1.0.0")]
    pub(crate) capability_version: semver::Version,
    /// Where the draft is written
    #[arg(long, value_name = "DIR", default_value = "artifacts")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) running: Running,
}

/// Who decides, and who tells elements apart.
#[cfg(feature = "discovery")]
#[derive(Debug, Args)]
pub(crate) struct ModelOptions {
    /// anthropic, openai, groq, scripted or cassette
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// The provider's name of the model
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The address of an endpoint that speaks the provider's protocol
    #[arg(long, value_name = "URL")]
    pub(crate) model_url: Option<String>,
    /// Who says which element is meant where what the model said fits several: anthropic, openai, groq, jev (unverified
    /// against the live service) or scripted
    #[arg(long, value_name = "NAME")]
    pub(crate) selector_provider: Option<String>,
    /// Its provider's name of that model
    #[arg(long, value_name = "NAME")]
    pub(crate) selector_model: Option<String>,
    /// The address of an endpoint that speaks its provider's protocol
    #[arg(long, value_name = "URL")]
    pub(crate) selector_url: Option<String>,
}

/// What every verb takes that runs something in a browser.
#[derive(Debug, Args)]
pub(crate) struct Running {
    /// Approve of this class of risk for this call
    #[arg(long, value_enum, value_name = "CLASS")]
    pub(crate) approve_risk: Option<Risk>,
    /// Show the browser's window
    #[arg(long)]
    pub(crate) headed: bool,
    /// auto, shell, chromium, the path of a program, or the ws:// address of a running browser
    #[arg(long, value_name = "BROWSER", default_value = "auto", value_parser = browser)]
    pub(crate) browser: BrowserWish,
    /// Print events as they happen, one JSON object a line; the last line is the result
    #[arg(long)]
    pub(crate) events: bool,
    /// Take no pictures of the screen
    #[arg(long)]
    pub(crate) no_pictures: bool,
    #[command(flatten)]
    pub(crate) place: EvidencePlace,
    #[command(flatten)]
    pub(crate) config: Config,
}

impl Running {
    /// What is approved for this call.
    pub(crate) fn consent(&self) -> Option<Consent> {
        self.approve_risk.map(|risk| match risk {
            Risk::Risky => Consent::Risky,
            Risk::Irreversible => Consent::Irreversible,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct DoctorOptions {
    /// Ask the configured model one tiny question; with a NAME, that model
    #[cfg(feature = "discovery")]
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub(crate) model: Option<String>,
    /// anthropic, openai or groq, instead of the configured one
    #[cfg(feature = "discovery")]
    #[arg(long, value_name = "NAME", requires = "model")]
    pub(crate) provider: Option<String>,
    /// The address of an endpoint that speaks the provider's protocol
    #[cfg(feature = "discovery")]
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) model_url: Option<String>,
    /// Seconds at most for the answer
    #[cfg(feature = "discovery")]
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, requires = "model")]
    pub(crate) call_seconds: Duration,
    #[command(flatten)]
    pub(crate) config: Config,
    #[command(flatten)]
    pub(crate) place: EvidencePlace,
}

#[derive(Debug, Args)]
pub(crate) struct EvidencePlace {
    /// Where run folders are
    #[arg(long, value_name = "DIR", default_value = "evidence/local")]
    pub(crate) evidence: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    /// The folder with allowlist.yaml, risk_policy.yaml and redaction.yaml
    #[arg(long, value_name = "DIR", default_value = "config")]
    pub(crate) config: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Somebody is watching
    Attended,
    /// Nobody is
    Unattended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Operator {
    /// Write the request for a person and end with 3
    None,
    /// Wait for a person: in this terminal, or `waymark operator` in another one
    Console,
    /// Wait for a person of this workspace; this terminal is not asked
    App,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Risk {
    /// Risky steps
    Risky,
    /// Irreversible steps too
    Irreversible,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateOptions {
    /// Artifacts to check
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Take warnings for errors
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FixtureOptions {
    /// Which stand-in
    #[arg(value_enum)]
    pub(crate) name: Fixture,
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 8080)]
    pub(crate) port: u16,
    /// Go wrong from the start: MODE[:COUNT][@PLACE], listed by --help; may be repeated
    #[arg(long, value_name = "FAULT", value_parser = fault)]
    pub(crate) inject: Vec<Fault>,
    /// Whose skin `meridian` wears
    #[arg(long, value_enum, default_value_t = Skin::A)]
    pub(crate) variant: Skin,
    /// End a session of `meridian` that nobody used for so long
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) idle: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Skin {
    /// As the vendor delivers it
    A,
    /// Other words, other markup, other ids and names
    B,
    /// Columns the other way round, other amounts and dates, one more confirmation of a transfer
    C,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fixture {
    /// A bank of 2005
    Parabank,
    /// A core-banking console of 1998, in frames
    Meridian,
    /// Small hard pages, one behaviour each
    Cases,
}

#[derive(Debug, Args)]
pub(crate) struct RunsOptions {
    #[command(subcommand)]
    pub(crate) command: RunsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first
    List {
        #[command(flatten)]
        place: EvidencePlace,
        /// At most this many
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Show one run and check its journal
    Show {
        /// Folder, id or the beginning of one
        #[arg(default_value = "latest")]
        id: String,
        #[command(flatten)]
        place: EvidencePlace,
    },
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    // The text may hold a secret, so the message does not repeat it.
    let (name, value) = text.split_once('=').ok_or("a parameter is given as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn fault(text: &str) -> Result<Fault, FaultError> {
    text.parse()
}

fn browser(text: &str) -> Result<BrowserWish, String> {
    Ok(match text {
        "auto" => BrowserWish::Auto,
        "shell" => BrowserWish::Shell,
        "chromium" => BrowserWish::Chromium,
        address if address.starts_with("ws://") => BrowserWish::Address(address.to_owned()),
        path if path.contains(['/', '\\']) && !path.contains("://") => BrowserWish::Program(PathBuf::from(path)),
        _ => {
            return Err(
                "use auto, shell, chromium, the path of a program (with a `/` in it), or a ws:// address".into()
            );
        }
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<u32>() {
        Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds.into())),
        _ => Err("a number of whole seconds, at least 1".to_owned()),
    }
}
