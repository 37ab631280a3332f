use serde::{Deserialize, Serialize};
use sunfleck_math::transform::from_translation_rotation_scale;
use sunfleck_math::{Affine3, Vec3};

use crate::{Curve, MeshId, NodeId};

/// A movement of nodes, and of the weights of morph targets. [`crate::Scene::pose`] shows a moment of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Animation {
    /// For people.
    pub name: String,
    /// The nodes that move.
    pub nodes: Vec<NodeMotion>,
    /// The meshes whose morph targets come and go.
    pub weights: Vec<WeightMotion>,
}

/// How a node moves in its parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeMotion {
    /// Which.
    pub node: NodeId,
    /// Where it stands without the animation, and what holds for parts that do not move.
    pub rest: Placement,
    /// Three numbers for each key.
    pub translation: Option<Curve>,
    /// Quaternions x, y, z, w.
    pub rotation: Option<Curve>,
    /// Three numbers for each key.
    pub scale: Option<Curve>,
}

/// How the weights of the morph targets of a [`crate::Deformer`] change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightMotion {
    /// Whose deformer.
    pub mesh: MeshId,
    /// The weights without the animation.
    pub rest: Vec<f32>,
    /// A number for each target for each key.
    pub weights: Curve,
}

/// A transform in parts: first scales, then rotates, then translates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Metres.
    pub translation: Vec3,
    /// Quaternion x, y, z, w, of any positive length.
    pub rotation: [f32; 4],
    /// Along the node's axes.
    pub scale: Vec3,
}

impl Default for Placement {
    fn default() -> Self {
        Self { translation: Vec3::ZERO, rotation: [0.0, 0.0, 0.0, 1.0], scale: Vec3::ONE }
    }
}

impl Placement {
    /// The transform.
    pub fn parent_from_node(&self) -> Affine3 {
        from_translation_rotation_scale(self.translation, self.rotation, self.scale)
    }
}

impl Animation {
    /// When its last key is; it begins at 0.
    pub fn duration_secs(&self) -> f32 {
        let of_nodes = self.nodes.iter().flat_map(|motion| motion.curves().map(|(curve, _)| curve));
        let of_weights = self.weights.iter().map(|motion| &motion.weights);
        of_nodes.chain(of_weights).map(Curve::end_secs).fold(0.0, f32::max)
    }
}

impl NodeMotion {
    /// Where the node is at a moment.
    pub fn at(&self, time_secs: f32) -> Placement {
        let vector = |curve: &Option<Curve>, rest: Vec3| {
            curve.as_ref().map_or(rest, |curve| Vec3::from_array(curve.vector(time_secs)))
        };
        Placement {
            translation: vector(&self.translation, self.rest.translation),
            rotation: self.rotation.as_ref().map_or(self.rest.rotation, |curve| curve.rotation(time_secs)),
            scale: vector(&self.scale, self.rest.scale),
        }
    }

    /// Those that there are, each with how many numbers a key has.
    pub(crate) fn curves(&self) -> impl Iterator<Item = (&Curve, usize)> {
        let curves = [(&self.translation, 3), (&self.rotation, 4), (&self.scale, 3)];
        curves.into_iter().filter_map(|(curve, width)| Some((curve.as_ref()?, width)))
    }
}
