//! Mean emission of triangles and parts of shapes, from which their power is estimated. Emission textures may leave most
//! of them black.

use std::collections::BTreeMap;

use sunfleck_math::{Vec2, Vec3, Vec4};

use super::{EmissiveSurfaces, EmissiveTriangle, luminance};
use crate::texture::{MeanPyramid, TextureLookup};
use crate::{MaterialTable, SurfaceAttributes};

/// Maximal number of times that the edges of a triangle are halved: it is subdivided into at most 64 parts.
const HALVINGS: usize = 3;

/// Mean luminances of emissive materials, over areas of their emission textures.
#[derive(Debug)]
pub(super) struct EmissionMeans<'a> {
    materials: &'a MaterialTable,
    means_of_materials: BTreeMap<u32, MaterialMeans>,
}

#[derive(Debug)]
enum MaterialMeans {
    /// Luminance that is the same everywhere.
    Constant(f32),
    Textured(TextureLookup, MeanPyramid),
}

impl<'a> EmissionMeans<'a> {
    /// Computes the means of the materials of `emissive`.
    pub(super) fn new(materials: &'a MaterialTable, emissive: &EmissiveSurfaces) -> Self {
        let mut means_of_materials = BTreeMap::new();
        let of_triangles = emissive.triangles.iter().map(|triangle| triangle.material);
        for material in of_triangles.chain(emissive.shapes.iter().map(|shape| shape.material)) {
            means_of_materials.entry(material).or_insert_with_key(|&m| MaterialMeans::new(materials, m));
        }
        Self { materials, means_of_materials }
    }

    /// Returns whether a material emits the same from all points.
    pub(super) fn is_constant(&self, material: u32) -> bool {
        matches!(self.means_of_materials.get(&material), Some(MaterialMeans::Constant(_)))
    }

    /// Returns an estimate of the mean luminance that a material emits from a part of a shape; positive if any point of
    /// it emits.
    ///
    /// * `center`, `reach` — the part, in texture coordinates of the shape: everything within `reach` of `center`.
    pub(super) fn luminance_around(&self, material: u32, center: Vec2, reach: Vec2) -> f32 {
        match self.means_of_materials.get(&material) {
            Some(MaterialMeans::Constant(luminance)) => *luminance,
            Some(MaterialMeans::Textured(lookup, means)) => {
                let at = |uv0: Vec2| lookup.uv(&SurfaceAttributes { uv0, ..SurfaceAttributes::default() });
                let corners = [reach, Vec2::new(-reach.x, reach.y)].map(|way| at(center + way));
                let center = at(center);
                // Transformed, a rectangle reaches as far as its corners do
                let reach =
                    corners.into_iter().map(|corner| (corner - center).abs()).fold(Vec2::ZERO, Vec2::max);
                means.mean_around(center, means.level_of_reach(reach))
            }
            None => 0.0,
        }
    }

    /// Returns an estimate of the mean emitted luminance of a triangle; positive if any point of it emits.
    pub(super) fn luminance(&self, triangle: &EmissiveTriangle) -> f32 {
        match self.means_of_materials.get(&triangle.material) {
            Some(MaterialMeans::Constant(luminance)) => *luminance,
            Some(MaterialMeans::Textured(lookup, means)) => {
                let corners = [0, 1, 2].map(|i| attributes_of_corner(triangle, i));
                let uv = corners.map(|at| lookup.uv(&at));
                if uv[0] == uv[1] && uv[0] == uv[2] {
                    // The texture may be a palette, in which neighbouring texels belong to other triangles
                    luminance_of(self.materials.emission(triangle.material, &corners[0]))
                } else {
                    mean_over(uv, means)
                }
            }
            None => 0.0,
        }
    }
}

impl MaterialMeans {
    fn new(materials: &MaterialTable, material: u32) -> Self {
        match materials.emission_factors(material) {
            (radiance, None) => Self::Constant(luminance_of(radiance)),
            (radiance, Some(lookup)) => {
                let of_texel = |texel: Vec4| luminance_of(radiance * texel.truncate().max(Vec3::ZERO));
                Self::Textured(*lookup, materials.textures().means(lookup, of_texel))
            }
        }
    }
}

/// Returns the luminance of `radiance`, clamped so that sums of many do not overflow.
fn luminance_of(radiance: Vec3) -> f32 {
    luminance(radiance).min(1e30)
}

fn attributes_of_corner(triangle: &EmissiveTriangle, corner: usize) -> SurfaceAttributes {
    let EmissiveTriangle { uv0, uv1, colors, .. } = triangle;
    let color = colors[corner];
    SurfaceAttributes { uv0: uv0[corner], uv1: uv1[corner], color, ..SurfaceAttributes::default() }
}

/// Returns the mean over a triangle in texture space.
fn mean_over([a, b, c]: [Vec2; 3], means: &MeanPyramid) -> f32 {
    let centroid = (a + b + c) / 3.0;
    let reach = [a, b, c].map(|corner| (corner - centroid).abs()).into_iter().fold(Vec2::ZERO, Vec2::max);
    // All parts of one subdivision are congruent, up to a point reflection: they have the same reach from the centroid
    let levels: [usize; HALVINGS + 1] =
        std::array::from_fn(|halvings| means.level_of_reach(reach / (1u32 << halvings) as f32));
    mean_over_parts([a, b, c], means, &levels)
}

/// Returns the mean over a triangle as the mean of its four parts, recursively, down to the last of `levels` or the
/// finest level of `means`. Black parts are not subdivided.
fn mean_over_parts([a, b, c]: [Vec2; 3], means: &MeanPyramid, levels: &[usize]) -> f32 {
    let Some((&level, finer)) = levels.split_first() else { return 0.0 };
    let mean = means.mean_around((a + b + c) / 3.0, level);
    if mean == 0.0 || level == 0 || finer.is_empty() {
        return mean;
    }
    let (ab, bc, ca) = ((a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5);
    let parts = [[a, ab, ca], [ab, b, bc], [ca, bc, c], [bc, ca, ab]];
    0.25 * parts.into_iter().map(|part| mean_over_parts(part, means, finer)).sum::<f32>()
}
