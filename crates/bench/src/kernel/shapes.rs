//! Rates of rays among spheres beside those among triangles of the same size in the same places.

use std::fmt;
use std::sync::Arc;

use fearless_simd::Level;
use serde::Serialize;
use sunfleck_kernel::{Blas, BuildOptions, Geometry, HitBuffer, Instance, Shapes, Tlas};
use sunfleck_math::{Affine3, Shape, Vec3, pow};
use sunfleck_sampling::{rng, warp};

use super::{QueryForm, QueryKind};
use crate::clock::{ClockScope, Stopwatch};
use crate::query::Query;
use crate::rays::RayGenerator;
use crate::table::Table;
use crate::{BenchError, Mesh, RayKind, RaySet, Subject};

/// Settings of the comparison of spheres and triangles.
#[derive(Clone, Debug)]
pub struct ShapesSettings {
    /// Number of spheres, and of triangles.
    pub count: u32,
    /// Primary rays per side of the image, and as many random rays in all.
    pub resolution: u32,
    /// Number of timings.
    pub rounds: usize,
    /// SIMD level.
    pub level: Level,
}

/// Rates of one kind of rays, in 10⁶ per second of CPU time.
#[derive(Clone, Debug, Serialize)]
pub struct ShapeRates {
    /// Kind of rays.
    pub kind: RayKind,
    /// Closest or any hit.
    pub question: QueryKind,
    /// Form of query: single rays or streams.
    pub form: &'static str,
    /// Best rate among spheres.
    pub spheres: f64,
    /// Best rate among triangles.
    pub triangles: f64,
    /// Fractions of the rays that hit a sphere and a triangle.
    pub hits: [f64; 2],
}

/// Rates of rays among spheres and among triangles.
#[derive(Clone, Debug, Serialize)]
pub struct ShapesReport {
    /// Number of spheres, and of triangles.
    pub count: u32,
    /// Rates by kind of rays, question and form.
    pub rates: Vec<ShapeRates>,
}

/// Radius of the spheres in distances between neighbours.
const RADIUS: f32 = 0.3;

/// Compares the rates on one thread, in alternating rounds. Errors: [`BenchError::Build`].
pub fn shapes(settings: &ShapesSettings) -> Result<ShapesReport, BenchError> {
    let (spheres, mesh) = scattered(settings.count);
    let options = BuildOptions::default();
    let world = |geometry: Geometry| {
        let place = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
        Tlas::build(vec![geometry], vec![place], &options)
    };
    let of_spheres = world(Arc::new(Shapes::build(&spheres, &options)?).into())?;
    let of_triangles = world(Arc::new(Blas::build(&mesh.positions, &mesh.triangles, &options)?).into())?;
    let subject = Subject::from_mesh("triangles", mesh)?;
    let generator = RayGenerator::new(&subject, &of_triangles, settings.level, settings.resolution);
    let mut rates = Vec::new();
    for kind in [RayKind::Primary, RayKind::Random] {
        let rays = generator.rays(kind);
        for (question, form) in QueryKind::ALL
            .into_iter()
            .flat_map(|question| [QueryForm::Single, QueryForm::Stream].map(|form| (question, form)))
        {
            let (mut best, mut hits) = ([0.0f64; 2], [0.0; 2]);
            for _ in 0..settings.rounds {
                for (i, tlas) in [&of_spheres, &of_triangles].into_iter().enumerate() {
                    let query = form.query(tlas, settings.level, kind);
                    let (rate, share) = measured(&query, &rays, question);
                    best[i] = best[i].max(rate);
                    hits[i] = share;
                }
            }
            let [spheres, triangles] = best;
            rates.push(ShapeRates { kind, question, form: form.name(), spheres, triangles, hits });
        }
    }
    Ok(ShapesReport { count: settings.count, rates })
}

/// Returns the rate in 10⁶ rays per second, and the fraction of hits.
fn measured(query: &dyn Query, rays: &RaySet, question: QueryKind) -> (f64, f64) {
    let count = rays.rays.len();
    let slice = rays.slice(0..count);
    let (mut closest, mut any) = (HitBuffer::with_len(count), vec![false; count]);
    let stopwatch = Stopwatch::start(ClockScope::Thread);
    match question {
        QueryKind::Closest => query.closest(&slice, &mut closest.as_stream()),
        QueryKind::Any => query.occluded(&slice, &mut any),
    }
    let seconds = stopwatch.stop().cpu_secs.max(1e-9);
    let hits = match question {
        QueryKind::Closest => closest.t.iter().filter(|t| t.is_finite()).count(),
        QueryKind::Any => any.iter().filter(|&&hit| hit).count(),
    };
    (count as f64 * 1e-6 / seconds, hits as f64 / count as f64)
}

/// Returns spheres in the unit cube, and triangles whose corners are on them.
fn scattered(count: u32) -> (Vec<Shape>, Mesh) {
    let spacing = pow(count as f32, -1.0 / 3.0);
    let (mut spheres, mut mesh) = (Vec::new(), Mesh { positions: Vec::new(), triangles: Vec::new() });
    for i in 0..count {
        let center = Vec3::from([0, 1, 2].map(|axis| rng::uniform([i, axis, 1, 0])));
        spheres.push(Shape::sphere(center, RADIUS * spacing));
        mesh.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
        let corner = |j| center + warp::uniform_sphere(rng::uniform_2d([i, j, 2, 0])) * (RADIUS * spacing);
        mesh.positions.extend([corner(0), corner(1), corner(2)]);
    }
    (spheres, mesh)
}

impl fmt::Display for ShapesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Mrays/s among {} spheres, and among as many triangles of their size", self.count)?;
        let headings =
            ["rays", "query", "form", "spheres", "triangles", "ratio", "hit spheres", "hit triangles"];
        let mut table = Table::new(headings);
        for rates in &self.rates {
            let [of_spheres, of_triangles] = rates.hits.map(|share| format!("{:.0} %", share * 100.0));
            table.row([
                rates.kind.name().to_string(),
                rates.question.name().to_string(),
                rates.form.to_string(),
                format!("{:.2}", rates.spheres),
                format!("{:.2}", rates.triangles),
                format!("{:.2}", rates.spheres / rates.triangles),
                of_spheres,
                of_triangles,
            ]);
        }
        write!(f, "{table}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_and_triangles_are_measured() {
        let settings = ShapesSettings { count: 2000, resolution: 64, rounds: 1, level: Level::new() };
        let report = shapes(&settings).unwrap();
        assert_eq!(report.rates.len(), 8);
        assert!(
            report.rates.iter().all(|rates| rates.hits[0] > rates.hits[1] && rates.hits[1] > 0.01),
            "{report}"
        );
    }
}
