//! Surface interactions of hits: position with error bound, normals, texture coordinates, material.

mod bent_normal;
mod block;
mod transforms;
mod vertices;

use sunfleck_constants::light::SHADOW_LENGTH;
use sunfleck_constants::surface::LEAST_FACING;
use sunfleck_kernel::Hit;
use sunfleck_math::float::{gamma, offset_ray_origin};
use sunfleck_math::transform::transform_point_with_error;
use sunfleck_math::{Frame, Ray, Vec2, Vec3, Vec4};
use sunfleck_shading::{Bsdf, SurfaceAttributes};

use crate::World;
use crate::world::MeshInstance;

use bent_normal::bent_normal;
pub use block::InteractionBlock;
use vertices::Vertices;

/// Intersection of a ray with a surface, in world space.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceInteraction {
    /// Position.
    pub position: Vec3,
    /// Bound of the rounding error of the position, per axis.
    pub position_error: Vec3,
    /// Unit geometric normal of the front face.
    pub ng: Vec3,
    /// Shading frame; its normal is on the side of `ng`.
    pub frame: Frame,
    /// Coordinates, colour and footprint at which textures are evaluated.
    pub attributes: SurfaceAttributes,
    /// Index into the material table.
    pub material: u32,
    /// The hit, with instance, triangle and mesh.
    pub hit: Hit,
}

impl SurfaceInteraction {
    /// Returns the ray that leaves along `direction`. Its origin is offset from the surface by the error bound.
    #[inline(always)]
    pub fn spawn_ray(&self, direction: Vec3) -> Ray {
        Ray::new(offset_ray_origin(self.position, self.position_error, self.ng, direction), direction)
    }

    /// Returns the shadow ray to a point at `distance` along the unit `direction`.
    #[inline(always)]
    pub fn spawn_shadow_ray(&self, direction: Vec3, distance: f32) -> Ray {
        Ray { t_far: shadow_ray_end(distance), ..self.spawn_ray(direction) }
    }
}

/// Returns the end of the interval of a shadow ray to a point on a light at `distance`: the ray ends before the surface
/// of the light, on which the point lies up to rounding.
#[inline(always)]
pub fn shadow_ray_end(distance: f32) -> f32 {
    distance * SHADOW_LENGTH
}

impl World {
    /// Returns the surface interaction at a hit, as seen by a viewer in direction `wo` (unit, away from the surface).
    ///
    /// * `width` — width over which textures are filtered, metres; 0 does not filter.
    #[inline(always)]
    pub fn surface_interaction(&self, hit: &Hit, wo: Vec3, width: f32) -> SurfaceInteraction {
        let placed = &self.instances[hit.inst_id as usize];
        let vertices = Vertices::of(&placed.mesh, hit.prim_id, [hit.u, hit.v]);
        let material = self.material_at(hit.inst_id, hit.prim_id);

        let p = vertices.positions();
        let in_object = vertices.position();
        // The rounding error of the interpolation is γ(7) of the corners, axis by axis [PBRT4, §6.8.5]. A ray that
        // starts here is tested against the same triangle, and the rounding of that test mixes the axes. So the bound
        // of all axes is that of the largest coordinate, doubled. A floor at y = 0 would otherwise have no error in y,
        // and be hit again at t = 0. The error of a point on a shape, which is computed from its location, is smaller.
        let largest = p[0].abs().max(p[1].abs()).max(p[2].abs()).max_element();
        let error_in_object = Vec3::splat(largest * gamma(16));
        let (position, position_error) = to_world(placed, in_object, error_in_object);

        let attributes = attributes(placed, &vertices, in_object, width);
        let ng = hit.ng.normalize_or(Vec3::Y);
        let frame = self.shading_frame(placed, &vertices, ng, wo, material, &attributes);
        SurfaceInteraction { position, position_error, ng, frame, attributes, material, hit: *hit }
    }

    /// Returns the bsdf at a surface, in its shading frame.
    #[inline(always)]
    pub fn bsdf(&self, surface: &SurfaceInteraction) -> Bsdf {
        let mut bsdf = self.materials.bsdf(surface.material, &surface.attributes);
        if let Bsdf::ThinDielectric(pane) = &mut bsdf {
            pane.ng = surface.frame.local_from_world(surface.ng);
        }
        bsdf
    }

    /// Returns whether an instance is made of shapes, whose normals differ from point to point.
    #[inline(always)]
    pub fn is_of_shapes(&self, inst_id: u32) -> bool {
        !self.instances[inst_id as usize].mesh.shapes().is_empty()
    }

    /// Returns the index into the material table of a triangle of an instance.
    #[inline(always)]
    pub fn material_at(&self, inst_id: u32, prim_id: u32) -> u32 {
        let placed = &self.instances[inst_id as usize];
        self.instance_materials[placed.first_material as usize + placed.mesh.slot(prim_id) as usize]
    }

    /// Returns the attributes at which textures are evaluated, at a hit.
    #[inline(always)]
    pub(crate) fn attributes_at(&self, hit: &Hit) -> SurfaceAttributes {
        self.attributes_on(hit.inst_id, hit.prim_id, [hit.u, hit.v], 0.0)
    }

    /// Returns the attributes at a point of a triangle or shape.
    ///
    /// * `width` — see [`World::surface_interaction`].
    #[inline(always)]
    fn attributes_on(&self, inst_id: u32, prim_id: u32, [u, v]: [f32; 2], width: f32) -> SurfaceAttributes {
        let placed = &self.instances[inst_id as usize];
        let vertices = Vertices::of(&placed.mesh, prim_id, [u, v]);
        attributes(placed, &vertices, vertices.position(), width)
    }

    /// Returns the shading frame: interpolated normal, relief of procedurals, normal map, and the bends towards the
    /// geometric normal and the viewer. The x axis is along the tangent if the bsdf depends on it.
    #[inline(always)]
    fn shading_frame(
        &self,
        placed: &MeshInstance,
        vertices: &Vertices<'_>,
        ng: Vec3,
        wo: Vec3,
        material: u32,
        attributes: &SurfaceAttributes,
    ) -> Frame {
        let world_from_normal = placed.object_from_world.matrix3.transpose();
        let smooth = match vertices.normals() {
            None => ng,
            Some(n) => {
                let b = vertices.b;
                let world = (world_from_normal * (n[0] * b[0] + n[1] * b[1] + n[2] * b[2])).normalize_or(ng);
                if world.dot(ng) < 0.0 { -world } else { world }
            }
        };
        let relief = self.materials.relief(material, attributes);
        let smooth = match relief {
            Some(gradient) => displaced_normal(placed, smooth, ng, gradient),
            None => smooth,
        };
        // Diffuse surfaces have no mirror image that could be lost. Interpolated normals without a map are not bent:
        // their reflections are lost only at silhouettes, within an angle that shrinks with the triangles, and the bent
        // normals would jump from triangle to triangle.
        let bent = |ns| if self.materials.is_diffuse(material) { ns } else { bent_normal(ns, ng, wo) };
        let is_anisotropic = self.materials.is_anisotropic(material);
        let Some(mapped) = self.materials.normal(material, attributes) else {
            let ns = if relief.is_some() { bent(smooth) } else { smooth };
            return frame_along(facing(ns, ng, wo), is_anisotropic.then(|| tangent(placed, vertices).0));
        };
        let (along, handedness) = tangent(placed, vertices);
        let tangent = (along - smooth * smooth.dot(along)).try_normalize();
        let frame = match tangent {
            Some(tangent) => Frame { tangent, bitangent: smooth.cross(tangent) * handedness, normal: smooth },
            None => Frame::from_normal(smooth),
        };
        let bumped = frame.world_from_local(mapped).normalize_or(smooth);
        let bumped = if bumped.dot(ng) < 0.0 { smooth } else { bumped };
        frame_along(facing(bent(bumped), ng, wo), is_anisotropic.then_some(along))
    }
}

/// Returns the frame around a normal, with the x axis along the tangent if there is one.
#[inline(always)]
fn frame_along(normal: Vec3, tangent: Option<Vec3>) -> Frame {
    match tangent {
        Some(tangent) => Frame::from_normal_and_tangent(normal, tangent),
        None => Frame::from_normal(normal),
    }
}

/// Returns the normal of a surface displaced by a height of the given gradient in object space:
/// `n - (∇h - (n · ∇h) n)`, [Blinn78] without tangents [Mikkelsen10, surface gradient].
fn displaced_normal(placed: &MeshInstance, normal: Vec3, ng: Vec3, gradient: Vec3) -> Vec3 {
    let n = (placed.world_from_object.matrix3.transpose() * normal).normalize_or(Vec3::ZERO);
    let displaced = n - (gradient - n * n.dot(gradient));
    let world = (placed.object_from_world.matrix3.transpose() * displaced).normalize_or(normal);
    if world.dot(ng) < 0.0 { normal } else { world }
}

/// Bends a shading normal that faces away from the viewer, just enough to face the viewer.
#[inline(always)]
fn facing(ns: Vec3, ng: Vec3, wo: Vec3) -> Vec3 {
    let side = if wo.dot(ng) < 0.0 { -1.0 } else { 1.0 };
    let cos = wo.dot(ns) * side;
    if cos >= LEAST_FACING { ns } else { (ns + wo * (side * (LEAST_FACING - cos))).normalize_or(ng) }
}

/// Returns the world position of an object-space point, and its error bound: the error of the point, the rounding of
/// the transform, and the rounding of transforming a spawned ray back to object space.
#[inline(always)]
fn to_world(placed: &MeshInstance, p: Vec3, error: Vec3) -> (Vec3, Vec3) {
    let (world, forward) = transform_point_with_error(&placed.world_from_object, p, error);
    let (_, back) = transform_point_with_error(&placed.object_from_world, world, Vec3::ZERO);
    let m = &placed.world_from_object.matrix3;
    let back_in_world = m.x_axis.abs() * back.x + m.y_axis.abs() * back.y + m.z_axis.abs() * back.z;
    (world, forward + back_in_world)
}

#[inline(always)]
fn attributes(
    placed: &MeshInstance,
    vertices: &Vertices<'_>,
    position: Vec3,
    width: f32,
) -> SurfaceAttributes {
    let b = vertices.b;
    let uv = |uv: Option<[Vec2; 3]>| uv.map_or(Vec2::ZERO, |uv| uv[0] * b[0] + uv[1] * b[1] + uv[2] * b[2]);
    let color = vertices.colors().map_or(Vec4::ONE, |c| c[0] * b[0] + c[1] * b[1] + c[2] * b[2]);
    let footprint = if width > 0.0 { footprint(placed, vertices, width) } else { [0.0; 2] };
    let [uv0, uv1] = vertices.uv().map(uv);
    SurfaceAttributes { uv0, uv1, color, position, footprint }
}

/// Returns a width in units of both sets of texture coordinates, by the ratio of the triangle's areas [Akenine19, ray
/// cones].
///
/// * `width` — width in world space.
#[inline(always)]
fn footprint(placed: &MeshInstance, vertices: &Vertices<'_>, width: f32) -> [f32; 2] {
    let [p, q, r] = vertices.positions();
    let m = &placed.world_from_object.matrix3;
    let area = (*m * (q - p)).cross(*m * (r - p)).length();
    vertices.uv().map(|uv| uv.map_or(0.0, |[a, b, c]| width * ((b - a).perp_dot(c - a).abs() / area).sqrt()))
}

/// Returns the tangent in world space and the sign of the bitangent: those of the mesh, or the direction in which u
/// grows.
#[inline(always)]
fn tangent(placed: &MeshInstance, vertices: &Vertices<'_>) -> (Vec3, f32) {
    let m = &placed.world_from_object.matrix3;
    let mirrored = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    if let Some(t) = vertices.tangents() {
        let b = vertices.b;
        let sum = t[0].truncate() * b[0] + t[1].truncate() * b[1] + t[2].truncate() * b[2];
        return (*m * sum, t[0].w * mirrored);
    }
    let Some([a, c, d]) = vertices.uv()[0] else { return (Vec3::ZERO, 1.0) };
    // Solve  e1 = du1 T + dv1 B,  e2 = du2 T + dv2 B  for T; glTF's v points down the image, the bitangent up.
    let [p, q, r] = vertices.positions();
    let (e1, e2, d1, d2) = (q - p, r - p, c - a, d - a);
    let det = d1.x * d2.y - d1.y * d2.x;
    let sign = if det < 0.0 { -1.0 } else { 1.0 };
    (*m * ((e1 * d2.y - e2 * d1.y) * sign), -sign * mirrored)
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use sunfleck_math::vec3;
    use sunfleck_scene::Material;
    use sunfleck_shading::BsdfContext;
    use sunfleck_testkit::scenes::tilted_floor;

    use super::*;
    use crate::{AlphaSeed, scatter};

    fn seen(world: &World, wo: Vec3) -> (SurfaceInteraction, Bsdf) {
        let seed = AlphaSeed { pixel: [0, 0], sample: 0, stream: 0 };
        let hit =
            fearless_simd::dispatch!(Level::new(), simd => world.intersect(simd, &Ray::new(wo, -wo), seed));
        let surface = world.surface_interaction(&hit.expect("the floor is hit"), wo, 0.0);
        let bsdf = world.bsdf(&surface);
        (surface, bsdf)
    }

    #[test]
    fn normal_mapped_metals_reflect_at_grazing_angles() {
        let metal = Material::metallic_roughness("metal", Vec3::ONE, 1.0, 0.0);
        for material in [metal, Material::mirror("mirror", Vec3::ONE)] {
            let world = World::commit(&tilted_floor(material)).unwrap();
            for x in [-1.0f32, 1.0] {
                for height in [1.0, 0.5, 0.2, 0.05, 0.02] {
                    let wo = vec3(x, height, 0.1).normalize_or(Vec3::Y);
                    let (surface, bsdf) = seen(&world, wo);
                    let local = surface.frame.local_from_world(wo);
                    let scattering =
                        scatter(&surface, &bsdf, BsdfContext::RADIANCE, local, 0.0, Vec2::splat(0.5));
                    let ray = scattering.expect("light is reflected").ray;
                    assert!(ray.direction.y > 0.0, "wo {wo}: {}", ray.direction);
                }
            }
        }
    }

    #[test]
    fn normals_of_diffuse_surfaces_do_not_depend_on_the_viewer() {
        let floor = tilted_floor(Material::lambert("diffuse", Vec3::ONE));
        let world = World::commit(&floor).unwrap();
        let normals = [vec3(0.0, 1.0, 0.0), vec3(-1.0, 1.0, 0.0), vec3(1.0, 0.1, 0.0)]
            .map(|wo| seen(&world, wo.normalize_or(Vec3::Y)).0.frame.normal);
        assert!(normals[0].abs_diff_eq(vec3(0.6, 0.8, 0.0), 0.01), "{normals:?}");
        assert_eq!([normals[0]; 2], [normals[1], normals[2]]);
    }
}
