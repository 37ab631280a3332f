//! Bounding spheres of surfaces with specular lobes, at which photons are aimed.

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec3};

use super::{MeshInstance, World};

/// Bounding sphere in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingSphere {
    /// Centre.
    pub center: Vec3,
    /// Radius, metres, > 0.
    pub radius: f32,
}

impl World {
    /// Returns the bounding sphere of all visible instances.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let bounds = self.bounds();
        BoundingSphere { center: bounds.center(), radius: 0.5 * bounds.diagonal() }
    }

    /// Returns a bounding sphere of the triangles and shapes that may have specular lobes, for each instance with any,
    /// in the order of instances. Computed on first use.
    pub fn specular_bounds(&self) -> &[BoundingSphere] {
        self.specular.get_or_init(|| {
            if !self.materials.any_specular() {
                return Vec::new();
            }
            self.instances.par_iter().filter_map(|placed| self.specular_bound_of(placed)).collect()
        })
    }

    fn specular_bound_of(&self, placed: &MeshInstance) -> Option<BoundingSphere> {
        let slots = placed.slots(&self.instance_materials);
        if !slots.iter().any(|&material| self.materials.may_be_specular(material)) {
            return None;
        }
        let mesh = &placed.mesh;
        let primitives = 0..u32::try_from(mesh.primitive_count()).unwrap_or(u32::MAX);
        let corners = || {
            let specular = |&i: &u32| self.materials.may_be_specular(slots[mesh.slot(i) as usize]);
            let corners_of = |i: u32| match mesh.shapes().get(i as usize) {
                None => mesh.corners(i).to_vec(),
                Some(shape) => shape.bounds().corners().to_vec(),
            };
            let corners = primitives.clone().filter(specular).flat_map(corners_of);
            corners.map(|p| placed.world_from_object.transform_point3(p))
        };
        let center = Aabb::from_points(corners()).center();
        let radius = corners().map(|p| p.distance(center)).fold(0.0, f32::max);
        (radius > 0.0 && radius.is_finite()).then_some(BoundingSphere { center, radius })
    }
}
