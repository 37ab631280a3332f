//! Default view of objects: from three quarters, as close as the silhouette allows.

use rayon::prelude::*;
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::transform::look_at;
use sunfleck_math::{Affine3, Shape, Vec3, atan, tan, vec3};
use sunfleck_scene::{Camera, Mesh, Scene, WorldInstance};

use super::is_stage_ground;

/// Field of view across the shorter side of the image: 34°, that of an 85 mm portrait lens on a square of 52 mm.
const FOV_RADIANS: f32 = 0.6;
/// Direction from the object to the camera: three quarters, from slightly above.
const TOWARDS_CAMERA: Vec3 = vec3(0.55, 0.36, 1.0);
/// Fraction of the image that the silhouette fills, along the side that limits it.
const FILL: f32 = 0.88;

/// Largest number of vertices and shapes, each instance counted, that are visited. In larger scenes, which have many instances,
/// the corners of their boxes are.
const MAX_VERTICES: usize = 1 << 26;

/// View of a whole scene from outside.
#[derive(Clone, Debug)]
pub(super) struct Framing {
    /// The scene as it was when the view was chosen, so that the view does not follow animations. Shares its meshes.
    scene: Scene,
}

impl Framing {
    pub(super) fn new(scene: &Scene) -> Self {
        Self { scene: scene.clone() }
    }

    /// Returns the camera for an aspect ratio: the closest one from whose direction all vertices are within [`FILL`] of
    /// the image, with the silhouette in the middle.
    ///
    /// In the axes of the camera, a camera at `c` sees a vertex `p` within a slope `s` if
    /// `±(p.x − c.x) ≤ s (c.z − p.z)`, and the same for y. With `a± = max (±p.x + s p.z)` over all vertices that is
    /// `a± ≤ s c.z ± c.x`: the smallest `c.z` is `(a₊ + a₋) / 2s`, at `c.x = (a₊ − a₋) / 2`.
    pub(super) fn camera(&self, aspect: f32) -> PlacedCamera {
        let towards_camera = TOWARDS_CAMERA.normalize_or(Vec3::Z);
        let world_from_axes = look_at(towards_camera, Vec3::ZERO, Vec3::Y).matrix3;
        let half = tan(FOV_RADIANS * 0.5);
        let half_size = if aspect >= 1.0 { [half * aspect, half] } else { [half, half / aspect] };
        let slope = half_size.map(|half| half * FILL);
        let [x, y] = slope;
        let along = [vec3(1.0, 0.0, x), vec3(-1.0, 0.0, x), vec3(0.0, 1.0, y), vec3(0.0, -1.0, y), Vec3::Z];
        let along = along.map(|axis| world_from_axes * axis);
        let [right, left, top, bottom, nearest] = extent_along(&self.scene, along);
        let distance = ((right + left) / (2.0 * slope[0])).max((top + bottom) / (2.0 * slope[1]));
        // The eye of a single point would be in it
        let distance = if distance > nearest { distance } else { nearest + 1.0 };
        let eye = vec3(0.5 * (right - left), 0.5 * (top - bottom), distance);
        let eye = if eye.is_finite() { world_from_axes * eye } else { towards_camera };
        let camera = Camera::perspective("framing", 2.0 * atan(half_size[1]));
        let world_from_view = Affine3 { matrix3: world_from_axes, translation: eye };
        PlacedCamera { name: camera.name.clone(), camera, world_from_view }
    }
}

/// Returns the smallest and the largest coordinates of visible instances, in world space; `None` if
/// there are none.
pub(super) fn vertex_bounds(scene: &Scene) -> Option<[Vec3; 2]> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let [x, y, z, a, b, c] = extent_along(scene, axes);
    let bounds = [-vec3(a, b, c), vec3(x, y, z)];
    bounds.iter().all(|corner| corner.is_finite()).then_some(bounds)
}

/// Returns how far visible instances reach along some directions, in world space; the ground of a stage does not count.
fn extent_along<const N: usize>(scene: &Scene, directions: [Vec3; N]) -> [f32; N] {
    let none = [f32::NEG_INFINITY; N];
    let largest = |a: [f32; N], b: [f32; N]| std::array::from_fn(|i| a[i].max(b[i]));
    let instances = scene.world_instances();
    let mesh = |instance: &WorldInstance| scene.mesh(instance.mesh);
    let count = |mesh: &Mesh| mesh.positions().len() + mesh.shapes().len();
    let is_small = instances.iter().filter_map(mesh).map(|mesh| count(mesh)).sum::<usize>() <= MAX_VERTICES;
    let objects = instances.par_iter().filter(|instance| !is_stage_ground(scene, instance.node));
    let of_objects = objects.map(|instance| {
        let Some(mesh) = mesh(instance) else { return none };
        let placement = &instance.world_from_object;
        let of_point = |&p: &Vec3| {
            let position = placement.transform_point3(p);
            directions.map(|direction| direction.dot(position))
        };
        if !is_small {
            return mesh.bounds().corners().iter().map(of_point).fold(none, largest);
        }
        let of_shape = |shape: &Shape| {
            let shape = shape.transformed(placement);
            directions.map(|direction| direction.dot(shape.farthest_point(direction)))
        };
        let of_shapes = mesh.shapes().par_iter().map(of_shape).reduce(|| none, largest);
        largest(mesh.positions().par_iter().map(of_point).reduce(|| none, largest), of_shapes)
    });
    of_objects.reduce(|| none, largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_scene::{Material, Mesh, MeshData, Node};

    fn scene_of(corners: &[Vec3]) -> Scene {
        let mut scene = Scene::default();
        let data =
            MeshData { positions: corners.to_vec(), triangles: vec![[0, 1, 2]], ..MeshData::default() };
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
        scene.add_node(Node::new("object").with_mesh(mesh, vec![grey])).unwrap();
        scene
    }

    /// The silhouette fills exactly [`FILL`] of one side of the image, is in the middle of both, and is nowhere
    /// cut off: in landscape, square and portrait images, for small, large and distant objects.
    #[test]
    fn the_silhouette_fills_the_image() {
        let shapes = [
            vec![vec3(-1.0, 0.0, 0.0), vec3(2.0, 1.0, -0.5), vec3(0.5, 3.0, 4.0)],
            vec![vec3(-9.0, 0.0, 0.0), vec3(9.0, 0.1, 0.0), vec3(0.0, 0.0, 0.3), vec3(0.0, 0.2, -0.3)],
            vec![vec3(0.0, -7.0, 0.0), vec3(0.0, 7.0, 0.0), vec3(0.2, 0.0, 0.3)],
        ];
        for (size, shift) in [(1.0, Vec3::ZERO), (1e-3, Vec3::splat(0.1)), (2e4, vec3(1e5, -3e5, 7.0))] {
            for (shape, aspect) in
                shapes.iter().flat_map(|shape| [1.5f32, 1.0, 2.0 / 3.0].map(|a| (shape, a)))
            {
                let corners: Vec<_> = shape.iter().map(|&corner| corner * size + shift).collect();
                let placed = Framing::new(&scene_of(&corners)).camera(aspect);
                let sunfleck_scene::Projection::Perspective { fov_y_radians } = placed.camera.projection
                else {
                    panic!("{placed:?}")
                };
                let half = tan(fov_y_radians * 0.5);
                let view_from_world = placed.world_from_view.inverse();
                let seen = corners.iter().map(|&corner| {
                    let p = view_from_world.transform_point3(corner);
                    assert!(p.z < 0.0, "in front of the camera");
                    [p.x / (-p.z * half * aspect), p.y / (-p.z * half)]
                });
                let seen: Vec<_> = seen.collect();
                let range = |axis: usize| {
                    let of_axis = || seen.iter().map(|p| p[axis]);
                    (of_axis().fold(f32::INFINITY, f32::min), of_axis().fold(f32::NEG_INFINITY, f32::max))
                };
                let extent = [range(0), range(1)].map(|(low, high)| low.abs().max(high.abs()));
                let largest = extent[0].max(extent[1]);
                assert!((largest - FILL).abs() < 2e-3, "{extent:?} at aspect {aspect} and size {size}");
                let limiting = usize::from(extent[1] > extent[0]);
                let (low, high) = range(limiting);
                assert!((low + high).abs() < 4e-3, "in the middle: {low} to {high}");
            }
        }
    }

    /// A ball is as large in the image as its silhouette, not as its box.
    #[test]
    fn a_ball_fills_the_image() {
        let mut scene = scene_of(&[Vec3::ZERO; 3]);
        let shapes = vec![Shape::sphere(vec3(1.0, 2.0, 3.0), 2.0)];
        let ball = Mesh::new(MeshData { shapes, ..MeshData::default() }).unwrap();
        let id = scene.meshes().next().unwrap().0;
        let edit = sunfleck_scene::SceneEdit::Mesh { id, mesh: Some(std::sync::Arc::new(ball)) };
        scene.apply(edit).unwrap();
        let bounds = vertex_bounds(&scene).unwrap();
        assert!(bounds[0].abs_diff_eq(vec3(-1.0, 0.0, 1.0), 1e-5), "{bounds:?}");
        assert!(bounds[1].abs_diff_eq(vec3(3.0, 4.0, 5.0), 1e-5), "{bounds:?}");
        let placed = Framing::new(&scene).camera(1.0);
        // The tangents from the camera to the ball have the slope of the image times FILL
        let distance = placed.world_from_view.translation.distance(vec3(1.0, 2.0, 3.0));
        let slope = 2.0 / (distance * distance - 4.0).sqrt();
        assert!((slope / tan(0.5 * FOV_RADIANS) - FILL).abs() < 1e-3, "{slope}");
    }

    #[test]
    fn degenerate_scenes_have_a_camera() {
        for scene in [Scene::default(), scene_of(&[Vec3::ONE; 3])] {
            let placed = Framing::new(&scene).camera(1.5);
            assert!(placed.world_from_view.is_finite(), "{placed:?}");
        }
    }
}
