// The stages of a ray-tracing pipeline that do nothing but ask: what the driver's own traversal takes.

enable wgpu_ray_tracing_pipeline;
enable primitive_index;

struct Ray {
    origin: vec3f,
    t_near: f32,
    direction: vec3f,
    t_far: f32,
}

struct Found {
    t: f32,
    prim_id: u32,
}

@group(0) @binding(0) var world: acceleration_structure;
@group(0) @binding(1) var<storage, read> rays: array<Ray>;
@group(0) @binding(2) var<storage, read_write> found: array<Found>;

var<ray_payload> sent: Found;
var<incoming_ray_payload> received: Found;

const MISS: u32 = 0xffffffffu;
const EVERYTHING: u32 = 0xffu;
// Ray flags of the interface: nothing asks a shader whether it stops rays; the first hit will do; no shader hears of it
const OPAQUE: u32 = 1u;
const FIRST: u32 = 4u;
const SILENT: u32 = 8u;

@ray_generation
fn closest(@builtin(ray_invocation_id) id: vec3u) {
    let ray = rays[id.x];
    sent = Found(ray.t_far, MISS);
    traceRay(world, RayDesc(OPAQUE, EVERYTHING, ray.t_near, ray.t_far, ray.origin, ray.direction), &sent);
    found[id.x] = sent;
}

@ray_generation
fn any(@builtin(ray_invocation_id) id: vec3u) {
    let ray = rays[id.x];
    sent = Found(ray.t_near, 0u);
    let flags = OPAQUE | FIRST | SILENT;
    traceRay(world, RayDesc(flags, EVERYTHING, ray.t_near, ray.t_far, ray.origin, ray.direction), &sent);
    found[id.x] = sent;
}

@closest_hit @incoming_payload(received)
fn hit(@builtin(ray_t_current_max) t: f32, @builtin(primitive_index) prim_id: u32) {
    received = Found(t, prim_id);
}

@miss @incoming_payload(received)
fn miss() {
    received = Found(received.t, MISS);
}
