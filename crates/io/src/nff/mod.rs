//! NFF, the Neutral File Format of the Standard Procedural Databases [Haines87].
//!
//! Spheres, cones and cylinders become shapes. NFF describes light for images of 1990: lamps without an intensity,
//! without falloff, and a background that lights nothing. A lamp here has the intensity that gives the irradiance π to
//! a surface in the middle of the scene, divided by the root of the number of lamps, and the background is an
//! environment of constant radiance.

mod lamps;
mod parse;
mod surface;
mod tokens;
mod view;

use sunfleck_math::{DVec3, Shape, UnitShape, Vec3};
use sunfleck_scene::{Environment, Material, MaterialId, Mesh, MeshData, Node, Scene};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::faults::Fault;
use crate::origin::{Bounds, place};
use crate::polygon::triangulate;
use crate::report::Reporter;

use parse::{Fill, Nff, Polygon, Primitive};

pub(crate) use lamps::{Lamp, report_intensity};
pub(crate) use tokens::{Syntax, Tokens};
pub(crate) use view::View;

/// Reads an NFF file.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
    let mut nff = parse::parse(bytes, report);
    let mut scene = Scene::default();
    let bounds = nff.bounds();
    let origin = place(bounds, &mut scene)?;
    let fills = std::mem::take(&mut nff.fills);
    let materials = fills.iter().map(Fill::material).map(|material| scene.add_material(material));
    let materials: Vec<MaterialId> = materials.collect::<Result<_, _>>().at(|| FileLocation::File)?;
    let has_primitives = add_primitives(&mut scene, &mut nff, name, origin, &materials)?;
    std::mem::take(&mut nff.faults).report(!has_primitives, report)?;
    if let Some(radiance) = nff.background {
        scene.set_environment(Environment::Constant { radiance }).at(|| FileLocation::File)?;
    }
    for lamp in &nff.lamps {
        let intensity = lamp.intensity(nff.lamps.len(), bounds.center());
        lamp.add(&mut scene, "lamp", intensity, origin).at(|| FileLocation::File)?;
    }
    report_intensity(nff.lamps.len(), report);
    if let Some(view) = &nff.view {
        view.add(&mut scene, origin).at(|| FileLocation::File)?;
    }
    Ok(scene)
}

/// Adds the polygons, the patches and the shapes, each as a mesh, whose slots are the fills. Returns whether there are
/// any.
fn add_primitives(
    scene: &mut Scene,
    nff: &mut Nff,
    name: &str,
    origin: DVec3,
    materials: &[MaterialId],
) -> Result<bool, ParseError> {
    let mesh = |kind: &str| MeshData { name: format!("{name}: {kind}"), ..MeshData::default() };
    let (mut polygons, mut patches, mut shapes) = (mesh("polygons"), mesh("patches"), mesh("shapes"));
    for (primitive, slot, location) in std::mem::take(&mut nff.primitives) {
        match primitive {
            Primitive::Polygon(polygon) => {
                let data = if polygon.normals.is_empty() { &mut polygons } else { &mut patches };
                add_polygon(data, &polygon, origin, slot);
            }
            Primitive::Sphere { center, radius } => {
                let sphere = sphere((center - origin).as_vec3(), radius);
                push_shape(&mut shapes, nff, sphere, slot, location);
            }
            Primitive::Cone { base, apex, radii } => {
                let cone = cone((base - origin).as_vec3(), (apex - origin).as_vec3(), radii);
                push_shape(&mut shapes, nff, cone, slot, location);
            }
        }
    }
    let mut has_primitives = false;
    for data in [polygons, patches, shapes] {
        let mesh = Mesh::new(data).at(|| FileLocation::File)?;
        if mesh.primitive_count() > 0 {
            has_primitives = true;
            let node = Node::new(mesh.name());
            let mesh = scene.add_mesh(mesh).at(|| FileLocation::File)?;
            scene.add_node(node.with_mesh(mesh, materials.to_vec())).at(|| FileLocation::File)?;
        }
    }
    Ok(has_primitives)
}

fn add_polygon(data: &mut MeshData, polygon: &Polygon, origin: DVec3, slot: u16) {
    let first = data.positions.len();
    data.positions.extend(polygon.corners.iter().map(|&corner| (corner - origin).as_vec3()));
    data.normals.extend(&polygon.normals);
    for triangle in triangulate(&polygon.corners) {
        data.triangles.push(triangle.map(|i| u32::try_from(first + i).unwrap_or(u32::MAX)));
        data.slots.push(slot);
    }
}

/// Returns a sphere; a negative radius stands for one that is seen from inside.
pub(crate) fn sphere(center: Vec3, radius: f32) -> Shape {
    Shape { flipped: radius < 0.0, ..Shape::sphere(center, radius.abs()) }
}

/// Returns a cone or cylinder; negative radii stand for one that is seen from inside. Base and apex that coincide make
/// an end cap.
pub(crate) fn cone(base: Vec3, apex: Vec3, radii: [f32; 2]) -> Shape {
    let flipped = radii[0] < 0.0 || radii[1] < 0.0;
    let [mut large, mut small] = radii.map(f32::abs);
    let (mut from, mut to) = (base, apex);
    if small > large {
        (large, small) = (small, large);
        (from, to) = (to, from);
    }
    let ratio = small / large;
    let axis = to - from;
    let unit = match ratio {
        _ if axis == Vec3::ZERO => UnitShape::Disk { hole: ratio },
        1.0 => UnitShape::Cylinder,
        top => UnitShape::Cone { top },
    };
    Shape { flipped, ..Shape::about_axis(unit, from, if axis == Vec3::ZERO { Vec3::Z } else { axis }, large) }
}

/// Adds a shape; one without an area is a fault.
fn push_shape(data: &mut MeshData, nff: &mut Nff, shape: Shape, slot: u16, location: FileLocation) {
    if shape.is_valid() {
        data.shapes.push(shape);
        data.slots.push(slot);
    } else {
        nff.faults.add(Fault::Face, 1, || ParseError::malformed(location, "the shape has no area"));
    }
}

impl Fill {
    fn material(&self) -> Material {
        Material::new(self.name(), surface::of(self))
    }
}

impl Nff {
    /// Returns the box around all primitives: of a sphere its centre and of a cone its ends.
    fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for (primitive, ..) in &self.primitives {
            match primitive {
                Primitive::Polygon(polygon) => polygon.corners.iter().for_each(|&corner| bounds.add(corner)),
                Primitive::Sphere { center, .. } => bounds.add(*center),
                Primitive::Cone { base, apex, .. } => [*base, *apex].into_iter().for_each(|p| bounds.add(p)),
            }
        }
        bounds
    }
}

#[cfg(test)]
mod tests;
