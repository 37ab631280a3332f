//! A scene with transparent surfaces.

use std::sync::Arc;

use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, Material, Scene, SceneEdit, Surface, Texels, Texture, TextureRef};

/// The teapot room with holes by alpha masks, half-transparent walls, and emitters that let some rays pass.
pub(crate) fn transparent_scene() -> Scene {
    with_alpha(|material, i| material.emission.radiance != Vec3::ZERO || i % 2 == 1)
}

/// The same scene with alpha masks only, so that no random numbers decide: all surfaces have holes, emitters included.
pub(crate) fn masked_scene() -> Scene {
    with_alpha(|_, _| false)
}

/// Returns the teapot room with alpha.
///
/// * `blends` — whether a material is blended, instead of having holes by a mask.
fn with_alpha(blends: impl Fn(&Material, usize) -> bool) -> Scene {
    let mut scene = sunfleck_models::build("teapot-room").unwrap();
    let texel = |i: u32| [255, 255, 255, if (i % 8 + i / 8).is_multiple_of(2) { 255 } else { 40 }];
    let texels = Texels::Srgb8(Arc::new((0..64).map(texel).collect()));
    let holes = scene.add_texture(Texture::new("holes", 8, 8, texels).unwrap()).unwrap();
    let materials: Vec<_> = scene.materials().map(|(id, material)| (id, material.clone())).collect();
    for (i, (id, material)) in materials.into_iter().enumerate() {
        let material = with_holes(blends(&material, i), material, holes);
        scene.apply(SceneEdit::Material { id, material: Some(material) }).unwrap();
    }
    scene
}

fn with_holes(blends: bool, mut material: Material, holes: sunfleck_scene::TextureId) -> Material {
    let (Surface::Lambert { albedo: color } | Surface::MetallicRoughness { base_color: color, .. }) =
        &mut material.surface
    else {
        return material;
    };
    if blends {
        color.factor.w = 0.7;
        material.alpha = Alpha::Blend;
    } else {
        color.texture = Some(TextureRef::new(holes));
        material.alpha = Alpha::Mask { cutoff: 0.5 };
    }
    material
}
