use sunfleck_gpu::GpuError;
use sunfleck_kernel::{Geometry, Tlas};
use sunfleck_math::Vec3;

/// A triangle in world space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldTriangle {
    pub(crate) corners: [Vec3; 3],
    pub(crate) prim_id: u32,
    pub(crate) inst_id: u32,
}

/// Returns all triangles of a world that can be hit.
pub(crate) fn world_triangles(world: &Tlas) -> Result<Vec<WorldTriangle>, GpuError> {
    let mut found = Vec::new();
    for (inst_id, instance) in (0u32..).zip(world.instances()).filter(|(_, instance)| instance.mask != 0) {
        let Geometry::Triangles(blas) = &world.geometries()[instance.blas as usize] else {
            return Err(GpuError::Unsupported { what: "geometry other than triangles" });
        };
        let mut own: Vec<_> = blas.triangles().collect();
        // A triangle that was split by the builder is in several leaves
        own.sort_by_key(|triangle| triangle.prim_id);
        own.dedup_by_key(|triangle| triangle.prim_id);
        let place = |corner| instance.world_from_object.transform_point3(Vec3::from_array(corner));
        found.extend(own.iter().map(|triangle| WorldTriangle {
            corners: triangle.corners.map(place),
            prim_id: triangle.prim_id,
            inst_id,
        }));
    }
    Ok(found)
}
