//! Light table as plain arrays for the GPU, in the byte layout of `shaders/light/table.wesl`.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use sunfleck_constants::light as constants;

use super::LightTable;
use crate::MaterialTable;

/// All arrays of a [`LightTable`]; each may be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedLights {
    /// Sizes and offsets of the arrays, and parameters of the environment.
    pub header: LightHeader,
    /// Nodes of the light tree: the root first; the first child of a node follows it.
    pub nodes: Vec<LightNode>,
    /// Emissive triangles, ascending by instance, then by triangle; then emissive shapes in the same order.
    pub areas: Vec<AreaLight>,
    /// Point and spot lights, then directional ones.
    pub punctual: Vec<PunctualLight>,
    /// Tables of the environment, as bits of f32, at the offsets in the header; `None` if the GPU holds them already.
    /// With [`bins`](Self::bins) and [`ranges`](Self::ranges) after them they make up one array of numbers.
    pub environment: Option<Vec<u32>>,
    /// Alias table of the lights at infinity, three numbers per bin: the threshold as f32, the alias, and the
    /// probability as f32.
    pub bins: Vec<u32>,
    /// For each instance up to the last emissive one, the index of its first light among [`areas`](Self::areas), and
    /// that after its last one.
    pub ranges: Vec<[u32; 2]>,
}

/// Sizes and offsets of the light table, and parameters of the environment. 96 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LightHeader {
    /// Number of emissive triangles and shapes.
    pub areas: u32,
    /// Number of punctual lights.
    pub punctual: u32,
    /// Number of lights at finite distance, which are the leaves of the tree.
    pub near: u32,
    /// Number of lights at infinity that can be sampled.
    pub distant: u32,
    /// Probability of sampling one of the lights at infinity.
    pub share_of_distant: f32,
    /// Kind of environment: one of the constants [`NO_ENVIRONMENT`](Self::NO_ENVIRONMENT) to [`MAP`](Self::MAP).
    pub environment: u32,
    /// Number of columns of the map.
    pub width: u32,
    /// Number of rows of the map.
    pub height: u32,
    /// Radiance of a constant environment; scale of the map's texels.
    pub radiance: [f32; 3],
    /// 1 if the map is interpolated bilinearly.
    pub linear: u32,
    /// Sine of the map's rotation about y.
    pub sin_rotation: f32,
    /// Cosine of the map's rotation about y.
    pub cos_rotation: f32,
    /// Offset, among the numbers, of the bins of lights at infinity. The tables of the map are before them, the
    /// densities of its rows first.
    pub bins: u32,
    /// Offset of the cumulative probabilities of rows: one more number than rows.
    pub row_cumulative: u32,
    /// Offset of the densities along rows, row by row.
    pub density: u32,
    /// Offset of the cumulative probabilities along rows: for each row, one more number than columns.
    pub cumulative: u32,
    /// Offset of the texels: red, green, blue, row by row from the top.
    pub texels: u32,
    /// 1 if the radiance of some triangles or shapes varies over them.
    pub varies: u32,
    /// Number of columns of the distribution from which directions are sampled.
    pub columns: u32,
    /// Number of rows of that distribution.
    pub rows: u32,
    /// Number of instances up to the last emissive one.
    pub instances: u32,
    /// Height of the map in units of that of the image: less than 1 if rows of the image are at the poles.
    pub height_in_image: f32,
}

impl LightHeader {
    /// The environment is black.
    pub const NO_ENVIRONMENT: u32 = constants::NO_ENVIRONMENT;
    /// The environment has the same radiance in every direction.
    pub const CONSTANT: u32 = constants::CONSTANT;
    /// The environment is an image.
    pub const MAP: u32 = constants::MAP;
}

/// A node of the light tree: a cluster of lights. 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LightNode {
    /// Centre of the bounding sphere.
    pub center: [f32; 3],
    /// Radius of the bounding sphere.
    pub radius: f32,
    /// Axis of a cone that contains all normals.
    pub axis: [f32; 3],
    /// Cosine of the half angle of the cone; -1 if any direction is possible.
    pub cos_spread: f32,
    /// Sum of the powers.
    pub power: f32,
    /// Sine of the half angle of the cone.
    pub sin_spread: f32,
    /// Index of the second child of an inner node, or of the light of a leaf.
    pub next: u32,
    /// 1 for a leaf, 0 for an inner node.
    pub is_leaf: u32,
}

/// An emissive triangle or shape in world space. 80 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct AreaLight {
    /// First corner; of a shape, the x axis of its unit space.
    pub a: [f32; 3],
    /// Index of the instance, as in hits.
    pub inst_id: u32,
    /// Second corner, or the y axis.
    pub b: [f32; 3],
    /// Index of the triangle or shape in the mesh, as in hits.
    pub prim_id: u32,
    /// Third corner, or the z axis.
    pub c: [f32; 3],
    /// Dense index of its material.
    pub material: u32,
    /// Normal of the front face, whose length is twice the area; of a shape, the origin of its unit space.
    pub ng: [f32; 3],
    /// Set of the flags [`DOUBLE_SIDED`](Self::DOUBLE_SIDED), [`TEXTURED`](Self::TEXTURED), [`PIERCED`](Self::PIERCED),
    /// [`SHAPE`](Self::SHAPE).
    pub flags: u32,
    /// Radiance before emission texture and alpha.
    pub radiance: [f32; 3],
    /// Path from the root of the tree: bit i is 1 if it goes to the second child at level i.
    pub path_bits: u32,
}

impl AreaLight {
    /// Both sides emit.
    pub const DOUBLE_SIDED: u32 = constants::DOUBLE_SIDED;
    /// The radiance is multiplied by a texture.
    pub const TEXTURED: u32 = constants::TEXTURED;
    /// The radiance is multiplied by alpha, since rays may pass through the surface.
    pub const PIERCED: u32 = constants::PIERCED;
    /// The light is a shape.
    pub const SHAPE: u32 = constants::SHAPE;

    /// Returns the flags of a surface.
    pub(super) fn flags(materials: &MaterialTable, material: u32) -> u32 {
        let flag = |is: bool, flag: u32| if is { flag } else { 0 };
        let (_, texture) = materials.emission_factors(material);
        flag(materials.is_double_sided(material), Self::DOUBLE_SIDED)
            | flag(texture.is_some(), Self::TEXTURED)
            | flag(!materials.is_opaque(material), Self::PIERCED)
    }
}

/// A punctual light. 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PunctualLight {
    /// Intensity, W/sr; irradiance of a directional light, W/m².
    pub emission: [f32; 3],
    /// Kind of light: [`POINT`](Self::POINT), [`DIRECTIONAL`](Self::DIRECTIONAL), or the sum of [`SPOT`](Self::SPOT) and
    /// the number of a falloff.
    pub kind: u32,
    /// Position in world space.
    pub position: [f32; 3],
    /// Factor of the cosine, or of the angle, in the falloff of a spot light.
    pub scale: f32,
    /// Unit vector of the direction in which the light points.
    pub direction: [f32; 3],
    /// Constant term of the falloff of a spot light.
    pub offset: f32,
}

impl PunctualLight {
    /// Emits equally in all directions.
    pub const POINT: u32 = constants::POINT;
    /// Emits within a cone: kind of the falloff [`SpotFalloff::Quadratic`](sunfleck_scene::SpotFalloff).
    pub const SPOT: u32 = constants::SPOT;
    /// Is infinitely far away.
    pub const DIRECTIONAL: u32 = constants::DIRECTIONAL;
}

impl LightTable {
    /// Returns the table as arrays.
    ///
    /// * `materials` — the materials given to [`LightTable::build`]. * `held` — table whose environment the GPU already
    ///   holds.
    pub fn packed(&self, materials: &MaterialTable, held: Option<&Self>) -> PackedLights {
        let packed =
            |(i, light): (usize, &super::TriangleLight)| light.packed(materials, self.tree.path_bits(i));
        let mut areas: Vec<_> = self.triangles.par_iter().enumerate().map(packed).collect();
        let shapes = (areas.len()..).zip(&self.shapes);
        areas.extend(shapes.map(|(i, light)| light.packed(materials, self.tree.path_bits(i))));
        let ranges = ranges(&areas);
        let varying = AreaLight::TEXTURED | AreaLight::PIERCED;
        let bins = self.distant.packed();
        let header = LightHeader {
            areas: index(areas.len()),
            instances: index(ranges.len()),
            punctual: index(self.punctual.len()),
            near: index(self.near),
            distant: index(bins.len() / 3),
            share_of_distant: self.share_of_distant(),
            varies: u32::from(areas.iter().any(|light| light.flags & varying != 0)),
            ..LightHeader::default()
        };
        PackedLights {
            header: match &self.environment {
                Some(environment) => environment.header(header),
                None => header,
            },
            environment: match (&self.environment, held.and_then(|held| held.environment.as_ref())) {
                (Some(own), Some(held)) if Arc::ptr_eq(own, held) => None,
                (own, _) => Some(own.as_ref().map_or_else(Vec::new, |own| own.numbers())),
            },
            nodes: self.tree.packed(),
            ranges,
            areas,
            punctual: self.punctual.iter().map(super::PunctualLight::packed).collect(),
            bins,
        }
    }
}

/// Returns [`PackedLights::ranges`].
///
/// * `lights` — those of each instance one after the other.
fn ranges(lights: &[AreaLight]) -> Vec<[u32; 2]> {
    let mut ranges = Vec::new();
    for (i, light) in lights.iter().enumerate() {
        let instance = light.inst_id as usize;
        ranges.resize(ranges.len().max(instance + 1), [0; 2]);
        let [first, end] = &mut ranges[instance];
        if *end == 0 {
            *first = index(i);
        }
        *end = index(i + 1);
    }
    ranges
}

/// Converts an index to 32 bits; arrays of more than 2³² elements are beyond any GPU.
pub(super) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
