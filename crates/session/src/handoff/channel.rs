//! The control channel of a run that waits: a socket that only its owner may open, and a word that only the index knows.
//!
//! One line of JSON asks, one line answers, as often as the other side likes. Nothing is listened to on a network.

use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use waymark_evidence::Channel;
use waymark_run::Code;

use super::order::{HandoffStanding, OperatorAsk, OperatorRefused, Order};

/// The longest line that is read.
const LINE: u64 = 1 << 20;

/// How long the other side may take for a line once it was connected to, and for the end of a line.
const ASKED: Duration = Duration::from_secs(30);
const ANSWERED: Duration = Duration::from_secs(60);

/// How many may be connected at once.
const CLIENTS: usize = 32;

/// Why a run cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The socket cannot be made or opened.
    #[error("the control channel {address}: {why}")]
    Socket {
        /// Where.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// The other side said something that is no answer.
    #[error("the run answered what is not understood: {0}")]
    Answer(String),
    /// The run said no.
    #[error(transparent)]
    Refused(#[from] OperatorRefused),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    token: String,
    by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    epoch: Option<u64>,
    ask: OperatorAsk,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answered {
    Stands(Box<HandoffStanding>),
    Refused(OperatorRefused),
}

/// The open channel of a run. Dropped, nobody is heard any more.
pub struct Line {
    channel: Channel,
    orders: mpsc::Receiver<Order>,
    listening: JoinSet<()>,
}

impl Line {
    /// Opens a channel at a place that nobody can guess.
    ///
    /// # Errors
    /// There is no place for it.
    pub async fn open() -> Result<Self, ChannelError> {
        let folder = folder()?;
        sweep(&folder).await;
        let fail = |path: &Path, why: String| ChannelError::Socket { address: path.display().to_string(), why };
        let random = |bytes: &mut [u8]| getrandom::fill(bytes).map_err(|error| fail(&folder, error.to_string()));
        let (mut name, mut token) = ([0u8; 12], [0u8; 32]);
        random(&mut name)?;
        random(&mut token)?;
        let path = folder.join(hex::encode(name));
        let listener = UnixListener::bind(&path).map_err(|error| fail(&path, error.to_string()))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))
            .map_err(|error| fail(&path, error.to_string()))?;
        let token = hex::encode(token);
        let channel = Channel { address: path.display().to_string(), token: token.clone() };
        let (told, orders) = mpsc::channel(CLIENTS);
        let mut listening = JoinSet::new();
        listening.spawn(listen(listener, token.into(), told));
        Ok(Line { channel, orders, listening })
    }

    /// How others reach it.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// The next order.
    pub async fn order(&mut self) -> Option<Order> {
        self.orders.recv().await
    }

    /// Hears nobody any more, once the answers that were given are written.
    pub async fn close(mut self) {
        let _ = std::fs::remove_file(&self.channel.address);
        self.orders.close();
        // Whoever asked too late is told so.
        while let Ok(order) = self.orders.try_recv() {
            let _ = order.reply.send(Err(OperatorRefused::new(Code::NotWaiting, "the run does not wait any more")));
        }
        self.listening.abort_all();
        while self.listening.join_next().await.is_some() {}
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.channel.address);
    }
}

async fn listen(listener: UnixListener, token: Arc<str>, told: mpsc::Sender<Order>) {
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                if clients.len() < CLIENTS {
                    clients.spawn(serve(stream, token.clone(), told.clone()));
                }
            }
            Some(_) = clients.join_next(), if !clients.is_empty() => {}
        }
    }
}

async fn serve(stream: UnixStream, token: Arc<str>, told: mpsc::Sender<Order>) {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let mut line = String::new();
        let mut bounded = (&mut read).take(LINE);
        match tokio::time::timeout(ASKED, bounded.read_line(&mut line)).await {
            Ok(Ok(n)) if n > 0 && line.ends_with('\n') => {}
            _ => return,
        }
        let answer = match serde_json::from_str::<Asked>(&line) {
            Ok(asked) if same(&asked.token, &token) => carried_out(asked, &told).await,
            // Whoever does not know the word is not told anything.
            Ok(_) => return,
            Err(error) => Err(OperatorRefused::new(Code::InvalidInvocation, error.to_string())),
        };
        let answer = match answer {
            Ok(standing) => Answered::Stands(Box::new(standing)),
            Err(refused) => Answered::Refused(refused),
        };
        let Ok(mut text) = serde_json::to_vec(&answer) else { return };
        text.push(b'\n');
        if write.write_all(&text).await.is_err() {
            return;
        }
    }
}

async fn carried_out(asked: Asked, told: &mpsc::Sender<Order>) -> Result<HandoffStanding, OperatorRefused> {
    let (reply, answer) = oneshot::channel();
    let Asked { by, epoch, ask, .. } = asked;
    let over = || OperatorRefused::new(Code::NotWaiting, "the run does not wait any more");
    told.send(Order { by, epoch, ask, reply }).await.map_err(|_| over())?;
    answer.await.map_err(|_| over())?
}

/// Compares without telling by its time how much of it was right.
fn same(given: &str, wanted: &str) -> bool {
    given.len() == wanted.len() && given.bytes().zip(wanted.bytes()).fold(0, |odd, (a, b)| odd | (a ^ b)) == 0
}

/// The folder of the sockets, for its owner only. The path of a socket must be short, so it is not in the workspace.
fn folder() -> Result<PathBuf, ChannelError> {
    let user = rustix::process::geteuid().as_raw();
    let path = PathBuf::from(format!("/tmp/waymark-{user}"));
    let fail = |why: String| ChannelError::Socket { address: path.display().to_string(), why };
    match std::fs::DirBuilder::new().mode(0o700).create(&path) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(fail(error.to_string())),
    }
    let lies = std::fs::symlink_metadata(&path).map_err(|error| fail(error.to_string()))?;
    // Somebody else may have made it first.
    if !lies.is_dir() || lies.uid() != user || lies.mode() & 0o077 != 0 {
        return Err(fail("it is somebody else's, or others may open it".to_owned()));
    }
    Ok(path)
}

/// Takes away the sockets of runs that were killed: nobody listens there any more.
async fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Err(error) = UnixStream::connect(entry.path()).await
            && error.kind() == std::io::ErrorKind::ConnectionRefused
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Asks a run that waits for one thing.
///
/// # Errors
/// It cannot be reached, or says no.
pub async fn ask(channel: &Channel, by: &str, ask: OperatorAsk) -> Result<HandoffStanding, ChannelError> {
    let fail = |why: String| ChannelError::Socket { address: channel.address.clone(), why };
    let stream = UnixStream::connect(&channel.address).await.map_err(|error| fail(error.to_string()))?;
    let (read, mut write) = stream.into_split();
    let asked = Asked { token: channel.token.clone(), by: by.to_owned(), epoch: None, ask };
    let mut text = serde_json::to_vec(&asked).map_err(|error| ChannelError::Answer(error.to_string()))?;
    text.push(b'\n');
    write.write_all(&text).await.map_err(|error| fail(error.to_string()))?;
    let mut line = String::new();
    let mut read = BufReader::new(read);
    tokio::time::timeout(ANSWERED, read.read_line(&mut line))
        .await
        .map_err(|_| fail("no answer in time".to_owned()))?
        .map_err(|error| fail(error.to_string()))?;
    if line.is_empty() {
        return Err(fail("the run ended before it answered".to_owned()));
    }
    match serde_json::from_str(&line).map_err(|error| ChannelError::Answer(error.to_string()))? {
        Answered::Stands(standing) => Ok(*standing),
        Answered::Refused(refused) => Err(ChannelError::Refused(refused)),
    }
}
