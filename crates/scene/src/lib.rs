//! Scene description: meshes, nodes, materials, textures, lights, cameras, the environment and animations as plain,
//! validated data.
//!
//! A [`Scene`] is changed only by applying a [`SceneEdit`]. An edit refers to an object by a stable id, is validated
//! before it takes effect, and returns its inverse, so edits can be serialised, transmitted, replayed and, with a
//! [`Journal`], undone. A scene never contains an invalid index: a [`Mesh`] is validated when it is created, references
//! between objects when an edit is applied.
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
//! Conventions: right-handed, y up, metres, radians; a camera or light points along the −z axis of its node. Colours
//! are linear Rec. 709. Photometric units are equated with radiometric ones: 1 cd with 1 W/sr, 1 nit with 1 W/(m² sr).
#![forbid(unsafe_code)]

mod animation;
mod camera;
mod check;
mod check_motion;
mod curve;
mod deform;
mod deformer;
mod edit;
mod environment;
mod flatten;
mod hierarchy;
mod id;
mod insertion;
mod journal;
mod light;
mod material;
mod medium;
mod mesh;
mod node;
pub mod parameter;
mod pose;
mod procedural;
mod removal;
mod scene;
mod surface;
mod tessellation;
mod texture;
mod texture_ref;

pub use animation::{Animation, NodeMotion, NodeTransform, WeightMotion};
pub use camera::{Camera, CameraFilm, MAX_FILM_EDGE, Projection, VALID_ASPECT_RATIOS};
pub use curve::{Curve, Interpolation};
pub use deformer::{Deformer, Influences, MorphTarget, Skin};
pub use edit::{EditError, SceneEdit};
pub use environment::Environment;
pub use flatten::{WorldCamera, WorldInstance, WorldLight};
pub use id::{AnimationId, CameraId, LightId, MaterialId, MeshId, NodeId, TextureId};
pub use journal::Journal;
pub use light::{Light, LightKind, SpotFalloff};
pub use material::{Alpha, Emission, Material, NormalMap};
pub use medium::{Media, Medium};
pub use mesh::{Mesh, MeshData, MeshError};
pub use node::{Instance, Node};
pub use pose::PoseError;
pub use procedural::{Bricks, Marble, Pattern, Procedural, Wood};
pub use scene::Scene;
pub use surface::Surface;
pub use tessellation::Tessellation;
pub use texture::{Texels, Texture, TextureError, TextureFilter, Wrap};
pub use texture_ref::{ColorTexture, TextureRef};
