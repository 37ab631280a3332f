//! Random worlds of triangles, rays through them, and the kernel's answers.

use std::sync::Arc;

use fearless_simd::{Level, dispatch};
use sunfleck_gpu::{AdapterChoice, Gpu, RayBatch};
use sunfleck_kernel::{Blas, BuildOptions, Hit, Instance, Tlas};
use sunfleck_math::{Affine3, Ray, Vec3, vec3};
use sunfleck_sampling::rng;
use sunfleck_shaders::layout;

/// Positions and triangles.
pub(crate) type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

pub(crate) fn gpu() -> Arc<Gpu> {
    Arc::new(Gpu::open(AdapterChoice::Best).unwrap())
}

/// A random point in the cube [-1, 1]³.
fn point(i: u32, what: u32) -> Vec3 {
    let number = |axis| 2.0 * rng::uniform([i, what, axis, 7]) - 1.0;
    vec3(number(0), number(1), number(2))
}

pub(crate) fn soup(count: u32, size: f32) -> Mesh {
    let corner = |i: u32| point(i / 3, 0) + point(i, 1) * size;
    ((0..3 * count).map(corner).collect(), (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

/// Corners of all triangles.
pub(crate) fn corners((positions, triangles): &Mesh) -> Vec<[Vec3; 3]> {
    triangles.iter().map(|triangle| triangle.map(|vertex| positions[vertex as usize])).collect()
}

/// A world of one mesh.
pub(crate) fn world((positions, triangles): Mesh) -> Tlas {
    let options = BuildOptions::default();
    let blas = Arc::new(Blas::build(&positions, &triangles, &options).unwrap());
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    Tlas::build(vec![blas], vec![instance], &options).unwrap()
}

pub(crate) fn rays(count: u32, extent: f32) -> Vec<Ray> {
    (0..count).map(|i| Ray::new(point(i, 2) * extent, point(i, 3))).collect()
}

pub(crate) fn batch(gpu: &Gpu, rays: &[Ray]) -> RayBatch {
    let rays: Vec<layout::Ray> = rays.iter().map(layout::Ray::from).collect();
    RayBatch::new(gpu, &rays).unwrap()
}

pub(crate) fn on_cpu(world: &Tlas, rays: &[Ray]) -> Vec<Option<Hit>> {
    dispatch!(Level::new(), simd => rays.iter().map(|ray| world.intersect(simd, ray)).collect())
}
