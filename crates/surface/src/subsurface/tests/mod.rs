//! Tests of subsurface scattering against closed forms on the sphere and against sums over all pairs of texels.
#![allow(clippy::cast_possible_truncation, reason = "f64 is the reference")]
#![allow(clippy::needless_range_loop, reason = "sums of pairs")]

mod accuracy;
mod energy;
mod irradiance;
mod kernel;
mod sphere;

use std::f64::consts::PI;

use sunfleck_math::{Affine3, DVec3, Vec3, vec3};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};
use sunfleck_shading::subsurface::{DiffusionMedium, DiffusionProfile, ProfileModel};
use sunfleck_transport::World;

use super::*;
use crate::atlas::Atlas;

/// Unit sphere of `8 · 4ⁿ` triangles: an octahedron whose triangles are divided into four.
fn sphere(n: u32) -> MeshData {
    let axes = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y];
    let mut faces: Vec<[Vec3; 3]> = Vec::new();
    for i in 0..4 {
        let (a, b) = (axes[i], axes[(i + 1) % 4]);
        faces.extend([[a, b, Vec3::Z], [b, a, Vec3::NEG_Z]]);
    }
    for _ in 0..n {
        let quarters = |[a, b, c]: [Vec3; 3]| {
            let [ab, bc, ca] = [a + b, b + c, c + a].map(|p| p.normalize_or(Vec3::X));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces = faces.into_iter().flat_map(quarters).collect();
    }
    let triangles = (0..u32::try_from(faces.len()).unwrap()).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    MeshData { positions: faces.into_iter().flatten().collect(), triangles, ..MeshData::default() }
}

fn scene_of(data: MeshData, transforms: &[Affine3]) -> Scene {
    let mut scene = Scene::default();
    let material = scene.add_material(Material::lambert("wax", Vec3::splat(0.5))).unwrap();
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    for transform in transforms {
        scene.add_node(Node::new("").at(*transform).with_mesh(mesh, vec![material])).unwrap();
    }
    scene
}

fn atlas_of(data: MeshData, transforms: &[Affine3], resolution: u32) -> Atlas {
    Atlas::meshed(&World::commit(&scene_of(data, transforms)).unwrap(), resolution).unwrap()
}

fn profile(model: ProfileModel, mean_free_path: Vec3) -> DiffusionProfile {
    let reflectance = vec3(0.8, 0.6, 0.3);
    DiffusionProfile::new(model, &DiffusionMedium::of_reflectance(model, reflectance, mean_free_path, 1.3))
}

/// Centres of texels.
fn positions(atlas: &Atlas) -> Vec<Vec3> {
    let triangles = atlas.surfaces().triangles();
    atlas.texels().iter().map(|t| triangles[t.triangle as usize].point(t.barycentrics)).collect()
}

/// Eigenvalue of the scattering operator of the unit sphere for Legendre's polynomial of degree 0 or 1, by the formula of
/// Funk and Hecke: `∫ R(r) P(1 - r²/2) 2π r dr` over chords r, since `dA = 2π r dr` on a sphere.
fn eigenvalue(profile: &DiffusionProfile, degree: u32) -> Vec3 {
    // Substituted r = s², which resolves 1/r
    let steps = 20_000;
    let mut sum = DVec3::ZERO;
    for i in 0..steps {
        let s = (f64::from(i) + 0.5) / f64::from(steps) * 2f64.sqrt();
        let r = s * s;
        let legendre = if degree == 0 { 1.0 } else { 1.0 - r * r / 2.0 };
        let weight = 2.0 * PI * r * 2.0 * s * 2f64.sqrt() / f64::from(steps);
        sum += profile.eval(r as f32).as_dvec3() * (legendre * weight);
    }
    sum.as_vec3()
}

/// Pairs of texels whose centres are nearer than about 1.5 texels.
fn neighbours(atlas: &Atlas) -> Vec<[usize; 2]> {
    let positions = positions(atlas);
    let mean = atlas.areas().iter().sum::<f32>() / positions.len() as f32;
    let size = 1.5 * mean.sqrt();
    let cell = |p: Vec3| (p / size).floor().to_array().map(|c| c as i32);
    let mut cells = std::collections::BTreeMap::<[i32; 3], Vec<usize>>::new();
    for (i, p) in positions.iter().enumerate() {
        cells.entry(cell(*p)).or_default().push(i);
    }
    let mut pairs = Vec::new();
    for (i, p) in positions.iter().enumerate() {
        let [x, y, z] = cell(*p);
        for k in 0..27 {
            let other = [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1];
            let near = cells.get(&other).into_iter().flatten();
            pairs.extend(near.filter(|&&j| i < j && positions[j].distance(*p) < size).map(|&j| [i, j]));
        }
    }
    pairs
}
