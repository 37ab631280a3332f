use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use sunfleck_kernel::{Blas, Instance, Tlas};
use sunfleck_math::Affine3;
use sunfleck_scene::Scene;

use crate::kernel::BuildPreset;
use crate::simple_shading::ShadingTables;
use crate::{BenchError, Mesh};

/// Kind of acceleration structure: with one level or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WorldKind {
    /// One level: a BVH of all triangles of the scene.
    Static,
    /// Two levels: instances of meshes, each of which could move.
    Dynamic,
}

impl WorldKind {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Dynamic => "dynamic",
        }
    }
}

/// Acceleration structure and shading data of a scene.
pub(super) struct Table1World {
    pub(super) tlas: Tlas,
    pub(super) tables: ShadingTables,
}

impl Table1World {
    pub(super) fn new(
        scene: &Scene,
        mesh: &Mesh,
        kind: WorldKind,
        preset: BuildPreset,
    ) -> Result<Self, BenchError> {
        let mut tables = ShadingTables::new(scene);
        let options = preset.ours();
        let (blases, placed) = match kind {
            WorldKind::Static => {
                // Triangles are in the order of the instances
                tables.first_triangle = vec![0];
                (vec![Blas::build(&mesh.positions, &mesh.triangles, &options)?], vec![Affine3::IDENTITY])
            }
            WorldKind::Dynamic => {
                let visible = scene.world_instances();
                let meshes: Vec<_> =
                    visible.iter().filter_map(|instance| scene.mesh(instance.mesh)).collect();
                let build = |mesh: &&Arc<sunfleck_scene::Mesh>| {
                    Blas::build(mesh.positions(), mesh.triangles(), &options)
                };
                let blases = meshes.par_iter().map(build).collect::<Result<Vec<_>, _>>()?;
                (blases, visible.iter().map(|instance| instance.world_from_object).collect())
            }
        };
        let instance =
            |(world_from_object, blas)| Instance { blas, world_from_object, mask: 1, opaque: true };
        let instances = placed.into_iter().zip(0..).map(instance).collect();
        let tlas = Tlas::build(blases.into_iter().map(Arc::new).collect(), instances, &options)?;
        Ok(Self { tlas, tables })
    }
}
