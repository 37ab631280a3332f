//! Common parts of the formats that hold a single mesh: PLY, STL and OFF.

use sunfleck_math::{DVec3, Vec2, Vec3, Vec4};
use sunfleck_scene::{Alpha, ColorTexture, Material, Mesh, MeshData, Node, Scene, Surface, TextureRef};

use crate::FileLocation;
use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::faults::Faults;
use crate::normals::{CREASE_DEGREES, CornerNormals, smooth_with_creases};
use crate::origin::{Bounds, place};
use crate::report::Reporter;
use crate::split::Splitter;

/// Albedo of surfaces whose file specifies no colour.
pub(crate) const DEFAULT_ALBEDO: Vec3 = Vec3::splat(0.6);

/// Mesh as it is read from a file. Vertex arrays are empty or as long as the positions, arrays of faces empty or as
/// long as the triangles.
#[derive(Debug, Default)]
pub(crate) struct RawMesh {
    /// NaN where the file has no valid coordinates; no triangle uses these.
    pub(crate) positions: Vec<DVec3>,
    /// NaN where the file has no valid normal; these are computed.
    pub(crate) normals: Vec<Vec3>,
    pub(crate) uvs: Vec<Vec2>,
    /// Linear colour and alpha.
    pub(crate) colors: Vec<Vec4>,
    /// Vertex indices, all in range.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Texture coordinates of the corners of each triangle, which replace those of vertices.
    pub(crate) corner_uvs: Vec<[Vec2; 3]>,
    /// Linear colour and alpha of each triangle, which is used if vertices have no colours.
    pub(crate) face_colors: Vec<Vec4>,
    /// Material slot of each triangle.
    pub(crate) slots: Vec<u16>,
    /// Names and textures of the material slots; empty is a slot without a texture.
    pub(crate) textures: Vec<(String, Option<TextureRef>)>,
}

impl RawMesh {
    /// Adds a node with this mesh to a scene. The materials are white if the mesh has colours or textures, otherwise
    /// grey. Triangles that use a vertex twice are removed; missing normals are computed.
    ///
    /// Errors: the first fault, if the file has no good face; a mesh that is too large.
    pub(crate) fn add_to(
        mut self,
        mut scene: Scene,
        name: &str,
        faults: Faults,
        report: &mut Reporter,
    ) -> Result<Scene, ParseError> {
        self.remove_degenerate(report);
        faults.report(self.triangles.is_empty(), report)?;
        if !self.colors.is_empty() && !self.face_colors.is_empty() {
            report.note(FileLocation::File, "vertices and faces have colours: those of faces are not used");
            self.face_colors.clear();
        }
        let materials = self.materials();
        let positions = self.local_positions(&mut scene)?;
        let mesh = Mesh::new(MeshData { name: name.to_string(), ..self.into_data(positions, report) })
            .at(|| FileLocation::File)?;
        add_node(&mut scene, name, mesh, materials).at(|| FileLocation::File)?;
        Ok(scene)
    }

    /// Returns the mesh with the normals of the file, or without any, and in the coordinates of the file. Triangles that
    /// use a vertex twice are removed.
    ///
    /// Errors: the first fault, if the file has no good face.
    pub(crate) fn into_mesh_data(
        mut self,
        faults: Faults,
        report: &mut Reporter,
    ) -> Result<MeshData, ParseError> {
        self.remove_degenerate(report);
        faults.report(self.triangles.is_empty(), report)?;
        let local = |p: &DVec3| if p.is_finite() { p.as_vec3() } else { Vec3::ZERO };
        let positions: Vec<Vec3> = self.positions.iter().map(local).collect();
        if self.normals.iter().any(|normal| normal.is_nan()) {
            return Ok(self.into_data(positions, report));
        }
        if self.corner_uvs.is_empty() && self.face_colors.is_empty() {
            let Self { normals, uvs: uv0, colors, triangles, .. } = self;
            return Ok(MeshData { positions, normals, uv0, colors, triangles, ..MeshData::default() });
        }
        let has_normals = !self.normals.is_empty();
        let flat = CornerNormals { normals: vec![Vec3::Y], corners: vec![[0; 3]; self.triangles.len()] };
        let mut data = self.split(&positions, &flat);
        if !has_normals {
            data.normals.clear();
        }
        Ok(data)
    }

    fn remove_degenerate(&mut self, report: &mut Reporter) {
        let keep: Vec<bool> = self.triangles.iter().map(|[a, b, c]| a != b && b != c && c != a).collect();
        let count = keep.iter().filter(|keep| !**keep).count();
        report_degenerate(count, FileLocation::File, report);
        if count > 0 {
            retain(&mut self.triangles, &keep);
            retain(&mut self.corner_uvs, &keep);
            retain(&mut self.face_colors, &keep);
            retain(&mut self.slots, &keep);
        }
    }

    fn materials(&self) -> Vec<Material> {
        let colors = if self.colors.is_empty() { &self.face_colors } else { &self.colors };
        let name = match (self.colors.is_empty(), self.face_colors.is_empty()) {
            (false, _) => "vertex colours",
            (true, false) => "face colours",
            (true, true) => "grey",
        };
        let alpha = if colors.iter().any(|color| color.w < 1.0) { Alpha::Blend } else { Alpha::Opaque };
        let untextured = [(name.to_string(), None)];
        let slots = if self.textures.is_empty() { &untextured[..] } else { &self.textures };
        let material = |(name, texture): &(String, Option<TextureRef>)| {
            let is_white = texture.is_some() || !colors.is_empty();
            let factor = if is_white { Vec3::ONE } else { DEFAULT_ALBEDO }.extend(1.0);
            let albedo = ColorTexture { factor, texture: *texture };
            Material { alpha, ..Material::new(name.clone(), Surface::Lambert { albedo }) }
        };
        slots.iter().map(material).collect()
    }

    /// Returns the positions relative to the origin of the scene.
    fn local_positions(&mut self, scene: &mut Scene) -> Result<Vec<Vec3>, ParseError> {
        let positions = std::mem::take(&mut self.positions);
        let bounds: Bounds = self.triangles.as_flattened().iter().map(|&v| positions[v as usize]).collect();
        let origin = place(bounds, scene)?;
        let local = |p: &DVec3| if p.is_finite() { (*p - origin).as_vec3() } else { Vec3::ZERO };
        Ok(positions.iter().map(local).collect())
    }

    fn into_data(self, positions: Vec<Vec3>, report: &mut Reporter) -> MeshData {
        let lacks_normals = self.normals.is_empty() || self.normals.iter().any(|n| n.is_nan());
        if !lacks_normals && self.corner_uvs.is_empty() && self.face_colors.is_empty() {
            let Self { normals, uvs: uv0, colors, triangles, slots, .. } = self;
            return MeshData { positions, normals, uv0, colors, triangles, slots, ..MeshData::default() };
        }
        let computed = if lacks_normals {
            if self.normals.is_empty() {
                report_smoothing(report);
            }
            smooth_with_creases(&positions, &self.triangles)
        } else {
            CornerNormals::default()
        };
        self.split(&positions, &computed)
    }

    /// Splits vertices whose corners have different attributes.
    fn split(self, positions: &[Vec3], computed: &CornerNormals) -> MeshData {
        let normal = |triangle: usize, corner: usize, vertex: u32| {
            let given = self.normals.get(vertex as usize).copied().filter(|n| !n.is_nan());
            given.unwrap_or_else(|| computed.normals[computed.corners[triangle][corner] as usize])
        };
        let uv = |triangle: usize, corner: usize, vertex: u32| {
            let given = self.corner_uvs.get(triangle).map(|uvs| uvs[corner]);
            given.or_else(|| self.uvs.get(vertex as usize).copied()).unwrap_or(Vec2::ZERO)
        };
        let color = |triangle: usize, vertex: u32| {
            let given = self.face_colors.get(triangle).or(self.colors.get(vertex as usize));
            given.copied().unwrap_or(Vec4::ONE)
        };
        let corners = self.triangles.iter().enumerate().map(|(t, vertices)| {
            [0, 1, 2].map(|c| {
                let v = vertices[c];
                (v, (normal(t, c, v), uv(t, c, v), color(t, v)))
            })
        });
        let split = Splitter::new(positions.len()).split(corners);
        let vertices = || split.vertices.iter();
        let mut data = MeshData {
            positions: vertices().map(|&(old, _)| positions[old as usize]).collect(),
            normals: vertices().map(|&(_, (normal, ..))| normal).collect(),
            ..MeshData::default()
        };
        if !(self.uvs.is_empty() && self.corner_uvs.is_empty()) {
            data.uv0 = vertices().map(|&(_, (_, uv, _))| uv).collect();
        }
        if !(self.colors.is_empty() && self.face_colors.is_empty()) {
            data.colors = vertices().map(|&(_, (.., color))| color).collect();
        }
        MeshData { triangles: split.triangles, slots: self.slots, ..data }
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next().is_none_or(|keep| *keep));
}

fn add_node(
    scene: &mut Scene,
    name: &str,
    mesh: Mesh,
    materials: Vec<Material>,
) -> Result<(), ImportProblem> {
    let materials = materials.into_iter().map(|m| scene.add_material(m)).collect::<Result<Vec<_>, _>>()?;
    let mesh = scene.add_mesh(mesh)?;
    scene.add_node(Node::new(name).with_mesh(mesh, materials))?;
    Ok(())
}

/// Converts colours with alpha from sRGB to linear. Components in 0 … 255 are recognised by a component above 1; a
/// colour that is not finite, or NaN for a vertex without a colour, becomes white.
pub(crate) fn linear_colors(colors: &mut [Vec4]) {
    let finite = || colors.iter().filter(|color| color.is_finite());
    let largest = |component: fn(&Vec4) -> f32| finite().map(component).fold(0.0, f32::max);
    let scale = |largest: f32| if largest > 1.0 { 1.0 / 255.0 } else { 1.0 };
    let color_scale = scale(largest(|c| c.truncate().max_element()));
    let alpha_scale = scale(largest(|c| c.w));
    for color in colors {
        let srgb = (color.truncate() * color_scale).clamp(Vec3::ZERO, Vec3::ONE);
        let linear = sunfleck_image::srgb::linear_from_srgb_rgb(srgb);
        let alpha = (color.w * alpha_scale).clamp(0.0, 1.0);
        *color = if color.is_finite() { linear.extend(alpha) } else { Vec4::ONE };
    }
}

pub(crate) fn report_degenerate(count: usize, location: FileLocation, report: &mut Reporter) {
    if count > 0 {
        report.note(location, format!("degenerate triangles removed: {count}"));
    }
}

pub(crate) fn report_smoothing(report: &mut Reporter) {
    let message = format!(
        "faces without normals: smooth normals are computed, with creases where faces meet at more than {CREASE_DEGREES}°"
    );
    report.note(FileLocation::File, message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_both_ranges_become_linear() {
        let mut bytes = [Vec4::new(255.0, 127.5, 0.0, 1.0), Vec4::NAN];
        let mut unit = [Vec4::new(1.0, 0.5, -0.5, 1.0), Vec4::new(f32::INFINITY, 0.0, 0.0, 1.0)];
        linear_colors(&mut bytes);
        linear_colors(&mut unit[..1]);
        linear_colors(&mut unit[1..]);
        assert_eq!(bytes[0], unit[0]);
        // 0.5 is 0.214 in linear light [IEC61966-2-1].
        assert!((unit[0].y - 0.214_041).abs() < 1e-5 && unit[0].x == 1.0 && unit[0].z == 0.0);
        assert_eq!([bytes[1], unit[1]], [Vec4::ONE; 2]);
    }
}
