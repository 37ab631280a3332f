//! Mirror of a committed world with its surfaces, materials and lights; see [`crate::mirror`] for how it follows
//! changes.

mod lights;
mod materials;
mod surfaces;

use sunfleck_integrators::World;
use sunfleck_shaders::SurfaceFeatures;
use sunfleck_shading::packed_lights::LightNode;

use crate::buffer::Upload;
use crate::mirror::SceneSpecialization;
use crate::resources::Resources;
use crate::{Gpu, GpuError, Mirror, MirrorOptions, MirrorUpdate};
use lights::Lights;
use materials::Materials;
use surfaces::Surfaces;

/// A committed world in GPU memory: acceleration structure, surfaces, materials, textures and lights.
#[derive(Debug)]
pub struct SceneMirror {
    pub(crate) mirror: Mirror,
    surfaces: Surfaces,
    materials: Materials,
    lights: Lights,
    options: MirrorOptions,
    opaque: bool,
    /// Features of surfaces that this world or an earlier one uses, so that alternating worlds share their kernels.
    surface_features: SurfaceFeatures,
    /// Whether the last update failed halfway.
    update_failed: bool,
}

impl SceneMirror {
    /// Uploads a world.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the world has geometry other than triangles and shapes; [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, world: &World) -> Result<Self, GpuError> {
        Self::with_options(gpu, world, &MirrorOptions::default())
    }

    /// As [`new`](Self::new), with options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(gpu: &Gpu, world: &World, options: &MirrorOptions) -> Result<Self, GpuError> {
        let mut upload = Upload::new(gpu);
        let binding = options.binding_bytes.unwrap_or(u64::MAX).min(gpu.max_binding_bytes());
        let mut mirror = Self {
            mirror: Mirror::empty(&mut upload, options)?,
            surfaces: Surfaces::new(&upload, binding)?,
            materials: Materials::new(&mut upload, binding)?,
            lights: Lights::new(gpu)?,
            options: options.clone(),
            opaque: true,
            surface_features: SurfaceFeatures::NONE,
            update_failed: false,
        };
        mirror.apply(&mut upload, world)?;
        gpu.check()?;
        Ok(mirror)
    }

    /// Updates the mirror to another world, such as the result of [`World::update`]. Only differences are uploaded.
    ///
    /// Kernels that were compiled for the previous world may not support this one. Their `render` returns an error
    /// then, and they have to be compiled again. After an error the next update uploads everything.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn update(&mut self, gpu: &Gpu, world: &World) -> Result<MirrorUpdate, GpuError> {
        if self.update_failed {
            *self = Self::with_options(gpu, world, &self.options)?;
        }
        let mut upload = Upload::new(gpu);
        self.update_failed = true;
        let update = self.apply(&mut upload, world)?;
        gpu.check()?;
        self.update_failed = false;
        Ok(update)
    }

    fn apply(&mut self, upload: &mut Upload<'_>, world: &World) -> Result<MirrorUpdate, GpuError> {
        self.opaque = world.is_opaque();
        let deformations = self.surfaces.update(upload, world)?;
        self.materials.update(upload, world.materials())?;
        self.surface_features = self
            .surface_features
            .and(self.materials.surface_features())
            .and(self.surfaces.surface_features());
        self.lights.update(upload, world.lights(), world.materials())?;
        self.mirror.apply(upload, world.tlas(), &deformations, self.surfaces.words())
    }

    /// Mirror of the acceleration structure.
    pub fn geometry(&self) -> &Mirror {
        &self.mirror
    }

    /// Whether no surface has alpha.
    pub(crate) fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// Specialisation of kernels that read the mirror.
    pub(crate) fn specialization(&self) -> SceneSpecialization {
        let specialization = self.mirror.specialization().with_surface_features(self.surface_features);
        let specialization =
            if self.options.changes { specialization.for_changing_worlds() } else { specialization };
        specialization.with([self.surfaces.segmentation(), self.materials.segmentation()])
    }

    /// Resources that kernels bind.
    pub(crate) fn resources(&self) -> Resources<'_> {
        let mut all = self.mirror.resources();
        all.extend(self.surfaces.resources());
        all.extend(self.materials.resources());
        all.extend(self.lights.resources());
        all
    }

    /// Nodes of the light tree, and the number of lights in it, which are those at a finite distance.
    pub(crate) fn light_tree(&self) -> (&[LightNode], u32) {
        self.lights.tree()
    }

    /// Memory on the GPU, bytes.
    pub fn memory_bytes(&self) -> u64 {
        let [surfaces, materials] = [self.surfaces.resources(), self.materials.resources()];
        let records = surfaces.into_iter().chain(materials).map(|(_, buffer)| buffer.size()).sum::<u64>();
        let lights = self.lights.resources().map(|(_, buffer)| buffer.size()).iter().sum::<u64>();
        self.mirror.memory_bytes() + records + lights
    }
}
