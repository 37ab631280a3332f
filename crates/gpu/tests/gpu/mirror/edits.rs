//! A small scene, and random edits of it.

use std::sync::Arc;

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec2, Vec3, vec2, vec3};
use sunfleck_scene::{
    ColorTexture, Environment, Light, LightKind, Material, MaterialId, Mesh, MeshData, MeshId, Node, NodeId,
    Scene, SceneEdit, Surface, Texels, Texture, TextureId, TextureRef,
};

/// Random numbers that a test can repeat [Press92, §7.1].
pub(super) struct Random(pub(super) u32);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit.max(1)
    }

    pub(super) fn unit(&mut self) -> f32 {
        self.below(1 << 16) as f32 / 65_536.0
    }

    /// A random point in the unit cube.
    fn triple(&mut self) -> Vec3 {
        vec3(self.unit(), self.unit(), self.unit())
    }

    fn one_of<T: Copy>(&mut self, all: impl Iterator<Item = T>) -> T {
        let all: Vec<T> = all.collect();
        all[self.below(all.len())]
    }
}

/// A bumpy sheet of `n` × `n` squares around the origin, one unit wide. Bumps depend on `phase` alone.
pub(super) fn sheet(n: u16, phase: f32, height: f32) -> MeshData {
    let side = u32::from(n) + 1;
    let at = |i: u32| vec2((i % side) as f32, (i / side) as f32) / f32::from(n);
    let bump =
        |p: Vec2| sunfleck_math::sin(p.x * 9.0 + phase) * sunfleck_math::sin(p.y * 7.0 - phase) * height;
    let corner = |i: u32| {
        let v = i / u32::from(n) * side + i % u32::from(n);
        [[v, v + side, v + 1], [v + 1, v + side, v + side + 1]]
    };
    MeshData {
        name: format!("sheet {n}"),
        positions: (0..side * side).map(|i| vec3(at(i).x - 0.5, bump(at(i)), at(i).y - 0.5)).collect(),
        uv0: (0..side * side).map(at).collect(),
        triangles: (0..u32::from(n) * u32::from(n)).flat_map(corner).collect(),
        slots: (0..2 * n * n).map(|i| u16::from(i % 7 == 0)).collect(),
        ..MeshData::default()
    }
}

fn checks(random: &mut Random, size: u32) -> Texture {
    let mut code = || u8::try_from(random.below(256)).unwrap();
    let texels = (0..size * size).map(|_| [code(), code(), 80, 255]);
    Texture::new("checks", size, size, Texels::Srgb8(Arc::new(texels.collect()))).unwrap()
}

fn textured(texture: TextureId) -> Material {
    let texture = Some(TextureRef::new(texture));
    Material::new("textured", Surface::Lambert { albedo: ColorTexture { texture, ..Vec3::ONE.into() } })
}

pub(super) fn place(random: &mut Random) -> Affine3 {
    let mut at = Affine3::from_translation((random.triple() - 0.5) * 3.0) * rotation_y(random.unit() * 6.0);
    at.matrix3 *= 0.3 + random.unit();
    if random.below(6) == 0 {
        at.matrix3.x_axis = -at.matrix3.x_axis;
    }
    at
}

/// Meshes, materials and textures of several kinds, an emissive mesh and a point light.
pub(super) fn toys(random: &mut Random) -> Scene {
    let mut scene = Scene::default();
    for n in [1, 3, 6, 9] {
        scene.add_mesh(Mesh::new(sheet(n, f32::from(n), 0.1)).unwrap()).unwrap();
    }
    let texture = scene.add_texture(checks(random, 8)).unwrap();
    for material in [
        Material::lambert("red", vec3(0.8, 0.2, 0.1)),
        Material::metallic_roughness("metal", vec3(0.8, 0.7, 0.3), 1.0, 0.4),
        Material::mirror("mirror", Vec3::splat(0.9)),
        textured(texture),
        Material::emitter("lamp", Vec3::splat(5.0)),
    ] {
        scene.add_material(material).unwrap();
    }
    for _ in 0..10 {
        let node = node(&scene, random);
        scene.add_node(node).unwrap();
    }
    let light = Light { name: "point".into(), emission: Vec3::splat(3.0), kind: LightKind::Point };
    let light = scene.add_light(light).unwrap();
    let above = Affine3::from_translation(Vec3::Y * 3.0);
    scene.add_node(Node::new("point").at(above).with_light(light)).unwrap();
    let sun = Light { name: "sun".into(), emission: Vec3::splat(0.5), kind: LightKind::Directional };
    let sun = scene.add_light(sun).unwrap();
    scene.add_node(Node::new("sun").at(above).with_light(sun)).unwrap();
    scene.set_environment(Environment::Constant { radiance: Vec3::splat(0.4) }).unwrap();
    scene
}

fn node(scene: &Scene, random: &mut Random) -> Node {
    let mesh = random.one_of(scene.meshes().map(|(id, _)| id));
    let materials = [(); 2].map(|()| random.one_of(scene.materials().map(|(id, _)| id)));
    Node::new("toy").at(place(random)).with_mesh(mesh, materials.to_vec())
}

/// A random edit; some are refused, such as the removal of what is in use.
pub(super) fn random_edit(scene: &Scene, random: &mut Random) -> SceneEdit {
    let node_id: NodeId = random.one_of(scene.nodes().map(|(id, _)| id));
    let mesh_id: MeshId = random.one_of(scene.meshes().map(|(id, _)| id));
    let material_id: MaterialId = random.one_of(scene.materials().map(|(id, _)| id));
    let texture_id: TextureId = random.one_of(scene.textures().map(|(id, _)| id));
    let color = random.triple();
    match random.below(16) {
        0..3 => SceneEdit::Transform { id: node_id, parent_from_node: place(random) },
        3 => SceneEdit::Visible { id: node_id, visible: random.below(4) > 0 },
        4 if scene.nodes().len() < 24 => {
            SceneEdit::Node { id: scene.next_node_id(), node: Some(node(scene, random)) }
        }
        5 if scene.nodes().len() > 8 => SceneEdit::Node { id: node_id, node: None },
        6 => SceneEdit::Material { id: material_id, material: Some(Material::lambert("painted", color)) },
        7 => {
            let lamp = Material::lambert("lamp", color).with_emission(color * random.below(5) as f32);
            SceneEdit::Material { id: material_id, material: Some(lamp) }
        }
        8 => SceneEdit::Material { id: material_id, material: Some(textured(texture_id)) },
        9 => {
            let id = if scene.textures().len() < 5 { scene.next_texture_id() } else { texture_id };
            let size = 1 << random.below(5);
            SceneEdit::Texture { id, texture: Some(Arc::new(checks(random, size))) }
        }
        10 => SceneEdit::Texture { id: texture_id, texture: None },
        11 => {
            let rotation_y_radians = random.unit();
            let map = Environment::Map {
                texture: texture_id,
                rotation_y_radians,
                scale: color,
                rows_at_poles: false,
            };
            let constant = Environment::Constant { radiance: color };
            let environment = if random.below(3) == 0 { constant } else { map };
            SceneEdit::Environment { environment }
        }
        // The same triangles with other vertices: slightly moved, or strongly deformed
        12 | 13 => {
            let mut data = scene.mesh(mesh_id).unwrap().data().clone();
            let (phase, height) = (random.unit() * 6.0, 0.02 + 0.2 * random.unit());
            let is_strongly_deformed = random.below(5) == 0;
            for position in &mut data.positions {
                position.y += height * sunfleck_math::sin(9.0 * position.x + phase);
                if is_strongly_deformed {
                    *position = random.triple() - 0.5;
                }
                *position = position.clamp(Vec3::splat(-1.0), Vec3::ONE);
            }
            SceneEdit::Mesh { id: mesh_id, mesh: Some(Arc::new(Mesh::new(data).unwrap())) }
        }
        14 => {
            let id = if scene.meshes().len() < 7 { scene.next_mesh_id() } else { mesh_id };
            let n = u16::try_from(1 + random.below(7)).unwrap();
            let data = sheet(n, random.unit() * 6.0, 0.1);
            SceneEdit::Mesh { id, mesh: Some(Arc::new(Mesh::new(data).unwrap())) }
        }
        _ => SceneEdit::Mesh { id: mesh_id, mesh: None },
    }
}
