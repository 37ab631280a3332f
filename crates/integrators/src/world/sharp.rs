//! What focuses light: where the mirrors, the glass and the glossy things are.

use rayon::prelude::*;
use sunfleck_math::{Aabb, Vec3};

use super::{Placed, World};

/// A sphere in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its middle.
    pub center: Vec3,
    /// > 0.
    pub radius: f32,
}

impl World {
    /// A sphere around everything visible.
    pub(crate) fn sphere(&self) -> Sphere {
        let bounds = self.bounds();
        Sphere { center: bounds.center(), radius: 0.5 * bounds.diagonal() }
    }

    /// For each instance with surfaces that may have sharp lobes a sphere around these, in the order of instances. Found when first
    /// asked for.
    pub fn sharp_spheres(&self) -> &[Sphere] {
        self.sharp.get_or_init(|| {
            if !self.materials.any_sharp() {
                return Vec::new();
            }
            self.instances.par_iter().filter_map(|placed| self.sharp_sphere(placed)).collect()
        })
    }

    fn sharp_sphere(&self, placed: &Placed) -> Option<Sphere> {
        let slots = placed.slots(&self.instance_materials);
        if !slots.iter().any(|&material| self.materials.may_be_sharp(material)) {
            return None;
        }
        let mesh = &placed.mesh;
        let triangles = 0..u32::try_from(mesh.triangles().len()).unwrap_or(u32::MAX);
        let corners = || {
            let sharp = |&i: &u32| self.materials.may_be_sharp(slots[mesh.slot(i) as usize]);
            let corners = triangles.clone().filter(sharp).flat_map(|i| mesh.corners(i));
            corners.map(|p| placed.world_from_object.transform_point3(p))
        };
        let center = Aabb::from_points(corners()).center();
        let radius = corners().map(|p| p.distance(center)).fold(0.0, f32::max);
        (radius > 0.0 && radius.is_finite()).then_some(Sphere { center, radius })
    }
}
