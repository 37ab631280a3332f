//! Animations: the channels of a glTF animation become movements of nodes and of weights.

use std::collections::BTreeMap;

use sunfleck_math::{Mat4, Vec3};
use sunfleck_scene::{Animation, Curve, MeshId, NodeId, NodeMotion, Placement, WeightMotion};

use crate::FileLocation;
use crate::error::Fault;

use super::Importer;
use super::model;

impl Importer<'_> {
    /// Adds all animations. One whose numbers make no sense is left out with a warning: what it moves can be seen without it.
    pub(super) fn add_animations(&mut self) {
        for (index, animation) in self.root.animations.iter().enumerate() {
            let path = format!("animations[{index}]");
            if let Err(fault) = self.add_animation(index, animation, &path) {
                let message = format!("the animation is left out: {}", fault.problem);
                self.report.warn(fault.place, message);
            }
        }
    }

    fn add_animation(&mut self, index: usize, animation: &model::Animation, path: &str) -> Result<(), Fault> {
        let name = self.name(&animation.name, "animation", index);
        let mut made = Animation { name, ..Animation::default() };
        let mut motions: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut elsewhere = 0;
        for (i, channel) in animation.channels.iter().enumerate() {
            let path = format!("{path}.channels[{i}]");
            let target = channel.target.node.and_then(|node| Some((node, *self.nodes.get(&node)?)));
            let Some((node_index, node)) = target else {
                elsewhere += 1;
                continue;
            };
            if channel.target.path == "weights" {
                match self.weight_motion(animation, channel, node, &path)? {
                    Some(motion) => made.weights.push(motion),
                    None => elsewhere += 1,
                }
                continue;
            }
            let motion = *motions.entry(node).or_insert_with(|| {
                let rest = self.rest(node_index);
                made.nodes.push(NodeMotion { node, rest, translation: None, rotation: None, scale: None });
                made.nodes.len() - 1
            });
            let motion = &mut made.nodes[motion];
            let (curve, shape) = match channel.target.path.as_str() {
                "translation" => (&mut motion.translation, "VEC3"),
                "rotation" => (&mut motion.rotation, "VEC4"),
                "scale" => (&mut motion.scale, "VEC3"),
                other => {
                    let message = format!("{other:?} cannot be animated: the channel is left out");
                    self.report.warn(FileLocation::Json(format!("{path}.target.path")), message);
                    continue;
                }
            };
            *curve = Some(self.curve(animation, channel, shape, &path)?);
        }
        if elsewhere > 0 {
            let message = format!("channels for things that are not in the scene: {elsewhere}");
            self.report.note(FileLocation::Json(format!("{path}.channels")), message);
        }
        // Channels of a kind that we don't know leave motions without curves
        made.nodes.retain(|motion| {
            motion.translation.is_some() || motion.rotation.is_some() || motion.scale.is_some()
        });
        if made.nodes.is_empty() && made.weights.is_empty() {
            return Err(Fault::malformed(
                FileLocation::Json(path.to_string()),
                "it moves nothing that is shown",
            ));
        }
        let added = self.scene.add_animation(made);
        added
            .map(drop)
            .map_err(|error| Fault::malformed(FileLocation::Json(path.to_string()), error.to_string()))
    }

    /// Nothing if the node shows nothing that has weights.
    fn weight_motion(
        &self,
        animation: &model::Animation,
        channel: &model::Channel,
        node: NodeId,
        path: &str,
    ) -> Result<Option<WeightMotion>, Fault> {
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
    ) -> Result<Curve, Fault> {
        let sampler = animation.samplers.get(channel.sampler).ok_or_else(|| {
            let message =
                format!("there is no sampler {}; there are {}", channel.sampler, animation.samplers.len());
            Fault::malformed(FileLocation::Json(format!("{path}.sampler")), message)
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

    /// Where a node stands without any animation. Nodes with matrices should not be animated, but are.
    fn rest(&self, index: usize) -> Placement {
        let Some(node) = self.root.nodes.get(index) else { return Placement::default() };
        if let Some(matrix) = &node.matrix {
            let (scale, rotation, translation) =
                Mat4::from_cols_array(matrix).to_scale_rotation_translation();
            let rotation = if rotation.is_finite() { rotation.to_array() } else { [0.0, 0.0, 0.0, 1.0] };
            return Placement { translation, rotation, scale };
        }
        let default = Placement::default();
        Placement {
            translation: node.translation.map_or(default.translation, Vec3::from_array),
            rotation: node.rotation.unwrap_or(default.rotation),
            scale: node.scale.map_or(default.scale, Vec3::from_array),
        }
    }
}
