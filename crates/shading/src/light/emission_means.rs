//! How much light each emissive triangle sends out, for choosing among them: textures may leave most of them black.

use std::collections::BTreeMap;

use sunfleck_math::{Vec2, Vec3, Vec4};

use super::{EmissiveTriangle, luminance};
use crate::texture::{Means, TextureLookup};
use crate::{MaterialTable, SurfaceAttributes};

/// The edges of a triangle are halved so often: it is cut into 64 parts at most.
const HALVINGS: usize = 3;

/// Emission of materials, averaged over larger and larger areas of their textures.
#[derive(Debug)]
pub(super) struct EmissionMeans<'a> {
    materials: &'a MaterialTable,
    of_material: BTreeMap<u32, MaterialMeans>,
}

#[derive(Debug)]
enum MaterialMeans {
    /// The same luminance everywhere.
    Constant(f32),
    Textured(TextureLookup, Means),
}

impl<'a> EmissionMeans<'a> {
    /// Of the materials that occur.
    pub(super) fn new(materials: &'a MaterialTable, emissive: &[EmissiveTriangle]) -> Self {
        let mut of_material = BTreeMap::new();
        for triangle in emissive {
            of_material.entry(triangle.material).or_insert_with_key(|&m| MaterialMeans::new(materials, m));
        }
        Self { materials, of_material }
    }

    /// Estimate of the mean luminance of a triangle's emission: positive if any of it radiates.
    pub(super) fn luminance(&self, triangle: &EmissiveTriangle) -> f32 {
        match self.of_material.get(&triangle.material) {
            Some(MaterialMeans::Constant(luminance)) => *luminance,
            Some(MaterialMeans::Textured(lookup, means)) => {
                let corners = [0, 1, 2].map(|i| attributes_of_corner(triangle, i));
                let uv = corners.map(|at| lookup.uv(&at));
                if uv[0] == uv[1] && uv[0] == uv[2] {
                    // A texture may be a palette: then what lies beside the place does not count
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

/// Limited, so that sums of many do not overflow.
fn luminance_of(radiance: Vec3) -> f32 {
    luminance(radiance).min(1e30)
}

fn attributes_of_corner(triangle: &EmissiveTriangle, corner: usize) -> SurfaceAttributes {
    let EmissiveTriangle { uv0, uv1, colors, .. } = triangle;
    let color = colors[corner];
    SurfaceAttributes { uv0: uv0[corner], uv1: uv1[corner], color, ..SurfaceAttributes::default() }
}

/// The mean over a triangle in the texture.
fn mean_over([a, b, c]: [Vec2; 3], means: &Means) -> f32 {
    let centroid = (a + b + c) / 3.0;
    let reach = [a, b, c].map(|corner| (corner - centroid).abs()).into_iter().fold(Vec2::ZERO, Vec2::max);
    // Parts of a size are alike or upside down: their centroids have the same reach
    let levels: [usize; HALVINGS + 1] =
        std::array::from_fn(|halvings| means.level_of_reach(reach / (1u32 << halvings) as f32));
    mean_over_parts([a, b, c], means, &levels)
}

/// Of four parts, and these of four parts each, down to the last or the finest of the levels, unless a part is black.
fn mean_over_parts([a, b, c]: [Vec2; 3], means: &Means, levels: &[usize]) -> f32 {
    let Some((&level, finer)) = levels.split_first() else { return 0.0 };
    let mean = means.around((a + b + c) / 3.0, level);
    if mean == 0.0 || level == 0 || finer.is_empty() {
        return mean;
    }
    let (ab, bc, ca) = ((a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5);
    let parts = [[a, ab, ca], [ab, b, bc], [ca, bc, c], [bc, ca, ab]];
    0.25 * parts.into_iter().map(|part| mean_over_parts(part, means, finer)).sum::<f32>()
}
