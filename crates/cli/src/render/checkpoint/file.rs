//! The file of a checkpoint: a line with the version of the program, the digest of the rest, and the content.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sunfleck_command::Failure;
use sunfleck_image::{io_reason, read_regular_file, write_atomically};
use sunfleck_integrators::{RayCount, RenderState};

use super::ImageId;

/// First line of the file up to the version of the program. Another version may render other samples, or encode them in
/// another way.
const MAGIC: &str = "sunfleck checkpoint ";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Largest length of the version in a file.
const MAX_VERSION: usize = 64;

/// Samples of an image, and what was spent on them.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::render) struct Checkpoint {
    pub(super) image: ImageId,
    pub(in crate::render) spent: Spent,
    /// Number of samples after which the image is denoised and judged, if that decides when it ends.
    pub(in crate::render) target: u32,
    pub(in crate::render) state: RenderState,
}

/// What was spent on an image.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(in crate::render) struct Spent {
    pub(in crate::render) rays: RayCount,
    /// Time of rendering and denoising.
    pub(in crate::render) elapsed: Duration,
}

impl Checkpoint {
    /// Writes the file atomically: a process that is killed leaves the previous checkpoint.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn save(&self, file: &Path) -> Result<(), String> {
        let failed = |why: &dyn std::fmt::Display| format!("the checkpoint is not written: {why}");
        // The content is as large as the film, so it is encoded once, behind room for its digest
        let mut header = format!("{MAGIC}{VERSION}\n").into_bytes();
        let digest_at = header.len();
        let content_at = digest_at + blake3::OUT_LEN;
        header.resize(content_at, 0);
        let mut bytes = postcard::to_extend(self, header).map_err(|error| failed(&error))?;
        let digest = blake3::hash(&bytes[content_at..]);
        bytes[digest_at..content_at].copy_from_slice(digest.as_bytes());
        write_atomically(file, &bytes).map_err(|error| failed(&error))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, is not a checkpoint, is one of another version of the program, or is damaged.
    pub(super) fn load(file: &Path) -> Result<Self, Failure> {
        let bad = |why: &str| Failure::bad_input(format!("{}: {why}", file.display()));
        let bytes = read_regular_file(file)
            .map_err(|error| bad(&format!("cannot be read: {}", io_reason(&error))))?;
        let (version, rest) =
            split_version(&bytes).ok_or_else(|| bad("is not a checkpoint of this version of Sunfleck"))?;
        if version != VERSION.as_bytes() {
            return Err(bad(&format!(
                "is a checkpoint of version {} of Sunfleck, which only that version can continue to the same bits; \
                 this is version {VERSION}",
                version.escape_ascii()
            )));
        }
        let (digest, content) =
            rest.split_first_chunk::<{ blake3::OUT_LEN }>().ok_or_else(|| bad("is cut off"))?;
        if blake3::hash(content) != *digest {
            return Err(bad("is damaged: its content does not match its digest"));
        }
        postcard::from_bytes(content).map_err(|error| bad(&format!("is not a valid checkpoint: {error}")))
    }
}

/// Splits a file into the version of the program that wrote it and what follows that line; `None`: it is no checkpoint.
fn split_version(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(MAGIC.as_bytes())?;
    let end = rest.iter().take(MAX_VERSION).position(|&byte| byte == b'\n')?;
    Some((&rest[..end], &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use sunfleck_image::{AovSet, Film, PixelSample, TileRect};
    use sunfleck_integrators::{Algorithm, PlacedCamera, ViewSpec};
    use sunfleck_math::{Affine3, Vec3};
    use sunfleck_scene::{Camera, Scene};

    use super::*;

    fn checkpoint() -> Checkpoint {
        let camera = PlacedCamera {
            name: "a".into(),
            camera: Camera::perspective("a", 1.0),
            world_from_view: Affine3::IDENTITY,
        };
        let view: ViewSpec = sunfleck_engine::FrameRequest::new(camera, 3, 2).view();
        let image = ImageId::new(&Scene::default(), view, None, Algorithm::ALL[0]).unwrap();
        let mut film = Film::new(3, 2, AovSet::EMPTY);
        let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 3, y1: 2 });
        tile.add(1, 1, &PixelSample { radiance: Vec3::new(0.1, 1e-9, 3e7), ..PixelSample::default() });
        film.put(tile).unwrap();
        let state = RenderState { film, start: 5.into(), rays: RayCount::default() };
        Checkpoint { image, spent: Spent::default(), target: 16, state }
    }

    #[test]
    fn a_file_has_the_same_bits_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.checkpoint");
        let written = checkpoint();
        written.save(&file).unwrap();
        let read = Checkpoint::load(&file).unwrap();
        assert_eq!(read.state.film, written.state.film);
        assert_eq!((read.state.start.samples, read.target), (5, 16));
        assert_eq!(read.image, written.image);

        let bytes = std::fs::read(&file).unwrap();
        let first_line = bytes.iter().position(|&byte| byte == b'\n').unwrap();
        for (damaged, why) in [
            (bytes[..bytes.len() - 1].to_vec(), "digest"),
            (bytes[..30].to_vec(), "cut off"),
            (b"sunfleck checkpoint 0\nx".to_vec(), "version"),
            // All else is right, as from a build with another renderer
            ([b"sunfleck checkpoint 0.0.1", &bytes[first_line..]].concat(), "of version 0.0.1 of Sunfleck"),
            ([b"sunfleck checkpoint ".as_slice(), &[b'1'; 100]].concat(), "is not a checkpoint"),
            (Vec::new(), "version"),
        ] {
            std::fs::write(&file, damaged).unwrap();
            let error = Checkpoint::load(&file).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("a.checkpoint"), "{error}");
        }
    }
}
