//! Panes of glass. MTL does not say whether glass is a solid or a sheet; the geometry does.
//!
//! A connected part of a mesh that is closed is the surface of a solid, which bends rays. An open part, such as a
//! single rectangle for a window pane, has no inside: as a solid it would bend every ray that passes, and never back.
//! It is imported as thin glass.

use std::collections::{BTreeMap, BTreeSet};

use sunfleck_math::Vec3;
use sunfleck_scene::{
    EditError, Material, MaterialId, Mesh, MeshData, MeshId, NodeId, Scene, SceneEdit, Surface,
};

use crate::FileLocation;
use crate::report::Reporter;

/// Sum of the area vectors of a part, divided by its area, below which it is closed although its triangles do not meet
/// edge to edge.
const CLOSED: f32 = 1e-3;

/// Makes the open parts of glass thin. Materials that only open parts have are changed, others copied.
pub(super) fn make_sheets_thin(scene: &mut Scene, report: &mut Reporter) -> Result<(), EditError> {
    let is_glass = |scene: &Scene, id: MaterialId| {
        scene.material(id).is_some_and(|material| matches!(material.surface, Surface::Dielectric { .. }))
    };
    let mut sheets = Vec::new();
    let (mut on_sheets, mut on_solids) = (BTreeSet::new(), BTreeSet::new());
    for (node, mesh, materials) in glass_instances(scene, is_glass) {
        let Some(data) = scene.mesh(mesh).map(|mesh| mesh.data()) else { continue };
        let of = |triangle: usize| materials[usize::from(slot(data, triangle))];
        let open = open_parts(data, |triangle| is_glass(scene, of(triangle)));
        for (triangle, open) in open.iter().enumerate() {
            match open {
                Some(true) => on_sheets.insert(of(triangle)),
                Some(false) => on_solids.insert(of(triangle)),
                None => false,
            };
        }
        sheets.push((node, mesh, materials, open));
    }
    let mut thin_of = BTreeMap::new();
    for &id in &on_sheets {
        let Some(material) = scene.material(id).cloned() else { continue };
        let Surface::Dielectric { ior, tint, .. } = material.surface else { continue };
        let message = format!("{:?}: open surfaces of glass are thin and do not bend rays", material.name);
        report.note(FileLocation::File, message);
        let mut thin = Material { surface: Surface::ThinDielectric { ior, tint }, ..material };
        if on_solids.contains(&id) {
            thin.name.push_str(" (thin)");
            thin_of.insert(id, scene.add_material(thin)?);
        } else {
            scene.apply(SceneEdit::Material { id, material: Some(thin) })?;
        }
    }
    if thin_of.is_empty() {
        return Ok(());
    }
    for (node, mesh, materials, open) in sheets {
        separate(scene, node, mesh, materials, &open, &thin_of)?;
    }
    Ok(())
}

/// Returns nodes, meshes and materials of the instances with glass.
fn glass_instances(
    scene: &Scene,
    is_glass: impl Fn(&Scene, MaterialId) -> bool,
) -> Vec<(NodeId, MeshId, Vec<MaterialId>)> {
    let with_glass = scene.nodes().filter_map(|(id, node)| {
        let instance = node.instance.as_ref()?;
        let any = instance.materials.iter().any(|&material| is_glass(scene, material));
        any.then(|| (id, instance.mesh, instance.materials.clone()))
    });
    with_glass.collect()
}

/// Gives the triangles of open parts slots of their own.
fn separate(
    scene: &mut Scene,
    id: NodeId,
    mesh: MeshId,
    mut materials: Vec<MaterialId>,
    open: &[Option<bool>],
    thin_of: &BTreeMap<MaterialId, MaterialId>,
) -> Result<(), EditError> {
    let Some(mut data) = scene.mesh(mesh).map(|mesh| mesh.data().clone()) else { return Ok(()) };
    let mut slots: Vec<u16> = Vec::with_capacity(data.triangles.len());
    for (triangle, open) in open.iter().enumerate() {
        let old = slot(&data, triangle);
        let thin = thin_of.get(&materials[usize::from(old)]).filter(|_| *open == Some(true));
        let new = thin.map_or(old.into(), |thin| {
            materials.iter().position(|material| material == thin).unwrap_or_else(|| {
                materials.push(*thin);
                materials.len() - 1
            })
        });
        // Meshes have at most 65535 slots: what does not fit keeps its material
        slots.push(u16::try_from(new).ok().filter(|&new| new < u16::MAX).unwrap_or(old));
    }
    data.slots = slots;
    let Ok(separated) = Mesh::new(data) else { return Ok(()) };
    // The materials first: there may be more of them than slots, but not fewer
    let Some(mut node) = scene.node(id).cloned() else { return Ok(()) };
    if let Some(instance) = &mut node.instance {
        instance.materials = materials;
    }
    scene.apply(SceneEdit::Node { id, node: Some(node) })?;
    scene.apply(SceneEdit::Mesh { id: mesh, mesh: Some(separated.into()) }).map(drop)
}

fn slot(data: &MeshData, triangle: usize) -> u16 {
    data.slots.get(triangle).copied().unwrap_or(0)
}

/// Returns for each triangle of glass whether the connected part that it belongs to is open; `None` for others.
fn open_parts(data: &MeshData, is_glass: impl Fn(usize) -> bool) -> Vec<Option<bool>> {
    // Vertices of the same position are one
    let mut vertices = BTreeMap::new();
    let mut corner = |v: u32| {
        let bits = (data.positions[v as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
        let next = vertices.len();
        *vertices.entry(bits).or_insert(next)
    };
    let glass: Vec<Option<[usize; 3]>> = data
        .triangles
        .iter()
        .enumerate()
        .map(|(i, triangle)| is_glass(i).then(|| triangle.map(&mut corner)))
        .collect();

    let mut parts = Parts((0..vertices.len()).collect());
    let mut edges: BTreeMap<[usize; 2], u32> = BTreeMap::new();
    for &[a, b, c] in glass.iter().flatten() {
        parts.unite(a, b);
        parts.unite(b, c);
        for [a, b] in [[a, b], [b, c], [c, a]] {
            *edges.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    let mut has_border = vec![false; vertices.len()];
    for (&[a, _], count) in &edges {
        has_border[parts.root(a)] |= count % 2 == 1;
    }
    let mut areas = vec![(Vec3::ZERO, 0.0f32); vertices.len()];
    for (triangle, corners) in data.triangles.iter().zip(&glass) {
        let Some([corner, ..]) = corners else { continue };
        let [a, b, c] = triangle.map(|v| data.positions[v as usize]);
        let area = (b - a).cross(c - a);
        let (sum, total) = &mut areas[parts.root(*corner)];
        (*sum, *total) = (*sum + area, *total + area.length());
    }
    let mut is_open = |corners: [usize; 3]| {
        let root = parts.root(corners[0]);
        let (sum, total) = areas[root];
        has_border[root] && sum.length() > CLOSED * total
    };
    glass.into_iter().map(|corners| corners.map(&mut is_open)).collect()
}

/// Connected parts of a mesh: the parent of each vertex in its part, in the manner of union and find.
struct Parts(Vec<usize>);

impl Parts {
    fn root(&mut self, mut vertex: usize) -> usize {
        while self.0[vertex] != vertex {
            self.0[vertex] = self.0[self.0[vertex]];
            vertex = self.0[vertex];
        }
        vertex
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
