use sunfleck_math::Vec3;
use sunfleck_scene::{Alpha, Surface, Texels};

use super::*;

/// Rays that pass the conductor reach the glass, and no ray passes that.
#[test]
fn blends_are_layers_at_the_same_place() {
    let layers = |bsdf: &str, files: &[(&str, &[u8])]| {
        let loaded = loaded_with(&format!("<shape type='sphere'>{bsdf}</shape>"), files);
        let materials =
            loaded.scene.world_instances().into_iter().map(|instance| instance.materials.to_vec());
        let layers: Vec<Material> =
            materials.map(|materials| loaded.scene.material(materials[0]).unwrap().clone()).collect();
        assert_eq!(loaded.scene.meshes().len(), 1);
        (layers, loaded)
    };
    let glass = "<bsdf type='dielectric'/>";
    let metal = "<bsdf type='conductor'><string name='material' value='none'/></bsdf>";
    let blend = |weight: &str, a: &str, b: &str| format!("<bsdf type='blendbsdf'>{weight}{a}{b}</bsdf>");
    let number = "<float name='weight' value='0.25'/>";
    let alpha = |material: &mut Material| material.surface.alpha_color_mut().unwrap().factor.w;
    for (bsdf, expected) in [(blend(number, metal, glass), 0.75), (blend(number, glass, metal), 0.25)] {
        let (mut found, loaded) = layers(&bsdf, &[]);
        assert!(!messages(&loaded).contains("blendbsdf"), "{}", messages(&loaded));
        let [above, below] = &mut found[..] else { panic!("{found:?}") };
        assert!(matches!(above.surface, Surface::Conductor { .. }) && above.alpha == Alpha::Blend);
        assert!((alpha(above) - expected).abs() < 1e-6);
        assert!(matches!(below.surface, Surface::Dielectric { .. }) && below.alpha == Alpha::Opaque);
    }
    // Without an alpha for either
    let (found, loaded) = layers(&blend(number, glass, glass), &[]);
    assert_eq!(found.len(), 1);
    assert!(messages(&loaded).contains("the bsdf \"blendbsdf\" is not supported"));

    let image = "<texture name='weight' type='bitmap'><string name='filename' value='g.pgm'/>
        <boolean name='raw' value='true'/></texture>";
    let grey: &[u8] = b"P5 2 1 255\n\x00\x33";
    let alphas = |bsdf: &str| {
        let (found, loaded) = layers(bsdf, &[("g.pgm", grey)]);
        assert_eq!(found.len(), 2);
        let texture = found[0].surface.clone().alpha_color_mut().unwrap().texture.unwrap().texture;
        match loaded.scene.texture(texture).unwrap().texels() {
            Texels::Srgb8(texels) => texels.iter().map(|texel| texel[3]).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    // The weight is that of the second model
    assert_eq!(alphas(&blend(image, glass, metal)), [0, 51]);
    assert_eq!(alphas(&blend(image, metal, glass)), [255, 204]);

    let mixture = format!(
        "<bsdf type='mixturebsdf'><string name='weights' value='0.2, 0.3, 0.4'/>{glass}{metal}<bsdf type='plastic'/></bsdf>"
    );
    let (mut found, _) = layers(&mixture, &[]);
    // What is missing to 1 is black; the glass is the last one
    let mut reaching = 1.0;
    let shares: Vec<f32> = (0..4)
        .map(|i| {
            let alpha = found[i].surface.alpha_color_mut().map_or(1.0, |color| color.factor.w);
            let share = reaching * alpha;
            reaching -= share;
            share
        })
        .collect();
    assert!(matches!(found[3].surface, Surface::Dielectric { .. }));
    assert!(shares.iter().zip([0.3, 0.4, 0.1, 0.2]).all(|(a, b)| (a - b).abs() < 1e-6), "{shares:?}");
}

/// Rays find the radiance of the first layer with the probability of its alpha.
#[test]
fn a_light_with_a_mixture_emits_once() {
    let lamp = |weight: &str| {
        let bsdf = format!(
            "<bsdf type='blendbsdf'>{weight}<bsdf type='dielectric'/><bsdf type='diffuse'/></bsdf>
            <emitter type='area'><rgb name='radiance' value='3'/></emitter>"
        );
        let loaded =
            loaded_with(&format!("<shape type='sphere'>{bsdf}</shape>"), &[("g.pgm", b"P5 1 1 255\n\x33")]);
        let materials: Vec<Material> = loaded
            .scene
            .world_instances()
            .iter()
            .map(|placed| loaded.scene.material(placed.materials[0]).unwrap().clone())
            .collect();
        (materials, messages(&loaded))
    };
    let (found, notes) = lamp("<float name='weight' value='0.25'/>");
    let radiances: Vec<Vec3> = found.iter().map(|material| material.emission.radiance).collect();
    assert_eq!(radiances, [Vec3::splat(12.0), Vec3::ZERO]);
    assert!(!notes.contains("mixture"), "{notes}");
    let (found, notes) =
        lamp("<texture name='weight' type='bitmap'><string name='filename' value='g.pgm'/></texture>");
    let [lamp] = &found[..] else { panic!("{found:?}") };
    assert_eq!(lamp.emission.radiance, Vec3::splat(3.0));
    assert!(notes.contains("cannot be a mixture by a texture"), "{notes}");
}
