use sunfleck_math::Vec3;
use sunfleck_shaders::layout::{AtlasTriangle, Texel};
use sunfleck_surface::atlas::Atlas;
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
    /// Packs a meshed atlas with its materials.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the atlas has charts, or triangles that stand for parts of shapes.
    pub fn new(world: &World, atlas: &Atlas, elements: &Elements) -> Result<Self, GpuError> {
        let what = "radiosity over shapes, or over an atlas of charts";
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
            let [a, b, c] = triangle.corners;
            triangles.push(AtlasTriangle {
                corner: a.into(),
                place: rect.x | rect.y << 16,
                edge1: (b - a).into(),
                size: rect.width | rect.height << 16,
                edge2: (c - a).into(),
                unused: 0.0,
            });
        }
        let texels =
            (0..2 * elements.texels()).map(|element| packed_texel(world, atlas, elements, element)).collect();
        Ok(Self { texels, width: atlas.resolution(), triangles, first_triangles })
    }
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
