use super::records::{MaterialRecord, ShadingTables, TriangleRecord};

/// Hits that are shaded together.
pub(super) const LANES: usize = 16;

/// What the records say about sixteen hits, as structure of arrays. The one scalar part of the stage, but for texels.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Gathered {
    /// By vertex and axis; see [`TriangleRecord::normal`].
    pub(super) normal: [[[f32; LANES]; 3]; 3],
    /// By vertex and axis; see [`TriangleRecord::uv`].
    pub(super) uv: [[[f32; LANES]; 2]; 3],
    pub(super) color: [[f32; LANES]; 3],
    pub(super) emission: [[f32; LANES]; 3],
    /// Of the texture; 0 without one.
    pub(super) size: [[f32; LANES]; 2],
    pub(super) first_texel: [u32; LANES],
    /// Whether any of them has a texture.
    pub(super) textured: bool,
}

impl Gathered {
    /// Fetches the records of sixteen hits.
    #[inline(always)]
    pub(super) fn fetch(&mut self, tables: &ShadingTables, inst_ids: &[u32; LANES], prim_ids: &[u32; LANES]) {
        self.textured = false;
        for lane in 0..LANES {
            let TriangleRecord { normal, uv, material } = tables.triangle_of(inst_ids[lane], prim_ids[lane]);
            let MaterialRecord { color, emission, size, first_texel } = &tables.materials[*material as usize];
            for vertex in 0..3 {
                for axis in 0..3 {
                    self.normal[vertex][axis][lane] = normal[vertex][axis];
                }
                for axis in 0..2 {
                    self.uv[vertex][axis][lane] = uv[vertex][axis];
                }
            }
            for channel in 0..3 {
                self.color[channel][lane] = color[channel];
                self.emission[channel][lane] = emission[channel];
            }
            self.size[0][lane] = size[0];
            self.size[1][lane] = size[1];
            self.first_texel[lane] = *first_texel;
            self.textured |= size[0] > 0.0;
        }
    }
}
