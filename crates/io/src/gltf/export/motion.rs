//! Skins, morph targets and animations.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sunfleck_math::{Affine3, Mat4, Vec3};
use sunfleck_scene::{
    Animation, Curve, Deformer, Influences, Interpolation, MeshId, MorphTarget, Node, NodeId, NodeTransform,
    Scene, Skin,
};

use crate::FileLocation;

use super::number::numbers;
use super::{Exporter, extension, named, number};

/// Rest pose of the scene, which other programs show without animations. If the rest poses of animations differ, that
/// of the first one is taken.
#[derive(Default)]
pub(super) struct RestPose {
    pub(super) nodes: BTreeMap<NodeId, NodeTransform>,
    pub(super) weights: BTreeMap<MeshId, Vec<f32>>,
    /// Whether all animations have the same rest pose.
    is_consistent: bool,
}

/// Skins of the file, each written once.
#[derive(Default)]
pub(super) struct Skins {
    pub(super) json: Vec<Value>,
    known: Vec<Arc<Skin>>,
}

impl RestPose {
    pub(super) fn of(scene: &Scene) -> Self {
        let mut rest = Self { is_consistent: true, ..Self::default() };
        for (_, animation) in scene.animations() {
            for motion in &animation.nodes {
                let first = rest.nodes.entry(motion.node).or_insert(motion.rest);
                rest.is_consistent &= *first == motion.rest;
            }
            for motion in &animation.weights {
                let first = rest.weights.entry(motion.mesh).or_insert_with(|| motion.rest.clone());
                rest.is_consistent &= *first == motion.rest;
            }
        }
        rest
    }
}

impl Exporter<'_> {
    /// Reports what is lost of poses and animations.
    pub(super) fn report_motion(&mut self) {
        if !self.rest.is_consistent {
            let message =
                "the rest poses of the animations differ: only that of the first animation is written";
            self.report.warn(FileLocation::Json("animations".into()), message);
        }
        if self.scene.deform().is_ok_and(|edits| !edits.is_empty()) {
            let message = "deformed meshes are written in the pose of their joints and weights, which differs from their current vertices";
            self.report.warn(FileLocation::Json("meshes".into()), message);
        }
    }

    /// Writes the transform of a node: as translation, rotation and scale if it is animated, otherwise as a matrix.
    pub(super) fn placement(&self, id: NodeId, node: &Node, json: &mut Value) {
        // Compared by bits, so that the signs of zeros are kept
        let bits = |m: &Affine3| m.to_cols_array().map(f32::to_bits);
        let now = &node.parent_from_node;
        let Some(rest) = self.rest.nodes.get(&id) else {
            if bits(now) != bits(&Affine3::IDENTITY) {
                json["matrix"] = numbers(Mat4::from(*now).to_cols_array());
            }
            return;
        };
        let default = NodeTransform::default();
        if rest.translation != default.translation {
            json["translation"] = numbers(rest.translation.to_array());
        }
        if rest.rotation != default.rotation {
            json["rotation"] = numbers(rest.rotation);
        }
        if rest.scale != default.scale {
            json["scale"] = numbers(rest.scale.to_array());
        }
        if bits(now) != bits(&rest.parent_from_node()) {
            extension(json)["matrix"] = numbers(now.to_cols_array());
        }
    }

    /// Writes the weights, the names of morph targets and the skin of a mesh.
    pub(super) fn deformer(&mut self, id: MeshId, deformer: &Deformer, json: &mut Value) {
        if !deformer.targets.is_empty() {
            let rest = self.rest.weights.get(&id).unwrap_or(&deformer.weights);
            let list = |weights: &[f32]| weights.iter().map(|&w| number::number(w)).collect::<Value>();
            json["weights"] = list(rest);
            if *rest != deformer.weights {
                extension(json)["weights"] = list(&deformer.weights);
            }
            let names: Vec<&str> = deformer.targets.iter().map(|target| target.name.as_str()).collect();
            if names.iter().any(|name| !name.is_empty()) {
                json["extras"]["targetNames"] = json!(names);
            }
        }
        if let Some(skin) = deformer.skin.as_ref().and_then(|skin| self.skin(skin)) {
            extension(json)["skin"] = skin.into();
        }
    }

    /// Writes a skin and returns its index; `None` if it has no joints, which glTF forbids.
    pub(super) fn skin(&mut self, skin: &Arc<Skin>) -> Option<usize> {
        if skin.joints.is_empty() {
            let message = format!("the skin `{}` has no joints and is not written", skin.name);
            self.report.warn(FileLocation::Json("skins".into()), message);
            return None;
        }
        let same = |known: &Arc<Skin>| {
            known.name == skin.name
                && known.joints == skin.joints
                && known.joint_from_bind == skin.joint_from_bind
        };
        if let Some(known) = self.skins.known.iter().position(same) {
            return Some(known);
        }
        let matrices = skin.joint_from_bind.iter().map(|m| Mat4::from(*m).to_cols_array());
        let mut json = named(&skin.name);
        json["inverseBindMatrices"] = self.buffer.plain(matrices).into();
        json["joints"] = skin.joints.iter().map(|joint| self.indices.nodes[joint]).collect();
        self.skins.json.push(json);
        self.skins.known.push(skin.clone());
        Some(self.skins.known.len() - 1)
    }

    /// Writes the attributes of joints and weights.
    pub(super) fn influences(&mut self, influences: &[Influences], attributes: &mut Map<String, Value>) {
        for (set, Influences { joints, weights }) in influences.iter().enumerate() {
            attributes.insert(format!("JOINTS_{set}"), self.buffer.joints(joints).into());
            let weights = self.buffer.attribute(weights.iter().copied());
            attributes.insert(format!("WEIGHTS_{set}"), weights.into());
        }
    }

    pub(super) fn targets(&mut self, targets: &[MorphTarget]) -> Vec<Value> {
        let target = |target: &MorphTarget| {
            let mut json = json!({});
            if !target.positions.is_empty() {
                json["POSITION"] = self.buffer.positions(target.positions.iter().map(Vec3::to_array)).into();
            }
            for (name, values) in [("NORMAL", &target.normals), ("TANGENT", &target.tangents)] {
                if !values.is_empty() {
                    json[name] = self.buffer.attribute(values.iter().map(Vec3::to_array)).into();
                }
            }
            json
        };
        targets.iter().map(target).collect()
    }

    pub(super) fn animations(&mut self) -> Vec<Value> {
        let scene = self.scene;
        scene.animations().filter_map(|(id, animation)| self.animation(&id.to_string(), animation)).collect()
    }

    fn animation(&mut self, id: &str, animation: &Animation) -> Option<Value> {
        let mut channels = Channels::default();
        for motion in &animation.nodes {
            let node = self.indices.nodes[&motion.node];
            let curves = [
                ("translation", &motion.translation, 3),
                ("rotation", &motion.rotation, 4),
                ("scale", &motion.scale, 3),
            ];
            for (path, curve, width) in curves {
                if let Some(curve) = curve {
                    self.channel(&mut channels, node, path, curve, width);
                }
            }
        }
        for motion in &animation.weights {
            let has_mesh = |node: &Node| node.instance.as_ref().is_some_and(|i| i.mesh == motion.mesh);
            match self.scene.nodes().find(|(_, node)| has_mesh(node)) {
                Some((node, _)) => {
                    let node = self.indices.nodes[&node];
                    self.channel(&mut channels, node, "weights", &motion.weights, 1);
                }
                None => {
                    let message = format!(
                        "{id}: no node has {}, so the animation of its weights is not written",
                        motion.mesh
                    );
                    self.report.warn(FileLocation::Json("animations".into()), message);
                }
            }
        }
        let Channels { channels, samplers, .. } = channels;
        if channels.is_empty() {
            let message = format!("{id} has no channels and is not written");
            self.report.warn(FileLocation::Json("animations".into()), message);
            return None;
        }
        let mut json = named(&animation.name);
        json["channels"] = channels.into();
        json["samplers"] = samplers.into();
        Some(json)
    }

    fn channel<'c>(
        &mut self,
        channels: &mut Channels<'c>,
        node: usize,
        path: &str,
        curve: &'c Curve,
        width: usize,
    ) {
        // The curves of an animation often share the times of their keyframes
        let known = channels.times.iter().find(|(times, _)| *times == curve.times_secs).map(|&(_, at)| at);
        let input = known.unwrap_or_else(|| {
            let accessor = self.buffer.times(&curve.times_secs);
            channels.times.push((&curve.times_secs, accessor));
            accessor
        });
        let values = &curve.values;
        let output = match width {
            3 => self.buffer.plain(values.as_chunks::<3>().0.iter().copied()),
            4 => self.buffer.plain(values.as_chunks::<4>().0.iter().copied()),
            _ => self.buffer.plain(values.as_chunks::<1>().0.iter().copied()),
        };
        let interpolation = match curve.interpolation {
            Interpolation::Step => "STEP",
            Interpolation::Linear => "LINEAR",
            Interpolation::CubicSpline => "CUBICSPLINE",
        };
        let sampler = json!({ "input": input, "output": output, "interpolation": interpolation });
        let target = json!({ "node": node, "path": path });
        channels.channels.push(json!({ "sampler": channels.samplers.len(), "target": target }));
        channels.samplers.push(sampler);
    }
}

/// Builder of an animation's channels and samplers.
#[derive(Default)]
struct Channels<'a> {
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Times that have been written, and their accessors.
    times: Vec<(&'a [f32], usize)>,
}
