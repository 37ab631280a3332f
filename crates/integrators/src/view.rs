use std::sync::OnceLock;

use fearless_simd::Simd;
use serde::{Deserialize, Serialize};
use sunfleck_image::{Aov, AovSample, AovSet, Filter, FilterSampler, TileRect};
use sunfleck_math::{Affine3, Ray, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_scene::Projection;
use sunfleck_transport::{AlphaSeed, PlacedCamera, SurfaceInteraction, World};

use crate::camera_rays::CameraRays;
use crate::dimension;
use crate::memory::Memory;

/// Everything that decides a picture but the world, the algorithm and the number of samples: plain data that may travel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewSpec {
    /// How the camera maps the film.
    pub projection: Projection,
    /// Where the camera is; it looks along −z.
    pub world_from_view: Affine3,
    /// Of the film, pixels, at least 1.
    pub width: u32,
    /// Of the film, pixels, at least 1.
    pub height: u32,
    /// Source of random numbers.
    pub sampler: SamplerKind,
    /// Seeds them, and what the sampler does not cover.
    pub seed: u32,
    /// How samples make a pixel.
    pub filter: Filter,
    /// Which channels beside radiance are wanted.
    pub aovs: AovSet,
    /// How far ambient occlusion looks, metres.
    pub occlusion_radius: f32,
    /// Where camera rays meet surfaces, textures are averaged over this share of a pixel's side, at least 0, and over less the more
    /// samples a pixel has: 0 reads them as they are. What mirrors show is read as it is.
    pub texture_footprint: f32,
}

impl ViewSpec {
    /// Unless said otherwise: half a pixel, which the first four samples fill.
    pub const TEXTURE_FOOTPRINT: f32 = 0.5;

    /// What a camera sees; radiance alone.
    pub fn new(camera: &PlacedCamera, width: u32, height: u32) -> Self {
        Self {
            projection: camera.camera.projection,
            world_from_view: camera.world_from_view,
            width,
            height,
            sampler: SamplerKind::default(),
            seed: 0,
            filter: Filter::default(),
            aovs: AovSet::EMPTY,
            occlusion_radius: 1.0,
            texture_footprint: Self::TEXTURE_FOOTPRINT,
        }
    }
}

/// A world seen as a [`ViewSpec`] says.
#[derive(Debug)]
pub struct View<'a> {
    pub(crate) world: &'a World,
    pub(crate) spec: ViewSpec,
    pub(crate) camera: CameraRays,
    pub(crate) sampler: Sampler,
    pub(crate) filter: FilterSampler,
    pub(crate) aovs: AovSet,
    pub(crate) memory: Option<&'a Memory>,
    /// See [`ambient::constant`](crate::whitted::ambient::constant); measured when it is first asked for.
    pub(crate) ambient: OnceLock<Vec3>,
}

/// One sample of one pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleId {
    pub(crate) pixel: [u32; 2],
    pub(crate) sample: u32,
}

impl<'a> View<'a> {
    /// Frames depend on nothing but world and specification.
    pub fn new(world: &'a World, spec: ViewSpec) -> Self {
        Self {
            world,
            spec,
            camera: CameraRays::new(spec.projection, spec.world_from_view, spec.width, spec.height),
            sampler: Sampler::new(spec.sampler, spec.seed),
            filter: FilterSampler::new(spec.filter),
            aovs: spec.aovs,
            memory: None,
            ambient: OnceLock::new(),
        }
    }

    /// The same, for algorithms that remember frames before: instant global illumination does. The memory is a thing of this machine: others
    /// cannot take tiles of such a frame.
    #[must_use]
    pub fn with_memory(self, memory: &'a Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// What is seen.
    pub fn world(&self) -> &'a World {
        self.world
    }

    /// How the world is seen.
    pub fn spec(&self) -> &ViewSpec {
        &self.spec
    }

    /// The ray of a sample, and its weight in the reconstruction filter.
    #[inline(always)]
    pub(crate) fn camera_ray(&self, id: SampleId) -> (Ray, f32) {
        let filtered = self.filter.sample(self.sampler.get_2d(id.pixel, id.sample, dimension::FILM));
        let [x, y] = id.pixel.map(|p| p as f32 + 0.5);
        let film = sunfleck_math::vec2(x, y) + filtered.offset;
        let lens = self.sampler.get_2d(id.pixel, id.sample, dimension::LENS);
        (self.camera.ray(film, lens), filtered.weight)
    }

    /// How much of a surface a camera ray of a sample stands for where it meets it, metres: a ray cone [Akenine19, ray cones] that, in
    /// contrast to the paper, does not widen where the surface slants. Levels blur to all sides, so the narrow one counts, and the long
    /// one is left to the samples.
    #[inline(always)]
    pub(crate) fn footprint(&self, direction: Vec3, t: f32, sample: u32) -> f32 {
        self.camera.pixel_side(direction, t) * self.spec.texture_footprint * share_of_sample(sample)
    }

    /// Seed of the see-through decisions of the `index`-th ray of a sample.
    #[inline(always)]
    pub(crate) fn alpha_seed(&self, id: SampleId, index: u32) -> AlphaSeed {
        AlphaSeed {
            pixel: id.pixel,
            sample: id.sample,
            stream: self.spec.seed ^ index.wrapping_mul(0x9e37_79b9),
        }
    }

    /// What the extra channels record of the first surface.
    #[inline(always)]
    pub(crate) fn aov_sample(&self, surface: &SurfaceInteraction, distance: f32, albedo: Vec3) -> AovSample {
        let geom_id = surface.hit.geom_id;
        AovSample {
            depth: distance,
            position: surface.position,
            ng: surface.ng,
            ns: surface.frame.normal,
            albedo,
            ids: [surface.hit.inst_id, surface.hit.prim_id, geom_id, surface.material],
            occlusion: 1.0,
            reflections: 0,
        }
    }

    /// What the extra channels record of the first surface, ambient occlusion included.
    #[inline(always)]
    pub(crate) fn first_surface<S: Simd>(
        &self,
        simd: S,
        surface: &SurfaceInteraction,
        distance: f32,
        wo: Vec3,
        albedo: Vec3,
        id: SampleId,
        rays: &mut RayCount,
    ) -> AovSample {
        let mut aov = self.aov_sample(surface, distance, albedo);
        if self.aovs.contains(Aov::AmbientOcclusion) {
            rays.occluded += 1;
            let ray = self.occlusion_ray(surface, wo, id, self.spec.occlusion_radius);
            if self.world.transmittance(simd, &ray, self.alpha_seed(id, 1)) == Vec3::ZERO {
                aov.occlusion = 0.0;
            }
        }
        aov
    }

    /// The ray whose escape makes a point count as open: cosine-distributed around the side that the viewer sees.
    ///
    /// * `distance` — beyond which nothing occludes, metres.
    #[inline(always)]
    pub(crate) fn occlusion_ray(
        &self,
        surface: &SurfaceInteraction,
        wo: Vec3,
        id: SampleId,
        distance: f32,
    ) -> Ray {
        let u = self.sampler.get_2d(id.pixel, id.sample, dimension::OCCLUSION);
        let up = sunfleck_sampling::warp::cosine_hemisphere(u);
        let side = if wo.dot(surface.ng) < 0.0 { -1.0 } else { 1.0 };
        let direction = surface.frame.world_from_local(up) * side;
        Ray { t_far: distance, ..surface.spawn_ray(direction) }
    }
}

/// The first four samples of a pixel have the whole footprint; later ones have less, as if those before had left them no more of the
/// pixel's area. So what a picture of many samples shows is what its textures are.
#[inline(always)]
pub fn share_of_sample(sample: u32) -> f32 {
    (4.0 / (sample as f32 + 1.0)).sqrt().min(1.0)
}

/// The samples of a tile: all pixels of a rectangle, a run of sample indices each.
#[derive(Clone, Debug)]
pub(crate) struct TileSamples {
    pub(crate) rect: TileRect,
    pub(crate) samples: std::ops::Range<u32>,
}

impl TileSamples {
    /// Pixel by pixel, row by row; the samples of a pixel in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = SampleId> + '_ {
        let at = |(x, y)| self.samples.clone().map(move |sample| SampleId { pixel: [x, y], sample });
        self.rect.pixels().flat_map(at)
    }

    pub(crate) fn len(&self) -> usize {
        self.rect.area() * self.samples.len()
    }
}

/// Rays traced so far. Counts stop at the largest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RayCount {
    /// Closest-hit queries.
    pub intersect: u64,
    /// Any-hit queries.
    pub occluded: u64,
}

impl RayCount {
    /// Both kinds together.
    pub fn total(self) -> u64 {
        self.intersect.saturating_add(self.occluded)
    }
}

impl std::ops::AddAssign for RayCount {
    fn add_assign(&mut self, other: Self) {
        self.intersect = self.intersect.saturating_add(other.intersect);
        self.occluded = self.occluded.saturating_add(other.occluded);
    }
}
