//! Times links and scattering where all surfaces of a built-in scene are of wax.
//!
//! `cargo run --release -p sunfleck-surface --example subsurface -- 512 16`

use std::time::Instant;

use sunfleck_math::{Vec3, vec3};
use sunfleck_shading::subsurface::{DiffusionMedium, DiffusionProfile, ProfileModel};
use sunfleck_surface::atlas::Atlas;
use sunfleck_surface::subsurface::{
    FixedLevelLinks, IrradianceOptions, LinkBudget, Links, TexelMedia, direct_irradiance,
};
use sunfleck_transport::World;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let resolution = arguments.next().map_or(Ok(512), |number| number.parse())?;
    let budget = arguments.next().map_or(Ok(16), |number| number.parse())?;
    let scene = sunfleck_models::build(&arguments.next().unwrap_or("teapot-room".into()))?;
    let world = World::commit(&scene)?;
    let atlas = Atlas::meshed(&world, resolution)?;

    // A mean free path of a hundredth of the scene
    let length = world.bounds().diagonal() / 100.0;
    let model = ProfileModel::Dipole;
    let medium = DiffusionMedium::of_reflectance(model, vec3(0.8, 0.6, 0.4), Vec3::splat(length), 1.3);
    let media = TexelMedia::uniform(&atlas, DiffusionProfile::new(model, &medium));
    let mut start = Instant::now();
    let mut elapsed = || {
        let seconds = start.elapsed().as_secs_f64();
        start = Instant::now();
        seconds
    };
    let links = Links::build(&atlas, media.clone(), LinkBudget::new(budget));
    let seconds = elapsed();
    let rate = links.count() as f64 / seconds / 1e6;
    eprintln!("{} links in {seconds:.2} s, {rate:.2} million/s", links.count());
    let options = IrradianceOptions { samples: 1, ..IrradianceOptions::default() };
    let irradiance = direct_irradiance(&world, &atlas, &media, options, |_| 1.0);
    eprintln!("irradiance: {:.1} ms for a sample of each texel", 1e3 * elapsed());
    let best = |scatter: &dyn Fn() -> Vec<Vec3>| {
        let time = |_| {
            let start = Instant::now();
            scatter();
            1e3 * start.elapsed().as_secs_f64()
        };
        (0..10).map(time).fold(f64::INFINITY, f64::min)
    };
    eprintln!("scattering: {:.1} ms", best(&|| links.scatter(&irradiance)));
    elapsed();
    let fixed = FixedLevelLinks::build(&atlas, media, budget);
    eprintln!("{} links to a fixed level in {:.2} s", fixed.count(), elapsed());
    eprintln!("scattering: {:.1} ms", best(&|| fixed.scatter(&irradiance)));
    Ok(())
}
