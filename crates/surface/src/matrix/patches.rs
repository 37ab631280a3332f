//! Patches: the surfaces of a world, divided.

use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec3};
use sunfleck_transport::World;

use super::cells::{Cells, cell_count};
use super::face::{Face, FacesOfTriangles, NO_FACE};
use super::material::{patch_material, punctual_irradiance};
use super::rays::{PatchRays, TracedRays};
use super::{Channels, Patch, PatchSize, RadiosityError, Subdivision};

/// Rays per patch that look for sides of surfaces that light can reach.
const PILOT_RAYS: u32 = 64;
/// Seed of these rays.
const PILOT_SEED: u32 = 0x5eed;

/// All patches of a world, and the way from a point of a surface to its patch.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    pub(super) patches: Vec<Patch>,
    pub(super) faces: Vec<Face>,
    faces_of_triangles: FacesOfTriangles,
    /// Cells of front and back of each face; no back unless light can reach it.
    cells: Vec<[Option<Cells>; 2]>,
}

/// Patch at a point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// Index of the patch.
    pub patch: u32,
    /// Coordinates in the patch: bilinear in a quadrilateral, barycentric coordinates of the second and third corner in
    /// a triangle.
    pub local: Vec2,
}

impl Patches {
    /// Divides the surfaces of a world into patches. Two triangles that form a planar, convex quadrilateral are divided
    /// together. The fronts of all surfaces have patches, and those backs that rays of patches reach,
    /// if there may be so many.
    ///
    /// # Errors
    /// [`RadiosityError`] if the world contains shapes, has no surfaces, or more than the allowed number of patches.
    pub fn subdivide(world: &World, options: &Subdivision) -> Result<Self, RadiosityError> {
        let (faces, faces_of_triangles) = Face::all(world)?;
        let mut sides = vec![[true, false]; faces.len()];
        let mut edge = edge_length(&faces, &sides, options)?;
        loop {
            let patches = Self::with_sides(world, &faces, &faces_of_triangles, &sides, edge);
            let mut more = sides.clone();
            patches.reached_backs(world).into_iter().for_each(|face| more[face as usize][1] = true);
            if more == sides {
                return Ok(patches);
            }
            // Backs for which there is no room have no light
            let Ok(shorter) = edge_length(&faces, &more, options) else { return Ok(patches) };
            (sides, edge) = (more, shorter);
        }
    }

    /// Checks that a world can be divided into at most a number of patches.
    ///
    /// # Errors
    /// Those of [`subdivide`](Self::subdivide).
    pub fn check(world: &World, most_patches: usize) -> Result<(), RadiosityError> {
        // A face has at most two triangles; cutting many faces takes long
        let meshes: Vec<_> = world.meshes().map(|(_, mesh)| mesh.triangles().len()).collect();
        let instances = world.tlas().instances().iter();
        let triangles: usize = instances.filter_map(|instance| meshes.get(instance.blas as usize)).sum();
        if triangles / 2 > most_patches {
            return Err(RadiosityError::TooMany { needed: triangles / 2, limit: most_patches });
        }
        let (faces, _) = Face::all(world)?;
        let sides = vec![[true, false]; faces.len()];
        edge_length(&faces, &sides, &Subdivision { most_patches, ..Subdivision::default() }).map(drop)
    }

    fn with_sides(
        world: &World,
        faces: &[Face],
        faces_of_triangles: &FacesOfTriangles,
        sides: &[[bool; 2]],
        edge: f32,
    ) -> Self {
        let mut first_patch = 0;
        let mut grid = |face: &Face, exists: bool| {
            exists.then(|| {
                let size = grid_size(face, edge);
                let cells = Cells::grid(face.is_quad(), size, first_patch);
                first_patch += cell_count(face.is_quad(), size);
                cells
            })
        };
        let cells =
            faces.iter().zip(sides).map(|(face, sides)| sides.map(|exists| grid(face, exists))).collect();
        let (faces, faces_of_triangles) = (faces.to_vec(), faces_of_triangles.clone());
        Self { patches: Vec::new(), faces, faces_of_triangles, cells }.filled(world)
    }

    /// Returns the patches of the cells.
    fn filled(mut self, world: &World) -> Self {
        let of_face = |(index, (face, sides)): (usize, (&Face, &[Option<Cells>; 2]))| {
            let mut patches = Vec::new();
            for (cells, is_front) in sides.iter().zip([true, false]) {
                for (_, cell) in cells.iter().flat_map(Cells::patches) {
                    let corners: Vec<Vec3> = cell.corners().iter().map(|at| face.position(*at)).collect();
                    let normal = if is_front { face.normal } else { -face.normal };
                    let mut patch = Patch::new(&corners, normal);
                    patch.instance = face.instance;
                    patch.is_front = is_front;
                    patch.face = u32::try_from(index).unwrap_or(NO_FACE);
                    (patch.reflectance, patch.emission) = patch_material(world, face, &patch);
                    patches.push(patch);
                }
            }
            patches
        };
        self.patches = self.faces.par_iter().zip(&self.cells).enumerate().flat_map_iter(of_face).collect();
        self
    }

    /// Returns the faces whose back a ray of a patch hits, although it has no patches.
    fn reached_backs(&self, world: &World) -> Vec<u32> {
        let of_patch = |patch: u32| {
            let mut reached = Vec::new();
            let rays = PatchRays { seed: PILOT_SEED, patch, samples: 0..PILOT_RAYS };
            for (instance, prim_id, uv, direction) in TracedRays::trace(world, self, &rays).all_hits() {
                if let Some((face, _)) = self.face_at(instance, prim_id, uv)
                    && direction.dot(self.faces[face as usize].normal) > 0.0
                    && self.cells[face as usize][1].is_none()
                {
                    reached.push(face);
                }
            }
            reached.sort_unstable();
            reached.dedup();
            reached
        };
        (0..self.count()).into_par_iter().flat_map_iter(of_patch).collect()
    }

    /// Divides some patches into four, and returns the former patch of each new one. The numbers of all patches change.
    ///
    /// * `divided` — whether each patch is divided; patches beyond its end are not.
    pub fn refine(&mut self, world: &World, divided: &[bool]) -> Vec<u32> {
        let mut former = Vec::new();
        for cells in self.cells.iter_mut().flatten().flatten() {
            let first_patch = u32::try_from(former.len()).unwrap_or(NO_FACE);
            let is_divided = |patch: u32| divided.get(patch as usize).copied().unwrap_or(false);
            former.extend(cells.refine(is_divided, first_patch));
        }
        *self = Self { patches: Vec::new(), ..std::mem::take(self) }.filled(world);
        former
    }

    /// Returns these patches with the materials of another world, whose surfaces are the same.
    #[must_use]
    pub fn with_materials_of(&self, world: &World) -> Self {
        Self { patches: Vec::new(), ..self.clone() }.filled(world)
    }

    /// Returns the mean irradiance of each patch by punctual lights, W/m².
    pub(super) fn punctual_irradiance(&self, world: &World) -> Channels {
        let of_patch = |patch: &Patch| punctual_irradiance(world, &self.faces[patch.face as usize], patch);
        self.patches.par_iter().map(of_patch).collect::<Vec<_>>().into_iter().collect()
    }

    /// Returns all patches.
    pub fn patches(&self) -> &[Patch] {
        &self.patches
    }

    /// Returns the number of patches.
    pub fn count(&self) -> u32 {
        u32::try_from(self.patches.len()).unwrap_or(u32::MAX)
    }

    /// Returns the face at a point of a triangle, and the position there; `None` if the triangle has no area.
    pub(super) fn face_at(&self, instance: u32, prim_id: u32, uv: [f32; 2]) -> Option<(u32, Vec3)> {
        let candidates = self.faces_of_triangles.get(instance as usize)?.get(prim_id as usize)?;
        let first = *candidates.first()?;
        let p = self.faces[first as usize].position_on(prim_id, uv);
        if candidates.len() == 1 {
            return Some((first, p));
        }
        // Rounding leaves points between two parts
        let depths = candidates.iter().map(|&face| (face, self.faces[face as usize].depth(p)));
        depths.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(face, _)| (face, p))
    }

    /// Returns whether a triangle is one of the surface that a patch is a part of.
    pub(super) fn is_on_surface_of(&self, patch: &Patch, instance: u32, prim_id: u32) -> bool {
        patch.instance == instance && self.faces[patch.face as usize].has_triangle(prim_id)
    }

    /// Returns the patch at a point of a triangle; `None` on a side that light does not reach.
    ///
    /// * `instance`, `triangle` — `inst_id` and `prim_id` of a hit.
    /// * `uv` — barycentric coordinates of the hit.
    /// * `is_front` — side of the surface.
    pub fn at(&self, instance: u32, triangle: u32, uv: [f32; 2], is_front: bool) -> Option<PatchPoint> {
        let (face, position) = self.face_at(instance, triangle, uv)?;
        self.on_face(face, position, is_front)
    }

    fn on_face(&self, face: u32, position: Vec3, is_front: bool) -> Option<PatchPoint> {
        let cells = self.cells[face as usize][usize::from(!is_front)].as_ref()?;
        let (patch, local) = cells.patch_at(self.faces[face as usize].coordinates(position));
        Some(PatchPoint { patch, local })
    }

    /// Returns the patch that a ray hits.
    ///
    /// * `direction` — of the ray.
    pub(super) fn hit(
        &self,
        instance: u32,
        triangle: u32,
        uv: [f32; 2],
        direction: Vec3,
    ) -> Option<PatchPoint> {
        let (face, position) = self.face_at(instance, triangle, uv)?;
        self.on_face(face, position, direction.dot(self.faces[face as usize].normal) < 0.0)
    }
}

/// Returns the grid of a face with edges of about a length.
fn grid_size(face: &Face, edge: f32) -> [u32; 2] {
    #[allow(clippy::cast_possible_truncation, reason = "at most 2¹⁵ cells")]
    let count = |length: f32| (length / edge).round().clamp(1.0, 32768.0) as u32;
    match face.corners[..] {
        [a, b, c, d] => [count(a.distance(b).max(c.distance(d))), count(b.distance(c).max(d.distance(a)))],
        _ => {
            let [a, b, c] = [0, 1, 2].map(|k| face.corners[k]);
            [count(((b - a).cross(c - a).length() * 0.5).sqrt()); 2]
        }
    }
}

/// Returns the length of edges with which the number of patches is as requested.
fn edge_length(faces: &[Face], sides: &[[bool; 2]], options: &Subdivision) -> Result<f32, RadiosityError> {
    let count = |edge: f32| -> usize {
        let of_face = |(face, sides): (&Face, &[bool; 2])| {
            let sides = sides.iter().filter(|exists| **exists).count();
            sides * cell_count(face.is_quad(), grid_size(face, edge)) as usize
        };
        faces.iter().zip(sides).map(of_face).sum()
    };
    let limit = options.most_patches;
    let needed = count(f32::INFINITY);
    if needed > limit {
        return Err(RadiosityError::TooMany { needed, limit });
    }
    let wanted = match options.size {
        PatchSize::EdgeLength(edge) if edge > 0.0 && count(edge) <= limit => return Ok(edge),
        PatchSize::EdgeLength(_) => limit,
        PatchSize::Number(number) => number.clamp(needed, limit),
    };
    // The longest edges with at least half of the patches and the shortest with too many, then bisection
    let (mut long, mut short) = (1.0, 1.0);
    while count(long) > wanted {
        long *= 2.0;
    }
    while count(short) <= wanted && short > f32::MIN_POSITIVE * 4.0 {
        short *= 0.5;
    }
    for _ in 0..40 {
        let middle = 0.5 * (long + short);
        if count(middle) > wanted { short = middle } else { long = middle }
    }
    Ok(long)
}
