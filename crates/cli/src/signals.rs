//! Being told to end: from the keyboard, by the system, or because the terminal went away.

use std::io;

use waymark_api::StopCause;

/// Hears the signals of this process, from the moment it is made.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// `None` where whoever started this wants it to outlive its terminal, as `nohup` does.
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    /// Hears from now on. Must be called within a runtime.
    ///
    /// From now on, too, writing beyond a limit on the size of files fails, instead of ending the program without a word.
    ///
    /// # Errors
    /// The system does not let it.
    #[cfg(unix)]
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
        let hang_up = if hang_up_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Signals {})
    }

    /// Resolves with the next signal.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> StopCause {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => StopCause::Interrupt,
            _ = self.terminate.recv() => StopCause::Terminate,
            _ = hang_up => StopCause::HangUp,
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) -> StopCause {
        match tokio::signal::ctrl_c().await {
            Ok(()) => StopCause::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Calls `heard` with every signal and its number, from 1, until the program ends. It has a thread of its own: a signal
/// is heard also while all the rest waits for a disk or for a reader that does not read.
///
/// # Errors
/// The system does not let it.
pub(crate) fn listen(mut heard: impl FnMut(StopCause, u32) + Send + 'static) -> io::Result<()> {
    let (ready, hears) = std::sync::mpsc::channel();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(ready.send(Err(error))),
        };
        runtime.block_on(async {
            let mut signals = match Signals::new() {
                Ok(signals) => signals,
                Err(error) => return drop(ready.send(Err(error))),
            };
            drop(ready.send(Ok(())));
            for number in 1.. {
                heard(signals.next().await, number);
            }
        });
    })?;
    hears.recv().unwrap_or_else(|_| Err(io::Error::other("the thread for signals ended")))
}

/// Whether this process was started with SIGHUP ignored. Where the system does not tell, it was not.
#[cfg(unix)]
fn hang_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (rustix::process::Signal::HUP.as_raw() - 1) != 0
}
