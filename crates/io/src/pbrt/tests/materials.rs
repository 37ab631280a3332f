use sunfleck_math::{Vec2, Vec3, vec2, vec3};
use sunfleck_scene::{Alpha, ColorTexture, Material, Medium, Surface, Texels, TextureFilter, Wrap};

use super::*;

/// Returns the material of a sphere.
fn material(text: &str) -> Material {
    material_of(&loaded(&format!("WorldBegin {text} Shape \"sphere\"")))
}

#[test]
fn diffuse_surfaces() {
    let red = material("Material \"diffuse\" \"rgb reflectance\" [0.5 0.25 2]");
    assert_eq!(red.surface, Surface::Lambert { albedo: vec3(0.5, 0.25, 1.0).into() });
    assert_eq!(material("").surface, Surface::Lambert { albedo: Vec3::splat(0.5).into() });
    let named =
        "MakeNamedMaterial \"m\" \"string type\" \"diffuse\" \"spectrum reflectance\" [300 0.5 900 0.5]";
    let Surface::Lambert { albedo } = material(&format!("{named} NamedMaterial \"m\"")).surface else {
        panic!()
    };
    assert!(albedo.factor.truncate().abs_diff_eq(Vec3::splat(0.5), 1e-3), "{albedo:?}");
    let later = loaded(&format!("WorldBegin NamedMaterial \"m\" Shape \"sphere\" {named}"));
    assert_eq!(material_of(&later).name, "m", "names may be used before the material");
    let rough = material("Material \"matte\" \"color Kd\" [0.2 0.2 0.2] \"float sigma\" 45");
    assert_eq!(rough.surface, Surface::OrenNayar { albedo: Vec3::splat(0.2).into(), roughness: 0.5 });
}

/// α is the root of the roughness in version 4, and perceptual roughness the root of α.
#[test]
fn coated_diffuse_surfaces_are_plastic() {
    let text = "Material \"coateddiffuse\" \"rgb reflectance\" [0.1 0.2 0.3] \"float roughness\" 0.0016 \"float eta\" 1.4";
    let Surface::Plastic { diffuse, specular, ior, roughness, nonlinear, beckmann } = material(text).surface
    else {
        panic!("plastic")
    };
    assert_eq!((diffuse, specular), (vec3(0.1, 0.2, 0.3).into(), Vec3::ONE));
    assert_eq!((ior, nonlinear, beckmann), (1.4, true, false));
    assert!((roughness - 0.2).abs() < 1e-6, "{roughness}");
    let plain = format!("{text} \"bool remaproughness\" false");
    let Surface::Plastic { roughness, .. } = material(&plain).surface else { panic!("plastic") };
    assert!((roughness - 0.04).abs() < 1e-6, "{roughness}");
}

#[test]
fn metals() {
    let conductor = |text: &str| match material(text).surface {
        Surface::Conductor { eta, k, roughness, anisotropy, .. } => {
            assert_eq!(anisotropy != 0.0, text.contains("uroughness"));
            (eta, k, roughness)
        }
        other => panic!("{other:?}"),
    };
    let (eta, k) = crate::renderer::metals::of_name("Au").unwrap();
    let gold = "\"spectrum eta\" \"metal-Au-eta\" \"spectrum k\" \"metal-Au-k\"";
    assert_eq!(conductor(&format!("Material \"conductor\" {gold}")), (eta, k, 0.0));
    // α = 0.3 of u and 0.1 of v: roughness √(√0.3 √0.1)
    let rough = "\"float uroughness\" 0.3 \"float vroughness\" 0.1 \"bool remaproughness\" false";
    let (.., roughness) = conductor(&format!("Material \"conductor\" {gold} {rough}"));
    assert!((roughness - 0.03f32.sqrt().sqrt()).abs() < 1e-6, "{roughness}");
    // Reflectance at normal incidence, ((η − 1)² + k²) / ((η + 1)² + k²)
    let (eta, k, _) = conductor("Material \"conductor\" \"rgb reflectance\" [0.2 0.5 0.9]");
    let reflectance = ((eta - 1.0) * (eta - 1.0) + k * k) / ((eta + 1.0) * (eta + 1.0) + k * k);
    assert!(reflectance.abs_diff_eq(vec3(0.2, 0.5, 0.9), 1e-5), "{reflectance}");
    let coated = "Material \"coatedconductor\" \"spectrum conductor.eta\" \"metal-Al-eta\" \"float interface.eta\" 1.5";
    assert_eq!(conductor(coated).0, crate::renderer::metals::of_name("Al").unwrap().0);
}

#[test]
fn glass() {
    let smooth = material("Material \"dielectric\" \"float eta\" 1.33").surface;
    assert_eq!(smooth, Surface::smooth_dielectric(1.33, Vec3::ONE));
    let named =
        material("Material \"dielectric\" \"spectrum eta\" \"glass-BK7\" \"float roughness\" 0.0625").surface;
    let Surface::Dielectric { ior, roughness, .. } = named else { panic!("{named:?}") };
    assert!((ior - 1.5168).abs() < 1e-6 && (roughness - 0.5).abs() < 1e-6, "{ior} {roughness}");
    let thin = material("Material \"thindielectric\" \"float eta\" 0.5").surface;
    assert_eq!(thin, Surface::ThinDielectric { ior: 2.0, tint: Vec3::ONE });
    let old = material("Material \"glass\" \"color Kt\" [0.5 1 1] \"float index\" 1.6").surface;
    assert_eq!(old, Surface::smooth_dielectric(1.6, vec3(0.5, 1.0, 1.0)));
}

#[test]
fn materials_of_version_3() {
    let mirror = material("Material \"mirror\" \"color Kr\" [0.5 0.5 0.5]").surface;
    assert_eq!(mirror, Surface::Mirror { reflectance: Vec3::splat(0.5) });
    let text = "Material \"uber\" \"color Kd\" [0.2 0.2 0.2] \"color Ks\" [1 1 1] \"float index\" 1.5
        \"color opacity\" [0.25 0.25 0.25]";
    let uber = material(text);
    let Surface::MetallicRoughness { base_color, metallic, ior, .. } = uber.surface else {
        panic!("{uber:?}")
    };
    assert_eq!((base_color.factor.to_array(), metallic), ([0.2, 0.2, 0.2, 0.25], 0.0));
    assert!((ior - 1.5).abs() < 1e-5, "{ior}: the reflectance of its Fresnel term");
    assert_eq!(uber.alpha, Alpha::Blend);
    let substrate =
        material("Material \"substrate\" \"color Kd\" [0 0 0] \"color Ks\" [0.04 0.04 0.04]").surface;
    let Surface::MetallicRoughness { ior, .. } = substrate else { panic!("{substrate:?}") };
    assert!((ior - 1.5).abs() < 1e-5, "{ior}");
}

#[test]
fn surfaces_that_do_not_exist() {
    let nothing = material("Material \"interface\"");
    let Surface::Lambert { albedo } = nothing.surface else { panic!("{nothing:?}") };
    assert_eq!((albedo.factor.w, nothing.alpha), (0.0, Alpha::Blend));
    let lamp = material("Material \"interface\" AreaLightSource \"diffuse\" \"rgb L\" [3 3 3]");
    assert_eq!((lamp.alpha, lamp.emission.radiance), (Alpha::Opaque, Vec3::splat(3.0)));
    assert_eq!(lamp.surface, Surface::Lambert { albedo: Vec3::ZERO.into() });
    let half = material_of(&loaded("WorldBegin Shape \"sphere\" \"float alpha\" 0.5"));
    let Surface::Lambert { albedo } = half.surface else { panic!("{half:?}") };
    assert_eq!((albedo.factor.to_array(), half.alpha), ([0.5; 4], Alpha::Blend));
}

#[test]
fn mixtures_of_diffuse_materials_are_exact() {
    let two = "MakeNamedMaterial \"a\" \"string type\" \"diffuse\" \"rgb reflectance\" [1 0 0]
        MakeNamedMaterial \"b\" \"string type\" \"diffuse\" \"rgb reflectance\" [0 0 1]";
    let mix = "Material \"mix\" \"string materials\" [\"a\" \"b\"] \"float amount\" 0.25";
    let mixed = material(&format!("{two} {mix}")).surface;
    assert_eq!(mixed, Surface::Lambert { albedo: vec3(0.75, 0.0, 0.25).into() });
    let old = "Material \"mix\" \"string namedmaterial1\" \"a\" \"string namedmaterial2\" \"b\"
        \"color amount\" [0.25 0.25 0.25]";
    let mixed = material(&format!("{two} {old}")).surface;
    assert_eq!(mixed, Surface::Lambert { albedo: vec3(0.25, 0.0, 0.75).into() });
}

/// Two texels: red on the left, blue on the right.
const IMAGE: &[u8] = b"P6 2 1 255\n\xFF\0\0\0\0\xFF";

fn texture_of(text: &str) -> (LoadedScene, ColorTexture) {
    let text =
        format!("WorldBegin {text} Material \"diffuse\" \"texture reflectance\" \"t\" Shape \"sphere\"");
    let loaded = loaded_with(&text, &[("i.ppm", IMAGE)]);
    let Surface::Lambert { albedo } = material_of(&loaded).surface else { panic!("diffuse") };
    (loaded, albedo)
}

#[test]
fn images() {
    let (loaded, albedo) = texture_of(
        "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"i.ppm\" \"float scale\" 0.5 \"string wrap\" \"clamp\"
         \"string filter\" \"point\" \"float uscale\" 2 \"float vscale\" 3 \"float udelta\" 0.25 \"float vdelta\" 0.5",
    );
    assert_eq!(albedo.factor.to_array(), [0.5, 0.5, 0.5, 1.0]);
    let reference = albedo.texture.unwrap();
    let texture = loaded.scene.texture(reference.texture).unwrap();
    assert_eq!((texture.wrap(), texture.filter()), ([Wrap::ClampToEdge; 2], TextureFilter::Nearest));
    assert!(matches!(texture.texels(), Texels::Srgb8(_)));
    // (u, v) = (0.5, 0.125) in pbrt is (0.5, 0.875) here, and (1.25, 0.875) in its image, (1.25, 0.125) from the top
    let at = reference.uv_transform.transform_point2(vec2(0.5, 0.875));
    assert!(at.abs_diff_eq(vec2(1.25, 0.125), 1e-6), "{at}");
    let (_, plain) = texture_of("Texture \"t\" \"color\" \"imagemap\" \"string filename\" \"i.ppm\"");
    assert_eq!(plain.texture.unwrap().uv_transform, glam::Affine2::IDENTITY);
}

#[test]
fn textures_of_textures() {
    let image = "Texture \"i\" \"spectrum\" \"imagemap\" \"string filename\" \"i.ppm\"";
    let (_, scaled) = texture_of(&format!(
        "{image} Texture \"t\" \"spectrum\" \"scale\" \"texture tex\" \"i\" \"rgb scale\" [0.5 1 0.25]"
    ));
    assert!(scaled.texture.is_some());
    assert_eq!(scaled.factor.truncate(), vec3(0.5, 1.0, 0.25));
    let (_, mixed) = texture_of(
        "Texture \"t\" \"spectrum\" \"mix\" \"rgb tex1\" [1 0 0] \"rgb tex2\" [0 1 0] \"float amount\" 0.25",
    );
    assert_eq!(mixed.factor.truncate(), vec3(0.75, 0.25, 0.0));
    let (_, missing) = texture_of("");
    assert_eq!(missing.factor.truncate(), Vec3::splat(0.5), "the default of the parameter");
    let (loaded, lost) = texture_of("Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"no.png\"");
    assert_eq!(lost, Vec3::ONE.into());
    assert!(messages(&loaded).contains("an image is left out: cannot read no.png: file not found"));
    let (loaded, _) = texture_of("Texture \"t\" \"spectrum\" \"mix\" \"texture tex1\" \"t\"");
    assert!(messages(&loaded).contains("within each other"), "{}", messages(&loaded));
}

/// The square from (0, 0) to (1, 1) is the first colour, those beside it are the second.
#[test]
fn checkerboards() {
    let (loaded, albedo) = texture_of(
        "Texture \"t\" \"spectrum\" \"checkerboard\" \"rgb tex1\" [1 0 0] \"rgb tex2\" [0 0 1] \"float uscale\" 4
         \"float vscale\" 4",
    );
    let reference = albedo.texture.unwrap();
    let texture = loaded.scene.texture(reference.texture).unwrap();
    let Texels::Float(texels) = texture.texels() else { panic!("floats") };
    let color = |u: f32, v: f32| {
        let at = reference.uv_transform.transform_point2(vec2(u, 1.0 - v));
        let at = (at - at.floor()) * 2.0;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 or 1")]
        let texel = texels[at.y as usize * 2 + at.x as usize];
        Vec3::from_slice(&texel)
    };
    assert_eq!([color(0.1, 0.1), color(0.4, 0.4), color(0.6, 0.1)], [Vec3::X; 3]);
    assert_eq!([color(0.4, 0.1), color(0.1, 0.4)], [Vec3::Z; 2]);
}

#[test]
fn textures_of_numbers() {
    let text = "WorldBegin Texture \"r\" \"float\" \"imagemap\" \"string filename\" \"r.pgm\" \"string encoding\" \"linear\"
        Material \"conductor\" \"texture roughness\" \"r\" Shape \"sphere\"";
    // 16 / 256 is α = 1/4, perceptual roughness 1/2
    let loaded = loaded_with(text, &[("r.pgm", b"P5 1 1 256\n\x00\x10")]);
    let Surface::Conductor { roughness, roughness_texture, .. } = material_of(&loaded).surface else {
        panic!("metal")
    };
    let texture = loaded.scene.texture(roughness_texture.unwrap().texture).unwrap();
    let Texels::Linear16(texels) = texture.texels() else { panic!("{:?}", texture.texels()) };
    assert!(roughness == 1.0 && (f32::from(texels[0][1]) / 65535.0 - 0.5).abs() < 1e-3, "{texels:?}");
    let text = "WorldBegin Texture \"a\" \"float\" \"imagemap\" \"string filename\" \"a.pgm\" \"string encoding\" \"linear\"
        Shape \"sphere\" \"texture alpha\" \"a\"";
    let loaded = loaded_with(text, &[("a.pgm", b"P5 1 1 255\n\x33")]);
    let material = material_of(&loaded);
    let Surface::Lambert { albedo } = material.surface else { panic!("diffuse") };
    let texture = loaded.scene.texture(albedo.texture.unwrap().texture).unwrap();
    assert_eq!(
        (texture.texels(), material.alpha),
        (&Texels::Srgb8(vec![[255, 255, 255, 51]].into()), Alpha::Blend)
    );
}

#[test]
fn normal_maps_need_tangents() {
    let text = "WorldBegin Material \"diffuse\" \"string normalmap\" \"i.ppm\"
        Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0] \"normal N\" [0 0 1 0 0 1 0 0 1] \"point2 uv\" [0 0 1 0 0 1]";
    let loaded = loaded_with(text, &[("i.ppm", IMAGE)]);
    let map = material_of(&loaded).normal_map.unwrap();
    assert!(matches!(loaded.scene.texture(map.texture.texture).unwrap().texels(), Texels::Linear8(_)));
    let mesh = mesh_of(&loaded);
    assert_eq!(mesh.data().tangents[0].to_array(), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(mesh.data().uv0[0], Vec2::Y);
}

/// The amount is the share of the second material in version 4, of the first one in version 3.
#[test]
fn mixtures_are_layers_at_the_same_place() {
    let layers = |amount: &str, version_3: bool, files: &[(&str, &[u8])]| {
        let (names, end) = match version_3 {
            true => ("\"string namedmaterial1\" \"a\" \"string namedmaterial2\" \"b\"", "WorldEnd"),
            false => ("\"string materials\" [\"a\" \"b\"]", ""),
        };
        let text = format!(
            "WorldBegin MakeNamedMaterial \"a\" \"string type\" \"dielectric\"
            MakeNamedMaterial \"b\" \"string type\" \"conductor\" {amount}
            Material \"mix\" {names} {} Shape \"sphere\" {end}",
            if amount.is_empty() { "\"float amount\" 0.25" } else { "\"texture amount\" \"t\"" }
        );
        let loaded = loaded_with(&text, files);
        assert_eq!((loaded.scene.meshes().len(), messages(&loaded).contains("mixture")), (1, false));
        let placed = loaded.scene.world_instances();
        let found: Vec<Material> =
            placed.iter().map(|i| loaded.scene.material(i.materials[0]).unwrap().clone()).collect();
        (found, loaded)
    };
    for (version_3, expected) in [(false, 0.25), (true, 0.75)] {
        let (mut found, _) = layers("", version_3, &[]);
        assert!(matches!(found[0].surface, Surface::Conductor { .. }) && found[0].alpha == Alpha::Blend);
        assert!(matches!(found[1].surface, Surface::Dielectric { .. }) && found[1].alpha == Alpha::Opaque);
        assert_eq!(found[0].surface.alpha_color_mut().unwrap().factor.w, expected);
    }
    let texture =
        "Texture \"t\" \"float\" \"imagemap\" \"string filename\" \"g.pgm\" \"string encoding\" \"linear\"";
    let grey: &[u8] = b"P5 2 1 255\n\x00\x33";
    let (mut found, loaded) = layers(texture, false, &[("g.pgm", grey)]);
    let image = found[0].surface.alpha_color_mut().unwrap().texture.unwrap().texture;
    let Texels::Srgb8(texels) = loaded.scene.texture(image).unwrap().texels() else { panic!("8 bits") };
    assert_eq!(texels.iter().map(|texel| texel[3]).collect::<Vec<_>>(), [0, 51]);
}

#[test]
fn media_are_kept() {
    let text = "WorldBegin MakeNamedMedium \"fog\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [1 2 3]
        \"rgb sigma_s\" [4 5 6] \"float scale\" 0.5 \"float g\" 0.7 MediumInterface \"fog\" \"\"";
    let media = material(text).media;
    let expected =
        Medium { absorption: vec3(0.5, 1.0, 1.5), scattering: vec3(2.0, 2.5, 3.0), asymmetry: 0.7 };
    assert_eq!((media.interior, media.exterior), (Some(expected), None));
    let grid = text.replace("homogeneous", "uniformgrid");
    let loaded = loaded(&format!("{grid} Shape \"sphere\""));
    assert!(material_of(&loaded).media.is_empty());
    assert!(messages(&loaded).contains("only homogeneous media"), "{}", messages(&loaded));
}

/// Values that media have without their own [PBRT4, `HomogeneousMedium`] [PBRT3, `MakeMedium`].
#[test]
fn media_have_the_coefficients_of_their_version() {
    let text = "MakeNamedMedium \"fog\" \"string type\" \"homogeneous\" \"float g\" 0 \"float wobble\" 1 MediumInterface \"fog\" \"\"";
    let [first, second] =
        ["diffuse", "conductor"].map(|kind| format!("Material \"{kind}\" Shape \"sphere\""));
    let of = |end: &str| {
        let loaded = loaded(&format!("WorldBegin {text} {first} {second} {end}"));
        let notes = messages(&loaded);
        assert!(notes.contains("\"wobble\" of \"homogeneous\" is not used"), "{notes}");
        assert!(!notes.contains("2 ×"), "two materials with one medium: {notes}");
        let medium = loaded.scene.materials().next().unwrap().1.media.interior.unwrap();
        (medium.absorption, medium.scattering)
    };
    assert_eq!(of(""), (Vec3::ONE, Vec3::ONE));
    assert_eq!(of("WorldEnd"), (vec3(0.0011, 0.0024, 0.014), vec3(2.55, 3.21, 3.77)));
}

#[test]
fn a_light_with_a_mixture_emits_once() {
    let loaded = loaded(
        "WorldBegin MakeNamedMaterial \"a\" \"string type\" \"dielectric\"
        MakeNamedMaterial \"b\" \"string type\" \"conductor\"
        Material \"mix\" \"string materials\" [\"a\" \"b\"] \"float amount\" 0.25
        AreaLightSource \"diffuse\" \"rgb L\" [1 2 3] Shape \"sphere\"",
    );
    let found: Vec<Vec3> = loaded.scene.materials().map(|(_, material)| material.emission.radiance).collect();
    // Rays see the first layer with the probability of its alpha, 1/4
    assert!(found[0].abs_diff_eq(vec3(4.0, 8.0, 12.0), 1e-4) && found[1] == Vec3::ZERO, "{found:?}");
}

/// The mean of the roughness is 1/16, its α 1/4.
#[test]
fn roughness_that_cannot_vary_is_the_mean() {
    let texture = "WorldBegin Texture \"r\" \"float\" \"imagemap\" \"string filename\" \"r.pgm\" \"string encoding\" \"linear\"";
    for kind in ["dielectric", "coateddiffuse"] {
        let text = format!("{texture} Material \"{kind}\" \"texture roughness\" \"r\" Shape \"sphere\"");
        let loaded = loaded_with(&text, &[("r.pgm", b"P5 2 1 256\n\x00\x00\x00\x20")]);
        let (Surface::Plastic { roughness, .. } | Surface::Dielectric { roughness, .. }) =
            material_of(&loaded).surface
        else {
            panic!("{kind}")
        };
        assert!((roughness - 0.5).abs() < 1e-3, "{kind}: {roughness}");
        assert!(messages(&loaded).contains("it is the mean"), "{}", messages(&loaded));
    }
}

/// Only thin surfaces are flat and transmit diffusely [PBRT3, `DisneyMaterial`].
#[test]
fn thin_disney_surfaces_reflect_what_does_not_pass() {
    let disney = |more: &str| {
        let text = format!("Material \"disney\" \"color color\" [0.8 0.8 0.8] \"float flatness\" 0.5 {more}");
        let loaded = loaded(&format!("WorldBegin {text} Shape \"sphere\""));
        let Surface::Principled { base_color, transmission, flatness, .. } = material_of(&loaded).surface
        else {
            panic!("principled")
        };
        (base_color.factor.x, transmission, flatness, messages(&loaded).contains("thin disney"))
    };
    assert_eq!(disney("\"float spectrans\" 0.5"), (0.8, 0.5, 0.0, false));
    assert_eq!(disney("\"float difftrans\" 2"), (0.8, 0.0, 0.0, false));
    let (color, transmission, flatness, is_named) =
        disney("\"bool thin\" true \"float spectrans\" 0.5 \"float difftrans\" 0.5");
    // 0.8 · (1 − 0.5) · (1 − 0.5 / 2)
    assert!((color - 0.3).abs() < 1e-6 && is_named, "{color}");
    assert_eq!((transmission, flatness), (0.0, 0.5));
}

/// Three textures in each, 15 deep: 14 million uses of one.
#[test]
fn references_within_references_are_converted_once() {
    let mut text = "WorldBegin Texture \"t0\" \"float\" \"constant\" \"float value\" 0.5 ".to_string();
    for level in 1..=15 {
        let inner = level - 1;
        text += &format!(
            "Texture \"t{level}\" \"float\" \"mix\" \"texture tex1\" \"t{inner}\" \"texture tex2\" \"t{inner}\"
            \"texture amount\" \"t{inner}\" "
        );
    }
    text += "Material \"dielectric\" \"bool remaproughness\" false \"texture roughness\" \"t15\" Shape \"sphere\"";
    let Surface::Dielectric { roughness, .. } = material_of(&loaded(&text)).surface else { panic!("glass") };
    assert!((roughness - 0.5f32.sqrt()).abs() < 1e-5, "{roughness}");
}
