//! Temporal sequences against means of separate frames, and against surfaces that the CPU finds by ray casting.

use std::sync::Arc;

use fearless_simd::{Level, dispatch};
use sunfleck_gpu::{AdapterChoice, FrameSequence, Gpu, IgiOptions, IgiRenderer, SceneMirror};
use sunfleck_image::Picture;
use sunfleck_image::metrics::rmse;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{CameraRays, ViewSpec, World};
use sunfleck_kernel::Hit;
use sunfleck_math::{Affine3, Vec2, Vec3, vec2};

/// Settings of an image that is averaged over four frames.
const PER_IMAGE: Igi = Igi { vpls: 16, antialias: 4, compensate: false, ..Igi::DEFAULT };
const FRAMES: u32 = 4;
/// Settings of each of these frames.
const PER_FRAME: Igi = Igi { vpls: 4, antialias: 1, ..PER_IMAGE };

struct Fixture {
    gpu: Arc<Gpu>,
    world: World,
    scene: SceneMirror,
    renderer: IgiRenderer,
    spec: ViewSpec,
}

impl Fixture {
    fn new(name: &str) -> Self {
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let world = World::commit(&sunfleck_models::build(name).unwrap()).unwrap();
        let scene = SceneMirror::new(&gpu, &world).unwrap();
        let renderer = IgiRenderer::new(&gpu, &scene);
        let camera = world.cameras()[0].clone();
        let spec = ViewSpec::new(&camera, 96, 72);
        Self { gpu, world, scene, renderer, spec }
    }

    /// View from a camera that is moved to the right, by metres.
    fn beside(&self, metres: f32) -> ViewSpec {
        let step = Affine3::from_translation(Vec3::X * metres);
        ViewSpec { world_from_view: self.spec.world_from_view * step, ..self.spec }
    }

    fn pictures(&self, renderer: &IgiRenderer, igi: &Igi, frames: u32, views: &[ViewSpec]) -> Vec<Picture> {
        let mut sequence = renderer.sequence(&self.scene, &self.world, &self.spec, igi, frames).unwrap();
        assert!(sequence.picture().unwrap().is_none(), "no frame yet");
        let shown = views.iter().map(|view| {
            sequence.show(view).unwrap();
            sequence.picture().unwrap().unwrap()
        });
        shown.collect()
    }

    /// First surfaces at the middle of each pixel.
    fn first_surfaces(&self, view: &ViewSpec) -> FirstSurfaces {
        let ViewSpec { width, height, .. } = self.spec;
        let rays = CameraRays::new(view.projection, view.world_from_view, width, height);
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| vec2(x as f32 + 0.5, y as f32 + 0.5)));
        let rays: Vec<_> = pixels.map(|film| rays.ray(film, Vec2::splat(0.5))).collect();
        let tlas = self.world.tlas();
        let hits =
            dispatch!(Level::new(), simd => rays.iter().map(|ray| tlas.intersect(simd, ray)).collect());
        let points = rays.iter().map(|ray| (ray.origin, ray.direction)).collect();
        FirstSurfaces { size: [width as i32, height as i32], rays: points, hits }
    }
}

struct FirstSurfaces {
    size: [i32; 2],
    rays: Vec<(Vec3, Vec3)>,
    hits: Vec<Option<Hit>>,
}

impl FirstSurfaces {
    /// Instance at a pixel, and its distance.
    fn at(&self, x: i32, y: i32) -> Option<(u32, f32)> {
        let inside = (0..self.size[0]).contains(&x) && (0..self.size[1]).contains(&y);
        let hit = inside.then(|| self.hits[(y * self.size[0] + x) as usize].as_ref()).flatten()?;
        Some((hit.inst_id, hit.t))
    }

    /// Returns whether the surfaces of all pixels in a window satisfy `is`.
    fn all_around(&self, [x, y]: [i32; 2], pixels: i32, is: impl Fn(u32, f32) -> bool) -> bool {
        (-pixels..=pixels).all(|dy| {
            (-pixels..=pixels).all(|dx| self.at(x + dx, y + dy).is_some_and(|(inst_id, t)| is(inst_id, t)))
        })
    }
}

fn near(found: Vec3, expected: Vec3, mean: f32, share: f32) -> bool {
    (found - expected).abs().max_element() <= share * (expected.max_element() + mean)
}

/// Interpolates between the middle two of four values: the cubic whose slopes are those of the chords between their
/// neighbours.
fn spline([a, b, c, d]: [Vec3; 4], t: f32) -> Vec3 {
    let (from_b, to_c) = (0.5 * (c - a), 0.5 * (d - b));
    let rest = 3.0 * (c - b) - 2.0 * from_b - to_c;
    b + t * (from_b + t * (rest + t * (2.0 * (b - c) + from_b + to_c)))
}

fn mean(picture: &Picture) -> f32 {
    picture.pixels().iter().sum::<Vec3>().element_sum() / (3 * picture.pixels().len()) as f32
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn still_cameras_see_means_of_frames() {
    // Pixels on edges now and then see surfaces that no pixel around them saw in the previous frame; so do those that
    // look into curved glass
    for (name, most) in [("cornell", 70), ("teapot-room", 350)] {
        let fixture = Fixture::new(name);
        let views = vec![fixture.spec; FRAMES as usize + 2];
        let found = fixture.pictures(&fixture.renderer, &PER_IMAGE, FRAMES, &views);
        let single = fixture.pictures(&fixture.renderer, &PER_FRAME, 1, &views);
        let mut expected = single[0].clone();
        for (number, (found, frame)) in found.iter().zip(&single).enumerate() {
            let share = 1.0 / (number as f32 + 1.0).min(FRAMES as f32);
            let pairs = expected.pixels_mut().iter_mut().zip(frame.pixels());
            pairs.for_each(|(mean, frame)| *mean = mean.lerp(*frame, share));
            let scale = mean(&expected);
            let pairs = found.pixels().iter().zip(expected.pixels());
            let others = pairs.filter(|(found, expected)| !near(**found, **expected, scale, 2e-3)).count();
            assert!(scale > 0.0 && others <= most, "{name}, frame {number}: {others} pixels differ");
        }
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn reprojection_keeps_surfaces_and_rejects_disocclusions() {
    for name in ["erw6", "office"] {
        compare_with_rays(name);
    }
}

#[allow(clippy::cast_possible_truncation, reason = "pixels")]
fn compare_with_rays(name: &str) {
    let fixture = Fixture::new(name);
    let views = [fixture.spec, fixture.beside(0.6)];
    let [before, now] = [0, 1].map(|i| fixture.first_surfaces(&views[i]));
    let found = fixture.pictures(&fixture.renderer, &PER_IMAGE, FRAMES, &views);
    let single = fixture.pictures(&fixture.renderer, &PER_FRAME, 1, &views);
    let scale = mean(&single[1]);

    let spec = fixture.spec;
    let half = match spec.projection {
        sunfleck_scene::Projection::Perspective { fov_y_radians } => sunfleck_math::tan(fov_y_radians * 0.5),
        _ => unreachable!("the camera of this scene is a perspective one"),
    };
    let view_from_world = spec.world_from_view.inverse();
    let eye = spec.world_from_view.translation;
    let (mut seen, mut hidden, mut wrong) = (0, 0, 0);
    for y in 0..72 {
        for x in 0..96 {
            let Some((inst_id, t)) = now.at(x, y) else { continue };
            let (origin, direction) = now.rays[(y * 96 + x) as usize];
            let point = origin + direction * t;
            let p = view_from_world.transform_point3(point);
            let film = (vec2(p.x, -p.y) / (-p.z * half) * spec.height as f32
                + vec2(spec.width as f32, spec.height as f32))
                * 0.5
                - Vec2::splat(0.5);
            let (first, part) = (film.floor(), film - film.floor());
            let corner = [first.x as i32, first.y as i32];
            let distance = point.distance(eye);
            let found = found[1].pixel(x as u32, y as u32);
            let frame = single[1].pixel(x as u32, y as u32);
            let is_same = |id: u32, t: f32, expected: f32| id == inst_id && (t / expected - 1.0).abs() < 0.03;
            let inside = now.all_around([x, y], 1, |id, other| is_same(id, other, t))
                && before.all_around(corner, 2, |id, other| is_same(id, other, distance));
            if inside {
                let tap =
                    |dx: i32, dy: i32| single[0].pixel((corner[0] + dx) as u32, (corner[1] + dy) as u32);
                let row = |dy: i32| spline([-1, 0, 1, 2].map(|dx| tap(dx, dy)), part.x);
                let past = spline([-1, 0, 1, 2].map(row), part.y);
                let next = [tap(0, 0), tap(1, 0), tap(0, 1), tap(1, 1)];
                let bound = |of: fn(Vec3, Vec3) -> Vec3| next[1..].iter().fold(next[0], |a, b| of(a, *b));
                let past = past.clamp(bound(Vec3::min), bound(Vec3::max));
                seen += 1;
                // The GPU has the distance of a random point in the pixel, and the camera's step shifts a wall by ten
                // pixels
                wrong += usize::from(!near(found, past.lerp(frame, 0.5), scale, 2e-2));
            }
            // Hidden behind a much nearer surface
            if before.all_around(corner, 2, |_, other| other < 0.9 * distance) {
                hidden += 1;
                wrong += usize::from(!near(found, frame, scale, 1e-5));
            }
        }
    }
    assert!(seen > 600 && hidden > 10, "{name}: {seen} seen before, {hidden} hidden");
    assert!(wrong <= (seen + hidden) / 25, "{name}: {wrong} of {seen} and {hidden} pixels are wrong");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn bands_do_not_change_the_image_and_means_reduce_the_error() {
    let fixture = Fixture::new("office");
    let views: Vec<_> = (0..8).map(|i| fixture.beside(0.02 * i as f32)).collect();
    let found = fixture.pictures(&fixture.renderer, &PER_IMAGE, FRAMES, &views);
    let options = IgiOptions { binding_bytes: Some(1) };
    let in_bands = IgiRenderer::with_options(&fixture.gpu, &fixture.scene, options);
    assert!(found == fixture.pictures(&in_bands, &PER_IMAGE, FRAMES, &views), "bands");

    let single = fixture.pictures(&fixture.renderer, &PER_FRAME, 1, &views);
    let converged = Igi { vpls: 1024, antialias: 16, ..PER_IMAGE };
    let reference = fixture.pictures(&fixture.renderer, &converged, 1, &views[7..]);
    let [error, alone] = [&found[7], &single[7]].map(|picture| rmse(picture, &reference[0]).unwrap());
    assert!(error < 0.7 * alone, "RMSE {error}, of a frame alone {alone}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn light_choice_reuses_contributions_of_previous_frames() {
    let fixture = Fixture::new("conference");
    let mut sequence =
        fixture.renderer.sequence(&fixture.scene, &fixture.world, &fixture.spec, &PER_FRAME, 1).unwrap();
    let shares = |sums: &[u32]| -> Vec<f64> {
        let all = f64::from(*sums.last().unwrap());
        sums.windows(2).map(|pair| f64::from(pair[1] - pair[0]) / all).collect()
    };
    let (mut with_reuse, mut alone) = (Vec::new(), Vec::new());
    for number in 0..16 {
        sequence.show(&fixture.spec).unwrap();
        with_reuse.push(shares(&sequence.light_sums().unwrap()));
        let sums = fixture
            .renderer
            .light_sums(&fixture.scene, &fixture.world, &fixture.spec, &PER_FRAME, number)
            .unwrap();
        alone.push(shares(&sums));
    }
    assert_eq!(with_reuse[0], alone[0], "the first frame has no predecessor");

    // Half of the sum of differences: the share of choices that go to another light
    let differ = |a: &[f64], b: &[f64]| 0.5 * a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    let change =
        |frames: &[Vec<f64>]| -> f64 { frames[8..].windows(2).map(|pair| differ(&pair[0], &pair[1])).sum() };
    let [steady, jumping] = [&with_reuse, &alone].map(|frames| change(frames));
    assert!(steady < 0.3 * jumping, "{steady} of all choices change, {jumping} without reuse");
}
