//! Targets: the rungs of their ladders and what they looked like.

use waymark_snapshot::Role;

use super::Findings;
use super::codes::*;
use super::sites::{Site, Sites};
use crate::suggest::{did_you_mean, shown};
use crate::{Artifact, Relation, Rung, RungKind, Target};

pub(super) fn check(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    for site in &sites.targets {
        ladder(site, findings);
        leads(site, findings);
        duplicates(site, findings);
        ordinals(site, findings);
        if let Some(fingerprint) = &site.it.fingerprint {
            role(&fingerprint.role, format!("{}/fingerprint/role", site.pointer), findings);
        }
    }
    for site in &sites.rungs {
        rung(artifact, site, findings);
    }
    relations(sites, findings);
    coverage(&sites.targets, findings);
}

fn ladder(site: &Site<'_, Target>, findings: &mut Findings) {
    let kinds: Vec<RungKind> = site.it.candidates.iter().map(|c| c.find.kind()).collect();
    let at = format!("{}/candidates", site.pointer);
    if kinds.is_empty() {
        findings.add(LADDER_EMPTY, &at, format!("nothing says how `{}` is found", shown(&site.it.description)));
    }
    for (i, _) in kinds.iter().enumerate().filter(|(_, k)| **k == RungKind::Vision) {
        findings.add(VISION_IN_REPLAY, format!("{at}/{i}/find"), "a rung by looks is refused in replay");
    }
    let last_other = kinds.iter().rposition(|k| !matches!(k, RungKind::NativeHint | RungKind::Vision));
    if let Some(i) = kinds.iter().position(|k| *k == RungKind::NativeHint)
        && last_other.is_some_and(|last| last > i)
    {
        findings.add(HINT_NOT_LAST, format!("{at}/{i}"), "the native hint decides before rungs that say more");
    }
    let mut strongest_first = kinds.iter().filter(|k| !matches!(k, RungKind::NativeHint | RungKind::Vision));
    let mut before: Option<&RungKind> = None;
    if strongest_first.any(|k| before.replace(k).is_some_and(|b| b > k)) {
        let words: Vec<&str> = kinds.iter().map(|k| k.as_str()).collect();
        findings.add(LADDER_ORDER, &at, format!("the order is {}", words.join(", ")));
    }
}

fn leads(site: &Site<'_, Target>, findings: &mut Findings) {
    let pointer = format!("{}/candidates/0/find", site.pointer);
    match site.it.candidates.first().map(|c| &c.find) {
        Some(Rung::NativeHint { .. }) => {
            let message = format!("`{}` is found by a native hint first", shown(&site.it.description));
            findings.add(LEADS_WITH_HINT, pointer, message);
        }
        Some(Rung::Label { .. }) if site.it.name_inferred == Some(true) => {
            let message = format!("`{}` is found by an inferred name first", shown(&site.it.description));
            findings.add(LEADS_WITH_INFERRED_NAME, pointer, message);
        }
        _ => {}
    }
}

fn duplicates(site: &Site<'_, Target>, findings: &mut Findings) {
    let all = &site.it.candidates;
    for (i, one) in all.iter().enumerate() {
        if all[..i].iter().any(|other| other.find == one.find && other.within == one.within) {
            let pointer = format!("{}/candidates/{i}", site.pointer);
            findings.add(CANDIDATE_DUPLICATE, pointer, "the same rung stands before");
        }
    }
}

fn ordinals(site: &Site<'_, Target>, findings: &mut Findings) {
    for (i, candidate) in site.it.candidates.iter().enumerate() {
        let Rung::Ordinal { index, of, .. } = candidate.find else { continue };
        let at = format!("{}/candidates/{i}", site.pointer);
        if index == 0 || index > of {
            findings.add(ORDINAL_OUT_OF_RANGE, format!("{at}/find"), format!("{index} is no position among {of}"));
        }
        if candidate.within.is_empty() {
            findings.add(ORDINAL_UNSCOPED, at, "the position is counted over the whole screen");
        }
    }
}

fn role(role: &Role, pointer: String, findings: &mut Findings) {
    if let Role::Other(word) = role {
        let near = did_you_mean(word, Role::KNOWN.iter().map(Role::as_str));
        findings.add(ROLE_UNKNOWN, pointer, format!("`{}` is no known role{near}", shown(word)));
    }
}

fn rung(artifact: &Artifact, site: &Site<'_, Rung>, findings: &mut Findings) {
    match site.it {
        Rung::RoleName { role: r, .. }
        | Rung::RoleNameNormalized { role: r, .. }
        | Rung::Label { role: r, .. }
        | Rung::Anchor { role: r, .. }
        | Rung::Ordinal { role: r, .. } => role(r, format!("{}/role", site.pointer), findings),
        Rung::NativeHint { hint } => {
            let surface = &artifact.application.surface;
            if hint.get(surface).is_none_or(|h| h.trim().is_empty()) {
                let message = format!("the hint says nothing for the surface `{}`", shown(surface));
                findings.add(HINT_FOR_OTHER_SURFACE, format!("{}/hint", site.pointer), message);
            }
        }
        Rung::Vision { .. } => {}
    }
}

fn relations(sites: &Sites<'_>, findings: &mut Findings) {
    for site in &sites.relations {
        match site.it {
            Relation::Row { keys, .. } | Relation::Cell { keys, .. } if keys.is_empty() => {
                findings.add(ROW_WITHOUT_KEYS, format!("{}/keys", site.pointer), "no cell says which row is meant");
            }
            Relation::Region { role: Some(r), .. } => role(r, format!("{}/role", site.pointer), findings),
            _ => {}
        }
    }
    for site in &sites.tables {
        if site.it.name.is_none() && site.it.headers.is_empty() {
            findings.add(TABLE_UNNAMED, &site.pointer, "neither name nor headers say which table is meant");
        }
    }
    for site in &sites.frames {
        if site.it.name.is_none() && site.it.title.is_none() && site.it.location.is_none() {
            findings.add(FRAME_UNNAMED, &site.pointer, "nothing says which frame is meant");
        }
    }
}

fn coverage(targets: &[Site<'_, Target>], findings: &mut Findings) {
    let with = targets.iter().filter(|s| s.it.fingerprint.is_some()).count();
    if with < targets.len() {
        let message = format!("{with} of {} targets say what they look like", targets.len());
        findings.add(FINGERPRINT_COVERAGE, "", message);
    }
}
