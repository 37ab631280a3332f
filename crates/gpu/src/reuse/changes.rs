use sunfleck_integrators::reuse::ChangeMap;
use sunfleck_shaders::layout::ChangedSquare;

/// Returns the squares of a change map in the memory layout of the GPU.
pub(super) fn packed_changes(map: &ChangeMap) -> Vec<ChangedSquare> {
    map.squares()
        .map(|(surface, change)| ChangedSquare {
            ratio: change.ratio.to_array(),
            relative: if change.is_known { change.relative } else { -1.0 },
            ng: surface.ng.to_array(),
            node: surface.node,
        })
        .collect()
}
