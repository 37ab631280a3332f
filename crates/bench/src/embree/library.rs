#![allow(unsafe_code, reason = "a C library is loaded")]

use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use super::types::{Handle, QueryArguments, RayHitN, RayN};
use crate::BenchError;

/// `RTCMemoryMonitorFunction`: called before or after memory is allocated or freed. Returning `false` cancels the
/// build.
pub(super) type MemoryMonitor = unsafe extern "C" fn(user: *mut c_void, bytes: isize, post: bool) -> bool;
/// `rtcIntersect1` and `rtcOccluded1`.
pub(super) type Query1<T> = unsafe extern "C" fn(Handle, *mut T, *mut QueryArguments);
/// `rtcIntersect8`, `rtcIntersect16`, `rtcOccluded8` and `rtcOccluded16`.
pub(super) type QueryN<T> = unsafe extern "C" fn(*const c_int, Handle, *mut T, *mut QueryArguments);

/// `RTC_DEVICE_PROPERTY_VERSION`.
const PROPERTY_VERSION: c_int = 0;

macro_rules! functions {
    ($($name:ident: $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// C functions of the library.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Safety
            /// `library` must be Embree 4: the functions must have the signatures above.
            unsafe fn find(library: &libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: guaranteed by the caller
                Ok(unsafe { Self { $($name: *library.get($symbol)?,)* } })
            }
        }
    };
}

functions! {
    new_device: b"rtcNewDevice": fn(*const c_char) -> Handle;
    release_device: b"rtcReleaseDevice": fn(Handle);
    device_error: b"rtcGetDeviceError": fn(Handle) -> c_int;
    device_property: b"rtcGetDeviceProperty": fn(Handle, c_int) -> isize;
    set_memory_monitor: b"rtcSetDeviceMemoryMonitorFunction": fn(Handle, Option<MemoryMonitor>, *mut c_void);
    new_scene: b"rtcNewScene": fn(Handle) -> Handle;
    release_scene: b"rtcReleaseScene": fn(Handle);
    set_scene_quality: b"rtcSetSceneBuildQuality": fn(Handle, c_int);
    set_scene_flags: b"rtcSetSceneFlags": fn(Handle, c_int);
    commit_scene: b"rtcCommitScene": fn(Handle);
    attach_geometry: b"rtcAttachGeometry": fn(Handle, Handle) -> u32;
    new_geometry: b"rtcNewGeometry": fn(Handle, c_int) -> Handle;
    release_geometry: b"rtcReleaseGeometry": fn(Handle);
    set_geometry_quality: b"rtcSetGeometryBuildQuality": fn(Handle, c_int);
    set_shared_buffer: b"rtcSetSharedGeometryBuffer": fn(Handle, c_int, u32, c_int, *const c_void, usize, usize, usize);
    commit_geometry: b"rtcCommitGeometry": fn(Handle);
    intersect1: b"rtcIntersect1": fn(Handle, *mut RayHitN<1>, *mut QueryArguments);
    intersect8: b"rtcIntersect8": fn(*const c_int, Handle, *mut RayHitN<8>, *mut QueryArguments);
    intersect16: b"rtcIntersect16": fn(*const c_int, Handle, *mut RayHitN<16>, *mut QueryArguments);
    occluded1: b"rtcOccluded1": fn(Handle, *mut RayN<1>, *mut QueryArguments);
    occluded8: b"rtcOccluded8": fn(*const c_int, Handle, *mut RayN<8>, *mut QueryArguments);
    occluded16: b"rtcOccluded16": fn(*const c_int, Handle, *mut RayN<16>, *mut QueryArguments);
}

/// Loaded shared library of Embree 4.
pub struct EmbreeLibrary {
    path: PathBuf,
    pub(super) functions: Functions,
    /// Keeps the functions valid. It is never closed: threads of Embree's scheduler outlive the last device and would
    /// run unmapped code.
    _library: ManuallyDrop<libloading::Library>,
}

impl EmbreeLibrary {
    /// Loads the shared library at `path`.
    ///
    /// It must be Embree 4: as with any plug-in, a different library with the same symbols cannot be detected.
    /// Errors: it cannot be loaded, lacks a function, or is not version 4.
    pub fn open(path: &Path) -> Result<Self, BenchError> {
        let refused = |reason: String| BenchError::Library { path: path.to_path_buf(), reason };
        // SAFETY: the user chose the library, and is responsible for the code of its initialisers.
        let library =
            unsafe { libloading::Library::new(path) }.map_err(|error| refused(error.to_string()))?;
        // SAFETY: Embree 4 has these functions; the version is checked below before any other call.
        let functions = unsafe { Functions::find(&library) }.map_err(|error| refused(error.to_string()))?;
        let opened = Self { path: path.to_path_buf(), functions, _library: ManuallyDrop::new(library) };
        let version = opened.version_number();
        match version / 10_000 {
            4 => Ok(opened),
            _ => Err(refused(format!("this is not Embree 4 but version {version}"))),
        }
    }

    /// Returns the version, such as `4.4.0`.
    pub fn version(&self) -> String {
        let version = self.version_number();
        format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100)
    }

    fn version_number(&self) -> isize {
        let functions = &self.functions;
        // SAFETY: a null configuration is the default one; the device is released once and not used afterwards.
        unsafe {
            let device = (functions.new_device)(std::ptr::null());
            let version = (functions.device_property)(device, PROPERTY_VERSION);
            (functions.release_device)(device);
            version
        }
    }
}

impl fmt::Debug for EmbreeLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbreeLibrary").field("path", &self.path).finish_non_exhaustive()
    }
}
