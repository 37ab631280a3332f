use sunfleck_math::Vec3;
use sunfleck_shaders::layout::Texel;
use sunfleck_surface::stochastic::Elements;

/// Returns the texels of an atlas with their materials in two layers: the fronts of all texels, then their backs.
pub fn packed_texels(elements: &Elements) -> Vec<Texel> {
    let images = &elements.images;
    let of_element = |element: usize| {
        let (i, is_front) = elements.texel_of(element);
        let normal = if is_front { images.normal[i] } else { -images.normal[i] };
        Texel {
            position: images.position[i].into(),
            area: elements.areas[i],
            normal: normal.into(),
            // The largest of the three is a bound for each
            position_error: images.position_error[i].max_element(),
            reflectance: images.reflectance[i].max(Vec3::ZERO).into(),
            emission: elements.emission(element).into(),
            ..Texel::default()
        }
    };
    (0..2 * elements.texels()).map(of_element).collect()
}
