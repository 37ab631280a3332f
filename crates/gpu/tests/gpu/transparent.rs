//! A scene with transparent surfaces.

use std::sync::Arc;

use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{
    Alpha, Material, Mesh, MeshData, Node, Scene, SceneEdit, Surface, Texels, Texture, TextureRef,
};

/// The teapot room with holes by alpha masks, half-transparent walls, and emitters that let some rays pass.
pub(crate) fn transparent_scene() -> Scene {
    with_alpha(teapot_room(), |material, i| material.emission.radiance != Vec3::ZERO || i % 2 == 1)
}

/// The same scene with alpha masks only, so that no random numbers decide: all surfaces have holes, emitters included.
pub(crate) fn masked_scene() -> Scene {
    with_alpha(teapot_room(), |_, _| false)
}

/// The [scene with panes](scene_with_panes) with everything else half-transparent.
pub(crate) fn blended_scene_with_panes() -> Scene {
    with_alpha(scene_with_panes(2), |_, _| true)
}

fn teapot_room() -> Scene {
    sunfleck_models::build("teapot-room").unwrap()
}

/// Returns a scene with alpha.
///
/// * `blends` — whether a material is blended, instead of having holes by a mask.
fn with_alpha(mut scene: Scene, blends: impl Fn(&Material, usize) -> bool) -> Scene {
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

/// The teapot room behind and under panes of thin glass: a clear one, a coloured one, a coloured one with vertex normals
/// that lean to one side, one that is emissive, and some below the lamp.
///
/// * `stacked` — number of panes below the lamp.
pub(crate) fn scene_with_panes(stacked: u32) -> Scene {
    let mut scene = teapot_room();
    let upright = |x: [f32; 2], y: [f32; 2], z: f32| {
        [vec3(x[0], y[0], z), vec3(x[1], y[0], z), vec3(x[1], y[1], z), vec3(x[0], y[1], z)]
    };
    let level = |y: f32| [vec3(-2.5, y, 3.0), vec3(2.5, y, 3.0), vec3(2.5, y, -1.0), vec3(-2.5, y, -1.0)];
    let (none, leaning) = (Vec3::ZERO, vec3(0.6, 0.0, 0.8));
    let mut add = |corners: [Vec3; 4], normal: Vec3, tint: Vec3, radiance: f32| {
        let normals = if normal == none { Vec::new() } else { vec![normal; 4] };
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        let data = MeshData { positions: corners.to_vec(), normals, triangles, ..MeshData::default() };
        let mut material = Material::new("pane", Surface::ThinDielectric { ior: 1.5, tint });
        material.emission.radiance = Vec3::splat(radiance);
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let material = scene.add_material(material).unwrap();
        scene.add_node(Node::new("pane").with_mesh(mesh, vec![material])).unwrap();
    };
    add(upright([-2.0, 0.4], [0.1, 2.0], 2.5), none, Vec3::ONE, 0.0);
    add(upright([-1.0, 1.6], [0.5, 1.5], 1.9), none, vec3(0.3, 0.8, 0.5), 0.0);
    add(upright([0.2, 2.0], [0.3, 1.5], 1.5), leaning, vec3(0.5, 0.6, 1.0), 0.0);
    add(upright([-1.3, -0.6], [1.2, 1.6], 0.8), none, vec3(0.9, 0.8, 0.2), 0.3);
    for i in 0..stacked {
        add(level(2.3 + 0.01 * i as f32), none, vec3(1.0, 0.9, 0.7), 0.0);
    }
    scene
}
