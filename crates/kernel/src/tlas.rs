use std::sync::Arc;

use fearless_simd::Simd;
use sunfleck_math::{Aabb, Affine3, Ray};

use crate::blas::Blas;
use crate::builder::{self, BuildOptions, PrimRef, Settings};
use crate::error::{BuildError, ValidateError};
use crate::hit::Hit;
use crate::instance::{Instance, Placement};
use crate::layout::{self, Bvh8, ChildRef, ITEM_LIMIT};
use crate::query;
use crate::stats::{BvhStats, LeftOut};

/// A top level: instances of bottom levels in the world. What rays are traced against.
///
/// All queries give the same bits on every SIMD level, and the same as [`brute_force`](crate::brute_force): the hit with
/// the smallest `t`, and among equal ones that with the smallest `inst_id`, then `prim_id`.
///
/// Rays that hit nothing by definition: a NaN anywhere, an infinite origin or direction, a direction whose largest
/// component is outside [1.3e-26, 4.2e37] in world or object space, `t_near > t_far`.
#[derive(Debug)]
pub struct Tlas {
    blases: Vec<Arc<Blas>>,
    instances: Vec<Instance>,
    bvh: Bvh8,
    /// Leaf items: indices of instances.
    order: Vec<u32>,
    /// One per instance; unused where the instance cannot be hit.
    object_from_world: Vec<Affine3>,
    /// The largest [`Placement::condition`].
    condition: f32,
    left_out: LeftOut,
}

impl Tlas {
    /// Builds the tree over `instances` of `blases`.
    ///
    /// Instances that nothing can hit — mask 0, an empty bottom level, a singular or non-finite transform — keep their
    /// index but are left out; [`BvhStats::left_out`] counts them. No instances at all are legal.
    ///
    /// # Errors
    /// [`BuildError::BlasOutOfRange`] for the first such instance, [`BuildError::TooMany`] from 2²⁸ instances on.
    pub fn build(
        blases: Vec<Arc<Blas>>,
        instances: Vec<Instance>,
        options: &BuildOptions,
    ) -> Result<Self, BuildError> {
        let count = u32::try_from(instances.len())
            .ok()
            .filter(|&count| (count as usize) < ITEM_LIMIT)
            .ok_or(BuildError::TooMany { count: instances.len(), limit: ITEM_LIMIT - 1 })?;

        // Who takes part
        let mut tlas = Self {
            blases,
            instances,
            bvh: Bvh8::default(),
            order: Vec::new(),
            object_from_world: Vec::new(),
            condition: 1.0,
            left_out: LeftOut::default(),
        };
        let mut refs = Vec::new();
        for inst in 0..count {
            let placement = tlas.place(inst)?;
            tlas.object_from_world.push(placement.map_or(Affine3::IDENTITY, |p| p.object_from_world));
            if let Some(Placement { bounds, condition, .. }) = placement {
                tlas.condition = tlas.condition.max(condition);
                refs.push(PrimRef::new(&bounds, inst));
            }
        }

        // Tree: one instance per leaf, since entering one is expensive
        let settings = Settings::new(options, 1, 1);
        let bvh2 = builder::build(&mut refs, &settings);
        let order = &mut tlas.order;
        tlas.bvh = layout::collapse(&bvh2, &mut |instances| {
            order.extend_from_slice(instances);
            let first = u32::try_from(order.len() - instances.len()).unwrap_or(u32::MAX);
            ChildRef::leaf(first, 1)
        });
        Ok(tlas)
    }

    /// The placement of an instance, or none, counted, when it cannot be hit.
    fn place(&mut self, inst: u32) -> Result<Option<Placement>, BuildError> {
        let instance = &self.instances[inst as usize];
        let Some(blas) = self.blases.get(instance.blas as usize) else {
            let blas_count = self.blases.len();
            return Err(BuildError::BlasOutOfRange {
                instance: inst as usize,
                blas: instance.blas,
                blas_count,
            });
        };
        if instance.mask == 0 || blas.bounds().is_empty() {
            self.left_out.empty += 1;
            return Ok(None);
        }
        let placement = Placement::new(&instance.world_from_object, &blas.bounds());
        if placement.is_none() {
            match instance.world_from_object.is_finite() {
                true => self.left_out.degenerate += 1,
                false => self.left_out.non_finite += 1,
            }
        }
        Ok(placement)
    }

    /// The box around everything that can be hit, in world space, padded by some rounding errors; empty if nothing can.
    pub fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    /// The instances, in the order of `inst_id`.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// The bottom levels, in the order of `geom_id`.
    pub fn blases(&self) -> &[Arc<Blas>] {
        &self.blases
    }

    /// Shape and cost of the top level alone.
    pub fn stats(&self) -> BvhStats {
        let bytes = self.memory_bytes();
        BvhStats { primitives: self.order.len(), left_out: self.left_out, bytes, ..self.bvh.stats() }
    }

    /// Memory of the top level alone, bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.bvh.nodes)
            + size_of_val(&*self.order)
            + size_of_val(&*self.instances)
            + size_of_val(&*self.object_from_world)
    }

    /// Checks the invariants of the top level; see [`Blas::validate`].
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let bounds_of = |&inst: &u32| {
            let instance = self.instances.get(inst as usize)?;
            Placement::new(&instance.world_from_object, &self.blases.get(instance.blas as usize)?.bounds())
                .map(|placement| placement.bounds)
        };
        self.bvh.validate(&|items| {
            self.order.get(items)?.iter().try_fold(Aabb::EMPTY, |b, inst| Some(b.union(bounds_of(inst)?)))
        })?;
        let mut times = vec![0u32; self.instances.len()];
        for &inst in &self.order {
            times[inst as usize] += 1;
        }
        let LeftOut { non_finite, degenerate, empty } = self.left_out;
        let missing = times.iter().filter(|&&t| t == 0).count();
        let wrong =
            (0..).zip(&times).find(|&(_, &t)| t > 1 || t == 0 && missing != non_finite + degenerate + empty);
        wrong
            .map_or(Ok(()), |(prim, &times)| Err(ValidateError::WrongReferences { prim, times, expected: 1 }))
    }

    /// The closest hit with `t` in `[t_near, t_far]`, or none. Every instance counts as opaque.
    #[inline]
    pub fn intersect<S: Simd>(&self, simd: S, ray: &Ray) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || query::closest::<S, false>(self, simd, ray, &mut |_| true),
        )
    }

    /// The closest hit that the filter accepts.
    ///
    /// `filter` is asked about hits on instances that are not opaque, and says false to let the ray pass. It is asked
    /// in no particular order, and not about hits that are known to be hidden: let it depend on the hit alone.
    #[inline]
    pub fn intersect_filtered<S: Simd, F: FnMut(&Hit) -> bool>(
        &self,
        simd: S,
        ray: &Ray,
        mut filter: F,
    ) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || query::closest::<S, true>(self, simd, ray, &mut filter),
        )
    }

    /// Whether anything is hit with `t` in `[t_near, t_far]`. Every instance counts as opaque.
    #[inline]
    pub fn occluded<S: Simd>(&self, simd: S, ray: &Ray) -> bool {
        simd.vectorize(
            #[inline(always)]
            || query::any::<S, false>(self, simd, ray, &mut |_| true),
        )
    }

    /// Whether anything that the filter accepts is hit; see [`Tlas::intersect_filtered`].
    #[inline]
    pub fn occluded_filtered<S: Simd, F: FnMut(&Hit) -> bool>(
        &self,
        simd: S,
        ray: &Ray,
        mut filter: F,
    ) -> bool {
        simd.vectorize(
            #[inline(always)]
            || query::any::<S, true>(self, simd, ray, &mut filter),
        )
    }

    /// The bottom level when there is but one instance, whose objects are where they are: the top level can be skipped.
    pub(crate) fn as_single(&self) -> Option<&Blas> {
        let [instance] = &*self.instances else { return None };
        let whole = instance.world_from_object == Affine3::IDENTITY && self.order.len() == 1;
        self.blases.get(instance.blas as usize).filter(|_| whole).map(|blas| &**blas)
    }

    #[inline(always)]
    pub(crate) fn bvh(&self) -> &Bvh8 {
        &self.bvh
    }

    #[inline(always)]
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    #[inline(always)]
    pub(crate) fn object_from_world(&self, inst: u32) -> &Affine3 {
        &self.object_from_world[inst as usize]
    }

    #[inline(always)]
    pub(crate) fn condition(&self) -> f32 {
        self.condition
    }
}
