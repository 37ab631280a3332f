//! Suppression of a message that Mesa prints on machines without a desktop session.

/// Variable that disables Mesa's layer for the choice of a GPU. The layer asks the window system for its GPU, and prints
/// "error: `XDG_RUNTIME_DIR` is invalid" where there is none. Sunfleck chooses the GPU itself.
const DISABLE_LAYER: &str = "NODEVICE_SELECT";

/// Disables the layer, unless the user has set its variable.
#[expect(unsafe_code, reason = "the environment can be changed before there are threads")]
pub(crate) fn suppress() {
    if std::env::var_os(DISABLE_LAYER).is_none() {
        // SAFETY: `main` calls this first: no other thread exists that could read the environment
        unsafe { std::env::set_var(DISABLE_LAYER, "1") };
    }
}
