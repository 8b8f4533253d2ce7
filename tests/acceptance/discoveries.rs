//! Discoveries that go wrong: the model, the browser, a signal, a bound, at any turn.

use anyhow::{Result, ensure};
use waymark_tests::discover::{JOBS, Line, slice, strike};
use waymark_tests::report::source_digest;

use crate::waymark;

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
