//! What photons of caustics take: how many there may be, and in how many cells they stand.

use sunfleck_constants::igi::{CELL_COUNTS, PER_BUCKET};
use sunfleck_integrators::World;
use sunfleck_integrators::igi::Igi;
use sunfleck_shaders::layout::{IgiFrame, Photon};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Photons for which there is room, for each walk: most leave none. Where more come, those that found room stand for the others.
const ROOM: u32 = 2;
/// Before the counts of cells, those of all photons.
const COUNTS: usize = CELL_COUNTS as usize;

/// How many there are of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Photons {
    /// Of a frame.
    pub(super) walks: u32,
    /// Photons.
    pub(super) room: u32,
    /// Of eight cells each; a power of two.
    buckets: u32,
    /// Things that walks are aimed at.
    goals: u32,
}

impl Photons {
    /// `None`: nobody wants any, or nothing in the world makes caustics.
    pub(super) fn of(world: &World, igi: &Igi) -> Option<Self> {
        let goals = u32::try_from(world.specular_bounds().len()).unwrap_or(u32::MAX);
        let room = igi.photons.saturating_mul(ROOM);
        let buckets = (room / PER_BUCKET).next_power_of_two();
        (igi.photons > 0 && goals > 0).then_some(Self { walks: igi.photons, room, buckets, goals })
    }

    pub(super) fn cells(self) -> usize {
        8 * self.buckets as usize
    }

    /// Tells the kernels of frame number `pass`.
    pub(super) fn write_parameters(self, frame: &mut IgiFrame, igi: &Igi, pass: u32) {
        frame.photon_share = igi.photon_share(pass);
        frame.goals = self.goals;
        frame.photon_room = self.room;
        frame.photon_mask = self.buckets - 1;
    }
}

/// Where they are.
#[derive(Debug)]
pub(super) struct PhotonArrays {
    pub(super) photons: Array<Photon>,
    pub(super) counts: Array<u32>,
    pub(super) cells: Array<[u32; 2]>,
    pub(super) list: Array<u32>,
    pub(super) goals: Array<[f32; 4]>,
}

impl PhotonArrays {
    pub(super) fn new(gpu: &Gpu, world: &World, of: Photons) -> Result<Self, GpuError> {
        let goal =
            |sphere: &sunfleck_transport::BoundingSphere| sphere.center.extend(sphere.radius).to_array();
        let goals: Vec<_> = world.specular_bounds().iter().map(goal).collect();
        Ok(Self {
            photons: Array::vacant(gpu, "photons", of.room as usize)?,
            counts: Array::vacant(gpu, "counts of photons", COUNTS + of.cells())?,
            cells: Array::vacant(gpu, "cells of photons", of.cells() + 1)?,
            list: Array::vacant(gpu, "lists of photons", of.room as usize)?,
            goals: Array::new(gpu, "goals of photons", &goals)?,
        })
    }

    /// Before the walks of a frame: there are none. Cells have none left since the frame before.
    pub(super) fn forget(&self, gpu: &Gpu) {
        self.counts.write(gpu, &[0; COUNTS]);
    }

    /// By the names that shaders have for them.
    pub(super) fn resources(&self) -> [(&'static str, &wgpu::Buffer); 5] {
        [
            ("photons", &self.photons.buffer),
            ("photon_counts", &self.counts.buffer),
            ("cells", &self.cells.buffer),
            ("list", &self.list.buffer),
            ("goals", &self.goals.buffer),
        ]
    }
}
