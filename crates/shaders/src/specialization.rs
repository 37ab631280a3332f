//! Constants by which a linked shader is specialised for a world.

use crate::surface_feature::{SurfaceFeature, SurfaceFeatures};

/// Values of the `override` constants of shaders, and the length of traversal stacks: what a world and its rays require
/// of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// Entries of the traversal stack of a ray: the inner nodes on the longest path through both levels to a leaf, plus
    /// two. The stack lives in registers and thread-private memory, so a short stack is fast.
    pub stack: u32,
    /// Whether some instances have a transform other than the identity.
    pub instances: bool,
    /// Whether some surfaces are shapes instead of triangles.
    pub shapes: bool,
    /// Whether some shapes are bicubic patches.
    pub patches: bool,
    /// Features of the surfaces.
    pub surface_features: SurfaceFeatures,
    /// Whether some rays have a negative `t_near` (the sign bit counts: -0 is negative, too).
    pub negative_t_near: bool,
    /// Whether short paths compensate for the light that the clamping of geometry terms removes.
    pub compensates: bool,
}

impl Specialization {
    /// Returns the specialisation for worlds and rays with all features.
    pub fn with_everything(stack: u32) -> Self {
        Self {
            stack,
            instances: true,
            shapes: true,
            patches: true,
            surface_features: SurfaceFeatures::ALL,
            negative_t_near: true,
            compensates: true,
        }
    }

    /// Returns the value of the constant with a name, `None` if there is no such constant.
    pub(crate) fn value(&self, name: &str) -> Option<bool> {
        match name {
            "INSTANCES" => Some(self.instances),
            "SHAPES" => Some(self.shapes),
            "PATCHES" => Some(self.patches),
            "BEHIND" => Some(self.negative_t_near),
            "COMPENSATES" => Some(self.compensates),
            _ => SurfaceFeature::ALL
                .into_iter()
                .find(|feature| feature.constant() == name)
                .map(|feature| self.surface_features.contains(feature)),
        }
    }
}
