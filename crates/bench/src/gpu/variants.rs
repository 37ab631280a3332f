//! What else a GPU could do with the same rays: walk nodes with eight boxes of a byte a plane, and take rays in another order.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use sunfleck_gpu::{Gpu, Mirror, RayBatch, Tracer, WideTree};
use sunfleck_kernel::Tlas;
use sunfleck_shaders::layout::Ray;

use super::report::RaysReport;
use super::{PASSES, Settings, differences, rate, warm_up};
use crate::table::{NOTHING, Table, giga};
use crate::{BenchError, RaySet};

/// The same rays in a tree with eight boxes in a node.
#[derive(Clone, Debug, Serialize)]
pub struct WideReport {
    /// Closest hits per second of the GPU's time, the median; none without time stamps.
    pub closest: Option<f64>,
    /// Any hits.
    pub any: Option<f64>,
    /// For so many the processor finds something else.
    pub differ: usize,
}

/// The same rays in the same tree in another way. Sorting itself takes no time here.
#[derive(Clone, Debug, Serialize)]
pub struct Rates {
    /// Closest hits per second of the GPU's time, the median; none without time stamps.
    pub closest: Option<f64>,
    /// Any hits.
    pub any: Option<f64>,
}

pub(super) fn trace_wide(
    settings: &Settings,
    world: &Tlas,
    wide: &WideTree,
    gpu: &Arc<Gpu>,
    set: &RaySet,
    rays: &[Ray],
) -> Result<WideReport, BenchError> {
    let batch = RayBatch::new(gpu, rays)?;
    let differ = differences(world, set, &wide.closest(&batch)?);
    warm_up(|| wide.time_closest(&batch, PASSES).map(|_| ()))?;
    Ok(WideReport {
        closest: rate(rays.len() as f64, wide.time_closest(&batch, settings.rounds)?),
        any: rate(rays.len() as f64, wide.time_any(&batch, settings.rounds)?),
        differ,
    })
}

pub(super) fn trace_sorted(
    settings: &Settings,
    mirror: &Mirror,
    tracer: &Tracer,
    gpu: &Arc<Gpu>,
    set: &RaySet,
) -> Result<Rates, BenchError> {
    let rays: Vec<Ray> = set.sorted().rays.iter().map(Ray::from).collect();
    trace_from_root(settings, mirror, tracer, gpu, &rays)
}

pub(super) fn trace_from_root(
    settings: &Settings,
    mirror: &Mirror,
    tracer: &Tracer,
    gpu: &Arc<Gpu>,
    rays: &[Ray],
) -> Result<Rates, BenchError> {
    let batch = RayBatch::new(gpu, rays)?;
    warm_up(|| tracer.time_closest(mirror, &batch, PASSES).map(|_| ()))?;
    Ok(Rates {
        closest: rate(rays.len() as f64, tracer.time_closest(mirror, &batch, settings.rounds)?),
        any: rate(rays.len() as f64, tracer.time_any(mirror, &batch, settings.rounds)?),
    })
}

/// Prints them beside what they are compared with.
pub(super) fn table(rays: &[RaysReport], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let wide = ["eight a node: closest, G/s", "of four a node", "any, G/s", "of four a node", "differ"];
    let order = ["sorted: closest, G/s", "of unsorted", "any, G/s", "of unsorted"];
    let root = ["without beams: closest, G/s", "of with", "any, G/s", "of with"];
    let titles = ["rays"].into_iter().chain(wide).chain(order).chain(root);
    let mut table = Table::new(titles).indented();
    for set in rays {
        let (Some(wide), Some(sorted), Some(root)) = (&set.wide, &set.sorted, &set.from_root) else {
            continue;
        };
        let beside = |other: Option<f64>, ours: Option<f64>| {
            let times = other.zip(ours).map(|(other, ours)| format!("{:.2} ×", other / ours));
            [giga(other), times.unwrap_or(NOTHING.to_owned())]
        };
        let mut cells = vec![set.kind.name().to_owned()];
        // What has no beams either
        cells.extend(beside(wide.closest, root.closest));
        cells.extend(beside(wide.any, root.any));
        cells.push(wide.differ.to_string());
        cells.extend(beside(sorted.closest, root.closest));
        cells.extend(beside(sorted.any, root.any));
        cells.extend(beside(root.closest, set.closest));
        cells.extend(beside(root.any, set.any));
        table.row(cells);
    }
    write!(f, "{table}")
}
