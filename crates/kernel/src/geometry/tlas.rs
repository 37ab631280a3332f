//! Top-level acceleration structure: a BVH over instances.

use sunfleck_math::{Aabb, Ray};

use super::rebraid::{ActiveInstance, bounds_of_child, rebraid};
use crate::blas::Blas;
use crate::builder::{BuildOptions, BuildSettings, PrimRef};
use crate::error::{BuildError, ValidateError};
use crate::geometry::instance::{Instance, PlacedInstance, Placement, TRANSFORM_ERROR};
use crate::geometry::{Geometry, build_tree, validate_tree};
use crate::hit::MAX_LEVELS;
use crate::layout::{Bvh8, ITEM_LIMIT};
use crate::primitive::SlabRay;
use crate::primitive::world_major_axis;
use crate::stats::{BvhStats, SkippedPrimitives};

/// Top-level acceleration structure (TLAS): a BVH over instances of geometries. Rays are traced against it.
///
/// It is a [`Geometry`] itself, so that instances can be nested, up to [`MAX_LEVELS`] levels in all.
///
/// All queries return hits with the same bits on every SIMD level, equal to those of
/// [`brute_force`](crate::brute_force): the hit with the smallest `t`, and among equal ones that with the smallest
/// `inst_id`, then `inst_path`, then `prim_id`.
///
/// Some rays hit nothing by definition: those with a NaN, an infinite origin or direction, a direction whose largest
/// component is outside [1.3e-26, 4.2e37] in world or object space, or `t_near > t_far`.
#[derive(Debug)]
pub struct Tlas {
    geometries: Vec<Geometry>,
    instances: Vec<Instance>,
    bvh: Bvh8,
    bounds: Aabb,
    /// Instances that can be hit, or rebraided parts of them, in the order of leaves.
    placed: Vec<PlacedInstance>,
    /// Number of instances that can be hit.
    count: usize,
    /// Largest [`Placement::condition`] of all instances.
    condition: f32,
    /// Number of levels of instances, this one included.
    levels: usize,
    /// Whether [`Tlas::as_single`] returns a BLAS.
    single: bool,
    /// Whether all instances are opaque.
    opaque: bool,
    skipped: SkippedPrimitives,
}

impl Tlas {
    /// Builds the tree over `instances` of `geometries`, which are [`Geometry`] or all of one kind, such as
    /// `Arc<Blas>`.
    ///
    /// Instances that no ray can hit, because of mask 0, an empty geometry, or a singular or non-finite transform, keep
    /// their index but are not in the tree; [`BvhStats::skipped`] counts them. An empty list of instances is valid.
    ///
    /// # Errors
    /// [`BuildError::BlasOutOfRange`] for the first such instance, [`BuildError::TooMany`] for 2²⁸ or more instances,
    /// [`BuildError::TooDeep`] for more than [`MAX_LEVELS`] levels of instances.
    pub fn build<G: Into<Geometry>>(
        geometries: Vec<G>,
        instances: Vec<Instance>,
        options: &BuildOptions,
    ) -> Result<Self, BuildError> {
        Self::build_any(geometries.into_iter().map(Into::into).collect(), instances, options)
    }

    fn build_any(
        geometries: Vec<Geometry>,
        instances: Vec<Instance>,
        options: &BuildOptions,
    ) -> Result<Self, BuildError> {
        if instances.len() >= ITEM_LIMIT {
            return Err(BuildError::TooMany { count: instances.len(), limit: ITEM_LIMIT - 1 });
        }
        let levels = 1 + geometries.iter().map(Geometry::levels).max().unwrap_or(0);
        if levels > MAX_LEVELS {
            return Err(BuildError::TooDeep { levels, limit: MAX_LEVELS });
        }

        // Instances that can be hit
        let mut skipped = SkippedPrimitives::default();
        let mut condition = 1.0f32;
        let mut active = Vec::new();
        for (inst, instance) in (0u32..).zip(&instances) {
            let geometry = geometry_of(&geometries, inst, instance)?;
            if let Some(placement) = placement_of(geometry, instance, &mut skipped) {
                condition = condition.max(placement.condition);
                active.push(ActiveInstance { inst, instance, geometry, placement });
            }
        }

        // Tree with one instance or part per leaf, since entering an instance is expensive
        let parts = rebraid(&active);
        let mut refs: Vec<_> = (0u32..).zip(&parts).map(|(i, part)| PrimRef::new(&part.bounds, i)).collect();
        let (bvh, order) = build_tree(&mut refs, &BuildSettings::new(options, 1, 1));
        let placed: Vec<PlacedInstance> = order
            .iter()
            .map(|&i| {
                let part = &parts[i as usize];
                let ActiveInstance { inst, instance, placement, .. } = &active[part.active];
                PlacedInstance::new(*inst, instance, placement.object_from_world, part.start)
            })
            .collect();
        let count = active.len();
        let single = match (&*instances, &*placed) {
            ([instance], [placed]) => {
                placed.has_identity_transform()
                    && matches!(geometries[instance.blas as usize], Geometry::Triangles(_))
            }
            _ => false,
        };
        let opaque = placed.iter().all(PlacedInstance::is_opaque);
        let bounds = bvh.bounds();
        Ok(Self {
            geometries,
            bounds,
            instances,
            bvh,
            placed,
            count,
            condition,
            levels,
            single,
            opaque,
            skipped,
        })
    }

    /// Returns the box around everything that can be hit, in world space, padded by rounding errors; empty if nothing
    /// can.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Returns the instances, in the order of `inst_id`.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Returns the geometries, in the order of `geom_id`.
    #[inline]
    pub fn geometries(&self) -> &[Geometry] {
        &self.geometries
    }

    /// Returns size and SAH cost of the TLAS, without its geometries.
    pub fn stats(&self) -> BvhStats {
        let bytes = self.memory_bytes();
        BvhStats { primitives: self.count, skipped: self.skipped, bytes, ..self.bvh.stats() }
    }

    /// Returns the memory of the TLAS in bytes, without its geometries.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.placed) + size_of_val(&*self.instances)
    }

    /// Checks the invariants of the TLAS, without its geometries; see [`Blas::validate`].
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let bounds_of = |placed: &PlacedInstance| {
            let instance = self.instances.get(placed.inst() as usize)?;
            let geometry = self.geometries.get(instance.blas as usize)?;
            let world_from_object = &instance.world_from_object;
            let placement = Placement::new(world_from_object, &geometry.bounds(), geometry.condition())?;
            Some(match bounds_of_child(geometry, placed.start) {
                Some(part) => placement.bounds_of(world_from_object, &part),
                None => placement.bounds,
            })
        };
        let bounds = |items| {
            let placed: &[PlacedInstance] = self.placed.get::<std::ops::Range<usize>>(items)?;
            placed.iter().try_fold(Aabb::EMPTY, |b, placed| Some(b.union(bounds_of(placed)?)))
        };
        let mut seen = vec![false; self.instances.len()];
        let first =
            |inst: &u32| seen.get_mut(*inst as usize).is_none_or(|seen| !std::mem::replace(seen, true));
        let order = self.placed.iter().map(PlacedInstance::inst).filter(first);
        validate_tree(&self.bvh, order, &bounds, self.instances.len(), self.skipped)
    }

    /// Returns the BLAS if there is only one instance, of triangles, with identity transform. Queries then skip the
    /// TLAS.
    #[inline(always)]
    pub(crate) fn as_single(&self) -> Option<&Blas> {
        match self.geometries.get(self.instances.first()?.blas as usize)? {
            Geometry::Triangles(blas) if self.single => Some(blas),
            _ => None,
        }
    }

    /// Returns whether all instances are opaque, so that filters are never called.
    pub(crate) fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// Prepares a ray for tests against the boxes of instances; `None` if it cannot hit anything by definition.
    #[inline(always)]
    pub(crate) fn slabs(&self, ray: &Ray) -> Option<SlabRay> {
        let major = world_major_axis(ray)?;
        let padding = self.padding() * ray.origin.abs().max_element();
        Some(SlabRay::new(ray.origin, ray.direction, major, [padding; 3]))
    }

    /// Returns the padding of the boxes of instances, as a factor of the largest coordinate of the ray's origin.
    #[inline(always)]
    pub(crate) fn padding(&self) -> f32 {
        TRANSFORM_ERROR * self.condition
    }

    #[inline(always)]
    pub(crate) fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    #[inline(always)]
    pub(crate) fn placed(&self) -> &[PlacedInstance] {
        &self.placed
    }

    pub(crate) fn condition(&self) -> f32 {
        self.condition
    }

    pub(crate) fn levels(&self) -> usize {
        self.levels
    }
}

fn geometry_of<'a>(
    geometries: &'a [Geometry],
    inst: u32,
    instance: &Instance,
) -> Result<&'a Geometry, BuildError> {
    geometries.get(instance.blas as usize).ok_or(BuildError::BlasOutOfRange {
        instance: inst as usize,
        blas: instance.blas,
        blas_count: geometries.len(),
    })
}

/// Returns the placement of an instance; if it cannot be hit, counts it as skipped and returns `None`.
fn placement_of(
    geometry: &Geometry,
    instance: &Instance,
    skipped: &mut SkippedPrimitives,
) -> Option<Placement> {
    let bounds = geometry.bounds();
    if instance.mask == 0 || bounds.is_empty() {
        skipped.empty += 1;
        return None;
    }
    let placement = Placement::new(&instance.world_from_object, &bounds, geometry.condition());
    if placement.is_none() {
        match instance.world_from_object.is_finite() {
            true => skipped.degenerate += 1,
            false => skipped.non_finite += 1,
        }
    }
    placement
}
