//! What a picture depends on, to recognise checkpoints of others.

use std::io;

use serde::{Deserialize, Serialize};
use sunfleck_command::Failure;
use sunfleck_image::TileRect;
use sunfleck_integrators::{Algorithm, ViewSpec};
use sunfleck_scene::Scene;

/// Everything that the samples of a picture depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::render) struct PictureId {
    /// Digest of the scene's content.
    scene: [u8; blake3::OUT_LEN],
    view: ViewSpec,
    /// Part of the image; `None` for all of it.
    window: Option<TileRect>,
    algorithm: Algorithm,
}

impl PictureId {
    /// # Errors
    /// The scene cannot be encoded.
    pub(in crate::render) fn new(
        scene: &Scene,
        view: ViewSpec,
        window: Option<TileRect>,
        algorithm: Algorithm,
    ) -> Result<Self, Failure> {
        let scene =
            digest(scene).map_err(|error| Failure::failed(format!("cannot encode the scene: {error}")))?;
        Ok(Self { scene, view, window, algorithm })
    }

    /// Returns in what pictures differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let (a, b) = (&self.view, &other.view);
        let camera = |view: &ViewSpec| (view.projection, view.world_from_view);
        let rest = |view: &ViewSpec| ViewSpec {
            projection: a.projection,
            world_from_view: a.world_from_view,
            width: a.width,
            height: a.height,
            sampler: a.sampler,
            seed: a.seed,
            ..*view
        };
        let differences = [
            (self.scene != other.scene, "scene"),
            (camera(a) != camera(b), "camera"),
            ([a.width, a.height] != [b.width, b.height], "size"),
            (self.window != other.window, "part of the image"),
            (self.algorithm != other.algorithm, "integrator or parameter of it"),
            ((a.sampler, a.seed) != (b.sampler, b.seed), "sampler or seed"),
            (rest(a) != rest(b), "filter or set of AOVs"),
        ];
        differences.into_iter().filter(|(differ, _)| *differ).map(|(_, what)| what).collect()
    }
}

/// Returns a digest of all that a scene consists of.
fn digest(scene: &Scene) -> postcard::Result<[u8; blake3::OUT_LEN]> {
    let mut hasher = blake3::Hasher::new();
    add_all(scene.meshes(), &mut hasher)?;
    add_all(scene.textures(), &mut hasher)?;
    add_all(scene.materials(), &mut hasher)?;
    add_all(scene.lights(), &mut hasher)?;
    add_all(scene.nodes(), &mut hasher)?;
    add(scene.environment(), &mut hasher)?;
    Ok(*hasher.finalize().as_bytes())
}

fn add_all<T: Serialize>(
    items: impl Iterator<Item = T>,
    hasher: &mut blake3::Hasher,
) -> postcard::Result<()> {
    let mut count = 0_u64;
    for item in items {
        add(&item, hasher)?;
        count += 1;
    }
    add(&count, hasher)
}

fn add<T: Serialize + ?Sized>(item: &T, hasher: &mut blake3::Hasher) -> postcard::Result<()> {
    // Postcard writes byte by byte, which a hasher is slow at
    let mut writer = io::BufWriter::with_capacity(1 << 16, hasher);
    postcard::to_io(item, &mut writer)?;
    io::Write::flush(&mut writer).map_err(|_| postcard::Error::SerializeBufferFull)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;
    use sunfleck_scene::{Environment, Material};

    use super::*;

    #[test]
    fn any_change_of_a_scene_changes_its_digest() {
        let scene = sunfleck_models::build("teapot-room").unwrap();
        let same = sunfleck_models::build("teapot-room").unwrap();
        assert_eq!(digest(&scene), digest(&same));
        let changes: [fn(&mut Scene); 2] = [
            |scene| scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap(),
            |scene| assert!(scene.add_material(Material::lambert("new", Vec3::ONE)).is_ok()),
        ];
        for change in changes {
            let mut other = scene.clone();
            change(&mut other);
            assert_ne!(digest(&scene), digest(&other));
        }
    }
}
