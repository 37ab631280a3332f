//! The networks that come with the crate; `training/denoiser` tells how they were trained.

use std::sync::LazyLock;

use super::Network;

static FINAL: LazyLock<Network> = LazyLock::new(|| read(include_bytes!("../../weights/final.weights")));
static INTERACTIVE: LazyLock<Network> =
    LazyLock::new(|| read(include_bytes!("../../weights/interactive.weights")));

impl Network {
    /// Returns the network for finished images. Its weights are unpacked on the first call. Never panics.
    pub fn finishing() -> &'static Self {
        &FINAL
    }

    /// Returns the network for interactive frames: a fifth of the arithmetic, with blurrier results. Never panics.
    pub fn interactive() -> &'static Self {
        &INTERACTIVE
    }
}

fn read(weights: &[u8]) -> Network {
    Network::from_bytes(weights).expect("a test reads the weights of the crate")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_can_be_read() {
        Network::finishing();
        Network::interactive();
    }
}
