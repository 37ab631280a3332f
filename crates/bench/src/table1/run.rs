use fearless_simd::Level;
use sunfleck_kernel::{Coherence, HitBuffer};
use sunfleck_math::Vec3;
use sunfleck_scene::Scene;

use super::world::Table1World;
use super::{PublishedTable1Row, Table1Rates, Table1Report, Table1Row, WorldKind};
use crate::clock::{CPU_TIME, ClockScope, Stopwatch};
use crate::kernel::BuildPreset;
use crate::rays::RayGenerator;
use crate::simple_shading::{PointLight, ShadingTables, TiledFilm, shade};
use crate::{BenchError, RayKind, RaySet, Subject};

/// Number of rays that are cast and then shaded: 20 KiB of hits.
const BATCH: usize = 1024;
/// Terms of the light: a white surface that faces it is white.
const DIFFUSE: f32 = 0.75;
const AMBIENT: f32 = 0.25;

/// Settings of the benchmark of Table 1.
#[derive(Clone, Debug)]
pub struct Table1Settings {
    /// SIMD level, except for the scalar column.
    pub level: Level,
    /// Number of timings; the best one counts.
    pub rounds: usize,
    /// Pixels per side of the image.
    pub resolution: u32,
    /// Build quality of the acceleration structures.
    pub preset: BuildPreset,
    /// Whether to measure two-level structures, too.
    pub dynamic: bool,
}

impl Default for Table1Settings {
    fn default() -> Self {
        Self { level: Level::new(), rounds: 5, resolution: 1024, preset: BuildPreset::Best, dynamic: true }
    }
}

/// Shaded image of a scene.
#[derive(Clone, Debug)]
pub struct ShadedImage {
    /// Name of the scene.
    pub name: String,
    /// Pixels per side.
    pub width: u32,
    /// Linear RGB, row by row from the top.
    pub pixels: Vec<Vec3>,
}

/// Measures scenes on one thread. Also returns an image of each scene.
///
/// * `scenes` — names and scenes.
/// * `progress` — receives a line of text before each step.
///
/// Errors: a structure cannot be built, or a scene has no triangles.
pub fn run(
    settings: &Table1Settings,
    scenes: &[(String, Scene)],
    progress: &mut dyn FnMut(&str),
) -> Result<(Table1Report, Vec<ShadedImage>), BenchError> {
    let mut report =
        Table1Report { cpu_time: CPU_TIME, resolution: 0, rounds: settings.rounds, rows: Vec::new() };
    let mut images = Vec::new();
    for (name, scene) in scenes {
        let subject = Subject::from_scene(name.as_str(), scene)?;
        for kind in [WorldKind::Static, WorldKind::Dynamic] {
            let published = PublishedTable1Row::for_model(model_of(name), kind);
            if kind == WorldKind::Dynamic && (published.is_none() || !settings.dynamic) {
                continue;
            }
            progress(&format!("{name} ({}): building", kind.name()));
            let world = Table1World::new(scene, &subject.mesh, kind, settings.preset)?;
            progress(&format!("{name} ({}): tracing", kind.name()));
            let generator = RayGenerator::new(&subject, &world.tlas, settings.level, settings.resolution);
            let light = PointLight { position: generator.light(), diffuse: DIFFUSE, ambient: AMBIENT };
            let rays = generator.rays(RayKind::Primary);
            let mut frame = TimedFrame::new(&world, &light, &rays, settings.resolution);
            let rates = frame.rates(settings);
            let (hit_share, textured_share) = frame.shares(settings.level);
            report.resolution = frame.film.width();
            report.rows.push(Table1Row {
                scene: name.clone(),
                world: kind,
                triangles: subject.mesh.triangles.len(),
                instances: world.tlas.instances().len(),
                hit_share,
                textured_share,
                overhead_percent: rates.overhead_percent(),
                frames_per_second: rates.shaded * 1e6 / rays.rays.len() as f64,
                rates,
                published,
            });
            if kind == WorldKind::Static {
                let width = u32::try_from(frame.film.width()).unwrap_or(u32::MAX);
                images.push(ShadedImage { name: name.clone(), width, pixels: frame.film.pixels() });
            }
        }
    }
    Ok((report, images))
}

/// Returns the name of a built-in scene without its parameters: `building` for `building:floor=3`.
fn model_of(spec: &str) -> &str {
    spec.split(':').next().unwrap_or(spec)
}

/// Image that is traced and shaded repeatedly.
struct TimedFrame<'a> {
    world: &'a Table1World,
    light: &'a PointLight,
    rays: &'a RaySet,
    hits: HitBuffer,
    film: TiledFilm,
}

impl<'a> TimedFrame<'a> {
    fn new(world: &'a Table1World, light: &'a PointLight, rays: &'a RaySet, resolution: u32) -> Self {
        Self { world, light, rays, hits: HitBuffer::with_len(BATCH), film: TiledFilm::new(resolution) }
    }

    /// Measures the rates; rounds alternate between the columns, and the best round counts.
    fn rates(&mut self, settings: &Table1Settings) -> Table1Rates {
        let columns = [(settings.level, false), (settings.level, true), (Level::fallback(), true)];
        let mut best = [f64::INFINITY; 3];
        for _ in 0..settings.rounds.max(1) {
            for ((level, shaded), best) in columns.into_iter().zip(&mut best) {
                let watch = Stopwatch::start(ClockScope::Thread);
                self.render(level, shaded);
                *best = best.min(watch.stop().cpu_secs);
            }
        }
        let [casting, shaded, scalar] = best.map(|secs| self.rays.rays.len() as f64 * 1e-6 / secs);
        Table1Rates { casting, shaded, scalar }
    }

    /// Casts all rays and, if requested, shades their hits.
    fn render(&mut self, level: Level, shaded: bool) {
        let Self { world: Table1World { tlas, tables }, light, rays, hits, film } = self;
        let count = rays.rays.len();
        for first in (0..count).step_by(BATCH) {
            let stream = rays.slice(first..count.min(first + BATCH)).stream;
            tlas.intersect_stream(level, &stream, Coherence::Coherent, &mut hits.as_stream());
            if shaded {
                shade(level, tables, light, first, &stream, hits, film);
            }
        }
    }

    /// Returns the fractions of the rays that hit something, and that hit a textured surface.
    fn shares(&self, level: Level) -> (f64, f64) {
        let Self { world: Table1World { tlas, tables }, rays, .. } = self;
        let mut hits = HitBuffer::with_len(rays.rays.len());
        let stream = rays.slice(0..rays.rays.len()).stream;
        tlas.intersect_stream(level, &stream, Coherence::Coherent, &mut hits.as_stream());
        let hit = hits.t.iter().filter(|t| t.is_finite()).count() as f64 / hits.t.len().max(1) as f64;
        (hit, ShadingTables::textured_share(tables, &hits.inst_id, &hits.prim_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec3;

    fn erw6() -> Scene {
        sunfleck_models::build("erw6").unwrap()
    }

    fn quick() -> Table1Settings {
        Table1Settings { rounds: 1, resolution: 100, preset: BuildPreset::Fast, ..Table1Settings::default() }
    }

    #[test]
    fn every_column_of_every_world_is_measured() {
        let (report, images) = run(&quick(), &[("erw6".into(), erw6())], &mut |_| {}).unwrap();
        assert_eq!(report.resolution, 96, "a multiple of 8");
        let worlds: Vec<_> = report.rows.iter().map(|row| (row.world, row.instances > 1)).collect();
        assert_eq!(worlds, [(WorldKind::Static, false), (WorldKind::Dynamic, true)]);
        for row in &report.rows {
            let Table1Rates { casting, shaded, scalar } = row.rates;
            assert!(casting > 0.0 && shaded > 0.0 && scalar > 0.0 && row.hit_share > 0.9, "{row:?}");
        }
        let [image] = images.as_slice() else { panic!("there is one image per scene") };
        assert_eq!((image.width, image.pixels.len()), (96, 96 * 96));
    }

    /// Meshes are in world space with one level, and in object space with two: both must find materials and normals
    /// of the triangle that is hit.
    #[test]
    fn one_level_and_two_show_the_same_image() {
        let (scene, settings) = (erw6(), quick());
        let subject = Subject::from_scene("erw6", &scene).unwrap();
        let light = PointLight { position: vec3(2.0, 1.8, 3.0), diffuse: 0.75, ambient: 0.25 };
        let [one, two] = [WorldKind::Static, WorldKind::Dynamic].map(|kind| {
            let world = Table1World::new(&scene, &subject.mesh, kind, settings.preset).unwrap();
            let rays = RayGenerator::new(&subject, &world.tlas, settings.level, 96).rays(RayKind::Primary);
            let mut frame = TimedFrame::new(&world, &light, &rays, 96);
            frame.render(settings.level, true);
            frame.film.pixels()
        });
        let differ = one.iter().zip(&two).filter(|(a, b)| (**a - **b).abs().max_element() > 1e-3);
        assert!(differ.count() < 10, "only edges differ");
        let bright = one.iter().filter(|pixel| pixel.max_element() > 0.1).count();
        assert!(bright > 96 * 96 / 2, "a lit room, {bright} pixels are bright");
    }
}
