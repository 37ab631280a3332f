//! A conference room of 280,000 triangles and 220 lamps. It is as large as the model of Anat Grynberg and Greg Ward
//! of a room at Lawrence Berkeley National Laboratory [Ward94], which is rendered in [Wald03, Table 4 and Fig. 26].

mod ceiling;
mod chair;
mod fixtures;
mod materials;
mod table;
mod window;

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Camera, MeshData, Scene, parameters};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::random::Random;
use crate::scene_builder::SceneBuilder;
use crate::shape::Shape;

use materials::slot;

pub(crate) const MODEL: Model = Model {
    name: "conference",
    summary: "a conference room in the evening, 280,000 triangles and 220 lamps",
    parameters: Conference::PARAMETERS,
    defaults: || Box::new(Conference::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct Conference {
        /// Scale factor of the radiance of the lamps.
        lamps: f32 = 1.0, in 0.0..=100.0;
        /// Seed of leaves, papers and orientations of chairs.
        seed: u32 = 1, in 0..=u32::MAX;
    }
}

/// Size of the room, metres. Its corner is the origin; x runs along the table, z from the whiteboard to the camera. The
/// ceiling has 26 × 16 modules.
const ROOM: Vec3 = vec3(15.6, 3.1, 9.6);
/// Centre of the table on the floor.
const CENTER: Vec3 = vec3(7.8, 0.0, 4.8);

impl Build for Conference {
    fn build(&self) -> Result<Scene, ModelError> {
        let random = Random::new(self.seed);
        let mut builder = SceneBuilder::default();
        let materials = materials::materials(&mut builder, self.lamps)?;
        let chairs = seats(random.fork(0));
        let meshes = vec![
            fixtures::walls(),
            fixtures::furniture(random.fork(1)),
            fixtures::plants(random.fork(2)),
            window::windows(random.fork(3)),
            ceiling::tiles(),
            ceiling::lamps(),
            table::table(),
            table::place_settings(random.fork(4)),
            table::glasses(random.fork(5)),
        ];
        builder.fixtures(meshes.into_iter().chain(chairs).collect(), &materials)?;
        let camera = |name, fov| Camera::perspective(name, fov);
        builder.camera(camera("camera", 0.85), vec3(14.6, 1.68, 8.5), vec3(7.2, 0.80, 3.7))?;
        builder.camera(camera("head of the table", 0.9), vec3(1.5, 1.45, 4.3), vec3(9.0, 0.95, 5.0))?;
        Ok(builder.finish())
    }
}

/// Returns the chairs around the table and some along the wall, in two meshes.
fn seats(random: Random) -> [MeshData; 2] {
    use std::f32::consts::{FRAC_PI_2, PI};
    let chair = chair::chair();
    let [mut near, mut far] = ["chairs, near side", "chairs, far side"].map(Shape::new);
    let slots = [slot::LEATHER, slot::BLACK, slot::CHROME];
    let put = |shape: &mut Shape, number: u32, at: Vec3, yaw: f32, loose: f32| {
        let mut r = random.fork(number);
        let at = at + vec3(r.around_zero(0.05), 0.0, r.around_zero(0.06));
        let transform = Affine3::from_translation(at) * rotation_y(yaw + r.around_zero(loose));
        shape.transform(transform).append_with_slots(&chair, &slots);
    };
    const ALONG: u32 = 11;
    for i in 0..ALONG {
        let x = (i as f32 - 5.0) * 0.82;
        let out = table::half_width(x) + 0.30;
        put(&mut far, i, CENTER + vec3(x, 0.0, -out), 0.0, 0.30);
        put(&mut near, 20 + i, CENTER + vec3(x, 0.0, out), PI, 0.30);
    }
    let end = table::HALF_LENGTH + 0.32;
    put(&mut far, 40, CENTER - Vec3::X * end, FRAC_PI_2, 0.3);
    put(&mut near, 41, CENTER + Vec3::X * end, -FRAC_PI_2, 0.5);
    for i in 0..4 {
        put(&mut far, 50 + i, vec3(4.6 + 0.85 * i as f32, 0.0, 0.62), 0.0, 0.1);
    }
    [near.finish(), far.finish()]
}

#[cfg(test)]
mod tests {
    /// [Wald03, Fig. 26] has about 280,000 triangles and 220 lights.
    #[test]
    fn as_large_as_published() {
        let scene = crate::build("conference").unwrap();
        let count = scene.instanced_triangle_count();
        assert!((266_000..=294_000).contains(&count), "{count} triangles");
        assert_eq!(crate::shape::tests::emissive_triangle_count(&scene) / 2, 220);
    }

    #[test]
    fn the_table_has_the_expected_outline() {
        // Half the width in the middle, zero at the end
        assert!((super::table::half_width(0.0) - 1.08).abs() < 1e-6);
        assert_eq!(super::table::half_width(super::table::HALF_LENGTH), 0.0);
        assert!(
            super::table::half_width(4.1) > 0.8,
            "the outer seats are still at the long side of the table"
        );
    }
}
