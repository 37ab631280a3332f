use sunfleck_math::{Aabb, Ray};

use super::open::{Shown, box_of, open};
use crate::blas::Blas;
use crate::builder::{BuildOptions, PrimRef, Settings};
use crate::error::{BuildError, ValidateError};
use crate::geometry::instance::{Instance, Placed, Placement, TRANSFORM_ERROR};
use crate::geometry::{Geometry, build_tree, validate_tree};
use crate::hit::MAX_LEVELS;
use crate::layout::{Bvh8, ITEM_LIMIT};
use crate::primitive::SlabRay;
use crate::primitive::world_major_axis;
use crate::stats::{BvhStats, SkippedPrimitives};

/// A top level: instances of geometries in the world. What rays are traced against.
///
/// It is a [`Geometry`] itself, so that worlds can hold worlds, up to [`MAX_LEVELS`] levels of instances in all.
///
/// All queries give the same bits on every SIMD level, and the same as [`brute_force`](crate::brute_force): the hit with
/// the smallest `t`, and among equal ones that with the smallest `inst_id`, then `inst_path`, then `prim_id`.
///
/// Rays that hit nothing by definition: a NaN anywhere, an infinite origin or direction, a direction whose largest
/// component is outside [1.3e-26, 4.2e37] in world or object space, `t_near > t_far`.
#[derive(Debug)]
pub struct Tlas {
    geometries: Vec<Geometry>,
    instances: Vec<Instance>,
    bvh: Bvh8,
    bounds: Aabb,
    /// Instances that can be hit, or parts of them, in the order of leaves.
    placed: Vec<Placed>,
    /// Instances that can be hit.
    count: usize,
    /// The largest [`Placement::condition`].
    condition: f32,
    /// Levels of instances, this one included.
    levels: usize,
    /// See [`Tlas::as_single`].
    single: bool,
    /// See [`Tlas::is_opaque`].
    opaque: bool,
    left_out: SkippedPrimitives,
}

impl Tlas {
    /// Builds the tree over `instances` of `geometries`: [`Geometry`], or all of one kind, such as `Arc<Blas>`.
    ///
    /// Instances that nothing can hit — mask 0, an empty geometry, a singular or non-finite transform — keep their
    /// index but are left out; [`BvhStats::left_out`] counts them. No instances at all are legal.
    ///
    /// # Errors
    /// [`BuildError::BlasOutOfRange`] for the first such instance, [`BuildError::TooMany`] from 2²⁸ instances on,
    /// [`BuildError::TooDeep`] when there are more than [`MAX_LEVELS`] levels of instances.
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

        // Who takes part
        let mut left_out = SkippedPrimitives::default();
        let mut condition = 1.0f32;
        let mut shown = Vec::new();
        for (inst, instance) in (0u32..).zip(&instances) {
            let geometry = geometry_of(&geometries, inst, instance)?;
            if let Some(placement) = place(geometry, instance, &mut left_out) {
                condition = condition.max(placement.condition);
                shown.push(Shown { inst, instance, geometry, placement });
            }
        }

        // Tree: one part of an instance per leaf, since entering one is expensive
        let parts = open(&shown);
        let mut refs: Vec<_> = (0u32..).zip(&parts).map(|(i, part)| PrimRef::new(&part.bounds, i)).collect();
        let (bvh, order) = build_tree(&mut refs, &Settings::new(options, 1, 1));
        let placed: Vec<Placed> = order
            .iter()
            .map(|&i| {
                let part = &parts[i as usize];
                let Shown { inst, instance, placement, .. } = &shown[part.shown];
                Placed::new(*inst, instance, placement.object_from_world, part.start)
            })
            .collect();
        let count = shown.len();
        let single = match (&*instances, &*placed) {
            ([instance], [placed]) => {
                placed.is_in_place() && matches!(geometries[instance.blas as usize], Geometry::Triangles(_))
            }
            _ => false,
        };
        let opaque = placed.iter().all(Placed::is_opaque);
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
            left_out,
        })
    }

    /// The box around everything that can be hit, in world space, padded by some rounding errors; empty if nothing can.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The instances, in the order of `inst_id`.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// What instances refer to, in the order of `geom_id`.
    #[inline]
    pub fn geometries(&self) -> &[Geometry] {
        &self.geometries
    }

    /// Shape and cost of the top level alone.
    pub fn stats(&self) -> BvhStats {
        let bytes = self.memory_bytes();
        BvhStats { primitives: self.count, left_out: self.left_out, bytes, ..self.bvh.stats() }
    }

    /// Memory of the top level alone, bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes) + size_of_val(&*self.placed) + size_of_val(&*self.instances)
    }

    /// Checks the invariants of the top level; see [`Blas::validate`].
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let bounds_of = |placed: &Placed| {
            let instance = self.instances.get(placed.inst() as usize)?;
            let geometry = self.geometries.get(instance.blas as usize)?;
            let world_from_object = &instance.world_from_object;
            let placement = Placement::new(world_from_object, &geometry.bounds(), geometry.condition())?;
            Some(match box_of(geometry, placed.start) {
                Some(part) => placement.bounds_of(world_from_object, &part),
                None => placement.bounds,
            })
        };
        let bounds = |items| {
            let placed: &[Placed] = self.placed.get::<std::ops::Range<usize>>(items)?;
            placed.iter().try_fold(Aabb::EMPTY, |b, placed| Some(b.union(bounds_of(placed)?)))
        };
        let mut seen = vec![false; self.instances.len()];
        let first =
            |inst: &u32| seen.get_mut(*inst as usize).is_none_or(|seen| !std::mem::replace(seen, true));
        let order = self.placed.iter().map(Placed::inst).filter(first);
        validate_tree(&self.bvh, order, &bounds, self.instances.len(), self.left_out)
    }

    /// The triangles when there is but one instance, of triangles that are where they are: the top level can be skipped.
    #[inline(always)]
    pub(crate) fn as_single(&self) -> Option<&Blas> {
        match self.geometries.get(self.instances.first()?.blas as usize)? {
            Geometry::Triangles(blas) if self.single => Some(blas),
            _ => None,
        }
    }

    /// Whether no filter is ever asked.
    pub(crate) fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// The ray as boxes of instances want it, or none when it cannot hit anything.
    #[inline(always)]
    pub(crate) fn slabs(&self, ray: &Ray) -> Option<SlabRay> {
        let major = world_major_axis(ray)?;
        let padding = self.padding() * ray.origin.abs().max_element();
        Some(SlabRay::new(ray.origin, ray.direction, major, [padding; 3]))
    }

    /// By how much boxes of instances have to grow for rays, times the largest coordinate of the origin.
    #[inline(always)]
    pub(crate) fn padding(&self) -> f32 {
        TRANSFORM_ERROR * self.condition
    }

    #[inline(always)]
    pub(crate) fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    #[inline(always)]
    pub(crate) fn placed(&self) -> &[Placed] {
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

/// The placement of an instance, or none, counted, when it cannot be hit.
fn place(geometry: &Geometry, instance: &Instance, left_out: &mut SkippedPrimitives) -> Option<Placement> {
    let bounds = geometry.bounds();
    if instance.mask == 0 || bounds.is_empty() {
        left_out.empty += 1;
        return None;
    }
    let placement = Placement::new(&instance.world_from_object, &bounds, geometry.condition());
    if placement.is_none() {
        match instance.world_from_object.is_finite() {
            true => left_out.degenerate += 1,
            false => left_out.non_finite += 1,
        }
    }
    placement
}
