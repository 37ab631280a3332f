use serde::{Deserialize, Serialize};
use sunfleck_math::transform::from_translation_rotation_scale;
use sunfleck_math::{Affine3, Vec3};

use crate::{Curve, MeshId, NodeId};

/// Animation of the transforms of nodes and of the weights of morph targets. [`crate::Scene::pose`] evaluates it at a
/// time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Animation {
    /// Name, for display only.
    pub name: String,
    /// Motions of nodes.
    pub nodes: Vec<NodeMotion>,
    /// Motions of the weights of morph targets.
    pub weights: Vec<WeightMotion>,
}

/// Motion of a node relative to its parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeMotion {
    /// Animated node.
    pub node: NodeId,
    /// Rest pose, which also provides the components without a curve.
    pub rest: NodeTransform,
    /// Translation; three numbers per keyframe.
    pub translation: Option<Curve>,
    /// Rotation; quaternions x, y, z, w.
    pub rotation: Option<Curve>,
    /// Scale; three numbers per keyframe.
    pub scale: Option<Curve>,
}

/// Motion of the weights of the morph targets of a [`crate::Deformer`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightMotion {
    /// Mesh of the deformer.
    pub mesh: MeshId,
    /// Weights in the rest pose.
    pub rest: Vec<f32>,
    /// Weights; one number per morph target and keyframe.
    pub weights: Curve,
}

/// Transform as translation, rotation and scale: it scales first, then rotates, then translates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeTransform {
    /// Translation, metres.
    pub translation: Vec3,
    /// Rotation as a quaternion x, y, z, w of any positive length.
    pub rotation: [f32; 4],
    /// Scale along the axes of the node.
    pub scale: Vec3,
}

impl Default for NodeTransform {
    fn default() -> Self {
        Self { translation: Vec3::ZERO, rotation: [0.0, 0.0, 0.0, 1.0], scale: Vec3::ONE }
    }
}

impl NodeTransform {
    /// Returns the transform from the node to its parent.
    pub fn parent_from_node(&self) -> Affine3 {
        from_translation_rotation_scale(self.translation, self.rotation, self.scale)
    }
}

impl Animation {
    /// Returns the time of the last keyframe; the animation starts at 0.
    pub fn duration_secs(&self) -> f32 {
        let node_curves = self.nodes.iter().flat_map(|motion| motion.curves().map(|(curve, _)| curve));
        let weight_curves = self.weights.iter().map(|motion| &motion.weights);
        node_curves.chain(weight_curves).map(Curve::end_secs).fold(0.0, f32::max)
    }
}

impl NodeMotion {
    /// Evaluates the transform of the node at a time.
    pub fn at(&self, time_secs: f32) -> NodeTransform {
        let vector = |curve: &Option<Curve>, rest: Vec3| {
            curve.as_ref().map_or(rest, |curve| Vec3::from_array(curve.vector(time_secs)))
        };
        NodeTransform {
            translation: vector(&self.translation, self.rest.translation),
            rotation: self.rotation.as_ref().map_or(self.rest.rotation, |curve| curve.rotation(time_secs)),
            scale: vector(&self.scale, self.rest.scale),
        }
    }

    /// Returns the curves with their numbers of components.
    pub(crate) fn curves(&self) -> impl Iterator<Item = (&Curve, usize)> {
        let curves = [(&self.translation, 3), (&self.rotation, 4), (&self.scale, 3)];
        curves.into_iter().filter_map(|(curve, width)| Some((curve.as_ref()?, width)))
    }
}
