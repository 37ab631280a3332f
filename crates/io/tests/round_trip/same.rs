//! Equality of scenes: they contain equal objects in the same order. Ids are renumbered without gaps when a scene is
//! saved, so references are compared by the rank of the id.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_scene::{
    Animation, CameraId, Deformer, Environment, LightId, Material, MaterialId, MeshId, Node, NodeId, Scene,
    Surface, TextureId,
};

/// Panics, naming the object that differs, if `found` is not the same scene as `expected`.
pub(crate) fn assert_same(found: &Scene, expected: &Scene, name: &str) {
    let ranks = Ranks::of(expected);
    let count = |scene: &Scene| {
        [
            scene.meshes().len(),
            scene.textures().len(),
            scene.materials().len(),
            scene.lights().len(),
            scene.cameras().len(),
            scene.nodes().len(),
            scene.animations().len(),
            scene.deformers().len(),
        ]
    };
    assert_eq!(
        count(found),
        count(expected),
        "{name}: meshes, textures, materials, lights, cameras, nodes, animations, deformers"
    );
    for ((_, found), (id, expected)) in found.meshes().zip(expected.meshes()) {
        // Not by assert_eq, whose message would contain all vertices
        assert!(found == expected, "{name}: {id}, `{}`", expected.name());
        assert!(same_signs(found.positions(), expected.positions()), "{name}: {id}, zeros keep their signs");
    }
    for ((_, found), (id, expected)) in found.textures().zip(expected.textures()) {
        assert!(found == expected, "{name}: {id}, `{}`", expected.name());
    }
    for ((_, found), (_, expected)) in found.materials().zip(expected.materials()) {
        assert_eq!(*found, ranks.material(expected), "{name}");
    }
    assert!(
        found.lights().map(|(_, light)| light).eq(expected.lights().map(|(_, light)| light)),
        "{name}: lights"
    );
    assert!(found.cameras().map(|(_, c)| c).eq(expected.cameras().map(|(_, c)| c)), "{name}: cameras");
    for ((id, found), (_, expected)) in found.nodes().zip(expected.nodes()) {
        assert_eq!(*found, ranks.node(expected), "{name}: {id}");
    }
    for ((_, found), (id, expected)) in found.animations().zip(expected.animations()) {
        assert!(**found == ranks.animation(expected), "{name}: {id}");
    }
    for ((found_id, found), (id, expected)) in found.deformers().zip(expected.deformers()) {
        assert_eq!(found_id, ranks.meshes[&id], "{name}: which mesh is deformed");
        assert!(*found == ranks.deformer(expected), "{name}: the deformer of {id}");
    }
    assert_eq!(*found.environment(), ranks.environment(expected.environment()), "{name}");
    assert_eq!(found.exposure_stops(), expected.exposure_stops(), "{name}");
    assert_eq!(found.origin(), expected.origin(), "{name}");
}

fn same_signs(a: &[sunfleck_math::Vec3], b: &[sunfleck_math::Vec3]) -> bool {
    let bits = |p: &sunfleck_math::Vec3| p.to_array().map(f32::to_bits);
    a.iter().map(bits).eq(b.iter().map(bits))
}

/// New id of each id after renumbering without gaps.
struct Ranks {
    meshes: BTreeMap<MeshId, MeshId>,
    textures: BTreeMap<TextureId, TextureId>,
    materials: BTreeMap<MaterialId, MaterialId>,
    lights: BTreeMap<LightId, LightId>,
    cameras: BTreeMap<CameraId, CameraId>,
    nodes: BTreeMap<NodeId, NodeId>,
}

impl Ranks {
    fn of(scene: &Scene) -> Self {
        fn ranked<I: Ord + From<u32>>(ids: impl Iterator<Item = I>) -> BTreeMap<I, I> {
            ids.zip((0u32..).map(I::from)).collect()
        }
        Self {
            meshes: ranked(scene.meshes().map(|(id, _)| id)),
            textures: ranked(scene.textures().map(|(id, _)| id)),
            materials: ranked(scene.materials().map(|(id, _)| id)),
            lights: ranked(scene.lights().map(|(id, _)| id)),
            cameras: ranked(scene.cameras().map(|(id, _)| id)),
            nodes: ranked(scene.nodes().map(|(id, _)| id)),
        }
    }

    fn material(&self, material: &Material) -> Material {
        let mut material = material.clone();
        let surface = match &mut material.surface {
            Surface::MetallicRoughness { base_color, metallic_roughness_texture, .. } => {
                [base_color.texture.as_mut(), metallic_roughness_texture.as_mut(), None]
            }
            Surface::Conductor { reflectance, roughness_texture, .. } => {
                [reflectance.texture.as_mut(), roughness_texture.as_mut(), None]
            }
            Surface::Principled { base_color, surface_texture, coat_texture, .. } => {
                [base_color.texture.as_mut(), surface_texture.as_mut(), coat_texture.as_mut()]
            }
            Surface::Lambert { albedo }
            | Surface::OrenNayar { albedo, .. }
            | Surface::Plastic { diffuse: albedo, .. } => [albedo.texture.as_mut(), None, None],
            Surface::Mirror { .. } | Surface::Dielectric { .. } | Surface::ThinDielectric { .. } => {
                [None, None, None]
            }
        };
        let others =
            [material.emission.texture.as_mut(), material.normal_map.as_mut().map(|map| &mut map.texture)];
        for reference in surface.into_iter().chain(others).flatten() {
            reference.texture = self.textures[&reference.texture];
        }
        material
    }

    fn node(&self, node: &Node) -> Node {
        let mut node = node.clone();
        node.parent = node.parent.map(|id| self.nodes[&id]);
        node.light = node.light.map(|id| self.lights[&id]);
        node.camera = node.camera.map(|id| self.cameras[&id]);
        if let Some(instance) = &mut node.instance {
            instance.mesh = self.meshes[&instance.mesh];
            instance.materials.iter_mut().for_each(|id| *id = self.materials[id]);
        }
        node
    }

    fn animation(&self, animation: &Animation) -> Animation {
        let mut animation = animation.clone();
        animation.nodes.iter_mut().for_each(|motion| motion.node = self.nodes[&motion.node]);
        animation.weights.iter_mut().for_each(|motion| motion.mesh = self.meshes[&motion.mesh]);
        animation
    }

    fn deformer(&self, deformer: &Deformer) -> Deformer {
        let mut deformer = deformer.clone();
        if let Some(skin) = &mut deformer.skin {
            Arc::make_mut(skin).joints.iter_mut().for_each(|joint| *joint = self.nodes[joint]);
        }
        deformer
    }

    fn environment(&self, environment: &Environment) -> Environment {
        match *environment {
            Environment::Map { texture, rotation_y_radians, scale, rows_at_poles } => {
                let texture = self.textures[&texture];
                Environment::Map { texture, rotation_y_radians, scale, rows_at_poles }
            }
            other => other,
        }
    }
}
