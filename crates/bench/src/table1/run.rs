use fearless_simd::Level;
use sunfleck_kernel::{Coherence, HitBuffer};
use sunfleck_math::Vec3;
use sunfleck_scene::Scene;

use super::world::World;
use super::{Published, Rates, Row, Table1Report, WorldKind};
use crate::clock::{CPU_TIME, Stopwatch, Whose};
use crate::kernel::Preset;
use crate::rays::RayMaker;
use crate::simple_shading::{PointLight, ShadingTables, TiledFilm, shade};
use crate::{BenchError, RayKind, RaySet, Subject};

/// Rays that are cast and then shaded: 20 KiB of hits.
const BATCH: usize = 1024;
/// Of the light; a white surface that faces it is white.
const DIFFUSE: f32 = 0.75;
const AMBIENT: f32 = 0.25;

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Our instruction set; the column without SIMD takes none.
    pub level: Level,
    /// How often everything is timed; the best round counts.
    pub rounds: usize,
    /// Pixels per side of the image.
    pub resolution: u32,
    /// How much work goes into the structures.
    pub preset: Preset,
    /// Whether scenes are traced as instances in two levels, too.
    pub dynamic: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { level: Level::new(), rounds: 5, resolution: 1024, preset: Preset::Best, dynamic: true }
    }
}

/// What was shaded.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Of the scene.
    pub name: String,
    /// Pixels per side.
    pub width: u32,
    /// Linear RGB, row by row from the top.
    pub pixels: Vec<Vec3>,
}

/// Measures scenes by their names, on one thread.
///
/// * `progress` — is told what happens next.
///
/// Returns an image of each scene, too. Errors: a structure cannot be built; there is nothing to trace.
pub fn run(
    settings: &Settings,
    scenes: &[(String, Scene)],
    progress: &mut dyn FnMut(&str),
) -> Result<(Table1Report, Vec<Picture>), BenchError> {
    let mut report =
        Table1Report { cpu_time: CPU_TIME, resolution: 0, rounds: settings.rounds, rows: Vec::new() };
    let mut pictures = Vec::new();
    for (name, scene) in scenes {
        let subject = Subject::from_scene(name.as_str(), scene)?;
        for kind in [WorldKind::Static, WorldKind::Dynamic] {
            let published = Published::beside(model_of(name), kind);
            if kind == WorldKind::Dynamic && (published.is_none() || !settings.dynamic) {
                continue;
            }
            progress(&format!("{name} ({}): building", kind.name()));
            let world = World::new(scene, &subject.mesh, kind, settings.preset)?;
            progress(&format!("{name} ({}): tracing", kind.name()));
            let maker = RayMaker::new(&subject, &world.tlas, settings.level, settings.resolution);
            let light = PointLight { position: maker.light(), diffuse: DIFFUSE, ambient: AMBIENT };
            let rays = maker.rays(RayKind::Primary);
            let mut frame = Frame::new(&world, &light, &rays, settings.resolution);
            let rates = frame.rates(settings);
            let (hit_share, textured_share) = frame.shares(settings.level);
            report.resolution = frame.film.width();
            report.rows.push(Row {
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
                pictures.push(Picture { name: name.clone(), width, pixels: frame.film.pixels() });
            }
        }
    }
    Ok((report, pictures))
}

/// `building` of `building:floor=3`.
fn model_of(spec: &str) -> &str {
    spec.split(':').next().unwrap_or(spec)
}

/// One image, again and again.
struct Frame<'a> {
    world: &'a World,
    light: &'a PointLight,
    rays: &'a RaySet,
    hits: HitBuffer,
    film: TiledFilm,
}

impl<'a> Frame<'a> {
    fn new(world: &'a World, light: &'a PointLight, rays: &'a RaySet, resolution: u32) -> Self {
        Self { world, light, rays, hits: HitBuffer::with_len(BATCH), film: TiledFilm::new(resolution) }
    }

    /// The best of some rounds, in which the columns take turns.
    fn rates(&mut self, settings: &Settings) -> Rates {
        let columns = [(settings.level, false), (settings.level, true), (Level::fallback(), true)];
        let mut best = [f64::INFINITY; 3];
        for _ in 0..settings.rounds.max(1) {
            for ((level, shaded), best) in columns.into_iter().zip(&mut best) {
                let watch = Stopwatch::start(Whose::Thread);
                self.draw(level, shaded);
                *best = best.min(watch.stop().cpu_secs);
            }
        }
        let [casting, shaded, scalar] = best.map(|secs| self.rays.rays.len() as f64 * 1e-6 / secs);
        Rates { casting, shaded, scalar }
    }

    fn draw(&mut self, level: Level, shaded: bool) {
        let Self { world: World { tlas, tables }, light, rays, hits, film } = self;
        let count = rays.rays.len();
        for first in (0..count).step_by(BATCH) {
            let stream = rays.share(first..count.min(first + BATCH)).stream;
            tlas.intersect_stream(level, &stream, Coherence::Coherent, &mut hits.as_stream());
            if shaded {
                shade(level, tables, light, first, &stream, hits, film);
            }
        }
    }

    /// Which share of the rays hits something, and which something textured.
    fn shares(&self, level: Level) -> (f64, f64) {
        let Self { world: World { tlas, tables }, rays, .. } = self;
        let mut hits = HitBuffer::with_len(rays.rays.len());
        let stream = rays.share(0..rays.rays.len()).stream;
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

    fn quick() -> Settings {
        Settings { rounds: 1, resolution: 100, preset: Preset::Fast, ..Settings::default() }
    }

    #[test]
    fn every_column_of_every_world_is_measured() {
        let (report, pictures) = run(&quick(), &[("erw6".into(), erw6())], &mut |_| {}).unwrap();
        assert_eq!(report.resolution, 96, "a multiple of 8");
        let worlds: Vec<_> = report.rows.iter().map(|row| (row.world, row.instances > 1)).collect();
        assert_eq!(worlds, [(WorldKind::Static, false), (WorldKind::Dynamic, true)]);
        for row in &report.rows {
            let Rates { casting, shaded, scalar } = row.rates;
            assert!(casting > 0.0 && shaded > 0.0 && scalar > 0.0 && row.hit_share > 0.9, "{row:?}");
        }
        let [picture] = pictures.as_slice() else { panic!("one scene is one picture") };
        assert_eq!((picture.width, picture.pixels.len()), (96, 96 * 96));
    }

    /// The room is in world space, its instances in theirs: materials and normals must be those of the triangle that
    /// is hit.
    #[test]
    fn one_level_and_two_show_the_same_picture() {
        let (scene, settings) = (erw6(), quick());
        let subject = Subject::from_scene("erw6", &scene).unwrap();
        let light = PointLight { position: vec3(2.0, 1.8, 3.0), diffuse: 0.75, ambient: 0.25 };
        let [one, two] = [WorldKind::Static, WorldKind::Dynamic].map(|kind| {
            let world = World::new(&scene, &subject.mesh, kind, settings.preset).unwrap();
            let rays = RayMaker::new(&subject, &world.tlas, settings.level, 96).rays(RayKind::Primary);
            let mut frame = Frame::new(&world, &light, &rays, 96);
            frame.draw(settings.level, true);
            frame.film.pixels()
        });
        let differ = one.iter().zip(&two).filter(|(a, b)| (**a - **b).abs().max_element() > 1e-3);
        assert!(differ.count() < 10, "but for edges");
        let bright = one.iter().filter(|pixel| pixel.max_element() > 0.1).count();
        assert!(bright > 96 * 96 / 2, "a lit room, {bright} pixels are bright");
    }
}
