//! Which texels scatter light below the surface, and how.

use sunfleck_math::Vec2;
use sunfleck_shading::subsurface::DiffusionProfile;
use sunfleck_transport::World;

use crate::atlas::Atlas;

/// Diffusion profiles of the texels of an atlas.
#[derive(Clone, Debug, PartialEq)]
pub struct TexelMedia {
    profiles: Vec<DiffusionProfile>,
    /// Index of the profile of each texel.
    of_texel: Vec<u32>,
}

impl TexelMedia {
    /// Index of no profile: the texel has an opaque surface.
    pub const NONE: u32 = u32::MAX;

    /// Returns the media of the texels of an atlas.
    ///
    /// * `of_texel` — index of the profile of each texel. Indices of no profile are taken for [`TexelMedia::NONE`].
    pub fn new(profiles: Vec<DiffusionProfile>, mut of_texel: Vec<u32>) -> Self {
        for medium in &mut of_texel {
            if *medium as usize >= profiles.len() {
                *medium = Self::NONE;
            }
        }
        Self { profiles, of_texel }
    }

    /// Returns the media of an atlas whose surfaces all have the same profile.
    pub fn uniform(atlas: &Atlas, profile: DiffusionProfile) -> Self {
        Self::new(vec![profile], vec![0; atlas.texels().len()])
    }

    /// Returns the media of a world.
    ///
    /// * `profile_of` — returns the profile of a material, given its index; `None` if it is opaque.
    pub fn of_materials(
        world: &World,
        atlas: &Atlas,
        mut profile_of: impl FnMut(u32) -> Option<DiffusionProfile>,
    ) -> Self {
        let mut profiles = Vec::new();
        let mut of_material: Vec<Option<u32>> = Vec::new();
        let middle = Vec2::splat(1.0 / 3.0);
        let mut medium = |triangle: u32| {
            let Some(surface) = atlas.surfaces().interaction(world, triangle, middle, true, 0.0) else {
                return Self::NONE;
            };
            let material = surface.material as usize;
            if of_material.len() <= material {
                of_material.resize(material + 1, None);
            }
            *of_material[material].get_or_insert_with(|| {
                let Some(profile) = profile_of(surface.material) else { return Self::NONE };
                profiles.push(profile);
                u32::try_from(profiles.len() - 1).unwrap_or(Self::NONE)
            })
        };
        let triangles = 0..u32::try_from(atlas.surfaces().triangles().len()).unwrap_or(0);
        let of_triangle: Vec<u32> = triangles.map(&mut medium).collect();
        let of_texel = |triangle: u32| of_triangle.get(triangle as usize).copied().unwrap_or(Self::NONE);
        let of_texel = atlas.texels().iter().map(|texel| of_texel(texel.triangle)).collect();
        Self::new(profiles, of_texel)
    }

    /// Returns the same texels with other profiles. Texels whose profile is missing become opaque.
    #[must_use]
    pub fn with_profiles(&self, profiles: Vec<DiffusionProfile>) -> Self {
        Self::new(profiles, self.of_texel.clone())
    }

    /// Returns the profiles.
    pub fn profiles(&self) -> &[DiffusionProfile] {
        &self.profiles
    }

    /// Returns the index of a texel's profile; [`TexelMedia::NONE`] if its surface is opaque.
    #[inline(always)]
    pub fn of_texel(&self, texel: usize) -> u32 {
        self.of_texel.get(texel).copied().unwrap_or(Self::NONE)
    }
}
