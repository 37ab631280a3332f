//! Surface interactions of sixteen hits at once, equal to those of `World::surface_interaction`.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16, u32x16};
use sunfleck_kernel::{Hit, HitBuffer, InstPath, MISS};
use sunfleck_math::{Frame, Vec3, float::gamma};
use sunfleck_shading::SurfaceAttributes;

use super::transforms::Transforms;
use super::vertices::Vertices;
use super::{LEAST_FACING, SurfaceInteraction, attributes};
use crate::World;
use crate::vectors::{
    LANES, Lanes, V, cross, dot, load, negated, normalize_or, put, scaled, select, sub, vector, weighted,
};

/// Sixteen surface interactions as structure of arrays, `[axis][lane]`. Normal maps and reliefs are not applied: the
/// shading normal is that of the mesh.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct InteractionBlock {
    /// Bit mask of lanes that hit a surface; the values of other lanes are undefined.
    pub hit: u32,
    /// Positions in world space.
    pub position: [Lanes; 3],
    position_error: [Lanes; 3],
    /// Unit geometric normal of the front face.
    pub ng: [Lanes; 3],
    /// Shading normal on the side of `ng`.
    pub ns: [Lanes; 3],
    /// Origin of rays that leave on the viewer's side.
    pub outside: [Lanes; 3],
    /// 1 if the viewer sees the front face, -1 if the back face.
    pub side: Lanes,
    /// Indices into the material table.
    pub material: [u32; LANES],
}

/// Vertex data of the triangles of sixteen hits.
#[repr(align(64))]
struct VertexLanes {
    /// `[vertex][axis][lane]`.
    corners: [[Lanes; 3]; 3],
    normals: [[Lanes; 3]; 3],
    /// Bit mask of lanes whose mesh has vertex normals.
    smooth: u32,
    u: Lanes,
    v: Lanes,
    /// Directions of the rays.
    direction: [Lanes; 3],
}

impl VertexLanes {
    /// Sets the point on the triangle and the direction of a lane.
    #[inline(always)]
    fn put_hit(&mut self, lane: usize, [u, v]: [f32; 2], [x, y, z]: [&[f32]; 3], i: usize) {
        (self.u[lane], self.v[lane]) = (u, v);
        put(&mut self.direction, lane, Vec3::new(x[i], y[i], z[i]));
    }
}

impl Default for InteractionBlock {
    fn default() -> Self {
        Self::new()
    }
}

impl InteractionBlock {
    /// Makes a block without hits.
    pub fn new() -> Self {
        let three = [[0.0; LANES]; 3];
        Self {
            hit: 0,
            position: three,
            position_error: three,
            ng: three,
            ns: three,
            outside: three,
            side: [1.0; LANES],
            material: [0; LANES],
        }
    }
}

impl World {
    /// Computes the surface interactions of up to sixteen hits of a stream.
    ///
    /// * `which` — indices of the hits.
    /// * `direction` — unit directions of all rays of the stream, `[axis]`.
    #[inline(never)]
    pub fn surface_interactions<S: Simd>(
        &self,
        simd: S,
        hits: &HitBuffer,
        direction: [&[f32]; 3],
        which: &[u32],
        block: &mut InteractionBlock,
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                let (fetched, insts) = self.fetch(hits, direction, which, block);
                if block.hit != 0 {
                    let transforms = Transforms::fetch(simd, &self.instances, &insts);
                    block.complete(simd, &transforms, &fetched);
                }
            },
        );
    }

    /// Loads the vertex data and instances of hits. Lanes that missed get the instance of the first hit.
    #[inline(always)]
    fn fetch(
        &self,
        hits: &HitBuffer,
        direction: [&[f32]; 3],
        which: &[u32],
        block: &mut InteractionBlock,
    ) -> (VertexLanes, [u32; LANES]) {
        let (three, nine) = ([[0.0; LANES]; 3], [[[0.0; LANES]; 3]; 3]);
        let (u, v) = ([0.0; LANES], [0.0; LANES]);
        let mut fetched = VertexLanes { corners: nine, normals: nine, smooth: 0, u, v, direction: three };
        let mut insts = [0; LANES];
        block.hit = 0;
        if let Some((inst, prim)) = same_primitive(hits, which)
            .filter(|&(inst, _)| self.instances[inst as usize].mesh.shapes().is_empty())
        {
            self.fetch_once(hits, direction, which, block, (inst, prim), &mut fetched);
            return (fetched, [inst; LANES]);
        }
        for (lane, &i) in which.iter().enumerate().take(LANES) {
            let i = i as usize;
            let (inst, prim) = (hits.inst_id[i], hits.prim_id[i]);
            if prim == MISS {
                continue;
            }
            block.hit |= 1 << lane;
            insts[lane] = inst;
            let vertices = Vertices::of(&self.instances[inst as usize].mesh, prim, [hits.u[i], hits.v[i]]);
            for (vertex, position) in vertices.positions().into_iter().enumerate() {
                put(&mut fetched.corners[vertex], lane, position);
            }
            if let Some(normals) = vertices.normals() {
                fetched.smooth |= 1 << lane;
                for (vertex, normal) in normals.into_iter().enumerate() {
                    put(&mut fetched.normals[vertex], lane, normal);
                }
            }
            block.material[lane] = self.material_at(inst, prim);
            let [_, u, v] = vertices.b;
            fetched.put_hit(lane, [u, v], direction, i);
        }
        let first = insts[block.hit.trailing_zeros() as usize % LANES];
        for (lane, inst) in insts.iter_mut().enumerate() {
            *inst = if block.hit >> lane & 1 == 1 { *inst } else { first };
        }
        (fetched, insts)
    }

    /// Loads the vertex data of sixteen hits on the same triangle.
    #[inline(always)]
    fn fetch_once(
        &self,
        hits: &HitBuffer,
        direction: [&[f32]; 3],
        which: &[u32],
        block: &mut InteractionBlock,
        (inst, prim): (u32, u32),
        fetched: &mut VertexLanes,
    ) {
        let data = self.instances[inst as usize].mesh.data();
        let corners = data.triangles[prim as usize].map(|v| v as usize);
        let same = |v: Vec3| v.to_array().map(|x| [x; LANES]);
        for (vertex, &corner) in corners.iter().enumerate() {
            fetched.corners[vertex] = same(data.positions[corner]);
            if !data.normals.is_empty() {
                fetched.smooth = 0xffff;
                fetched.normals[vertex] = same(data.normals[corner]);
            }
        }
        block.hit = 0xffff;
        block.material = [self.material_at(inst, prim); LANES];
        for (lane, &i) in which.iter().enumerate().take(LANES) {
            let i = i as usize;
            fetched.put_hit(lane, [hits.u[i], hits.v[i]], direction, i);
        }
    }

    /// Returns the albedo at a hit on a material that is determined by its albedo alone: see
    /// [`MaterialTable::is_plain`].
    ///
    /// * `i` — index of the hit in the stream. * `width` — see [`World::surface_interaction`].
    ///
    /// [`MaterialTable::is_plain`]: sunfleck_shading::MaterialTable::is_plain
    #[inline(always)]
    pub fn plain_albedo(&self, hits: &HitBuffer, i: usize, material: u32, width: f32) -> Vec3 {
        let placed = &self.instances[hits.inst_id[i] as usize];
        let data = placed.mesh.data();
        if data.colors.is_empty() && !self.materials.has_base_texture(material) {
            return self.materials.base_color(material, &SurfaceAttributes::default());
        }
        self.materials.base_color(material, &self.attributes_of(hits, i, width))
    }

    /// Returns the attributes at which textures are evaluated, at a hit of a stream.
    ///
    /// * `i`, `width` — as in [`World::plain_albedo`].
    #[inline(always)]
    pub fn attributes_of(&self, hits: &HitBuffer, i: usize, width: f32) -> SurfaceAttributes {
        self.attributes_on(hits.inst_id[i], hits.prim_id[i], [hits.u[i], hits.v[i]], width)
    }

    /// Returns whether bsdf and emission of a material are the same everywhere on an instance.
    #[inline(always)]
    pub fn is_uniform(&self, inst_id: u32, material: u32) -> bool {
        self.instances[inst_id as usize].mesh.data().colors.is_empty() && self.materials.is_uniform(material)
    }

    /// Returns the surface interaction of a lane, with normal maps and reliefs applied.
    ///
    /// * `i` — index of the hit in the stream.
    /// * `wo` — unit direction to the viewer.
    /// * `width` — see [`World::surface_interaction`].
    #[inline(always)]
    pub fn surface_interaction_of(
        &self,
        hits: &HitBuffer,
        i: usize,
        (block, lane): (&InteractionBlock, usize),
        wo: Vec3,
        width: f32,
    ) -> SurfaceInteraction {
        let (inst_id, prim_id) = (hits.inst_id[i], hits.prim_id[i]);
        let placed = &self.instances[inst_id as usize];
        let (t, u, v) = (hits.t[i], hits.u[i], hits.v[i]);
        let vertices = Vertices::of(&placed.mesh, prim_id, [u, v]);
        let geom_id = self.tlas.instances()[inst_id as usize].blas;
        let ng = vector(&block.ng, lane);
        let hit = Hit { t, u, v, ng, prim_id, geom_id, inst_id, inst_path: InstPath::EMPTY };
        let material = block.material[lane];
        let attributes = attributes(placed, &vertices, vertices.position(), width);
        let materials = &self.materials;
        let frame = match materials.is_bumpy(material) || materials.is_anisotropic(material) {
            true => self.shading_frame(placed, &vertices, ng, wo, material, &attributes),
            false => Frame::from_normal(vector(&block.ns, lane)),
        };
        SurfaceInteraction {
            position: vector(&block.position, lane),
            position_error: vector(&block.position_error, lane),
            ng,
            frame,
            attributes,
            material,
            hit,
        }
    }
}

impl InteractionBlock {
    /// Computes the block from vertex data and transforms.
    #[inline(always)]
    fn complete<S: Simd>(&mut self, simd: S, at: &Transforms<S>, fetched: &VertexLanes) {
        let splat = |x: f32| f32x16::splat(simd, x);
        let (u, v) = (f32x16::load_array_ref(simd, &fetched.u), f32x16::load_array_ref(simd, &fetched.v));
        let b = [splat(1.0) - u - v, u, v];
        let corners = load9(simd, &fetched.corners);
        let wo = negated(load(simd, &fetched.direction));

        // Position, and the bound of its error; see `World::surface_interaction`
        let p = weighted(corners, b);
        let mut largest = splat(0.0);
        for x in corners.as_flattened() {
            largest = largest.max(x.abs());
        }
        let error = largest * splat(gamma(16));
        let position = at.point(p);
        let forward = at.forward.error(simd, p, [error; 3]);
        let back = at.backward.error(simd, position, [splat(0.0); 3]);
        let back = at.forward.absolute(back);
        let position_error = [forward[0] + back[0], forward[1] + back[1], forward[2] + back[2]];

        // Normals
        let e1 = sub(corners[1], corners[0]);
        let e2 = sub(corners[2], corners[0]);
        let ng = at.normal(cross(e1, e2));
        let limit = splat(f32::MAX);
        let finite = ng[0].abs().simd_le(limit) & ng[1].abs().simd_le(limit) & ng[2].abs().simd_le(limit);
        let zero = splat(0.0);
        let nonzero = !(ng[0].simd_eq(zero) & ng[1].simd_eq(zero) & ng[2].simd_eq(zero));
        let ng = select(finite & nonzero, ng, wo);
        let ng = normalize_or(simd, ng, [zero, splat(1.0), zero]);
        let normals = load9(simd, &fetched.normals);
        let smooth = normalize_or(simd, at.normal(weighted(normals, b)), ng);
        let away = dot(smooth, ng).simd_lt(zero);
        let smooth = select(away, negated(smooth), smooth);
        let has_normals: mask32x16<S> = mask32x16::from_bitmask(simd, u64::from(fetched.smooth));
        let smooth = select(has_normals, smooth, ng);
        let side = dot(wo, ng).simd_lt(zero).select(splat(-1.0), splat(1.0));
        let ns = facing(simd, smooth, ng, wo, side);

        // Offset ray origins from the surface: see `offset_ray_origin`
        let outwards = scaled(ng, side);
        let back = dot(outwards, ng).simd_lt(zero);
        let distance = ng[0].abs() * position_error[0]
            + ng[1].abs() * position_error[1]
            + ng[2].abs() * position_error[2];
        for axis in 0..3 {
            let offset = back.select(-ng[axis] * distance, ng[axis] * distance);
            round_outwards(simd, position[axis], offset).store_array(&mut self.outside[axis]);
            position[axis].store_array(&mut self.position[axis]);
            position_error[axis].store_array(&mut self.position_error[axis]);
            ng[axis].store_array(&mut self.ng[axis]);
            ns[axis].store_array(&mut self.ns[axis]);
        }
        side.store_array(&mut self.side);
    }
}

/// Returns instance and primitive of sixteen hits if all are the same.
#[inline(always)]
fn same_primitive(hits: &HitBuffer, which: &[u32]) -> Option<(u32, u32)> {
    let first = *which.get(..LANES)?.first()? as usize;
    let (inst, prim) = (hits.inst_id[first], hits.prim_id[first]);
    let is_same = |&i: &u32| hits.prim_id[i as usize] == prim && hits.inst_id[i as usize] == inst;
    (prim != MISS && which.iter().all(is_same)).then_some((inst, prim))
}

/// Bends shading normals that face away from the viewer, as `facing` of the parent module does.
#[inline(always)]
fn facing<S: Simd>(simd: S, ns: V<S>, ng: V<S>, wo: V<S>, side: f32x16<S>) -> V<S> {
    let least = f32x16::splat(simd, LEAST_FACING);
    let cos = dot(wo, ns) * side;
    let bend = side * (least - cos);
    let bent = [ns[0] + wo[0] * bend, ns[1] + wo[1] * bend, ns[2] + wo[2] * bend];
    select(cos.simd_ge(least), ns, normalize_or(simd, bent, ng))
}

/// Returns `position + offset`, rounded to the next float in the direction of the offset.
#[inline(always)]
fn round_outwards<S: Simd>(simd: S, position: f32x16<S>, offset: f32x16<S>) -> f32x16<S> {
    let (zero, one) = (f32x16::splat(simd, 0.0), u32x16::splat(simd, 1));
    let moved = position + offset;
    let bits = moved.to_bits();
    let negative = (bits >> 31).simd_eq(one);
    let none = moved.simd_eq(zero);
    let up = none.select(one, negative.select(bits - one, bits + one));
    let down = none.select(u32x16::splat(simd, 1 << 31 | 1), negative.select(bits + one, bits - one));
    let stepped = offset.simd_lt(zero).select(down, bits);
    f32x16::from_bits(offset.simd_gt(zero).select(up, stepped))
}

#[inline(always)]
fn load9<S: Simd>(simd: S, rows: &[[Lanes; 3]; 3]) -> [V<S>; 3] {
    [load(simd, &rows[0]), load(simd, &rows[1]), load(simd, &rows[2])]
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use sunfleck_kernel::{Coherence, RayBuffer};
    use sunfleck_math::{Ray, Vec2};
    use sunfleck_sampling::{rng, warp};

    use super::*;
    use crate::AlphaSeed;

    const RAYS: u16 = 4000;

    fn seed(i: usize) -> AlphaSeed {
        AlphaSeed { pixel: [u32::try_from(i).unwrap(), 0], sample: 0, stream: 0 }
    }

    /// Compares hits of random rays in rooms with smooth and flat, textured and normal-mapped, transformed and
    /// untransformed meshes.
    #[test]
    fn sixteen_surfaces_equal_single_ones() {
        for name in ["office", "teapot-room", "sunflowers:flowers=30,trees=2"] {
            let world = World::commit(&sunfleck_models::build(name).unwrap()).unwrap();
            let (center, size) = (world.bounds().center(), world.bounds().diagonal());
            let mut rays = RayBuffer::default();
            for i in 0..u32::from(RAYS) {
                // Every second block hits the same triangle, or nearly so
                let block = i / 16 * 16;
                let near = if block % 32 == 0 { block } else { i };
                let u = |k: u32| rng::uniform([near, k, 7, 9]) + 1e-4 * rng::uniform([i, k, 8, 9]);
                let origin = center + 0.2 * size * (Vec3::new(u(0), u(1), u(2)) - Vec3::splat(0.5));
                rays.push(&Ray::new(origin, warp::uniform_sphere(Vec2::new(u(3), u(4)))));
            }
            let level = Level::new();
            let mut hits = HitBuffer::with_len(RAYS.into());
            let stream = rays.as_stream();
            world.intersect_stream(level, &stream, Coherence::Incoherent, &seed, &mut hits.as_stream());
            let (mut block, mut found, mut same) = (InteractionBlock::new(), 0u16, 0);
            for i in 0..usize::from(RAYS) {
                if i % LANES == 0 {
                    let which: Vec<u32> = (i..i + LANES).map(|i| i.try_into().unwrap()).collect();
                    same += u32::from(same_primitive(&hits, &which).is_some());
                    dispatch!(level, simd => world.surface_interactions(simd, &hits, stream.direction, &which, &mut block));
                }
                let ray = stream.get(i).unwrap();
                let one = dispatch!(level, simd => world.intersect(simd, &ray, seed(i)));
                assert_eq!(one.is_some(), block.hit >> (i % LANES) & 1 == 1, "{name}, ray {i}");
                let Some(hit) = one else { continue };
                let width = 0.01 * hit.t;
                let expected = world.surface_interaction(&hit, -ray.direction, width);
                let surface =
                    world.surface_interaction_of(&hits, i, (&block, i % LANES), -ray.direction, width);
                assert_eq!(surface.position, expected.position, "{name}, ray {i}");
                assert_eq!(surface.position_error, expected.position_error, "{name}, ray {i}");
                // The kernel's normals are rounded from f64
                assert!((surface.ng - expected.ng).length() < 1e-6, "{name}, ray {i}");
                let ns = (surface.frame.normal, expected.frame.normal);
                assert!((ns.0 - ns.1).length() < 1e-6, "{name}, ray {i}: {ns:?}");
                assert_eq!(surface.material, expected.material, "{name}, ray {i}");
                assert_eq!(surface.attributes, expected.attributes, "{name}, ray {i}");
                let side = if surface.ng.dot(-ray.direction) < 0.0 { -1.0 } else { 1.0 };
                let outside = surface.spawn_ray(surface.ng * side).origin;
                assert_eq!(vector(&block.outside, i % LANES), outside, "{name}, ray {i}");
                if world.materials.is_plain(surface.material) {
                    let albedo = world.plain_albedo(&hits, i, surface.material, width);
                    let bsdf = world.materials.bsdf(surface.material, &surface.attributes);
                    assert_eq!(albedo, bsdf.albedo(), "{name}, ray {i}");
                }
                found += 1;
            }
            assert!(found > RAYS / 4, "{name}: only {found} hits");
            assert!(same > 3, "{name}: {same} blocks on a single triangle");
        }
    }
}
