//! Closest-hit queries and visibility, with an alpha test of transparent surfaces.
//!
//! Thin glass lets a part of the rays pass without a vertex, as alpha does. Only the part that is the same for all
//! colours can be left to chance; queries for the [transmittance](World::transmittance) of shadow rays multiply by the
//! exact colour of each pane instead.

use fearless_simd::{Level, Simd};
use sunfleck_constants::shape::CROSSING_CELLS;
use sunfleck_kernel::{Coherence, Hit, HitStream, Query, RayStream};
use sunfleck_math::{Ray, Shape, UnitShape, Vec3};
use sunfleck_sampling::rng;
use sunfleck_shading::luminance;

use crate::World;
use crate::panes::{Crossing, Panes, PanesPassed, PassedPane};

/// Seed of the alpha tests of a ray. The decision about a crossing is the same for every visit by the same ray, so the
/// result does not depend on the order of traversal.
#[derive(Clone, Copy, Debug)]
pub struct AlphaSeed {
    /// Pixel of the path.
    pub pixel: [u32; 2],
    /// Sample of the pixel.
    pub sample: u32,
    /// Seed of the image, combined with the index of the ray in the path.
    pub stream: u32,
}

impl World {
    /// Returns the closest hit that passes the alpha test. Not inlined, so that it is compiled once for each SIMD
    /// level.
    pub fn intersect<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || self.tlas.intersect_filtered(simd, ray, |hit| self.alpha_test(hit, ray.direction, seed)),
        )
    }

    /// Returns the closest hit as [`intersect`](Self::intersect), but stops at every pane of thin glass.
    pub(crate) fn intersect_panes<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Option<Hit> {
        let is_pane = |hit: &Hit| self.materials.pane(self.material_at(hit.inst_id, hit.prim_id)).is_some();
        let filter = |hit: &Hit| is_pane(hit) || self.alpha_test(hit, ray.direction, seed);
        simd.vectorize(
            #[inline(always)]
            || self.tlas.intersect_filtered(simd, ray, filter),
        )
    }

    /// Returns the closest hit of a ray that stands for all rays of its pixel: as [`intersect`](Self::intersect), but
    /// it passes panes of thin glass that most rays pass, and stops at the others.
    pub fn intersect_for_most<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Option<Hit> {
        simd.vectorize(
            #[inline(always)]
            || {
                self.tlas.intersect_filtered(simd, ray, |hit| {
                    self.test(hit, ray.direction, seed, Panes::ByMajority)
                })
            },
        )
    }

    /// Returns the transmittance along a shadow ray, RGB: 0 if it is occluded, else the product of those of the panes
    /// of thin glass on its way. A surface of partial alpha occludes the ray with probability alpha; so does, by the
    /// luminance of its transmittance, each pane beyond [`MOST_PANES`].
    ///
    /// [`MOST_PANES`]: sunfleck_constants::material::MOST_PANES
    pub fn transmittance<S: Simd>(&self, simd: S, ray: &Ray, seed: AlphaSeed) -> Vec3 {
        if !self.materials.has_panes() {
            let occluded = self.is_occluded(simd, ray, |hit| self.alpha_test(hit, ray.direction, seed));
            return if occluded { Vec3::ZERO } else { Vec3::ONE };
        }
        let mut panes = PanesPassed::default();
        let occluded = self.is_occluded(simd, ray, |hit| self.stops(hit, ray.direction, seed, &mut panes));
        if occluded { Vec3::ZERO } else { panes.transmittance() }
    }

    fn is_occluded<S: Simd>(&self, simd: S, ray: &Ray, filter: impl FnMut(&Hit) -> bool) -> bool {
        simd.vectorize(
            #[inline(always)]
            || self.tlas.occluded_filtered(simd, ray, filter),
        )
    }

    /// Finds the closest hit of each ray of a stream, as [`intersect`](Self::intersect) does.
    ///
    /// * `seed` — returns the seed of a ray, given its index.
    pub fn intersect_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        seed: &dyn Fn(usize) -> AlphaSeed,
        hits: &mut HitStream<'_>,
    ) {
        self.intersect_stream_through(level, rays, coherence, Panes::ByChance, seed, hits);
    }

    /// Finds the closest hit of each ray of a stream.
    ///
    /// * `panes` — which rays pass panes of thin glass.
    /// * `seed` — returns the seed of a ray, given its index.
    pub fn intersect_stream_through(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        panes: Panes,
        seed: &dyn Fn(usize) -> AlphaSeed,
        hits: &mut HitStream<'_>,
    ) {
        let mut filter = |i: usize, hit: &Hit| self.test(hit, direction(rays, i), seed(i), panes);
        self.tlas.intersect_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, hits);
    }

    /// Finds whether each ray of a stream is occluded, with panes of thin glass left to chance by their luminance.
    ///
    /// * `seed` — returns the seed of a ray, given its index.
    pub fn occluded_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        seed: &dyn Fn(usize) -> AlphaSeed,
        occluded: &mut [bool],
    ) {
        let mut filter =
            |i: usize, hit: &Hit| self.test(hit, direction(rays, i), seed(i), Panes::ByLuminance);
        self.tlas.occluded_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, occluded);
    }

    /// Finds whether each ray of a stream is occluded and, if the world has panes of thin glass, its
    /// [`transmittance`](Self::transmittance).
    ///
    /// * `seed` — returns the seed of a ray, given its index.
    /// * `transmittances` — replaced: one for each ray, or none if the world has no panes.
    pub fn transmittance_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        seed: &dyn Fn(usize) -> AlphaSeed,
        occluded: &mut [bool],
        transmittances: &mut Vec<Vec3>,
    ) {
        transmittances.clear();
        if !self.materials.has_panes() {
            return self.occluded_stream(level, rays, coherence, seed, occluded);
        }
        transmittances.resize(occluded.len(), Vec3::ONE);
        // The rays that meet panes are traced one after another
        let (mut panes, mut of) = (PanesPassed::default(), None);
        let mut finish = |of: Option<usize>, panes: &mut PanesPassed| {
            if let Some(transmittance) = of.and_then(|i| transmittances.get_mut(i)) {
                *transmittance = panes.transmittance();
            }
            panes.clear();
        };
        let mut filter = |i: usize, hit: &Hit| {
            if of != Some(i) {
                finish(of.replace(i), &mut panes);
            }
            self.stops(hit, direction(rays, i), seed(i), &mut panes)
        };
        self.tlas.occluded_stream_with_filter(level, rays, coherence, &Query::ALL, &mut filter, occluded);
        finish(of, &mut panes);
        for (occluded, transmittance) in occluded.iter_mut().zip(transmittances) {
            *occluded |= *transmittance == Vec3::ZERO;
        }
    }

    /// Decides whether a hit counts for the ray, which it does with probability alpha; for thin glass, unless the ray
    /// passes without a change of colour.
    ///
    /// * `direction` — that of the ray, of any length.
    #[inline(always)]
    fn alpha_test(&self, hit: &Hit, direction: Vec3, seed: AlphaSeed) -> bool {
        self.test(hit, direction, seed, Panes::ByChance)
    }

    /// Decides whether a hit counts for a shadow ray that collects the panes of thin glass on its way.
    #[inline(always)]
    fn stops(&self, hit: &Hit, direction: Vec3, seed: AlphaSeed, panes: &mut PanesPassed) -> bool {
        let Some(pane) = self.materials.pane(self.material_at(hit.inst_id, hit.prim_id)) else {
            return self.alpha_test(hit, direction, seed);
        };
        let transmittance = pane.transmittance(cosine(hit.ng, direction).abs().min(1.0));
        let at = self.crossing(hit, direction);
        transmittance == Vec3::ZERO
            || panes
                .add(PassedPane { at, transmittance })
                .is_some_and(|left| is_chosen(1.0 - luminance(left.transmittance), left.at, seed))
    }

    /// Decides whether a hit counts.
    ///
    /// * `direction` — that of the ray, of any length.
    #[inline(always)]
    fn test(&self, hit: &Hit, direction: Vec3, seed: AlphaSeed, panes: Panes) -> bool {
        let material = self.material_at(hit.inst_id, hit.prim_id);
        let alpha = match self.materials.pane(material) {
            Some(pane) => 1.0 - panes.pass_probability(pane, cosine(hit.ng, direction).abs().min(1.0)),
            None => self.materials.alpha(material, &self.attributes_at(hit)),
        };
        // Most hits are of opaque surfaces, for which it does not matter which crossing they are
        alpha >= 1.0 || is_chosen(alpha, self.crossing(hit, direction), seed)
    }

    /// Returns which crossing of the ray a hit is. A ray crosses a triangle once. Shapes are surfaces of convex bodies,
    /// or parts of them, so that a ray crosses a shape at most once from each side; but it may cross a patch several
    /// times, mostly in different cells of [`CROSSING_CELLS`]².
    #[inline(always)]
    fn crossing(&self, hit: &Hit, direction: Vec3) -> Crossing {
        let Hit { inst_id, prim_id, .. } = *hit;
        let prim = if self.is_of_shapes(inst_id) {
            // The index of a shape is less than 2²⁸
            let side = u32::from(cosine(hit.ng, direction) > 0.0);
            (self.patch_cell(hit) << 24) ^ (prim_id << 1 | side)
        } else {
            prim_id
        };
        Crossing { inst_id, prim }
    }

    /// Returns the number of the cell of a patch in which a hit is; 0 on other shapes.
    #[inline(always)]
    fn patch_cell(&self, hit: &Hit) -> u32 {
        let shapes = self.instances[hit.inst_id as usize].mesh.shapes();
        let is_patch = |shape: &Shape| matches!(shape.unit, UnitShape::Patch(_));
        if !shapes.get(hit.prim_id as usize).is_some_and(is_patch) {
            return 0;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "locations are in [0, 1]")]
        let index = |x: f32| (x * CROSSING_CELLS) as u32;
        index(hit.v) << 4 | index(hit.u)
    }
}

/// Makes a random decision about a crossing, which is true with probability `alpha`.
#[inline(always)]
fn is_chosen(alpha: f32, Crossing { inst_id, prim }: Crossing, seed: AlphaSeed) -> bool {
    let AlphaSeed { pixel: [x, y], sample, stream } = seed;
    alpha >= 1.0
        || (alpha > 0.0 && rng::uniform([x ^ inst_id.rotate_left(16), y, sample, stream ^ prim]) < alpha)
}

/// Returns the direction of a ray of a stream.
fn direction(rays: &RayStream<'_>, i: usize) -> Vec3 {
    let [x, y, z] = rays.direction;
    Vec3::new(x[i], y[i], z[i])
}

/// Returns the cosine of a direction to a normal, both of any length.
fn cosine(ng: Vec3, direction: Vec3) -> f32 {
    ng.normalize_or(Vec3::ZERO).dot(direction.normalize_or(Vec3::ZERO))
}

#[cfg(test)]
mod tests {
    use fearless_simd::dispatch;
    use sunfleck_kernel::RayBuffer;
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::{Alpha, Material, Mesh, MeshData, Node, Scene, Surface};
    use sunfleck_testkit::shapes::patch;

    use super::*;

    const TINT: Vec3 = Vec3::new(1.0, 0.5, 0.25);

    /// World of a shape of a material, mirrored and scaled.
    fn world_of(shape: Shape, material: Material) -> World {
        let mut scene = Scene::default();
        let material = scene.add_material(material).unwrap();
        let data = MeshData { shapes: vec![shape], ..MeshData::default() };
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let place = Affine3::from_scale(vec3(-2.0, 3.0, 0.5));
        scene.add_node(Node::new("shape").at(place).with_mesh(mesh, vec![material])).unwrap();
        World::commit(&scene).unwrap()
    }

    /// Shapes, and how often rays along z through (0.1, 0.1) cross them.
    fn shapes() -> Vec<(Shape, i32)> {
        let on_its_side = |unit| Shape::about_axis(unit, vec3(0.0, -1.0, 0.0), vec3(0.0, 2.0, 0.0), 0.9);
        vec![
            (Shape::sphere(Vec3::ZERO, 1.0), 2),
            (Shape { flipped: true, ..Shape::sphere(Vec3::ZERO, 1.0) }, 2),
            (Shape::new(UnitShape::Cube), 2),
            (on_its_side(UnitShape::Cylinder), 2),
            (on_its_side(UnitShape::Cone { top: 0.2 }), 2),
            (Shape::new(UnitShape::Rectangle), 1),
            (patch(|x, y| vec3(x, y, 0.3 * x * y)), 1),
            // An arch from below
            (patch(|x, y| vec3(y, 1.0 - 2.0 * x * x, x)), 2),
            (Shape { flipped: true, ..patch(|x, y| vec3(y, 1.0 - 2.0 * x * x, x)) }, 2),
            // Folded twice: control points at x of ∓0.5 and ±2
            (patch(|x, y| vec3(7.3125 * x * x * x - 6.8125 * x, y, x)), 3),
        ]
    }

    fn rays() -> RayBuffer {
        let mut rays = RayBuffer::default();
        for i in 0..4000u16 {
            let side = if i % 2 == 0 { 4.0 } else { -4.0 };
            rays.push(&Ray::new(vec3(0.1, 0.1, side), vec3(0.0, 0.0, -side)));
        }
        rays
    }

    fn seed(i: usize) -> AlphaSeed {
        AlphaSeed { pixel: [3, 8], sample: u32::try_from(i).unwrap(), stream: 0 }
    }

    #[test]
    fn each_crossing_of_a_shape_has_its_transmittance() {
        let glass = Material::new("glass", Surface::ThinDielectric { ior: 1.0, tint: TINT });
        for (shape, count) in shapes() {
            let world = world_of(shape.clone(), glass.clone());
            let (rays, level) = (rays(), Level::new());
            let stream = rays.as_stream();
            // Without reflection, only the tint is left
            let expected: Vec3 = (0..count).map(|_| TINT).product();
            let one = dispatch!(level, simd => {
                world.transmittance(simd, &stream.get(0).unwrap(), seed(0))
            });
            let (mut occluded, mut found) = (vec![false; stream.len()], Vec::new());
            world.transmittance_stream(
                level,
                &stream,
                Coherence::Incoherent,
                &seed,
                &mut occluded,
                &mut found,
            );
            for found in [one].into_iter().chain(found) {
                assert!(found.abs_diff_eq(expected, 1e-5), "{shape:?}: {found}");
            }
            // Where visibility is one bit, a crossing is left to chance with the luminance of the glass
            world.occluded_stream(level, &stream, Coherence::Incoherent, &seed, &mut occluded);
            passes_with_probability(&occluded, luminance(TINT).powi(count), &shape);
        }
    }

    #[test]
    fn each_crossing_of_a_blended_shape_has_its_chance() {
        let mut paper = Material::lambert("paper", Vec3::ONE);
        let Surface::Lambert { albedo } = &mut paper.surface else { unreachable!("it is made so") };
        albedo.factor.w = 0.4;
        paper.alpha = Alpha::Blend;
        for (shape, count) in shapes() {
            let world = world_of(shape.clone(), paper.clone());
            let (rays, level) = (rays(), Level::new());
            let mut occluded = vec![false; rays.as_stream().len()];
            world.occluded_stream(level, &rays.as_stream(), Coherence::Coherent, &seed, &mut occluded);
            passes_with_probability(&occluded, 0.6f32.powi(count), &shape);
        }
    }

    /// Asserts that about as many rays pass as expected: within five standard deviations.
    fn passes_with_probability(occluded: &[bool], expected: f32, shape: &Shape) {
        let (passed, all) =
            (occluded.iter().filter(|occluded| !**occluded).count() as f32, occluded.len() as f32);
        let deviation = (expected * (1.0 - expected) / all).sqrt();
        let found = passed / all;
        assert!((found - expected).abs() < 5.0 * deviation, "{shape:?}: {found} for {expected}");
    }
}
