#![allow(unsafe_code, reason = "a C library is called")]

use std::ffi::{CString, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

use sunfleck_math::Vec3;

use super::EmbreeLibrary;
use super::types::{
    BUFFER_TYPE_INDEX, BUFFER_TYPE_VERTEX, FORMAT_FLOAT3, FORMAT_UINT3, GEOMETRY_TYPE_TRIANGLE, Handle,
    SCENE_FLAG_ROBUST,
};
use crate::clock::{ClockScope, Elapsed, Stopwatch};
use crate::{BenchError, Mesh};

/// `RTCBuildQuality`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildQuality {
    /// Builder by Morton codes.
    Low = 0,
    /// Binned SAH builder.
    Medium = 1,
    /// Binned SAH builder with spatial splits.
    High = 2,
}

impl BuildQuality {
    /// Name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Heap memory of the build of a scene, as reported by Embree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildMemory {
    /// Peak, bytes.
    pub(crate) peak_bytes: usize,
    /// Memory still allocated once the scene is committed, bytes.
    pub(crate) final_bytes: usize,
}

/// Committed Embree scene of one mesh.
#[derive(Debug)]
pub(crate) struct EmbreeScene {
    library: Arc<EmbreeLibrary>,
    device: Handle,
    scene: Handle,
    pub(crate) elapsed: Elapsed,
    memory: BuildMemory,
    robust: bool,
    /// Shared with Embree, which keeps no copy.
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

// SAFETY: a committed scene is only read by queries, which Embree allows from any number of threads at once; handles
// are not bound to the thread that created them.
unsafe impl Sync for EmbreeScene {}

/// Allocated memory that the device has reported, bytes.
#[derive(Default)]
struct MemoryCounter {
    now: AtomicIsize,
    peak: AtomicIsize,
}

impl EmbreeScene {
    /// Builds `mesh` with `threads` threads.
    ///
    /// * `robust` — sets `RTC_SCENE_FLAG_ROBUST`: queries are watertight, as those of Sunfleck, and slower.
    ///
    /// Errors: a vertex index is out of range, or Embree returns an error.
    pub(crate) fn build(
        library: &Arc<EmbreeLibrary>,
        mesh: &Mesh,
        quality: BuildQuality,
        robust: bool,
        threads: usize,
    ) -> Result<Self, BenchError> {
        if mesh.triangles.iter().flatten().any(|&i| i as usize >= mesh.positions.len()) {
            let reason = "a triangle has a vertex index out of range";
            return Err(BenchError::Subject { name: "mesh".to_string(), reason });
        }
        // Embree reads 16 bytes per vertex: the last one is followed by padding.
        let mut vertices = Vec::with_capacity(mesh.positions.len() + 1);
        vertices.extend_from_slice(&mesh.positions);
        vertices.push(Vec3::ZERO);
        let triangles = mesh.triangles.clone();
        let f = &library.functions;
        let counter = MemoryCounter::default();
        let config = CString::new(format!("threads={}", threads.max(1))).unwrap_or_default();

        // SAFETY: handles are of the right type and are used before they are released; indices are in range; the
        // buffers belong to the returned value, which releases the scene before them; the monitor is removed before
        // `counter` is dropped.
        unsafe {
            let device = (f.new_device)(config.as_ptr());
            let scene = (f.new_scene)(device);
            let mut built = Self {
                library: Arc::clone(library),
                device,
                scene,
                elapsed: Elapsed::default(),
                memory: BuildMemory { peak_bytes: 0, final_bytes: 0 },
                robust,
                vertices,
                triangles,
            };
            built.check("create a device")?;
            (f.set_memory_monitor)(device, Some(count_memory), (&raw const counter).cast_mut().cast());
            (f.set_scene_quality)(scene, quality as c_int);
            (f.set_scene_flags)(scene, if robust { SCENE_FLAG_ROBUST } else { 0 });

            let geometry = (f.new_geometry)(device, GEOMETRY_TYPE_TRIANGLE);
            (f.set_geometry_quality)(geometry, quality as c_int);
            let share = |kind, format, data: *const c_void, count| {
                (f.set_shared_buffer)(geometry, kind, 0, format, data, 0, 12, count);
            };
            share(BUFFER_TYPE_VERTEX, FORMAT_FLOAT3, built.vertices.as_ptr().cast(), mesh.positions.len());
            share(BUFFER_TYPE_INDEX, FORMAT_UINT3, built.triangles.as_ptr().cast(), mesh.triangles.len());

            let watch = Stopwatch::start(ClockScope::Process);
            (f.commit_geometry)(geometry);
            (f.attach_geometry)(scene, geometry);
            (f.release_geometry)(geometry);
            (f.commit_scene)(scene);
            built.elapsed = watch.stop();
            // Threads of a released device may still spin meanwhile: their time is not that of this build.
            let most = built.elapsed.wall_secs * threads.max(1) as f64;
            built.elapsed.cpu_secs = built.elapsed.cpu_secs.min(most);
            let error = built.check("build the scene");
            (f.set_memory_monitor)(device, None, std::ptr::null_mut());
            error?;
            let bytes = |counter: &AtomicIsize| usize::try_from(counter.load(Ordering::Relaxed)).unwrap_or(0);
            built.memory = BuildMemory { peak_bytes: bytes(&counter.peak), final_bytes: bytes(&counter.now) };
            Ok(built)
        }
    }

    /// Returns the memory of the build.
    pub(crate) fn memory(&self) -> BuildMemory {
        self.memory
    }

    /// Returns whether the scene was built for robust mode.
    pub(crate) fn robust(&self) -> bool {
        self.robust
    }

    pub(super) fn library(&self) -> &EmbreeLibrary {
        &self.library
    }

    pub(super) fn handle(&self) -> Handle {
        self.scene
    }

    fn check(&self, action: &'static str) -> Result<(), BenchError> {
        // SAFETY: the device is alive, or null, for which Embree returns the error of its creation.
        match unsafe { (self.library.functions.device_error)(self.device) } {
            0 => Ok(()),
            code => Err(BenchError::Embree { action, code }),
        }
    }
}

impl Drop for EmbreeScene {
    fn drop(&mut self) {
        let f = &self.library.functions;
        // SAFETY: both were created by `build` and are released once; for null handles Embree only sets an error code.
        unsafe {
            (f.release_scene)(self.scene);
            (f.release_device)(self.device);
        }
    }
}

/// [`RTCMemoryMonitorFunction`](https://github.com/RenderKit/embree) that updates a [`MemoryCounter`]. Embree may
/// call it from several threads.
unsafe extern "C" fn count_memory(user: *mut c_void, bytes: isize, _post: bool) -> bool {
    // SAFETY: `build` passes the address of a `MemoryCounter` that lives as long as this function is registered.
    let counter = unsafe { &*user.cast::<MemoryCounter>() };
    let now = counter.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
    counter.peak.fetch_max(now, Ordering::Relaxed);
    true
}
