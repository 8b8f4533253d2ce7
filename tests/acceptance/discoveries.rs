//! Discoveries that go wrong: the model, the browser, a signal, a bound, at any turn.

use anyhow::{Result, ensure};
use waymark_tests::discover::{At, JOBS, Line, NAME, render, slice, strike};
use waymark_tests::report::{read, source_digest};

use crate::{root, waymark};

#[test]
fn whenever_a_discovery_goes_wrong_its_recording_reads_and_no_half_draft_is_left() -> Result<()> {
    let (waymark, cells) = (waymark()?, slice(&source_digest()?)?);
    let struck = |job: &'static str| -> Result<Vec<Line>> {
        let own = cells.iter().filter(|(of, ..)| *of == job);
        own.map(|(job, blow, at)| strike(&waymark, job, *blow, *at)).collect()
    };
    let struck = &struck;
    let lines: Vec<Line> = std::thread::scope(|scope| {
        let workers: Vec<_> = JOBS.map(|job| scope.spawn(move || struck(job))).into();
        let joined = workers.into_iter().map(|worker| worker.join().map_err(|_| anyhow::anyhow!("a run panicked"))?);
        joined.collect::<Result<Vec<_>>>().map(|lines| lines.concat())
    })?;
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    ensure!(wrong.is_empty(), "waymark-discoveries --job JOB --blow BLOW --at TURN repeats one: {wrong:#?}");
    lines.iter().try_for_each(ends_as_stored)
}

/// A discovery of this run that the stored report tells of too ended there as it does now: as far as its end does not depend
/// on which of two things came first.
fn ends_as_stored(line: &Line) -> Result<()> {
    if !is_stored() || line.blow.goes_on() || matches!(line.at, At::Line(_)) {
        return Ok(());
    }
    let (_, stored) = read::<Line>(&root().join("evidence/evals"), NAME)?;
    let same = |other: &&Line| other.job == line.job && other.blow == line.blow && other.at == line.at;
    let told = |line: &Line| (line.ended.clone(), line.draft);
    let other = stored.iter().find(same).map(told);
    ensure!(other.as_ref().is_none_or(|other| *other == told(line)), "{line:?} ended as {other:?} when it was stored");
    Ok(())
}

/// Whether the matrix was run in full since it is part of the suite.
fn is_stored() -> bool {
    root().join("evidence/evals").join(format!("{NAME}.jsonl")).is_file()
}

#[test]
fn the_stored_report_of_discoveries_is_rendered_from_its_lines() -> Result<()> {
    let folder = root().join("evidence/evals");
    if !is_stored() {
        ensure!(!folder.join("discover.md").exists(), "a report without its lines");
        eprintln!("there is no report yet: ./x long discover");
        return Ok(());
    }
    let (head, lines) = read::<Line>(&folder, NAME)?;
    let stored = std::fs::read_to_string(folder.join("discover.md"))?;
    ensure!(stored == render(&head, &lines), "discover.md is not what its lines say: ./x long discover");
    for job in JOBS {
        ensure!(lines.iter().any(|line| line.job == job), "the stored report does not tell of {job}");
    }
    ensure!(lines.len() > 800 && lines.iter().all(|line| line.wrong.is_empty()), "the stored report has wrong runs");
    if head.sources != source_digest()? {
        eprintln!("the sources have moved on since the report was written: ./x long discover");
    }
    Ok(())
}
