//! Bsdfs, textures, procedural patterns, materials and lights: their evaluation, sampling and densities.
//!
//! Tables are built once from a [`sunfleck_scene::Scene`] and only read afterwards: [`MaterialTable`] returns the
//! [`Bsdf`] of a surface point, [`LightTable`] samples points on lights. The crate does not depend on geometry or rays;
//! emissive triangles are passed in. Bsdfs take directions in the local shading frame, lights take positions in world
//! space; all densities are per solid angle.
//!
//! ```
//! use sunfleck_math::{vec2, vec3};
//! use sunfleck_scene::{Material, Scene};
//! use sunfleck_shading::{BsdfContext, MaterialTable, SurfaceAttributes};
//!
//! let mut scene = Scene::default();
//! let gold = scene.add_material(Material::metallic_roughness("gold", vec3(1.0, 0.77, 0.34), 1.0, 0.3))?;
//! let materials = MaterialTable::new(&scene);
//! let bsdf = materials.bsdf(materials.index_of(gold), &SurfaceAttributes::default());
//!
//! let (context, wo) = (BsdfContext::RADIANCE, vec3(0.0, 0.6, 0.8));
//! let sample = bsdf.sample(context, wo, 0.2, vec2(0.7, 0.1)).expect("metals reflect");
//! let expected = bsdf.eval(context, wo, sample.wi) / bsdf.pdf_solid_angle(context, wo, sample.wi);
//! assert!(sample.throughput.abs_diff_eq(expected, 1e-5));
//! # Ok::<(), sunfleck_scene::EditError>(())
//! ```

#![forbid(unsafe_code)]

mod bsdf;
mod light;
mod material;
mod procedural;
pub mod subsurface;
mod texture;

pub use bsdf::*;
pub use light::packed as packed_lights;
pub use light::{
    BATCH_SIZE, BatchRow, EmissiveShape, EmissiveSurfaces, EmissiveTriangle, EmittedRay, EmitterKind,
    LightBatch, LightGroup, LightSample, LightTable, SpotProfile, VirtualEmitter, luminance,
    row as batch_row, set_row as set_batch_row,
};
pub use material::{MaterialTable, PackedMaterial, PackedMaterials, PackedRecords, SurfaceAttributes};
pub use procedural::PackedProcedural;
pub use texture::{PackedImage, PackedTexture};
