use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

use super::{Aov, AovSet, PixelSample, TileRect};

/// Sums of a rectangle of pixels, one array per quantity, row by row; arrays of AOVs that are not recorded are empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    /// Σ weight · radiance.
    pub(super) radiance: Vec<[f64; 3]>,
    /// Σ (weight · radiance)².
    pub(super) squares: Vec<[f64; 3]>,
    /// Sums `Σ weight · radiance` over the first n/4, n/2 and n samples, where n is [`milestone`](Self::milestone).
    pub(super) prefixes: Vec<[[f32; 3]; 3]>,
    /// Largest power of two that is not greater than the number of samples; 0 if the prefixes are not known.
    pub(super) milestone: Vec<u32>,
    /// Number of samples, without dropped ones.
    pub(super) samples: Vec<u32>,
    /// Number of samples that were dropped because they were not finite.
    pub(super) dropped: Vec<u32>,
    /// Number of samples that hit a surface.
    pub(super) hits: Vec<u32>,
    pub(super) depth: Vec<f64>,
    pub(super) position: Vec<[f64; 3]>,
    pub(super) ng: Vec<[f64; 3]>,
    pub(super) ns: Vec<[f64; 3]>,
    pub(super) albedo: Vec<[f64; 3]>,
    pub(super) ids: Vec<[u32; 4]>,
    pub(super) occlusion: Vec<f64>,
    pub(super) reflections: Vec<f64>,
    /// Sums of [`Features`](super::Features): albedo, normal, inverse distance.
    pub(super) features: Vec<[f64; 7]>,
    /// Σ weight · diffuse radiance.
    pub(super) diffuse: Vec<[f64; 3]>,
    /// Σ weight · coverage.
    pub(super) alpha: Vec<f64>,
    /// Σ weight · removed radiance.
    pub(super) clamped: Vec<[f64; 3]>,
}

/// AOVs that are means over the hits.
const HIT_AOVS: [Aov; 4] = [Aov::Depth, Aov::Position, Aov::NormalGeometric, Aov::NormalShading];

impl Sums {
    /// Makes sums without samples for `pixels` pixels.
    pub(super) fn zero(pixels: usize, aovs: AovSet) -> Self {
        fn plane<T: Clone>(recorded: bool, pixels: usize, value: T) -> Vec<T> {
            if recorded { vec![value; pixels] } else { Vec::new() }
        }
        let vector = |aov| plane(aovs.contains(aov), pixels, [0.0; 3]);
        Self {
            radiance: plane(true, pixels, [0.0; 3]),
            squares: plane(true, pixels, [0.0; 3]),
            prefixes: plane(true, pixels, [[0.0; 3]; 3]),
            milestone: plane(true, pixels, 0),
            samples: plane(true, pixels, 0),
            dropped: plane(true, pixels, 0),
            hits: plane(HIT_AOVS.into_iter().any(|aov| aovs.contains(aov)), pixels, 0),
            depth: plane(aovs.contains(Aov::Depth), pixels, 0.0),
            position: vector(Aov::Position),
            ng: vector(Aov::NormalGeometric),
            ns: vector(Aov::NormalShading),
            albedo: vector(Aov::Albedo),
            ids: plane(aovs.contains(Aov::Ids), pixels, [u32::MAX; 4]),
            occlusion: plane(aovs.contains(Aov::AmbientOcclusion), pixels, 0.0),
            reflections: plane(aovs.contains(Aov::Reflections), pixels, 0.0),
            features: plane(aovs.contains(Aov::Features), pixels, [0.0; 7]),
            diffuse: vector(Aov::Diffuse),
            alpha: plane(aovs.contains(Aov::Alpha), pixels, 0.0),
            clamped: vector(Aov::Clamped),
        }
    }

    /// Returns all arrays as mutable slices.
    #[inline]
    pub(super) fn as_mut(&mut self) -> SumsMut<'_> {
        SumsMut {
            radiance: &mut self.radiance,
            squares: &mut self.squares,
            prefixes: &mut self.prefixes,
            milestone: &mut self.milestone,
            samples: &mut self.samples,
            dropped: &mut self.dropped,
            hits: &mut self.hits,
            depth: &mut self.depth,
            position: &mut self.position,
            ng: &mut self.ng,
            ns: &mut self.ns,
            albedo: &mut self.albedo,
            ids: &mut self.ids,
            occlusion: &mut self.occlusion,
            reflections: &mut self.reflections,
            features: &mut self.features,
            diffuse: &mut self.diffuse,
            alpha: &mut self.alpha,
            clamped: &mut self.clamped,
        }
    }

    /// Resets all sums to those of [`Sums::zero`] without allocation.
    pub(super) fn clear(&mut self) {
        self.radiance.fill([0.0; 3]);
        self.squares.fill([0.0; 3]);
        self.prefixes.fill([[0.0; 3]; 3]);
        self.milestone.fill(0);
        self.samples.fill(0);
        self.dropped.fill(0);
        self.hits.fill(0);
        self.depth.fill(0.0);
        self.position.fill([0.0; 3]);
        self.ng.fill([0.0; 3]);
        self.ns.fill([0.0; 3]);
        self.albedo.fill([0.0; 3]);
        self.ids.fill([u32::MAX; 4]);
        self.occlusion.fill(0.0);
        self.reflections.fill(0.0);
        self.features.fill([0.0; 7]);
        self.diffuse.fill([0.0; 3]);
        self.alpha.fill(0.0);
        self.clamped.fill([0.0; 3]);
    }

    /// Returns whether every array has the length of [`Sums::zero`].
    pub(super) fn fits(&self, pixels: usize, aovs: AovSet) -> bool {
        let length = |aov| if aovs.contains(aov) { pixels } else { 0 };
        let any_hit = HIT_AOVS.into_iter().any(|aov| aovs.contains(aov));
        self.radiance.len() == pixels
            && self.squares.len() == pixels
            && self.prefixes.len() == pixels
            && self.milestone.len() == pixels
            && self.samples.len() == pixels
            && self.dropped.len() == pixels
            && self.hits.len() == if any_hit { pixels } else { 0 }
            && self.depth.len() == length(Aov::Depth)
            && self.position.len() == length(Aov::Position)
            && self.ng.len() == length(Aov::NormalGeometric)
            && self.ns.len() == length(Aov::NormalShading)
            && self.albedo.len() == length(Aov::Albedo)
            && self.ids.len() == length(Aov::Ids)
            && self.occlusion.len() == length(Aov::AmbientOcclusion)
            && self.reflections.len() == length(Aov::Reflections)
            && self.features.len() == length(Aov::Features)
            && self.diffuse.len() == length(Aov::Diffuse)
            && self.alpha.len() == length(Aov::Alpha)
            && self.clamped.len() == length(Aov::Clamped)
    }

    /// Returns whether all sums are finite, as those of [`SumsMut::add`] are.
    pub(super) fn are_finite(&self) -> bool {
        let Self { radiance, squares, position, ng, ns, albedo, diffuse, clamped, .. } = self;
        let vectors = [radiance, squares, position, ng, ns, albedo, diffuse, clamped].into_iter();
        let numbers = [&self.depth, &self.occlusion, &self.reflections, &self.alpha].into_iter();
        vectors.flatten().flatten().chain(numbers.flatten()).all(|sum| sum.is_finite())
            && self.prefixes.as_flattened().as_flattened().iter().all(|sum| sum.is_finite())
            && self.features.as_flattened().iter().all(|sum| sum.is_finite())
    }

    /// Adds the sums of the same pixels from later samples.
    pub(super) fn merge(&mut self, later: &Self) {
        fn count(own: &mut [u32], later: &[u32]) {
            own.iter_mut().zip(later).for_each(|(own, later)| *own = own.saturating_add(*later));
        }
        fn sum(own: &mut [f64], later: &[f64]) {
            own.iter_mut().zip(later).for_each(|(own, later)| *own += later);
        }
        // The ids of a pixel are those of its first sample
        for ((own, later), samples) in self.ids.iter_mut().zip(&later.ids).zip(&self.samples) {
            if *samples == 0 {
                *own = *later;
            }
        }
        // The order of the samples of both is not that of one sequence
        for (at, &samples) in self.samples.iter().enumerate().take(later.samples.len()) {
            (self.prefixes[at], self.milestone[at]) = match samples {
                0 => (later.prefixes[at], later.milestone[at]),
                _ => ([[0.0; 3]; 3], 0),
            };
        }
        count(&mut self.samples, &later.samples);
        count(&mut self.dropped, &later.dropped);
        count(&mut self.hits, &later.hits);
        sum(&mut self.depth, &later.depth);
        sum(&mut self.occlusion, &later.occlusion);
        sum(&mut self.reflections, &later.reflections);
        sum(&mut self.alpha, &later.alpha);
        sum(self.clamped.as_flattened_mut(), later.clamped.as_flattened());
        sum(self.radiance.as_flattened_mut(), later.radiance.as_flattened());
        sum(self.squares.as_flattened_mut(), later.squares.as_flattened());
        sum(self.position.as_flattened_mut(), later.position.as_flattened());
        sum(self.ng.as_flattened_mut(), later.ng.as_flattened());
        sum(self.ns.as_flattened_mut(), later.ns.as_flattened());
        sum(self.albedo.as_flattened_mut(), later.albedo.as_flattened());
        sum(self.features.as_flattened_mut(), later.features.as_flattened());
        sum(self.diffuse.as_flattened_mut(), later.diffuse.as_flattened());
    }

    /// Copies the pixels of `rect`, which lies in both rectangles, from `source` (over `source_rect`) into `self`
    /// (over `own_rect`).
    pub(super) fn copy(&mut self, own_rect: TileRect, source: &Self, source_rect: TileRect, rect: TileRect) {
        let rows = RowCopy { own_rect, source_rect, rect };
        rows.copy(&mut self.radiance, &source.radiance);
        rows.copy(&mut self.squares, &source.squares);
        rows.copy(&mut self.prefixes, &source.prefixes);
        rows.copy(&mut self.milestone, &source.milestone);
        rows.copy(&mut self.samples, &source.samples);
        rows.copy(&mut self.dropped, &source.dropped);
        rows.copy(&mut self.hits, &source.hits);
        rows.copy(&mut self.depth, &source.depth);
        rows.copy(&mut self.position, &source.position);
        rows.copy(&mut self.ng, &source.ng);
        rows.copy(&mut self.ns, &source.ns);
        rows.copy(&mut self.albedo, &source.albedo);
        rows.copy(&mut self.ids, &source.ids);
        rows.copy(&mut self.occlusion, &source.occlusion);
        rows.copy(&mut self.reflections, &source.reflections);
        rows.copy(&mut self.features, &source.features);
        rows.copy(&mut self.diffuse, &source.diffuse);
        rows.copy(&mut self.alpha, &source.alpha);
        rows.copy(&mut self.clamped, &source.clamped);
    }
}

/// Mutable slices of the arrays of a [`Sums`], for a range of its pixels.
#[derive(Debug)]
pub(super) struct SumsMut<'a> {
    radiance: &'a mut [[f64; 3]],
    squares: &'a mut [[f64; 3]],
    prefixes: &'a mut [[[f32; 3]; 3]],
    milestone: &'a mut [u32],
    samples: &'a mut [u32],
    dropped: &'a mut [u32],
    hits: &'a mut [u32],
    depth: &'a mut [f64],
    position: &'a mut [[f64; 3]],
    ng: &'a mut [[f64; 3]],
    ns: &'a mut [[f64; 3]],
    albedo: &'a mut [[f64; 3]],
    ids: &'a mut [[u32; 4]],
    occlusion: &'a mut [f64],
    reflections: &'a mut [f64],
    features: &'a mut [[f64; 7]],
    diffuse: &'a mut [[f64; 3]],
    alpha: &'a mut [f64],
    clamped: &'a mut [[f64; 3]],
}

impl<'b> SumsMut<'b> {
    /// Splits off the first `pixels` pixels and returns them.
    pub(super) fn take_first(&mut self, pixels: usize) -> Self {
        // Arrays of AOVs that are not recorded are empty
        fn first<'a, T>(plane: &mut &'a mut [T], pixels: usize) -> &'a mut [T] {
            plane.split_off_mut(..pixels.min(plane.len())).unwrap_or_default()
        }
        Self {
            radiance: first(&mut self.radiance, pixels),
            squares: first(&mut self.squares, pixels),
            prefixes: first(&mut self.prefixes, pixels),
            milestone: first(&mut self.milestone, pixels),
            samples: first(&mut self.samples, pixels),
            dropped: first(&mut self.dropped, pixels),
            hits: first(&mut self.hits, pixels),
            depth: first(&mut self.depth, pixels),
            position: first(&mut self.position, pixels),
            ng: first(&mut self.ng, pixels),
            ns: first(&mut self.ns, pixels),
            albedo: first(&mut self.albedo, pixels),
            ids: first(&mut self.ids, pixels),
            occlusion: first(&mut self.occlusion, pixels),
            reflections: first(&mut self.reflections, pixels),
            features: first(&mut self.features, pixels),
            diffuse: first(&mut self.diffuse, pixels),
            alpha: first(&mut self.alpha, pixels),
            clamped: first(&mut self.clamped, pixels),
        }
    }

    /// Adds one sample to a pixel of `rect`, the rectangle of the sums; a sample outside it is ignored.
    #[inline]
    pub(super) fn add(&mut self, rect: TileRect, x: u32, y: u32, sample: &PixelSample) {
        debug_assert!(rect.contains(x, y), "pixel ({x}, {y}) is not in {rect:?}");
        if !rect.contains(x, y) {
            return;
        }
        let index = rect.index(x, y);
        // A value that is not finite would make the sums of its pixel unusable
        if !(sample.radiance.is_finite() && sample.weight.is_finite()) {
            self.dropped[index] = self.dropped[index].saturating_add(1);
            return;
        }
        for (channel, radiance) in sample.radiance.to_array().into_iter().enumerate() {
            let value = f64::from(sample.weight) * f64::from(radiance);
            self.radiance[index][channel] += value;
            self.squares[index][channel] += value * value;
        }

        // Ids cannot be averaged: keep those of the first sample
        let aov = &sample.aov;
        if let Some(ids) = self.ids.get_mut(index)
            && self.samples[index] == 0
        {
            *ids = aov.ids;
        }
        let samples = self.samples[index].saturating_add(1);
        self.samples[index] = samples;
        let follows = self.milestone[index] == samples / 2;
        if samples.is_power_of_two() && follows {
            let [_, half, last] = self.prefixes[index];
            self.prefixes[index] = [half, last, self.radiance[index].map(clamped)];
            self.milestone[index] = samples;
        }

        // Means over all samples, including misses
        add_vector(self.albedo, index, aov.albedo);
        if let Some(sum) = self.occlusion.get_mut(index)
            && aov.occlusion.is_finite()
        {
            *sum += f64::from(aov.occlusion);
        }
        if let Some(sum) = self.alpha.get_mut(index)
            && aov.coverage.is_finite()
        {
            *sum += f64::from(sample.weight) * f64::from(aov.coverage);
        }
        if let Some(sum) = self.reflections.get_mut(index) {
            *sum += f64::from(aov.reflections);
        }
        if let Some(sums) = self.features.get_mut(index) {
            for (sum, feature) in sums.iter_mut().zip(aov.features.to_array()) {
                if feature.is_finite() {
                    *sum += f64::from(feature);
                }
            }
        }

        add_vector(self.diffuse, index, aov.diffuse * sample.weight);
        add_vector(self.clamped, index, aov.clamped * sample.weight);

        // Means over the hits
        if !aov.depth.is_finite() {
            return;
        }
        if let Some(hits) = self.hits.get_mut(index) {
            *hits = hits.saturating_add(1);
        }
        if let Some(sum) = self.depth.get_mut(index) {
            *sum += f64::from(aov.depth);
        }
        add_vector(self.position, index, aov.position);
        add_vector(self.ng, index, aov.ng);
        add_vector(self.ns, index, aov.ns);
    }
}

/// Returns the relative luminance of a linear Rec. 709 colour [BT709].
pub(super) fn luminance([r, g, b]: [f64; 3]) -> f64 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped; seven digits are enough for a difference of means"
)]
fn clamped(x: f64) -> f32 {
    x.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}

/// Adds a vector to an element of a plane, which may be empty; a value that is not finite counts as 0.
fn add_vector(plane: &mut [[f64; 3]], index: usize, value: Vec3) {
    if let Some(sum) = plane.get_mut(index)
        && value.is_finite()
    {
        for (s, v) in sum.iter_mut().zip(value.to_array()) {
            *s += f64::from(v);
        }
    }
}

/// Copies the pixels of a rectangle between arrays of two other rectangles.
struct RowCopy {
    /// Rectangle of the destination arrays.
    own_rect: TileRect,
    /// Rectangle of the source arrays.
    source_rect: TileRect,
    /// Pixels to copy, inside both rectangles.
    rect: TileRect,
}

impl RowCopy {
    fn copy<T: Copy>(&self, own: &mut [T], source: &[T]) {
        if own.is_empty() || source.is_empty() {
            return;
        }
        let width = self.rect.width() as usize;
        for y in self.rect.y0..self.rect.y1 {
            let to = self.own_rect.index(self.rect.x0, y);
            let from = self.source_rect.index(self.rect.x0, y);
            own[to..to + width].copy_from_slice(&source[from..from + width]);
        }
    }
}
