//! Animations: the channels of a glTF animation become motions of nodes and of weights of morph targets.

use std::collections::BTreeMap;

use glam::DMat4;
use sunfleck_math::Vec3;
use sunfleck_scene::{
    Animation, Curve, Interpolation, MeshId, NodeId, NodeMotion, NodeTransform, WeightMotion,
};

use crate::FileLocation;
use crate::error::ParseError;

use super::Importer;
use super::model;

impl Importer<'_> {
    /// Adds all animations. An invalid one is ignored with a warning, since the scene can be rendered without it.
    pub(super) fn add_animations(&mut self) {
        for (index, animation) in self.root.animations.iter().enumerate() {
            let path = format!("animations[{index}]");
            if let Err(error) = self.add_animation(index, animation, &path) {
                let message = format!("the animation is ignored: {}", error.problem);
                self.report.warn(error.location, message);
            }
        }
    }

    fn add_animation(
        &mut self,
        index: usize,
        animation: &model::Animation,
        path: &str,
    ) -> Result<(), ParseError> {
        let name = self.name(&animation.name, "animation", index);
        let mut made = Animation { name, ..Animation::default() };
        let mut motions: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut ignored = 0;
        for (i, channel) in animation.channels.iter().enumerate() {
            let path = format!("{path}.channels[{i}]");
            let target = channel.target.node.and_then(|node| Some((node, *self.nodes.get(&node)?)));
            let Some((node_index, node)) = target else {
                ignored += 1;
                continue;
            };
            if channel.target.path == "weights" {
                match self.weight_motion(animation, channel, node, &path)? {
                    Some(motion) => made.weights.push(motion),
                    None => ignored += 1,
                }
                continue;
            }
            let motion = *motions.entry(node).or_insert_with(|| {
                let rest = self.rest_pose(node_index);
                made.nodes.push(NodeMotion { node, rest, translation: None, rotation: None, scale: None });
                made.nodes.len() - 1
            });
            let motion = &mut made.nodes[motion];
            let (curve, shape) = match channel.target.path.as_str() {
                "translation" => (&mut motion.translation, "VEC3"),
                "rotation" => (&mut motion.rotation, "VEC4"),
                "scale" => (&mut motion.scale, "VEC3"),
                other => {
                    let message =
                        format!("the target path {other:?} is not supported: the channel is ignored");
                    self.report.warn(FileLocation::Json(format!("{path}.target.path")), message);
                    continue;
                }
            };
            let mut keys = self.curve(animation, channel, shape, &path)?;
            if channel.target.path == "translation" {
                self.place(node_index, &mut keys);
            }
            *curve = Some(keys);
        }
        if ignored > 0 {
            let message = format!("channels ignored because their targets are not in the scene: {ignored}");
            self.report.note(FileLocation::Json(format!("{path}.channels")), message);
        }
        // Unsupported channels leave motions without curves
        made.nodes.retain(|motion| {
            motion.translation.is_some() || motion.rotation.is_some() || motion.scale.is_some()
        });
        if made.nodes.is_empty() && made.weights.is_empty() {
            return Err(ParseError::malformed(
                FileLocation::Json(path.to_string()),
                "no channel has a supported target in the scene",
            ));
        }
        let added = self.scene.add_animation(made);
        added
            .map(drop)
            .map_err(|error| ParseError::malformed(FileLocation::Json(path.to_string()), error.to_string()))
    }

    /// Returns the motion of weights; `None` if the mesh of the node has no morph targets.
    fn weight_motion(
        &self,
        animation: &model::Animation,
        channel: &model::Channel,
        node: NodeId,
        path: &str,
    ) -> Result<Option<WeightMotion>, ParseError> {
        let instance = self.scene.node(node).and_then(|node| node.instance.as_ref());
        let Some(mesh) = instance.map(|instance| instance.mesh) else { return Ok(None) };
        let Some(rest) = self.rest_weights(mesh) else { return Ok(None) };
        let weights = self.curve(animation, channel, "SCALAR", path)?;
        Ok(Some(WeightMotion { mesh, rest, weights }))
    }

    fn rest_weights(&self, mesh: MeshId) -> Option<Vec<f32>> {
        let rest = self.rest_weights.get(&mesh)?;
        (!rest.is_empty()).then(|| rest.clone())
    }

    fn curve(
        &self,
        animation: &model::Animation,
        channel: &model::Channel,
        shape: &str,
        path: &str,
    ) -> Result<Curve, ParseError> {
        let sampler = animation.samplers.get(channel.sampler).ok_or_else(|| {
            let message =
                format!("there is no sampler {}; there are {}", channel.sampler, animation.samplers.len());
            ParseError::malformed(FileLocation::Json(format!("{path}.sampler")), message)
        })?;
        let from = |name| format!("{path}.sampler.{name}");
        let times = self.accessors.reals::<1>(sampler.input, &["SCALAR"], 0.0, &from("input"))?;
        let (accessors, from) = (&self.accessors, from("output"));
        let values = match shape {
            "VEC3" => accessors.reals::<3>(sampler.output, &[shape], 0.0, &from)?.into_flattened(),
            "VEC4" => accessors.reals::<4>(sampler.output, &[shape], 0.0, &from)?.into_flattened(),
            _ => accessors.reals::<1>(sampler.output, &[shape], 0.0, &from)?.into_flattened(),
        };
        self.accessors.spend((times.len() + values.len()) * size_of::<f32>(), path)?;
        Ok(Curve { interpolation: sampler.interpolation.into(), times_secs: times.into_flattened(), values })
    }

    /// Makes the translations of a node relative to the origin of the scene.
    fn place(&self, node: usize, curve: &mut Curve) {
        let is_cubic = curve.interpolation == Interpolation::CubicSpline;
        for (i, value) in curve.values.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            // A key of a spline has tangents before and after its value
            if !is_cubic || i % 3 == 1 {
                *value = self.placement.translation(node, Vec3::from_array(*value).as_dvec3()).to_array();
            }
        }
    }

    /// Returns the rest pose of a node. glTF forbids a matrix on animated nodes, but some files have one.
    fn rest_pose(&self, index: usize) -> NodeTransform {
        let Some(node) = self.root.nodes.get(index) else { return NodeTransform::default() };
        if let Some(matrix) = &node.matrix {
            let (scale, rotation, translation) =
                DMat4::from_cols_array(matrix).as_mat4().to_scale_rotation_translation();
            let translation = self.placement.translation(index, translation.as_dvec3());
            let rotation = if rotation.is_finite() { rotation.to_array() } else { [0.0, 0.0, 0.0, 1.0] };
            return NodeTransform { translation, rotation, scale };
        }
        let default = NodeTransform::default();
        NodeTransform {
            translation: self.placement.translation(index, node.translation.unwrap_or_default().into()),
            rotation: node.rotation.unwrap_or(default.rotation),
            scale: node.scale.map_or(default.scale, Vec3::from_array),
        }
    }
}
