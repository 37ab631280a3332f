//! How surfaces scatter light and where light comes from: `eval`, `sample` and `pdf` of BSDFs, textures, procedural
//! patterns, lights.
//!
//! Everything is plain tables that are built once from a [`sunfleck_scene::Scene`] and then only read: [`MaterialTable`]
//! gives the [`Bsdf`] of a surface point, [`LightTable`] chooses points on lights. Nothing here knows geometry or rays;
//! emissive triangles are handed in. Functions that scatter take directions in the local shading frame, those of lights
//! take positions in the world; all densities are per solid angle.
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
mod texture;

pub use bsdf::*;
pub use light::packed as packed_lights;
pub use light::{EmissiveTriangle, EmittedRay, EmitterKind, LightSample, LightTable, VirtualEmitter};
pub use material::{MaterialTable, PackedMaterial, PackedMaterials, PackedRecords, SurfaceAttributes};
pub use procedural::PackedProcedural;
pub use texture::{PackedImage, PackedTexture};
