#![allow(unsafe_code, reason = "a C library is called")]

use std::ffi::{CString, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

use sunfleck_math::Vec3;

use super::Library;
use super::types::{
    BUFFER_TYPE_INDEX, BUFFER_TYPE_VERTEX, FORMAT_FLOAT3, FORMAT_UINT3, GEOMETRY_TYPE_TRIANGLE, Handle,
    SCENE_FLAG_ROBUST,
};
use crate::clock::{Elapsed, Stopwatch, Whose};
use crate::{BenchError, Mesh};

/// `RTCBuildQuality`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// Morton order.
    Low = 0,
    /// Binned surface area heuristic.
    Medium = 1,
    /// The same with spatial splits.
    High = 2,
}

impl Quality {
    /// Name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Heap memory that Embree used to build a scene, as it reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// Peak, bytes.
    pub(crate) peak_bytes: usize,
    /// Remaining when the scene is committed, bytes.
    pub(crate) final_bytes: usize,
}

/// One mesh in an Embree scene, committed.
#[derive(Debug)]
pub(crate) struct EmbreeScene {
    library: Arc<Library>,
    device: Handle,
    scene: Handle,
    pub(crate) elapsed: Elapsed,
    memory: Memory,
    robust: bool,
    /// Read by Embree: it keeps no copy.
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

// SAFETY: a committed scene is only read by queries, which Embree allows from any number of threads at once; handles
// are not bound to the thread that made them.
unsafe impl Sync for EmbreeScene {}

/// Memory reported by the device.
#[derive(Default)]
struct Account {
    now: AtomicIsize,
    peak: AtomicIsize,
}

impl EmbreeScene {
    /// Builds `mesh` with `threads` threads.
    ///
    /// * `robust` — for watertight queries, as ours; slower.
    ///
    /// Errors: a triangle names a vertex that does not exist; Embree's.
    pub(crate) fn build(
        library: &Arc<Library>,
        mesh: &Mesh,
        quality: Quality,
        robust: bool,
        threads: usize,
    ) -> Result<Self, BenchError> {
        if mesh.triangles.iter().flatten().any(|&i| i as usize >= mesh.positions.len()) {
            let reason = "a triangle names a vertex that does not exist";
            return Err(BenchError::Subject { name: "mesh".to_string(), reason });
        }
        // Embree reads 16 bytes where a vertex starts: there must be some after the last one.
        let mut vertices = Vec::with_capacity(mesh.positions.len() + 1);
        vertices.extend_from_slice(&mesh.positions);
        vertices.push(Vec3::ZERO);
        let triangles = mesh.triangles.clone();
        let f = &library.functions;
        let account = Account::default();
        let config = CString::new(format!("threads={}", threads.max(1))).unwrap_or_default();

        // SAFETY: handles are used before they are released and as what they are; indices are in range; the buffers
        // live in the value returned, which releases the scene before them; `account` outlives the monitor, which is
        // removed before it goes.
        unsafe {
            let device = (f.new_device)(config.as_ptr());
            let scene = (f.new_scene)(device);
            let mut built = Self {
                library: Arc::clone(library),
                device,
                scene,
                elapsed: Elapsed::default(),
                memory: Memory { peak_bytes: 0, final_bytes: 0 },
                robust,
                vertices,
                triangles,
            };
            built.check("make a device")?;
            (f.set_memory_monitor)(device, Some(keep_account), (&raw const account).cast_mut().cast());
            (f.set_scene_quality)(scene, quality as c_int);
            (f.set_scene_flags)(scene, if robust { SCENE_FLAG_ROBUST } else { 0 });

            let geometry = (f.new_geometry)(device, GEOMETRY_TYPE_TRIANGLE);
            (f.set_geometry_quality)(geometry, quality as c_int);
            let share = |kind, format, data: *const c_void, count| {
                (f.set_shared_buffer)(geometry, kind, 0, format, data, 0, 12, count);
            };
            share(BUFFER_TYPE_VERTEX, FORMAT_FLOAT3, built.vertices.as_ptr().cast(), mesh.positions.len());
            share(BUFFER_TYPE_INDEX, FORMAT_UINT3, built.triangles.as_ptr().cast(), mesh.triangles.len());

            let watch = Stopwatch::start(Whose::Process);
            (f.commit_geometry)(geometry);
            (f.attach_geometry)(scene, geometry);
            (f.release_geometry)(geometry);
            (f.commit_scene)(scene);
            built.elapsed = watch.stop();
            // Threads of a device that is gone may spin meanwhile: no work of this build.
            let most = built.elapsed.wall_secs * threads.max(1) as f64;
            built.elapsed.cpu_secs = built.elapsed.cpu_secs.min(most);
            let error = built.check("build the scene");
            (f.set_memory_monitor)(device, None, std::ptr::null_mut());
            error?;
            let bytes = |counter: &AtomicIsize| usize::try_from(counter.load(Ordering::Relaxed)).unwrap_or(0);
            built.memory = Memory { peak_bytes: bytes(&account.peak), final_bytes: bytes(&account.now) };
            Ok(built)
        }
    }

    /// Returns the memory of the build.
    pub(crate) fn memory(&self) -> Memory {
        self.memory
    }

    /// Returns whether it was built for robust mode.
    pub(crate) fn robust(&self) -> bool {
        self.robust
    }

    pub(super) fn library(&self) -> &Library {
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
        // SAFETY: both were made by `build` and are released once; null handles are refused by Embree with an error
        // code.
        unsafe {
            (f.release_scene)(self.scene);
            (f.release_device)(self.device);
        }
    }
}

/// An [`RTCMemoryMonitorFunction`](https://github.com/RenderKit/embree). Embree may call it from several threads.
unsafe extern "C" fn keep_account(user: *mut c_void, bytes: isize, _post: bool) -> bool {
    // SAFETY: `build` gives the address of an `Account` that lives as long as this function is set.
    let account = unsafe { &*user.cast::<Account>() };
    let now = account.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
    account.peak.fetch_max(now, Ordering::Relaxed);
    true
}
