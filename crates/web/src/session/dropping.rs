//! Objects that are put down on the surface below them.

use std::collections::BTreeMap;

use fearless_simd::Level;
use sunfleck_engine::EditableWorld;
use sunfleck_integrators::World;
use sunfleck_math::{Aabb, Affine3, Ray, Vec3};
use sunfleck_scene::{NodeId, Scene, SceneEdit, WorldInstance};

/// Columns of the grid below an object, per axis.
const COLUMNS: u8 = 7;
/// Maximum number of surfaces in a column.
const MAX_LAYERS: usize = 256;

/// Returns the edits that move nodes up or down, so that the lowest point of each lies on the highest surface below it,
/// the lowest object first: the upper one of a stack lands on the new place of the lower one. Surfaces are below if they
/// are below the middle of the object, so one that is partly sunk comes out. Nodes that already rest get no edit, and
/// neither do those below another one of the list.
///
/// # Errors
/// A message for the user: an object has no surface, or nothing is below it.
pub(super) fn drops(world: &EditableWorld, nodes: &[NodeId]) -> Result<Vec<SceneEdit>, String> {
    let scene = world.scene();
    let roots = scene.roots_of(nodes);
    let mut dropping =
        Dropping { world: world.committed(), root_of: BTreeMap::new(), steps: BTreeMap::new() };
    let mut instances: BTreeMap<NodeId, Vec<WorldInstance<'_>>> = BTreeMap::new();
    for instance in scene.world_instances() {
        let own = std::iter::once(instance.node).chain(scene.ancestors(instance.node));
        if let Some(root) = own.into_iter().find(|id| roots.contains(id)) {
            dropping.root_of.insert(instance.node, root);
            instances.entry(root).or_default().push(instance);
        }
    }
    let mut objects = Vec::new();
    for &id in &roots {
        let node = scene.node(id).ok_or_else(|| format!("there is no {id}"))?;
        let Some(shape) = instances.get(&id).and_then(|own| Shape::of(scene, own)) else {
            return Err(format!("{} has no visible surface that could lie on another one", node.name));
        };
        objects.push((id, node, shape));
    }
    objects.sort_by(|(_, _, a), (_, _, b)| a.lowest.y.total_cmp(&b.lowest.y));
    let mut edits = Vec::new();
    for (id, node, shape) in objects {
        let Some(height) = dropping.surface_below(id, &shape) else {
            return Err(format!("there is nothing below {}", node.name));
        };
        let step = height - shape.lowest.y;
        if step.abs() <= 1e-5 * shape.bounds.diagonal() {
            continue;
        }
        dropping.steps.insert(id, step);
        // The translation in the space of the parent
        let parents: Vec<NodeId> = scene.ancestors(id).collect();
        let world_from_parent = parents.iter().rev().filter_map(|&id| scene.node(id));
        let world_from_parent =
            world_from_parent.fold(Affine3::IDENTITY, |all, node| all * node.parent_from_node);
        let step = world_from_parent.inverse().transform_vector3(Vec3::Y * step);
        let parent_from_node = Affine3::from_translation(step) * node.parent_from_node;
        edits.push(SceneEdit::Transform { id, parent_from_node });
    }
    Ok(edits)
}

/// World in which some objects have been moved up or down already.
struct Dropping<'a> {
    world: &'a World,
    /// Object that a node is a part of.
    root_of: BTreeMap<NodeId, NodeId>,
    /// How far objects have been moved up.
    steps: BTreeMap<NodeId, f32>,
}

impl Dropping<'_> {
    /// Returns the height of the highest surface below an object, of those in a grid of columns that pass through it,
    /// and in that of its lowest point.
    fn surface_below(&self, object: NodeId, shape: &Shape) -> Option<f32> {
        let Shape { bounds, lowest } = shape;
        let fraction = |i: u8| (f32::from(i) + 0.5) / f32::from(COLUMNS);
        let at = |i: u8, k: u8| bounds.min + bounds.size() * Vec3::new(fraction(i), 0.0, fraction(k));
        let grid =
            (0..COLUMNS).flat_map(|i| (0..COLUMNS).map(move |k| (i, k))).map(|(i, k)| (at(i, k), true));
        let columns = grid.chain([(*lowest, false)]);
        let heights =
            columns.filter_map(|(at, through)| self.surface_in_column(object, bounds, [at.x, at.z], through));
        heights.reduce(f32::max)
    }

    /// Returns the height of the highest surface in a column that is below the middle of an object.
    ///
    /// * `through` — whether the column must pass through the object.
    fn surface_in_column(
        &self,
        object: NodeId,
        bounds: &Aabb,
        [x, z]: [f32; 2],
        through: bool,
    ) -> Option<f32> {
        let step = 1e-5 * bounds.diagonal().max(bounds.max.abs().max_element());
        let mut ray = Ray::new(Vec3::new(x, bounds.max.y + step, z), Vec3::NEG_Y);
        let mut passed = !through;
        for _ in 0..MAX_LAYERS {
            let hit = self.world.pick(Level::new(), &ray)?;
            let root = self.root_of.get(&hit.node);
            if root == Some(&object) {
                passed = true;
            } else if hit.position.y <= bounds.center().y {
                let moved = root.and_then(|root| self.steps.get(root)).copied().unwrap_or(0.0);
                return passed.then_some(hit.position.y + moved);
            }
            ray.t_near = hit.distance + step;
        }
        None
    }
}

/// Extent of an object in the world, exact to its vertices and shapes.
pub(super) struct Shape {
    pub(super) bounds: Aabb,
    /// Its lowest point.
    lowest: Vec3,
}

impl Shape {
    /// Returns the extent of instances; `None` if there are none.
    pub(super) fn of<'a>(
        scene: &Scene,
        instances: impl IntoIterator<Item = &'a WorldInstance<'a>>,
    ) -> Option<Self> {
        let mut shape = Self { bounds: Aabb::EMPTY, lowest: Vec3::splat(f32::INFINITY) };
        for instance in instances {
            let mesh = scene.mesh(instance.mesh)?;
            let placement = &instance.world_from_object;
            mesh.positions().iter().for_each(|&position| shape.include(placement.transform_point3(position)));
            for primitive in mesh.shapes() {
                let primitive = primitive.transformed(placement);
                for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                    shape.include(primitive.farthest_point(axis));
                    shape.include(primitive.farthest_point(-axis));
                }
            }
        }
        (!shape.bounds.is_empty()).then_some(shape)
    }

    fn include(&mut self, position: Vec3) {
        self.bounds = self.bounds.including(position);
        if position.y < self.lowest.y {
            self.lowest = position;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use sunfleck_math::vec3;
    use sunfleck_scene::{Material, Mesh, MeshData, Node};

    use super::*;

    /// Box from −`half` to `half`.
    fn cuboid(half: Vec3) -> Mesh {
        let corner = |i: u32| Vec3::from([0, 1, 2].map(|axis| if i >> axis & 1 == 1 { 1.0 } else { -1.0 }));
        let positions = (0..8).map(|i| corner(i) * half).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Mesh::new(MeshData { positions, triangles, ..MeshData::default() }).unwrap()
    }

    /// Scene of a table 1 m high beside the origin, a floor, and a small box at a position, in a scaled group.
    pub(in crate::session) fn room(at: Vec3) -> (EditableWorld, NodeId) {
        let mut scene = Scene::default();
        let grey = scene.add_material(Material::lambert("grey", Vec3::ONE)).unwrap();
        let mut add = |half: Vec3, node: Node| {
            let mesh = scene.add_mesh(cuboid(half)).unwrap();
            scene.add_node(node.with_mesh(mesh, vec![grey])).unwrap()
        };
        add(vec3(10.0, 0.5, 10.0), Node::new("floor").at(Affine3::from_translation(vec3(0.0, -0.5, 0.0))));
        add(vec3(1.0, 0.5, 1.0), Node::new("table").at(Affine3::from_translation(vec3(3.0, 0.5, 0.0))));
        let group = scene.add_node(Node::new("group").at(Affine3::from_scale(Vec3::splat(2.0)))).unwrap();
        let mesh = scene.add_mesh(cuboid(Vec3::splat(0.1))).unwrap();
        let node = Node::new("box").below(group).at(Affine3::from_translation(0.5 * at));
        let id = scene.add_node(node.with_mesh(mesh, vec![grey])).unwrap();
        (EditableWorld::new(scene).unwrap(), id)
    }

    fn height_after(at: Vec3) -> f32 {
        let (mut world, id) = room(at);
        let edits = drops(&world, &[id]).unwrap();
        world.edit(SceneEdit::Batch(edits)).unwrap();
        let instances = world.scene().world_instances();
        let own = instances.iter().filter(|instance| instance.node == id);
        Shape::of(world.scene(), own).unwrap().lowest.y
    }

    #[test]
    fn objects_fall_on_what_is_below_and_come_out_of_it() {
        for (at, expected) in [
            (vec3(0.0, 4.0, 0.0), 0.0),
            (vec3(3.0, 4.0, 0.0), 1.0),
            // Half beyond the edge of the table, seen from its lowest vertices
            (vec3(4.1, 4.0, 0.0), 1.0),
            // Sunk by a quarter
            (vec3(3.0, 1.1, 0.0), 1.0),
            (vec3(0.0, 0.1, 0.0), 0.0),
        ] {
            let height = height_after(at);
            assert!((height - expected).abs() < 1e-4, "{at}: {height}");
        }
        let (world, id) = room(vec3(0.0, 0.2, 0.0));
        assert_eq!(drops(&world, &[id]).unwrap(), [], "it rests already");
    }

    #[test]
    fn a_ball_rests_on_its_lowest_point() {
        let (mut world, id) = room(vec3(3.0, 4.0, 0.0));
        let mesh = world.scene().node(id).unwrap().instance.as_ref().unwrap().mesh;
        let shapes = vec![sunfleck_math::Shape::sphere(Vec3::ZERO, 0.1)];
        let ball = Mesh::new(MeshData { shapes, ..MeshData::default() }).unwrap();
        world.edit(SceneEdit::Mesh { id: mesh, mesh: Some(std::sync::Arc::new(ball)) }).unwrap();
        world.commit().unwrap();
        let edits = drops(&world, &[id]).unwrap();
        world.edit(SceneEdit::Batch(edits)).unwrap();
        let placed =
            world.scene().world_instances().into_iter().find(|instance| instance.node == id).unwrap();
        let center = placed.world_from_object.translation;
        assert!((center.y - 1.2).abs() < 1e-4, "its radius of 0.2 above the table: {center}");
    }

    #[test]
    fn a_stack_stays_a_stack() {
        let (mut world, id) = room(vec3(3.0, 4.0, 0.0));
        let table = world.scene().nodes().find(|(_, node)| node.name == "table").unwrap().0;
        let parent_from_node = Affine3::from_translation(vec3(3.0, 2.5, 0.0));
        world.edit(SceneEdit::Transform { id: table, parent_from_node }).unwrap();
        world.commit().unwrap();
        let edits = drops(&world, &[id, table]).unwrap();
        world.edit(SceneEdit::Batch(edits)).unwrap();
        let lowest = |node: NodeId| {
            let instances = world.scene().world_instances();
            let own = instances.iter().filter(|instance| instance.node == node);
            Shape::of(world.scene(), own).unwrap().lowest.y
        };
        assert!(
            lowest(table).abs() < 1e-4 && (lowest(id) - 1.0).abs() < 1e-4,
            "{} {}",
            lowest(table),
            lowest(id)
        );
    }

    #[test]
    fn impossible_drops_are_explained() {
        let (world, id) = room(vec3(30.0, 1.0, 0.0));
        assert_eq!(drops(&world, &[id]).unwrap_err(), "there is nothing below box");
        assert_eq!(drops(&world, &[NodeId(99)]).unwrap_err(), "there is no node 99");
    }
}
