//! Bump maps as normal maps. The slope of a height depends on the size of the texture on the surface, of which the mean
//! over the first shape with the material is taken.

use std::sync::Arc;

use glam::Affine2;
use sunfleck_math::{Affine3, Vec2, Vec3, vec2, vec3};
use sunfleck_scene::{MaterialId, Mesh, MeshId, NormalMap, SceneEdit, Wrap};

use super::Importer;
use super::texture::UvSpace;
use super::tree::Object;
use crate::error::ParseError;
use crate::images::{Encoding, Image, Pixels, Sampling};
use crate::renderer::bake;
use crate::renderer::image_use::ImageUse;
use crate::renderer::look::BumpMap;

/// Size of a texture on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    /// Metres per unit of u and of v.
    metres: Vec2,
    /// Whether v grows along normal × direction of u: 1, otherwise −1.
    handedness: f32,
}

impl Importer<'_, '_> {
    /// Sets the normal map of a material with a bump map, unless a shape before this one has set it.
    pub(super) fn apply_bump(
        &mut self,
        object: &Object,
        (material, bump): (MaterialId, &BumpMap),
        (mesh, to_world): (MeshId, &Affine3),
        uv: UvSpace,
    ) -> Result<(), ParseError> {
        let Some(mut changed) = self.scene.material(material).cloned() else { return Ok(()) };
        let stretch = self.scene.mesh(mesh).and_then(|mesh| stretch(mesh, to_world));
        let (None, Some(stretch)) = (changed.normal_map, stretch) else { return Ok(()) };
        let ImageUse { key, sampling, image_from_uv } = &bump.heights;
        let Some(image) = self.images.get(key) else { return Ok(()) };
        let image_from_ours = *image_from_uv * uv.mitsuba_from_ours();
        let normals = normals_of_heights((image, *sampling), bump.scale, image_from_ours, stretch);
        let normal_key =
            format!("{key} {} as normals {stretch:?} {image_from_ours:?} {sampling:?}", bump.scale);
        self.images.insert(normal_key.clone(), key.clone(), normals);
        let sampling = Sampling { encoding: Encoding::Linear, ..*sampling };
        let normals = ImageUse { key: normal_key, sampling, image_from_uv: *image_from_uv };
        changed.normal_map =
            self.texture_ref(object, &normals, uv)?.map(|texture| NormalMap { texture, scale: 1.0 });
        let edit = SceneEdit::Material { id: material, material: Some(changed) };
        self.scene.apply(edit).map(drop).map_err(|error| object.place.problem(error.into()))
    }
}

/// Returns the mean size of a texture on a mesh, weighted by area; `None` if it has no texture coordinates.
fn stretch(mesh: &Mesh, to_world: &Affine3) -> Option<Stretch> {
    let data = mesh.data();
    let (mut metres, mut area_sum, mut turn) = (Vec2::ZERO, 0.0, 0.0);
    let mut add = |corners: [Vec3; 3], uv: [Vec2; 3]| {
        let [p, q] = [1, 2].map(|i| to_world.matrix3 * (corners[i] - corners[0]));
        let [a, b] = [1, 2].map(|i| uv[i] - uv[0]);
        let (area, determinant) = (p.cross(q).length(), a.perp_dot(b));
        if area > 0.0 && determinant.abs() > 1e-12 {
            let along_u = (p * b.y - q * a.y) / determinant;
            let along_v = (q * a.x - p * b.x) / determinant;
            metres += vec2(along_u.length(), along_v.length()) * area;
            area_sum += area;
            turn += area * determinant.signum();
        }
    };
    for corners in data.triangles.iter().filter(|_| !data.uv0.is_empty()) {
        add(corners.map(|v| data.positions[v as usize]), corners.map(|v| data.uv0[v as usize]));
    }
    for shape in &data.shapes {
        for location in [vec2(0.3, 0.4), vec2(0.6, 0.2), vec2(0.1, 0.7), vec2(0.45, 0.05)] {
            let point = shape.point_at(location);
            add(point.corners, point.uv);
        }
    }
    let metres = metres / area_sum;
    let is_valid = metres.is_finite() && metres.min_element() > 0.0;
    is_valid.then_some(Stretch { metres, handedness: if turn < 0.0 { -1.0 } else { 1.0 } })
}

/// Returns the normals of a surface with heights in tangent space [Blinn78].
fn normals_of_heights(
    (image, sampling): (&Image, Sampling),
    scale: f32,
    image_from_uv: Affine2,
    stretch: Stretch,
) -> Image {
    let heights = bake::luminances((image, sampling.encoding));
    let (width, height) = (image.width as usize, image.height as usize);
    let step = |at: usize, size: usize, forwards: bool, wrap: Wrap| match (forwards, wrap) {
        (true, Wrap::Repeat) => (at + 1) % size,
        (false, Wrap::Repeat) => (at + size - 1) % size,
        (true, _) => (at + 1).min(size - 1),
        (false, _) => at.saturating_sub(1),
    };
    let at = |x: usize, y: usize| heights[y * width + x];
    let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let texels = rows.map(|(x, y)| {
        let (left, right) = (step(x, width, false, sampling.wrap[0]), step(x, width, true, sampling.wrap[0]));
        let (up, down) = (step(y, height, false, sampling.wrap[1]), step(y, height, true, sampling.wrap[1]));
        let size = vec2(width as f32, height as f32);
        let gradient = vec2(at(right, y) - at(left, y), at(x, down) - at(x, up)) * (0.5 * scale) * size;
        let m = image_from_uv.matrix2;
        // By the chain rule, along u and v of the surface, and then per metre
        let slope = vec2(gradient.dot(m.x_axis), gradient.dot(m.y_axis)) / stretch.metres;
        let normal = vec3(-slope.x, -slope.y * stretch.handedness, 1.0).normalize_or(Vec3::Z);
        (normal * 0.5 + 0.5).extend(1.0).to_array()
    });
    let pixels = Pixels::Floats(Arc::new(texels.collect()));
    Image { width: image.width, height: image.height, pixels, notes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::{Shape, UnitShape};
    use sunfleck_scene::{MeshData, TextureFilter};

    #[test]
    fn a_ramp_on_a_rectangle_has_its_slope() {
        let shapes = vec![Shape::new(UnitShape::Rectangle)];
        let mesh = Mesh::new(MeshData { shapes, ..MeshData::default() }).unwrap();
        let twice = Affine3::from_scale(Vec3::splat(2.0));
        let stretch = stretch(&mesh, &twice).unwrap();
        // The rectangle is 4 m wide, and its images stand upright
        assert!(stretch.metres.abs_diff_eq(Vec2::splat(4.0), 1e-5), "{stretch:?}");
        assert_eq!(stretch.handedness, -1.0);
        // Heights grow by 0.1 m per texel of 1 m to the right, and by 0.2 m downwards
        let heights = (0..16u8).map(|i| f32::from(i % 4) + 2.0 * f32::from(i / 4));
        let pixels = Pixels::Floats(Arc::new(heights.map(|h| [h, h, h, 1.0]).collect()));
        let image = Image { width: 4, height: 4, pixels, notes: Vec::new() };
        let (wrap, filter) = ([Wrap::ClampToEdge; 2], TextureFilter::Linear);
        let sampling = Sampling { encoding: Encoding::Linear, wrap, filter };
        let normals = normals_of_heights((&image, sampling), 0.1, Affine2::IDENTITY, stretch);
        let Pixels::Floats(texels) = normals.pixels else { panic!("floats") };
        let normal = Vec3::from_slice(&texels[5][..3]) * 2.0 - 1.0;
        assert!((normal / normal.z).abs_diff_eq(vec3(-0.1, 0.2, 1.0), 1e-5), "{normal}");
    }
}
