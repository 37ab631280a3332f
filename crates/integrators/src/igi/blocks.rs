//! Points to be lit, sixteen together.

use std::ops::Range;

use sunfleck_math::{Frame, Vec3};
use sunfleck_shading::Bsdf;
use sunfleck_transport::vectors::{LANES, Lanes, put, vector};

use super::Igi;
use super::chance::seeds_of;
use super::vpl::VPL_LOBES;

/// A point to be lit by its group's VPLs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Which VPLs: see [`vpl::share`](super::vpl::share) and [`vpl::whole`](super::vpl::whole).
    pub(super) group: u32,
    /// What becomes of the light.
    pub(super) target: Target,
    /// Which of the tile's samples it lights, if it is on the first surface: see [`TileSums::record`].
    ///
    /// [`TileSums::record`]: super::tile_sums::TileSums::record
    pub(super) sample: u32,
    /// Radiance seen for each unit of irradiance: throughput of the path times albedo over π.
    pub(super) weight: Vec3,
    /// Where shadow rays begin.
    pub(super) origin: Vec3,
    /// Shading normal on the viewer's side.
    pub(super) ns: Vec3,
    /// Geometric normal on the viewer's side.
    pub(super) ng: Vec3,
    /// How it reflects light if not as a diffuse surface: which of [`Points::glossy`], or [`DIFFUSE`].
    pub(super) glossy: u32,
    /// See [`counters_of`](super::chance::counters_of).
    pub(super) counters: [u32; 4],
}

/// Marks a point of a diffuse surface in [`Point::glossy`].
pub(super) const DIFFUSE: u32 = u32::MAX;

/// Points to be lit.
#[derive(Debug, Default)]
pub(super) struct Points {
    pub(super) points: Vec<Point>,
    pub(super) glossy: Vec<GlossyPoint>,
}

impl Points {
    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.glossy.clear();
    }

    /// Adds a point of a surface that is not ideally diffuse, or is.
    #[inline(always)]
    pub(super) fn push(&mut self, mut point: Point, glossy: Option<GlossyPoint>) {
        if let Some(glossy) = glossy {
            point.glossy = u32::try_from(self.glossy.len()).unwrap_or(DIFFUSE);
            self.glossy.push(glossy);
        }
        self.points.push(point);
    }
}

/// Where light goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Index in the tile.
    pub(super) pixel: u32,
    pub(super) channel: Channel,
}

/// How the filter treats light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Light on the first surface that is no perfect mirror or glass: mixed with neighbours' as irradiance.
    Surface,
    /// More light on that surface, by paths that went on from there: mixed as the former is.
    Bounced,
    /// Highlights of that surface: mixed with neighbours' as radiance.
    Highlight,
}

/// A surface that is not ideally diffuse.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlossyPoint {
    pub(super) frame: Frame,
    pub(super) bsdf: Bsdf,
    /// To the viewer, in the frame.
    pub(super) wo: Vec3,
    /// Albedo over π, which [`Point::weight`] has as a factor.
    pub(super) demodulation: Vec3,
}

impl GlossyPoint {
    /// The light reflected over that of a diffuse surface: a factor of irradiance from a unit direction in the world.
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
pub(super) struct Block {
    pub(super) origin: [Lanes; 3],
    pub(super) ns: [Lanes; 3],
    pub(super) ng: [Lanes; 3],
    pub(super) irradiance: [Lanes; 3],
    /// Lanes in use.
    pub(super) live: u32,
    /// Lanes with [`Point::glossy`].
    pub(super) glossy: u32,
    /// See [`seeds_of`].
    pub(super) seeds: [u32; LANES],
}

impl Block {
    const EMPTY: Self = Self {
        origin: [[0.0; LANES]; 3],
        ns: [[0.0; LANES]; 3],
        ng: [[0.0; LANES]; 3],
        irradiance: [[0.0; LANES]; 3],
        live: 0,
        glossy: 0,
        seeds: [0; LANES],
    };

    fn put(&mut self, lane: usize, point: &Point) {
        put(&mut self.origin, lane, point.origin);
        put(&mut self.ns, lane, point.ns);
        put(&mut self.ng, lane, point.ng);
        self.live |= 1 << lane;
        self.glossy |= u32::from(point.glossy != DIFFUSE) << lane;
    }

    /// Irradiance of a lane.
    pub(super) fn irradiance(&self, lane: usize) -> Vec3 {
        vector(&self.irradiance, lane)
    }
}

/// Points in the order of their groups, in blocks that no two groups share.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    /// Where the blocks of each group begin, and where the last ends.
    pub(super) starts: Vec<usize>,
    /// Which point is where: sixteen for each block.
    pub(super) points: Vec<u32>,
    shares: usize,
    shares_per_set: usize,
}

/// The blocks that a share of VPLs lights: its own, and those that its set lights as a whole.
pub(super) struct Lit {
    own: Range<usize>,
    whole: Range<usize>,
}

impl Lit {
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.own.len() + self.whole.len()
    }

    /// How many are the share's own.
    #[inline(always)]
    pub(super) fn own(&self) -> usize {
        self.own.len()
    }

    /// Whether a block is lit by the whole set.
    #[inline(always)]
    pub(super) fn is_whole(&self, block: usize) -> bool {
        block < self.whole.len()
    }

    /// The place of a block in a list of all that a set lights: those lit as a whole, then those of each share.
    ///
    /// * `first` — where the list begins. * `own` — as many farther on as there are blocks of shares before.
    #[inline(always)]
    pub(super) fn place(&self, block: usize, first: usize, own: usize) -> usize {
        if self.is_whole(block) { block + first } else { block + own }
    }

    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.whole.clone().chain(self.own.clone())
    }
}

impl Blocks {
    pub(super) fn shares_per_set(&self) -> usize {
        self.shares_per_set.max(1)
    }

    fn of_group(&self, group: usize) -> Range<usize> {
        self.starts[group]..self.starts[group + 1]
    }

    /// Which blocks a share of VPLs lights.
    pub(super) fn lit_by(&self, share: usize) -> Lit {
        let set = self.shares + share / self.shares_per_set();
        Lit { own: self.of_group(share), whole: self.of_group(set) }
    }

    /// Sorts points by group, and those of a group so that those of a block are near to each other.
    #[inline(always)]
    pub(super) fn fill(&mut self, points: &[Point], igi: &Igi) {
        (self.shares, self.shares_per_set) = ((igi.sets() * igi.subsets()) as usize, igi.subsets() as usize);
        let groups = self.shares + igi.sets() as usize;
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
            let place = &mut counts[point.group as usize];
            self.points[self.starts[point.group as usize] * LANES + *place] = i;
            *place += 1;
        }
        for (start, count) in self.starts.iter().zip(&counts) {
            order(points, &mut self.points[start * LANES..start * LANES + count]);
        }
        self.blocks.clear();
        self.blocks.resize(end, Block::EMPTY);
        for (block, places) in self.blocks.iter_mut().zip(self.points.chunks_exact(LANES)) {
            let mut counters = [[0; LANES]; 4];
            for (lane, &i) in places.iter().enumerate() {
                let Some(point) = points.get(i as usize) else { break };
                block.put(lane, point);
                counters.iter_mut().zip(point.counters).for_each(|(row, counter)| row[lane] = counter);
            }
            block.seeds = seeds_of(&counters);
        }
    }
}

/// Orders points by halving their box, again and again, until each part fits a block.
fn order(points: &[Point], part: &mut [u32]) {
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
