//! Scenes of tests.

use std::collections::BTreeMap;

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};
use sunfleck_surface::matrix::{PatchSize, Patches, Subdivision};
use sunfleck_transport::World;

pub(crate) type Quad = [Vec3; 4];

/// Returns an instance for each list of quadrilaterals, which are counter-clockwise seen from the front.
pub(crate) fn scene_of(parts: &[(&[Quad], Material)]) -> Scene {
    let mut scene = Scene::default();
    for (quads, material) in parts {
        let mut data = MeshData::default();
        for (quad, first) in quads.iter().zip((0u32..).step_by(4)) {
            data.positions.extend(quad);
            data.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
        add(&mut scene, data, material.clone());
    }
    scene
}

fn add(scene: &mut Scene, data: MeshData, material: Material) {
    let material = scene.add_material(material).unwrap();
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    scene.add_node(Node::new("part").with_mesh(mesh, vec![material])).unwrap();
}

/// Returns the sides of a box: floor, ceiling, then the walls at least and largest x, least and largest z.
///
/// * `inside` — whether the fronts are inside.
pub(crate) fn box_sides(low: Vec3, high: Vec3, inside: bool) -> [Quad; 6] {
    let p = |x: bool, y: bool, z: bool| {
        vec3(if x { high.x } else { low.x }, if y { high.y } else { low.y }, if z { high.z } else { low.z })
    };
    let (f, t) = (false, true);
    let sides = [
        [p(f, f, f), p(f, f, t), p(t, f, t), p(t, f, f)],
        [p(f, t, f), p(t, t, f), p(t, t, t), p(f, t, t)],
        [p(f, f, f), p(f, t, f), p(f, t, t), p(f, f, t)],
        [p(t, f, f), p(t, f, t), p(t, t, t), p(t, t, f)],
        [p(f, f, f), p(t, f, f), p(t, t, f), p(f, t, f)],
        [p(f, f, t), p(f, t, t), p(t, t, t), p(t, f, t)],
    ];
    sides.map(|mut side| {
        if !inside {
            side.reverse();
        }
        side
    })
}

/// Returns the grey of a material.
pub(crate) fn grey(albedo: f32) -> Material {
    Material::lambert("grey", Vec3::splat(albedo))
}

/// Returns a closed unit sphere of triangles whose fronts are inside.
pub(crate) fn sphere(divisions: u32, material: Material) -> Scene {
    let mut positions: Vec<Vec3> = vec![Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..divisions {
        let mut middles = BTreeMap::new();
        let mut middle = |a: u32, b: u32, positions: &mut Vec<Vec3>| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize_or(Vec3::X));
                u32::try_from(positions.len() - 1).unwrap()
            })
        };
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[a, b]| middle(a, b, &mut positions));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    triangles.iter_mut().for_each(|triangle| triangle.reverse());
    let mut scene = Scene::default();
    add(&mut scene, MeshData { positions, triangles, ..MeshData::default() }, material);
    scene
}

pub(crate) fn divided(scene: &Scene, size: PatchSize) -> (World, Patches) {
    let world = World::commit(scene).unwrap();
    let patches = Patches::subdivide(&world, &Subdivision { size, ..Subdivision::default() }).unwrap();
    (world, patches)
}

/// Returns a world with one patch per surface.
pub(crate) fn undivided(scene: &Scene) -> (World, Patches) {
    divided(scene, PatchSize::EdgeLength(1e3))
}

/// Returns two closed rooms of 3 m × 2.5 m × 3 m that a door connects, with blocks and a lamp in the first one. Half of
/// the light of the second room has been reflected twice.
pub(crate) fn two_rooms() -> Scene {
    let wall = |x: f32, z: [f32; 2], y: [f32; 2], towards: f32| {
        let [low, high] = z;
        let quad = [vec3(x, y[0], low), vec3(x, y[0], high), vec3(x, y[1], high), vec3(x, y[1], low)];
        if towards > 0.0 { [quad[3], quad[2], quad[1], quad[0]] } else { quad }
    };
    let room = |low: Vec3, high: Vec3| box_sides(low, high, true);
    let (first, second) =
        (room(Vec3::ZERO, vec3(3.0, 2.5, 3.0)), room(vec3(3.2, 0.0, 0.0), vec3(6.2, 2.5, 3.0)));
    let mut white = vec![first[0], first[1], first[4], first[5], second[0], second[1], second[4], second[5]];
    // The walls with the door, 0.9 m × 2 m
    for (x, towards) in [(3.0, -1.0), (3.2, 1.0)] {
        white.push(wall(x, [0.0, 1.0], [0.0, 2.5], towards));
        white.push(wall(x, [1.9, 3.0], [0.0, 2.5], towards));
        white.push(wall(x, [1.0, 1.9], [2.0, 2.5], towards));
    }
    // Inside of the frame of the door: the sides of a box without those at least and largest x
    let frame = box_sides(vec3(3.0, 0.0, 1.0), vec3(3.2, 2.0, 1.9), true);
    white.extend([frame[0], frame[1], frame[4], frame[5]]);
    let block = box_sides(vec3(1.8, 0.0, 0.4), vec3(2.4, 0.9, 0.9), false);
    let lamp = box_sides(vec3(1.0, 1.8, 1.0), vec3(1.6, 1.85, 2.0), false);
    scene_of(&[
        (&white, grey(0.7)),
        (&[first[2]], Material::lambert("red", vec3(0.6, 0.2, 0.1))),
        (&[second[3]], Material::lambert("blue", vec3(0.1, 0.2, 0.6))),
        (&block[1..], Material::lambert("ochre", vec3(0.5, 0.4, 0.2))),
        (&lamp, grey(0.0).with_emission(Vec3::splat(10.0))),
    ])
}
