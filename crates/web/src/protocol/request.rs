use serde::{Deserialize, Serialize};
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::Affine3;
use sunfleck_scene::parameter::Value;
use sunfleck_scene::{AnimationId, Camera, EditError, Node, NodeId, Projection, Scene, SceneEdit};

/// A message from a client may have so many bytes. An edit that brings a mesh or a texture with it is the largest there is;
/// files are uploaded.
pub(crate) const LARGEST_REQUEST: usize = 1 << 20;

/// What a client may ask for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    /// It has shown a frame, and is ready for the next.
    Shown { frame: u64 },
    /// Looks from somewhere else.
    ///
    /// * `input` — a number of the client's own; frames carry the latest, so that it can measure how long it took.
    Camera { pose: Pose, input: Option<u64> },
    /// Changes how pictures are made and shown.
    Set { settings: Box<Settings> },
    /// Which thing is at a place of the picture: 0 … 1 from the upper left corner.
    ///
    /// * `pose` — as the client saw it, perhaps a moment ago.
    Pick { x: f32, y: f32, pose: Option<Pose> },
    /// Where a thing is seen in the picture, from that pose.
    Silhouette { node: NodeId, pose: Pose },
    /// Changes the scene.
    ///
    /// * `drag` — consecutive edits with the same number are one step of undo.
    Edit { edit: Box<SceneEdit>, drag: Option<u64>, input: Option<u64> },
    /// Removes a node, all below it, and what needs them.
    Remove { node: NodeId, input: Option<u64> },
    /// Shows a moment of an animation; without a time, things stand where they are without it. No step of undo.
    ///
    /// * `plays` — more moments will follow: the scene is told when they have ended.
    Moment { animation: AnimationId, secs: Option<f32>, plays: bool, input: Option<u64> },
    /// Takes the last edit back.
    Undo,
    /// Makes it again.
    Redo,
    /// Wants to be the one who edits, or not any more.
    Control { take: bool },
    /// Wants the command line that makes this picture.
    CommandLine,
}

/// What changes; the rest stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Of the page, device pixels.
    pub(crate) size: Option<[u32; 2]>,
    /// Pixels of the picture at rest for one of the page, along an edge.
    pub(crate) scale: Option<f32>,
    /// By name; parameters start with their defaults. This and the next three are those of [`MethodSettings`].
    pub(crate) algorithm: Option<String>,
    /// Of the algorithm, by name.
    pub(crate) preset: Option<String>,
    /// Of the algorithm: name and value.
    pub(crate) parameter: Option<(String, Value)>,
    /// A channel beside radiance, by name; empty: radiance.
    pub(crate) channel: Option<String>,
    /// Whether a second picture is shown beside the first.
    pub(crate) split: Option<bool>,
    /// How the second picture is computed.
    pub(crate) second: Option<MethodSettings>,
    /// Whether exposure follows the picture.
    pub(crate) auto_exposure: Option<bool>,
    /// Stops; turns automatic exposure off.
    pub(crate) exposure: Option<f32>,
    /// By name.
    pub(crate) tone_curve: Option<String>,
    /// Samples per pixel after which a picture at rest is left alone.
    pub(crate) samples: Option<u32>,
}

/// What changes of how one picture is computed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MethodSettings {
    /// By name; parameters start with their defaults.
    pub(crate) algorithm: Option<String>,
    /// Of the algorithm, by name.
    pub(crate) preset: Option<String>,
    /// Of the algorithm: name and value.
    pub(crate) parameter: Option<(String, Value)>,
    /// A channel beside radiance, by name; empty: radiance.
    pub(crate) channel: Option<String>,
}

impl Settings {
    /// Those of the first picture.
    pub(crate) fn first(&self) -> MethodSettings {
        let Self { algorithm, preset, parameter, channel, .. } = self.clone();
        MethodSettings { algorithm, preset, parameter, channel }
    }
}

/// Where a camera is, and how it maps the film.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pose {
    pub(crate) world_from_view: Affine3,
    pub(crate) projection: Projection,
}

impl Pose {
    /// As a camera, if a scene would take it as one. Errors: its numbers are out of range.
    pub(crate) fn camera(self) -> Result<PlacedCamera, EditError> {
        let camera = Camera { name: "viewer".into(), projection: self.projection };
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
    /// Reads a message. Errors: one sentence.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("this message cannot be read: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSE: &str =
        r#"{"world_from_view":[1,0,0,0,1,0,0,0,1,2,3,4],"projection":{"Perspective":{"fov_y_radians":0.7}}}"#;

    #[test]
    fn requests_are_read() {
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
    fn what_cannot_be_read_is_said_in_a_sentence() {
        for (text, said) in [
            ("", "EOF"),
            ("{}", "missing field `type`"),
            (r#"{"type":"explode"}"#, "unknown variant `explode`"),
            (r#"{"type":"set","settings":{"colour":1}}"#, "unknown field `colour`"),
            (r#"{"type":"pick","x":"left","y":0}"#, "invalid type"),
        ] {
            let error = Request::parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
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
