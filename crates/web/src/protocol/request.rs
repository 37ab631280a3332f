//! Messages of clients.

use serde::{Deserialize, Serialize};
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::parameter::Value;
use sunfleck_scene::{AnimationId, Camera, EditError, Node, NodeId, Projection, Scene, SceneEdit};

/// Maximum size of a message of a client, in bytes. The largest are edits with a mesh or a texture; files are uploaded
/// over HTTP.
pub(crate) const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Request of a client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Acknowledges that a frame has been shown.
    Shown { frame: u64 },
    /// Moves the camera.
    ///
    /// * `input` — number chosen by the client; frames carry the latest one, so that the client can measure latency.
    Camera { pose: Pose, input: Option<u64> },
    /// Goes back to the initial camera.
    Reset { input: Option<u64> },
    /// Changes settings of rendering and display.
    ///
    /// * `drag` — as of edits, for the exposure: a change of it is an edit of the scene.
    Set { settings: Box<Settings>, drag: Option<u64> },
    /// Requests the object at a position of the image: 0 … 1 from the upper left corner.
    ///
    /// * `pose` — camera pose of the image that the client shows, which may be older than the current one.
    /// * `number` — number chosen by the client, which the answer has, too: a client that does not read gets no answer.
    Pick { x: f32, y: f32, pose: Option<Pose>, number: Option<u64> },
    /// Requests the mask of an object and its descendants, seen from a camera pose.
    ///
    /// * `number` — as of `Pick`.
    Silhouette { node: NodeId, pose: Pose, number: Option<u64> },
    /// Requests the free space around a camera pose, and the surface at a position of its image.
    ///
    /// * `x`, `y` — 0 … 1 from the upper left corner.
    FreeSpace { pose: Pose, x: f32, y: f32 },
    /// Requests a view of nodes and their descendants in which little is in front of them.
    ///
    /// * `sphere` — sphere around them.
    /// * `wanted` — view that is preferred.
    Focus { nodes: Vec<NodeId>, sphere: Sphere, wanted: SphereView },
    /// Sets the stage: `studio`, `sky` or `clay`; without a name, removes the stage and the environment. This
    /// is an undo step.
    ///
    /// * `before` — edits that are part of the step, such as the removal of lights that the stage replaces. They add no
    ///   textures and nodes.
    Stage {
        name: Option<String>,
        #[serde(default)]
        before: Vec<SceneEdit>,
    },
    /// Sets the elevation of the sun of the stage `sky`, in degrees.
    ///
    /// * `drag` — as of edits.
    Sun { elevation: f32, drag: Option<u64>, input: Option<u64> },
    /// Edits the scene.
    ///
    /// * `drag` — consecutive edits with the same number are a single undo step.
    Edit { edit: Box<SceneEdit>, drag: Option<u64>, input: Option<u64> },
    /// Undoes the edits of a drag, if they are the last step; then they cannot be redone.
    CancelDrag { drag: u64, input: Option<u64> },
    /// Removes nodes, their descendants, and everything that refers to them.
    Remove { nodes: Vec<NodeId>, input: Option<u64> },
    /// Moves nodes down or up, so that the lowest point of each lies on the surface below it.
    Drop { nodes: Vec<NodeId>, input: Option<u64> },
    /// Sets the time of an animation, or, without `secs`, the rest pose. This is not an undo step.
    ///
    /// * `plays` — whether the animation is playing: the scene is sent when it stops.
    Moment { animation: AnimationId, secs: Option<f32>, plays: bool, input: Option<u64> },
    /// Undoes the last step.
    Undo,
    /// Redoes the last step that was undone.
    Redo,
    /// Takes over editing, or hands it over to another client.
    Control { take: bool },
    /// Requests the command line that renders the current image.
    ///
    /// * `number` — as of `Pick`.
    CommandLine { number: Option<u64> },
    /// Saves the scene as glTF beside the opened file.
    ///
    /// * `number` — as of `Pick`.
    Save { number: Option<u64> },
    /// Opens a recent scene, by its number in the list.
    Recent { number: u32 },
    /// Opens a built-in scene, by its name in the list.
    BuiltIn { name: String },
    /// Opens a scene with unsaved edits of a server that has ended, or deletes it.
    Recover { number: usize, discard: bool },
}

/// Changes of settings; absent fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Size of the page in device pixels.
    pub(crate) size: Option<[u32; 2]>,
    /// Resolution of the image at rest: its pixels per device pixel of the page, along an edge.
    pub(crate) scale: Option<f32>,
    /// Name of the algorithm. This and the next three fields are those of [`MethodSettings`] for the first image.
    pub(crate) algorithm: Option<String>,
    /// Name of a preset of the algorithm.
    pub(crate) preset: Option<String>,
    /// Name and value of a parameter of the algorithm.
    pub(crate) parameter: Option<(String, Value)>,
    /// Name of the AOV to show; empty for radiance.
    pub(crate) channel: Option<String>,
    /// Whether a second image is shown beside the first.
    pub(crate) split: Option<bool>,
    /// Rendering method of the second image.
    pub(crate) second: Option<MethodSettings>,
    /// Whether exposure is automatic.
    pub(crate) auto_exposure: Option<bool>,
    /// Exposure in stops; turns automatic exposure off.
    pub(crate) exposure: Option<f32>,
    /// Name of the tone curve.
    pub(crate) tone_curve: Option<String>,
    /// Samples per pixel at which rendering at rest stops.
    pub(crate) samples: Option<u32>,
    /// Method of denoising, or `off`.
    pub(crate) denoise: Option<String>,
    /// Target time of a preview, milliseconds.
    pub(crate) frame_ms: Option<u32>,
}

/// Changes of the rendering method of an image; absent fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MethodSettings {
    /// Name of the algorithm, whose parameters start with their defaults.
    pub(crate) algorithm: Option<String>,
    /// Name of a preset of the algorithm.
    pub(crate) preset: Option<String>,
    /// Name and value of a parameter of the algorithm.
    pub(crate) parameter: Option<(String, Value)>,
    /// Name of the AOV to show; empty for radiance.
    pub(crate) channel: Option<String>,
}

impl Settings {
    /// Returns whether they may change a rendering method, or show another one.
    pub(crate) fn changes_methods(&self) -> bool {
        self.first() != MethodSettings::default() || self.second.is_some() || self.split.is_some()
    }

    /// Returns the settings of the first image's rendering method.
    pub(crate) fn first(&self) -> MethodSettings {
        let Self { algorithm, preset, parameter, channel, .. } = self.clone();
        MethodSettings { algorithm, preset, parameter, channel }
    }
}

/// Position, orientation and projection of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pose {
    pub(crate) world_from_view: Affine3,
    pub(crate) projection: Projection,
}

/// Sphere around objects, in world space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sphere {
    pub(crate) center: Vec3,
    pub(crate) radius: f32,
}

/// View of a sphere, whose centre is in the middle of the image.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SphereView {
    /// Direction from the centre to the camera.
    pub(crate) backward: Vec3,
    /// Distance of the camera from the centre.
    pub(crate) distance: f32,
}

impl Pose {
    /// Converts the pose to a camera.
    ///
    /// # Errors
    /// A value is out of the range that scenes accept.
    pub(crate) fn camera(self) -> Result<PlacedCamera, EditError> {
        let camera = Camera::new("viewer", self.projection);
        let mut scene = Scene::default();
        let id = scene.add_camera(camera.clone())?;
        scene.add_node(Node::new("viewer").at(self.world_from_view).with_camera(id))?;
        Ok(PlacedCamera { name: camera.name.clone(), camera, world_from_view: self.world_from_view })
    }
}

impl From<&PlacedCamera> for Pose {
    fn from(camera: &PlacedCamera) -> Self {
        Self { world_from_view: camera.world_from_view, projection: camera.camera.projection }
    }
}

impl Request {
    /// Parses a message.
    ///
    /// # Errors
    /// A message for the user.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("invalid message: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSE: &str =
        r#"{"world_from_view":[1,0,0,0,1,0,0,0,1,2,3,4],"projection":{"Perspective":{"fov_y_radians":0.7}}}"#;

    #[test]
    fn requests_are_parsed() {
        assert_eq!(Request::parse(r#"{"type":"undo"}"#), Ok(Request::Undo));
        let camera = format!(r#"{{"type":"camera","pose":{POSE},"input":7}}"#);
        let Ok(Request::Camera { pose, input: Some(7) }) = Request::parse(&camera) else {
            panic!("{camera}")
        };
        assert_eq!(pose.camera().unwrap().world_from_view.translation.to_array(), [2.0, 3.0, 4.0]);
        let set = r#"{"type":"set","settings":{"algorithm":"path","parameter":["max_depth",3]}}"#;
        assert!(matches!(Request::parse(set), Ok(Request::Set { .. })), "{:?}", Request::parse(set));
        let edit = r#"{"type":"edit","edit":{"Visible":{"id":3,"visible":false}},"drag":2}"#;
        assert!(matches!(Request::parse(edit), Ok(Request::Edit { drag: Some(2), .. })));
    }

    #[test]
    fn invalid_messages_are_explained() {
        for (text, expected) in [
            ("", "EOF"),
            ("{}", "missing field `type`"),
            (r#"{"type":"explode"}"#, "unknown variant `explode`"),
            (r#"{"type":"set","settings":{"colour":1}}"#, "unknown field `colour`"),
            (r#"{"type":"pick","x":"left","y":0}"#, "invalid type"),
        ] {
            let error = Request::parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn impossible_cameras_are_refused() {
        let pose: Pose = serde_json::from_str(POSE).unwrap();
        let flat = Pose { projection: Projection::Perspective { fov_y_radians: 0.0 }, ..pose };
        assert!(flat.camera().is_err());
        let nowhere = Affine3::from_translation(sunfleck_math::vec3(f32::INFINITY, 0.0, 0.0));
        assert!(Pose { world_from_view: nowhere, ..pose }.camera().is_err());
    }
}
