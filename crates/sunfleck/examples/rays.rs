//! Traces rays against a mesh, with `sunfleck::kernel` alone.
//!
//! `cargo run --release -p sunfleck --example rays`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::sync::Arc;

use sunfleck::Level;
use sunfleck::kernel::{Blas, BuildOptions, Coherence, HitBuffer, Instance, MISS, RayBuffer, Tlas};
use sunfleck::math::{Affine3, Ray, Vec3, vec3};

/// Traces a grid of parallel rays towards a tetrahedron, and prints the number of the triangle that each ray hits.
pub fn main() -> Result<(), Box<dyn Error>> {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let options = BuildOptions::default();
    let blas = Arc::new(Blas::build(&positions, &triangles, &options)?);
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    let tlas = Tlas::build(vec![blas], vec![instance], &options)?;

    const SIZE: u16 = 24;
    let mut rays = RayBuffer::default();
    for y in 0..SIZE {
        for x in 0..SIZE {
            let at = |i: u16| 1.2 * f32::from(i) / f32::from(SIZE) - 0.1;
            rays.push(&Ray::new(vec3(at(x), at(SIZE - 1 - y), 5.0), Vec3::NEG_Z));
        }
    }
    let mut hits = HitBuffer::with_len(usize::from(SIZE) * usize::from(SIZE));
    tlas.intersect_stream(Level::new(), &rays.as_stream(), Coherence::Coherent, &mut hits.as_stream());

    for row in hits.prim_id.chunks(SIZE.into()) {
        let symbol = |&prim_id: &u32| match prim_id {
            MISS => ' ',
            prim_id => char::from_digit(prim_id, 10).unwrap_or('#'),
        };
        println!("{}", row.iter().map(symbol).collect::<String>());
    }
    Ok(())
}
