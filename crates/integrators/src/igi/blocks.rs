//! Shading points, sorted by the VPLs that light them, in blocks of sixteen.

use std::ops::Range;

use sunfleck_math::{Frame, Vec3};
use sunfleck_shading::Bsdf;
use sunfleck_transport::vectors::{LANES, Lanes, put, vector};

use super::Igi;
use super::chance::seeds_of;
use super::vpl::VPL_LOBES;

/// Point to be lit by the VPLs of its group.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShadingPoint {
    /// Group of VPLs that light the point: see [`vpl::subset_group`](super::vpl::subset_group) and
    /// [`vpl::set_group`](super::vpl::set_group).
    pub(super) group: u32,
    /// Pixel and channel that the reflected light is added to.
    pub(super) target: PixelTarget,
    /// Number of the tile's sample, for points on the first surface: see [`TileSums::record`].
    ///
    /// [`TileSums::record`]: super::tile_sums::TileSums::record
    pub(super) sample: u32,
    /// Radiance of the pixel per irradiance, 1/sr: throughput of the path times albedo over π.
    pub(super) weight: Vec3,
    /// Origin of shadow rays.
    pub(super) origin: Vec3,
    /// Shading normal on the viewer's side.
    pub(super) ns: Vec3,
    /// Geometric normal on the viewer's side.
    pub(super) ng: Vec3,
    /// Index into [`ShadingPoints::glossy`], or [`DIFFUSE`].
    pub(super) glossy: u32,
    /// Counters of random decisions: see [`counters_of`](super::chance::counters_of).
    pub(super) counters: [u32; 4],
}

/// Value of [`ShadingPoint::glossy`] on diffuse surfaces.
pub(super) const DIFFUSE: u32 = u32::MAX;

/// Points to be lit.
#[derive(Debug, Default)]
pub(super) struct ShadingPoints {
    pub(super) points: Vec<ShadingPoint>,
    pub(super) glossy: Vec<GlossyPoint>,
}

impl ShadingPoints {
    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.glossy.clear();
    }

    /// Appends a point.
    ///
    /// * `glossy` — the surface, if it is not ideally diffuse.
    #[inline(always)]
    pub(super) fn push(&mut self, mut point: ShadingPoint, glossy: Option<GlossyPoint>) {
        if let Some(glossy) = glossy {
            point.glossy = u32::try_from(self.glossy.len()).unwrap_or(DIFFUSE);
            self.glossy.push(glossy);
        }
        self.points.push(point);
    }
}

/// Pixel and channel that light is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PixelTarget {
    /// Index of the pixel in the tile.
    pub(super) pixel: u32,
    pub(super) channel: LightChannel,
}

/// Class of light, which determines how it is filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LightChannel {
    /// Light on the first surface that is not a perfect mirror or glass: filtered as irradiance.
    Surface,
    /// Light on that surface by bias compensation: filtered as irradiance.
    Bounced,
    /// Specular highlights of that surface: filtered as radiance.
    Highlight,
}

/// Surface of a point that is not ideally diffuse.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlossyPoint {
    pub(super) frame: Frame,
    pub(super) bsdf: Bsdf,
    /// Direction to the viewer, in the shading frame.
    pub(super) wo: Vec3,
    /// Albedo over π, a factor of [`ShadingPoint::weight`].
    pub(super) demodulation: Vec3,
}

impl GlossyPoint {
    /// Returns the ratio of the reflected light to that of a diffuse surface, for light from a unit direction of world
    /// space.
    #[inline(always)]
    pub(super) fn factor(&self, to_light: Vec3) -> Vec3 {
        let wi = self.frame.local_from_world(to_light);
        if wi.z == 0.0 {
            return Vec3::ZERO;
        }
        self.bsdf.eval(VPL_LOBES, self.wo, wi) / (self.demodulation * wi.z.abs())
    }
}

/// Sixteen points as structure of arrays.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct PointBlock {
    pub(super) origin: [Lanes; 3],
    pub(super) ns: [Lanes; 3],
    pub(super) ng: [Lanes; 3],
    pub(super) irradiance: [Lanes; 3],
    /// Bit mask of lanes in use.
    pub(super) live: u32,
    /// Bit mask of lanes that are not diffuse.
    pub(super) glossy: u32,
    /// Seeds of random decisions: see [`seeds_of`].
    pub(super) seeds: [u32; LANES],
}

impl PointBlock {
    const EMPTY: Self = Self {
        origin: [[0.0; LANES]; 3],
        ns: [[0.0; LANES]; 3],
        ng: [[0.0; LANES]; 3],
        irradiance: [[0.0; LANES]; 3],
        live: 0,
        glossy: 0,
        seeds: [0; LANES],
    };

    fn put(&mut self, lane: usize, point: &ShadingPoint) {
        put(&mut self.origin, lane, point.origin);
        put(&mut self.ns, lane, point.ns);
        put(&mut self.ng, lane, point.ng);
        self.live |= 1 << lane;
        self.glossy |= u32::from(point.glossy != DIFFUSE) << lane;
    }

    /// Returns the irradiance of a lane, W/m².
    pub(super) fn irradiance(&self, lane: usize) -> Vec3 {
        vector(&self.irradiance, lane)
    }
}

/// Points sorted by group, in blocks that hold points of one group each.
#[derive(Debug, Default)]
pub(super) struct PointBlocks {
    pub(super) blocks: Vec<PointBlock>,
    /// Index of the first block of each group, and the number of blocks.
    pub(super) starts: Vec<usize>,
    /// Index of the point of each lane, sixteen for each block; `u32::MAX` for unused lanes.
    pub(super) points: Vec<u32>,
    subsets: usize,
    subsets_per_set: usize,
}

/// Blocks that a subset of VPLs lights.
pub(super) struct LitBlocks {
    /// Blocks of the subset alone.
    own: Range<usize>,
    /// Blocks that the whole set lights.
    of_set: Range<usize>,
}

impl LitBlocks {
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.own.len() + self.of_set.len()
    }

    /// Returns the number of blocks that the subset alone lights.
    #[inline(always)]
    pub(super) fn own(&self) -> usize {
        self.own.len()
    }

    /// Returns whether the `block`-th of these blocks is lit by the whole set.
    #[inline(always)]
    pub(super) fn is_of_set(&self, block: usize) -> bool {
        block < self.of_set.len()
    }

    /// Returns the index of the `block`-th of these blocks in the list of all blocks that a set lights: those of the
    /// whole set, then those of each subset.
    ///
    /// * `first` — start of the list.
    /// * `own` — `first` plus the number of blocks of earlier subsets.
    #[inline(always)]
    pub(super) fn mean_index(&self, block: usize, first: usize, own: usize) -> usize {
        if self.is_of_set(block) { block + first } else { block + own }
    }

    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.of_set.clone().chain(self.own.clone())
    }
}

impl PointBlocks {
    pub(super) fn subsets_per_set(&self) -> usize {
        self.subsets_per_set.max(1)
    }

    fn of_group(&self, group: usize) -> Range<usize> {
        self.starts[group]..self.starts[group + 1]
    }

    /// Returns the blocks that a subset of VPLs lights.
    pub(super) fn blocks_of_subset(&self, subset: usize) -> LitBlocks {
        let set = self.subsets + subset / self.subsets_per_set();
        LitBlocks { own: self.of_group(subset), of_set: self.of_group(set) }
    }

    /// Sorts points by group, and within a group such that the points of a block are near each other.
    #[inline(always)]
    pub(super) fn fill(&mut self, points: &[ShadingPoint], igi: &Igi) {
        (self.subsets, self.subsets_per_set) =
            ((igi.sets() * igi.subsets()) as usize, igi.subsets() as usize);
        let groups = self.subsets + igi.sets() as usize;
        let mut counts = vec![0usize; groups + 1];
        for point in points {
            counts[point.group as usize] += 1;
        }
        self.starts.clear();
        let mut end = 0;
        for count in &mut counts {
            self.starts.push(end);
            end += count.div_ceil(LANES);
            *count = 0;
        }
        self.points.clear();
        self.points.resize(end * LANES, u32::MAX);
        for (point, i) in points.iter().zip(0u32..) {
            let count = &mut counts[point.group as usize];
            self.points[self.starts[point.group as usize] * LANES + *count] = i;
            *count += 1;
        }
        for (start, count) in self.starts.iter().zip(&counts) {
            order(points, &mut self.points[start * LANES..start * LANES + count]);
        }
        self.blocks.clear();
        self.blocks.resize(end, PointBlock::EMPTY);
        for (block, point_of_lane) in self.blocks.iter_mut().zip(self.points.chunks_exact(LANES)) {
            let mut counters = [[0; LANES]; 4];
            for (lane, &i) in point_of_lane.iter().enumerate() {
                let Some(point) = points.get(i as usize) else { break };
                block.put(lane, point);
                counters.iter_mut().zip(point.counters).for_each(|(row, counter)| row[lane] = counter);
            }
            block.seeds = seeds_of(&counters);
        }
    }
}

/// Orders points by halving their bounding box along its longest axis, recursively, until each part fits a block.
fn order(points: &[ShadingPoint], part: &mut [u32]) {
    if part.len() <= LANES {
        return;
    }
    let origin = |i: u32| points[i as usize].origin;
    let first = origin(part[0]);
    let (low, high) =
        part.iter().fold((first, first), |(low, high), &i| (low.min(origin(i)), high.max(origin(i))));
    let size = high - low;
    let axis = (0..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
    let middle = part.len().div_ceil(2).next_multiple_of(LANES);
    if middle < part.len() {
        part.select_nth_unstable_by(middle, |&a, &b| origin(a)[axis].total_cmp(&origin(b)[axis]));
    }
    let (before, after) = part.split_at_mut(middle.min(part.len()));
    order(points, before);
    order(points, after);
}
