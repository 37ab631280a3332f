//! Memory that a rendering takes, and the checks that there is as much.

use sunfleck_command::Failure;
use sunfleck_scene::Scene;

use crate::{memory, units};

const HELP: &str = "a smaller image, --crop and `--denoise off` need less";

/// Memory that a rendering needs at the same time, in bytes, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemoryBudget {
    /// Limit; `None` without one.
    pub(super) limit: Option<u64>,
    /// Film, denoising, checkpoints, background and encoding.
    pub(super) images: u64,
    /// Vertices and triangles.
    pub(super) geometry: u64,
    /// Textures with their mip levels.
    pub(super) textures: u64,
    /// Acceleration structures.
    pub(super) structures: u64,
}

impl MemoryBudget {
    /// Returns the budget with what a scene holds.
    pub(super) fn with_scene(self, scene: &Scene) -> Self {
        let geometry = scene.meshes().map(|(_, mesh)| mesh.data().byte_count() as u64).sum();
        // The world has mip levels of all textures, which add a third
        let with_levels = |bytes: u64| bytes + bytes / 3;
        let textures = scene.textures().map(|(_, texture)| texture.texels().byte_count() as u64);
        let textures = textures.map(with_levels).sum();
        Self { geometry, textures, ..self }
    }

    /// Checks that all parts together keep the limit, and that the images fit into the available memory; what is known
    /// of the scene is there already.
    ///
    /// # Errors
    /// They need more.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_limit()?;
        self.check_available(memory::available())
    }

    /// * `available` — bytes; `None` if they are not known.
    fn check_available(&self, available: Option<u64>) -> Result<(), Failure> {
        match available {
            Some(free) if self.images > free => Err(Failure::failed(format!(
                "the images need {} of memory, but only {} are available",
                units::bytes(self.images),
                units::bytes(free),
            ))
            .with_help(HELP)),
            _ => Ok(()),
        }
    }

    fn check_limit(&self) -> Result<(), Failure> {
        let parts = [
            ("geometry", self.geometry),
            ("textures", self.textures),
            ("acceleration structures", self.structures),
            ("images", self.images),
        ];
        let needed = parts.iter().fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes));
        match self.limit {
            Some(limit) if needed > limit => {
                let parts = parts.iter().filter(|(_, bytes)| *bytes > 0);
                let parts: Vec<_> =
                    parts.map(|(name, bytes)| format!("{} of {name}", units::bytes(*bytes))).collect();
                let message = format!(
                    "the rendering needs {} of memory, more than the {} of --memory-limit: {}",
                    units::bytes(needed),
                    units::bytes(limit),
                    parts.join(", "),
                );
                Err(Failure::failed(message).with_help(HELP))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sunfleck_scene::{Texels, Texture};

    use super::*;

    #[test]
    fn mip_levels_count() {
        let mut scene = Scene::default();
        let texels = Texels::Float(Arc::new(vec![[0.0; 4]; 300]));
        scene.add_texture(Texture::new("grey", 30, 10, texels).unwrap()).unwrap();
        let budget = MemoryBudget::default().with_scene(&scene);
        assert_eq!((budget.textures, budget.geometry), (300 * 16 + 300 * 16 / 3, 0));
    }

    #[test]
    fn the_parts_are_summed() {
        let mib = |n: u64| n << 20;
        let parts =
            MemoryBudget { images: mib(60), geometry: mib(30), textures: mib(20), ..MemoryBudget::default() };
        let limited = |limit| MemoryBudget { limit, ..parts }.check_limit();
        assert!(limited(None).is_ok() && limited(Some(mib(110))).is_ok());
        let message = limited(Some(mib(110) - 1)).unwrap_err().to_string();
        assert!(message.contains("110.0 MiB") && message.contains("30.0 MiB of geometry"), "{message}");
        assert!(!message.contains("structures"), "{message}");
        let huge = MemoryBudget { limit: Some(1), images: u64::MAX, geometry: 1, ..MemoryBudget::default() };
        assert!(huge.check_limit().is_err(), "no overflow");
    }

    #[test]
    fn images_fit_into_the_available_memory() {
        let budget = MemoryBudget { images: 2048, geometry: 9000, ..MemoryBudget::default() };
        assert!(budget.check_available(Some(2048)).is_ok(), "the geometry is there already");
        assert!(budget.check_available(None).is_ok());
        let message = budget.check_available(Some(1024)).unwrap_err().to_string();
        assert!(message.contains("2.0 KiB") && message.contains("only 1.0 KiB are available"), "{message}");
    }
}
