//! Hash grid of photons: a query of the photons near a point visits eight cells.

use sunfleck_constants::igi::{self, CELL_EDGE};
use sunfleck_math::{Aabb, Vec3};

use super::walk::Photon;

/// Number of photons per bucket of eight cells, about four of which contain surfaces.
const PER_BUCKET: usize = igi::PER_BUCKET as usize;

/// Photons sorted by cell.
///
/// Eight cells that share a corner differ in the parity of their coordinates. The parity is not hashed, so the cells of
/// a query never share an entry, and no photon is found twice.
#[derive(Debug)]
pub(super) struct Grid {
    radius: f32,
    /// Reciprocal of the edge length of cells.
    cells_per_metre: f32,
    /// Bounds of the points that have photons nearby.
    bounds: Aabb,
    /// Number of buckets, a power of two, minus 1.
    mask: u32,
    /// Index of the first photon of each cell, eight cells for each bucket, and the number of photons.
    starts: Vec<u32>,
    positions: Vec<Vec3>,
    photons: Vec<Photon>,
}

impl Default for Grid {
    fn default() -> Self {
        Self::new(Vec::new(), 1.0)
    }
}

impl Grid {
    /// Sorts photons by cell; the sort is stable.
    ///
    /// * `radius` — radius of queries, metres, > 0.
    pub(super) fn new(photons: Vec<Photon>, radius: f32) -> Self {
        let buckets = (photons.len() / PER_BUCKET).next_power_of_two();
        let photon_bounds = Aabb::from_points(photons.iter().map(|photon| photon.position));
        let mut grid = Self {
            radius,
            cells_per_metre: (2.0 * radius * CELL_EDGE).recip(),
            bounds: Aabb { min: photon_bounds.min - radius, max: photon_bounds.max + radius },
            mask: u32::try_from(buckets - 1).unwrap_or(u32::MAX),
            starts: vec![0; 8 * buckets + 1],
            positions: Vec::new(),
            photons: Vec::new(),
        };

        // Counting sort
        let cells: Vec<u32> = photons.iter().map(|photon| grid.entry(grid.cell(photon.position))).collect();
        for &cell in &cells {
            grid.starts[cell as usize + 1] += 1;
        }
        for i in 1..grid.starts.len() {
            grid.starts[i] += grid.starts[i - 1];
        }
        let mut next = grid.starts.clone();
        let mut order = vec![0; photons.len()];
        for (cell, i) in cells.iter().zip(0u32..) {
            let slot = &mut next[*cell as usize];
            order[*slot as usize] = i;
            *slot += 1;
        }
        grid.positions = order.iter().map(|&i| photons[i as usize].position).collect();
        grid.photons = order.iter().map(|&i| photons[i as usize]).collect();
        grid
    }

    pub(super) fn radius(&self) -> f32 {
        self.radius
    }

    /// Returns whether there may be photons near a point.
    #[inline(always)]
    pub(super) fn reaches(&self, point: Vec3) -> bool {
        self.bounds.contains(point)
    }

    /// Calls a function with every photon within the radius of a point, and its squared distance.
    #[inline(always)]
    pub(super) fn for_each_near(&self, point: Vec3, mut visit: impl FnMut(&Photon, f32)) {
        let first = self.cell(point - self.radius * CELL_EDGE);
        for corner in 0..8 {
            let at = |axis: usize| first[axis].wrapping_add(corner >> axis & 1);
            let entry = self.entry([at(0), at(1), at(2)]) as usize;
            for i in self.starts[entry] as usize..self.starts[entry + 1] as usize {
                let distance_squared = self.positions[i].distance_squared(point);
                if distance_squared < self.radius * self.radius {
                    visit(&self.photons[i], distance_squared);
                }
            }
        }
    }

    /// Returns the cell of a point.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "integers; those too large saturate")]
    fn cell(&self, point: Vec3) -> [i32; 3] {
        let Vec3 { x, y, z } = (point * self.cells_per_metre).floor();
        [x as i32, y as i32, z as i32]
    }

    /// Returns the index of a cell in [`Grid::starts`].
    #[inline(always)]
    fn entry(&self, [x, y, z]: [i32; 3]) -> u32 {
        let parity = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
        // [Teschner03, spatial hashing]
        let hash = (x >> 1).wrapping_mul(73_856_093)
            ^ (y >> 1).wrapping_mul(19_349_663)
            ^ (z >> 1).wrapping_mul(83_492_791);
        (hash.cast_unsigned() & self.mask) << 3 | parity.cast_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sunfleck_math::vec3;

    use super::*;

    fn photon(position: Vec3, number: u16) -> Photon {
        Photon { position, wi: Vec3::Y, ng: Vec3::Y, flux: Vec3::splat(f32::from(number)) }
    }

    fn found(grid: &Grid, point: Vec3) -> Vec<f32> {
        let mut numbers = Vec::new();
        if grid.reaches(point) {
            grid.for_each_near(point, |photon, _| numbers.push(photon.flux.x));
        }
        numbers.sort_by(f32::total_cmp);
        numbers
    }

    fn points() -> impl Strategy<Value = Vec<Vec3>> {
        let coordinate = || prop_oneof![-3.0f32..3.0, Just(0.0), (-6i8..6).prop_map(f32::from)];
        let point = (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| vec3(x, y, z));
        prop::collection::vec(point, 0..400)
    }

    proptest! {
        #[test]
        fn the_photons_found_are_those_of_brute_force(
            photons in points(),
            queries in points(),
            radius in prop_oneof![0.01f32..3.0, Just(0.5), Just(1.0)],
            away in prop_oneof![Just(0.0f32), Just(100.0), Just(-777.7)],
        ) {
            let photons: Vec<Photon> =
                photons.iter().zip(0u16..).map(|(&p, i)| photon(p + away, i)).collect();
            let grid = Grid::new(photons.clone(), radius);
            for point in queries.iter().map(|&p| p + away).chain(photons.iter().map(|p| p.position)) {
                let near = |p: &&Photon| p.position.distance_squared(point) < radius * radius;
                let expected: Vec<f32> = photons.iter().filter(near).map(|p| p.flux.x).collect();
                prop_assert_eq!(found(&grid, point), expected);
            }
        }
    }

    #[test]
    fn an_empty_grid_reaches_nothing() {
        assert!(!Grid::default().reaches(Vec3::ZERO), "the bounds are empty");
        assert_eq!(found(&Grid::default(), Vec3::ZERO), Vec::<f32>::new(), "no photon is found");
    }
}
