//! The parts of protocol messages that are looked at. Everything else, and everything unknown, is ignored:
//! a newer browser must not make a whole message unreadable.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetInfo {
    pub(crate) target_id: String,
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) url: String,
    pub(crate) opener_id: Option<String>,
    pub(crate) browser_context_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attached {
    pub(crate) session_id: String,
    pub(crate) target_info: TargetInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Detached {
    pub(crate) session_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameAttached {
    pub(crate) frame_id: String,
    pub(crate) parent_frame_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameDetached {
    pub(crate) frame_id: String,
    #[serde(default)]
    pub(crate) reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameOnly {
    pub(crate) frame_id: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FrameNavigated {
    pub(crate) frame: FrameInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameInfo {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    #[serde(default)]
    pub(crate) loader_id: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) url: String,
    pub(crate) url_fragment: Option<String>,
    pub(crate) unreachable_url: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WithinDocument {
    pub(crate) frame_id: String,
    pub(crate) url: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedNavigating {
    pub(crate) frame_id: String,
    #[serde(default)]
    pub(crate) navigation_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lifecycle {
    pub(crate) frame_id: String,
    #[serde(default)]
    pub(crate) loader_id: String,
    pub(crate) name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DialogOpening {
    #[serde(default)]
    pub(crate) message: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) default_prompt: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WindowOpen {
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) window_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChooserOpened {
    pub(crate) backend_node_id: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ContextCreated {
    pub(crate) context: ContextInfo,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextInfo {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) unique_id: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) aux_data: ContextData,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextData {
    #[serde(default)]
    pub(crate) frame_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextDestroyed {
    #[serde(default)]
    pub(crate) execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BindingCalled {
    pub(crate) name: String,
    pub(crate) execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestSent {
    pub(crate) request_id: String,
    #[serde(default)]
    pub(crate) loader_id: String,
    #[serde(default)]
    pub(crate) frame_id: String,
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    pub(crate) request: RequestInfo,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RequestInfo {
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) method: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResponseReceived {
    pub(crate) request_id: String,
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    pub(crate) response: ResponseInfo,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ResponseInfo {
    #[serde(default)]
    pub(crate) status: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestEnded {
    pub(crate) request_id: String,
    #[serde(default)]
    pub(crate) error_text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Paused {
    pub(crate) request_id: String,
    pub(crate) request: RequestInfo,
    #[serde(default)]
    pub(crate) resource_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuthRequired {
    pub(crate) request_id: String,
    pub(crate) auth_challenge: Challenge,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Challenge {
    #[serde(default)]
    pub(crate) origin: String,
    #[serde(default)]
    pub(crate) realm: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DownloadBegan {
    pub(crate) frame_id: String,
    pub(crate) guid: String,
    #[serde(default)]
    pub(crate) suggested_filename: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DownloadProgress {
    pub(crate) guid: String,
    #[serde(default)]
    pub(crate) received_bytes: f64,
    #[serde(default)]
    pub(crate) state: String,
}

/// A reply nobody looks into.
#[derive(Debug, Deserialize)]
pub(crate) struct Done {}

/// The reply to an evaluation by value.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: serde::de::DeserializeOwned")]
pub(crate) struct Evaluated<T> {
    pub(crate) result: Option<Valued<T>>,
    pub(crate) exception_details: Option<Exception>,
}

#[derive(Debug, Deserialize)]
#[serde(bound = "T: serde::de::DeserializeOwned")]
pub(crate) struct Valued<T> {
    pub(crate) value: Option<T>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Exception {
    #[serde(default)]
    pub(crate) text: String,
    pub(crate) exception: Option<ExceptionObject>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ExceptionObject {
    #[serde(default)]
    pub(crate) description: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextReply {
    pub(crate) browser_context_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameOwner {
    pub(crate) backend_node_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldReply {
    pub(crate) execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Resolved {
    pub(crate) object: RemoteObject,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemoteObject {
    pub(crate) object_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectEvaluated {
    pub(crate) result: RemoteObject,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Navigated {
    pub(crate) error_text: Option<String>,
    #[serde(default)]
    pub(crate) is_download: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Screenshot {
    pub(crate) data: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Version {
    #[serde(default)]
    pub(crate) product: String,
}
