//! The table of lights as plain arrays, for a GPU: what `shaders/light` reads, byte for byte.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use sunfleck_constants::light as constants;

use super::LightTable;
use crate::MaterialTable;

/// All arrays of a [`LightTable`]. Any may be empty but the header.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedLights {
    /// The sizes and places of all else.
    pub header: LightHeader,
    /// The tree of clusters: the root first, the first child of a node follows it.
    pub nodes: Vec<LightNode>,
    /// Ascending by instance, then by triangle.
    pub triangles: Vec<TriangleLight>,
    /// Point and spot lights, then directional ones.
    pub punctual: Vec<PunctualLight>,
    /// Numbers of 32 bits, mostly bits of f32: where, the header says. First the tables of the environment; `None` if those are held already.
    pub environment: Option<Vec<u32>>,
    /// Then the bins of lights infinitely far away, three numbers for each: the size of its own part as f32, the alias, the probability as f32.
    pub bins: Vec<u32>,
    /// Then, for each instance up to the last emissive one, the index of its first emissive triangle, or of the next
    /// instance's if it has none; and at the end the number of emissive triangles.
    pub firsts: Vec<u32>,
}

/// Sizes, and what there is once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LightHeader {
    /// How many triangles shine.
    pub triangles: u32,
    /// How many lights without extent.
    pub punctual: u32,
    /// How many of all are somewhere: leaves of the tree.
    pub near: u32,
    /// How many can be chosen of those infinitely far away.
    pub distant: u32,
    /// How often one of these is chosen.
    pub share_of_distant: f32,
    /// One of the constants [`NO_ENVIRONMENT`](Self::NO_ENVIRONMENT) to [`MAP`](Self::MAP).
    pub environment: u32,
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// Radiance of a constant environment; what multiplies the map's texels.
    pub radiance: [f32; 3],
    /// 1: the map is read bilinearly.
    pub linear: u32,
    /// Of the map's rotation about y.
    pub sin_rotation: f32,
    /// Of the map's rotation about y.
    pub cos_rotation: f32,
    /// Where among the numbers the bins begin. The environment's, before them, start with the densities of rows.
    pub bins: u32,
    /// The cumulative probabilities of rows, one more than rows.
    pub row_cumulative: u32,
    /// The densities along rows, row by row.
    pub density: u32,
    /// The cumulative probabilities along rows, each one more than columns.
    pub cumulative: u32,
    /// The texels: red, green, blue, row by row from the top.
    pub texels: u32,
    /// 1: the radiance of some triangle varies over it.
    pub varies: u32,
}

impl LightHeader {
    /// It is black.
    pub const NO_ENVIRONMENT: u32 = constants::NO_ENVIRONMENT;
    /// The same from everywhere.
    pub const CONSTANT: u32 = constants::CONSTANT;
    /// An image.
    pub const MAP: u32 = constants::MAP;
}

/// A cluster of lights.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LightNode {
    /// Of a sphere around all of them.
    pub center: [f32; 3],
    /// Of that sphere.
    pub radius: f32,
    /// All normals are within a cone around this.
    pub axis: [f32; 3],
    /// Cosine of its angle; -1: any direction.
    pub cos_spread: f32,
    /// Of all of them.
    pub power: f32,
    /// Sine of the cone's angle.
    pub sin_spread: f32,
    /// Second child of an inner node, else the light.
    pub next: u32,
    /// 1 or 0.
    pub is_leaf: u32,
}

/// A triangle that radiates, in the world.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TriangleLight {
    /// First corner.
    pub a: [f32; 3],
    /// Instance, as hits name it.
    pub inst_id: u32,
    /// Second corner.
    pub b: [f32; 3],
    /// Triangle of the mesh, as hits name it.
    pub prim_id: u32,
    /// Third corner.
    pub c: [f32; 3],
    /// Dense index of its material.
    pub material: u32,
    /// Along the normal of the front, twice the area long.
    pub ng: [f32; 3],
    /// Bits [`DOUBLE_SIDED`](Self::DOUBLE_SIDED), [`TEXTURED`](Self::TEXTURED), [`PIERCED`](Self::PIERCED).
    pub flags: u32,
    /// What it radiates, before its emission texture and its alpha.
    pub radiance: [f32; 3],
    /// Down the tree: bit i is 1 where it goes to the second child on level i.
    pub path_bits: u32,
}

impl TriangleLight {
    /// Both sides shine.
    pub const DOUBLE_SIDED: u32 = constants::DOUBLE_SIDED;
    /// A texture multiplies the radiance.
    pub const TEXTURED: u32 = constants::TEXTURED;
    /// Alpha multiplies the radiance: rays may pass.
    pub const PIERCED: u32 = constants::PIERCED;
}

/// A light without extent.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PunctualLight {
    /// Intensity; of a directional light irradiance.
    pub emission: [f32; 3],
    /// One of [`POINT`](Self::POINT), [`SPOT`](Self::SPOT), [`DIRECTIONAL`](Self::DIRECTIONAL).
    pub kind: u32,
    /// Where it is.
    pub position: [f32; 3],
    /// Of a spot's falloff.
    pub scale: f32,
    /// Unit; where it points.
    pub direction: [f32; 3],
    /// Of a spot's falloff.
    pub offset: f32,
}

impl PunctualLight {
    /// The same in all directions.
    pub const POINT: u32 = constants::POINT;
    /// In a cone.
    pub const SPOT: u32 = constants::SPOT;
    /// Infinitely far away.
    pub const DIRECTIONAL: u32 = constants::DIRECTIONAL;
}

impl LightTable {
    /// The table as arrays.
    ///
    /// * `materials` — those of [`LightTable::build`]. * `held` — a table whose environment is held.
    pub fn packed(&self, materials: &MaterialTable, held: Option<&Self>) -> PackedLights {
        let packed =
            |(i, light): (usize, &super::TriangleLight)| light.packed(materials, self.tree.way_of(i));
        let triangles: Vec<_> = self.triangles.par_iter().enumerate().map(packed).collect();
        let varying = TriangleLight::TEXTURED | TriangleLight::PIERCED;
        let bins = self.distant.packed();
        let header = LightHeader {
            triangles: index(triangles.len()),
            punctual: index(self.punctual.len()),
            near: index(self.near),
            distant: index(bins.len() / 3),
            share_of_distant: self.share_of_distant(),
            varies: u32::from(triangles.iter().any(|light| light.flags & varying != 0)),
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
            firsts: firsts(&triangles),
            triangles,
            punctual: self.punctual.iter().map(super::PunctualLight::packed).collect(),
            bins,
        }
    }
}

/// By instance, which of the lights, that ascend by instance, is its first; one more for how many there are.
fn firsts(lights: &[TriangleLight]) -> Vec<u32> {
    let Some(last) = lights.last() else { return Vec::new() };
    let mut firsts = Vec::with_capacity(last.inst_id as usize + 2);
    for (i, light) in lights.iter().enumerate() {
        firsts.resize(firsts.len().max(light.inst_id as usize + 1), index(i));
    }
    firsts.push(index(lights.len()));
    firsts
}

/// Arrays of more than 2³² are beyond any GPU.
pub(super) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
