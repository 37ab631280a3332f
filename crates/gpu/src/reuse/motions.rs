use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_constants::reuse::{
    DEFORMED_INSTANCE, NEW_INSTANCE, NO_NODE, STILL_INSTANCE, TRANSFORMED_INSTANCE,
};
use sunfleck_integrators::World;
use sunfleck_math::{Affine3, rows};
use sunfleck_shaders::layout;
use sunfleck_transport::{InstanceMotion, Motion};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Motion of all instances since a previous world, in GPU memory.
#[derive(Debug)]
pub(super) struct InstanceMotions {
    /// The previous world, if there is one, and the current one.
    of: (Option<Arc<World>>, Arc<World>),
    pub(super) instances: Array<layout::InstanceMotion>,
    /// Coordinates of the vertices of deformed meshes in the previous world.
    pub(super) positions: Array<[f32; 3]>,
}

impl InstanceMotions {
    /// Uploads the motion of a world since a previous one.
    ///
    /// * `motion` — `None` if there is no previous world.
    pub(super) fn new(
        gpu: &Gpu,
        previous: Option<&Arc<World>>,
        world: &Arc<World>,
        motion: Option<&Motion<'_>>,
    ) -> Result<Self, GpuError> {
        let mut positions = PreviousPositions::default();
        let count = u32::try_from(world.tlas().instances().len()).unwrap_or(u32::MAX);
        let instances: Vec<_> =
            (0..count).map(|inst_id| packed_motion(inst_id, world, motion, &mut positions)).collect();
        Ok(Self {
            of: (previous.cloned(), world.clone()),
            instances: Array::new(gpu, "motions of instances", &instances)?,
            positions: Array::new(gpu, "previous vertices", &positions.all)?,
        })
    }

    /// Returns whether this is the motion between two worlds.
    pub(super) fn is_of(&self, previous: Option<&Arc<World>>, world: &Arc<World>) -> bool {
        let (own_previous, own) = &self.of;
        let is_same = match (own_previous, previous) {
            (Some(own), Some(previous)) => Arc::ptr_eq(own, previous),
            (None, None) => true,
            _ => false,
        };
        is_same && Arc::ptr_eq(own, world)
    }
}

/// Vertices of deformed meshes in the previous world, those of each mesh once.
#[derive(Default)]
struct PreviousPositions {
    all: Vec<[f32; 3]>,
    /// First vertex of each mesh, by its address.
    begins: BTreeMap<usize, usize>,
}

/// Returns the motion of an instance in the memory layout of the GPU.
fn packed_motion(
    inst_id: u32,
    world: &World,
    motion: Option<&Motion<'_>>,
    positions: &mut PreviousPositions,
) -> layout::InstanceMotion {
    let mut begin = 0;
    let (kind, transform) = match motion.map_or(InstanceMotion::New, |motion| motion.of(inst_id)) {
        InstanceMotion::New => (NEW_INSTANCE, Affine3::IDENTITY),
        InstanceMotion::Still => (STILL_INSTANCE, Affine3::IDENTITY),
        InstanceMotion::Transformed { previous_from_current } => {
            (TRANSFORMED_INSTANCE, previous_from_current)
        }
        InstanceMotion::Deformed { .. } => match motion.and_then(|motion| motion.previous_mesh(inst_id)) {
            None => (NEW_INSTANCE, Affine3::IDENTITY),
            Some((mesh, world_from_object)) => {
                let PreviousPositions { all, begins } = positions;
                begin = *begins.entry(Arc::as_ptr(mesh) as usize).or_insert_with(|| {
                    let begin = all.len();
                    all.extend(mesh.positions().iter().map(|position| position.to_array()));
                    begin
                });
                (DEFORMED_INSTANCE, world_from_object)
            }
        },
    };
    let [x, y, z] = rows(&transform);
    layout::InstanceMotion {
        x,
        y,
        z,
        kind,
        node: world.node_of(inst_id).map_or(NO_NODE, |node| node.0),
        positions: u32::try_from(3 * begin).unwrap_or(u32::MAX),
        unused0: 0,
    }
}
