//! What a renderer shows, as plain validated data: meshes, nodes, materials, textures, lights, cameras, environment, and
//! how they move.
//!
//! A [`Scene`] changes in one way only: by applying a [`SceneEdit`]. An edit names the thing
//! it sets by a stable id, is checked before it takes effect, and yields its own inverse; so edits can be
//! serialised, sent, replayed and, through a [`Journal`], undone. The types cannot hold a bad index: a [`Mesh`] is
//! checked when it is made, references between things when they are applied.
//!
//! ```
//! use sunfleck_scene::{Journal, Material, Scene, SceneEdit};
//!
//! let mut scene = Scene::default();
//! let mut journal = Journal::default();
//! let id = scene.next_material_id();
//! let red = Material::lambert("red", sunfleck_math::vec3(0.6, 0.1, 0.1));
//! journal.apply(&mut scene, SceneEdit::Material { id, material: Some(red) })?;
//! assert!(scene.material(id).is_some());
//! journal.undo(&mut scene)?;
//! assert!(scene.material(id).is_none());
//! # Ok::<(), sunfleck_scene::EditError>(())
//! ```
//!
//! Conventions: right-handed, y up, metres, radians; a camera or light looks along its node's −z. Colours are linear
//! Rec. 709. Radiometric and photometric values share one number: a candela counts as 1 W/sr, a nit as 1 W/(m² sr).
#![forbid(unsafe_code)]

mod animation;
mod camera;
mod check;
mod curve;
mod deform;
mod deformer;
mod edit;
mod environment;
mod flatten;
mod id;
mod journal;
mod light;
mod material;
mod mesh;
mod motion;
mod node;
pub mod parameter;
mod pose;
mod procedural;
mod removal;
mod scene;
mod surface;
mod texture;
mod texture_ref;

pub use animation::{Animation, NodeMotion, Placement, WeightMotion};
pub use camera::{Camera, Projection};
pub use curve::{Curve, Interpolation};
pub use deformer::{Deformer, Influences, MorphTarget, Skin};
pub use edit::{EditError, SceneEdit};
pub use environment::{Environment, soft_sky};
pub use flatten::{WorldCamera, WorldInstance, WorldLight};
pub use id::{AnimationId, CameraId, LightId, MaterialId, MeshId, NodeId, TextureId};
pub use journal::Journal;
pub use light::{Light, LightKind};
pub use material::{Alpha, Emission, Material, NormalMap};
pub use mesh::{Mesh, MeshData, MeshError};
pub use node::{Instance, Node};
pub use pose::PoseError;
pub use procedural::{Bricks, Marble, Pattern, Procedural, Wood};
pub use scene::Scene;
pub use surface::Surface;
pub use texture::{Texels, Texture, TextureError, TextureFilter, Wrap};
pub use texture_ref::{ColorTexture, TextureRef};
