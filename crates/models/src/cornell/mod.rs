//! The Cornell box as measured at the Program of Computer Graphics of Cornell University [CornellBox, data].

mod spectra;

use sunfleck_math::{Vec3, atan, vec3};
use sunfleck_scene::{Camera, Material, Scene, parameters};

use crate::ModelError;
use crate::model::{Build, Model};
use crate::scene_builder::SceneBuilder;
use crate::shape::Shape;

pub(crate) const MODEL: Model = Model {
    name: "cornell",
    summary: "the Cornell box with its measured geometry, reflectances, lamp and camera",
    parameters: Cornell::PARAMETERS,
    defaults: || Box::new(Cornell::DEFAULT),
};

parameters! {
    #[derive(Debug)]
    struct Cornell {
        /// Scale factor of the published radiance of the lamp, which has no unit.
        brightness: f32 = 3.0, in 0.0..=1000.0;
    }
}

/// Conversion of the published data, which are in millimetres.
const METRES_PER_MILLIMETRE: f32 = 0.001;

/// Published corners of quadrilaterals, millimetres, counter-clockwise seen from the lit side.
type Quadrilaterals = &'static [[[f32; 3]; 4]];

const FLOOR: Quadrilaterals = &[[[552.8, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 559.2], [549.6, 0.0, 559.2]]];
const CEILING: Quadrilaterals =
    &[[[556.0, 548.8, 0.0], [556.0, 548.8, 559.2], [0.0, 548.8, 559.2], [0.0, 548.8, 0.0]]];
/// The lamp. It is published as lying in the plane of the ceiling; here it is 0.01 mm lower, so that rounding does not
/// decide which of the two a ray hits.
const LAMP: Quadrilaterals =
    &[[[343.0, 548.79, 227.0], [343.0, 548.79, 332.0], [213.0, 548.79, 332.0], [213.0, 548.79, 227.0]]];
const BACK_WALL: Quadrilaterals =
    &[[[549.6, 0.0, 559.2], [0.0, 0.0, 559.2], [0.0, 548.8, 559.2], [556.0, 548.8, 559.2]]];
const RIGHT_WALL: Quadrilaterals =
    &[[[0.0, 0.0, 559.2], [0.0, 0.0, 0.0], [0.0, 548.8, 0.0], [0.0, 548.8, 559.2]]];
const LEFT_WALL: Quadrilaterals =
    &[[[552.8, 0.0, 0.0], [549.6, 0.0, 559.2], [556.0, 548.8, 559.2], [556.0, 548.8, 0.0]]];
const SHORT_BLOCK: Quadrilaterals = &[
    [[130.0, 165.0, 65.0], [82.0, 165.0, 225.0], [240.0, 165.0, 272.0], [290.0, 165.0, 114.0]],
    [[290.0, 0.0, 114.0], [290.0, 165.0, 114.0], [240.0, 165.0, 272.0], [240.0, 0.0, 272.0]],
    [[130.0, 0.0, 65.0], [130.0, 165.0, 65.0], [290.0, 165.0, 114.0], [290.0, 0.0, 114.0]],
    [[82.0, 0.0, 225.0], [82.0, 165.0, 225.0], [130.0, 165.0, 65.0], [130.0, 0.0, 65.0]],
    [[240.0, 0.0, 272.0], [240.0, 165.0, 272.0], [82.0, 165.0, 225.0], [82.0, 0.0, 225.0]],
];
const TALL_BLOCK: Quadrilaterals = &[
    [[423.0, 330.0, 247.0], [265.0, 330.0, 296.0], [314.0, 330.0, 456.0], [472.0, 330.0, 406.0]],
    [[423.0, 0.0, 247.0], [423.0, 330.0, 247.0], [472.0, 330.0, 406.0], [472.0, 0.0, 406.0]],
    [[472.0, 0.0, 406.0], [472.0, 330.0, 406.0], [314.0, 330.0, 456.0], [314.0, 0.0, 456.0]],
    [[314.0, 0.0, 456.0], [314.0, 330.0, 456.0], [265.0, 330.0, 296.0], [265.0, 0.0, 296.0]],
    [[265.0, 0.0, 296.0], [265.0, 330.0, 296.0], [423.0, 330.0, 247.0], [423.0, 0.0, 247.0]],
];

/// Published reflectance of the lamp at every wavelength.
const LAMP_REFLECTANCE: f32 = 0.78;

impl Build for Cornell {
    fn build(&self) -> Result<Scene, ModelError> {
        let mut builder = SceneBuilder::default();
        let white = builder.material(Material::lambert("white paint", spectra::white()))?;
        let red = builder.material(Material::lambert("red paint", spectra::red()))?;
        let green = builder.material(Material::lambert("green paint", spectra::green()))?;
        let lamp = Material::lambert("lamp", Vec3::splat(LAMP_REFLECTANCE))
            .with_emission(spectra::lamp() * self.brightness);
        let lamp = builder.material(lamp)?;
        for (name, quads, material) in [
            ("floor", FLOOR, white),
            ("ceiling", CEILING, white),
            ("lamp", LAMP, lamp),
            ("back wall", BACK_WALL, white),
            ("right wall", RIGHT_WALL, green),
            ("left wall", LEFT_WALL, red),
            ("short block", SHORT_BLOCK, white),
            ("tall block", TALL_BLOCK, white),
        ] {
            let mut shape = Shape::new(name);
            for quad in quads {
                shape.quad(quad.map(|corner| Vec3::from(corner) * METRES_PER_MILLIMETRE));
            }
            builder.fixture(shape.finish(), &[material])?;
        }
        // A film of 25 mm behind a lens of focal length 35 mm
        let fov_y_radians = 2.0 * atan(0.025 / 2.0 / 0.035);
        let eye = vec3(0.278, 0.273, -0.8);
        builder.camera(Camera::perspective("camera", fov_y_radians), eye, eye + Vec3::Z)?;
        Ok(builder.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_triangles_as_published() {
        let scene = crate::build("cornell").unwrap();
        assert_eq!(scene.instanced_triangle_count(), 32, "16 quadrilaterals");
    }

    #[test]
    fn front_faces_point_into_the_room() {
        let scene = crate::build("cornell").unwrap();
        let middle = vec3(0.2, 0.4, 0.05);
        for (_, mesh) in scene.meshes().filter(|(_, mesh)| !mesh.name().contains("block")) {
            for t in mesh.triangles() {
                let [a, b, c] = t.map(|v| mesh.positions()[v as usize]);
                assert!((b - a).cross(c - a).dot(middle - a) > 0.0, "{} faces outwards", mesh.name());
            }
        }
    }
}
