//! From a picture to the bytes that a browser shows, on a thread of its own: the next frame is rendered meanwhile.

mod display;
mod frame;
mod slot;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jpeg_encoder::{ColorType, Encoder as Jpeg, SamplingFactor};
use sunfleck_engine::AutoExposure;
use sunfleck_image::{Metering, Picture, ToneCurve, meter};
use tokio::sync::watch;

pub(crate) use frame::{EncodedFrame, Header, Mode};
use slot::Slot;

/// While things move, bytes count more.
const MOVING_QUALITY: u8 = 80;
const REST_QUALITY: u8 = 92;

/// A picture to be shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) picture: Arc<Picture>,
    pub(crate) look: Look,
    pub(crate) header: Header,
}

/// From radiance to colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// `None`: follows the picture.
    pub(crate) exposure: Option<f32>,
    pub(crate) tone_curve: ToneCurve,
    /// The picture is of colours already.
    pub(crate) as_it_is: bool,
    /// Something else is seen than before: exposure follows at once.
    pub(crate) cut: bool,
}

/// Encodes the newest picture; one that comes while another waits takes its place.
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
            let mut exposure = Exposure::default();
            while let Some(shown) = shown.take() {
                // A picture that JPEG cannot hold is larger than the session makes one
                if let Some(frame) = encode(&shown, &mut exposure) {
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

/// Automatic exposure over the frames.
#[derive(Default)]
struct Exposure {
    automatic: AutoExposure,
    last: Option<Instant>,
}

impl Exposure {
    fn stops(&mut self, shown: &Shown) -> f32 {
        let Look { exposure, as_it_is, cut, .. } = shown.look;
        if as_it_is {
            return 0.0;
        }
        if let Some(stops) = exposure {
            self.last = None;
            return stops;
        }
        let elapsed = self.last.replace(Instant::now()).map_or(Duration::ZERO, |last| last.elapsed());
        if cut || elapsed.is_zero() {
            self.automatic.cut();
        }
        self.automatic.update(meter(&shown.picture, Metering::default()), elapsed)
    }
}

fn encode(shown: &Shown, exposure: &mut Exposure) -> Option<EncodedFrame> {
    let start = Instant::now();
    let Shown { picture, look, header } = shown;
    let stops = exposure.stops(shown);
    let curve = if look.as_it_is { ToneCurve::Linear } else { look.tone_curve };
    let rgb = display::bytes(picture, curve, stops);
    let (width, height) = (u16::try_from(picture.width()).ok()?, u16::try_from(picture.height()).ok()?);
    let mut jpeg = Vec::with_capacity(rgb.len() / 8);
    let (quality, sampling) = match header.mode {
        Mode::Moving => (MOVING_QUALITY, SamplingFactor::F_2_2),
        Mode::Rest => (REST_QUALITY, SamplingFactor::F_1_1),
    };
    let mut encoder = Jpeg::new(&mut jpeg, quality);
    encoder.set_sampling_factor(sampling);
    encoder.encode(&rgb, width, height, ColorType::Rgb).ok()?;
    let header = Header { exposure: stops, encode_secs: start.elapsed().as_secs_f32(), ..header.clone() };
    Some(EncodedFrame::new(&header, &jpeg))
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    fn shown(mode: Mode, exposure: Option<f32>, radiance: f32) -> Shown {
        let picture = Picture::from_fn(40, 30, |_, _| Vec3::splat(radiance)).unwrap();
        let look = Look { exposure, tone_curve: ToneCurve::Linear, as_it_is: false, cut: false };
        Shown { picture: Arc::new(picture), look, header: Header::example(mode) }
    }

    #[test]
    fn a_frame_is_its_header_and_a_jpeg() {
        let frame = encode(&shown(Mode::Rest, Some(1.0), 0.25), &mut Exposure::default()).unwrap();
        let (header, jpeg) = frame.parts().unwrap();
        assert_eq!((header["exposure"].as_f64(), header["mode"].as_str()), (Some(1.0), Some("rest")));
        let decoded = sunfleck_image::decode(jpeg, "jpg").unwrap();
        assert_eq!(decoded.size(), (40, 30));
    }

    #[test]
    fn the_same_picture_has_the_same_bytes() {
        let jpeg = || {
            let frame = encode(&shown(Mode::Rest, Some(0.0), 0.3), &mut Exposure::default()).unwrap();
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
