//! Several runs at the same time, each worker with a world of its own.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use crate::EvalError;
use crate::world::World;

/// Does the work on all items, as many at the same time as `jobs` says, and gives what came of it in the order of the items.
/// Each is told as soon as it is there. The first error ends all.
pub(crate) fn each<I: Send, T: Send>(
    items: Vec<I>,
    jobs: usize,
    headed: bool,
    work: impl Fn(&mut World, I) -> Result<T, EvalError> + Sync,
    told: &mut dyn FnMut(&T),
) -> Result<Vec<T>, EvalError> {
    let workers = jobs.clamp(1, items.len().max(1));
    let left: Mutex<VecDeque<(usize, I)>> = Mutex::new(items.into_iter().enumerate().collect());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let (said, hears) = mpsc::channel();
    let mut done: Vec<(usize, T)> = Vec::new();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (said, next, work) = (said.clone(), &next, &work);
            scope.spawn(move || {
                let mut world = match World::new(headed) {
                    Ok(world) => world,
                    Err(error) => return drop(said.send(Err(error))),
                };
                while let Some((at, item)) = next() {
                    // A sender that finds nobody who hears stops: an error ends all.
                    if said.send(work(&mut world, item).map(|came| (at, came))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(said);
        for came in hears {
            let (at, came) = came?;
            told(&came);
            done.push((at, came));
        }
        Ok::<(), EvalError>(())
    })?;
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, came)| came).collect())
}
