// Stages of a ray-tracing pipeline that do nothing but trace rays: they measure the driver's traversal.

enable wgpu_ray_tracing_pipeline;
enable primitive_index;

struct Ray {
    origin: vec3f,
    t_near: f32,
    direction: vec3f,
    t_far: f32,
}

struct TracedHit {
    t: f32,
    prim_id: u32,
}

@group(0) @binding(0) var world: acceleration_structure;
@group(0) @binding(1) var<storage, read> rays: array<Ray>;
@group(0) @binding(2) var<storage, read_write> hits: array<TracedHit>;

var<ray_payload> payload: TracedHit;
var<incoming_ray_payload> incoming: TracedHit;

const MISS: u32 = 0xffffffffu;
const ALL_INSTANCES: u32 = 0xffu;
// Ray flags: all triangles are opaque; the traversal ends at the first hit; no closest-hit shader is called
const FORCE_OPAQUE: u32 = 1u;
const TERMINATE_ON_FIRST_HIT: u32 = 4u;
const SKIP_CLOSEST_HIT_SHADER: u32 = 8u;

@ray_generation
fn closest(@builtin(ray_invocation_id) id: vec3u) {
    let ray = rays[id.x];
    payload = TracedHit(ray.t_far, MISS);
    traceRay(world, RayDesc(FORCE_OPAQUE, ALL_INSTANCES, ray.t_near, ray.t_far, ray.origin, ray.direction), &payload);
    hits[id.x] = payload;
}

@ray_generation
fn any(@builtin(ray_invocation_id) id: vec3u) {
    let ray = rays[id.x];
    payload = TracedHit(ray.t_near, 0u);
    let flags = FORCE_OPAQUE | TERMINATE_ON_FIRST_HIT | SKIP_CLOSEST_HIT_SHADER;
    traceRay(world, RayDesc(flags, ALL_INSTANCES, ray.t_near, ray.t_far, ray.origin, ray.direction), &payload);
    hits[id.x] = payload;
}

@closest_hit @incoming_payload(incoming)
fn hit(@builtin(ray_t_current_max) t: f32, @builtin(primitive_index) prim_id: u32) {
    incoming = TracedHit(t, prim_id);
}

@miss @incoming_payload(incoming)
fn miss() {
    incoming = TracedHit(incoming.t, MISS);
}
