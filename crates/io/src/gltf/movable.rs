//! What makes vertices movable: the joints that take them along, and the differences of morph targets.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_math::Vec3;
use sunfleck_scene::{Influences, Mesh, MorphTarget};

use crate::FileLocation;
use crate::error::Fault;
use crate::split::Split;

use super::accessor::Accessors;

/// What a glTF mesh says about how its vertices move.
#[derive(Clone, Debug)]
pub(super) struct Movable {
    pub(super) base: Arc<Mesh>,
    pub(super) targets: Arc<Vec<MorphTarget>>,
    pub(super) influences: Arc<Vec<Influences>>,
}

/// The joints of vertices, in as many sets of four as there are. Weights below 0, and such as are no numbers, count as 0.
pub(super) fn read_influences(
    accessors: &Accessors<'_>,
    attributes: &BTreeMap<String, usize>,
    path: &str,
) -> Result<Vec<Influences>, Fault> {
    let mut influences = Vec::new();
    loop {
        let set = influences.len();
        let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
        let (Some(&of_joints), Some(&of_weights)) = (attributes.get(&joints), attributes.get(&weights))
        else {
            return Ok(influences);
        };
        let joints = accessors.joints(of_joints, &format!("{path}.{joints}"))?;
        let mut weights = accessors.reals::<4>(of_weights, &["VEC4"], 0.0, &format!("{path}.{weights}"))?;
        for weight in weights.as_flattened_mut() {
            *weight = if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        }
        influences.push(Influences { joints, weights });
    }
}

pub(super) fn read_targets(
    accessors: &Accessors<'_>,
    targets: &[BTreeMap<String, usize>],
    vertices: usize,
    path: &str,
) -> Result<Vec<MorphTarget>, Fault> {
    let read = |(i, target): (usize, &BTreeMap<String, usize>)| {
        let differences = |name: &str| {
            let Some(&accessor) = target.get(name) else { return Ok(Vec::new()) };
            let from = format!("{path}.targets[{i}].{name}");
            accessors.spend(vertices * size_of::<Vec3>(), &from)?;
            let values = accessors.reals(accessor, &["VEC3"], 0.0, &from)?;
            if values.len() != vertices {
                let message = format!("there are {} differences, but {vertices} POSITION", values.len());
                return Err(Fault::malformed(FileLocation::Json(from), message));
            }
            Ok(values.into_iter().map(Vec3::from_array).collect())
        };
        Ok(MorphTarget {
            name: String::new(),
            positions: differences("POSITION")?,
            normals: differences("NORMAL")?,
            tangents: differences("TANGENT")?,
        })
    };
    targets.iter().enumerate().map(read).collect()
}

pub(super) fn pick<A: Copy, T>(from: &[A], split: &Split<T>) -> Vec<A> {
    split.vertices.iter().filter_map(|&(old, _)| from.get(old as usize).copied()).collect()
}

pub(super) fn picked_target<T>(target: &MorphTarget, split: &Split<T>) -> MorphTarget {
    MorphTarget {
        name: target.name.clone(),
        positions: pick(&target.positions, split),
        normals: pick(&target.normals, split),
        tangents: pick(&target.tangents, split),
    }
}

/// The names that morph targets have by custom: glTF has no place for them.
pub(super) fn name_targets(targets: &mut [MorphTarget], extras: &serde_json::Value) {
    let names = extras.get("targetNames").and_then(|names| names.as_array());
    for (target, name) in targets.iter_mut().zip(names.into_iter().flatten()) {
        target.name = name.as_str().unwrap_or_default().to_string();
    }
}
