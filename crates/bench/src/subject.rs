use fearless_simd::Level;
use sunfleck_engine::{Presentation, StageChoice};
use sunfleck_math::transform::look_at;
use sunfleck_math::{Affine3, Vec3, tan, vec3};
use sunfleck_scene::{Projection, Scene};

use crate::{BenchError, Mesh, RaySet};

/// Vertical field of view of a framed mesh: 40°, as crate io gives to scenes without a camera.
const FOV_Y_RADIANS: f32 = 0.698_131_7;
/// Vertical field of view between two given points: 60°, suited to interiors.
const WIDE_FOV_Y_RADIANS: f32 = std::f32::consts::FRAC_PI_3;
/// Direction from the centre of a framed mesh to the camera: a three-quarter view from slightly above.
const TOWARDS_CAMERA: Vec3 = vec3(0.55, 0.35, 1.0);
/// Fraction of the image's height or width that a framed mesh fills.
const FILL: f32 = 0.95;

/// Camera of the primary rays.
#[derive(Clone, Copy, Debug)]
pub struct Viewpoint {
    /// Placement of the camera, which looks along −z.
    pub world_from_view: Affine3,
    /// Projection onto a square film.
    pub projection: Projection,
}

impl Viewpoint {
    /// Returns a camera at `eye` that looks at `target` with a wide field of view.
    pub fn between(eye: Vec3, target: Vec3) -> Self {
        Self {
            world_from_view: look_at(eye, target, Vec3::Y),
            projection: Projection::Perspective { fov_y_radians: WIDE_FOV_Y_RADIANS },
        }
    }

    /// Returns a camera outside of a mesh, as near as possible with all of the mesh in view.
    fn framing(mesh: &Mesh) -> Self {
        let center = mesh.bounds().center();
        let towards_camera = TOWARDS_CAMERA.normalize_or(Vec3::Z);
        let view_from_world = look_at(towards_camera, Vec3::ZERO, Vec3::Y).matrix3.transpose();
        let slope = tan(FOV_Y_RADIANS * 0.5) * FILL;
        let distances = mesh.triangles.iter().flatten().map(|&i| {
            let p = view_from_world * (mesh.positions[i as usize] - center);
            p.x.abs().max(p.y.abs()) / slope + p.z
        });
        let distance = distances.fold(0.0, f32::max);
        Self {
            world_from_view: look_at(center + towards_camera * distance, center, Vec3::Y),
            projection: Projection::Perspective { fov_y_radians: FOV_Y_RADIANS },
        }
    }
}

/// Scene to trace: one list of triangles, and a camera.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name in the table.
    pub name: String,
    /// Triangles in world space.
    pub mesh: Mesh,
    /// Camera of the primary rays.
    pub viewpoint: Viewpoint,
    /// Rays read from a file; if there are any, no others are generated.
    pub rays: Vec<RaySet>,
}

impl Subject {
    /// Returns a mesh with a camera that frames it. Errors: the mesh has no triangle, or no finite size.
    pub fn from_mesh(name: impl Into<String>, mesh: Mesh) -> Result<Self, BenchError> {
        let (name, bounds) = (name.into(), mesh.bounds());
        if bounds.is_empty() || !bounds.diagonal().is_finite() {
            return Err(BenchError::Subject { name, reason: "it has no triangles of finite size" });
        }
        Ok(Self { name, viewpoint: Viewpoint::framing(&mesh), mesh, rays: Vec::new() })
    }

    /// Returns a scene as one list of triangles, seen by its first camera, or the default one if it has none.
    ///
    /// Errors: as [`Subject::from_mesh`].
    pub fn from_scene(name: impl Into<String>, scene: &Scene) -> Result<Self, BenchError> {
        let name = name.into();
        let Some(mesh) = Mesh::flatten(scene) else {
            return Err(BenchError::Subject { name, reason: "it has too many vertices for one mesh" });
        };
        let mut subject = Self::from_mesh(name, mesh)?;
        let presented = Presentation::new(scene.clone(), StageChoice::None, Level::new());
        let camera = presented.ok().and_then(|presented| presented.cameras(1.0).into_iter().next());
        if let Some(placed) = camera {
            let (world_from_view, projection) = (placed.world_from_view, placed.camera.projection);
            subject.viewpoint = Viewpoint { world_from_view, projection };
        }
        Ok(subject)
    }

    /// Returns the Utah teapot without a room; see [`sunfleck_models::teapot`].
    pub fn teapot(divisions: u32) -> Self {
        let data = sunfleck_models::teapot(divisions);
        let mesh = Mesh { positions: data.positions, triangles: data.triangles };
        let viewpoint = Viewpoint::framing(&mesh);
        Self { name: "teapot".to_string(), mesh, viewpoint, rays: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_scene_is_refused() {
        let error = Subject::from_scene("void", &Scene::default()).unwrap_err();
        assert_eq!(error.to_string(), "void: it has no triangles of finite size");
    }

    #[test]
    fn a_framed_mesh_fills_the_image() {
        const TAN_20_DEGREES: f32 = 0.363_970_23;
        let subject = Subject::teapot(4);
        let view_from_world = subject.viewpoint.world_from_view.inverse();
        let extent = subject.mesh.positions.iter().map(|p| {
            let seen = view_from_world.transform_point3(*p);
            assert!(seen.z < 0.0, "{p} is in front of the camera");
            seen.x.abs().max(seen.y.abs()) / -seen.z / TAN_20_DEGREES
        });
        let extent = extent.fold(0.0, f32::max);
        assert!((0.94..0.96).contains(&extent), "{extent} of the image");
    }
}
