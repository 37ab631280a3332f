//! Encoding of images for browsers, on a separate thread, in parallel to the rendering of the next frame.

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

/// Frame to encode: one image, or two that are compared.
#[derive(Clone, Debug)]
pub(crate) struct DisplayFrame {
    pub(crate) pictures: Vec<Arc<Picture>>,
    pub(crate) display: DisplaySettings,
    pub(crate) header: Header,
}

/// Exposure and tone curve of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DisplaySettings {
    /// Exposure in stops; `None` for automatic exposure.
    pub(crate) exposure: Option<f32>,
    pub(crate) tone_curve: ToneCurve,
    /// Whether each image is a channel, which is displayed without exposure and tone curve.
    pub(crate) is_channel: [bool; 2],
    /// Whether the content changed abruptly, so that automatic exposure adapts at once.
    pub(crate) cut: bool,
}

/// Encoder thread. It encodes the newest frame; frames that arrive while it is busy replace each other.
#[derive(Debug)]
pub(crate) struct Encoder {
    slot: Arc<Slot<DisplayFrame>>,
    thread: Option<JoinHandle<()>>,
}

impl Encoder {
    /// Starts the thread; encoded frames are sent to `frames`.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(frames: watch::Sender<Option<Arc<EncodedFrame>>>) -> std::io::Result<Self> {
        let slot = Arc::new(Slot::default());
        let queue = slot.clone();
        let work = move || {
            let mut state = EncoderState::default();
            while let Some(displayed) = queue.take() {
                // The session limits images to sizes that a JPEG can have
                if let Some(frame) = state.encode(&displayed) {
                    frames.send_replace(Some(Arc::new(frame)));
                }
            }
        };
        let thread = std::thread::Builder::new().name("sunfleck-encoder".into()).spawn(work)?;
        Ok(Self { slot, thread: Some(thread) })
    }

    /// Schedules a frame as the next to encode.
    pub(crate) fn encode(&self, frame: DisplayFrame) {
        self.slot.put(frame);
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

/// State of the encoder that is kept between frames.
#[derive(Default)]
struct EncoderState {
    exposure: Exposure,
    jpegs: Jpegs,
}

/// Automatic exposure over a sequence of frames.
#[derive(Default)]
struct Exposure {
    automatic: AutoExposure,
    last: Option<Instant>,
}

impl Exposure {
    /// Returns the exposure in stops, the same for both images so that they are comparable.
    fn stops(&mut self, displayed: &DisplayFrame) -> f32 {
        let DisplaySettings { exposure, is_channel, cut, .. } = displayed.display;
        let radiance = displayed.pictures.iter().zip(is_channel).find(|(_, is_channel)| !is_channel);
        let Some((picture, _)) = radiance else { return 0.0 };
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

impl EncoderState {
    fn encode(&mut self, displayed: &DisplayFrame) -> Option<EncodedFrame> {
        let start = Instant::now();
        let DisplayFrame { pictures, display, header } = displayed;
        let exposure = self.exposure.stops(displayed);
        // An image that both sides share is sent once, unless only one of them is a channel
        let same = |side: usize| {
            side == 1
                && Arc::ptr_eq(&pictures[0], &pictures[1])
                && display.is_channel[0] == display.is_channel[1]
        };
        let (mut rows, mut spent) = (Vec::new(), [Duration::ZERO; 2]);
        for (side, picture) in pictures.iter().enumerate().take(2).filter(|(side, _)| !same(*side)) {
            let (stops, curve) = if display.is_channel[side] {
                (0.0, ToneCurve::Linear)
            } else {
                (exposure, display.tone_curve)
            };
            let made =
                self.jpegs.update(side, picture, jpeg::EncodeOptions { stops, curve, mode: header.mode })?;
            spent.iter_mut().zip(made).for_each(|(spent, made)| *spent += made);
            let (number, jpeg) = self.jpegs.get(side)?;
            rows.push(PictureRow { number, bytes: jpeg.len() });
        }
        let mut header =
            Header { exposure, encode_secs: start.elapsed().as_secs_f32(), pictures: rows, ..header.clone() };
        let names = ["tone curve", "encode"].into_iter().zip(spent);
        header.stages.extend(names.map(|(name, time)| StageSecs(name, time.as_secs_f32())));
        let jpegs: Vec<&[u8]> =
            (0..header.pictures.len()).filter_map(|side| Some(self.jpegs.get(side)?.1)).collect();
        Some(EncodedFrame::new(&header, &jpegs))
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    fn display_frame(mode: Mode, exposure: Option<f32>, radiance: f32) -> DisplayFrame {
        let picture = Picture::from_fn(40, 30, |_, _| Vec3::splat(radiance)).unwrap();
        let display =
            DisplaySettings { exposure, tone_curve: ToneCurve::Linear, is_channel: [false; 2], cut: false };
        DisplayFrame { pictures: vec![Arc::new(picture)], display, header: Header::example(mode) }
    }

    #[test]
    fn a_frame_is_its_header_and_a_jpeg() {
        let frame = EncoderState::default().encode(&display_frame(Mode::Rest, Some(1.0), 0.25)).unwrap();
        let (header, jpeg) = frame.split().unwrap();
        assert_eq!((header["exposure"].as_f64(), header["mode"].as_str()), (Some(1.0), Some("rest")));
        let decoded = sunfleck_image::decode(jpeg, "jpg").unwrap();
        assert_eq!(decoded.size(), (40, 30));
    }

    #[test]
    fn two_images_are_sent_together_and_unchanged_ones_are_not_encoded_again() {
        let mut state = EncoderState::default();
        let mut pair = display_frame(Mode::Rest, Some(0.0), 0.25);
        pair.pictures.push(Arc::new(Picture::from_fn(40, 30, |_, _| Vec3::splat(0.5)).unwrap()));
        let frame = state.encode(&pair).unwrap();
        let (header, jpegs) = frame.split().unwrap();
        let bytes = |header: &serde_json::Value, at: usize| header["pictures"][at]["bytes"].as_u64().unwrap();
        assert_eq!(bytes(&header, 0) + bytes(&header, 1), jpegs.len() as u64);
        pair.pictures[1] = Arc::new(Picture::from_fn(40, 30, |_, _| Vec3::splat(0.6)).unwrap());
        let again = state.encode(&pair).unwrap();
        let (next, _) = again.split().unwrap();
        assert_eq!(next["pictures"][0], header["pictures"][0], "an unchanged image keeps its number");
        assert_ne!(next["pictures"][1]["number"], header["pictures"][1]["number"]);
        pair.pictures[1] = pair.pictures[0].clone();
        let both = state.encode(&pair).unwrap();
        assert_eq!(
            both.split().unwrap().0["pictures"].as_array().unwrap().len(),
            1,
            "both sides share one image"
        );
    }

    #[test]
    fn the_same_image_has_the_same_bytes() {
        let jpeg = || {
            let frame = EncoderState::default().encode(&display_frame(Mode::Rest, Some(0.0), 0.3)).unwrap();
            frame.split().unwrap().1.to_vec()
        };
        assert_eq!(jpeg(), jpeg());
    }

    #[test]
    fn automatic_exposure_starts_at_the_first_image() {
        let mut exposure = Exposure::default();
        let stops = exposure.stops(&display_frame(Mode::Moving, None, 0.18 / 8.0));
        assert!((stops - 3.0).abs() < 1e-3, "{stops}");
    }

    #[test]
    fn the_newest_frame_is_encoded_last() {
        let (sender, receiver) = watch::channel(None);
        let encoder = Encoder::start(sender).unwrap();
        for frame in 1..=50 {
            let mut displayed = display_frame(Mode::Moving, Some(0.0), 0.1);
            displayed.header.frame = frame;
            encoder.encode(displayed);
        }
        drop(encoder);
        let last: Arc<EncodedFrame> = receiver.borrow().clone().unwrap();
        assert_eq!(last.split().unwrap().0["frame"].as_u64(), Some(50));
    }
}
