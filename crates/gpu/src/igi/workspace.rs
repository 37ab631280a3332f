//! What the stages pass on of each pixel: most of the memory that frames take.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sunfleck_shaders::layout::{
    Front, Gloss, Hit, IgiPath, LitPoint, LitState, MOST_WAITING, PixelState, PixelSums, SeenSurface,
};
use wgpu::Buffer;

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// How much of it there has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// Of pixels in the order of sets.
    pub(super) rays: usize,
    pub(super) places: usize,
    /// Threads that follow paths.
    pub(super) followers: usize,
    /// Words with a bit for each VPL.
    pub(super) asked: usize,
    /// Groups of pixels.
    pub(super) groups: usize,
    /// Groups of camera rays.
    pub(super) camera_beams: usize,
    /// That are traced, row by row.
    pub(super) pixels: usize,
    /// Whether pictures are passed on, and not added to a film.
    pub(super) is_sequence: bool,
}

/// The arrays. Making them takes a driver longer than the frame, so those that are no longer used wait for who needs the same.
#[derive(Debug)]
pub(super) struct Workspace {
    arrays: Arrays,
    home: Spares,
}

#[derive(Debug)]
struct Arrays {
    needs: Needs,
    /// With the names that shaders have for them.
    named: Vec<(&'static str, Buffer)>,
    /// What paths have of their own of that, so that their points can be lit beside those of first surfaces.
    of_paths: Vec<(&'static str, Buffer)>,
}

/// Workspaces that nobody uses. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Spares {
    kept: Arc<Mutex<Vec<Arrays>>>,
}

/// That of pictures at rest, and that of a walk.
const MOST_KEPT: usize = 2;

impl Spares {
    /// One that was used before, with whatever is in it, or a new one.
    pub(super) fn workspace(&self, gpu: &Gpu, needs: Needs) -> Result<Workspace, GpuError> {
        let mut kept = self.kept();
        let known = kept.iter().position(|arrays| arrays.needs == needs).map(|at| kept.swap_remove(at));
        drop(kept);
        let arrays = known.map_or_else(|| Arrays::new(gpu, needs), Ok)?;
        Ok(Workspace { arrays, home: self.clone() })
    }

    /// Gives their memory back; whether there were any.
    pub(super) fn forget(&self) -> bool {
        !std::mem::take(&mut *self.kept()).is_empty()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Arrays>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let mut kept = self.home.kept();
        let Arrays { needs, named, of_paths } = &mut self.arrays;
        let [named, of_paths] = [named, of_paths].map(std::mem::take);
        kept.push(Arrays { needs: *needs, named, of_paths });
        let too_many = kept.len().saturating_sub(MOST_KEPT);
        kept.drain(..too_many);
    }
}

impl Workspace {
    pub(super) fn resources(&self) -> impl Iterator<Item = (&'static str, &Buffer)> {
        self.arrays.named.iter().map(|(name, array)| (*name, array))
    }

    /// What paths have in place of some of these.
    pub(super) fn of_paths(&self) -> impl Iterator<Item = (&'static str, &Buffer)> {
        self.arrays.of_paths.iter().map(|(name, array)| (*name, array))
    }
}

impl Arrays {
    fn new(gpu: &Gpu, needs: Needs) -> Result<Self, GpuError> {
        let Needs { rays, places, followers, asked, groups, camera_beams, pixels, is_sequence } = needs;
        // Without beams all rays begin at the root
        let fronts = if gpu.has_subgroups {
            Array::vacant(gpu, "entry points", camera_beams)?
        } else {
            Array::new(gpu, "entry points", &vec![Front::WHOLE; camera_beams])?
        };
        let waiting = if followers > 0 { MOST_WAITING * rays } else { 1 };
        let mut named = vec![
            ("hits", Array::<Hit>::vacant(gpu, "hits", rays)?.buffer),
            ("surfaces", Array::<SeenSurface>::vacant(gpu, "surfaces", rays)?.buffer),
            ("paths", Array::<IgiPath>::vacant(gpu, "paths", waiting)?.buffer),
            ("states", Array::<PixelState>::vacant(gpu, "states of pixels", places)?.buffer),
            ("all_sums", Array::<PixelSums>::vacant(gpu, "sums of pixels", places)?.buffer),
            ("rows", Array::<u32>::vacant(gpu, "rows of pixels", groups)?.buffer),
            ("fronts", fronts.buffer),
        ];
        for name in ["reflections", "weights", "shapes", "highlights", "radiances"] {
            named.push((name, Array::<[f32; 4]>::vacant(gpu, "channels", pixels)?.buffer));
        }
        let pictures = if is_sequence { pixels } else { 1 };
        named.push(("picture", Array::<[f32; 4]>::vacant(gpu, "pictures", pictures)?.buffer));
        named.extend(to_be_lit(gpu, rays, places, asked)?);
        let desks = if followers > 0 { places + followers } else { 1 };
        let [rays, asked] = [rays, asked].map(|all| all / places * desks);
        let of_paths = to_be_lit(gpu, rays, desks, asked)?;
        Ok(Self { needs, named, of_paths: of_paths.into() })
    }
}

/// Points to be lit and what becomes of them.
fn to_be_lit(
    gpu: &Gpu,
    rays: usize,
    places: usize,
    asked: usize,
) -> Result<[(&'static str, Buffer); 6], GpuError> {
    Ok([
        ("points", Array::<LitPoint>::vacant(gpu, "points", rays)?.buffer),
        ("glosses", Array::<Gloss>::vacant(gpu, "glossy points", rays)?.buffer),
        ("vpl_bits", Array::<u32>::vacant(gpu, "bits of virtual point lights", asked)?.buffer),
        ("averages", Array::<f32>::vacant(gpu, "means of virtual point lights", rays)?.buffer),
        ("lit_states", Array::<LitState>::vacant(gpu, "states of points", places)?.buffer),
        ("seeds", Array::<u32>::vacant(gpu, "seeds of points", rays)?.buffer),
    ])
}
