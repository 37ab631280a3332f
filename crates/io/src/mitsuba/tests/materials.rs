use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Alpha, Surface, Texels, TextureFilter, Wrap};

use super::*;

#[test]
fn checkerboards_are_four_texels() {
    let loaded = loaded(
        "<shape type='rectangle'><bsdf type='diffuse'><texture name='reflectance' type='checkerboard'>
        <float name='color0' value='0.25'/><transform name='to_uv'><scale x='4' y='8'/></transform></texture></bsdf></shape>",
    );
    let Surface::Lambert { albedo } = material_of(&loaded).surface else { panic!() };
    let reference = albedo.texture.unwrap();
    assert!(
        reference.uv_transform.matrix2.x_axis.x == 4.0 && reference.uv_transform.matrix2.y_axis.y == -8.0
    );
    let texture = loaded.scene.texture(reference.texture).unwrap();
    assert_eq!((texture.filter(), texture.wrap()), (TextureFilter::Nearest, [Wrap::Repeat; 2]));
    let Texels::Float(texels) = texture.texels() else { panic!() };
    assert_eq!(texels.iter().map(|texel| texel[0]).collect::<Vec<_>>(), [0.2, 0.25, 0.25, 0.2]);
}

#[test]
fn bitmaps_masks_and_normal_maps() {
    let grey = b"P5 2 1 255\n\x00\xbc";
    let bitmap = |name: &str, more: &str| {
        format!(
            "<texture name='{name}' type='bitmap'><string name='filename' value='g.pgm'/>{more}</texture>"
        )
    };
    let shape = |bsdf: &str| format!("<shape type='rectangle'>{bsdf}</shape>");
    let mask = shape(&format!("<bsdf type='mask'>{}<bsdf type='diffuse'/></bsdf>", bitmap("opacity", "")));
    let masked = loaded_with(&mask, &[("g.pgm", grey)]);
    let material = material_of(&masked);
    assert_eq!(material.alpha, Alpha::Blend);
    let texture = masked.scene.textures().next().unwrap().1.clone();
    assert_eq!(*texture.texels(), Texels::Srgb8(vec![[255, 255, 255, 0], [255, 255, 255, 128]].into()));
    let clamp = "<boolean name='raw' value='true'/><string name='wrap_mode' value='clamp'/>";
    let map = format!("<bsdf type='normalmap'>{}<bsdf type='diffuse'/></bsdf>", bitmap("normalmap", clamp));
    let mapped = loaded_with(&shape(&map), &[("g.pgm", grey)]);
    assert!(material_of(&mapped).normal_map.is_some());
    let texture = mapped.scene.textures().next().unwrap().1.clone();
    assert_eq!(texture.wrap(), [Wrap::ClampToEdge; 2]);
    assert!(matches!(texture.texels(), Texels::Linear8(_)));
    let missing = loaded(&shape(&format!("<bsdf type='diffuse'>{}</bsdf>", bitmap("reflectance", ""))));
    assert!(
        messages(&missing).contains("the texture is left out: cannot read g.pgm"),
        "{}",
        messages(&missing)
    );
}

#[test]
fn scattering_models() {
    let surface = |bsdf: &str| material(&format!("<shape type='sphere'>{bsdf}</shape>")).surface;
    assert_eq!(surface(""), Surface::Lambert { albedo: Vec3::splat(0.5).into() });
    let glass = "<bsdf type='dielectric'><string name='int_ior' value='diamond'/><string name='ext_ior' value='vacuum'/></bsdf>";
    let frosted = "<bsdf type='roughdielectric'><string name='distribution' value='ggx'/><float name='alpha' value='0.25'/></bsdf>";
    let Surface::Dielectric { roughness, beckmann, .. } = surface(frosted) else { panic!() };
    assert_eq!((roughness, beckmann), (0.5, false));
    let gold =
        "<bsdf type='roughconductor'><string name='material' value='Au'/><float name='alpha_u' value='0.04'/>
        <float name='alpha_v' value='0.64'/></bsdf>";
    let Surface::Conductor { eta, k, roughness, anisotropy, beckmann, .. } = surface(gold) else { panic!() };
    // `mitsuba` 3.9.1 prints these
    assert!(eta.abs_diff_eq(vec3(0.143_036, 0.375_307, 1.442_05), 1e-4), "{eta}");
    assert!(k.abs_diff_eq(vec3(3.983, 2.385_56, 1.603_36), 1e-3), "{k}");
    assert!((roughness - 0.4).abs() < 1e-6 && beckmann, "√0.16");
    assert!((anisotropy - (0.04 - 0.64) / 0.68).abs() < 1e-6, "{anisotropy}");
    let plastic = "<bsdf type='plastic'><float name='int_ior' value='1.9'/><boolean name='nonlinear' value='true'/></bsdf>";
    let Surface::Plastic { ior, nonlinear, roughness, .. } = surface(plastic) else { panic!() };
    assert!((ior - 1.9 / 1.000_277).abs() < 1e-6 && nonlinear && roughness == 0.0);
    assert_eq!(surface(glass), Surface::smooth_dielectric(2.419, Vec3::ONE));
    let Surface::ThinDielectric { ior, .. } = surface("<bsdf type='thindielectric'/>") else { panic!() };
    assert!((ior - 1.504_18).abs() < 1e-5);
    let blend = "<bsdf type='blendbsdf'><float name='weight' value='0.25'/>
        <bsdf type='diffuse'><rgb name='reflectance' value='1 0 0'/></bsdf>
        <bsdf type='diffuse'><rgb name='reflectance' value='0 0 1'/></bsdf></bsdf>";
    assert_eq!(surface(blend), Surface::Lambert { albedo: vec3(0.75, 0.0, 0.25).into() });
    assert_eq!(material("<shape type='sphere'><bsdf type='null'/></shape>").alpha, Alpha::Blend);
    // σ = 0.5 / √2 radians, as a part of a right angle
    let Surface::OrenNayar { roughness, .. } =
        surface("<bsdf type='roughdiffuse'><float name='alpha' value='0.5'/></bsdf>")
    else {
        panic!()
    };
    assert!((roughness - 0.225_079).abs() < 1e-5, "{roughness}");
    let old = "<scene version='0.6.0'><shape type='sphere'><bsdf type='conductor'>
        <string name='extEta' value='water'/><float name='eta' value='2.666'/></bsdf></shape></scene>";
    let old = load_bytes("a.xml".as_ref(), old.as_bytes(), &NoFiles).unwrap();
    let Surface::Conductor { eta, .. } = material_of(&old).surface else { panic!() };
    assert!(eta.abs_diff_eq(Vec3::splat(2.0), 1e-5), "{eta}");
}

const GREY: &[u8] = b"P5 2 1 255\n\x00\x33";

/// Returns a texture of the luminances 0 and 0.2.
fn bitmap(name: &str, more: &str) -> String {
    format!(
        "<texture name='{name}' type='bitmap'><string name='filename' value='g.pgm'/>
        <boolean name='raw' value='true'/>{more}</texture>"
    )
}

/// The mean of α is 0.1, and roughness its root.
#[test]
fn roughness_that_cannot_vary_is_the_mean() {
    for plugin in ["roughplastic", "roughdielectric"] {
        let shape =
            format!("<shape type='sphere'><bsdf type='{plugin}'>{}</bsdf></shape>", bitmap("alpha", ""));
        let loaded = loaded_with(&shape, &[("g.pgm", GREY)]);
        let (Surface::Plastic { roughness, .. } | Surface::Dielectric { roughness, .. }) =
            material_of(&loaded).surface
        else {
            panic!("{plugin}")
        };
        assert!((roughness - 0.1f32.sqrt()).abs() < 1e-4, "{plugin}: {roughness}");
        assert!(messages(&loaded).contains("is not supported: it is the mean"), "{}", messages(&loaded));
    }
}

/// A texture with another transform than the first one is its mean, 0.1.
#[test]
fn textures_with_different_transforms_are_means() {
    let scaled = "<transform name='to_uv'><scale x='2' y='2'/></transform>";
    let shape = format!(
        "<shape type='sphere'><bsdf type='principled'>{}{}</bsdf></shape>",
        bitmap("roughness", ""),
        bitmap("metallic", scaled)
    );
    let loaded = loaded_with(&shape, &[("g.pgm", GREY)]);
    let Surface::Principled { surface_texture, .. } = material_of(&loaded).surface else {
        panic!("principled")
    };
    let texture = loaded.scene.texture(surface_texture.unwrap().texture).unwrap();
    let Texels::Linear16(texels) = texture.texels() else { panic!("{:?}", texture.texels()) };
    let unit = |word: u16| f32::from(word) / 65535.0;
    // Roughness in green, metallic in blue
    assert!(unit(texels[0][1]) == 0.0 && (unit(texels[1][1]) - 0.2).abs() < 1e-4, "{texels:?}");
    assert!(texels.iter().all(|texel| (unit(texel[2]) - 0.1).abs() < 1e-4), "{texels:?}");
    assert!(messages(&loaded).contains("different transforms"), "{}", messages(&loaded));
}

#[test]
fn thin_principled_surfaces_reflect_what_does_not_pass() {
    let thin = |more: &str| {
        let loaded = loaded(&format!(
            "<shape type='sphere'><bsdf type='twosided'><bsdf type='principledthin'>
            <rgb name='base_color' value='0.8'/>{more}</bsdf></bsdf></shape>"
        ));
        let Surface::Principled { base_color, transmission, .. } = material_of(&loaded).surface else {
            panic!("principled")
        };
        assert_eq!(transmission, 0.0);
        (base_color.factor.x, messages(&loaded))
    };
    assert_eq!(thin("<float name='diffuse_transmittance_sampling_rate' value='2'/>"), (0.8, String::new()));
    let (color, notes) = thin("<float name='spec_trans' value='0.5'/><float name='diff_trans' value='0.5'/>");
    // 0.8 · (1 − 0.5) · (1 − 0.5 / 2)
    assert!((color - 0.3).abs() < 1e-6, "{color}");
    assert!(notes.contains("passes a thin principled") && !notes.contains("not used"), "{notes}");
}
