//! `waymark doctor`.

#[cfg(feature = "discovery")]
use waymark_api::Doctor;
use waymark_api::{CheckState, ModelCheck, doctor};
use waymark_run::ExitCode;

use crate::args::DoctorOptions;
use crate::terminal::{Mark, Terminal, plain};

pub(crate) fn run(options: DoctorOptions, json: bool, terminal: &Terminal) -> ExitCode {
    let found = doctor(&options.config.config, &options.place.evidence);
    #[cfg(feature = "discovery")]
    let found = match models(options, found, json, terminal) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let sound = found.models.iter().all(|check| check.state != CheckState::Problem);
    let code = if found.ready && sound { ExitCode::SUCCESS } else { ExitCode::FAILED };
    if json {
        terminal.json(&found);
        return code;
    }
    for check in &found.items {
        let mark = mark(check.state);
        let mut lines = check.message.lines();
        let first = plain(lines.next().unwrap_or_default());
        terminal.out(&format!("{} {:<15} {first}\n", terminal.mark_out(mark), check.name));
        for line in lines {
            terminal.out(&format!("  {:<15} {}\n", "", plain(line)));
        }
        if !check.hint.is_empty() {
            terminal.out(&format!("  {:<15} hint: {}\n", "", plain(&check.hint)));
        }
    }
    for check in &found.models {
        terminal.out(&told(check, terminal));
    }
    #[cfg(feature = "discovery")]
    if !found.models.is_empty() {
        terminal.out(&format!("{}\n", waymark_api::ADVICE));
    }
    code
}

/// Asks the models, if that is wanted. `Err` where the call was refused.
#[cfg(feature = "discovery")]
fn models(options: DoctorOptions, found: Doctor, json: bool, terminal: &Terminal) -> Result<Doctor, ExitCode> {
    use waymark_api::{ModelAsk, try_models};
    use waymark_run::{Code, Rejection};

    use crate::dot_env::{dot_env, environment};
    use crate::usage;

    const HELP: &str = "waymark doctor --help";
    let Some(model) = options.model else { return Ok(found) };
    let refused = |problem| {
        let rejection = Rejection::new(Code::InvalidInvocation, "cannot ask a model; none was asked", vec![problem]);
        usage::answer(&rejection, json, terminal, HELP)
    };
    let ask = ModelAsk {
        provider: options.provider,
        model: Some(model).filter(|name| !name.is_empty()),
        base_url: options.model_url,
        env: environment(),
        dot_env: dot_env().map_err(refused)?,
        within: options.call_seconds,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let hint = "free memory or raise the limits of the system";
        refused(usage::problem("--model", "no_runtime", &error.to_string(), hint))
    })?;
    Ok(Doctor { models: runtime.block_on(try_models(&ask)), ..found })
}

fn mark(state: CheckState) -> Mark {
    match state {
        CheckState::Ok => Mark::Ok,
        CheckState::Note => Mark::Escalated,
        CheckState::Problem => Mark::Failed,
    }
}

/// A model in a few lines: who, where, what came, what it took.
fn told(check: &ModelCheck, terminal: &Terminal) -> String {
    let line = |words: &str| format!("  {:<15} {}\n", "", plain(words));
    let who = match (&check.provider, &check.model, &check.base_url) {
        (Some(provider), Some(model), Some(address)) => format!("{provider} {model} at {address}"),
        _ => "none".to_owned(),
    };
    let mut out = format!("{} {:<15} {}\n", terminal.mark_out(mark(check.state)), check.role, plain(&who));
    let code = check.code.map(|code| format!("{code}: ")).unwrap_or_default();
    out.push_str(&line(&format!("{code}{}", check.message)));
    if check.calls > 0 {
        let count = |n: Option<u64>| n.map_or("unknown".to_owned(), |n| n.to_string());
        let (took, calls) = (check.latency_ms, check.calls);
        let (input, output) = (count(check.input_tokens), count(check.output_tokens));
        out.push_str(&line(&format!("{took} ms, {calls} calls, {input} tokens in, {output} out")));
    }
    for note in &check.notes {
        out.push_str(&line(&format!("note: {note}")));
    }
    if !check.hint.is_empty() {
        out.push_str(&line(&format!("hint: {}", check.hint)));
    }
    out
}
