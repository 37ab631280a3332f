//! Material table: values from factors, textures and vertex colours.

#![allow(clippy::unwrap_used, reason = "also in functions that tests call")]

use std::sync::Arc;

use sunfleck_math::{Vec3, Vec4, vec2, vec3, vec4};
use sunfleck_scene::{
    Alpha, ColorTexture, Emission, Material, MaterialId, NormalMap, Scene, SceneEdit, Surface, Texels,
    Texture, TextureId, TextureRef,
};
use sunfleck_shading::{Bsdf, BsdfContext, MaterialTable, SurfaceAttributes};

/// Adds a texture of 2 × 1 texels.
fn add_texture(scene: &mut Scene, left: [f32; 4], right: [f32; 4]) -> TextureId {
    scene.add_texture(Texture::new("two", 2, 1, Texels::Float(Arc::new(vec![left, right]))).unwrap()).unwrap()
}

/// Returns the point with texture coordinates (`u`, 0.5).
fn at(u: f32) -> SurfaceAttributes {
    SurfaceAttributes { uv0: vec2(u, 0.5), ..SurfaceAttributes::default() }
}

/// Centre of the left texel.
const LEFT: f32 = 0.25;
/// Centre of the right texel.
const RIGHT: f32 = 0.75;

fn table(scene: &Scene, id: MaterialId) -> (MaterialTable, u32) {
    let materials = MaterialTable::new(scene);
    let index = materials.index_of(id);
    (materials, index)
}

#[test]
fn base_colour_is_factor_times_texture_times_vertex_colour() {
    let mut scene = Scene::default();
    let texture = Some(TextureRef::new(add_texture(&mut scene, [0.5, 0.5, 1.0, 1.0], [1.0; 4])));
    let albedo = ColorTexture { factor: vec4(0.8, 0.4, 0.2, 1.0), texture };
    let id = scene.add_material(Material::new("m", Surface::Lambert { albedo })).unwrap();
    let (materials, m) = table(&scene, id);
    let point = SurfaceAttributes { color: vec4(1.0, 0.5, 1.0, 1.0), ..at(LEFT) };
    assert_eq!(materials.bsdf(m, &point).albedo(), vec3(0.4, 0.1, 0.2));
    let bright = SurfaceAttributes { color: vec4(3.0, 1.0, -1.0, 1.0), ..at(RIGHT) };
    assert_eq!(materials.bsdf(m, &bright).albedo(), vec3(1.0, 0.4, 0.0), "clamped to [0, 1]");
}

#[test]
fn texture_coordinates_choose_set_and_transform() {
    let mut scene = Scene::default();
    let texture = add_texture(&mut scene, [0.25, 0.0, 0.0, 1.0], [0.75, 0.0, 0.0, 1.0]);
    let reference = TextureRef { uv_set: 1, ..TextureRef::new(texture) };
    let mut moved = TextureRef::new(texture);
    moved.uv_transform.translation = vec2(0.5, 0.0);
    let mut lambert = |reference| {
        let albedo = ColorTexture { factor: Vec4::ONE, texture: Some(reference) };
        scene.add_material(Material::new("m", Surface::Lambert { albedo })).unwrap()
    };
    let (second_set, moved) = (lambert(reference), lambert(moved));
    let materials = MaterialTable::new(&scene);
    let point = SurfaceAttributes { uv1: vec2(RIGHT, 0.5), ..at(LEFT) };
    assert_eq!(materials.bsdf(materials.index_of(second_set), &point).albedo().x, 0.75);
    assert_eq!(materials.bsdf(materials.index_of(moved), &point).albedo().x, 0.75);
}

#[test]
fn metallic_roughness_texture_is_blue_and_green() {
    let mut scene = Scene::default();
    let texture = add_texture(&mut scene, [0.0, 1.0, 1.0, 1.0], [1.0, 0.25, 0.0, 1.0]);
    let surface = Surface::MetallicRoughness {
        base_color: vec3(0.9, 0.6, 0.3).into(),
        metallic: 1.0,
        roughness: 0.8,
        ior: 1.5,
        metallic_roughness_texture: Some(TextureRef::new(texture)),
    };
    let id = scene.add_material(Material::new("m", surface)).unwrap();
    let (materials, m) = table(&scene, id);
    let (wo, wi) = (vec3(0.6, 0.0, 0.8), vec3(0.0, 0.6, 0.8));
    let eval = |bsdf: Bsdf| bsdf.eval(BsdfContext::RADIANCE, wo, wi);
    let expected = |metallic, roughness| {
        let plain = sunfleck_shading::MetallicRoughness::new(vec3(0.9, 0.6, 0.3), metallic, roughness);
        eval(Bsdf::MetallicRoughness(plain))
    };
    assert!(eval(materials.bsdf(m, &at(LEFT))).abs_diff_eq(expected(1.0, 0.8), 1e-6));
    assert!(eval(materials.bsdf(m, &at(RIGHT))).abs_diff_eq(expected(0.0, 0.2), 1e-6));
}

#[test]
fn alpha_modes() {
    let mut scene = Scene::default();
    let texture = add_texture(&mut scene, [1.0, 1.0, 1.0, 0.4], [1.0, 1.0, 1.0, 0.8]);
    let albedo = ColorTexture { factor: Vec4::ONE, texture: Some(TextureRef::new(texture)) };
    let mut with = |alpha| {
        let material = Material { alpha, ..Material::new("m", Surface::Lambert { albedo }) };
        scene.add_material(material).unwrap()
    };
    let (opaque, mask, blend) = (with(Alpha::Opaque), with(Alpha::Mask { cutoff: 0.5 }), with(Alpha::Blend));
    let materials = MaterialTable::new(&scene);
    let alpha = |id, u| materials.alpha(materials.index_of(id), &at(u));
    assert_eq!((alpha(opaque, LEFT), alpha(opaque, RIGHT)), (1.0, 1.0));
    assert_eq!((alpha(mask, LEFT), alpha(mask, RIGHT)), (0.0, 1.0));
    assert_eq!((alpha(blend, LEFT), alpha(blend, RIGHT)), (0.4, 0.8));
    assert!(materials.is_opaque(materials.index_of(opaque)));
    assert!(
        !materials.is_opaque(materials.index_of(mask)) && !materials.is_opaque(materials.index_of(blend))
    );
}

#[test]
fn emission() {
    let mut scene = Scene::default();
    let texture = TextureRef::new(add_texture(&mut scene, [0.0, 0.0, 0.0, 1.0], [1.0, 0.5, 0.0, 1.0]));
    let mut lamp = |texture| {
        let emission = Emission { radiance: vec3(4.0, 4.0, 4.0), texture };
        scene.add_material(Material { emission, ..Material::lambert("m", Vec3::ZERO) }).unwrap()
    };
    let (plain, half) = (lamp(None), lamp(Some(texture)));
    let dark = scene.add_material(Material::lambert("dark", Vec3::ONE)).unwrap();
    let materials = MaterialTable::new(&scene);
    let index = |id| materials.index_of(id);
    assert_eq!(materials.emission(index(half), &at(LEFT)), Vec3::ZERO);
    assert_eq!(materials.emission(index(half), &at(RIGHT)), vec3(4.0, 2.0, 0.0));
    assert_eq!(materials.emission(index(plain), &at(LEFT)), Vec3::splat(4.0));
    assert!(materials.is_emissive(index(plain)) && materials.is_emissive(index(half)));
    assert!(!materials.is_emissive(index(dark)));
}

#[test]
fn normal_maps() {
    let mut scene = Scene::default();
    // Along z, and tilted towards +x to (0.6, 0, 0.8)
    let texture = TextureRef::new(add_texture(&mut scene, [0.5, 0.5, 1.0, 1.0], [0.8, 0.5, 0.9, 1.0]));
    let mut bumped = |scale| {
        let normal_map = Some(NormalMap { texture, scale });
        scene.add_material(Material { normal_map, ..Material::lambert("m", Vec3::ONE) }).unwrap()
    };
    let (full, half) = (bumped(1.0), bumped(0.5));
    let plain = scene.add_material(Material::lambert("m", Vec3::ONE)).unwrap();
    let materials = MaterialTable::new(&scene);
    let normal = |id, u| materials.normal(materials.index_of(id), &at(u));
    assert_eq!(normal(plain, LEFT), None);
    assert_eq!(normal(full, LEFT), Some(Vec3::Z));
    assert!(normal(full, RIGHT).unwrap().abs_diff_eq(vec3(0.6, 0.0, 0.8), 1e-6));
    let expected = vec3(0.3, 0.0, 0.8) / 0.73f32.sqrt();
    assert!(normal(half, RIGHT).unwrap().abs_diff_eq(expected, 1e-6), "the scale flattens x and y");
}

#[test]
fn indices_follow_ids_and_unknown_ids_are_grey() {
    let mut scene = Scene::default();
    let ids = [0.1, 0.2, 0.3]
        .map(|albedo| scene.add_material(Material::lambert("m", Vec3::splat(albedo))).unwrap());
    let materials = MaterialTable::new(&scene);
    assert_eq!(ids.map(|id| materials.index_of(id)), [0, 1, 2]);
    let unknown = materials.index_of(MaterialId(99));
    assert_eq!(materials.bsdf(unknown, &SurfaceAttributes::default()).albedo(), Vec3::splat(0.5));
}

#[test]
fn every_surface_becomes_its_bsdf() {
    let mut scene = Scene::default();
    let mut add = |material| scene.add_material(material).unwrap();
    let mirror = add(Material::mirror("m", vec3(0.9, 0.8, 0.7)));
    let glass = add(Material::dielectric("g", 1.5));
    let gold = add(Material::metallic_roughness("a", vec3(1.0, 0.7, 0.3), 1.0, 0.2));
    let materials = MaterialTable::new(&scene);
    let bsdf = |id| materials.bsdf(materials.index_of(id), &SurfaceAttributes::default());
    assert!(matches!(bsdf(mirror), Bsdf::Mirror(m) if m.reflectance == vec3(0.9, 0.8, 0.7)));
    assert!(matches!(bsdf(glass), Bsdf::Dielectric(d) if d.ior == 1.5 && d.tint == Vec3::ONE));
    assert!(matches!(bsdf(gold), Bsdf::MetallicRoughness(_)) && bsdf(gold).albedo() == vec3(1.0, 0.7, 0.3));
    assert_eq!(materials.alpha(materials.index_of(mirror), &SurfaceAttributes::default()), 1.0);
    assert!(!materials.is_double_sided(materials.index_of(gold)));
}

#[test]
fn an_updated_table_equals_a_new_one_and_shares_its_images() {
    let mut scene = Scene::default();
    let texture = Some(TextureRef::new(add_texture(&mut scene, [0.5; 4], [1.0; 4])));
    let albedo = |red| ColorTexture { factor: vec4(red, 0.4, 0.2, 1.0), texture };
    let id = scene.add_material(Material::new("m", Surface::Lambert { albedo: albedo(0.8) })).unwrap();
    let before = MaterialTable::new(&scene);
    let other = Material::new("m", Surface::Lambert { albedo: albedo(0.1) });
    scene.apply(SceneEdit::Material { id, material: Some(other) }).unwrap();
    let after = before.update(&scene);
    assert_eq!(after.packed(), MaterialTable::new(&scene).packed());
    let images = |table: &MaterialTable| table.packed_records().images;
    let pairs = images(&before).into_iter().zip(images(&after)).collect::<Vec<_>>();
    assert_eq!(pairs.len(), 2, "the image and its mip levels");
    assert!(pairs.iter().all(|(a, b)| a.is_same(b)), "the memory is shared");
}

/// Thin glass ignores alpha: a pane lets rays pass by its transmittance, and one that is emissive stops every ray.
#[test]
fn alpha_says_nothing_about_thin_glass() {
    let mut scene = Scene::default();
    let pane = |radiance: f32| {
        let glass = Surface::ThinDielectric { ior: 1.5, tint: Vec3::ONE };
        let mut material = Material::new("pane", glass);
        material.emission.radiance = Vec3::splat(radiance);
        Material { alpha: Alpha::Mask { cutoff: 2.0 }, ..material }
    };
    let [clear, emissive] = [0.0, 1.0].map(|radiance| scene.add_material(pane(radiance)).unwrap());
    let materials = MaterialTable::new(&scene);
    for (id, is_pane) in [(clear, true), (emissive, false)] {
        let index = materials.index_of(id);
        assert_eq!((materials.pane(index).is_some(), materials.is_opaque(index)), (is_pane, !is_pane));
        assert_eq!(materials.alpha(index, &SurfaceAttributes::default()), 1.0);
    }
    assert!(materials.has_panes());
}
