use sunfleck_constants::bsdf as kind;
use sunfleck_constants::material::THIN;
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::{Alpha, ColorTexture, Material, Surface};

use crate::SurfaceAttributes;
use crate::bsdf::{
    Bsdf, Coating, Conductor, Dielectric, Lambert, Lobes, MetallicRoughness, Microfacets, Mirror, OrenNayar,
    Plastic, Principled, PrincipledParameters, RoughDielectric, ThinDielectric,
};
use crate::procedural::ProceduralRecord;
use crate::texture::{TextureLookup, TexturePacker, TextureTable};

use super::packed::PackedMaterial;

/// Difference of the index of refraction from 1 below which a rough dielectric is smooth, since refraction then has no
/// width.
const LEAST_CONTRAST: f32 = 1e-3;

/// A material with its textures resolved.
#[derive(Clone, Debug)]
pub(super) struct MaterialRecord {
    pub(super) surface: SurfaceRecord,
    /// Boxed, so that records of materials without a pattern stay small.
    pub(super) procedural: Option<Box<ProceduralRecord>>,
    pub(super) normal_map: Option<NormalMapRecord>,
    pub(super) radiance: Vec3,
    pub(super) emission_texture: Option<TextureLookup>,
    pub(super) alpha: Alpha,
    pub(super) double_sided: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct NormalMapRecord {
    pub(super) lookup: TextureLookup,
    pub(super) scale: f32,
}

/// A colour and the texture by which it is multiplied.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColorRecord {
    pub(super) factor: Vec4,
    pub(super) texture: Option<TextureLookup>,
}

#[derive(Clone, Debug)]
pub(super) enum SurfaceRecord {
    MetallicRoughness {
        base_color: ColorRecord,
        metallic: f32,
        roughness: f32,
        /// Reflectance of the dielectric at normal incidence.
        f0: f32,
        /// Roughness in green, metallic in blue.
        texture: Option<TextureLookup>,
    },
    Lambert {
        albedo: ColorRecord,
    },
    Mirror(Mirror),
    Dielectric(Dielectric),
    ThinDielectric(ThinDielectric),
    OrenNayar {
        albedo: ColorRecord,
        roughness: f32,
    },
    RoughDielectric(RoughDielectric),
    Plastic {
        diffuse: ColorRecord,
        specular: Vec3,
        nonlinear: bool,
        /// Boxed, so that records of other materials stay small.
        coating: Box<Coating>,
    },
    Conductor {
        reflectance: ColorRecord,
        eta: Vec3,
        k: Vec3,
        roughness: f32,
        anisotropy: f32,
        is_beckmann: bool,
        /// Roughness in green, anisotropy in blue.
        texture: Option<TextureLookup>,
    },
    Principled {
        base_color: ColorRecord,
        /// Boxed, so that records of other materials stay small.
        layers: Box<PrincipledRecord>,
    },
}

/// Parameters of the principled model with textures.
#[derive(Clone, Debug)]
pub(super) struct PrincipledRecord {
    factors: PrincipledParameters,
    /// Transmission in red, roughness in green, metallic in blue, anisotropy in alpha.
    texture: Option<TextureLookup>,
    /// Coating in red, sheen in green.
    coat_texture: Option<TextureLookup>,
}

impl PrincipledRecord {
    /// Returns the bsdf at a point with a base colour. Not inlined, see [`Principled`].
    #[inline(never)]
    fn bsdf(&self, textures: &TextureTable, base: Vec3, at: &SurfaceAttributes) -> Principled {
        let mut parameters = self.factors;
        if let Some(lookup) = &self.texture {
            let map = textures.sample(lookup, at).clamp(Vec4::ZERO, Vec4::ONE);
            parameters.transmission *= map.x;
            parameters.roughness *= map.y;
            parameters.metallic *= map.z;
            parameters.anisotropy *= map.w;
        }
        if let Some(lookup) = &self.coat_texture {
            let map = textures.sample(lookup, at).clamp(Vec4::ZERO, Vec4::ONE);
            parameters.clearcoat *= map.x;
            parameters.sheen *= map.y;
        }
        Principled::new(base, &parameters)
    }
}

impl MaterialRecord {
    pub(super) fn new(material: &Material, textures: &TextureTable) -> Self {
        let emission_texture = material.emission.texture.as_ref().and_then(|t| textures.resolve(t));
        let normal_map = material.normal_map.as_ref().and_then(|map| {
            Some(NormalMapRecord { lookup: textures.resolve(&map.texture)?, scale: map.scale })
        });
        let mut surface = SurfaceRecord::new(&material.surface, textures);
        let mut alpha = material.alpha;
        if let SurfaceRecord::ThinDielectric(pane) = &mut surface {
            // Light samples on a pane that emits assume that it stops every ray
            pane.lets_pass = material.emission.radiance == Vec3::ZERO;
            // What it transmits is a matter of the pane alone
            alpha = Alpha::Opaque;
        }
        Self {
            surface,
            procedural: material.procedural.as_ref().map(|p| Box::new(ProceduralRecord::new(p))),
            normal_map,
            radiance: material.emission.radiance,
            emission_texture,
            alpha,
            double_sided: material.double_sided,
        }
    }

    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.surface, SurfaceRecord::Lambert { .. })
            && self.radiance == Vec3::ZERO
            && self.normal_map.is_none()
            && self.procedural.is_none()
    }

    /// Returns the pane of thin glass through which rays pass; `None` for other surfaces.
    #[inline(always)]
    pub(super) fn pane(&self) -> Option<&ThinDielectric> {
        match &self.surface {
            SurfaceRecord::ThinDielectric(pane) if pane.lets_pass => Some(pane),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn is_uniform(&self) -> bool {
        let surface = match &self.surface {
            SurfaceRecord::MetallicRoughness { base_color, texture, .. } => {
                base_color.texture.is_none() && texture.is_none()
            }
            SurfaceRecord::Lambert { albedo }
            | SurfaceRecord::OrenNayar { albedo, .. }
            | SurfaceRecord::Plastic { diffuse: albedo, .. } => albedo.texture.is_none(),
            SurfaceRecord::Conductor { reflectance, texture, .. } => {
                reflectance.texture.is_none() && texture.is_none()
            }
            SurfaceRecord::Principled { base_color, layers } => {
                base_color.texture.is_none() && layers.texture.is_none() && layers.coat_texture.is_none()
            }
            SurfaceRecord::Mirror(_)
            | SurfaceRecord::Dielectric(_)
            | SurfaceRecord::ThinDielectric(_)
            | SurfaceRecord::RoughDielectric(_) => true,
        };
        surface && self.normal_map.is_none() && self.procedural.is_none() && self.emission_texture.is_none()
    }
}

impl SurfaceRecord {
    fn new(surface: &Surface, textures: &TextureTable) -> Self {
        let color = |color: &ColorTexture| ColorRecord {
            factor: color.factor,
            texture: color.texture.as_ref().and_then(|t| textures.resolve(t)),
        };
        match *surface {
            Surface::MetallicRoughness {
                ref base_color,
                metallic,
                roughness,
                ior,
                metallic_roughness_texture,
            } => Self::MetallicRoughness {
                base_color: color(base_color),
                metallic,
                roughness,
                f0: MetallicRoughness::f0_of_ior(ior),
                texture: metallic_roughness_texture.as_ref().and_then(|t| textures.resolve(t)),
            },
            Surface::Lambert { ref albedo } => Self::Lambert { albedo: color(albedo) },
            Surface::Mirror { reflectance } => Self::Mirror(Mirror { reflectance }),
            Surface::Dielectric { ior, tint, roughness, anisotropy, beckmann } => {
                let microfacets = Microfacets::anisotropic(roughness, anisotropy, beckmann);
                // Light passes an interface between equal media straight
                if microfacets.is_smooth() || (ior - 1.0).abs() < LEAST_CONTRAST {
                    Self::Dielectric(Dielectric { ior, tint })
                } else {
                    Self::RoughDielectric(RoughDielectric { ior, tint, microfacets })
                }
            }
            Surface::ThinDielectric { ior, tint } => {
                Self::ThinDielectric(ThinDielectric { ior, tint, lets_pass: true, ng: Vec3::Z })
            }
            Surface::OrenNayar { ref albedo, roughness } => {
                Self::OrenNayar { albedo: color(albedo), roughness }
            }
            Surface::Conductor {
                ref reflectance,
                eta,
                k,
                roughness,
                anisotropy,
                roughness_texture,
                beckmann,
            } => Self::Conductor {
                reflectance: color(reflectance),
                eta,
                k,
                roughness,
                anisotropy,
                is_beckmann: beckmann,
                texture: roughness_texture.as_ref().and_then(|t| textures.resolve(t)),
            },
            Surface::Principled {
                ref base_color,
                metallic,
                roughness,
                anisotropy,
                transmission,
                ior,
                specular_tint,
                sheen,
                sheen_tint,
                flatness,
                clearcoat,
                clearcoat_gloss,
                surface_texture,
                coat_texture,
            } => Self::Principled {
                base_color: color(base_color),
                layers: Box::new(PrincipledRecord {
                    factors: PrincipledParameters {
                        metallic,
                        roughness,
                        anisotropy,
                        transmission,
                        ior,
                        specular_tint,
                        sheen,
                        sheen_tint,
                        flatness,
                        clearcoat,
                        clearcoat_gloss,
                    },
                    texture: surface_texture.as_ref().and_then(|t| textures.resolve(t)),
                    coat_texture: coat_texture.as_ref().and_then(|t| textures.resolve(t)),
                }),
            },
            Surface::Plastic { ref diffuse, specular, ior, roughness, nonlinear, beckmann } => {
                Self::Plastic {
                    diffuse: color(diffuse),
                    specular,
                    nonlinear,
                    coating: Box::new(Coating::new(ior, Microfacets::new(roughness, beckmann))),
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn bsdf(
        &self,
        textures: &TextureTable,
        procedural: Option<&ProceduralRecord>,
        at: &SurfaceAttributes,
    ) -> Bsdf {
        match self {
            Self::MetallicRoughness { metallic, roughness, f0, texture, .. } => {
                let base = self.reflectance(textures, procedural, at);
                let map = textures.sample_or_one(texture, at);
                let (roughness, metallic) = (roughness * map.y, metallic * map.z);
                let (metallic, roughness) = (metallic.clamp(0.0, 1.0), roughness.clamp(0.0, 1.0));
                Bsdf::MetallicRoughness(MetallicRoughness::with_f0(base, metallic, roughness, *f0))
            }
            Self::Lambert { .. } => {
                Bsdf::Lambert(Lambert { albedo: self.reflectance(textures, procedural, at) })
            }
            Self::Mirror(mirror) => Bsdf::Mirror(*mirror),
            Self::Dielectric(dielectric) => Bsdf::Dielectric(*dielectric),
            Self::RoughDielectric(dielectric) => Bsdf::RoughDielectric(*dielectric),
            Self::Plastic { specular, nonlinear, coating, .. } => {
                let diffuse = self.reflectance(textures, procedural, at);
                Bsdf::Plastic(Plastic::new(diffuse, *specular, **coating, *nonlinear))
            }
            Self::ThinDielectric(pane) => Bsdf::ThinDielectric(*pane),
            Self::OrenNayar { roughness, .. } => Bsdf::OrenNayar(OrenNayar {
                albedo: self.reflectance(textures, procedural, at),
                roughness: *roughness,
            }),
            Self::Principled { layers, .. } => {
                let base = self.reflectance(textures, procedural, at);
                Bsdf::Principled(layers.bsdf(textures, base, at))
            }
            Self::Conductor { eta, k, roughness, anisotropy, is_beckmann, texture, .. } => {
                // The roughness of a texture is above 0, so that a surface is smooth everywhere or nowhere
                let map = if *roughness > 0.0 { textures.sample_or_one(texture, at) } else { Vec4::ONE };
                let roughness = (roughness * map.y).min(1.0).max(roughness.min(f32::MIN_POSITIVE));
                let anisotropy = anisotropy * 2.0f32.mul_add(map.z, -1.0).clamp(-1.0, 1.0);
                Bsdf::Conductor(Conductor {
                    reflectance: self.reflectance(textures, procedural, at),
                    eta: *eta,
                    k: *k,
                    microfacets: Microfacets::anisotropic(roughness, anisotropy, *is_beckmann),
                })
            }
        }
    }

    /// Returns whether [`base_color`](Self::base_color) reads a texture.
    #[inline(always)]
    pub(super) fn has_base_texture(&self) -> bool {
        match self {
            Self::MetallicRoughness { base_color: color, .. }
            | Self::Principled { base_color: color, .. }
            | Self::Lambert { albedo: color }
            | Self::OrenNayar { albedo: color, .. }
            | Self::Plastic { diffuse: color, .. }
            | Self::Conductor { reflectance: color, .. } => color.texture.is_some(),
            Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) | Self::RoughDielectric(_) => {
                false
            }
        }
    }

    /// Returns whether the bsdf depends on the direction of the tangent.
    #[inline(always)]
    pub(super) fn is_anisotropic(&self) -> bool {
        match self {
            Self::Conductor { anisotropy, .. } => *anisotropy != 0.0,
            Self::RoughDielectric(dielectric) => dielectric.microfacets.anisotropy() != 0.0,
            Self::Principled { layers, .. } => layers.factors.anisotropy != 0.0,
            Self::Lambert { .. }
            | Self::MetallicRoughness { .. }
            | Self::OrenNayar { .. }
            | Self::Plastic { .. }
            | Self::Mirror(_)
            | Self::Dielectric(_)
            | Self::ThinDielectric(_) => false,
        }
    }

    /// Returns whether the bsdf has diffuse lobes only.
    #[inline(always)]
    pub(super) fn is_diffuse(&self) -> bool {
        matches!(self, Self::Lambert { .. } | Self::OrenNayar { .. })
    }

    /// Returns whether [`Bsdf::lobes`] may include specular ones at some points. A roughness texture can only decrease
    /// the roughness.
    pub(super) fn may_be_specular(&self) -> bool {
        match *self {
            Self::MetallicRoughness { roughness, texture, .. } => {
                let grey = MetallicRoughness::new(Vec3::ONE, 0.0, roughness.clamp(0.0, 1.0));
                texture.is_some() || Bsdf::MetallicRoughness(grey).lobes().intersects(Lobes::SPECULAR)
            }
            Self::Lambert { .. } | Self::OrenNayar { .. } => false,
            Self::Principled { ref layers, .. } => {
                let grey = Bsdf::Principled(Principled::new(Vec3::ONE, &layers.factors));
                layers.texture.is_some() || grey.lobes().intersects(Lobes::SPECULAR)
            }
            Self::Plastic { ref coating, .. } => {
                coating.microfacets.reflection_lobe().intersects(Lobes::SPECULAR)
            }
            Self::Conductor { roughness, texture, is_beckmann, .. } => {
                texture.is_some()
                    || Microfacets::new(roughness, is_beckmann).reflection_lobe().intersects(Lobes::SPECULAR)
            }
            Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) | Self::RoughDielectric(_) => {
                true
            }
        }
    }

    /// Returns whether [`Bsdf::is_delta`] holds at all points.
    #[inline(always)]
    pub(super) fn is_delta(&self) -> bool {
        match self {
            Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) => true,
            Self::Conductor { roughness, .. } => *roughness <= 0.0,
            Self::Lambert { .. }
            | Self::MetallicRoughness { .. }
            | Self::OrenNayar { .. }
            | Self::RoughDielectric(_)
            | Self::Plastic { .. }
            | Self::Principled { .. } => false,
        }
    }

    /// Returns the base colour multiplied by the procedural pattern, clamped to [0, 1] so that the surface conserves
    /// energy.
    ///
    /// The pattern is not part of [`base_color`](Self::base_color), since alpha does not depend on it and is evaluated
    /// more often.
    #[inline(always)]
    pub(super) fn reflectance(
        &self,
        textures: &TextureTable,
        procedural: Option<&ProceduralRecord>,
        at: &SurfaceAttributes,
    ) -> Vec3 {
        let color = self.base_color(textures, at).truncate().clamp(Vec3::ZERO, Vec3::ONE);
        match procedural {
            Some(procedural) => color * procedural.color(at.position),
            None => color,
        }
    }

    /// Returns the product of factor, texture and vertex colour; 1 for surfaces without a base colour.
    #[inline(always)]
    pub(super) fn base_color(&self, textures: &TextureTable, at: &SurfaceAttributes) -> Vec4 {
        match self {
            Self::MetallicRoughness { base_color: color, .. }
            | Self::Principled { base_color: color, .. }
            | Self::Lambert { albedo: color }
            | Self::OrenNayar { albedo: color, .. }
            | Self::Plastic { diffuse: color, .. }
            | Self::Conductor { reflectance: color, .. } => {
                color.factor * textures.sample_or_one(&color.texture, at) * at.color
            }
            Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) | Self::RoughDielectric(_) => {
                Vec4::ONE
            }
        }
    }

    /// Returns the record of the material on the GPU.
    ///
    /// * `plain` — record with all values but those of the scattering model.
    pub(super) fn packed(&self, plain: PackedMaterial, textures: &mut TexturePacker<'_>) -> PackedMaterial {
        match self {
            Self::Lambert { albedo } => PackedMaterial {
                base: albedo.factor.to_array(),
                base_texture: textures.add(albedo.texture.as_ref()),
                ..plain
            },
            Self::Mirror(Mirror { reflectance }) => {
                PackedMaterial { kind: kind::MIRROR, base: reflectance.extend(1.0).to_array(), ..plain }
            }
            Self::Dielectric(Dielectric { ior, tint }) => PackedMaterial {
                kind: kind::DIELECTRIC,
                base: tint.extend(1.0).to_array(),
                ior: *ior,
                ..plain
            },
            Self::ThinDielectric(ThinDielectric { ior, tint, lets_pass, .. }) => PackedMaterial {
                kind: kind::THIN_DIELECTRIC,
                base: tint.extend(1.0).to_array(),
                ior: *ior,
                alpha: if *lets_pass { THIN } else { plain.alpha },
                ..plain
            },
            Self::OrenNayar { albedo, roughness } => PackedMaterial {
                kind: kind::OREN_NAYAR,
                base: albedo.factor.to_array(),
                roughness: *roughness,
                base_texture: textures.add(albedo.texture.as_ref()),
                ..plain
            },
            Self::Conductor { reflectance, eta, k, roughness, anisotropy, is_beckmann, texture } => {
                PackedMaterial {
                    kind: kind::CONDUCTOR,
                    base: reflectance.factor.to_array(),
                    roughness: *roughness,
                    anisotropy: *anisotropy,
                    base_texture: textures.add(reflectance.texture.as_ref()),
                    surface_texture: textures.add(texture.as_ref()),
                    flags: flags(*is_beckmann, false),
                    optics: [eta.x, eta.y, eta.z, 0.0, k.x, k.y, k.z, 0.0],
                    ..plain
                }
            }
            Self::RoughDielectric(RoughDielectric { ior, tint, microfacets }) => PackedMaterial {
                kind: kind::ROUGH_DIELECTRIC,
                base: tint.extend(1.0).to_array(),
                ior: *ior,
                roughness: microfacets.roughness(),
                anisotropy: microfacets.anisotropy(),
                flags: flags(microfacets.is_beckmann(), false),
                ..plain
            },
            Self::Plastic { diffuse, specular, nonlinear, coating } => PackedMaterial {
                kind: kind::PLASTIC,
                base: diffuse.factor.to_array(),
                ior: coating.ior,
                roughness: coating.microfacets.roughness(),
                metallic: coating.internal_reflectance,
                base_texture: textures.add(diffuse.texture.as_ref()),
                flags: flags(coating.microfacets.is_beckmann(), *nonlinear),
                specular: specular.to_array(),
                mean_transmittance: coating.mean_transmittance,
                optics: coating.transmittance,
                ..plain
            },
            Self::Principled { base_color, layers } => {
                let PrincipledRecord { factors, texture, coat_texture } = &**layers;
                PackedMaterial {
                    kind: kind::PRINCIPLED,
                    base: base_color.factor.to_array(),
                    metallic: factors.metallic,
                    roughness: factors.roughness,
                    anisotropy: factors.anisotropy,
                    ior: factors.ior,
                    base_texture: textures.add(base_color.texture.as_ref()),
                    surface_texture: textures.add(texture.as_ref()),
                    coat_texture: textures.add(coat_texture.as_ref()),
                    optics: [
                        factors.transmission,
                        factors.clearcoat,
                        factors.sheen,
                        factors.specular_tint,
                        factors.sheen_tint,
                        factors.flatness,
                        factors.clearcoat_gloss,
                        0.0,
                    ],
                    ..plain
                }
            }
            Self::MetallicRoughness { base_color, metallic, roughness, f0, texture } => PackedMaterial {
                kind: kind::METALLIC_ROUGHNESS,
                base: base_color.factor.to_array(),
                metallic: *metallic,
                roughness: *roughness,
                ior: *f0,
                base_texture: textures.add(base_color.texture.as_ref()),
                surface_texture: textures.add(texture.as_ref()),
                ..plain
            },
        }
    }
}

/// Returns the flags of a material on the GPU.
fn flags(is_beckmann: bool, nonlinear: bool) -> u32 {
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    flag(is_beckmann, kind::BECKMANN) | flag(nonlinear, kind::NONLINEAR)
}
