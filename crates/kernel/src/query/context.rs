use sunfleck_math::{DVec3, Vec3};

use crate::geometry::instance::PlacedInstance;
use crate::hit::{Hit, InstPath};
use crate::primitive::Candidate;

/// Instance that a ray has entered, with the instances that enclose it.
#[derive(Clone, Copy)]
pub(crate) struct InstanceContext<'a> {
    pub(crate) placed: &'a PlacedInstance,
    pub(crate) parent: Option<&'a InstanceContext<'a>>,
}

impl<'a> InstanceContext<'a> {
    /// Returns the instances from this one outwards.
    fn outwards(&self) -> impl Iterator<Item = &'a PlacedInstance> + use<'a> {
        std::iter::successors(Some(*self), |context| context.parent.copied()).map(|context| context.placed)
    }

    /// Returns whether filters need not be called.
    #[inline(always)]
    pub(crate) fn is_opaque(&self) -> bool {
        self.placed.is_opaque()
            || self.parent.is_some_and(|_| self.outwards().any(|placed| placed.is_opaque()))
    }

    /// Returns the index of the outermost instance, and the path of those inside it.
    pub(crate) fn path(&self) -> (u32, InstPath) {
        let Some(_) = self.parent else { return (self.placed.inst(), InstPath::EMPTY) };
        let outermost = self.outwards().last().map_or(self.placed.inst(), |placed| placed.inst());
        let inner = self.outwards().count() - 1;
        (outermost, InstPath::from_inside_out(self.outwards().take(inner).map(|placed| placed.inst())))
    }

    /// Returns the complete hit from its normal in object space.
    ///
    /// * `direction` — direction of the ray in world space.
    pub(crate) fn hit(&self, candidate: &Candidate, prim_id: u32, normal: DVec3, direction: Vec3) -> Hit {
        let (inst_id, inst_path) = self.path();
        let ng = self.normal_in_world(normal).unwrap_or(-direction);
        let Candidate { t, u, v } = *candidate;
        Hit { t, u, v, ng, prim_id, geom_id: self.placed.geometry, inst_id, inst_path }
    }

    /// Returns the normal, transformed by the inverse transposes; see [`Hit::ng`]. `None` if it is zero or not
    /// finite.
    fn normal_in_world(&self, normal: DVec3) -> Option<Vec3> {
        let mut ng = normal;
        for placed in self.outwards() {
            ng = placed.normal_in_world(ng);
            // Lengths whose squares are in the range of f32 are not scaled.
            let size = ng.abs().max_element();
            if !(1e-18..=1e18).contains(&size) {
                ng /= size;
            }
        }
        (ng.is_finite() && ng != DVec3::ZERO).then(|| ng.as_vec3())
    }
}
