//! The atlas: triangles of a world, their rectangles, and the surface point of each texel.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::{Vec2, vec2};
use sunfleck_transport::{SurfaceInteraction, World};

use super::charts::Charts;
use super::cluster::{ClusterNode, clusters};
use super::fold::barycentrics_of;
use super::{Rect, SurfacePoint, Surfaces};

/// Error of an atlas.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtlasError {
    /// The side of the map is not a power of two from 1 to 2¹⁵.
    #[error("an atlas of {0}² texels is not possible: its side must be a power of two, at most 32768")]
    Resolution(u32),
    /// There are more triangles than texels.
    #[error(
        "an atlas of {resolution}² texels is too small for {triangles} triangles, which need one texel each"
    )]
    TooSmall {
        /// Side of the map.
        resolution: u32,
        /// Number of triangles.
        triangles: usize,
    },
    /// The surfaces could not be divided into charts.
    #[error("the surfaces cannot be unwrapped: {0}")]
    Unwrap(String),
    /// There are more than 2³¹ triangles.
    #[error("there are too many triangles for an atlas")]
    TooManyTriangles,
}

/// Surface point of a texel's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texel {
    /// Index of the triangle; [`Texel::NONE`] for a texel without a surface.
    pub triangle: u32,
    /// Barycentric coordinates of vertices 1 and 2.
    pub barycentrics: Vec2,
}

impl Texel {
    /// Index of no triangle.
    pub const NONE: u32 = u32::MAX;
    /// Texel without a surface.
    pub const EMPTY: Self = Self { triangle: Self::NONE, barycentrics: Vec2::ZERO };
}

/// One-to-one mapping between the surfaces of a world and the texels of a square map, row by row. Clones share the data.
#[derive(Clone, Debug)]
pub struct Atlas {
    resolution: u32,
    surfaces: Arc<Surfaces>,
    /// Clusters in preorder; none in an atlas of charts.
    nodes: Arc<[ClusterNode]>,
    /// Rectangle of each triangle; none in an atlas of charts.
    rects: Arc<[Rect]>,
    charts: Option<Arc<Charts>>,
    texels: Arc<[Texel]>,
    /// Area of each texel, m².
    areas: Arc<[f32]>,
}

impl Atlas {
    /// Makes a meshed atlas of a world.
    ///
    /// * `resolution` — side of the map in texels, a power of two.
    ///
    /// Errors: [`AtlasError`].
    pub fn meshed(world: &World, resolution: u32) -> Result<Self, AtlasError> {
        Self::of_surfaces(Surfaces::of(world)?, resolution)
    }

    /// Makes a meshed atlas of the surfaces of a world, as [`Atlas::meshed`].
    pub fn of_surfaces(surfaces: Surfaces, resolution: u32) -> Result<Self, AtlasError> {
        check(resolution)?;
        let (triangles, square) = (surfaces.triangles().len(), Rect::square(resolution));
        if triangles as u64 > square.texels() {
            return Err(AtlasError::TooSmall { resolution, triangles });
        }
        let nodes = clusters(&surfaces, square);
        let mut rects = vec![Rect::default(); triangles];
        for leaf in nodes.iter().filter(|node| node.count == 1) {
            rects[leaf.triangle as usize] = leaf.rect;
        }
        let count = usize::try_from(square.texels()).unwrap_or(usize::MAX);
        let mut of_triangle = vec![Texel::NONE; count];
        for (rect, triangle) in rects.iter().zip(0..) {
            for y in rect.y..rect.y + rect.height {
                let row = y as usize * resolution as usize + rect.x as usize;
                of_triangle[row..row + rect.width as usize].fill(triangle);
            }
        }
        let side = resolution as usize;
        let texel = |(i, &triangle): (usize, &u32)| {
            let at = [i % side, i / side].map(|c| u32::try_from(c).unwrap_or(0));
            rects.get(triangle as usize).map_or(Texel::EMPTY, |rect| Texel {
                triangle,
                barycentrics: barycentrics_of(in_rect(*rect, at, Vec2::splat(0.5))),
            })
        };
        let texels: Arc<[Texel]> = of_triangle.par_iter().enumerate().map(texel).collect();
        let area_of: Vec<f32> = surfaces.triangles().iter().map(|t| t.area()).collect();
        let area = |texel: &Texel| match rects.get(texel.triangle as usize) {
            // A division by a power of two, which is exact
            Some(rect) => area_of[texel.triangle as usize] / rect.texels() as f32,
            None => 0.0,
        };
        let areas = texels.par_iter().map(area).collect();
        let (surfaces, nodes, rects) = (Arc::new(surfaces), nodes.into(), rects.into());
        Ok(Self { resolution, surfaces, nodes, rects, charts: None, texels, areas })
    }

    /// Makes an atlas of charts, which have a border of empty texels, in a conventional way. It has no tree of clusters.
    ///
    /// * `resolution` — side of the map in texels, a power of two.
    ///
    /// Errors: [`AtlasError`].
    pub fn charts(world: &World, resolution: u32) -> Result<Self, AtlasError> {
        check(resolution)?;
        let surfaces = Surfaces::of(world)?;
        let charts = Charts::unwrap(&surfaces, resolution)?;
        let (texels, areas) = (charts.texels().into(), charts.areas().into());
        let (nodes, rects) = (Arc::default(), Arc::default());
        let (surfaces, charts) = (Arc::new(surfaces), Some(Arc::new(charts)));
        Ok(Self { resolution, surfaces, nodes, rects, charts, texels, areas })
    }

    /// Returns the side of the map in texels.
    pub fn resolution(&self) -> u32 {
        self.resolution
    }

    /// Returns the triangles.
    pub fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    /// Returns the tree of clusters in preorder; none in an atlas of charts.
    pub fn nodes(&self) -> &[ClusterNode] {
        &self.nodes
    }

    /// Returns the rectangle of a triangle; an empty one for a triangle that does not exist, and in an atlas of charts.
    #[inline(always)]
    pub fn rect(&self, triangle: u32) -> Rect {
        self.rects.get(triangle as usize).copied().unwrap_or_default()
    }

    /// Returns the surface points of all texels.
    pub fn texels(&self) -> &[Texel] {
        &self.texels
    }

    /// Returns the area of each texel, m². Those of a triangle's texels add up to its area.
    pub fn areas(&self) -> &[f32] {
        &self.areas
    }

    pub(super) fn as_charts(&self) -> Option<&Charts> {
        self.charts.as_deref()
    }

    /// Returns a surface point of a texel; `None` if it has no surface.
    ///
    /// * `u` — position in the texel, in [0, 1)². A uniform one gives a uniform point of its surface.
    #[inline(always)]
    pub fn point_in(&self, texel: u32, u: Vec2) -> Option<SurfacePoint> {
        if let Some(charts) = &self.charts {
            return charts.point_in(texel, u);
        }
        let triangle = self.texels.get(texel as usize)?.triangle;
        let at = [texel % self.resolution, texel / self.resolution];
        let barycentrics = barycentrics_of(in_rect(*self.rects.get(triangle as usize)?, at, u));
        Some(SurfacePoint { triangle, barycentrics })
    }

    /// Returns the surface interaction at a point of a texel, as seen from the front or from the back; `None` if it has no
    /// surface.
    ///
    /// * `u` — see [`Atlas::point_in`]. * `width` — see [`World::surface_interaction`].
    pub fn interaction_in(
        &self,
        world: &World,
        texel: u32,
        u: Vec2,
        is_front: bool,
        width: f32,
    ) -> Option<SurfaceInteraction> {
        let SurfacePoint { triangle, barycentrics } = self.point_in(texel, u)?;
        self.surfaces.interaction(world, triangle, barycentrics, is_front, width)
    }

    /// Returns the fraction of texels that have a surface of non-zero area.
    pub fn utilisation(&self) -> f32 {
        let used = self.areas.iter().filter(|&&area| area > 0.0).count();
        used as f32 / self.areas.len().max(1) as f32
    }

    /// Returns the evenness of texels: the mean area of a texel over the mean area of the texel around a random point of
    /// the surfaces, in [0, 1]; it is 1 if all texels are equally large.
    pub fn evenness(&self) -> f32 {
        let sum: f64 = self.areas.iter().map(|&area| f64::from(area)).sum();
        let squares: f64 = self.areas.iter().map(|&area| f64::from(area) * f64::from(area)).sum();
        let even = sum * sum / (squares * self.areas.len() as f64);
        #[allow(clippy::cast_possible_truncation, reason = "a ratio")]
        if even.is_finite() { even as f32 } else { 0.0 }
    }
}

fn check(resolution: u32) -> Result<(), AtlasError> {
    let is_possible = resolution.is_power_of_two() && resolution <= 1 << 15;
    if is_possible { Ok(()) } else { Err(AtlasError::Resolution(resolution)) }
}

/// Returns the position in a rectangle, as a point of the unit square, of a point `u` of a texel.
#[inline(always)]
fn in_rect(rect: Rect, [x, y]: [u32; 2], u: Vec2) -> Vec2 {
    let corner = vec2((x - rect.x) as f32, (y - rect.y) as f32);
    (corner + u) / vec2(rect.width as f32, rect.height as f32)
}
