//! Limit of the memory that a rendering may take.

use sunfleck_command::Failure;
use sunfleck_scene::Scene;

use crate::units;

/// Memory that a rendering needs at the same time, in bytes, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemoryBudget {
    /// Limit; `None` without one.
    pub(super) limit: Option<u64>,
    /// Film, denoising and encoding.
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

    /// Checks that all parts together keep the limit.
    ///
    /// # Errors
    /// They need more.
    pub(super) fn check(&self) -> Result<(), Failure> {
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
                Err(Failure::failed(message)
                    .with_help("a smaller image, --crop and `--denoise off` need less"))
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
        let limited = |limit| MemoryBudget { limit, ..parts }.check();
        assert!(limited(None).is_ok() && limited(Some(mib(110))).is_ok());
        let message = limited(Some(mib(110) - 1)).unwrap_err().to_string();
        assert!(message.contains("110.0 MiB") && message.contains("30.0 MiB of geometry"), "{message}");
        assert!(!message.contains("structures"), "{message}");
        let huge = MemoryBudget { limit: Some(1), images: u64::MAX, geometry: 1, ..MemoryBudget::default() };
        assert!(huge.check().is_err(), "no overflow");
    }
}
