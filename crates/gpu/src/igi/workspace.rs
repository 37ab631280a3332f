//! Per-pixel data that the passes of a frame share: most of the memory that frames take.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sunfleck_shaders::layout::{
    Front, Gloss, Hit, IgiPath, LitPoint, LitState, MOST_WAITING, PixelState, PixelSums, SeenSurface,
};
use wgpu::Buffer;

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// Sizes of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WorkspaceSizes {
    /// Rays, and pixels in the order of sets.
    pub(super) rays: usize,
    pub(super) places: usize,
    /// Threads that follow paths.
    pub(super) path_threads: usize,
    /// Words with a bit for each VPL of a pixel's set.
    pub(super) vpl_bits: usize,
    /// Workgroups of pixels.
    pub(super) groups: usize,
    /// Groups of camera rays.
    pub(super) camera_beams: usize,
    /// Traced pixels, row by row.
    pub(super) pixels: usize,
    /// Whether images are blended with the previous frame instead of being added to a film.
    pub(super) is_sequence: bool,
}

/// The arrays of a workspace. Since allocating them takes longer than rendering a frame, unused workspaces return to a
/// pool.
#[derive(Debug)]
pub(super) struct Workspace {
    arrays: WorkspaceArrays,
    pool: WorkspacePool,
}

#[derive(Debug)]
struct WorkspaceArrays {
    sizes: WorkspaceSizes,
    /// Buffers, with the names of WESL variables.
    named: Vec<(&'static str, Buffer)>,
    /// Separate buffers of paths with the same names, so that the points of paths and of first surfaces can be
    /// illuminated at the same time.
    path_arrays: Vec<(&'static str, Buffer)>,
}

/// Pool of unused workspaces. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkspacePool {
    kept: Arc<Mutex<Vec<WorkspaceArrays>>>,
}

/// Maximum number of unused workspaces: one for still images, one for a temporal sequence.
const MAX_KEPT: usize = 2;

impl WorkspacePool {
    /// Returns an unused workspace of these sizes with arbitrary content, or a new one.
    pub(super) fn workspace(&self, gpu: &Gpu, sizes: WorkspaceSizes) -> Result<Workspace, GpuError> {
        let mut kept = self.kept();
        let known = kept.iter().position(|arrays| arrays.sizes == sizes).map(|at| kept.swap_remove(at));
        drop(kept);
        let arrays = known.map_or_else(|| WorkspaceArrays::new(gpu, sizes), Ok)?;
        Ok(Workspace { arrays, pool: self.clone() })
    }

    /// Frees all unused workspaces; returns whether there were any.
    pub(super) fn clear(&self) -> bool {
        !std::mem::take(&mut *self.kept()).is_empty()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<WorkspaceArrays>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let mut kept = self.pool.kept();
        let WorkspaceArrays { sizes, named, path_arrays } = &mut self.arrays;
        let [named, path_arrays] = [named, path_arrays].map(std::mem::take);
        kept.push(WorkspaceArrays { sizes: *sizes, named, path_arrays });
        let too_many = kept.len().saturating_sub(MAX_KEPT);
        kept.drain(..too_many);
    }
}

impl Workspace {
    pub(super) fn resources(&self) -> impl Iterator<Item = (&'static str, &Buffer)> {
        self.arrays.named.iter().map(|(name, array)| (*name, array))
    }

    /// Buffers that replace those with the same names in passes on paths.
    pub(super) fn path_arrays(&self) -> impl Iterator<Item = (&'static str, &Buffer)> {
        self.arrays.path_arrays.iter().map(|(name, array)| (*name, array))
    }
}

impl WorkspaceArrays {
    fn new(gpu: &Gpu, sizes: WorkspaceSizes) -> Result<Self, GpuError> {
        let WorkspaceSizes {
            rays,
            places,
            path_threads,
            vpl_bits,
            groups,
            camera_beams,
            pixels,
            is_sequence,
        } = sizes;
        // Without beams all rays start at the root
        let fronts = if gpu.has_subgroups {
            Array::zeroed(gpu, "entry points", camera_beams)?
        } else {
            Array::new(gpu, "entry points", &vec![Front::WHOLE; camera_beams])?
        };
        let waiting = if path_threads > 0 { MOST_WAITING * rays } else { 1 };
        let mut named = vec![
            ("hits", Array::<Hit>::zeroed(gpu, "hits", rays)?.buffer),
            ("surfaces", Array::<SeenSurface>::zeroed(gpu, "surfaces", rays)?.buffer),
            ("paths", Array::<IgiPath>::zeroed(gpu, "paths", waiting)?.buffer),
            ("states", Array::<PixelState>::zeroed(gpu, "states of pixels", places)?.buffer),
            ("all_sums", Array::<PixelSums>::zeroed(gpu, "sums of pixels", places)?.buffer),
            ("rows", Array::<u32>::zeroed(gpu, "rows of pixels", groups)?.buffer),
            ("fronts", fronts.buffer),
        ];
        for name in ["reflections", "weights", "shapes", "highlights", "radiances"] {
            named.push((name, Array::<[f32; 4]>::zeroed(gpu, "channels", pixels)?.buffer));
        }
        let images = if is_sequence { pixels } else { 1 };
        named.push(("picture", Array::<[f32; 4]>::zeroed(gpu, "images", images)?.buffer));
        named.extend(lit_point_arrays(gpu, rays, places, vpl_bits)?);
        let path_points = if path_threads > 0 { places + path_threads } else { 1 };
        let [rays, vpl_bits] = [rays, vpl_bits].map(|all| all / places * path_points);
        let path_arrays = lit_point_arrays(gpu, rays, path_points, vpl_bits)?;
        Ok(Self { sizes, named, path_arrays: path_arrays.into() })
    }
}

/// Allocates the arrays of points to be illuminated, and of intermediate results.
fn lit_point_arrays(
    gpu: &Gpu,
    rays: usize,
    places: usize,
    vpl_bits: usize,
) -> Result<[(&'static str, Buffer); 6], GpuError> {
    Ok([
        ("points", Array::<LitPoint>::zeroed(gpu, "points", rays)?.buffer),
        ("glosses", Array::<Gloss>::zeroed(gpu, "glossy points", rays)?.buffer),
        ("vpl_bits", Array::<u32>::zeroed(gpu, "bits of virtual point lights", vpl_bits)?.buffer),
        ("averages", Array::<f32>::zeroed(gpu, "means of virtual point lights", rays)?.buffer),
        ("lit_states", Array::<LitState>::zeroed(gpu, "states of points", places)?.buffer),
        ("seeds", Array::<u32>::zeroed(gpu, "seeds of points", rays)?.buffer),
    ])
}
