use std::sync::Arc;

use sunfleck_constants::radiosity::PYRAMID_LEVELS;
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::{PyramidStep, Shooter, Shooting, Texel};
use sunfleck_shaders::passes::radiosity::{PYRAMID, SELECT, SHOOT};
use sunfleck_shading::luminance;
use wgpu::BindGroup;

use crate::buffer::Array;
use crate::pipeline::{Dispatch, Pipeline, run};
use crate::timing::{StageTime, Timestamps};
use crate::{Gpu, GpuError, Mirror};

/// Width of the tiles of texels that a workgroup updates.
const TILE: u32 = 8;

/// Stochastic radiosity on the GPU [Stochastic04]: each iteration chooses texels in proportion to their luminous power
/// and shoots their radiance to all texels that see them. Nothing is read back between iterations.
///
/// The texels are diffuse and opaque; rays stop at all surfaces, whatever their alpha.
#[derive(Debug)]
pub struct StochasticRadiosity {
    gpu: Arc<Gpu>,
    pyramid: Pipeline,
    select: Pipeline,
    shoot: Pipeline,
    /// Levels are built in steps: each with the number of cells of its first level.
    steps: Vec<(BindGroup, usize)>,
    selection: BindGroup,
    shooting: BindGroup,
    shooters: u32,
    texels: Array<Texel>,
    radiance: Array<[f32; 4]>,
    irradiance: Array<[f32; 4]>,
    cells: Array<f32>,
    progress: Array<u32>,
}

/// What to average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Average {
    /// The iterates themselves; texels shoot from the last one. Without bias but for the first iterations.
    #[default]
    Iterates,
    /// Texels shoot from the running mean [Stochastic04, Eq. 2, as printed]. The bias of the first iterations decays
    /// as slowly as `m^-(1 - ρ)`.
    RunningMean,
}

impl StochasticRadiosity {
    /// Uploads texels, compiles the kernels for the world of `mirror`, and begins with emission alone.
    ///
    /// * `texels` — rows of one or several square layers, one after the other.
    /// * `width` — width of a layer: a power of two, at least 8.
    /// * `shooters` — number of texels that shoot in an iteration, at least 1.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for other maps; [`GpuError::TooLarge`], [`GpuError::OutOfMemory`],
    /// [`GpuError::Shader`].
    pub fn new(
        gpu: &Arc<Gpu>,
        mirror: &Mirror,
        texels: &[Texel],
        width: u32,
        shooters: u32,
        seed: u32,
        average: Average,
    ) -> Result<Self, GpuError> {
        let layers = texels.len() / (width as usize).pow(2).max(1);
        let is_whole = layers * (width as usize).pow(2) == texels.len() && layers > 0;
        if !width.is_power_of_two() || width < TILE || !is_whole || shooters == 0 {
            return Err(GpuError::Unsupported {
                what: "a map without whole layers whose width is a power of two",
            });
        }
        let layers_u32 = u32::try_from(layers).unwrap_or(u32::MAX);
        let averages_iterates = average == Average::Iterates;
        let specialization = mirror.specialization();
        let pyramid = Pipeline::new(gpu, (&PYRAMID).into(), &specialization)?;
        let select = Pipeline::new(gpu, (&SELECT).into(), &specialization)?;
        let shoot = Pipeline::new(gpu, (&SHOOT).into(), &specialization)?;
        let all_cells = (0..=width.ilog2()).map(|level| layers * (width as usize >> level).pow(2)).sum();
        let cells = Array::<f32>::zeroed(gpu, "sums of texels", all_cells)?;
        let progress = Array::<u32>::zeroed(gpu, "iterations", 1)?;
        let radiance = Array::zeroed(gpu, "radiance of texels", texels.len())?;
        let irradiance = Array::zeroed(gpu, "irradiance of texels", texels.len())?;
        let places = Array::<Shooter>::zeroed(gpu, "texels that shoot", shooters as usize)?;
        let settings = Shooting { width, shooters, seed, averages_iterates: averages_iterates.into() };
        let settings = Array::new(gpu, "settings", &[settings])?;
        let emission: Vec<Vec3> = texels.iter().map(|texel| Vec3::from(texel.emission)).collect();
        let all_texels = texels;
        let texels = Array::new(gpu, "texels", texels)?;
        let step = |level: u32| {
            let counts = (level + PYRAMID_LEVELS >= width.ilog2()).into();
            let step = Array::new(gpu, "steps", &[PyramidStep { level, width, layers: layers_u32, counts }])?;
            let buffers =
                [("step", &step.buffer), ("pyramid", &cells.buffer), ("progress", &progress.buffer)];
            // Workgroups take whole blocks
            let own = width as usize >> level;
            let blocks = [own, layers * own].map(|cells| cells.div_ceil(1 << PYRAMID_LEVELS));
            let items = (blocks[0] * blocks[1]) << (2 * (PYRAMID_LEVELS - 1));
            Ok((pyramid.bind(gpu, &buffers.into())?, items))
        };
        let steps = (0..width.ilog2()).step_by(PYRAMID_LEVELS as usize).map(step);
        let steps = steps.collect::<Result<Vec<_>, GpuError>>()?;
        let mut buffers = mirror.resources();
        buffers.extend([
            ("shooting", &settings.buffer),
            ("texels", &texels.buffer),
            ("radiance", &radiance.buffer),
            ("irradiance", &irradiance.buffer),
            ("pyramid", &cells.buffer),
            ("progress", &progress.buffer),
            ("shooters", &places.buffer),
        ]);
        let selection = select.bind(gpu, &buffers)?;
        let shooting = shoot.bind(gpu, &buffers)?;
        let gpu = gpu.clone();
        let new = Self {
            gpu,
            pyramid,
            select,
            shoot,
            steps,
            selection,
            shooting,
            shooters,
            texels,
            radiance,
            irradiance,
            cells,
            progress,
        };
        new.restart(all_texels, &emission);
        Ok(new)
    }

    /// Replaces the texels, after emission, reflectance or places changed. Iterations go on with the radiance so far; to
    /// forget it sooner, [restart](Self::restart).
    pub fn set_texels(&self, texels: &[Texel]) {
        self.texels.write(&self.gpu, texels);
    }

    /// Starts again with iteration 1, which shoots from the given radiance, W/(m² sr): the emission, or the radiance of
    /// a similar scene. Waits for nothing.
    ///
    /// * `texels` — the current texels.
    pub fn restart(&self, texels: &[Texel], radiance: &[Vec3]) {
        let powers: Vec<f32> = texels.iter().zip(radiance).map(|(t, &r)| luminance(r) * t.area).collect();
        let radiance: Vec<[f32; 4]> = radiance.iter().map(|r| r.extend(0.0).to_array()).collect();
        self.radiance.write(&self.gpu, &radiance);
        self.cells.write(&self.gpu, &powers);
        self.progress.write(&self.gpu, &[0]);
    }

    /// Submits iterations, and does not wait for them.
    pub fn iterate(&self, iterations: u32) {
        let once = self.dispatches();
        let all: Vec<_> = (0..iterations).flat_map(|_| once.iter().map(again)).collect();
        run(&self.gpu, &all, 1, None);
    }

    /// Returns the mean irradiance of all texels, W/m²; their radiance is the emission plus the part of it that they
    /// reflect. Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn irradiance(&self) -> Result<Vec<Vec3>, GpuError> {
        Ok(self.irradiance.read(&self.gpu)?.into_iter().map(|[r, g, b, _]| Vec3::new(r, g, b)).collect())
    }

    /// Runs iterations and returns the GPU time of each stage; `None` if the GPU has no timestamps. Waits for the GPU.
    ///
    /// # Errors
    /// As [`irradiance`](Self::irradiance).
    pub fn time_stages(&self, iterations: u32) -> Result<Option<[StageTime; 3]>, GpuError> {
        let names = ["sums of texels", "selection", "visibility and update"];
        let mut times = names.map(|name| StageTime { name, seconds: 0.0 });
        let Some(stamps) = Timestamps::new(&self.gpu, 1)? else { return Ok(None) };
        let once = self.dispatches();
        let (sums, rest) = once.split_at(self.steps.len());
        let (selection, shooting) = rest.split_at(1);
        for _ in 0..iterations {
            for (stage, time) in [sums, selection, shooting].into_iter().zip(&mut times) {
                run(&self.gpu, stage, 1, Some(&stamps));
                time.seconds += stamps.read(&self.gpu)?.iter().sum::<f64>();
            }
        }
        Ok(Some(times))
    }

    /// Runs iterations without a break and returns their GPU time in seconds; `None` if the GPU has no timestamps.
    /// Waits for the GPU.
    ///
    /// # Errors
    /// As [`irradiance`](Self::irradiance).
    pub fn time_iterations(&self, iterations: u32) -> Result<Option<f64>, GpuError> {
        let stamps = Timestamps::new(&self.gpu, 1)?;
        let once = self.dispatches();
        let all: Vec<_> = (0..iterations).flat_map(|_| once.iter().map(again)).collect();
        run(&self.gpu, &all, 1, stamps.as_ref());
        self.gpu.wait()?;
        stamps.map(|stamps| Ok(stamps.read(&self.gpu)?.iter().sum())).transpose()
    }

    /// Returns the dispatches of an iteration: sums, selection, update.
    fn dispatches(&self) -> Vec<Dispatch<'_>> {
        let sums = self.steps.iter().map(|(group, items)| (&self.pyramid, group, *items));
        let selection = (&self.select, &self.selection, self.shooters as usize);
        let shooting = (&self.shoot, &self.shooting, self.texels.len());
        let all = sums.chain([selection, shooting]);
        all.map(|(kernel, group, items)| Dispatch { kernel, group: group.clone(), items }).collect()
    }
}

fn again<'a>(dispatch: &Dispatch<'a>) -> Dispatch<'a> {
    Dispatch { kernel: dispatch.kernel, group: dispatch.group.clone(), items: dispatch.items }
}
