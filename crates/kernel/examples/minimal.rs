//! Minimal use of the kernel: builds a mesh with two instances, and traces a row of rays.
//!
//! `cargo run -p sunfleck-kernel --example minimal`
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::{Affine3, Ray, Vec3, vec3};

fn main() -> Result<(), Box<dyn Error>> {
    // BLAS of a tetrahedron
    let positions = [vec3(0.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let options = BuildOptions::default();
    let blas = Arc::new(Blas::build(&positions, &triangles, &options)?);

    // TLAS of two instances, side by side
    let at = |x: f32| Instance {
        blas: 0,
        world_from_object: Affine3::from_translation(vec3(x, 0.0, 0.0)),
        mask: 1,
        opaque: true,
    };
    let tlas = Tlas::build(vec![blas], vec![at(0.0), at(2.0)], &options)?;

    // Choose the widest SIMD level of this machine, once for all rays.
    dispatch!(Level::new(), simd => trace_row(simd, &tlas));
    Ok(())
}

#[inline(always)]
fn trace_row<S: Simd>(simd: S, tlas: &Tlas) {
    for i in 0..8 {
        let origin = vec3(0.1 + 0.4 * i as f32, 0.2, 5.0);
        let ray = Ray::new(origin, Vec3::NEG_Z);
        match tlas.intersect(simd, &ray) {
            Some(hit) => println!(
                "x = {:.1}: instance {}, triangle {}, at t = {:.3}, u = {:.2}, v = {:.2}",
                origin.x, hit.inst_id, hit.prim_id, hit.t, hit.u, hit.v
            ),
            None => println!("x = {:.1}: no hit", origin.x),
        }
    }
}
