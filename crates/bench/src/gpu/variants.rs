//! What else a GPU could do with the same rays: walk nodes with eight boxes of a byte a plane, and take rays in another order.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use sunfleck_gpu::{Gpu, Mirror, RayBatch, Tracer, WideTree};
use sunfleck_kernel::{Blas, Tlas};
use sunfleck_shaders::layout::Ray;

use super::report::{RaysReport, giga};
use super::{PASSES, Settings, differences, median, warm_up};
use crate::table::{NOTHING, Table};
use crate::{BenchError, RaySet};

/// The same rays in other ways.
#[derive(Clone, Debug, Serialize)]
pub struct VariantsReport {
    /// Bytes of the wide tree.
    pub wide_bytes: u64,
    /// Closest hits per second of the GPU's time in it, the median; none without time stamps.
    pub wide_closest: Option<f64>,
    /// Any hits.
    pub wide_any: Option<f64>,
    /// For so many the processor finds something else.
    pub wide_differ: usize,
    /// Closest hits per second in the binary tree if the rays come sorted; sorting takes no time here.
    pub sorted_closest: Option<f64>,
    /// Any hits.
    pub sorted_any: Option<f64>,
    /// Seconds that the processor takes to sort.
    pub sort_s: f64,
}

/// Measures them.
pub(super) fn measure(
    settings: &Settings,
    (world, blas): (&Tlas, &Blas),
    (mirror, tracer): (&Mirror, &Tracer),
    gpu: &Arc<Gpu>,
    set: &RaySet,
) -> Result<VariantsReport, BenchError> {
    let wide = WideTree::new(gpu, blas)?;
    let rays: Vec<Ray> = set.rays.iter().map(Ray::from).collect();
    let batch = RayBatch::new(gpu, &rays)?;
    let wide_differ = differences(world, set, &wide.closest(&batch)?);
    warm_up(|| wide.time_closest(&batch, PASSES).map(|_| ()))?;
    let rate = |seconds: Option<Vec<f64>>| seconds.map(|seconds| rays.len() as f64 / median(seconds));
    let wide_closest = rate(wide.time_closest(&batch, settings.rounds)?);
    let wide_any = rate(wide.time_any(&batch, settings.rounds)?);

    let start = std::time::Instant::now();
    let sorted = set.sorted();
    let sort_s = start.elapsed().as_secs_f64();
    let sorted: Vec<Ray> = sorted.rays.iter().map(Ray::from).collect();
    let batch = RayBatch::new(gpu, &sorted)?;
    warm_up(|| tracer.time_closest(mirror, &batch, PASSES).map(|_| ()))?;
    Ok(VariantsReport {
        wide_bytes: wide.memory_bytes(),
        wide_closest,
        wide_any,
        wide_differ,
        sorted_closest: rate(tracer.time_closest(mirror, &batch, settings.rounds)?),
        sorted_any: rate(tracer.time_any(mirror, &batch, settings.rounds)?),
        sort_s,
    })
}

/// Prints them beside what they are compared with.
pub(super) fn table(triangles: usize, rays: &[RaysReport], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let headings = [
        "rays",
        "eight a node: closest, G/s",
        "of two a node",
        "any, G/s",
        "of two a node",
        "bytes a triangle",
        "differ",
        "sorted: closest, G/s",
        "of unsorted",
        "any, G/s",
        "of unsorted",
    ];
    let mut table = Table::new(headings).indented();
    for set in rays {
        let Some(variants) = &set.variants else { continue };
        let times = |other: Option<f64>, ours: Option<f64>| {
            other.zip(ours).map_or(NOTHING.to_owned(), |(other, ours)| format!("{:.2} ×", other / ours))
        };
        let per_triangle = variants.wide_bytes as f64 / triangles.max(1) as f64;
        table.row([
            set.kind.name().to_owned(),
            giga(variants.wide_closest),
            times(variants.wide_closest, set.closest),
            giga(variants.wide_any),
            times(variants.wide_any, set.any),
            format!("{per_triangle:.1}"),
            variants.wide_differ.to_string(),
            giga(variants.sorted_closest),
            times(variants.sorted_closest, set.closest),
            giga(variants.sorted_any),
            times(variants.sorted_any, set.any),
        ]);
    }
    write!(f, "{table}")
}
