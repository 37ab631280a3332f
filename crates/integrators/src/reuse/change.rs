//! Detection of changed light. A single path through each square of pixels is traced in the earlier world and, with the
//! same random numbers, in the present one, both from the earlier camera: temporal gradients [Schied18]. In contrast to
//! the paper, which traces samples of the frame before again, samples of their own are traced in both worlds: so any
//! integrator can be used as it is, and no path is needed while the world stands still.

use std::sync::atomic::AtomicBool;

use sunfleck_constants::reuse::{DROPPED_CHANGE, KEPT_CHANGE, PROBE_EDGE, PROBE_RADIUS, PROBE_SETS};
use sunfleck_image::{Aov, AovSet, Film, Filter, color};
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_transport::{InstanceMotion, Motion};

use crate::view::RayCount;
use crate::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};

/// How the light of the earlier frame has changed, one value per square of pixels.
#[derive(Clone, Debug)]
pub(super) struct ChangeMap {
    width: u32,
    height: u32,
    changes: Vec<Change>,
}

/// Change of light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    /// Share of the history that is to be kept, 0 to 1.
    pub(super) kept: f32,
    /// New light over earlier light, by which the rest of the history is multiplied.
    pub(super) ratio: Vec3,
}

impl Change {
    /// The light is the same.
    pub(super) const NONE: Self = Self { kept: 1.0, ratio: Vec3::ONE };
}

/// A path in both worlds.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// Instance that it hits in the earlier world.
    inst_id: u32,
    ng: Vec3,
    depth: f32,
    /// Whether both paths see the same surface, which has not moved.
    is_valid: bool,
    earlier: Vec3,
    present: Vec3,
}

impl ChangeMap {
    /// Traces paths in both worlds. Returns the number of rays, too.
    ///
    /// * `spec` — view of the earlier frame.
    /// * `number` — number of the frame, which selects the random numbers.
    pub(super) fn trace(
        earlier: &World,
        motion: &Motion<'_>,
        present: &World,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        number: u32,
        schedule: &Schedule,
    ) -> (Self, RayCount) {
        let (width, height) = (spec.width.div_ceil(PROBE_EDGE), spec.height.div_ceil(PROBE_EDGE));
        let aovs = [Aov::Ids, Aov::NormalGeometric, Aov::Depth].into_iter().collect::<AovSet>();
        let spec = ViewSpec { width, height, aovs, filter: Filter::Box, ..*spec };
        let first = number % PROBE_SETS;
        let mut rays = RayCount::default();
        let mut film = |world: &World| {
            let view = View::new(world, spec);
            let mut film = Film::new(width, height, aovs);
            let stop = StopRules { samples: Some(first + 1), ..StopRules::default() };
            let never = AtomicBool::new(false);
            let ignore = |_: &RenderProgress| {};
            rays += render(&view, algorithm, &mut film, first, &stop, schedule, &never, &ignore).rays;
            film
        };
        let films = [film(earlier), film(present)];
        (Self::new(&films, |inst_id| motion.of(inst_id) == InstanceMotion::Still, earlier, present), rays)
    }

    fn new(
        [earlier, present]: &[Film; 2],
        is_still: impl Fn(u32) -> bool,
        earlier_world: &World,
        present_world: &World,
    ) -> Self {
        let (width, height) = (earlier.width(), earlier.height());
        let none = [u32::MAX; 4];
        let ids = |film: &Film| film.ids().map_or_else(Vec::new, <[_]>::to_vec);
        let (then, now) = (ids(earlier), ids(present));
        let (normals, depth) = (earlier.normal_geometric(), earlier.depth().unwrap_or_default());
        let (light_then, light_now) = (earlier.radiance(), present.radiance());
        let probes: Vec<Probe> = (0..light_then.pixels().len())
            .map(|i| {
                let [inst_then, ..] = then.get(i).copied().unwrap_or(none);
                let [inst_now, ..] = now.get(i).copied().unwrap_or(none);
                let same = earlier_world.node_of(inst_then) == present_world.node_of(inst_now);
                Probe {
                    inst_id: inst_then,
                    ng: normals.as_ref().map_or(Vec3::ZERO, |normals| normals.pixels()[i]),
                    depth: depth.get(i).copied().unwrap_or(f32::INFINITY),
                    is_valid: same && (inst_now == u32::MAX || is_still(inst_now)),
                    earlier: light_then.pixels()[i],
                    present: light_now.pixels()[i],
                }
            })
            .collect();
        let map = Self { width, height, changes: Vec::new() };
        let changes = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let changes = changes.map(|(x, y)| map.change(&probes, x, y)).collect();
        Self { changes, ..map }
    }

    /// Returns the change of a square: that of the window around it, as far as it shows the same surface.
    fn change(&self, probes: &[Probe], x: u32, y: u32) -> Change {
        let at = |x: u32, y: u32| &probes[y as usize * self.width as usize + x as usize];
        let middle = at(x, y);
        let (mut then, mut now, mut changed) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        let mut signed = 0.0f32;
        for dy in -PROBE_RADIUS..=PROBE_RADIUS {
            for dx in -PROBE_RADIUS..=PROBE_RADIUS {
                let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else { continue };
                if x >= self.width || y >= self.height {
                    continue;
                }
                let probe = at(x, y);
                if !probe.is_valid || !middle.continues(probe) {
                    continue;
                }
                let difference = color::luminance(probe.present) - color::luminance(probe.earlier);
                changed += difference.abs();
                signed += difference;
                then += probe.earlier;
                now += probe.present;
            }
        }
        let brighter = color::luminance(then).max(color::luminance(now));
        if changed == 0.0 || brighter <= 0.0 {
            return Change::NONE;
        }
        let relative = changed / brighter;
        let kept = ((DROPPED_CHANGE - relative) / (DROPPED_CHANGE - KEPT_CHANGE)).clamp(0.0, 1.0);
        // Differences of both signs are noise of paths that take another course
        let coherence = ((signed.abs() / changed - 0.6) / 0.3).clamp(0.0, 1.0);
        let ratio = now / then.max(Vec3::splat(f32::MIN_POSITIVE));
        let ratio = ratio.clamp(Vec3::ZERO, Vec3::splat(4.0));
        Change { kept, ratio: Vec3::ONE + (ratio - 1.0) * coherence }
    }

    /// Returns the change at a point of the earlier film: that of its square.
    pub(super) fn at(&self, film: Vec2) -> Change {
        let square = (film / PROBE_EDGE as f32).floor();
        let most = vec2(self.width as f32, self.height as f32) - 1.0;
        let square = square.clamp(Vec2::ZERO, most);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the map")]
        let (x, y) = (square.x as usize, square.y as usize);
        self.changes[y * self.width as usize + x]
    }
}

impl Probe {
    /// Returns whether another path is taken to see the same surface.
    fn continues(&self, other: &Self) -> bool {
        self.inst_id == other.inst_id
            && (self.inst_id == u32::MAX
                || (self.ng.dot(other.ng) > 0.8 && (self.depth - other.depth).abs() < 0.2 * self.depth))
    }
}
