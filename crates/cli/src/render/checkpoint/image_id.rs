//! What an image depends on, to recognise checkpoints of others.

use std::io;

use serde::{Deserialize, Serialize};
use sunfleck_command::Failure;
use sunfleck_image::{Aov, AovSet, TileRect};
use sunfleck_integrators::{Algorithm, ViewSpec};
use sunfleck_scene::Scene;

/// Everything that the samples of an image depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::render) struct ImageId {
    /// Digest of the scene's content.
    scene: [u8; blake3::OUT_LEN],
    view: ViewSpec,
    /// Part of the image; `None` for all of it.
    window: Option<TileRect>,
    algorithm: Algorithm,
}

impl ImageId {
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

    /// Returns in what images differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let Self { scene, view, window, algorithm } = self;
        // Every field is named, so that a new one cannot be forgotten
        let ViewSpec {
            projection,
            world_from_view,
            width,
            height,
            sampler,
            seed,
            filter,
            aovs,
            occlusion_radius,
            texture_footprint,
            shows_environment,
        } = *view;
        let them = &other.view;
        let hides_other_background = shows_environment != them.shows_environment;
        let denoises_otherwise = aovs.contains(Aov::Features) != them.aovs.contains(Aov::Features);
        // What follows from other options is no difference of its own
        let chosen = |mut aovs: AovSet| {
            if hides_other_background {
                aovs = aovs.without(Aov::Alpha);
            }
            if *algorithm != other.algorithm {
                aovs = aovs.without(Aov::Clamped);
            }
            aovs.without(Aov::Features)
        };
        let differences = [
            (*scene != other.scene, "scene"),
            ((projection, world_from_view) != (them.projection, them.world_from_view), "camera"),
            ([width, height] != [them.width, them.height], "size"),
            (*window != other.window, "part of the image"),
            (*algorithm != other.algorithm, "integrator or parameter of it"),
            ((sampler, seed) != (them.sampler, them.seed), "sampler or seed"),
            (filter != them.filter, "filter"),
            (hides_other_background, "choice of --transparent or --background"),
            (denoises_otherwise, "choice of denoising, by --denoise or the formats of the files"),
            (chosen(aovs) != chosen(them.aovs), "set of AOVs"),
            (occlusion_radius != them.occlusion_radius, "occlusion radius"),
            (texture_footprint != them.texture_footprint, "texture footprint"),
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
    use std::sync::Arc;

    use sunfleck_engine::FrameRequest;
    use sunfleck_image::Filter;
    use sunfleck_integrators::PlacedCamera;
    use sunfleck_math::{Affine3, Vec3};
    use sunfleck_sampling::SamplerKind;
    use sunfleck_scene::{
        Camera, Environment, Light, LightKind, Material, Mesh, MeshData, Projection, SceneEdit, Texels,
        Texture,
    };

    use super::*;

    type Change = fn(&mut Scene);

    #[test]
    fn any_change_of_a_scene_changes_its_digest() {
        let mut scene = sunfleck_models::build("teapot-room").unwrap();
        let grey = Texels::Srgb8(Arc::new(vec![[9; 4]; 2]));
        scene.add_texture(Texture::new("grey", 2, 1, grey).unwrap()).unwrap();
        scene.add_light(point_light(1.0)).unwrap();
        assert_eq!(digest(&scene), digest(&scene.clone()));
        let changes: [(&str, Change); 11] = [
            ("environment", |scene| {
                scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
            }),
            ("new material", |scene| {
                scene.add_material(Material::lambert("new", Vec3::ONE)).unwrap();
            }),
            ("material", |scene| {
                let (id, material) = scene.materials().next().unwrap();
                let material = Material { name: "other".into(), ..material.clone() };
                scene.apply(SceneEdit::Material { id, material: Some(material) }).unwrap();
            }),
            ("new mesh", |scene| {
                scene.add_mesh(Mesh::new(MeshData::default()).unwrap()).unwrap();
            }),
            ("one coordinate of a mesh", |scene| {
                let (id, mesh) = scene.meshes().next().unwrap();
                let mut data = mesh.data().clone();
                data.positions[0].x += 0.001;
                let mesh = Some(Arc::new(Mesh::new(data).unwrap()));
                scene.apply(SceneEdit::Mesh { id, mesh }).unwrap();
            }),
            ("one texel", |scene| {
                let id = scene.textures().next().unwrap().0;
                let texels = Texels::Srgb8(Arc::new(vec![[9; 4], [9, 9, 9, 8]]));
                let texture = Some(Arc::new(Texture::new("grey", 2, 1, texels).unwrap()));
                scene.apply(SceneEdit::Texture { id, texture }).unwrap();
            }),
            ("encoding of a texture", |scene| {
                let id = scene.textures().next().unwrap().0;
                let texels = Texels::Linear8(Arc::new(vec![[9; 4]; 2]));
                let texture = Some(Arc::new(Texture::new("grey", 2, 1, texels).unwrap()));
                scene.apply(SceneEdit::Texture { id, texture }).unwrap();
            }),
            ("light", |scene| {
                let id = scene.lights().last().unwrap().0;
                scene.apply(SceneEdit::Light { id, light: Some(point_light(2.0)) }).unwrap();
            }),
            ("transform of a node", |scene| {
                let id = scene.nodes().next().unwrap().0;
                let parent_from_node = Affine3::from_translation(Vec3::X);
                scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
            }),
            ("visibility of a node", |scene| {
                let id = scene.nodes().next().unwrap().0;
                scene.apply(SceneEdit::Visible { id, visible: false }).unwrap();
            }),
            ("removed node", |scene| {
                let has_children = |id| scene.nodes().any(|(_, node)| node.parent == Some(id));
                let id = scene.nodes().map(|(id, _)| id).find(|&id| !has_children(id)).unwrap();
                scene.apply(SceneEdit::Node { id, node: None }).unwrap();
            }),
        ];
        for (what, change) in changes {
            let mut other = scene.clone();
            change(&mut other);
            assert_ne!(digest(&scene), digest(&other), "{what}");
        }
    }

    #[test]
    fn every_field_of_a_view_is_a_difference_of_its_own() {
        let camera = PlacedCamera {
            name: "a".into(),
            camera: Camera::perspective("a", 1.0),
            world_from_view: Affine3::IDENTITY,
        };
        let view = FrameRequest::new(camera, 3, 2).view();
        let [path, other, ..] = Algorithm::ALL;
        let id = |view, algorithm| ImageId::new(&Scene::default(), view, None, algorithm).unwrap();
        let differs = |other: ViewSpec| id(view, path).differences(&id(other, path));
        assert_eq!(differs(view), Vec::<&str>::new());
        let aovs = AovSet::EMPTY;
        for (other, expected) in [
            (ViewSpec { projection: Projection::Orthographic { height: 1.0 }, ..view }, "camera"),
            (ViewSpec { world_from_view: Affine3::from_translation(Vec3::X), ..view }, "camera"),
            (ViewSpec { width: 4, ..view }, "size"),
            (ViewSpec { height: 4, ..view }, "size"),
            (ViewSpec { sampler: other_sampler(view.sampler), ..view }, "sampler or seed"),
            (ViewSpec { seed: 4, ..view }, "sampler or seed"),
            (ViewSpec { filter: other_filter(view.filter), ..view }, "filter"),
            (ViewSpec { aovs: aovs.with(Aov::Depth), ..view }, "set of AOVs"),
            (ViewSpec { aovs: aovs.with(Aov::Alpha), ..view }, "set of AOVs"),
            (ViewSpec { aovs: aovs.with(Aov::Clamped), ..view }, "set of AOVs"),
            (ViewSpec { occlusion_radius: 2.0, ..view }, "occlusion radius"),
            (ViewSpec { texture_footprint: 0.0, ..view }, "texture footprint"),
            (
                ViewSpec { shows_environment: false, aovs: aovs.with(Aov::Alpha), ..view },
                "choice of --transparent or --background",
            ),
            (
                ViewSpec { aovs: aovs.with(Aov::Features), ..view },
                "choice of denoising, by --denoise or the formats of the files",
            ),
        ] {
            assert_eq!(differs(other), [expected], "{other:?}");
        }
        let limited = ViewSpec { aovs: aovs.with(Aov::Clamped), ..view };
        let found = id(view, path).differences(&id(limited, other));
        assert_eq!(found, ["integrator or parameter of it"], "the limit of fireflies is a parameter");
    }

    fn point_light(intensity: f32) -> Light {
        Light { name: "lamp".into(), emission: Vec3::splat(intensity), kind: LightKind::Point }
    }

    fn other_sampler(kind: SamplerKind) -> SamplerKind {
        *SamplerKind::ALL.iter().find(|other| **other != kind).unwrap()
    }

    fn other_filter(filter: Filter) -> Filter {
        Filter::ALL.into_iter().find(|other| *other != filter).unwrap()
    }
}
