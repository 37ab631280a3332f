//! Default camera and environment of scenes whose file has none.

use sunfleck_math::transform::look_at;
use sunfleck_math::{Aabb, Vec3, tan, vec3};
use sunfleck_scene::{Camera, EditError, Environment, Node, Scene, soft_sky};

use crate::report::Reporter;
use crate::{AddedDefaults, FileLocation};

/// Vertical field of view of the default camera: 40°, about that of a 50 mm lens on 36 × 24 mm film in portrait
/// orientation.
const FOV_Y_RADIANS: f32 = 0.698_131_7;

/// Direction from the centre of the scene to the default camera: a three-quarter view from slightly above.
const TOWARDS_CAMERA: Vec3 = vec3(0.55, 0.35, 1.0);

/// Fraction of the image's height, and of a width equal to it, that the bounds of the scene may fill.
const FILL: f32 = 0.92;

/// Adds a camera that frames the scene if it has none, and a soft sky if nothing emits light; reports both.
pub(crate) fn complete(scene: &mut Scene, report: &mut Reporter) -> Result<AddedDefaults, EditError> {
    let camera = !scene.nodes().any(|(_, node)| node.camera.is_some());
    if camera {
        report.note(FileLocation::File, "no camera in the file: a camera that frames the scene is added");
        add_framing_camera(scene)?;
    }
    let sky = !has_light(scene);
    if sky {
        report.note(FileLocation::File, "no light in the file: a soft sky is added as environment");
        let texture = scene.add_texture(soft_sky())?;
        scene.set_environment(Environment::Map { texture, rotation_y_radians: 0.0, scale: Vec3::ONE })?;
    }
    Ok(AddedDefaults { camera, sky })
}

fn has_light(scene: &Scene) -> bool {
    let radiates = |material| scene.material(material).is_some_and(|m| m.emission.radiance != Vec3::ZERO);
    *scene.environment() != Environment::Black
        || !scene.world_lights().is_empty()
        || scene.world_instances().iter().any(|instance| instance.materials.iter().copied().any(radiates))
}

/// Adds a camera at the smallest distance from which the bounds of the scene are completely visible in a square image.
///
/// Buildings are framed from the outside, too: telling interiors from objects requires ray tracing, which this crate
/// cannot do.
fn add_framing_camera(scene: &mut Scene) -> Result<(), EditError> {
    let bounds = scene.world_instances().iter().fold(Aabb::EMPTY, |bounds, instance| {
        let mesh = scene.mesh(instance.mesh);
        mesh.map_or(bounds, |mesh| bounds.union(mesh.bounds().transformed(&instance.world_from_object)))
    });
    let finite = bounds.size().is_finite() && !bounds.is_empty();
    let (center, half) =
        if finite { (bounds.center(), bounds.size() * 0.5) } else { (Vec3::ZERO, Vec3::ONE) };
    let towards_camera = TOWARDS_CAMERA.normalize_or(Vec3::Z);
    let axes = look_at(towards_camera, Vec3::ZERO, Vec3::Y).matrix3;
    let slope = tan(FOV_Y_RADIANS * 0.5) * FILL;
    let distance = (0..8).map(|i| {
        let sign = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
        let corner = axes.transpose() * (half * vec3(sign(1), sign(2), sign(4)));
        corner.x.abs().max(corner.y.abs()) / slope + corner.z
    });
    let distance = distance.fold(0.0, f32::max);
    let distance = if distance.is_finite() && distance > 0.0 { distance } else { 1.0 };
    let world_from_view = look_at(center + towards_camera * distance, center, Vec3::Y);
    let camera = scene.add_camera(Camera::perspective("framing", FOV_Y_RADIANS))?;
    scene.add_node(Node::new("framing camera").at(world_from_view).with_camera(camera))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use sunfleck_math::Affine3;
    use sunfleck_scene::{Light, LightKind, Material, Mesh, MeshData};

    fn scene_with(corners: [Vec3; 3], material: Material, at: Affine3) -> Scene {
        let mut scene = Scene::default();
        let data =
            MeshData { positions: corners.to_vec(), triangles: vec![[0, 1, 2]], ..MeshData::default() };
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let material = scene.add_material(material).unwrap();
        scene.add_node(Node::new("n").at(at).with_mesh(mesh, vec![material])).unwrap();
        scene
    }

    const TAN_20_DEGREES: f32 = 0.363_970_23;

    fn grey() -> Material {
        Material::lambert("grey", Vec3::splat(0.5))
    }

    #[test]
    fn everything_is_in_the_image_and_fills_it() {
        for (size, shift) in [(1.0, Vec3::ZERO), (1e-3, Vec3::splat(1.0)), (2e4, vec3(1e5, -3e5, 7.0))] {
            let corners = [vec3(-1.0, 0.0, 0.0), vec3(2.0, 1.0, -0.5), vec3(0.5, 3.0, 4.0)].map(|c| c * size);
            let at = Affine3::from_translation(shift);
            let mut scene = scene_with(corners, grey(), at);
            complete(&mut scene, &mut Reporter::new(Path::new("x"))).unwrap();
            let camera = scene.world_cameras()[0];
            let view_from_world = camera.world_from_view.inverse();
            let bounds = Aabb::from_points(corners.map(|c| c + shift));
            let extent = (0..8).map(|i| {
                let pick = |bit, lo, hi| if i & bit == 0 { lo } else { hi };
                let (lo, hi) = (bounds.min, bounds.max);
                let corner = vec3(pick(1, lo.x, hi.x), pick(2, lo.y, hi.y), pick(4, lo.z, hi.z));
                let seen = view_from_world.transform_point3(corner);
                assert!(seen.z < 0.0, "in front of the camera");
                seen.x.abs().max(seen.y.abs()) / -seen.z / TAN_20_DEGREES
            });
            let extent = extent.fold(0.0, f32::max);
            assert!((0.85..=1.0).contains(&extent), "{extent} of the image at scale {size}");
        }
    }

    #[test]
    fn an_empty_scene_gets_a_camera_too() {
        let mut scene = Scene::default();
        complete(&mut scene, &mut Reporter::new(Path::new("x"))).unwrap();
        assert_eq!(scene.world_cameras().len(), 1);
    }

    #[test]
    fn a_sky_is_added_only_if_nothing_emits_light() {
        let has_sky = |mut scene: Scene| {
            complete(&mut scene, &mut Reporter::new(Path::new("x"))).unwrap();
            matches!(scene.environment(), Environment::Map { .. })
        };
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert!(has_sky(scene_with(corners, grey(), Affine3::IDENTITY)));
        assert!(!has_sky(scene_with(corners, Material::emitter("lamp", Vec3::ONE), Affine3::IDENTITY)));
        let mut lit = scene_with(corners, grey(), Affine3::IDENTITY);
        let light = Light { name: "sun".to_string(), emission: Vec3::ONE, kind: LightKind::Directional };
        let light = lit.add_light(light).unwrap();
        lit.add_node(Node::new("sun").with_light(light)).unwrap();
        assert!(!has_sky(lit));
        let mut constant = scene_with(corners, grey(), Affine3::IDENTITY);
        constant.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
        assert!(!has_sky(constant));
    }
}
