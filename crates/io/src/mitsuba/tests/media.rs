use sunfleck_math::{Vec3, vec3};

use super::*;

#[test]
fn media_are_kept() {
    let media = |elements: &str| {
        let loaded = loaded(&format!("<shape type='sphere'>{elements}<bsdf type='null'/></shape>"));
        (material_of(&loaded).media, messages(&loaded))
    };
    let (found, notes) = media(
        "<medium name='interior' type='homogeneous'><rgb name='sigma_t' value='1 2 4'/><float name='scale' value='2'/>
        <volume name='albedo' type='constvolume'><rgb name='value' value='0.5 0.25 1'/></volume>
        <phase type='hg'><float name='g' value='-0.3'/></phase></medium>",
    );
    let medium = found.interior.unwrap();
    assert!(medium.scattering.abs_diff_eq(vec3(1.0, 1.0, 8.0), 1e-5), "{medium:?}");
    assert!(medium.absorption.abs_diff_eq(vec3(1.0, 3.0, 0.0), 1e-5), "{medium:?}");
    assert!((medium.asymmetry + 0.3).abs() < 1e-6 && found.exterior.is_none());
    assert!(notes.contains("not rendered yet") && !notes.contains("is not used"), "{notes}");
    let old = "<scene version='0.6.0'><shape type='sphere'><medium name='exterior' type='homogeneous'>
        <spectrum name='sigmaA' value='0.5'/><spectrum name='sigmaS' value='3'/></medium></shape></scene>";
    let old = load_bytes("a.xml".as_ref(), old.as_bytes(), &NoFiles).unwrap();
    let exterior = material_of(&old).media.exterior.unwrap();
    assert!(exterior.absorption.abs_diff_eq(Vec3::splat(0.5), 1e-5), "{exterior:?}");
    assert!(exterior.scattering.abs_diff_eq(Vec3::splat(3.0), 1e-5), "{exterior:?}");
    let (found, notes) = media(
        "<medium name='interior' type='heterogeneous'><volume name='sigma_t' type='gridvolume'>
        <string name='filename' value='a.vol'/></volume></medium>",
    );
    assert!(found.is_empty() && notes.contains("is left out"), "{notes}");
}

#[test]
fn subsurface_scattering_is_no_medium() {
    let xml = "<scene version='0.6.0'><shape type='sphere'><subsurface type='dipole'/><medium name='interior' type='heterogeneous'>
        <volume name='density' type='constvolume'><float name='value' value='3'/></volume>
        <volume name='albedo' type='constvolume'><spectrum name='value' value='0.5'/></volume>
        <float name='scale' value='2'/></medium></shape></scene>";
    let loaded = load_bytes("a.xml".as_ref(), xml.as_bytes(), &NoFiles).unwrap();
    let interior = material_of(&loaded).media.interior.unwrap();
    // The density times the scale is the extinction
    assert!(interior.absorption.abs_diff_eq(Vec3::splat(3.0), 1e-5), "{interior:?}");
    assert!(interior.scattering.abs_diff_eq(Vec3::splat(3.0), 1e-5), "{interior:?}");
    let notes = messages(&loaded);
    assert!(notes.contains("the subsurface \"dipole\" is not supported"), "{notes}");
    assert!(!notes.contains("is left out"), "{notes}");
}

/// Two shapes with materials of their own in the same fog.
#[test]
fn a_medium_is_reported_once() {
    let loaded = loaded(
        "<medium type='homogeneous' id='fog'><float name='wobble' value='1'/></medium>
        <shape type='sphere'><ref name='interior' id='fog'/></shape>
        <shape type='sphere'><ref name='interior' id='fog'/><bsdf type='null'/></shape>",
    );
    let notes = messages(&loaded);
    assert!(notes.contains("participating media") && !notes.contains("2 ×"), "{notes}");
}
