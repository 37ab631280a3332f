use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_constants::reuse::{DEFORMED_INSTANCE, NEW_INSTANCE, RIGID_INSTANCE, STILL_INSTANCE};
use sunfleck_integrators::World;
use sunfleck_math::Affine3;
use sunfleck_shaders::layout::MovedInstance;
use sunfleck_transport::{InstanceMotion, Motion};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Motion of all instances since an earlier world, in GPU memory.
#[derive(Debug)]
pub(super) struct InstanceMotions {
    /// The earlier world, if there is one, and the later one.
    of: (Option<Arc<World>>, Arc<World>),
    pub(super) instances: Array<MovedInstance>,
    /// Coordinates of the earlier vertices of deformed meshes.
    pub(super) positions: Array<[f32; 3]>,
}

impl InstanceMotions {
    /// Uploads the motion of a world since an earlier one.
    ///
    /// * `motion` — `None` without an earlier world.
    pub(super) fn new(
        gpu: &Gpu,
        earlier: Option<&Arc<World>>,
        world: &Arc<World>,
        motion: Option<&Motion<'_>>,
    ) -> Result<Self, GpuError> {
        let mut positions = EarlierPositions::default();
        let count = u32::try_from(world.tlas().instances().len()).unwrap_or(u32::MAX);
        let instances: Vec<_> =
            (0..count).map(|inst_id| record(inst_id, world, motion, &mut positions)).collect();
        Ok(Self {
            of: (earlier.cloned(), world.clone()),
            instances: Array::new(gpu, "motions of instances", &instances)?,
            positions: Array::new(gpu, "earlier vertices", &positions.all)?,
        })
    }

    /// Returns whether this is the motion between two worlds.
    pub(super) fn is_of(&self, earlier: Option<&Arc<World>>, world: &Arc<World>) -> bool {
        let (own_earlier, own) = &self.of;
        let is_same = match (own_earlier, earlier) {
            (Some(own), Some(earlier)) => Arc::ptr_eq(own, earlier),
            (None, None) => true,
            _ => false,
        };
        is_same && Arc::ptr_eq(own, world)
    }
}

/// Vertices of deformed meshes in the earlier world, those of each mesh once.
#[derive(Default)]
struct EarlierPositions {
    all: Vec<[f32; 3]>,
    /// First vertex of each mesh, by its address.
    begins: BTreeMap<usize, usize>,
}

fn record(
    inst_id: u32,
    world: &World,
    motion: Option<&Motion<'_>>,
    positions: &mut EarlierPositions,
) -> MovedInstance {
    let mut begin = 0;
    let (kind, transform) = match motion.map_or(InstanceMotion::New, |motion| motion.of(inst_id)) {
        InstanceMotion::New => (NEW_INSTANCE, Affine3::IDENTITY),
        InstanceMotion::Still => (STILL_INSTANCE, Affine3::IDENTITY),
        InstanceMotion::Rigid { before_from_now } => (RIGID_INSTANCE, before_from_now),
        InstanceMotion::Deformed { .. } => match motion.and_then(|motion| motion.mesh_before(inst_id)) {
            None => (NEW_INSTANCE, Affine3::IDENTITY),
            Some((mesh, world_from_object)) => {
                let EarlierPositions { all, begins } = positions;
                begin = *begins.entry(Arc::as_ptr(mesh) as usize).or_insert_with(|| {
                    let begin = all.len();
                    all.extend(mesh.positions().iter().map(|position| position.to_array()));
                    begin
                });
                (DEFORMED_INSTANCE, world_from_object)
            }
        },
    };
    let (m, t) = (transform.matrix3, transform.translation);
    let row = |axis: usize| [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]];
    MovedInstance {
        x: row(0),
        y: row(1),
        z: row(2),
        kind,
        node: world.node_of(inst_id).map_or(u32::MAX, |node| node.0),
        positions: u32::try_from(3 * begin).unwrap_or(u32::MAX),
        unused0: 0,
    }
}
