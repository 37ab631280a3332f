//! Atlases: one-to-one mappings between the surfaces of a world and the texels of a square map.
//!
//! [`Atlas::meshed`] makes a multiresolution meshed atlas [Carr02; Radiosity03, §2.3]: the triangles are the leaves of a
//! binary tree of clusters, each of which has a rectangle of the map, so that the MIP levels of the map are averages of
//! clusters. [`Atlas::charts`] makes a conventional atlas of charts.

mod adjacency;
mod build;
mod charts;
mod cluster;
mod fold;
mod images;
mod lookup;
mod part;
mod pyramid;
mod rect;
mod shapes;
mod split;
mod surfaces;

#[cfg(test)]
mod tests;

pub use build::{Atlas, AtlasError, Texel};
pub use cluster::ClusterNode;
pub use fold::{barycentrics_of, folded};
pub use images::AtlasImages;
pub use lookup::{Bilinear, SurfacePoint};
pub use pyramid::Pyramid;
pub use rect::Rect;
pub use shapes::{ShapeGrid, TessellatedShapes};
pub use surfaces::{PlacedTriangles, SurfaceTriangle, Surfaces};
