//! Solves radiosity for a built-in scene and writes images of it, smooth and flat.
//!
//! `cargo run --release -p sunfleck-surface --example radiosity -- cornell 2000 folder`

use std::f32::consts::FRAC_1_PI;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fearless_simd::{Level, dispatch};
use sunfleck_image::{DisplayOptions, Picture, save_picture};
use sunfleck_math::{Ray, Vec3, tan};
use sunfleck_scene::Projection;
use sunfleck_surface::matrix::{
    AdaptOptions, CastOptions, FormFactors, Interpolation, Matrix, PatchSize, PatchValues, Patches,
    RadiositySystem, Solver, StopRule, Subdivision, with_triangles_only,
};
use sunfleck_transport::{AlphaSeed, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let scene = sunfleck_models::build(&arguments.next().unwrap_or("cornell".into()))?;
    let number = arguments.next().map_or(Ok(2000), |number| number.parse())?;
    let folder = arguments.next().unwrap_or(".".into());
    let world = World::commit(&with_triangles_only(&scene)?)?;

    // A first solution shows where light changes much
    let size = PatchSize::Number(number / 2);
    let mut patches = Patches::subdivide(&world, &Subdivision { size, ..Subdivision::default() })?;
    let mut start = Instant::now();
    let mut elapsed = |what: &str| {
        eprintln!("{what}: {:.3} s", start.elapsed().as_secs_f64());
        start = Instant::now();
    };
    for rays in [256, 2048] {
        let options = CastOptions { rays, ..CastOptions::default() };
        let factors = FormFactors::cast(&world, &patches, &options);
        elapsed(&format!("form factors of {} patches, {} links", patches.count(), factors.link_count()));
        eprintln!("{:?}", factors.balance());
        let system = RadiositySystem::new(&world, &patches, &factors, Matrix::dense(&factors));
        let solution = system.solve(Solver::ConjugateGradients, &StopRule::default(), None)?;
        elapsed(&format!("{} iterations, error at most {}", solution.iterations(), solution.error_bound));
        if rays == 256 {
            let options = AdaptOptions { contrast: 0.2, least_edge: 0.01, most_patches: number };
            let divided = patches.too_coarse(&solution.radiosity, &options);
            patches.refine(&world, &divided);
            continue;
        }
        let patches = Arc::new(patches.clone());
        for (name, interpolation) in [("flat", Interpolation::Flat), ("smooth", Interpolation::Smooth)] {
            let radiosity = PatchValues::new(patches.clone(), &solution.radiosity, interpolation);
            let picture = seen(&world, &radiosity)?;
            save_picture(
                &picture,
                &Path::new(&folder).join(format!("{name}.png")),
                &DisplayOptions::default(),
            )?;
        }
    }
    Ok(())
}

/// Renders what the first camera sees, one ray per pixel.
fn seen(world: &World, radiosity: &PatchValues) -> Result<Picture, Box<dyn std::error::Error>> {
    const SIZE: u32 = 400;
    let camera = world.cameras().first().ok_or("there is no camera")?;
    let Projection::Perspective { fov_y_radians, .. } = camera.camera.projection else {
        return Err("the camera is not a perspective one".into());
    };
    let half = tan(fov_y_radians * 0.5);
    let pixel = |x: u32, y: u32| {
        let at = |i: u32| (2 * i + 1) as f32 / SIZE as f32 - 1.0;
        let direction = Vec3::new(at(x) * half, -at(y) * half, -1.0);
        let ray =
            Ray::new(camera.world_from_view.translation, camera.world_from_view.transform_vector3(direction));
        let seed = AlphaSeed { pixel: [x, y], sample: 0, stream: 0 };
        let hit = dispatch!(Level::new(), simd => world.intersect(simd, &ray, seed))?;
        let is_front = hit.ng.dot(ray.direction) < 0.0;
        Some(radiosity.at(hit.inst_id, hit.prim_id, [hit.u, hit.v], is_front)? * FRAC_1_PI)
    };
    Ok(Picture::from_fn(SIZE, SIZE, |x, y| pixel(x, y).unwrap_or(Vec3::ZERO))?)
}
