//! Point clouds: files with vertices and without faces. Points become spheres.

mod spacing;
#[cfg(test)]
mod tests;

use sunfleck_math::{DVec3, Shape, Vec3, Vec4};
use sunfleck_scene::{Alpha, ColorTexture, Material, MaterialId, Mesh, MeshData, Node, Scene, Surface};

use crate::FileLocation;
use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::mesh_file::DEFAULT_ALBEDO;
use crate::report::Reporter;

use spacing::typical_distance;

/// Radius over the typical distance of neighbours, √½: spheres around points on a square grid, as scanners have them,
/// leave no gaps.
const RADIUS: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Points of a file. The arrays are empty or as long as the positions.
#[derive(Debug, Default)]
pub(crate) struct PointCloud {
    /// All finite.
    pub(crate) positions: Vec<DVec3>,
    /// Linear colour and alpha.
    pub(crate) colors: Vec<Vec4>,
    /// Radii; one that is not positive is replaced by the estimate for files without radii.
    pub(crate) radii: Vec<f32>,
    /// Material slots.
    pub(crate) slots: Vec<u16>,
}

impl PointCloud {
    /// Adds a node with spheres to a scene.
    ///
    /// * `origin` — origin of the scene, which positions become relative to.
    /// * `materials` — materials of the slots; if there are none, the spheres are white if they have colours, and grey
    ///   otherwise.
    ///
    /// Errors: there are too many points.
    pub(crate) fn add_to(
        self,
        scene: &mut Scene,
        name: &str,
        origin: DVec3,
        mut materials: Vec<MaterialId>,
        report: &mut Reporter,
    ) -> Result<(), ParseError> {
        if self.positions.is_empty() {
            return Ok(());
        }
        if materials.is_empty() {
            materials.push(scene.add_material(self.material()).at(|| FileLocation::File)?);
        }
        let shapes = self.spheres(origin, report);
        let Self { colors, slots, .. } = self;
        let data = MeshData { name: name.to_string(), shapes, colors, slots, ..MeshData::default() };
        let mesh = Mesh::new(data).at(|| FileLocation::File)?;
        add_node(scene, name, mesh, materials).at(|| FileLocation::File)
    }

    fn spheres(&self, origin: DVec3, report: &mut Reporter) -> Vec<Shape> {
        let is_radius = |radius: &f32| *radius > 0.0 && radius.is_finite();
        let given = self.radii.iter().filter(|radius| is_radius(radius)).count();
        let estimated = self.positions.len() - given;
        let mut estimate = 0.0;
        if estimated > 0 {
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            let radius = (typical_distance(&self.positions) * RADIUS) as f32;
            // Of points so near to each other that their distance has no square in single precision
            estimate = radius.max(1e-12);
            let message =
                format!("points without a radius, which are spheres of radius {estimate:.4}: {estimated}");
            report.note(FileLocation::File, message);
        }
        let radii = self.radii.iter().copied().map(Some).chain(std::iter::repeat(None));
        let sphere = |(position, radius): (&DVec3, Option<f32>)| {
            let radius = radius.filter(is_radius).unwrap_or(estimate);
            Shape::sphere((*position - origin).as_vec3(), radius)
        };
        // A radius that is tiny or huge has no volume in single precision
        let valid = |shape: Shape| {
            if shape.is_valid() { shape } else { Shape::sphere(shape.object_from_unit.translation, 1e-12) }
        };
        self.positions.iter().zip(radii).map(sphere).map(valid).collect()
    }

    fn material(&self) -> Material {
        let has_colors = !self.colors.is_empty();
        let is_transparent = self.colors.iter().any(|color| color.w < 1.0);
        let albedo = ColorTexture::plain(if has_colors { Vec3::ONE } else { DEFAULT_ALBEDO });
        let name = if has_colors { "colours of points" } else { "grey" };
        let alpha = if is_transparent { Alpha::Blend } else { Alpha::Opaque };
        Material { alpha, ..Material::new(name, Surface::Lambert { albedo }) }
    }
}

fn add_node(
    scene: &mut Scene,
    name: &str,
    mesh: Mesh,
    materials: Vec<MaterialId>,
) -> Result<(), ImportProblem> {
    let mesh = scene.add_mesh(mesh)?;
    scene.add_node(Node::new(name).with_mesh(mesh, materials))?;
    Ok(())
}
