//! Choice of the sets of texture coordinates. A mesh of a scene has two; a file may number them as it likes.

use std::collections::BTreeSet;

use super::model::{Material, Root, TextureInfo};

/// Returns the numbers of the sets that are imported: those that textures use, at most two.
pub(super) fn uv_sets(root: &Root) -> [u32; 2] {
    let infos = root.materials.iter().flat_map(infos);
    let used: BTreeSet<u32> = infos.map(uv_set).collect();
    let unused = [0, 1].into_iter().filter(|set| !used.contains(set));
    let mut sets: Vec<u32> = used.iter().copied().chain(unused).take(2).collect();
    sets.sort_unstable();
    [sets[0], sets[1]]
}

/// Returns the number of the set that a texture info refers to.
pub(super) fn uv_set(info: &TextureInfo) -> u32 {
    let transform = info.extensions.transform.as_ref();
    transform.and_then(|transform| transform.tex_coord).unwrap_or(info.tex_coord)
}

fn infos(material: &Material) -> impl Iterator<Item = &TextureInfo> {
    let pbr = &material.pbr_metallic_roughness;
    let infos = [
        &pbr.base_color_texture,
        &pbr.metallic_roughness_texture,
        &material.normal_texture,
        &material.emissive_texture,
    ];
    let sunfleck = material.extensions.sunfleck.as_ref();
    let coat = sunfleck.and_then(|sunfleck| sunfleck.principled.coat_texture.as_ref());
    infos.into_iter().flatten().chain(coat)
}
