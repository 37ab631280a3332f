//! Common parts of the formats that hold a single mesh: PLY, STL and OFF.

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};

use crate::FileLocation;
use crate::corners::{AttributeArrays, Corner, NO_INDEX, VertexWelder};
use crate::error::{ParseError, WithLocation};
use crate::normals::{CREASE_DEGREES, CornerNormals, smooth_with_creases};
use crate::report::Reporter;

/// Albedo of surfaces whose file specifies no colour.
pub(crate) const DEFAULT_ALBEDO: Vec3 = Vec3::splat(0.6);

/// Mesh as it is read from a file. Normals, texture coordinates and colours are empty or as long as the
/// positions.
#[derive(Debug, Default)]
pub(crate) struct RawMesh {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) uvs: Vec<Vec2>,
    /// Linear colour and alpha.
    pub(crate) colors: Vec<Vec4>,
    /// Vertex indices, all in range.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl RawMesh {
    /// Creates a scene of one node with this mesh. The material is white if the mesh has vertex colours, otherwise
    /// grey. Triangles that use a vertex twice are removed; missing normals are computed.
    pub(crate) fn into_scene(mut self, name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
        let all = self.triangles.len();
        self.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        report_degenerate(all - self.triangles.len(), FileLocation::File, report);
        let material = if self.colors.is_empty() {
            Material::lambert("grey", DEFAULT_ALBEDO)
        } else {
            Material::lambert("vertex colours", Vec3::ONE)
        };
        let mesh = if self.normals.is_empty() { self.smoothed(report) } else { self.into_data() };
        let mesh = Mesh::new(MeshData { name: name.to_string(), ..mesh }).at(|| FileLocation::File)?;

        let mut scene = Scene::default();
        let material = scene.add_material(material).at(|| FileLocation::File)?;
        let mesh = scene.add_mesh(mesh).at(|| FileLocation::File)?;
        scene.add_node(Node::new(name).with_mesh(mesh, vec![material])).at(|| FileLocation::File)?;
        Ok(scene)
    }

    fn into_data(self) -> MeshData {
        let Self { positions, normals, uvs: uv0, colors, triangles } = self;
        MeshData { positions, normals, uv0, colors, triangles, ..MeshData::default() }
    }

    fn smoothed(&self, report: &mut Reporter) -> MeshData {
        report_smoothing(report);
        let CornerNormals { normals, corners } = smooth_with_creases(&self.positions, &self.triangles);
        let arrays = AttributeArrays {
            positions: &self.positions,
            colors: &self.colors,
            uvs: &self.uvs,
            normals: &normals,
        };
        let uv = |v| if self.uvs.is_empty() { NO_INDEX } else { v };
        let corner = |(&position, normal)| Corner { position, uv: uv(position), normal };
        let triangles: Vec<[Corner; 3]> = self
            .triangles
            .iter()
            .zip(corners)
            .map(|(t, normals)| [0, 1, 2].map(|c| corner((&t[c], normals[c]))))
            .collect();
        VertexWelder::new(arrays).mesh(&triangles)
    }
}

pub(crate) fn report_degenerate(count: usize, location: FileLocation, report: &mut Reporter) {
    if count > 0 {
        report.note(location, format!("degenerate triangles removed: {count}"));
    }
}

pub(crate) fn report_smoothing(report: &mut Reporter) {
    let message = format!(
        "no normals in the file: smooth normals are computed, with creases where faces meet at more than {CREASE_DEGREES}°"
    );
    report.note(FileLocation::File, message);
}
