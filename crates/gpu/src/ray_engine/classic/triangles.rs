use sunfleck_kernel::{Geometry, Tlas};
use sunfleck_math::{Ray, Vec3};
use sunfleck_shaders::layout::Plane;

use crate::GpuError;

/// A triangle in world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub(super) corners: [Vec3; 3],
    pub(super) prim_id: u32,
    pub(super) inst_id: u32,
}

/// All triangles of a world that can be hit.
pub(super) fn triangles(world: &Tlas) -> Result<Vec<Triangle>, GpuError> {
    let mut found = Vec::new();
    for (inst_id, instance) in (0u32..).zip(world.instances()).filter(|(_, instance)| instance.mask != 0) {
        let Geometry::Triangles(blas) = &world.geometries()[instance.blas as usize] else {
            return Err(GpuError::Unsupported { what: "other geometry than triangles" });
        };
        let mut own = blas.paired().triangles;
        // A triangle that was cut stands in several leaves
        own.sort_by_key(|triangle| triangle.prim_id);
        own.dedup_by_key(|triangle| triangle.prim_id);
        let place = |corner| instance.world_from_object.transform_point3(Vec3::from_array(corner));
        found.extend(own.iter().map(|triangle| Triangle {
            corners: triangle.corners.map(place),
            prim_id: triangle.prim_id,
            inst_id,
        }));
    }
    Ok(found)
}

/// Where a ray meets a triangle before `t_far`: (t, u, v). The twin of the crossbar's test [Baldwin16, coordinate transformation].
pub(super) fn meet(plane: &Plane, ray: &Ray, t_far: f32) -> Option<[f32; 3]> {
    let row = |row: &[f32; 4]| (Vec3::new(row[0], row[1], row[2]), row[3]);
    let (n, distance) = row(&plane.n);
    let t = -(n.dot(ray.origin) + distance) / n.dot(ray.direction);
    let at = ray.origin + t * ray.direction;
    let coordinate = |(axis, offset): (Vec3, f32)| axis.dot(at) + offset;
    let (u, v) = (coordinate(row(&plane.u)), coordinate(row(&plane.v)));
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= ray.t_near && t < t_far).then_some([t, u, v])
}
