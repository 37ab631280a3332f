//! Ids of the objects of a scene. An id is never reused, so a stale id finds no object instead of a different one.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $noun:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($noun, " {}"), self.0)
            }
        }

        impl From<u32> for $name {
            fn from(index: u32) -> Self {
                Self(index)
            }
        }
    )*};
}

ids! {
    /// Id of a [`crate::Mesh`].
    MeshId, "mesh";
    /// Id of a [`crate::Texture`].
    TextureId, "texture";
    /// Id of a [`crate::Material`].
    MaterialId, "material";
    /// Id of a [`crate::Light`].
    LightId, "light";
    /// Id of a [`crate::Camera`].
    CameraId, "camera";
    /// Id of a [`crate::Animation`].
    AnimationId, "animation";
    /// Id of a [`crate::Node`].
    NodeId, "node";
}
