//! Validation of edits of deformers and animations, and of edits that change or remove objects which these use.

use sunfleck_math::Vec3;

use crate::check::{exists, out_of_range, transform};
use crate::{
    Animation, Curve, Deformer, EditError, Influences, Mesh, MeshId, MorphTarget, NodeId, Scene, Skin,
    WeightMotion,
};

/// Checks that a mesh has no deformer, so that it can be removed.
pub(crate) fn has_no_deformer(scene: &Scene, id: MeshId) -> Result<(), EditError> {
    match scene.deformer(id) {
        Some(_) => Err(EditError::InUse { what: id.to_string(), by: "its deformer".to_string() }),
        None => Ok(()),
    }
}

/// Checks that a mesh with a deformer keeps its triangles, slots and number of vertices, which joints and morph targets
/// depend on.
pub(crate) fn same_topology(scene: &Scene, id: MeshId, mesh: &Mesh) -> Result<(), EditError> {
    scene.deformer(id).map_or(Ok(()), |deformer| check_base(id, &deformer.base, mesh))
}

/// Checks that a mesh and the base of its deformer have the same triangles, slots and number of vertices.
fn check_base(id: MeshId, base: &Mesh, mesh: &Mesh) -> Result<(), EditError> {
    let same = base.positions().len() == mesh.positions().len()
        && base.triangles() == mesh.triangles()
        && base.data().slots == mesh.data().slots;
    if same { Ok(()) } else { Err(EditError::Deformed(id)) }
}

/// Checks that a node is neither animated nor a joint, so that it can be removed.
pub(crate) fn node_unused(scene: &Scene, id: NodeId) -> Result<(), EditError> {
    let in_use = |by: String| Err(EditError::InUse { what: id.to_string(), by });
    for (animation, a) in scene.animations() {
        if a.nodes.iter().any(|motion| motion.node == id) {
            return in_use(animation.to_string());
        }
    }
    for (mesh, deformer) in scene.deformers() {
        if deformer.skin.as_ref().is_some_and(|skin| skin.joints.contains(&id)) {
            return in_use(format!("the skin of {mesh}"));
        }
    }
    Ok(())
}

/// Checks that a deformer exists and that its weights are not animated, so that it can be removed.
pub(crate) fn deformer_unused(scene: &Scene, id: MeshId) -> Result<(), EditError> {
    let what = format!("deformer of {id}");
    if scene.deformer(id).is_none() {
        return Err(EditError::Missing(what));
    }
    match scene.animations().find(|(_, a)| a.weights.iter().any(|motion| motion.mesh == id)) {
        Some((by, _)) => Err(EditError::InUse { what: format!("the {what}"), by: by.to_string() }),
        None => Ok(()),
    }
}

/// Checks a deformer: its mesh and joints exist, its arrays have matching lengths, its numbers are finite.
pub(crate) fn deformer(scene: &Scene, id: MeshId, deformer: &Deformer) -> Result<(), EditError> {
    let what = format!("the deformer of {id}");
    let mesh = scene.mesh(id);
    exists(&what, &id, mesh.is_some())?;
    mesh.map_or(Ok(()), |mesh| check_base(id, &deformer.base, mesh))?;
    let vertices = deformer.base.positions().len();
    deformer.targets.iter().try_for_each(|t| target(&what, t, vertices))?;
    finite_weights(&what, &deformer.weights, deformer.targets.len())?;
    let motions = scene.animations().flat_map(|(_, a)| &a.weights).filter(|motion| motion.mesh == id);
    motions.into_iter().try_for_each(|WeightMotion { rest, .. }| {
        length(&what, "morph targets", deformer.targets.len(), rest.len())
    })?;
    deformer.skin.as_ref().map_or(Ok(()), |s| skin(scene, &what, s, vertices))
}

/// Checks new weights of the morph targets of a deformer.
pub(crate) fn weights(scene: &Scene, id: MeshId, weights: &[f32]) -> Result<(), EditError> {
    let deformer = scene.deformer(id).ok_or_else(|| EditError::Missing(format!("deformer of {id}")))?;
    finite_weights(&format!("the deformer of {id}"), weights, deformer.targets.len())
}

/// Checks an animation: its nodes and deformers exist, and its curves are valid.
pub(crate) fn animation(scene: &Scene, what: &str, animation: &Animation) -> Result<(), EditError> {
    for motion in &animation.nodes {
        exists(&what, &motion.node, scene.node(motion.node).is_some())?;
        transform(what, &motion.rest.parent_from_node())?;
        motion.curves().try_for_each(|(c, width)| curve(what, c, width))?;
    }
    for WeightMotion { mesh, rest, weights } in &animation.weights {
        let deformer = scene.deformer(*mesh);
        exists(&what, &format!("the deformer of {mesh}"), deformer.is_some())?;
        finite_weights(what, rest, deformer.map_or(0, |deformer| deformer.targets.len()))?;
        curve(what, weights, rest.len())?;
    }
    Ok(())
}

/// Checks that a curve has keyframes with ascending times, and `width` finite components per keyframe.
fn curve(what: &str, curve: &Curve, width: usize) -> Result<(), EditError> {
    let times = &curve.times_secs;
    if times.is_empty() {
        return length(what, "keyframes", 0, 1);
    }
    length(what, "values", curve.values.len(), curve.expected_values(width))?;
    let before = std::iter::once(&0.0).chain(times);
    if let Some((time, _)) = times.iter().zip(before).find(|(t, before)| !(t.is_finite() && t >= before)) {
        let expected = "at least 0 and not before that of the previous keyframe";
        return Err(out_of_range(what, "time of a keyframe", time, expected));
    }
    finite(what, "value of a keyframe", &curve.values)
}

fn target(what: &str, target: &MorphTarget, vertices: usize) -> Result<(), EditError> {
    let arrays = [
        ("positions in a morph target", &target.positions),
        ("normals in a morph target", &target.normals),
        ("tangents in a morph target", &target.tangents),
    ];
    for (array, values) in arrays {
        if !values.is_empty() {
            length(what, array, values.len(), vertices)?;
        }
        if let Some(bad) = values.iter().find(|v: &&Vec3| !v.is_finite()) {
            return Err(out_of_range(what, "morph target", bad, "finite"));
        }
    }
    Ok(())
}

fn skin(scene: &Scene, what: &str, skin: &Skin, vertices: usize) -> Result<(), EditError> {
    skin.joints.iter().try_for_each(|joint| exists(&what, joint, scene.node(*joint).is_some()))?;
    length(what, "bind transforms", skin.joint_from_bind.len(), skin.joints.len())?;
    skin.joint_from_bind.iter().try_for_each(|m| transform(what, m))?;
    for Influences { joints, weights } in skin.influences.iter() {
        length(what, "joints of vertices", joints.len(), vertices)?;
        length(what, "weights of joints", weights.len(), vertices)?;
        if let Some(&joint) = joints.as_flattened().iter().find(|&&j| usize::from(j) >= skin.joints.len()) {
            let to = format!("joint {joint}");
            return exists(&what, &to, false);
        }
        let bad = weights.as_flattened().iter().find(|w| !(w.is_finite() && **w >= 0.0));
        bad.map_or(Ok(()), |w| Err(out_of_range(what, "weight of a joint", w, "finite and at least 0")))?;
    }
    Ok(())
}

fn finite_weights(what: &str, weights: &[f32], targets: usize) -> Result<(), EditError> {
    length(what, "weights of morph targets", weights.len(), targets)?;
    finite(what, "weight of a morph target", weights)
}

fn finite(what: &str, property: &'static str, values: &[f32]) -> Result<(), EditError> {
    let bad = values.iter().find(|value| !value.is_finite());
    bad.map_or(Ok(()), |value| Err(out_of_range(what, property, value, "finite")))
}

fn length(what: &str, array: &'static str, found: usize, expected: usize) -> Result<(), EditError> {
    if found == expected {
        return Ok(());
    }
    Err(EditError::Length { what: what.to_string(), array, found, expected })
}
