//! Folder with files for later starts of the viewer.

use std::path::PathBuf;

/// Returns the folder in which the viewer keeps unsaved edits and the list of recent scenes:
/// `$XDG_STATE_HOME/sunfleck` or `~/.local/state/sunfleck`; on Windows `%LOCALAPPDATA%\sunfleck`, on macOS
/// `~/Library/Application Support/sunfleck`. `None` if the user has no such folder.
pub fn default_state_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_STATE_HOME").or_else(|| home().map(|home| home.join(".local/state")))
    };
    folder.map(|folder| folder.join("sunfleck"))
}
