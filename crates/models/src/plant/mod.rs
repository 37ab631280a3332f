//! A power plant of 12.5 million triangles, the size of the one of the University of North Carolina [UNC01], which
//! [Wald03, Fig. 20 and 26] renders: pipework, vessels, girders, gratings, trays full of cables; long thin triangles in all
//! directions, and no instancing.
//!
//! The plant is a frame of equal bays. Each has its own stock of things; what runs through many bays is made for the
//! whole storey. Where things may be in a bay is fixed, so that they do not run into each other: see [`layout`].

mod bay;
mod fittings;
mod layout;
mod machines;
mod materials;
mod runs;
mod stairs;
mod steel;
mod vessels;
mod zone;

use rayon::prelude::*;
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Camera, Environment, Light, LightKind, MeshData, Scene, parameters};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::random::Random;
use crate::sky;
use crate::stage::SceneBuilder;

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
        /// How many bays there are, of about 19,000 triangles each: 1 to 650 make 20 thousand to 12.5 million.
        bays: u32 = 650, in 1..=2000;
        /// Fraction of the usual pipes that there are; with 0.1, one bay has about 10 thousand triangles.
        density: f32 = 1.0, in 0.0..=1.0;
        /// Times the usual brightness of the lamps.
        lamps: f32 = 1.0, in 0.0..=100.0;
        /// Times the usual brightness of sun and sky.
        daylight: f32 = 1.0, in 0.0..=100.0;
        /// Chooses what stands where.
        seed: u32 = 1, in 0..=u32::MAX;
    }
}

/// To the sun: behind the camera on its left.
const SUN: Vec3 = vec3(0.45, 0.62, 0.64);
/// Of a surface that faces the sun, W/m².
const SUNLIGHT: Vec3 = vec3(6.0, 5.3, 4.3);
/// Times the radiance of the sky: less light falls between the storeys than one is used to outside.
const SKYLIGHT: f32 = 2.0;

impl Build for Plant {
    fn build(&self) -> Result<Scene, ModelError> {
        let random = Random::new(self.seed);
        let layout = Layout::new(self.bays, self.density, random.fork(0));
        let mut stage = SceneBuilder::default();
        let materials = materials::materials(&mut stage, self.lamps)?;

        stage.fixture(steel::ground(&layout), &materials)?;
        let zones = layout.zones();
        let meshes: Vec<[MeshData; 2]> =
            zones.par_iter().map(|zone| bay::fill(&layout, zone, random.fork(1))).collect();
        stage.fixtures(meshes.into_iter().flatten().collect(), &materials)?;
        let runs: Vec<[MeshData; 2]> = (0..layout.levels)
            .into_par_iter()
            .map(|level| runs::storey(&layout, level, random.fork(2)))
            .collect();
        stage.fixtures(runs.into_iter().flatten().collect(), &materials)?;

        light(&mut stage, self.daylight)?;
        cameras(&mut stage, &layout)?;
        Ok(stage.finish())
    }
}

fn light(stage: &mut SceneBuilder, brightness: f32) -> Result<(), ModelError> {
    let sun = Light { name: "sun".into(), emission: SUNLIGHT * brightness, kind: LightKind::Directional };
    stage.light(sun, sunfleck_math::transform::look_at(Vec3::ZERO, -SUN, Vec3::Y))?;
    let texture = stage.texture(sky::paint(SUN.normalize_or(Vec3::Y), 512)?)?;
    stage.environment(Environment::Map {
        texture,
        rotation_y_radians: 0.0,
        scale: Vec3::splat(SKYLIGHT * brightness),
    })
}

/// One in the hall, one on a walkway between the pipes, one in front of the whole plant.
fn cameras(stage: &mut SceneBuilder, layout: &Layout) -> Result<(), ModelError> {
    let [columns, rows, levels] = [layout.columns, layout.rows, layout.levels].map(|n| n as f32);
    let storey = (0.45 * levels).floor() * BAY.y;
    let eye = layout.hall() + vec3(3.2, storey + 3.0, 8.0);
    stage.camera(Camera::perspective("camera", 0.95), eye, eye + vec3(-0.42, -0.10, -1.0))?;
    let bay = vec3(0.3 * columns, 0.45 * levels, 0.5 * rows).floor();
    let eye = bay * BAY + vec3(3.0, 2.3, 0.3);
    stage.camera(Camera::perspective("walkway", 1.0), eye, eye + vec3(0.28, -0.13, 1.0))?;
    let size = vec3(columns, levels, rows) * BAY;
    let far = 1.0 * size.max_element() + 6.0;
    let eye = vec3(size.x * 0.5 + 0.55 * far, size.y * 0.45 + 2.0, size.z + 0.75 * far);
    stage.camera(Camera::perspective("outside", 0.75), eye, size * vec3(0.5, 0.45, 0.5))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::Scene;

    fn bays(count: u32) -> Scene {
        crate::build(&format!("plant:bays={count}")).unwrap()
    }

    /// From ten thousands on, in proportion to what is asked for.
    #[test]
    fn a_family_of_sizes() {
        let counts = [1, 4, 16, 64].map(|n| bays(n).instanced_triangle_count());
        assert!((10_000..=40_000).contains(&counts[0]), "{counts:?}");
        for (count, n) in counts.into_iter().zip([1, 4, 16, 64]) {
            assert!((14_000..=30_000).contains(&(count / n)), "{} triangles a bay of {n}", count / n);
        }
    }

    #[test]
    fn the_smallest_member() {
        let count = crate::build("plant:bays=1,density=0.1").unwrap().instanced_triangle_count();
        assert!((8_000..=12_500).contains(&count), "{count} triangles");
    }

    #[test]
    fn as_many_bays_as_asked_for() {
        for count in [1, 2, 7, 30, 60, 333, 650] {
            let layout = super::Layout::new(count, 1.0, super::Random::new(1));
            let all: u32 = layout.zones().iter().map(|zone| u32::try_from(zone.bays.len()).unwrap()).sum();
            assert_eq!(all, count);
        }
    }

    /// Two lamps to a bay, two triangles to a lamp, and the ones that shine are all there are.
    #[test]
    fn lamps() {
        let scene = bays(9);
        let shining = crate::shape::tests::shining_triangles(&scene);
        assert_eq!(shining, 9 * 2 * 2);
    }

    /// 12,748,510 in the original [UNC01].
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
