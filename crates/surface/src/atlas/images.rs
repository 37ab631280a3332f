//! Images over an atlas: position, normal, reflectance and emission of each texel.

use rayon::prelude::*;
use sunfleck_math::{Vec3, vec2};
use sunfleck_transport::World;

use super::{Atlas, Texel};
use crate::reflectance::diffuse_reflectance;

/// Points of a texel at which textures are evaluated, along each axis.
const POINTS: u16 = 3;

/// Images whose pixels are the texels of an atlas. Texels without a surface are zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtlasImages {
    /// Geometry image: positions of the texels' centres in world space.
    pub position: Vec<Vec3>,
    /// Unit geometric normals of the front.
    pub normal: Vec<Vec3>,
    /// Diffuse reflectance, that of both sides; 0 for mirrors and glass.
    pub reflectance: Vec<Vec3>,
    /// Radiance that the front and the back emit, W/(m² sr).
    pub emission: [Vec<Vec3>; 2],
    /// Fraction of the area that stops rays: the mean of alpha. Reflectance and emission are those of this part.
    pub coverage: Vec<f32>,
}

#[derive(Clone, Copy, Default)]
struct Values {
    position: Vec3,
    normal: Vec3,
    reflectance: Vec3,
    emission: [Vec3; 2],
    coverage: f32,
}

impl AtlasImages {
    /// Evaluates the materials of a world at the texels of its atlas.
    pub fn new(world: &World, atlas: &Atlas) -> Self {
        let count = u32::try_from(atlas.texels().len()).unwrap_or(u32::MAX);
        let all: Vec<Values> = (0..count).into_par_iter().map(|texel| values(world, atlas, texel)).collect();
        Self {
            position: all.iter().map(|v| v.position).collect(),
            normal: all.iter().map(|v| v.normal).collect(),
            reflectance: all.iter().map(|v| v.reflectance).collect(),
            emission: [0, 1].map(|side| all.iter().map(|v| v.emission[side]).collect()),
            coverage: all.iter().map(|v| v.coverage).collect(),
        }
    }
}

fn values(world: &World, atlas: &Atlas, texel: u32) -> Values {
    let Texel { triangle, barycentrics } = atlas.texels()[texel as usize];
    let Some(center) = atlas.surfaces().interaction(world, triangle, barycentrics, true, 0.0) else {
        return Values::default();
    };
    let points = if world.materials().is_uniform(center.material) { 1 } else { POINTS };
    let width = atlas.areas()[texel as usize].sqrt() / f32::from(points);
    let mut sum = Values { position: center.position, normal: center.ng, ..Values::default() };
    for i in 0..points {
        for j in 0..points {
            let u = (vec2(f32::from(i), f32::from(j)) + 0.5) / f32::from(points);
            let Some(point) = atlas.interaction_in(world, texel, u, true, width) else { continue };
            let alpha = world.materials().alpha(point.material, &point.attributes);
            sum.coverage += alpha;
            sum.reflectance += diffuse_reflectance(&world.bsdf(&point)).unwrap_or(Vec3::ZERO) * alpha;
            for (emission, is_front) in sum.emission.iter_mut().zip([true, false]) {
                *emission += world.emission(point.material, &point.attributes, is_front) * alpha;
            }
        }
    }
    let share = if sum.coverage > 0.0 { 1.0 / sum.coverage } else { 0.0 };
    sum.coverage /= f32::from(points * points);
    sum.reflectance = (sum.reflectance * share).clamp(Vec3::ZERO, Vec3::ONE);
    sum.emission = sum.emission.map(|emission| emission * share);
    sum
}
