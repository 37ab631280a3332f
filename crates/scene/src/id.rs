//! Stable handles: an id is never given to a second thing, so a stale one finds nothing instead of something else.

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
    /// Handle of a [`crate::Mesh`].
    MeshId, "mesh";
    /// Handle of a [`crate::Texture`].
    TextureId, "texture";
    /// Handle of a [`crate::Material`].
    MaterialId, "material";
    /// Handle of a [`crate::Light`].
    LightId, "light";
    /// Handle of a [`crate::Camera`].
    CameraId, "camera";
    /// Handle of a [`crate::Animation`].
    AnimationId, "animation";
    /// Handle of a [`crate::Node`].
    NodeId, "node";
}
