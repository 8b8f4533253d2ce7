//! The files of a configuration folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use waymark_artifact::{Artifact, Name};
use waymark_policy::{MAX_BYTES, Policy, PolicyError, PolicyTexts, Profile, Source, redaction_rules};
use waymark_redact::{Redactor, Rules};
use waymark_replay::PolicySource;
use waymark_run::Code;
use waymark_session::CredentialSource;

use crate::file;
use crate::problems::Problems;

pub(crate) const ALLOWLIST: &str = "allowlist.yaml";
pub(crate) const RISK: &str = "risk_policy.yaml";
pub(crate) const REDACTION: &str = "redaction.yaml";
const PROFILES: &str = "profiles";

/// What is wrong with one file.
pub(crate) struct Fault {
    pub(crate) file: PathBuf,
    pub(crate) problem: &'static str,
    pub(crate) message: String,
    pub(crate) hint: &'static str,
}

/// What the files of a folder say.
pub(crate) struct Guards {
    pub(crate) policy: Policy,
    /// The texts that the policy was read from.
    pub(crate) source: PolicySource,
    pub(crate) rules: Rules,
}

/// The policy and the rules of redaction of a folder, or everything that is wrong with them.
pub(crate) fn guards(folder: &Path) -> Result<Guards, Vec<Fault>> {
    let (allowlist, risk, redaction) = (text(folder, ALLOWLIST), text(folder, RISK), text(folder, REDACTION));
    let mut faults = Vec::new();
    let policy = match (&allowlist, &risk) {
        (Ok(allowlist), Ok(risk)) => {
            Policy::load(PolicyTexts { allowlist, risk }).map_err(|error| faults.push(broken(folder, &error))).ok()
        }
        _ => None,
    };
    let rules = redaction.as_ref().ok().and_then(|text| {
        let rules = redaction_rules(text).map_err(|error| faults.push(broken(folder, &error))).ok()?;
        // A rule that cannot be used would come up when the first line is written.
        if let Err(error) = Redactor::new(&rules) {
            let message = error.to_string();
            faults.push(Fault { file: folder.join(REDACTION), problem: "rule", message, hint: "correct the rule" });
        }
        Some(rules)
    });
    match (policy, rules, allowlist, risk) {
        (Some(policy), Some(rules), Ok(allowlist), Ok(risk)) if faults.is_empty() => {
            Ok(Guards { policy, source: PolicySource { allowlist, risk }, rules })
        }
        (_, _, allowlist, risk) => {
            faults.extend([allowlist.err(), risk.err(), redaction.err()].into_iter().flatten());
            Err(faults)
        }
    }
}

/// Where the artifact's credentials come from, by the profile of its application. Without credentials no profile
/// is read.
pub(crate) fn credentials(
    folder: &Path,
    artifact: &Artifact,
    problems: &mut Problems,
) -> BTreeMap<Name, CredentialSource> {
    let mut bound = BTreeMap::new();
    if artifact.credentials.is_empty() {
        return bound;
    }
    let file = format!("{PROFILES}/{}.yaml", artifact.id.application());
    let profile =
        text(folder, &file).and_then(|text| Profile::load(&file, &text).map_err(|error| broken(folder, &error)));
    let profile = match profile {
        Ok(profile) => profile,
        Err(fault) => {
            problems.add(
                Code::InvalidPolicy,
                fault.file.display().to_string(),
                fault.problem,
                fault.message,
                "the artifact needs credentials; the profile says where they come from",
            );
            return bound;
        }
    };
    for credential in &artifact.credentials {
        let place = folder.join(&file).display().to_string();
        let source = profile.credentials.iter().find(|binding| binding.name == credential.name);
        let source = match source.map(|binding| source_of(&binding.source)) {
            Some(Some(source)) => source,
            Some(None) => {
                let message =
                    format!("the source of `{}` is a key store, which this version does not open", credential.name);
                problems.add(Code::InvalidPolicy, place, "keychain", message, "bind it to `env NAME` or `file PATH`");
                continue;
            }
            None => {
                let message = format!("it binds no source to the credential `{}`", credential.name);
                problems.add(Code::InvalidPolicy, place, "unbound", message, "add it under `credentials`");
                continue;
            }
        };
        bound.insert(credential.name.clone(), source);
    }
    bound
}

/// A source as a session opens it; `None` for a key store, which this version does not open.
pub(crate) fn source_of(source: &Source) -> Option<CredentialSource> {
    match source {
        Source::Env(name) => Some(CredentialSource::Env(name.clone())),
        Source::File(path) => Some(CredentialSource::File(PathBuf::from(path))),
        Source::Keychain(_) => None,
    }
}

/// The profiles of all applications, in the order of their file names.
#[cfg(feature = "discovery")]
pub(crate) fn profiles(folder: &Path, problems: &mut Problems) -> Option<Vec<Profile>> {
    let place = folder.join(PROFILES);
    let mut names: Vec<String> = match std::fs::read_dir(&place) {
        Ok(entries) => entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".yaml"))
            .collect(),
        Err(error) => {
            let (problem, message, hint) = file::told(&error);
            problems.add(Code::InvalidPolicy, place.display().to_string(), problem, message, hint);
            return None;
        }
    };
    names.sort();
    let mut profiles = Vec::new();
    for name in names {
        let file = format!("{PROFILES}/{name}");
        match text(folder, &file).and_then(|text| Profile::load(&file, &text).map_err(|e| broken(folder, &e))) {
            Ok(profile) => profiles.push(profile),
            Err(fault) => {
                problems.add(
                    Code::InvalidPolicy,
                    fault.file.display().to_string(),
                    fault.problem,
                    fault.message,
                    fault.hint,
                );
                return None;
            }
        }
    }
    Some(profiles)
}

fn text(folder: &Path, name: &str) -> Result<String, Fault> {
    let path = folder.join(name);
    let fault = |problem, message| {
        let hint = "without it nothing is allowed; name the folder with --config DIR";
        Fault { file: path.clone(), problem, message, hint }
    };
    let bytes = file::bytes(&path, MAX_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => fault("missing", "there is no such file".to_owned()),
        _ => {
            let (problem, message, _) = file::told(&error);
            fault(problem, message)
        }
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|b| **b == b'\n').count() + 1;
        let column = good.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        fault("not_utf8", format!("line {line}, column {column}: it is not UTF-8"))
    })
}

fn broken(folder: &Path, error: &PolicyError) -> Fault {
    // The whole message stays, for the place in it.
    Fault {
        file: folder.join(error.file()),
        problem: error.code(),
        message: error.to_string(),
        hint: "correct the file; nothing runs without it",
    }
}
