//! Sizes and arrays of the photons of caustics, which are stored in a hash grid.

use sunfleck_constants::igi::{CELL_COUNTS, PER_BUCKET};
use sunfleck_integrators::World;
use sunfleck_integrators::igi::Igi;
use sunfleck_shaders::layout::{IgiFrame, Photon};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Photons per light path for which there is memory; most paths leave none. If there are more photons, the stored ones
/// represent the others.
const PHOTONS_PER_WALK: u32 = 2;
/// Number of counters of all photons, which precede those of the cells.
const COUNTER_WORDS: usize = CELL_COUNTS as usize;

/// Numbers of photons and related items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PhotonSizes {
    /// Number of light paths of a frame.
    pub(super) walks: u32,
    /// Maximum number of photons.
    pub(super) capacity: u32,
    /// Number of buckets of eight cells each, a power of two.
    buckets: u32,
    /// Number of bounding spheres that light paths are aimed at.
    targets: u32,
}

impl PhotonSizes {
    /// Returns the sizes, or `None` if photons are switched off or nothing in the world makes caustics.
    pub(super) fn new(world: &World, igi: &Igi) -> Option<Self> {
        let targets = u32::try_from(world.specular_bounds().len()).unwrap_or(u32::MAX);
        let capacity = igi.photons.saturating_mul(PHOTONS_PER_WALK);
        let buckets = (capacity / PER_BUCKET).next_power_of_two();
        (igi.photons > 0 && targets > 0).then_some(Self { walks: igi.photons, capacity, buckets, targets })
    }

    pub(super) fn cells(self) -> usize {
        8 * self.buckets as usize
    }

    /// Sets the parameters of frame number `pass`.
    pub(super) fn write_parameters(self, frame: &mut IgiFrame, igi: &Igi, pass: u32) {
        frame.photon_share = igi.photon_share(pass);
        frame.goals = self.targets;
        frame.photon_room = self.capacity;
        frame.photon_mask = self.buckets - 1;
    }
}

/// Arrays of the photons.
#[derive(Debug)]
pub(super) struct PhotonArrays {
    pub(super) photons: Array<Photon>,
    pub(super) counts: Array<u32>,
    pub(super) cells: Array<[u32; 2]>,
    pub(super) list: Array<u32>,
    pub(super) targets: Array<[f32; 4]>,
}

impl PhotonArrays {
    pub(super) fn new(gpu: &Gpu, world: &World, sizes: PhotonSizes) -> Result<Self, GpuError> {
        let target =
            |sphere: &sunfleck_transport::BoundingSphere| sphere.center.extend(sphere.radius).to_array();
        let targets: Vec<_> = world.specular_bounds().iter().map(target).collect();
        Ok(Self {
            photons: Array::zeroed(gpu, "photons", sizes.capacity as usize)?,
            counts: Array::zeroed(gpu, "counts of photons", COUNTER_WORDS + sizes.cells())?,
            cells: Array::zeroed(gpu, "cells of photons", sizes.cells() + 1)?,
            list: Array::zeroed(gpu, "lists of photons", sizes.capacity as usize)?,
            targets: Array::new(gpu, "targets of photons", &targets)?,
        })
    }

    /// Resets the photon counters before the light paths of a frame. The counters of the cells are already zero.
    pub(super) fn reset_counts(&self, gpu: &Gpu) {
        self.counts.write(gpu, &[0; COUNTER_WORDS]);
    }

    /// Buffers by the names of WESL variables.
    pub(super) fn resources(&self) -> [(&'static str, &wgpu::Buffer); 5] {
        [
            ("photons", &self.photons.buffer),
            ("photon_counts", &self.counts.buffer),
            ("cells", &self.cells.buffer),
            ("list", &self.list.buffer),
            ("goals", &self.targets.buffer),
        ]
    }
}
