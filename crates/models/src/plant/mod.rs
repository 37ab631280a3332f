//! A power plant of 12.5 million triangles, as large as the model of the University of North Carolina [UNC01], which
//! is rendered in [Wald03, Fig. 20 and 26]: pipework, vessels, girders, gratings and cable trays, with long thin
//! triangles in all directions and without instancing.
//!
//! The plant is a frame of equal bays. Each bay is filled on its own; pipes and cables that pass through many bays
//! are built for a whole storey. The positions of objects in a bay are fixed, so that they do not intersect: see
//! [`layout`].

mod bay;
mod fittings;
mod layout;
mod machines;
mod materials;
mod runs;
mod stairs;
mod steel;
mod vessels;
mod zone_meshes;

use rayon::prelude::*;
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Camera, Environment, Light, LightKind, MeshData, Scene, parameters};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::random::Random;
use crate::scene_builder::SceneBuilder;
use crate::sky;

use layout::{BAY, Layout};

pub(crate) const MODEL: Model = Model {
    name: "plant",
    summary: "a power plant full of pipes, vessels, girders and gratings, 12.5 million triangles",
    parameters: Plant::PARAMETERS,
    defaults: || Box::new(Plant::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct Plant {
        /// Number of bays of about 19,000 triangles each: 1 to 650 have 20 thousand to 12.5 million triangles.
        bays: u32 = 650, in 1..=2000;
        /// Density of the pipes, 1 is the usual number; at 0.1, one bay has about 10 thousand triangles.
        density: f32 = 1.0, in 0.0..=1.0;
        /// Scale factor of the radiance of the lamps.
        lamps: f32 = 1.0, in 0.0..=100.0;
        /// Scale factor of sun and sky.
        daylight: f32 = 1.0, in 0.0..=100.0;
        /// Seed of machines and pipes.
        seed: u32 = 1, in 0..=u32::MAX;
    }
}

/// Direction towards the sun, which is behind the camera.
const SUN: Vec3 = vec3(0.45, 0.62, 0.64);
/// Irradiance of a surface that faces the sun, W/m².
const SUNLIGHT: Vec3 = vec3(6.0, 5.3, 4.3);
/// Scale factor of the radiance of the sky, which compensates for the shadows between the storeys.
const SKYLIGHT: f32 = 2.0;

impl Build for Plant {
    fn build(&self) -> Result<Scene, ModelError> {
        let random = Random::new(self.seed);
        let layout = Layout::new(self.bays, self.density, random.fork(0));
        let mut builder = SceneBuilder::default();
        let materials = materials::materials(&mut builder, self.lamps)?;

        builder.fixture(steel::ground(&layout), &materials)?;
        let zones = layout.zones();
        let meshes: Vec<[MeshData; 2]> =
            zones.par_iter().map(|zone| bay::fill(&layout, zone, random.fork(1))).collect();
        builder.fixtures(meshes.into_iter().flatten().collect(), &materials)?;
        let runs: Vec<[MeshData; 2]> = (0..layout.levels)
            .into_par_iter()
            .map(|level| runs::storey(&layout, level, random.fork(2)))
            .collect();
        builder.fixtures(runs.into_iter().flatten().collect(), &materials)?;

        light(&mut builder, self.daylight)?;
        cameras(&mut builder, &layout)?;
        Ok(builder.finish())
    }
}

/// Adds sun and sky.
fn light(builder: &mut SceneBuilder, brightness: f32) -> Result<(), ModelError> {
    let sun = Light { name: "sun".into(), emission: SUNLIGHT * brightness, kind: LightKind::Directional };
    builder.light(sun, sunfleck_math::transform::look_at(Vec3::ZERO, -SUN, Vec3::Y))?;
    let texture = builder.texture(sky::paint(SUN.normalize_or(Vec3::Y), 512)?)?;
    builder.environment(Environment::Map {
        texture,
        rotation_y_radians: 0.0,
        scale: Vec3::splat(SKYLIGHT * brightness),
        rows_at_poles: false,
    })
}

/// Adds cameras in the hall, on a walkway between the pipes, and in front of the whole plant.
fn cameras(builder: &mut SceneBuilder, layout: &Layout) -> Result<(), ModelError> {
    let [columns, rows, levels] = [layout.columns, layout.rows, layout.levels].map(|n| n as f32);
    let storey = (0.45 * levels).floor() * BAY.y;
    let eye = layout.hall() + vec3(3.2, storey + 3.0, 8.0);
    builder.camera(Camera::perspective("camera", 0.95), eye, eye + vec3(-0.42, -0.10, -1.0))?;
    let bay = vec3(0.3 * columns, 0.45 * levels, 0.5 * rows).floor();
    let eye = bay * BAY + vec3(3.0, 2.3, 0.3);
    builder.camera(Camera::perspective("walkway", 1.0), eye, eye + vec3(0.28, -0.13, 1.0))?;
    let size = vec3(columns, levels, rows) * BAY;
    let far = 1.0 * size.max_element() + 6.0;
    let eye = vec3(size.x * 0.5 + 0.55 * far, size.y * 0.45 + 2.0, size.z + 0.75 * far);
    builder.camera(Camera::perspective("outside", 0.75), eye, size * vec3(0.5, 0.45, 0.5))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::Scene;

    fn bays(count: u32) -> Scene {
        crate::build(&format!("plant:bays={count}")).unwrap()
    }

    /// The number of triangles is about proportional to the number of bays.
    #[test]
    fn triangle_counts_are_proportional_to_bays() {
        let counts = [1, 4, 16, 64].map(|n| bays(n).instanced_triangle_count());
        assert!((10_000..=40_000).contains(&counts[0]), "{counts:?}");
        for (count, n) in counts.into_iter().zip([1, 4, 16, 64]) {
            assert!((14_000..=30_000).contains(&(count / n)), "{} triangles a bay of {n}", count / n);
        }
    }

    #[test]
    fn a_sparse_bay_has_ten_thousand_triangles() {
        let count = crate::build("plant:bays=1,density=0.1").unwrap().instanced_triangle_count();
        assert!((8_000..=12_500).contains(&count), "{count} triangles");
    }

    #[test]
    fn the_number_of_bays_is_as_requested() {
        for count in [1, 2, 7, 30, 60, 333, 650] {
            let layout = super::Layout::new(count, 1.0, super::Random::new(1));
            let all: u32 = layout.zones().iter().map(|zone| u32::try_from(zone.bays.len()).unwrap()).sum();
            assert_eq!(all, count);
        }
    }

    /// Every bay has two lamps of two triangles each, and nothing else is emissive.
    #[test]
    fn lamps() {
        let scene = bays(9);
        let emissive = crate::shape::tests::emissive_triangle_count(&scene);
        assert_eq!(emissive, 9 * 2 * 2);
    }

    /// The original [UNC01] has 12,748,510 triangles.
    #[test]
    #[ignore = "takes seconds and a gigabyte"]
    fn as_large_as_the_original() {
        let scene = crate::build("plant").unwrap();
        let count = scene.instanced_triangle_count();
        assert!((11_900_000..=13_100_000).contains(&count), "{count} triangles");
        let unique: u64 = scene.meshes().map(|(_, mesh)| mesh.triangles().len() as u64).sum();
        assert_eq!(count, unique, "nothing is instanced");
        for (_, mesh) in scene.meshes() {
            assert!(mesh.triangles().len() <= 700_000, "{}", mesh.name());
            let flat = (0..u32::try_from(mesh.triangles().len()).unwrap()).filter(|&t| {
                let [a, b, c] = mesh.corners(t);
                (b - a).cross(c - a) == super::Vec3::ZERO
            });
            assert_eq!(flat.count(), 0, "{} has triangles without area", mesh.name());
        }
    }
}
