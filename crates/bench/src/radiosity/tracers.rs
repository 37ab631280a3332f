//! Form factors by our kernel, and by a host program of the ray engine, one of the applications that [RayEngine02, §1]
//! names.

use std::sync::Arc;

use sunfleck_gpu::Gpu;
use sunfleck_kernel::{HitBuffer, RayBuffer};
use sunfleck_ray_engine::{Answers, RayBackend, RayEngine, RayEngineError, RayEngineSettings, RayQuery};
use sunfleck_surface::matrix::{CastOptions, ClosestHits, FormFactors, Patches};
use sunfleck_transport::{AlphaSeed, World};

use super::report::TracerRow;
use crate::BenchError;
use crate::clock::{ClockScope, Stopwatch};

/// Rays of form factors, answered by a ray engine.
#[derive(Debug)]
struct HostProgram(RayEngine);

impl ClosestHits for HostProgram {
    type Error = RayEngineError;

    const RAYS_PER_CALL: u32 = 1 << 17;

    fn closest(
        &self,
        rays: &RayBuffer,
        _seed: &(dyn Fn(usize) -> AlphaSeed + Sync),
    ) -> Result<HitBuffer, RayEngineError> {
        let stream = rays.as_stream();
        let batch = (0..stream.len()).filter_map(|i| stream.get(i)).collect();
        let mut hits = HitBuffer::with_len(stream.len());
        let Answers::Closest(found) = self.0.submit(RayQuery::Closest, batch)?.wait()? else {
            return Err(RayEngineError::Closed);
        };
        for (i, hit) in found.iter().enumerate() {
            (hits.t[i], hits.u[i], hits.v[i]) = (hit.t, hit.u, hit.v);
            (hits.prim_id[i], hits.inst_id[i]) = (hit.prim_id, hit.inst_id);
        }
        Ok(hits)
    }
}

/// Measures the time of form factors by each tracer.
pub(super) fn compare(
    world: &World,
    patches: &Patches,
    options: &CastOptions,
    gpu: Option<&Arc<Gpu>>,
) -> Result<Vec<TracerRow>, BenchError> {
    let watch = Stopwatch::start(ClockScope::Process);
    let kernel = FormFactors::cast(world, patches, options);
    let mut rows = vec![TracerRow { tracer: "kernel", seconds: watch.stop().wall_secs, difference: 0.0 }];
    if !world.is_opaque() {
        // A ray engine has no alpha tests
        return Ok(rows);
    }
    let of_gpu = |make: fn(Arc<Gpu>) -> RayBackend| gpu.map(|gpu| make(gpu.clone()));
    for (tracer, backend) in [
        ("ray engine, CPU", Some(RayBackend::Cpu)),
        ("ray engine, GPU", of_gpu(RayBackend::Gpu)),
        ("ray engine, both", of_gpu(RayBackend::Shared)),
    ] {
        let Some(backend) = backend else { continue };
        let settings = RayEngineSettings { in_flight_bytes: 4 << 30, ..RayEngineSettings::default() };
        let program = HostProgram(RayEngine::new(world.tlas(), backend, &settings)?);
        let watch = Stopwatch::start(ClockScope::Process);
        let factors = FormFactors::cast_by(&program, patches, options)?;
        let seconds = watch.stop().wall_secs;
        rows.push(TracerRow { tracer, seconds, difference: difference(&factors, &kernel, patches) });
    }
    Ok(rows)
}

/// Returns the mean over the area of the sums of the differences of each row.
fn difference(a: &FormFactors, b: &FormFactors, patches: &Patches) -> f64 {
    let (mut sum, mut area) = (0.0, 0.0);
    for (i, patch) in patches.patches().iter().enumerate() {
        let changed = |from: &FormFactors, to: &FormFactors, both: bool| -> f64 {
            let links = from.row(i).iter().map(|link| (link.value, to.get(i, link.patch)));
            links.filter(|(_, other)| both || *other == 0.0).map(|(x, y)| f64::from((x - y).abs())).sum()
        };
        sum += f64::from(patch.area) * (changed(a, b, true) + changed(b, a, false));
        area += f64::from(patch.area);
    }
    if area > 0.0 { sum / area } else { 0.0 }
}
