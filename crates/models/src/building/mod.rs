//! A university building of 2.5 million triangles and 23,000 lamps, as large as the furnished Soda Hall of Berkeley
//! [Funkhouser96], which is rendered in [Wald03, Fig. 4 and 31]. A single floor, sparsely furnished, is as large as
//! the one of [RayEngine02, Fig. 6] with 11,000 polygons.

mod furniture;
mod lamps;
mod materials;
mod outside;
mod plan;
mod rooms;
mod shell;
mod simple;
mod stairs;
mod wall;

use rayon::prelude::*;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Camera, Environment, Light, LightKind, MaterialId, MeshData, Scene, parameters};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::random::Random;
use crate::scene_builder::SceneBuilder;
use crate::sky;

use furniture::FurnitureMeshes;
use plan::{DEPTH, LENGTH, Plan, STOREY};

pub(crate) const MODEL: Model = Model {
    name: "building",
    summary: "a university building of seven furnished floors, 2.5 million triangles and 23,000 lamps",
    parameters: Building::PARAMETERS,
    defaults: || Box::new(Building::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct Building {
        /// 0 for the whole building; 1 to 7 for one floor with simple furniture, without ceiling and lamps.
        floor: u32 = 0, in 0..=FLOORS;
        /// Scale factor of the radiance of the lamps.
        lamps: f32 = 1.0, in 0.0..=100.0;
        /// Scale factor of sun and sky.
        daylight: f32 = 1.0, in 0.0..=100.0;
        /// Seed of the uses and the furniture of the rooms.
        seed: u32 = 1, in 0..=u32::MAX;
    }
}

/// Number of floors.
const FLOORS: u32 = 7;
/// Direction towards the sun, whose light enters the front windows.
const SUN: Vec3 = vec3(0.40, 0.55, -0.75);
/// Irradiance of a surface that faces the sun, W/m².
const SUNLIGHT: Vec3 = vec3(4.0, 3.6, 3.0);

impl Build for Building {
    fn build(&self) -> Result<Scene, ModelError> {
        let random = Random::new(self.seed);
        let mut builder = SceneBuilder::default();
        let materials = materials::materials(&mut builder, self.lamps)?;
        match self.floor {
            0 => whole_building(&mut builder, &materials, random)?,
            floor => single_floor(&mut builder, &materials, floor, random)?,
        }
        let brightness = self.daylight;
        let sun = Light { name: "sun".into(), emission: SUNLIGHT * brightness, kind: LightKind::Directional };
        builder.light(sun, sunfleck_math::transform::look_at(Vec3::ZERO, -SUN, Vec3::Y))?;
        let texture = builder.texture(sky::paint(SUN.normalize_or(Vec3::Y), 512)?)?;
        builder.environment(Environment::Map {
            texture,
            rotation_y_radians: 0.0,
            scale: Vec3::splat(brightness),
            rows_at_poles: false,
        })?;
        Ok(builder.finish())
    }
}

fn floor_plan(floor: u32, random: Random) -> Plan {
    Plan::new(floor, random.fork(floor))
}

/// Number of rooms whose furniture shares a mesh.
const ROOMS_PER_MESH: usize = 6;

fn whole_building(
    builder: &mut SceneBuilder,
    materials: &[MaterialId],
    random: Random,
) -> Result<(), ModelError> {
    let furniture = FurnitureMeshes::new(random.fork(100));
    let floors = 1..=FLOORS;
    let meshes: Vec<Vec<MeshData>> = floors
        .into_par_iter()
        .map(|floor| {
            let plan = floor_plan(floor, random);
            let transform = Affine3::from_translation(Vec3::Y * ((floor - 1) as f32 * STOREY));
            let mut meshes =
                vec![shell::storey(&plan, transform, floor == FLOORS), lamps::storey(&plan, transform)];
            let groups: Vec<_> = plan.rooms.chunks(ROOMS_PER_MESH).enumerate().collect();
            meshes.par_extend(
                groups
                    .into_par_iter()
                    .map(|(i, rooms)| rooms::furnish(&plan, i, rooms, transform, &furniture)),
            );
            meshes
        })
        .collect();
    builder.fixtures(meshes.into_iter().flatten().collect(), materials)?;
    builder.fixture(outside::around(FLOORS), materials)?;

    // Cameras in an office above the entrance, in the corridor behind it, in a laboratory, and outside
    let storey = 2.0 * STOREY;
    let mut camera = |name: &str, fov: f32, eye: Vec3, target: Vec3| {
        builder.camera(Camera::perspective(name, fov), eye, target).map(drop)
    };
    camera("camera", 1.15, vec3(46.3, storey + 1.65, 5.75), vec3(45.7, storey + 1.05, 1.2))?;
    camera("corridor", 1.0, vec3(84.0, storey + 1.6, 7.5), vec3(60.0, storey + 1.3, 7.35))?;
    camera("laboratory", 1.1, vec3(38.9, storey + 1.9, 9.4), vec3(34.5, storey + 0.9, 14.5))?;
    camera("outside", 0.72, vec3(112.0, 9.0, -52.0), vec3(LENGTH * 0.47, 11.0, DEPTH * 0.4))
}

fn single_floor(
    builder: &mut SceneBuilder,
    materials: &[MaterialId],
    floor: u32,
    random: Random,
) -> Result<(), ModelError> {
    let plan = floor_plan(floor, random);
    builder.fixture(simple::shell(&plan), materials)?;
    builder.fixture(simple::furniture(&plan), materials)?;
    let middle = vec3(0.5 * LENGTH, 0.0, 0.5 * DEPTH);
    let mut camera = |name: &str, eye: Vec3, target: Vec3| {
        builder.camera(Camera::perspective(name, 0.70), eye, target).map(drop)
    };
    camera("side", vec3(LENGTH + 6.0, 44.0, -46.0), middle + vec3(2.0, 0.0, -3.0))?;
    camera("top", middle + vec3(0.0, 78.0, -8.0), middle)
}

#[cfg(test)]
mod tests {
    use crate::shape::tests::emissive_triangle_count;

    /// [Wald03, Fig. 31] has 2.5 million triangles and 23,000 lamps.
    #[test]
    fn as_large_as_published() {
        let scene = crate::build("building").unwrap();
        let count = scene.instanced_triangle_count();
        assert!((2_375_000..=2_625_000).contains(&count), "{count} triangles");
        let unique: u64 = scene.meshes().map(|(_, mesh)| mesh.triangles().len() as u64).sum();
        assert_eq!(count, unique, "nothing is instanced");
        let lamps = emissive_triangle_count(&scene) / 2;
        assert!((21_850..=24_150).contains(&lamps), "{lamps} lamps");
    }

    /// [RayEngine02, Table 1] has 11,052 polygons.
    #[test]
    fn a_floor_as_large_as_published() {
        for floor in 1..=super::FLOORS {
            let count = crate::build(&format!("building:floor={floor}")).unwrap().instanced_triangle_count();
            assert!((9_950..=12_150).contains(&count), "{count} triangles on floor {floor}");
        }
    }

    /// Every door is in an opening of its wall, and openings do not overlap.
    #[test]
    fn doors_are_in_openings() {
        let plan = super::floor_plan(2, crate::random::Random::new(5));
        let walls = super::shell::inner_walls(&plan, 2.9);
        let holes: Vec<_> = walls.iter().flat_map(|(_, holes)| holes).filter(|h| h.height[1] < 2.9).collect();
        assert_eq!(holes.len(), plan.rooms.len());
        for room in &plan.rooms {
            let x = room.door_on_floor();
            assert!(holes.iter().any(|hole| hole.along[0] < x && x < hole.along[1]));
        }
        for (wall, holes) in &walls {
            let mut last = wall.ends[0];
            for hole in holes {
                assert!(last < hole.along[0] && hole.along[0] < hole.along[1], "holes overlap at {last}");
                last = hole.along[1];
            }
            assert!(last <= wall.ends[1]);
        }
    }
}
