//! Form factors after edits of the geometry.

use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Scene, SceneEdit};
use sunfleck_surface::matrix::{CastOptions, FormFactors, PatchSize};
use sunfleck_transport::World;

use crate::common::divided;

/// Moves or hides the short block.
fn edited(scene: &Scene, edit: impl Fn(&mut Scene, sunfleck_scene::NodeId)) -> Scene {
    let mut scene = scene.clone();
    let (id, _) = scene.nodes().find(|(_, node)| node.name == "short block").unwrap();
    edit(&mut scene, id);
    scene
}

#[test]
fn only_rays_near_an_edit_are_traced_again() {
    let scene = sunfleck_models::build("cornell").unwrap();
    // The same edges in all scenes, so that patches of other surfaces are the same
    let size = PatchSize::EdgeLength(0.09);
    let options = CastOptions { rays: 256, ..CastOptions::default() };
    let (world, before) = divided(&scene, size);
    let factors = FormFactors::cast(&world, &before, &options);
    let moved = edited(&scene, |scene, id| {
        let parent_from_node = Affine3::from_translation(vec3(0.02, 0.0, -0.03));
        scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
    });
    let raised = edited(&scene, |scene, id| {
        let parent_from_node = Affine3::from_translation(Vec3::Y * 0.1);
        scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
    });
    let hidden = edited(&scene, |scene, id| {
        scene.apply(SceneEdit::Visible { id, visible: false }).unwrap();
    });
    for (what, scene) in
        [("moved", moved), ("raised", raised), ("hidden", hidden), ("unchanged", scene.clone())]
    {
        let world = World::commit(&scene).unwrap();
        let (_, patches) = divided(&scene, size);
        let (updated, work) = factors.update(&before, &world, &patches);
        let cast = FormFactors::cast(&world, &patches, &options);
        for i in 0..cast.patch_count() {
            assert_eq!(updated.row(i), cast.row(i), "{what}: row {i}");
        }
        assert_eq!(updated.sky(), cast.sky(), "{what}");
        assert_eq!(work.traced_rays + work.kept_rays, patches.patches().len() * 256);
        let share = work.traced_rays as f64 / (work.traced_rays + work.kept_rays) as f64;
        assert!(share < if what == "unchanged" { 1e-9 } else { 0.75 }, "{what}: {share} of the rays");
    }
}
