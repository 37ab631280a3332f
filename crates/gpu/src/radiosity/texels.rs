use sunfleck_math::Vec3;
use sunfleck_shaders::layout::{AtlasTriangle, Texel};
use sunfleck_surface::atlas::{Atlas, Rect};
use sunfleck_surface::stochastic::Elements;
use sunfleck_transport::World;

use crate::GpuError;

/// Texels of an atlas and the triangles that they divide, as shaders read them.
#[derive(Clone, Debug, Default)]
pub struct PackedSurfaces {
    /// Rows of square layers, one after the other: the fronts of all texels, then their backs.
    pub texels: Vec<Texel>,
    /// Width of a layer, a power of two.
    pub width: u32,
    /// Triangles in world space.
    pub triangles: Vec<AtlasTriangle>,
    /// Index of the first triangle of each instance.
    pub first_triangles: Vec<u32>,
}

impl PackedSurfaces {
    /// Returns an error if the solver on the GPU would be wrong about the light of a world: its rays stop at all surfaces
    /// that are triangles, and only triangles emit.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if some surfaces let rays pass, or are shapes, or if the environment or punctual lights
    /// light the world.
    pub fn check(world: &World) -> Result<(), GpuError> {
        let lights = world.lights();
        let refused = [
            (world.meshes().any(|(_, mesh)| !mesh.shapes().is_empty()), "radiosity over shapes"),
            (!world.is_opaque(), "radiosity over surfaces with alpha, or thin glass"),
            (
                lights.emissive_triangles().count() != lights.len(),
                "radiosity by the environment or by punctual lights",
            ),
        ];
        match refused.into_iter().find(|&(is_refused, _)| is_refused) {
            Some((_, what)) => Err(GpuError::Unsupported { what }),
            None => Ok(()),
        }
    }

    /// Packs a meshed atlas with its materials.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for worlds that [`check`](Self::check) refuses, and if the atlas has charts.
    pub fn new(world: &World, atlas: &Atlas, elements: &Elements) -> Result<Self, GpuError> {
        Self::check(world)?;
        let what = "radiosity over an atlas of charts";
        let mut triangles = Vec::with_capacity(atlas.surfaces().triangles().len());
        let mut first_triangles = Vec::new();
        for (i, triangle) in (0u32..).zip(atlas.surfaces().triangles()) {
            // Instances without triangles begin where the next one does
            first_triangles.resize(first_triangles.len().max(triangle.inst_id as usize + 1), i);
            let first = first_triangles[triangle.inst_id as usize];
            let rect = atlas.rect(i);
            if first + triangle.prim_id != i || rect.width == 0 {
                return Err(GpuError::Unsupported { what });
            }
            triangles.push(packed_triangle(triangle.corners, rect));
        }
        let texels =
            (0..2 * elements.texels()).map(|element| packed_texel(world, atlas, elements, element)).collect();
        Ok(Self { texels, width: atlas.resolution(), triangles, first_triangles })
    }
}

pub(super) fn packed_triangle([a, b, c]: [Vec3; 3], rect: Rect) -> AtlasTriangle {
    AtlasTriangle {
        corner: a.into(),
        place: rect.x | rect.y << 16,
        edge1: (b - a).into(),
        size: rect.width | rect.height << 16,
        edge2: (c - a).into(),
        unused: 0.0,
    }
}

/// Converts an index. Larger ones are of arrays that no device can bind.
pub(super) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

fn packed_texel(world: &World, atlas: &Atlas, elements: &Elements, element: usize) -> Texel {
    let images = &elements.images;
    let (i, is_front) = elements.texel_of(element);
    let normal = if is_front { images.normal[i] } else { -images.normal[i] };
    let center = atlas.texels()[i];
    let surface = atlas.surfaces().interaction(world, center.triangle, center.barycentrics, is_front, 0.0);
    Texel {
        position: images.position[i].into(),
        area: elements.areas[i],
        normal: normal.into(),
        // The largest of the three is a bound for each
        position_error: surface.map_or(0.0, |surface| surface.position_error.max_element()),
        reflectance: images.reflectance[i].max(Vec3::ZERO).into(),
        triangle: center.triangle,
        emission: elements.emission(element).into(),
        unused: 0.0,
    }
}
