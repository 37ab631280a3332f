//! The node hierarchy of the default scene, with its cameras and lights.

use sunfleck_math::transform::from_translation_rotation_scale;
use sunfleck_math::{Affine3, Mat4, Vec3, Vec4};
use sunfleck_scene::{Camera, CameraId, Light, LightId, LightKind, Node, NodeId, Projection, SceneEdit};

use crate::FileLocation;
use crate::error::{At, Fault};

use super::Importer;
use super::model;

/// Deeper hierarchies are mistakes or attacks: placing a node takes time in proportion to its depth.
const MOST_ANCESTORS: usize = 4096;

impl Importer<'_> {
    /// Adds the nodes of the default scene, parents before their children, depth first.
    pub(super) fn add_nodes(&mut self) -> Result<(), Fault> {
        let root = self.root;
        let mut visited = vec![false; root.nodes.len()];
        let (roots, path) = self.scene_roots()?;
        let mut waiting = Vec::new();
        let wait = |waiting: &mut Vec<Waiting>, nodes: &[usize], parent, depth, list: &str| {
            let from = |i| format!("{list}[{i}]");
            let nodes = nodes.iter().enumerate().rev();
            waiting.extend(nodes.map(|(i, &index)| Waiting { index, parent, depth, from: from(i) }));
        };
        wait(&mut waiting, &roots, None, 0, &path);
        while let Some(Waiting { index, parent, depth, from }) = waiting.pop() {
            let node = root.nodes.get(index).ok_or_else(|| {
                let message = format!("there is no node {index}; there are {}", root.nodes.len());
                Fault::malformed(FileLocation::Json(from.clone()), message)
            })?;
            if std::mem::replace(&mut visited[index], true) {
                let message = format!("node {index} has two parents, or is its own ancestor");
                return Err(Fault::malformed(FileLocation::Json(from), message));
            }
            if depth > MOST_ANCESTORS {
                let message = format!("the node has more than {MOST_ANCESTORS} ancestors");
                return Err(Fault::unsupported(FileLocation::Json(from), message));
            }
            let id = self.add_node(index, node, parent)?;
            self.nodes.insert(index, id);
            wait(&mut waiting, &node.children, Some(id), depth + 1, &format!("nodes[{index}].children"));
        }
        Ok(())
    }

    /// The nodes at the top of what is shown, and the JSON path of their list.
    fn scene_roots(&mut self) -> Result<(Vec<usize>, String), Fault> {
        let root = self.root;
        if root.scenes.is_empty() {
            self.report
                .note(FileLocation::Json("scenes".to_string()), "there is no scene: showing all nodes");
            let mut is_child = vec![false; root.nodes.len()];
            for &child in root.nodes.iter().flat_map(|node| &node.children) {
                is_child.get_mut(child).into_iter().for_each(|is_child| *is_child = true);
            }
            return Ok(((0..root.nodes.len()).filter(|&i| !is_child[i]).collect(), "nodes".to_string()));
        }
        let shown = root.scene.unwrap_or(0);
        if root.scenes.len() > 1 {
            let message = format!("there are {} scenes: showing scene {shown}", root.scenes.len());
            self.report.note(FileLocation::Json("scenes".to_string()), message);
        }
        let scene = root.scenes.get(shown).ok_or_else(|| {
            let message = format!("there is no scene {shown}; there are {}", root.scenes.len());
            Fault::malformed(FileLocation::Json("scene".to_string()), message)
        })?;
        Ok((scene.nodes.clone(), format!("scenes[{shown}].nodes")))
    }

    fn add_node(
        &mut self,
        index: usize,
        node: &model::Node,
        parent: Option<NodeId>,
    ) -> Result<NodeId, Fault> {
        let path = format!("nodes[{index}]");
        let name = self.name(&node.name, "node", index);
        let mut added = Node::new(name).at(self.transform(node, &path));
        added.parent = parent;
        if let Some(mesh) = node.mesh {
            added.instance = match self.own_instance(node, &path)? {
                Some(instance) => Some(instance),
                None => match self.instance(mesh, &format!("{path}.mesh"))? {
                    Some(instance) => Some(self.deformable(mesh, instance, node, &path)?),
                    None => None,
                },
            };
        }
        if let Some(camera) = node.camera {
            added.camera = self.camera(camera, &path)?;
        }
        if let Some(light) = &node.extensions.light {
            added.light = Some(self.light(light.light, &path)?);
        }
        if let Some(visibility) = &node.extensions.visibility {
            added.visible = visibility.visible;
        }
        let place = || FileLocation::Json(path);
        // Parents are added first, but ids follow the array in files of ours
        match u32::try_from(index) {
            Ok(index) if self.own.is_some() => {
                let id = NodeId(index);
                self.scene.apply(SceneEdit::Node { id, node: Some(added) }).at(place)?;
                Ok(id)
            }
            _ => self.scene.add_node(added).at(place),
        }
    }

    /// What a thing is called; without a name after its place, but for files of ours.
    pub(super) fn name(&self, given: &str, kind: &str, index: usize) -> String {
        if given.is_empty() && self.own.is_none() { format!("{kind} {index}") } else { given.to_string() }
    }

    fn transform(&mut self, node: &model::Node, path: &str) -> Affine3 {
        if let Some(matrix) = node.extensions.own.as_ref().and_then(|own| own.matrix) {
            return Affine3::from_cols_array(&matrix);
        }
        if let Some(matrix) = &node.matrix {
            let matrix = Mat4::from_cols_array(matrix);
            if matrix.row(3) != Vec4::W {
                let message = "the last row of the matrix is not (0, 0, 0, 1) and is ignored";
                self.report.warn(FileLocation::Json(format!("{path}.matrix")), message);
            }
            return Affine3::from_mat4(matrix);
        }
        let translation = node.translation.unwrap_or_default();
        let rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let scale = node.scale.unwrap_or([1.0; 3]);
        from_translation_rotation_scale(translation.into(), rotation, scale.into())
    }

    pub(super) fn camera(&mut self, index: usize, from: &str) -> Result<Option<CameraId>, Fault> {
        if let Some(&camera) = self.cameras.get(&index) {
            return Ok(Some(camera));
        }
        let place = || FileLocation::Json(format!("cameras[{index}]"));
        let camera = self.root.cameras.get(index).ok_or_else(|| {
            let message = format!("there is no camera {index}; there are {}", self.root.cameras.len());
            Fault::malformed(FileLocation::Json(format!("{from}.camera")), message)
        })?;
        let own = camera.extensions.own.as_ref();
        let projection = match (&camera.perspective, &camera.orthographic) {
            (Some(perspective), _) if let Some(own) = own => Projection::ThinLens {
                fov_y_radians: perspective.yfov,
                lens_radius: own.lens_radius,
                focus_distance: own.focus_distance,
            },
            (Some(perspective), _) => Projection::Perspective { fov_y_radians: perspective.yfov },
            // ymag is half of the height; some exporters give it the sign of their y axis.
            (None, Some(parallel)) => Projection::Orthographic { height: 2.0 * parallel.ymag.abs() },
            (None, None) => {
                self.report
                    .warn(place(), "a camera that is neither perspective nor orthographic is left out");
                return Ok(None);
            }
        };
        let name = self.name(&camera.name, "camera", index);
        let id = self.scene.add_camera(Camera { name, projection }).at(place)?;
        self.cameras.insert(index, id);
        Ok(Some(id))
    }

    pub(super) fn light(&mut self, index: usize, from: &str) -> Result<LightId, Fault> {
        if let Some(&light) = self.lights.get(&index) {
            return Ok(light);
        }
        let lights = &self.root.extensions.lights_punctual.lights;
        let light = lights.get(index).ok_or_else(|| {
            let message = format!("there is no light {index}; there are {}", lights.len());
            Fault::malformed(
                FileLocation::Json(format!("{from}.extensions.KHR_lights_punctual.light")),
                message,
            )
        })?;
        let place = || FileLocation::Json(format!("extensions.KHR_lights_punctual.lights[{index}]"));
        if light.range.is_some() {
            self.report
                .note(place(), "the range is ignored: light falls off with the square of the distance only");
        }
        let kind = match light.kind {
            model::LightKind::Point => LightKind::Point,
            model::LightKind::Directional => LightKind::Directional,
            model::LightKind::Spot => LightKind::Spot {
                inner_radians: light.spot.inner_cone_angle,
                outer_radians: light.spot.outer_cone_angle,
            },
        };
        let name = self.name(&light.name, "light", index);
        let emission = Vec3::from_array(light.color) * light.intensity;
        let id = self.scene.add_light(Light { name, emission, kind }).at(place)?;
        self.lights.insert(index, id);
        Ok(id)
    }
}

/// A node that is still to be added.
struct Waiting {
    index: usize,
    parent: Option<NodeId>,
    /// Number of its ancestors.
    depth: usize,
    /// JSON path of the reference.
    from: String,
}
