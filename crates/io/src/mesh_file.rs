//! Formats that hold one mesh and nothing else.

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};

use crate::FileLocation;
use crate::corners::{Corner, NONE, Pools, Unifier};
use crate::error::{At, Fault};
use crate::normals::{CREASE_DEGREES, CornerNormals, smooth_with_creases};
use crate::report::Reporter;

/// Albedo of a surface whose colour nobody said.
pub(crate) const GREY: Vec3 = Vec3::splat(0.6);

/// A mesh as such files hold it; arrays other than the positions are empty or as long.
#[derive(Debug, Default)]
pub(crate) struct RawMesh {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) uvs: Vec<Vec2>,
    /// Linear.
    pub(crate) colors: Vec<Vec4>,
    /// Indices in range.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl RawMesh {
    /// A scene of one node with this mesh, white where it brings its colours and else grey. Triangles that name a vertex
    /// twice are left out; missing normals are made.
    pub(crate) fn into_scene(mut self, name: &str, report: &mut Reporter) -> Result<Scene, Fault> {
        let all = self.triangles.len();
        self.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        report_degenerate(all - self.triangles.len(), FileLocation::File, report);
        let material = if self.colors.is_empty() {
            Material::lambert("grey", GREY)
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
        let pools =
            Pools { positions: &self.positions, colors: &self.colors, uvs: &self.uvs, normals: &normals };
        let uv = |v| if self.uvs.is_empty() { NONE } else { v };
        let corner = |(&position, normal)| Corner { position, uv: uv(position), normal };
        let triangles: Vec<[Corner; 3]> = self
            .triangles
            .iter()
            .zip(corners)
            .map(|(t, normals)| [0, 1, 2].map(|c| corner((&t[c], normals[c]))))
            .collect();
        Unifier::new(pools).mesh(&triangles)
    }
}

pub(crate) fn report_degenerate(count: usize, place: FileLocation, report: &mut Reporter) {
    if count > 0 {
        report.note(place, format!("degenerate triangles left out: {count}"));
    }
}

pub(crate) fn report_smoothing(report: &mut Reporter) {
    let message = format!(
        "no normals in the file: surfaces are smooth except where faces meet at more than {CREASE_DEGREES}°"
    );
    report.note(FileLocation::File, message);
}
