//! Validation of edits: references exist, the node hierarchy has no cycles, numbers are in range.

use sunfleck_math::{Affine3, DVec3, Vec3};

use crate::parameter::Parameters;
use crate::{
    Camera, EditError, Environment, Light, LightKind, Material, Medium, Node, NodeId, Pattern, Procedural,
    Projection, Scene, SceneEdit, TextureId, VALID_ASPECT_RATIOS, check_motion,
};

/// Checks whether `edit` can be applied to `scene`. The edits of a batch are checked one by one as they are applied.
pub(crate) fn edit(scene: &Scene, edit: &SceneEdit) -> Result<(), EditError> {
    match edit {
        SceneEdit::Mesh { id, mesh: None } => {
            check_motion::has_no_deformer(scene, *id)?;
            unused(id, scene, |n| n.instance.as_ref().map(|i| i.mesh) == Some(*id))
        }
        SceneEdit::Mesh { id, mesh: Some(mesh) } => {
            check_motion::same_topology(scene, *id, mesh)?;
            // Nothing refers to a new mesh; a search for each one would take long in scenes of many
            if !scene.meshes.items.contains_key(id) {
                return Ok(());
            }
            users(scene, |n| n.instance.as_ref().map(|i| i.mesh) == Some(*id)).try_for_each(|(node, n)| {
                slots(node, n.instance.as_ref().map_or(0, |i| i.materials.len()), mesh.slot_count())
            })
        }
        SceneEdit::Texture { id, texture: None } => {
            if let Some((user, _)) =
                scene.materials.items.iter().find(|(_, m)| m.textures().any(|t| t == *id))
            {
                return Err(EditError::InUse { what: id.to_string(), by: user.to_string() });
            }
            match scene.environment {
                Environment::Map { texture, .. } if texture == *id => {
                    Err(EditError::InUse { what: id.to_string(), by: "the environment".to_string() })
                }
                _ => Ok(()),
            }
        }
        SceneEdit::Material { id, material: None } => {
            unused(id, scene, |n| n.instance.as_ref().is_some_and(|i| i.materials.contains(id)))
        }
        SceneEdit::Material { id, material: Some(m) } => material(scene, &id.to_string(), m),
        SceneEdit::Light { id, light: None } => unused(id, scene, |n| n.light == Some(*id)),
        SceneEdit::Light { id, light: Some(l) } => light(&id.to_string(), l),
        SceneEdit::Camera { id, camera: None } => unused(id, scene, |n| n.camera == Some(*id)),
        SceneEdit::Camera { id, camera: Some(c) } => camera(&id.to_string(), c),
        SceneEdit::Node { id, node: None } => {
            check_motion::node_unused(scene, *id)?;
            unused(id, scene, |n| n.parent == Some(*id))
        }
        SceneEdit::Animation { animation: None, .. } => Ok(()),
        SceneEdit::Animation { id, animation: Some(a) } => check_motion::animation(scene, &id.to_string(), a),
        SceneEdit::Deformer { id, deformer: None } => check_motion::deformer_unused(scene, *id),
        SceneEdit::Deformer { id, deformer: Some(d) } => check_motion::deformer(scene, *id, d),
        SceneEdit::Weights { id, weights } => check_motion::weights(scene, *id, weights),
        SceneEdit::Node { id, node: Some(n) } => node(scene, *id, n),
        SceneEdit::Transform { id, parent_from_node } => transform(&id.to_string(), parent_from_node),
        SceneEdit::Environment { environment } => environment_light(scene, environment),
        SceneEdit::Exposure { stops } => exposure(*stops),
        SceneEdit::Origin { origin } => finite_origin(*origin),
        SceneEdit::Texture { texture: Some(_), .. } | SceneEdit::Visible { .. } | SceneEdit::Batch(_) => {
            Ok(())
        }
    }
}

/// Returns the nodes for which `uses` holds.
fn users<'a>(
    scene: &'a Scene,
    uses: impl Fn(&Node) -> bool + 'a,
) -> impl Iterator<Item = (NodeId, &'a Node)> {
    scene.nodes.items.iter().filter(move |(_, n)| uses(n)).map(|(&id, n)| (id, n))
}

/// Checks that no node uses an object, so that it can be removed.
fn unused(what: &impl ToString, scene: &Scene, uses: impl Fn(&Node) -> bool) -> Result<(), EditError> {
    match users(scene, uses).next() {
        Some((by, _)) => Err(EditError::InUse { what: what.to_string(), by: by.to_string() }),
        None => Ok(()),
    }
}

/// Checks that the object that `from` refers to was found.
pub(crate) fn exists(from: &impl ToString, to: &impl ToString, found: bool) -> Result<(), EditError> {
    if found { Ok(()) } else { Err(EditError::Dangling { from: from.to_string(), to: to.to_string() }) }
}

/// Checks that an instance has a material for each slot of its mesh.
fn slots(node: NodeId, found: usize, slots: u16) -> Result<(), EditError> {
    if found < slots as usize { Err(EditError::Slots { node, found, slots }) } else { Ok(()) }
}

fn node(scene: &Scene, id: NodeId, n: &Node) -> Result<(), EditError> {
    transform(&id.to_string(), &n.parent_from_node)?;
    if let Some(parent) = n.parent {
        exists(&id, &parent, scene.nodes.items.contains_key(&parent) || parent == id)?;
        let ancestors =
            std::iter::successors(Some(parent), |a| scene.nodes.items.get(a).and_then(|n| n.parent));
        if ancestors.into_iter().any(|a| a == id) {
            return Err(EditError::Cycle(id));
        }
    }
    if let Some(instance) = &n.instance {
        let mesh = scene.meshes.items.get(&instance.mesh);
        exists(&id, &instance.mesh, mesh.is_some())?;
        for m in &instance.materials {
            exists(&id, m, scene.materials.items.contains_key(m))?;
        }
        slots(id, instance.materials.len(), mesh.map_or(0, |m| m.slot_count()))?;
    }
    n.light.map_or(Ok(()), |l| exists(&id, &l, scene.lights.items.contains_key(&l)))?;
    n.camera.map_or(Ok(()), |c| exists(&id, &c, scene.cameras.items.contains_key(&c)))
}

fn material(scene: &Scene, what: &str, m: &Material) -> Result<(), EditError> {
    m.textures().try_for_each(|t| texture(scene, what, t))?;
    in_range(what, &m.emission)?;
    m.media.iter().try_for_each(|m| medium(what, m))?;
    m.procedural.as_ref().map_or(Ok(()), |p| procedural(what, p))?;
    in_range(what, &m.surface)
}

fn medium(what: &str, m: &Medium) -> Result<(), EditError> {
    color(what, "absorption of a medium", m.absorption)?;
    color(what, "scattering of a medium", m.scattering)?;
    let is_forward = m.asymmetry.abs() < 1.0;
    let expected = "above -1 and below 1";
    let wrong = || out_of_range(what, "asymmetry of a medium", &m.asymmetry, expected);
    if is_forward { Ok(()) } else { Err(wrong()) }
}

fn procedural(what: &str, p: &Procedural) -> Result<(), EditError> {
    let m = &p.pattern_from_object;
    transform(what, m)?;
    let determinant = m.matrix3.determinant().abs();
    range(what, "determinant of the pattern's transform", determinant, f32::MIN_POSITIVE, f32::MAX, "not 0")?;
    in_range(what, &p.pattern)?;
    match &p.pattern {
        Pattern::Bricks(bricks) => {
            let brick = bricks.length.min(bricks.height);
            range(what, "joint width", bricks.joint, 0.0, brick.next_down(), "less than a brick")
        }
        Pattern::Wood(_) | Pattern::Marble(_) => Ok(()),
    }
}

/// Checks that every value is in the range of its parameter.
fn in_range(what: &str, parameters: &dyn Parameters) -> Result<(), EditError> {
    parameters.values().into_iter().try_for_each(|(row, value)| match row.accept(value) {
        Ok(_) => Ok(()),
        Err(error) => Err(EditError::Range {
            what: what.to_string(),
            property: row.label,
            value: error.value,
            expected: error.expected.into(),
        }),
    })
}

fn light(what: &str, l: &Light) -> Result<(), EditError> {
    color(what, "emission", l.emission)?;
    if let LightKind::Spot { inner_radians, outer_radians, .. } = l.kind {
        const MAX_OUTER_ANGLE: f32 = std::f32::consts::FRAC_PI_2 + 1e-6;
        range(what, "outer cone angle", outer_radians, 1e-6, MAX_OUTER_ANGLE, "between 0 and 90 degrees")?;
        range(what, "inner cone angle", inner_radians, 0.0, outer_radians, "at most the outer cone angle")?;
    }
    Ok(())
}

fn camera(what: &str, c: &Camera) -> Result<(), EditError> {
    let angle = |fov| {
        range(
            what,
            "vertical field of view",
            fov,
            1e-4,
            std::f32::consts::PI - 1e-4,
            "between 0 and 180 degrees",
        )
    };
    if let Some(aspect) = c.aspect_ratio {
        let (min, max) = (*VALID_ASPECT_RATIOS.start(), *VALID_ASPECT_RATIOS.end());
        range(what, "aspect ratio", aspect, min, max, "between 0.001 and 1000")?;
    }
    if let Some(film) = c.film.filter(|film| !film.is_valid()) {
        let expected = "at most 65536 pixels wide and high, with its crop window inside";
        return Err(out_of_range(what, "film", &format!("{film:?}"), expected));
    }
    match c.projection {
        Projection::Perspective { fov_y_radians } => angle(fov_y_radians),
        Projection::Orthographic { height } => {
            range(what, "height", height, f32::MIN_POSITIVE, f32::MAX, "positive")
        }
        Projection::ThinLens { fov_y_radians, lens_radius, focus_distance } => {
            angle(fov_y_radians)?;
            range(what, "lens radius", lens_radius, 0.0, f32::MAX, "at least 0")?;
            range(what, "focus distance", focus_distance, f32::MIN_POSITIVE, f32::MAX, "positive")
        }
    }
}

fn environment_light(scene: &Scene, environment: &Environment) -> Result<(), EditError> {
    let what = "the environment";
    match environment {
        Environment::Black => Ok(()),
        Environment::Constant { radiance } => color(what, "radiance", *radiance),
        Environment::Map { texture: id, rotation_y_radians, scale, .. } => {
            texture(scene, what, *id)?;
            range(what, "rotation", *rotation_y_radians, f32::MIN, f32::MAX, "finite")?;
            color(what, "scale", *scale)
        }
    }
}

fn exposure(stops: Option<f32>) -> Result<(), EditError> {
    stops.map_or(Ok(()), |stops| range("the scene", "exposure", stops, f32::MIN, f32::MAX, "finite"))
}

fn finite_origin(origin: DVec3) -> Result<(), EditError> {
    if origin.is_finite() { Ok(()) } else { Err(out_of_range("the scene", "origin", &origin, "finite")) }
}

fn texture(scene: &Scene, what: &str, id: TextureId) -> Result<(), EditError> {
    exists(&what, &id, scene.textures.items.contains_key(&id))
}

pub(crate) fn transform(what: &str, m: &Affine3) -> Result<(), EditError> {
    let finite = m.is_finite();
    if finite { Ok(()) } else { Err(out_of_range(what, "transform", &m, "finite")) }
}

fn color(what: &str, property: &'static str, c: Vec3) -> Result<(), EditError> {
    let good = c.is_finite() && c.min_element() >= 0.0;
    if good { Ok(()) } else { Err(out_of_range(what, property, &c, "finite and at least 0")) }
}

fn range(
    what: &str,
    property: &'static str,
    value: f32,
    least: f32,
    most: f32,
    expected: &'static str,
) -> Result<(), EditError> {
    if value >= least && value <= most { Ok(()) } else { Err(out_of_range(what, property, &value, expected)) }
}

/// Returns the error of a property whose value is not allowed.
pub(crate) fn out_of_range(
    what: &str,
    property: &'static str,
    value: &dyn std::fmt::Debug,
    expected: &'static str,
) -> EditError {
    EditError::Range {
        what: what.to_string(),
        property,
        value: format!("{value:?}"),
        expected: expected.into(),
    }
}
