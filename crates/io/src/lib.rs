//! Import and export of scene files: glTF 2.0, Wavefront OBJ, PLY, STL, OFF, NFF, AFF and scenes of Mitsuba and pbrt
//! are read into a [`Scene`](sunfleck_scene::Scene), and a scene is written as glTF.
//!
//! [`load`] reads a file and the files that it refers to. Malformed input is an [`ImportError`] with the file, the
//! location in it and one sentence; features that are supported only in part are warnings in the [`Report`], and so are
//! faulty elements of a file that has good ones: they are skipped or repaired, and each kind is one warning. Scenes are
//! returned as their files have them, without a camera or light if the file has none: `sunfleck_engine::Presentation`
//! adds these.
//!
//! [`save`] writes a scene as glTF 2.0, and `load` reads the same scene from it.
//!
//! Input is not trusted: no sequence of bytes causes a panic, and the memory allocated is bounded by the length of the
//! file.
//!
//! ```
//! use sunfleck_io::{NoFiles, load_bytes};
//!
//! let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let loaded = load_bytes("triangle.obj".as_ref(), obj, &NoFiles)?;
//! assert_eq!(loaded.scene.instanced_triangle_count(), 1);
//!
//! let error = load_bytes("bad.obj".as_ref(), b"v 0 0 0\nv 1 x 0\nv 0 1 0\nf 1 2 3\n", &NoFiles).unwrap_err();
//! assert_eq!(error.to_string(), "bad.obj:2:5: \"x\" is not a number");
//! # Ok::<(), sunfleck_io::ImportError>(())
//! ```
#![forbid(unsafe_code)]

mod aff;
mod bpt;
mod corners;
mod environment;
mod error;
mod faults;
mod files;
mod format;
mod gltf;
mod host_files;
mod images;
mod ior;
mod load;
mod load_options;
mod mesh_file;
mod mitsuba;
mod nff;
mod normals;
mod number;
mod obj;
mod off;
mod origin;
mod patch;
mod pbrt;
mod phong;
mod ply;
mod points;
mod polygon;
mod renderer;
mod report;
mod resolver;
mod save;
mod split;
mod stl;
mod tangents;
mod text;
mod unused;

pub use environment::{LoadedEnvironment, load_environment, load_environment_bytes};
pub use error::{FileLocation, ImportError, ImportProblem};
pub use format::{Format, has_supported_extension, main_scene, supported_extensions};
pub use host_files::{HostFiles, OutsideFolder};
pub use load::{LoadedScene, load, load_bytes};
pub use load_options::{LoadOptions, UpAxis};
pub use report::{Report, ReportEntry, Severity};
pub use resolver::{FileKind, FileReference, MemoryFiles, NoFiles, Resolver};
pub use save::{ExportError, SavedScene, save, save_bytes, writable_extensions};
