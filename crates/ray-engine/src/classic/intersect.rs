use sunfleck_math::{Ray, Vec3};
use sunfleck_shaders::layout::Plane;

/// Intersects a ray with a triangle before `t_far`, and returns (t, u, v). Counterpart of the crossbar's test
/// [Baldwin16, coordinate transformation].
pub(super) fn intersect(plane: &Plane, ray: &Ray, t_far: f32) -> Option<[f32; 3]> {
    let row = |row: &[f32; 4]| (Vec3::new(row[0], row[1], row[2]), row[3]);
    let (n, distance) = row(&plane.n);
    let t = -(n.dot(ray.origin) + distance) / n.dot(ray.direction);
    let at = ray.origin + t * ray.direction;
    let coordinate = |(axis, offset): (Vec3, f32)| axis.dot(at) + offset;
    let (u, v) = (coordinate(row(&plane.u)), coordinate(row(&plane.v)));
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= ray.t_near && t < t_far).then_some([t, u, v])
}
