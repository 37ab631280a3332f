//! Intel Open Image Denoise, loaded at run time.
//!
//! The library is not part of Sunfleck: it is called through its C interface [OIDN, API] if the user has installed it.
#![allow(unsafe_code, reason = "a C library is loaded")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr;

use sunfleck_math::Vec3;

use crate::NoisyImage;
use crate::noisy_image::all_finite;

/// A device or filter of the library.
type Handle = *mut c_void;

/// `OIDN_DEVICE_TYPE_CPU`.
const DEVICE_CPU: c_int = 1;
/// `OIDN_FORMAT_FLOAT3`.
const FORMAT_FLOAT3: c_int = 3;
/// `OIDN_QUALITY_HIGH`.
const QUALITY_HIGH: c_int = 6;

/// Names under which the library is looked for where the operating system looks for libraries.
pub const LIBRARY_NAMES: &[&str] = if cfg!(target_os = "windows") {
    &["OpenImageDenoise.dll"]
} else if cfg!(target_os = "macos") {
    &["libOpenImageDenoise.2.dylib", "libOpenImageDenoise.dylib"]
} else {
    &["libOpenImageDenoise.so.2", "libOpenImageDenoise.so"]
};

/// Reason why Open Image Denoise did not denoise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OidnError {
    /// The library was not found.
    #[error(
        "Open Image Denoise was not found; tried {}. Install it, and add its folder to the search path of libraries \
        (LD_LIBRARY_PATH on Linux).",
        tried.join(", ")
    )]
    NotFound {
        /// Names that were tried.
        tried: Vec<String>,
    },
    /// A file is not a library that can be used.
    #[error("{}: cannot be loaded as Open Image Denoise 2: {reason}", path.display())]
    Library {
        /// Path of the library.
        path: PathBuf,
        /// Message of the operating system, or the version found.
        reason: String,
    },
    /// The library reported an error.
    #[error("Open Image Denoise failed: {reason}")]
    Failed {
        /// Message of the library.
        reason: String,
    },
}

macro_rules! functions {
    ($($name:ident: $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// C functions of the library.
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Safety
            /// `library` must be Open Image Denoise 2: the functions must have the signatures above.
            unsafe fn find(library: &libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: guaranteed by the caller
                Ok(unsafe { Self { $($name: *library.get($symbol)?,)* } })
            }
        }
    };
}

functions! {
    new_device: b"oidnNewDevice": fn(c_int) -> Handle;
    commit_device: b"oidnCommitDevice": fn(Handle);
    device_error: b"oidnGetDeviceError": fn(Handle, *mut *const c_char) -> c_int;
    device_int: b"oidnGetDeviceInt": fn(Handle, *const c_char) -> c_int;
    release_device: b"oidnReleaseDevice": fn(Handle);
    new_filter: b"oidnNewFilter": fn(Handle, *const c_char) -> Handle;
    set_image: b"oidnSetSharedFilterImage":
        fn(Handle, *const c_char, *mut c_void, c_int, usize, usize, usize, usize, usize);
    set_bool: b"oidnSetFilterBool": fn(Handle, *const c_char, bool);
    set_int: b"oidnSetFilterInt": fn(Handle, *const c_char, c_int);
    commit_filter: b"oidnCommitFilter": fn(Handle);
    execute_filter: b"oidnExecuteFilter": fn(Handle);
    release_filter: b"oidnReleaseFilter": fn(Handle);
}

/// Open Image Denoise on the CPU.
pub struct Oidn {
    path: PathBuf,
    functions: Functions,
    device: Handle,
    /// Keeps the functions valid. It is never closed: worker threads of the library may outlive the device.
    _library: ManuallyDrop<libloading::Library>,
}

// SAFETY: the functions of the library may be called from any thread; it locks the device in each of them, and keeps
// errors per thread.
unsafe impl Send for Oidn {}
// SAFETY: as above.
unsafe impl Sync for Oidn {}

impl Oidn {
    /// Loads the library at `path`, or under one of the [usual names](LIBRARY_NAMES), and makes a CPU device.
    ///
    /// As with any plug-in, a different library with the same symbols cannot be detected.
    /// Errors: the library is not found, cannot be loaded, lacks a function, is not version 2, or has no CPU device.
    pub fn open(path: Option<&Path>) -> Result<Self, OidnError> {
        if let Some(path) = path {
            return match Self::load(path) {
                Ok(library) => Self::with_library(path, library),
                Err(reason) => Err(OidnError::Library { path: path.to_path_buf(), reason }),
            };
        }
        let found = LIBRARY_NAMES.iter().find_map(|name| Some((name, Self::load(Path::new(name)).ok()?)));
        match found {
            Some((name, library)) => Self::with_library(Path::new(name), library),
            None => {
                Err(OidnError::NotFound { tried: LIBRARY_NAMES.iter().map(|&n| n.to_string()).collect() })
            }
        }
    }

    /// Returns the version, such as `2.3.1`.
    pub fn version(&self) -> String {
        let version = self.version_number();
        format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100)
    }

    /// Denoises HDR radiance with the albedo and the normal, as far as they are known; depth and variance are not
    /// used. A normal without an albedo is not used either. Returns one value per pixel.
    ///
    /// * `clean_features` — whether the albedo and the normal have no noise, as after [`Oidn::prefilter`]: then all of
    ///   their detail is preserved.
    ///
    /// Errors: those that the library reports, such as too little memory.
    pub fn denoise(&self, image: &NoisyImage, clean_features: bool) -> Result<Vec<Vec3>, OidnError> {
        let (radiance, albedo) = (all_finite(image.radiance()), all_finite(image.albedo()));
        let normal = if albedo.is_empty() { (&[][..]).into() } else { all_finite(image.normal()) };
        let mut inputs = vec![(c"color", &*radiance), (c"albedo", &*albedo), (c"normal", &*normal)];
        inputs.retain(|(_, values)| !values.is_empty());
        self.filter(image, &inputs, clean_features)
    }

    /// Denoises the albedo and the normal, which are noisy at edges, in motion blur and behind glass. Returns both; what
    /// is not known is empty. Errors: those that the library reports, such as too little memory.
    pub fn prefilter(&self, image: &NoisyImage) -> Result<[Vec<Vec3>; 2], OidnError> {
        let prefiltered = |name, values: &[Vec3]| match values {
            [] => Ok(Vec::new()),
            values => self.filter(image, &[(name, &*all_finite(values))], false),
        };
        Ok([prefiltered(c"albedo", image.albedo())?, prefiltered(c"normal", image.normal())?])
    }

    fn load(path: &Path) -> Result<libloading::Library, String> {
        // SAFETY: the user chose or installed the library, and is responsible for the code of its initialisers.
        unsafe { libloading::Library::new(path) }.map_err(|error| error.to_string())
    }

    fn with_library(path: &Path, library: libloading::Library) -> Result<Self, OidnError> {
        let refused = |reason: String| OidnError::Library { path: path.to_path_buf(), reason };
        // SAFETY: version 2 has these functions. `oidnNewDevice` and `oidnGetDeviceInt`, called before the version is
        // checked below, have the same signatures in version 1.
        let functions = unsafe { Functions::find(&library) }.map_err(|error| refused(error.to_string()))?;
        // SAFETY: the argument is an enumerator of the library.
        let device = unsafe { (functions.new_device)(DEVICE_CPU) };
        let opened =
            Self { path: path.to_path_buf(), functions, device, _library: ManuallyDrop::new(library) };
        if opened.device.is_null() {
            opened.check()?;
            return Err(refused("it has no device for this CPU".to_string()));
        }
        let version = opened.version_number();
        if version / 10_000 != 2 {
            return Err(refused(format!("it is version {}", opened.version())));
        }
        // SAFETY: the device is not null.
        unsafe { (opened.functions.commit_device)(opened.device) };
        opened.check()?;
        Ok(opened)
    }

    fn version_number(&self) -> c_int {
        // SAFETY: the device is valid, and the name is a C string.
        unsafe { (self.functions.device_int)(self.device, c"version".as_ptr()) }
    }

    /// Runs the filter of ray-traced images on inputs of one value per pixel. Its output is named as the first input
    /// if that is an auxiliary, as the library requires of prefiltering.
    fn filter(
        &self,
        image: &NoisyImage,
        inputs: &[(&CStr, &[Vec3])],
        clean_features: bool,
    ) -> Result<Vec<Vec3>, OidnError> {
        let (width, height) = (image.width() as usize, image.height() as usize);
        debug_assert!(inputs.iter().all(|(_, values)| values.len() == width * height), "one value per pixel");
        let mut output = vec![Vec3::ZERO; width * height];
        let f = &self.functions;
        // SAFETY: the device is valid; names are C strings; the images have `width * height` values of three floats
        // without padding, which is the format and stride that is given (0 stands for dense rows), and live until the
        // filter is released; the library writes only to the output. `NoisyImage` and `all_finite` guarantee lengths.
        unsafe {
            let filter = (f.new_filter)(self.device, c"RT".as_ptr());
            let set = |name: &CStr, values: *mut Vec3| {
                let stride = size_of::<Vec3>();
                (f.set_image)(
                    filter,
                    name.as_ptr(),
                    values.cast(),
                    FORMAT_FLOAT3,
                    width,
                    height,
                    0,
                    stride,
                    0,
                );
            };
            for (name, values) in inputs {
                set(name, values.as_ptr().cast_mut());
            }
            set(c"output", output.as_mut_ptr());
            if inputs.iter().any(|(name, _)| *name == c"color") {
                (f.set_bool)(filter, c"hdr".as_ptr(), true);
                (f.set_bool)(filter, c"cleanAux".as_ptr(), clean_features);
            }
            (f.set_int)(filter, c"quality".as_ptr(), QUALITY_HIGH);
            (f.commit_filter)(filter);
            (f.execute_filter)(filter);
            (f.release_filter)(filter);
        }
        self.check()?;
        Ok(output)
    }

    /// Returns the first error since the last call on this thread.
    fn check(&self) -> Result<(), OidnError> {
        let mut message: *const c_char = ptr::null();
        // SAFETY: the device is valid or null, which stands for errors of creating devices; `message` is writable.
        // If set, it is a C string that lives until the next call of the library on this thread.
        unsafe {
            if (self.functions.device_error)(self.device, &raw mut message) == 0 {
                return Ok(());
            }
            let reason = match message.is_null() {
                true => "it gives no reason".to_string(),
                false => CStr::from_ptr(message).to_string_lossy().into_owned(),
            };
            Err(OidnError::Failed { reason })
        }
    }
}

impl Drop for Oidn {
    fn drop(&mut self) {
        if !self.device.is_null() {
            // SAFETY: the device is valid, and not used afterwards.
            unsafe { (self.functions.release_device)(self.device) }
        }
    }
}

impl fmt::Debug for Oidn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oidn").field("path", &self.path).finish_non_exhaustive()
    }
}
