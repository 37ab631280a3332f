//! The view that an image shows: camera, film size, sampler, filter and AOVs, together with the world.

use std::sync::OnceLock;

use fearless_simd::Simd;
use serde::{Deserialize, Serialize};
use sunfleck_image::color::luminance;
use sunfleck_image::{Aov, AovSample, AovSet, Features, Filter, FilterSampler};
use sunfleck_math::{Affine3, Ray, Vec2, Vec3, vec2};
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_scene::Projection;
use sunfleck_shading::Bsdf;
use sunfleck_transport::{AlphaSeed, PlacedCamera, SurfaceInteraction, World};

use crate::camera_rays::CameraRays;
use crate::dimension;
use crate::history::TemporalHistory;

/// Everything that determines an image except the world, the algorithm and the number of samples. Plain data that can
/// be serialised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewSpec {
    /// Projection of the camera.
    pub projection: Projection,
    /// Transform of the camera, which looks along −z.
    pub world_from_view: Affine3,
    /// Width of the film, pixels, at least 1.
    pub width: u32,
    /// Height of the film, pixels, at least 1.
    pub height: u32,
    /// Kind of sampler.
    pub sampler: SamplerKind,
    /// Seed of the sampler and of all other random decisions.
    pub seed: u32,
    /// Reconstruction filter of pixels.
    pub filter: Filter,
    /// Channels that are recorded beside radiance.
    pub aovs: AovSet,
    /// Largest distance of occluders in the ambient occlusion channel, metres.
    pub occlusion_radius: f32,
    /// Width over which textures are filtered where camera rays hit surfaces, as a fraction of a pixel's edge length,
    /// at least 0. It shrinks as a pixel gets more samples; see [`footprint_scale`]. With 0, and in reflections and
    /// refractions, textures are not filtered.
    pub texture_footprint: f32,
    /// Whether camera rays that leave the scene see the environment. Without it they are black, so that the image can
    /// be placed over another background by its [alpha](Aov::Alpha); the environment lights the scene all the same.
    pub shows_environment: bool,
}

impl ViewSpec {
    /// Default of [`texture_footprint`](Self::texture_footprint): half a pixel, so that the first four samples cover
    /// the pixel.
    pub const TEXTURE_FOOTPRINT: f32 = 0.5;

    /// Makes the view of a camera, without AOVs.
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
            shows_environment: true,
        }
    }

    /// Returns whether the cameras of both views are the same.
    pub fn has_same_camera(&self, other: &Self) -> bool {
        (self.world_from_view, self.projection) == (other.world_from_view, other.projection)
    }

    /// Returns whether the films of both views have the same size and the same AOVs.
    pub fn has_same_film(&self, other: &Self) -> bool {
        let film = |spec: &Self| (spec.width, spec.height, spec.aovs);
        film(self) == film(other)
    }
}

/// A world together with the camera, sampler and filter of a [`ViewSpec`].
#[derive(Debug)]
pub struct View<'a> {
    pub(crate) world: &'a World,
    pub(crate) spec: ViewSpec,
    pub(crate) camera: CameraRays,
    pub(crate) sampler: Sampler,
    pub(crate) filter: FilterSampler,
    pub(crate) aovs: AovSet,
    pub(crate) history: Option<&'a TemporalHistory>,
    /// See [`ambient::constant`](crate::whitted::ambient::constant); estimated on first use.
    pub(crate) ambient: OnceLock<Vec3>,
}

/// Identifies one sample of one pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleId {
    pub(crate) pixel: [u32; 2],
    pub(crate) sample: u32,
}

impl<'a> View<'a> {
    /// Makes a view without a history, so that its images depend on the world and the specification alone.
    pub fn new(world: &'a World, spec: ViewSpec) -> Self {
        Self {
            world,
            spec,
            camera: CameraRays::new(spec.projection, spec.world_from_view, spec.width, spec.height),
            sampler: Sampler::new(spec.sampler, spec.seed),
            filter: FilterSampler::new(spec.filter),
            aovs: spec.aovs,
            history: None,
            ambient: OnceLock::new(),
        }
    }

    /// Sets the history of earlier frames, which instant global illumination uses. The history is not part of jobs, so
    /// other machines cannot compute tiles of such a frame.
    #[must_use]
    pub fn with_history(self, history: &'a TemporalHistory) -> Self {
        Self { history: Some(history), ..self }
    }

    /// Returns the world.
    pub fn world(&self) -> &'a World {
        self.world
    }

    /// Returns the specification.
    pub fn spec(&self) -> &ViewSpec {
        &self.spec
    }

    /// Returns the camera ray of a sample, and its weight in the reconstruction filter.
    #[inline(always)]
    pub(crate) fn camera_ray(&self, id: SampleId) -> (Ray, f32) {
        let film_u = self.sampler.get_2d(id.pixel, id.sample, dimension::FILM);
        let lens_u = self.sampler.get_2d(id.pixel, id.sample, dimension::LENS);
        self.camera_ray_with(id.pixel, film_u, lens_u)
    }

    /// Returns the camera ray of the uniforms of a sample, and its weight in the reconstruction filter.
    #[inline(always)]
    pub(crate) fn camera_ray_with(&self, pixel: [u32; 2], film_u: Vec2, lens_u: Vec2) -> (Ray, f32) {
        let filtered = self.filter.sample(film_u);
        let [x, y] = pixel.map(|p| p as f32 + 0.5);
        (self.camera.ray(vec2(x, y) + filtered.offset, lens_u), filtered.weight)
    }

    /// Returns the width over which textures are filtered where a camera ray hits a surface at `t`, metres. This is the
    /// width of a ray cone [Akenine19, ray cones] that, in contrast to the paper, does not grow at grazing angles:
    /// mipmap levels are isotropic, so the width is that of the footprint's short axis, and the samples average over
    /// the long axis.
    #[inline(always)]
    pub(crate) fn footprint(&self, direction: Vec3, t: f32, sample: u32) -> f32 {
        self.camera.pixel_side(direction, t) * self.spec.texture_footprint * footprint_scale(sample)
    }

    /// Returns the seed of the alpha tests of the `index`-th ray of a sample.
    #[inline(always)]
    pub(crate) fn alpha_seed(&self, id: SampleId, index: u32) -> AlphaSeed {
        AlphaSeed {
            pixel: id.pixel,
            sample: id.sample,
            stream: self.spec.seed ^ index.wrapping_mul(0x9e37_79b9),
        }
    }

    /// Returns the AOVs of the first surface, without ambient occlusion and features.
    #[inline(always)]
    pub(crate) fn aov_sample(&self, surface: &SurfaceInteraction, distance: f32, albedo: Vec3) -> AovSample {
        let geom_id = surface.hit.geom_id;
        AovSample {
            depth: distance,
            coverage: 1.0,
            position: surface.position,
            ng: surface.ng,
            ns: surface.frame.normal,
            albedo,
            ids: [surface.hit.inst_id, surface.hit.prim_id, geom_id, surface.material],
            occlusion: 1.0,
            reflections: 0,
            features: Features::MISS,
            diffuse: Vec3::ZERO,
            clamped: Vec3::ZERO,
        }
    }

    /// Returns the AOVs of the first surface, with ambient occlusion and features if they are recorded.
    #[inline(always)]
    pub(crate) fn first_surface<S: Simd>(
        &self,
        simd: S,
        surface: &SurfaceInteraction,
        distance: f32,
        wo: Vec3,
        bsdf: &Bsdf,
        id: SampleId,
        rays: &mut RayCount,
    ) -> AovSample {
        let mut aov = self.aov_sample(surface, distance, bsdf.albedo());
        if self.aovs.contains(Aov::Features) {
            aov.features = self.features(simd, surface, bsdf, wo, distance, id, rays);
        }
        if self.aovs.contains(Aov::AmbientOcclusion) {
            rays.occluded += 1;
            let ray = self.occlusion_ray(surface, wo, id, self.spec.occlusion_radius);
            aov.occlusion = luminance(self.world.transmittance(simd, &ray, self.alpha_seed(id, 1)));
        }
        aov
    }

    /// Samples an ambient occlusion ray: cosine-distributed about the normal of the side that the viewer sees.
    ///
    /// * `distance` — largest distance of occluders, metres.
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

/// Returns the factor of a sample's texture footprint. The first four samples of a pixel have the whole footprint;
/// later ones share the pixel's area with all samples before, so that the bias of texture filtering vanishes as their
/// number grows.
#[inline(always)]
pub fn footprint_scale(sample: u32) -> f32 {
    (4.0 / (sample as f32 + 1.0)).sqrt().min(1.0)
}

/// Number of rays traced. The counts saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RayCount {
    /// Number of closest-hit queries.
    pub intersect: u64,
    /// Number of any-hit queries.
    pub occluded: u64,
}

impl RayCount {
    /// Returns the number of all queries.
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
