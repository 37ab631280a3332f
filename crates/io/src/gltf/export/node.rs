//! Nodes, cameras and lights.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sunfleck_scene::{Camera, Light, LightKind, Node, NodeId, Projection, SpotFalloff};

use super::mesh::Meshes;
use super::number::{factor_and_strength, number, numbers};
use super::{Exporter, extend, extension, named};
use crate::FileLocation;

/// Near and far plane, which glTF requires; cameras of a scene have none.
const NEAR: f32 = 0.01;
const FAR: f32 = 10_000.0;

impl Exporter<'_> {
    /// Writes all nodes and meshes.
    pub(super) fn nodes_and_meshes(&mut self) -> (Vec<Value>, Vec<Value>) {
        let mut children: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (id, node) in self.scene.nodes() {
            if let Some(parent) = node.parent {
                children.entry(parent).or_default().push(self.indices.nodes[&id]);
            }
        }
        let scene = self.scene;
        let mut meshes = self.meshes();
        let nodes = scene.nodes().map(|(id, node)| {
            let mut json = self.node(id, node, &mut meshes);
            if let Some(children) = children.get(&id) {
                json["children"] = json!(children);
            }
            json
        });
        let nodes = nodes.collect();
        (nodes, meshes.json)
    }

    fn node(&mut self, id: NodeId, node: &Node, meshes: &mut Meshes) -> Value {
        let mut json = named(&node.name);
        self.placement(id, node, &mut json);
        if let Some(instance) = &node.instance {
            self.instance(instance, meshes, &mut json);
            let deformer = self.scene.deformer(instance.mesh);
            if let Some(skin) = deformer.and_then(|deformer| deformer.skin.as_ref())
                && json.get("mesh").is_some()
                && let Some(skin) = self.skin(skin)
            {
                json["skin"] = skin.into();
            }
        }
        if let Some(camera) = node.camera {
            json["camera"] = self.indices.cameras[&camera].into();
        }
        if let Some(light) = node.light {
            self.extensions.insert("KHR_lights_punctual");
            extend(&mut json, "KHR_lights_punctual", json!({ "light": self.indices.lights[&light] }));
        }
        if !node.visible {
            self.extensions.insert("KHR_node_visibility");
            extend(&mut json, "KHR_node_visibility", json!({ "visible": false }));
        }
        json
    }

    pub(super) fn cameras(&mut self) -> Vec<Value> {
        let scene = self.scene;
        scene.cameras().map(|(_, camera)| self.camera(camera)).collect()
    }

    fn camera(&mut self, camera: &Camera) -> Value {
        let mut json = named(&camera.name);
        if let Some(film) = camera.film {
            *extension(&mut json) = json!({ "film": [film.width, film.height] });
            if let Some(crop) = film.crop {
                extension(&mut json)["crop"] = json!(crop);
            }
        }
        let (fov, lens) = match camera.projection {
            Projection::Orthographic { height } => {
                let half = 0.5 * height;
                let half_width = number(half * camera.aspect_ratio.unwrap_or(1.0));
                json["type"] = "orthographic".into();
                json["orthographic"] =
                    json!({ "xmag": half_width, "ymag": number(half), "znear": 0, "zfar": number(FAR) });
                if let Some(aspect) = camera.aspect_ratio {
                    extension(&mut json)["aspectRatio"] = number(aspect);
                }
                return json;
            }
            Projection::Perspective { fov_y_radians } => (fov_y_radians, None),
            Projection::ThinLens { fov_y_radians, lens_radius, focus_distance } => {
                (fov_y_radians, Some((lens_radius, focus_distance)))
            }
        };
        json["type"] = "perspective".into();
        json["perspective"] = json!({ "yfov": number(fov), "znear": number(NEAR) });
        if let Some(aspect) = camera.aspect_ratio {
            json["perspective"]["aspectRatio"] = number(aspect);
        }
        if let Some((radius, distance)) = lens {
            extension(&mut json)["lensRadius"] = number(radius);
            extension(&mut json)["focusDistance"] = number(distance);
        }
        json
    }

    /// Writes all lights, including those without a node.
    pub(super) fn lights(&mut self) -> Vec<Value> {
        let lights: Vec<Value> = self.scene.lights().map(|(_, light)| punctual(light)).collect();
        self.note_falloffs();
        if !lights.is_empty() {
            self.extensions.insert("KHR_lights_punctual");
        }
        lights
    }

    /// Notes the spots whose falloff is not that of glTF.
    fn note_falloffs(&mut self) {
        let is_own = |light: &Light| match light.kind {
            LightKind::Spot { falloff, .. } => falloff != SpotFalloff::Quadratic,
            _ => false,
        };
        let count = self.scene.lights().filter(|(_, light)| is_own(light)).count();
        if count > 0 {
            let message = format!("spots of which other programs see the falloff of glTF: {count}");
            self.report.note(FileLocation::Json("extensions.KHR_lights_punctual.lights".into()), message);
        }
    }
}

fn punctual(light: &Light) -> Value {
    let mut json = named(&light.name);
    let (color, intensity) = factor_and_strength(light.emission.to_array());
    json["color"] = numbers(color);
    json["intensity"] = number(intensity);
    json["type"] = match light.kind {
        LightKind::Point => "point",
        LightKind::Directional => "directional",
        LightKind::Spot { inner_radians, outer_radians, falloff } => {
            json["spot"] =
                json!({ "innerConeAngle": number(inner_radians), "outerConeAngle": number(outer_radians) });
            if falloff != SpotFalloff::Quadratic {
                *extension(&mut json) = json!({ "falloff": falloff });
            }
            "spot"
        }
    }
    .into();
    json
}
