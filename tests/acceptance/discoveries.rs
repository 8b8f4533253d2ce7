//! Discoveries that go wrong: the model, the browser, a signal, a bound, at any turn.

use anyhow::{Result, ensure};
use waymark_tests::discover::{JOBS, Line, NAME, render, slice, strike};
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
    Ok(())
}

#[test]
fn the_stored_report_of_failed_discoveries_is_rendered_from_its_lines() -> Result<()> {
    let folder = root().join("evidence/evals");
    let (head, lines) = read::<Line>(&folder, NAME)?;
    let stored = std::fs::read_to_string(folder.join("discover.md"))?;
    ensure!(stored == render(&head, &lines), "discover.md is not what its lines say: ./x long discover");
    ensure!(lines.len() > 300 && lines.iter().all(|line| line.wrong.is_empty()), "the stored report has wrong runs");
    if head.sources != source_digest()? {
        eprintln!("the sources have moved on since the report was written: ./x long discover");
    }
    Ok(())
}
