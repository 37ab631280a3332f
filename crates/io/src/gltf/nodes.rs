//! Nodes of the default scene, with their cameras and lights.

use glam::DMat4;
use sunfleck_math::transform::from_translation_rotation_scale;
use sunfleck_math::{Affine3, DVec3, Vec3, Vec4};
use sunfleck_scene::{
    Camera, CameraFilm, CameraId, Instance, Light, LightId, LightKind, Node, NodeId, Projection, SceneEdit,
    VALID_ASPECT_RATIOS,
};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::origin::place;

use super::Importer;
use super::model;
use super::placement::{Placement, WorldNodes};

/// Maximum depth of the node hierarchy. The time to compute world transforms grows with the depth; deeper hierarchies
/// are mistakes or attacks.
const MAX_ANCESTORS: usize = 4096;

impl Importer<'_> {
    /// Adds the nodes of the default scene, parents before their children, depth first.
    pub(super) fn add_nodes(&mut self) -> Result<(), ParseError> {
        let root = self.root;
        let mut visited = vec![false; root.nodes.len()];
        let (roots, path) = self.scene_roots()?;
        // Files with SUNFLECK_scene are imported as they are
        if self.sunfleck.is_none() {
            let nodes = WorldNodes::new(root, &roots);
            let origin = place(nodes.bounds, &mut self.scene)?;
            self.placement = Placement::new(root, nodes, origin);
        }
        let mut stack = Vec::new();
        let push = |stack: &mut Vec<PendingNode>, nodes: &[usize], parent, depth, list: &str| {
            let from = |i| format!("{list}[{i}]");
            let nodes = nodes.iter().enumerate().rev();
            stack.extend(nodes.map(|(i, &index)| PendingNode { index, parent, depth, from: from(i) }));
        };
        push(&mut stack, &roots, None, 0, &path);
        while let Some(PendingNode { index, parent, depth, from }) = stack.pop() {
            let node = root.nodes.get(index).ok_or_else(|| {
                let message = format!("there is no node {index}; there are {}", root.nodes.len());
                ParseError::malformed(FileLocation::Json(from.clone()), message)
            })?;
            if std::mem::replace(&mut visited[index], true) {
                let message = format!("node {index} has two parents, or is its own ancestor");
                return Err(ParseError::malformed(FileLocation::Json(from), message));
            }
            if depth > MAX_ANCESTORS {
                let message = format!("the node has more than {MAX_ANCESTORS} ancestors");
                return Err(ParseError::unsupported(FileLocation::Json(from), message));
            }
            let id = self.add_node(index, node, parent)?;
            self.nodes.insert(index, id);
            push(&mut stack, &node.children, Some(id), depth + 1, &format!("nodes[{index}].children"));
        }
        Ok(())
    }

    /// Returns the root nodes of the default scene, and the JSON path of their list.
    fn scene_roots(&mut self) -> Result<(Vec<usize>, String), ParseError> {
        let root = self.root;
        if root.scenes.is_empty() {
            self.report.note(
                FileLocation::Json("scenes".to_string()),
                "the file has no scenes: all nodes are imported",
            );
            let mut is_child = vec![false; root.nodes.len()];
            for &child in root.nodes.iter().flat_map(|node| &node.children) {
                is_child.get_mut(child).into_iter().for_each(|is_child| *is_child = true);
            }
            return Ok(((0..root.nodes.len()).filter(|&i| !is_child[i]).collect(), "nodes".to_string()));
        }
        let scene_index = root.scene.unwrap_or(0);
        if root.scenes.len() > 1 {
            let message =
                format!("the file has {} scenes: scene {scene_index} is imported", root.scenes.len());
            self.report.note(FileLocation::Json("scenes".to_string()), message);
        }
        let scene = root.scenes.get(scene_index).ok_or_else(|| {
            let message = format!("there is no scene {scene_index}; there are {}", root.scenes.len());
            ParseError::malformed(FileLocation::Json("scene".to_string()), message)
        })?;
        Ok((scene.nodes.clone(), format!("scenes[{scene_index}].nodes")))
    }

    fn add_node(
        &mut self,
        index: usize,
        node: &model::Node,
        parent: Option<NodeId>,
    ) -> Result<NodeId, ParseError> {
        let path = format!("nodes[{index}]");
        let name = self.name(&node.name, "node", index);
        let mut added = Node::new(name).at(self.transform(index, node, &path));
        added.parent = parent;
        if let Some(mesh) = node.mesh {
            match self.node_instance(mesh, node, &path) {
                Ok(instance) => added.instance = instance,
                Err(error) => self.leave_out_triangles("the mesh is ignored", error),
            }
        }
        if let Some(camera) = node.camera {
            let camera = self.camera(camera, &path);
            added.camera = self.or_leave_out("the camera is ignored", camera);
        }
        if let Some(light) = node.extensions.light.as_ref().and_then(|node| node.light) {
            let light = self.light(light, &path);
            added.light = self.or_leave_out("the light is ignored", light);
        }
        if let Some(visibility) = &node.extensions.visibility {
            added.visible = visibility.visible;
        }
        let location = || FileLocation::Json(path);
        // Parents are added first, but in files with SUNFLECK_scene the ids are the indices in the array
        match u32::try_from(index) {
            Ok(index) if self.sunfleck.is_some() => {
                let id = NodeId(index);
                self.scene.apply(SceneEdit::Node { id, node: Some(added) }).at(location)?;
                Ok(id)
            }
            _ => self.scene.add_node(added).at(location),
        }
    }

    fn node_instance(
        &mut self,
        mesh: usize,
        node: &model::Node,
        path: &str,
    ) -> Result<Option<Instance>, ParseError> {
        if let Some(instance) = self.sunfleck_instance(node, path)? {
            return Ok(Some(instance));
        }
        match self.instance(mesh, &format!("{path}.mesh"))? {
            Some(instance) => self.deformed_instance(mesh, instance, node, path).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the object of a node, or `None` with a warning if it is faulty.
    fn or_leave_out<T>(&mut self, consequence: &str, object: Result<Option<T>, ParseError>) -> Option<T> {
        object.unwrap_or_else(|error| {
            self.leave_out(consequence, &error);
            None
        })
    }

    /// Returns the name of an object. Unnamed objects are named by kind and index, except in files with
    /// `SUNFLECK_scene`.
    pub(super) fn name(&self, given: &str, kind: &str, index: usize) -> String {
        if given.is_empty() && self.sunfleck.is_none() {
            format!("{kind} {index}")
        } else {
            given.to_string()
        }
    }

    /// Returns the transform of a node; the identity, with a warning, if it is not finite.
    fn transform(&mut self, index: usize, node: &model::Node, path: &str) -> Affine3 {
        let transform = match self.placement.parent_from_node(index) {
            Some(placed) => placed,
            None => self.transform_of_file(node, path),
        };
        if transform.is_finite() {
            return transform;
        }
        self.report.warn(
            FileLocation::Json(path.to_string()),
            "the transform of the node is not finite and is ignored",
        );
        Affine3::IDENTITY
    }

    fn transform_of_file(&mut self, node: &model::Node, path: &str) -> Affine3 {
        if let Some(matrix) = node.extensions.sunfleck.as_ref().and_then(|sunfleck| sunfleck.matrix) {
            return Affine3::from_cols_array(&matrix);
        }
        if let Some(matrix) = &node.matrix {
            let matrix = DMat4::from_cols_array(matrix).as_mat4();
            if matrix.row(3) != Vec4::W {
                let message = "the last row of the matrix is not (0, 0, 0, 1) and is ignored";
                self.report.warn(FileLocation::Json(format!("{path}.matrix")), message);
            }
            return Affine3::from_mat4(matrix);
        }
        let translation = DVec3::from_array(node.translation.unwrap_or_default()).as_vec3();
        let rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let scale = node.scale.unwrap_or([1.0; 3]);
        from_translation_rotation_scale(translation, rotation, scale.into())
    }

    pub(super) fn camera(&mut self, index: usize, from: &str) -> Result<Option<CameraId>, ParseError> {
        if let Some(&camera) = self.cameras.get(&index) {
            return Ok(Some(camera));
        }
        let location = || FileLocation::Json(format!("cameras[{index}]"));
        let camera = self.root.cameras.get(index).ok_or_else(|| {
            let message = format!("there is no camera {index}; there are {}", self.root.cameras.len());
            ParseError::malformed(FileLocation::Json(format!("{from}.camera")), message)
        })?;
        let sunfleck = camera.extensions.sunfleck.as_ref();
        let lens = match sunfleck.map(|camera| (camera.lens_radius, camera.focus_distance)) {
            None | Some((None, None)) => None,
            Some((Some(radius), Some(distance))) => Some((radius, distance)),
            Some(_) => {
                let message = "a lens needs both `lensRadius` and `focusDistance`";
                return Err(ParseError::malformed(location(), message));
            }
        };
        let projection = match (&camera.perspective, &camera.orthographic) {
            (Some(perspective), _) if let Some((lens_radius, focus_distance)) = lens => {
                Projection::ThinLens { fov_y_radians: perspective.yfov, lens_radius, focus_distance }
            }
            (Some(perspective), _) => Projection::Perspective { fov_y_radians: perspective.yfov },
            // ymag is half the height; some exporters write it with the sign of their y axis.
            (None, Some(parallel)) => Projection::Orthographic { height: 2.0 * parallel.ymag.abs() },
            (None, None) => {
                self.report
                    .warn(location(), "the camera is neither perspective nor orthographic and is ignored");
                return Ok(None);
            }
        };
        let name = self.name(&camera.name, "camera", index);
        let aspect_ratio = match (&camera.perspective, &camera.orthographic) {
            (Some(perspective), _) => perspective.aspect_ratio,
            (_, Some(_)) if let Some(aspect) = sunfleck.and_then(|camera| camera.aspect_ratio) => {
                Some(aspect)
            }
            // glTF requires both extents: a square says nothing of the aspect ratio
            (_, Some(parallel)) => {
                parallel.xmag.map(|x| (x / parallel.ymag).abs()).filter(|&aspect| aspect != 1.0)
            }
            _ => None,
        };
        let aspect_ratio = aspect_ratio.filter(|aspect| VALID_ASPECT_RATIOS.contains(aspect));
        let film = sunfleck.and_then(|camera| {
            let [width, height] = camera.film?;
            Some(CameraFilm { width, height, crop: camera.crop })
        });
        if film.is_some_and(|film| !film.is_valid()) {
            let message =
                "the film is empty or too large, or its crop window is not inside of it: it is ignored";
            self.report.warn(location(), message);
        }
        let film = film.filter(CameraFilm::is_valid);
        let id = self.scene.add_camera(Camera { name, projection, aspect_ratio, film }).at(location)?;
        self.cameras.insert(index, id);
        Ok(Some(id))
    }

    /// Returns a light, which is imported at the first use; `None`, with a warning, if its kind is not known.
    pub(super) fn light(&mut self, index: usize, from: &str) -> Result<Option<LightId>, ParseError> {
        if let Some(&light) = self.lights.get(&index) {
            return Ok(Some(light));
        }
        let lights = &self.root.extensions.lights_punctual.lights;
        let light = lights.get(index).ok_or_else(|| {
            let message = format!("there is no light {index}; there are {}", lights.len());
            ParseError::malformed(
                FileLocation::Json(format!("{from}.extensions.KHR_lights_punctual.light")),
                message,
            )
        })?;
        let location = || FileLocation::Json(format!("extensions.KHR_lights_punctual.lights[{index}]"));
        if light.kind == model::LightKind::Unknown {
            self.report.warn(location(), "the type of the light is not supported: the light is ignored");
            return Ok(None);
        }
        if light.range.is_some() {
            self.report
                .note(location(), "the range is ignored: the light falls off with the inverse square of the distance at any distance");
        }
        let kind = match light.kind {
            model::LightKind::Point | model::LightKind::Unknown => LightKind::Point,
            model::LightKind::Directional => LightKind::Directional,
            model::LightKind::Spot => LightKind::Spot {
                inner_radians: light.spot.inner_cone_angle,
                outer_radians: light.spot.outer_cone_angle,
                falloff: light.extensions.sunfleck.as_ref().map(|own| own.falloff).unwrap_or_default(),
            },
        };
        let name = self.name(&light.name, "light", index);
        let emission = Vec3::from_array(light.color) * light.intensity;
        let id = self.scene.add_light(Light { name, emission, kind }).at(location)?;
        self.lights.insert(index, id);
        Ok(Some(id))
    }
}

/// Node that is still to be added.
struct PendingNode {
    index: usize,
    parent: Option<NodeId>,
    /// Number of ancestors.
    depth: usize,
    /// JSON path of the reference.
    from: String,
}
