//! The animation of a scene: keyframes of transforms, of the camera and of lamps, and moving triangles.

use std::ops::Range;

use glam::Quat;
use sunfleck_math::Affine3;
use sunfleck_scene::{
    Animation, Curve, Interpolation, Node, NodeId, NodeMotion, NodeTransform, Scene, SceneEdit, WeightMotion,
};

use crate::FileLocation;
use crate::error::{ImportProblem, ParseError, WithLocation};

use super::build::Builder;
use super::parse::Keyframes;
use super::{rotation, spline};

/// Adds the animation, with times from the start of that of the file on, and puts the objects where they are then.
///
/// * `camera`, `lamps` — nodes of the camera and of lamps with a name.
pub(super) fn animate(
    builder: &mut Builder<'_>,
    camera: Option<NodeId>,
    lamps: &[(NodeId, String)],
) -> Result<(), ParseError> {
    let Some(range) = range(builder) else { return Ok(()) };
    let mut animation = Animation { name: "animation".to_string(), ..Animation::default() };
    add_nodes(builder, camera, lamps, &range, &mut animation).at(|| FileLocation::File)?;
    for (mesh, times) in builder.morphs.iter().filter(|(_, times)| times.len() > 1) {
        let weights = weights(times, &range);
        let rest = weights.numbers(0.0, times.len() - 1);
        builder
            .scene
            .apply(SceneEdit::Weights { id: *mesh, weights: rest.clone() })
            .at(|| FileLocation::File)?;
        animation.weights.push(WeightMotion { mesh: *mesh, rest, weights });
    }
    let deformed = builder.scene.deform();
    let problem = |error: sunfleck_scene::PoseError| {
        ParseError::malformed(FileLocation::File, format!("the first frame is not valid: {error}"))
    };
    for edit in deformed.map_err(problem)? {
        builder.scene.apply(edit).at(|| FileLocation::File)?;
    }
    if animation.nodes.is_empty() && animation.weights.is_empty() {
        return Ok(());
    }
    last_until(&mut animation, range.end - range.start);
    builder.scene.add_animation(animation).at(|| FileLocation::File)?;
    if let Some((start, end, frames)) = builder.times {
        let message = format!(
            "the animation has {frames} frames from {start} s to {end} s: the scene's time begins at 0"
        );
        builder.report.note(FileLocation::File, message);
    }
    Ok(())
}

/// Returns the time range of the animation: that of the file, or that of all keyframes.
fn range(builder: &Builder<'_>) -> Option<Range<f64>> {
    if let Some((start, end, _)) = builder.times
        && end > start
    {
        return Some(start..end);
    }
    let mut range = f64::INFINITY..f64::NEG_INFINITY;
    let mut add = |time: f64| range = range.start.min(time)..range.end.max(time);
    for keys in builder.keyframes.values() {
        let vectors = [&keys.translation, &keys.scale].into_iter().map(|keys| ends(keys));
        vectors.chain([ends(&keys.rotation)]).flatten().flatten().for_each(&mut add);
        keys.visibility.iter().for_each(|&(time, _)| add(time));
    }
    builder.morphs.iter().flat_map(|(_, times)| times).copied().for_each(add);
    (range.end > range.start).then_some(range)
}

/// Returns the times of the first and the last keyframe that a spline passes.
fn ends<T>(keys: &[super::keys::Key<T>]) -> Option<[f64; 2]> {
    Some([keys.get(1)?.time_secs, keys.get(keys.len().checked_sub(2)?)?.time_secs])
}

fn add_nodes(
    builder: &mut Builder<'_>,
    camera: Option<NodeId>,
    lamps: &[(NodeId, String)],
    range: &Range<f64>,
    animation: &mut Animation,
) -> Result<(), ImportProblem> {
    let Builder { scene, keyframes, animated, .. } = builder;
    let mut unused: Vec<&str> = keyframes.keys().map(String::as_str).collect();
    let mut of_name = |name: &str| {
        unused.retain(|unused| *unused != name);
        keyframes.get(name)
    };
    for (node, name) in animated.iter() {
        if let Some(keys) = of_name(name) {
            add_visibility(*node, keys, range, scene, animation)?;
            let rest = NodeTransform::default();
            add_motion(scene, motion(*node, rest, keys, range), animation)?;
        }
    }
    if let (Some(node), Some(keys)) = (camera, of_name("camera")) {
        let place = scene.node(node).map_or(Affine3::IDENTITY, |node| node.parent_from_node);
        let rotation = Quat::from_mat3(&place.matrix3).to_array();
        let rest = NodeTransform { translation: place.translation, rotation, ..NodeTransform::default() };
        let motion = NodeMotion { scale: None, ..motion(node, rest, keys, range) };
        add_motion(scene, motion, animation)?;
    }
    for (node, name) in lamps {
        if let Some(keys) = of_name(name) {
            let translation =
                scene.node(*node).map_or_else(Default::default, |n| n.parent_from_node.translation);
            let rest = NodeTransform { translation, ..NodeTransform::default() };
            let motion = NodeMotion { scale: None, rotation: None, ..motion(*node, rest, keys, range) };
            add_motion(scene, motion, animation)?;
        }
    }
    if !unused.is_empty() {
        unused.truncate(20);
        let message = format!("keyframes that no object, camera or lamp has: {}", unused.join(", "));
        builder.report.note(FileLocation::File, message);
    }
    Ok(())
}

fn motion(node: NodeId, rest: NodeTransform, keys: &Keyframes, range: &Range<f64>) -> NodeMotion {
    NodeMotion {
        node,
        rest,
        translation: spline::curve(&keys.translation, range),
        rotation: rotation::curve(&keys.rotation, range),
        scale: spline::curve(&keys.scale, range),
    }
}

/// Adds a motion that has curves. Its rest pose, and the transform of its node, are those of the first frame.
fn add_motion(scene: &mut Scene, motion: NodeMotion, animation: &mut Animation) -> Result<(), ImportProblem> {
    if motion.translation.is_some() || motion.rotation.is_some() || motion.scale.is_some() {
        let rest = motion.at(0.0);
        let parent_from_node = rest.parent_from_node();
        scene.apply(SceneEdit::Transform { id: motion.node, parent_from_node })?;
        animation.nodes.push(NodeMotion { rest, ..motion });
    }
    Ok(())
}

/// Makes an object that is not always visible the child of a node whose scale is 0 while it is not.
fn add_visibility(
    node: NodeId,
    keys: &Keyframes,
    range: &Range<f64>,
    scene: &mut Scene,
    animation: &mut Animation,
) -> Result<(), ImportProblem> {
    let Some(child) = scene.node(node).cloned().filter(|_| !keys.visibility.is_empty()) else {
        return Ok(());
    };
    let shown = |time: f64| {
        keys.visibility
            .iter()
            .take_while(|(begin, _)| *begin <= time)
            .last()
            .is_none_or(|&(_, visible)| visible)
    };
    let times = keys.visibility.iter().map(|&(time, _)| time).filter(|time| range.contains(time));
    let times: Vec<f64> = [range.start].into_iter().chain(times.filter(|&time| time > range.start)).collect();
    let values = times.iter().flat_map(|&time| [if shown(time) { 1.0 } else { 0.0 }; 3]).collect();
    #[allow(clippy::cast_possible_truncation, reason = "curves are in single precision")]
    let times_secs = spline::ascending(times.iter().map(|time| (time - range.start) as f32));
    let scale = Curve { interpolation: Interpolation::Step, times_secs, values };
    let parent =
        scene.add_node(Node { parent: child.parent, ..Node::new(format!("{} visibility", child.name)) })?;
    scene.apply(SceneEdit::Node { id: node, node: Some(child.below(parent)) })?;
    let rest = NodeTransform::default();
    let motion = NodeMotion { node: parent, rest, translation: None, rotation: None, scale: Some(scale) };
    add_motion(scene, motion, animation)
}

/// Returns the weights of morph targets with which triangles are where they should be at given times, and on straight
/// lines between.
fn weights(times: &[f64], range: &Range<f64>) -> Curve {
    let at = |time: f64| {
        let after = times.partition_point(|&key| key <= time).clamp(1, times.len().max(2) - 1);
        let fraction = match (times.get(after - 1), times.get(after)) {
            (Some(begin), Some(end)) if end > begin => ((time - begin) / (end - begin)).clamp(0.0, 1.0),
            _ => 1.0,
        };
        // The first position is that without targets
        (1..times.len()).map(move |target| match target {
            _ if target == after => fraction,
            _ if target + 1 == after => 1.0 - fraction,
            _ => 0.0,
        })
    };
    let inner = times.iter().copied().filter(|&time| time > range.start && time < range.end);
    let shown: Vec<f64> = [range.start].into_iter().chain(inner).chain([range.end]).collect();
    #[allow(clippy::cast_possible_truncation, reason = "curves are in single precision")]
    let values = shown.iter().flat_map(|&time| at(time)).map(|weight| weight as f32).collect();
    #[allow(clippy::cast_possible_truncation, reason = "curves are in single precision")]
    let times_secs = spline::ascending(shown.iter().map(|time| (time - range.start) as f32));
    Curve { interpolation: Interpolation::Linear, times_secs, values }
}

/// Makes the animation last until a time, at which nothing has to move any more: the last value of a curve is held.
#[allow(clippy::cast_possible_truncation, reason = "curves are in single precision")]
fn last_until(animation: &mut Animation, duration_secs: f64) {
    let is_shorter = animation.duration_secs() < duration_secs as f32;
    let Some(motion) = animation.nodes.first_mut().filter(|_| is_shorter) else { return };
    let NodeMotion { translation, rotation, scale, .. } = motion;
    let curves = [(translation, 3), (rotation, 4), (scale, 3)];
    let Some((curve, width)) = curves.into_iter().find_map(|(curve, width)| Some((curve.as_mut()?, width)))
    else {
        return;
    };
    curve.times_secs.push(duration_secs as f32);
    let values = &mut curve.values;
    if curve.interpolation == Interpolation::CubicSpline {
        // In-tangent, value, out-tangent
        let last = values.len().saturating_sub(3 * width);
        let value = values.get(last + width..last + 2 * width).unwrap_or_default().to_vec();
        if let Some(out) = values.get_mut(last + 2 * width..) {
            out.fill(0.0);
        }
        values.extend(std::iter::repeat_n(0.0, width).chain(value).chain(std::iter::repeat_n(0.0, width)));
    } else {
        values.extend_from_within(values.len().saturating_sub(width)..);
    }
}
