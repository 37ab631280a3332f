//! A committed world where the GPU reads it, part by part; see [`crate::mirror`] for how it follows changes.

mod lights;
mod materials;
mod surfaces;

use sunfleck_integrators::World;
use sunfleck_shaders::SurfaceFeatures;
use sunfleck_shading::packed_lights::LightNode;

use crate::buffer::Upload;
use crate::mirror::Form;
use crate::resources::Resources;
use crate::{Gpu, GpuError, Mirror, MirrorOptions, MirrorUpdate};
use lights::Lights;
use materials::Materials;
use surfaces::Surfaces;

/// A committed world where the GPU reads it: what rays are traced against, surfaces, materials, textures, lights.
#[derive(Debug)]
pub struct SceneMirror {
    pub(crate) mirror: Mirror,
    surfaces: Surfaces,
    materials: Materials,
    lights: Lights,
    options: MirrorOptions,
    opaque: bool,
    /// What surfaces have, or once had: worlds that take turns are to share their kernels.
    details: SurfaceFeatures,
    /// An update has failed halfway.
    torn: bool,
}

impl SceneMirror {
    /// Uploads a world.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if something else than triangles is placed in it; [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, world: &World) -> Result<Self, GpuError> {
        Self::with_options(gpu, world, &MirrorOptions::default())
    }

    /// As [`new`](Self::new).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(gpu: &Gpu, world: &World, options: &MirrorOptions) -> Result<Self, GpuError> {
        let mut upload = Upload::new(gpu);
        let binding = options.binding_bytes.unwrap_or(u64::MAX).min(gpu.most_bytes());
        let mut mirror = Self {
            mirror: Mirror::empty(&mut upload, options)?,
            surfaces: Surfaces::new(&upload, binding)?,
            materials: Materials::new(&mut upload, binding)?,
            lights: Lights::new(gpu)?,
            options: options.clone(),
            opaque: true,
            details: SurfaceFeatures::NONE,
            torn: false,
        };
        mirror.follow(&mut upload, world)?;
        gpu.check()?;
        Ok(mirror)
    }

    /// Goes on to another world, such as [`World::update`] makes: only what is different is uploaded.
    ///
    /// Kernels that were compiled for the world before may not be able to read this one: their `render` says so, and they have to be made anew.
    /// After an error the next update starts afresh.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn update(&mut self, gpu: &Gpu, world: &World) -> Result<MirrorUpdate, GpuError> {
        if self.torn {
            *self = Self::with_options(gpu, world, &self.options)?;
        }
        let mut upload = Upload::new(gpu);
        self.torn = true;
        let update = self.follow(&mut upload, world)?;
        gpu.check()?;
        self.torn = false;
        Ok(update)
    }

    fn follow(&mut self, upload: &mut Upload<'_>, world: &World) -> Result<MirrorUpdate, GpuError> {
        self.opaque = world.is_opaque();
        let motions = self.surfaces.update(upload, world)?;
        self.materials.update(upload, world.materials())?;
        self.details = self.details.and(self.materials.details()).and(self.surfaces.details());
        self.lights.update(upload, world.lights(), world.materials())?;
        self.mirror.follow(upload, world.tlas(), &motions, self.surfaces.words())
    }

    /// What rays are traced against.
    pub fn geometry(&self) -> &Mirror {
        &self.mirror
    }

    /// Whether all surfaces are there everywhere.
    pub(crate) fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// What kernels that read it are compiled for.
    pub(crate) fn form(&self) -> Form {
        let form = self.mirror.form().with_details(self.details);
        let form = if self.options.changes { form.for_changes() } else { form };
        form.with([self.surfaces.parts(), self.materials.parts()])
    }

    /// What kernels bind of it.
    pub(crate) fn resources(&self) -> Resources<'_> {
        let mut all = self.mirror.resources();
        all.extend(self.surfaces.resources());
        all.extend(self.materials.resources());
        all.extend(self.lights.resources());
        all
    }

    /// The nodes of the tree of lights, and how many lights it is of: those that are not infinitely far away.
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
