//! Scene files: glTF 2.0, Wavefront OBJ, PLY, STL and OFF become a [`Scene`](sunfleck_scene::Scene), and a scene glTF.
//!
//! [`load`] reads a file and all that it names. What cannot be understood is an [`ImportError`] with the file, the place
//! in it and one sentence; what can be shown only in part is a warning in the [`Report`]. A scene always comes out
//! ready to be looked at: without a camera it gets one that frames it, without light a soft sky.
//!
//! [`save`] writes a scene as glTF 2.0, and `load` reads the same scene from it.
//!
//! Input is never trusted: no bytes make it panic, and memory is taken only for what the file's length can justify.
//!
//! ```
//! use sunfleck_io::{NoFiles, load_bytes};
//!
//! let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let loaded = load_bytes("triangle.obj".as_ref(), obj, &NoFiles)?;
//! assert_eq!(loaded.scene.instanced_triangle_count(), 1);
//!
//! let error = load_bytes("bad.obj".as_ref(), b"v 0 0 0\nv 1 x 0\n", &NoFiles).unwrap_err();
//! assert_eq!(error.to_string(), "bad.obj:2:5: \"x\" is not a number");
//! # Ok::<(), sunfleck_io::ImportError>(())
//! ```
#![forbid(unsafe_code)]

mod corners;
mod defaults;
mod environment;
mod error;
mod format;
mod gltf;
mod images;
mod load;
mod mesh_file;
mod normals;
mod obj;
mod off;
mod ply;
mod polygon;
mod report;
mod resolver;
mod save;
mod split;
mod stl;
mod tangents;
mod text;

pub use environment::load_environment;
pub use error::{FileLocation, ImportError, Problem};
pub use format::{Format, supported_extensions};
pub use load::{Added, Loaded, load, load_bytes};
pub use report::{Report, ReportEntry, Severity};
pub use resolver::{HostFiles, MemoryFiles, NoFiles, Resolver};
pub use save::{ExportError, Saved, save, save_bytes, writable_extensions};
