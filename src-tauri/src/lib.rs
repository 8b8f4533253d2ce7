//! The desktop shell: one window over the committed page in `ui/static`.
//!
//! It makes no decision and knows no engine. Commands and events are added here as one-line calls into `api`.

/// Opens the window and runs until it is closed.
///
/// # Errors
/// The platform's web view could not be started, or there is no display.
pub fn run() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!())
}
