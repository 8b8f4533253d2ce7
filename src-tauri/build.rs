//! Build step of the desktop shell: the capability files live beside the shell, not at the root.

fn main() {
    let attributes =
        tauri_build::Attributes::new().capabilities_path_pattern("./src-tauri/capabilities/**/*").app_manifest(
            tauri_build::AppManifest::new()
                .permissions_path_pattern("./src-tauri/permissions/**/*")
                // A command has to be named here and allowed in a capability before the page may call it.
                .commands(&[]),
        );
    if let Err(fault) = tauri_build::try_build(attributes) {
        println!("cargo::error=desktop shell: {fault:#}");
        std::process::exit(1);
    }
}
