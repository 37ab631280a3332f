//! From a picture to the bytes that a browser shows, on a thread of its own: the next frame is rendered meanwhile.

mod display;
mod frame;
mod jpeg;
mod slot;
mod strips;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sunfleck_engine::AutoExposure;
use sunfleck_image::{Metering, Picture, ToneCurve, meter};
use tokio::sync::watch;

use frame::PictureRow;
pub(crate) use frame::{EncodedFrame, Header, Mode, Progress, StageSecs};
use jpeg::Jpegs;
use slot::Slot;

/// Pictures to be shown: one, or two that are compared.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) pictures: Vec<Arc<Picture>>,
    pub(crate) look: Look,
    pub(crate) header: Header,
}

/// From radiance to colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// `None`: follows the picture.
    pub(crate) exposure: Option<f32>,
    pub(crate) tone_curve: ToneCurve,
    /// Which pictures are of colours already.
    pub(crate) as_it_is: [bool; 2],
    /// Something else is seen than before: exposure follows at once.
    pub(crate) cut: bool,
}

/// Encodes the newest pictures; those that come while others wait take their place.
#[derive(Debug)]
pub(crate) struct Encoder {
    slot: Arc<Slot<Shown>>,
    thread: Option<JoinHandle<()>>,
}

impl Encoder {
    /// Starts the thread. Errors: the system gives none.
    pub(crate) fn start(frames: watch::Sender<Option<Arc<EncodedFrame>>>) -> std::io::Result<Self> {
        let slot = Arc::new(Slot::default());
        let shown = slot.clone();
        let work = move || {
            let mut state = State::default();
            while let Some(shown) = shown.take() {
                // A picture that JPEG cannot hold is larger than the session makes one
                if let Some(frame) = state.encode(&shown) {
                    frames.send_replace(Some(Arc::new(frame)));
                }
            }
        };
        let thread = std::thread::Builder::new().name("sunfleck-encoder".into()).spawn(work)?;
        Ok(Self { slot, thread: Some(thread) })
    }

    /// To be encoded next.
    pub(crate) fn show(&self, shown: Shown) {
        self.slot.put(shown);
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        self.slot.close();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// What one frame leaves for the next.
#[derive(Default)]
struct State {
    exposure: Exposure,
    jpegs: Jpegs,
}

/// Automatic exposure over the frames.
#[derive(Default)]
struct Exposure {
    automatic: AutoExposure,
    last: Option<Instant>,
}

impl Exposure {
    /// That of both pictures: they would not be comparable otherwise.
    fn stops(&mut self, shown: &Shown) -> f32 {
        let Look { exposure, as_it_is, cut, .. } = shown.look;
        let light = shown.pictures.iter().zip(as_it_is).find(|(_, as_it_is)| !as_it_is);
        let Some((picture, _)) = light else { return 0.0 };
        if let Some(stops) = exposure {
            self.last = None;
            return stops;
        }
        let elapsed = self.last.replace(Instant::now()).map_or(Duration::ZERO, |last| last.elapsed());
        if cut || elapsed.is_zero() {
            self.automatic.cut();
        }
        self.automatic.update(meter(picture, Metering::default()), elapsed)
    }
}

impl State {
    fn encode(&mut self, shown: &Shown) -> Option<EncodedFrame> {
        let start = Instant::now();
        let Shown { pictures, look, header } = shown;
        let exposure = self.exposure.stops(shown);
        // The same picture on both sides travels once, unless one is of light and the other is not
        let same = |at: usize| {
            at == 1 && Arc::ptr_eq(&pictures[0], &pictures[1]) && look.as_it_is[0] == look.as_it_is[1]
        };
        let (mut rows, mut spent) = (Vec::new(), [Duration::ZERO; 2]);
        for (at, picture) in pictures.iter().enumerate().take(2).filter(|(at, _)| !same(*at)) {
            let (stops, curve) =
                if look.as_it_is[at] { (0.0, ToneCurve::Linear) } else { (exposure, look.tone_curve) };
            let made = self.jpegs.update(at, picture, jpeg::Recipe { stops, curve, mode: header.mode })?;
            spent.iter_mut().zip(made).for_each(|(spent, made)| *spent += made);
            let (number, jpeg) = self.jpegs.get(at)?;
            rows.push(PictureRow { number, bytes: jpeg.len() });
        }
        let mut header =
            Header { exposure, encode_secs: start.elapsed().as_secs_f32(), pictures: rows, ..header.clone() };
        let names = ["tone curve", "encode"].into_iter().zip(spent);
        header.stages.extend(names.map(|(name, time)| StageSecs(name, time.as_secs_f32())));
        let jpegs: Vec<&[u8]> =
            (0..header.pictures.len()).filter_map(|at| Some(self.jpegs.get(at)?.1)).collect();
        Some(EncodedFrame::new(&header, &jpegs))
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    fn shown(mode: Mode, exposure: Option<f32>, radiance: f32) -> Shown {
        let picture = Picture::from_fn(40, 30, |_, _| Vec3::splat(radiance)).unwrap();
        let look = Look { exposure, tone_curve: ToneCurve::Linear, as_it_is: [false; 2], cut: false };
        Shown { pictures: vec![Arc::new(picture)], look, header: Header::example(mode) }
    }

    #[test]
    fn a_frame_is_its_header_and_a_jpeg() {
        let frame = State::default().encode(&shown(Mode::Rest, Some(1.0), 0.25)).unwrap();
        let (header, jpeg) = frame.parts().unwrap();
        assert_eq!((header["exposure"].as_f64(), header["mode"].as_str()), (Some(1.0), Some("rest")));
        let decoded = sunfleck_image::decode(jpeg, "jpg").unwrap();
        assert_eq!(decoded.size(), (40, 30));
    }

    #[test]
    fn two_pictures_travel_together_and_what_has_not_changed_is_not_encoded_again() {
        let mut state = State::default();
        let mut pair = shown(Mode::Rest, Some(0.0), 0.25);
        pair.pictures.push(Arc::new(Picture::from_fn(40, 30, |_, _| Vec3::splat(0.5)).unwrap()));
        let frame = state.encode(&pair).unwrap();
        let (header, jpegs) = frame.parts().unwrap();
        let bytes = |header: &serde_json::Value, at: usize| header["pictures"][at]["bytes"].as_u64().unwrap();
        assert_eq!(bytes(&header, 0) + bytes(&header, 1), jpegs.len() as u64);
        pair.pictures[1] = Arc::new(Picture::from_fn(40, 30, |_, _| Vec3::splat(0.6)).unwrap());
        let again = state.encode(&pair).unwrap();
        let (next, _) = again.parts().unwrap();
        assert_eq!(next["pictures"][0], header["pictures"][0], "the same picture as before");
        assert_ne!(next["pictures"][1]["number"], header["pictures"][1]["number"]);
        pair.pictures[1] = pair.pictures[0].clone();
        let both = state.encode(&pair).unwrap();
        assert_eq!(both.parts().unwrap().0["pictures"].as_array().unwrap().len(), 1, "one is for both sides");
    }

    #[test]
    fn the_same_picture_has_the_same_bytes() {
        let jpeg = || {
            let frame = State::default().encode(&shown(Mode::Rest, Some(0.0), 0.3)).unwrap();
            frame.parts().unwrap().1.to_vec()
        };
        assert_eq!(jpeg(), jpeg());
    }

    #[test]
    fn automatic_exposure_begins_with_the_picture() {
        let mut exposure = Exposure::default();
        let stops = exposure.stops(&shown(Mode::Moving, None, 0.18 / 8.0));
        assert!((stops - 3.0).abs() < 1e-3, "{stops}");
    }

    #[test]
    fn the_newest_picture_is_encoded_last() {
        let (sender, receiver) = watch::channel(None);
        let encoder = Encoder::start(sender).unwrap();
        for frame in 1..=50 {
            let mut shown = shown(Mode::Moving, Some(0.0), 0.1);
            shown.header.frame = frame;
            encoder.show(shown);
        }
        drop(encoder);
        let last: Arc<EncodedFrame> = receiver.borrow().clone().unwrap();
        assert_eq!(last.parts().unwrap().0["frame"].as_u64(), Some(50));
    }
}
