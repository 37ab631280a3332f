//! Deformation data of vertices: joints with weights, and morph targets.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_math::Vec3;
use sunfleck_scene::{Influences, Mesh, MorphTarget};

use crate::FileLocation;
use crate::error::ParseError;
use crate::split::Split;

use super::accessor::Accessors;

/// Base, morph targets and influences of a glTF mesh.
#[derive(Clone, Debug)]
pub(super) struct DeformationData {
    pub(super) base: Arc<Mesh>,
    pub(super) targets: Arc<Vec<MorphTarget>>,
    pub(super) influences: Arc<Vec<Influences>>,
}

/// Reads all sets of joints and weights. Negative weights, and weights that are not finite, are replaced by 0.
pub(super) fn read_influences(
    accessors: &Accessors<'_>,
    attributes: &BTreeMap<String, usize>,
    path: &str,
) -> Result<Vec<Influences>, ParseError> {
    let mut influences = Vec::new();
    loop {
        let set = influences.len();
        let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
        let (Some(&joints_accessor), Some(&weights_accessor)) =
            (attributes.get(&joints), attributes.get(&weights))
        else {
            return Ok(influences);
        };
        let joints = accessors.joints(joints_accessor, &format!("{path}.{joints}"))?;
        let mut weights =
            accessors.reals::<4>(weights_accessor, &["VEC4"], 0.0, &format!("{path}.{weights}"))?;
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
) -> Result<Vec<MorphTarget>, ParseError> {
    let read = |(i, target): (usize, &BTreeMap<String, usize>)| {
        let displacements = |name: &str| {
            let Some(&accessor) = target.get(name) else { return Ok(Vec::new()) };
            let from = format!("{path}.targets[{i}].{name}");
            accessors.spend(vertices * size_of::<Vec3>(), &from)?;
            let values = accessors.reals(accessor, &["VEC3"], 0.0, &from)?;
            if values.len() != vertices {
                let message =
                    format!("there are {} elements, but POSITION of the mesh has {vertices}", values.len());
                return Err(ParseError::malformed(FileLocation::Json(from), message));
            }
            Ok(values.into_iter().map(Vec3::from_array).collect())
        };
        Ok(MorphTarget {
            name: String::new(),
            positions: displacements("POSITION")?,
            normals: displacements("NORMAL")?,
            tangents: displacements("TANGENT")?,
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

/// Sets the names of morph targets from `extras.targetNames`, a convention, since glTF itself does not store them.
pub(super) fn name_targets(targets: &mut [MorphTarget], extras: &serde_json::Value) {
    let names = extras.get("targetNames").and_then(|names| names.as_array());
    for (target, name) in targets.iter_mut().zip(names.into_iter().flatten()) {
        target.name = name.as_str().unwrap_or_default().to_string();
    }
}
