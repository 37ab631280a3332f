//! Textures of materials, by the names of the parameters that hold them.

use sunfleck_math::Vec3;
use sunfleck_scene::parameter::{Parameters, Value};
use sunfleck_scene::{Material, NormalMap, Scene, Texels, Texture, TextureId, TextureRef};

/// Name of the slot of a normal map.
const NORMAL_MAP: &str = "normal_map";

/// Encoding of the 8-bit values of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Srgb,
    Linear,
}

/// Returns a material with another texture in a slot, and the texture with the encoding of the slot. Coordinates, wrap
/// modes and filter are those of the texture that is replaced. Where there was none, a base colour and a black emission
/// become white, since they multiply the texture.
///
/// * `slot` — name of a parameter of surface or emission, or `normal_map`.
/// * `id` — id that the texture will have.
///
/// # Errors
/// A message for the user: the material has no such slot.
pub(super) fn with_texture(
    scene: &Scene,
    material: &Material,
    slot: &str,
    id: TextureId,
    texture: Texture,
) -> Result<(Material, Texture), String> {
    let mut material = material.clone();
    let (before, encoding) = set(&mut material, slot, id)
        .ok_or_else(|| format!("the material {} has no texture `{slot}`", material.name))?;
    let replaced = before.and_then(|reference| scene.texture(reference.texture));
    let (wrap, filter) = replaced.map_or((texture.wrap(), texture.filter()), |t| (t.wrap(), t.filter()));
    let texels = match (texture.texels(), encoding) {
        (Texels::Srgb8(bytes), Encoding::Linear) => Texels::Linear8(bytes.clone()),
        (texels, _) => texels.clone(),
    };
    let encoded = Texture::new(texture.name(), texture.width(), texture.height(), texels);
    let encoded = encoded.map_err(|error| error.to_string())?;
    Ok((material, encoded.with_sampling(wrap, filter)))
}

/// Sets the texture of a slot. Returns the previous reference and the encoding of the slot, or `None` if there is no
/// such slot.
fn set(material: &mut Material, slot: &str, id: TextureId) -> Option<(Option<TextureRef>, Encoding)> {
    let next = |before: Option<TextureRef>| TextureRef {
        texture: id,
        ..before.unwrap_or_else(|| TextureRef::new(id))
    };
    if slot == NORMAL_MAP {
        let before = material.normal_map;
        let texture = next(before.map(|map| map.texture));
        material.normal_map = Some(NormalMap { texture, scale: before.map_or(1.0, |map| map.scale) });
        return Some((before.map(|map| map.texture), Encoding::Linear));
    }
    if let Some(value) = material.surface.get(slot) {
        let before = value.texture();
        let (value, encoding) = match value {
            Value::TexturedColor(mut color) => {
                if before.is_none() {
                    color.factor = Vec3::ONE.extend(color.factor.w);
                }
                color.texture = Some(next(before));
                (Value::TexturedColor(color), Encoding::Srgb)
            }
            Value::Texture(_) => (Value::Texture(Some(next(before))), Encoding::Linear),
            _ => return None,
        };
        material.surface.set(slot, value).ok()?;
        return Some((before, encoding));
    }
    let before = material.emission.get(slot).filter(|value| matches!(value, Value::Texture(_)))?.texture();
    if material.emission.radiance == Vec3::ZERO {
        material.emission.radiance = Vec3::ONE;
    }
    material.emission.set(slot, Value::Texture(Some(next(before)))).ok()?;
    Some((before, Encoding::Srgb))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sunfleck_scene::{ColorTexture, Surface, TextureFilter, Wrap};

    use super::*;

    fn image(name: &str) -> Texture {
        Texture::new(name, 1, 1, Texels::Srgb8(Arc::new(vec![[128, 128, 255, 255]]))).unwrap()
    }

    #[test]
    fn the_slot_decides_on_the_encoding() {
        let scene = Scene::default();
        let material = Material::metallic_roughness("paint", Vec3::X, 0.0, 0.5);
        let set = |slot: &str| with_texture(&scene, &material, slot, TextureId(7), image("new")).unwrap();
        for (slot, is_color) in [
            ("base_color", true),
            ("texture", true),
            ("metallic_roughness_texture", false),
            ("normal_map", false),
        ] {
            let (changed, texture) = set(slot);
            assert_eq!(changed.textures().collect::<Vec<_>>(), [TextureId(7)], "{slot}");
            assert_eq!(matches!(texture.texels(), Texels::Srgb8(_)), is_color, "{slot}");
        }
        assert_eq!(set("texture").0.emission.radiance, Vec3::ONE, "black would hide the texture");
        let Some(Value::TexturedColor(color)) = set("base_color").0.surface.get("base_color") else {
            panic!()
        };
        assert_eq!(color.factor.truncate(), Vec3::ONE, "red would tint the texture");
        let refused = with_texture(&scene, &material, "roughness", TextureId(7), image("new")).unwrap_err();
        assert_eq!(refused, "the material paint has no texture `roughness`");
    }

    #[test]
    fn a_replacement_keeps_coordinates_sampling_and_tint() {
        let mut scene = Scene::default();
        let wrap = [Wrap::ClampToEdge, Wrap::MirroredRepeat];
        let old = scene.add_texture(image("old").with_sampling(wrap, TextureFilter::Nearest)).unwrap();
        let mut reference = TextureRef::new(old);
        reference.uv_set = 1;
        reference.uv_transform.translation.x = 0.25;
        let albedo = ColorTexture { texture: Some(reference), ..ColorTexture::plain(Vec3::X) };
        let material = Material::new("paint", Surface::Lambert { albedo });
        let (changed, texture) =
            with_texture(&scene, &material, "albedo", TextureId(7), image("new")).unwrap();
        assert_eq!((texture.wrap(), texture.filter()), (wrap, TextureFilter::Nearest));
        let expected = TextureRef { texture: TextureId(7), ..reference };
        let albedo = ColorTexture { texture: Some(expected), ..albedo };
        assert_eq!(changed.surface, Surface::Lambert { albedo });
    }
}
