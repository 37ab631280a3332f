//! Which frame is rendered next: quick ones while something changes, better and better ones at rest.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use sunfleck_engine::{Canvas, Engine, Frame, Shot, Ticket, World};
use sunfleck_image::Picture;
use tokio::sync::mpsc;

use super::event::Event;
use super::pace::Pace;
use super::view::View;
use crate::encode::{Header, Mode};
use crate::memory;
use crate::protocol::Pose;

/// After so much time without a change it is at rest.
const REST: Duration = Duration::from_millis(160);

/// Turns tickets into events. Errors: the system gives no thread.
pub(super) fn wait_for_tickets(events: mpsc::Sender<Event>) -> std::io::Result<Sender<Arc<Ticket>>> {
    let (sender, tickets) = channel::<Arc<Ticket>>();
    let wait = move || {
        for ticket in tickets {
            if events.blocking_send(Event::FrameDone(ticket.wait())).is_err() {
                break;
            }
        }
    };
    std::thread::Builder::new().name("sunfleck-waiter".into()).spawn(wait)?;
    Ok(sender)
}

#[derive(Debug)]
pub(super) struct Renderer {
    engine: Engine,
    waiter: Sender<Arc<Ticket>>,
    moving: Track,
    rest: Track,
    flight: Option<Flight>,
    /// Counts changes of what is seen.
    change: u64,
    last_change: Instant,
    /// Of the picture at rest.
    samples: u32,
    view_time: Duration,
    /// Of the client who edits.
    input: Option<u64>,
    frames: u64,
}

/// One canvas, and how fast it is.
#[derive(Debug, Default)]
struct Track {
    canvas: Canvas,
    pace: Pace,
}

/// The frame that is being rendered.
#[derive(Debug)]
struct Flight {
    ticket: Arc<Ticket>,
    mode: Mode,
    change: u64,
    frame: Frame,
    revision: u64,
    input: Option<u64>,
    before: u32,
}

/// A frame that is worth showing.
#[derive(Debug)]
pub(super) struct Landed {
    pub(super) picture: Arc<Picture>,
    pub(super) header: Header,
}

impl Renderer {
    pub(super) fn new(engine: Engine, waiter: Sender<Arc<Ticket>>) -> Self {
        Self {
            engine,
            waiter,
            moving: Track::default(),
            rest: Track::default(),
            flight: None,
            change: 0,
            last_change: Instant::now(),
            samples: 0,
            view_time: Duration::ZERO,
            input: None,
            frames: 0,
        }
    }

    /// Something else will be seen.
    pub(super) fn touch(&mut self, input: Option<u64>) {
        self.change += 1;
        self.last_change = Instant::now();
        (self.samples, self.view_time) = (0, Duration::ZERO);
        // The same view may come back: what it looks like then is a function of its samples, not of what was left from before
        self.rest.canvas = Canvas::new();
        self.input = input.or(self.input);
        // A quick frame is shown even if it is late: else nothing would be seen of a long movement
        if let Some(flight) = self.flight.as_ref().filter(|flight| flight.mode == Mode::Rest) {
            flight.ticket.cancel();
        }
    }

    /// Nobody looks on: what is being rendered is not wanted.
    pub(super) fn pause(&mut self) {
        if let Some(flight) = &self.flight {
            flight.ticket.cancel();
        }
    }

    /// Starts the next frame if none is being rendered and the picture is not done.
    pub(super) fn go_on(&mut self, world: &World, view: &View) {
        if self.flight.is_some() {
            return;
        }
        let pixels = view.pixels().map(u64::from).iter().product();
        let left = view.target().saturating_sub(self.samples);
        let (mode, frame) = if self.last_change.elapsed() < REST {
            (Mode::Moving, view.moving_frame(self.moving.pace.scale(pixels)))
        } else if left > 0 {
            (Mode::Rest, view.rest_frame(self.rest.pace.samples(pixels).min(left)))
        } else {
            return;
        };
        let before = if mode == Mode::Rest { self.samples } else { 0 };
        let ticket = Arc::new(self.engine.render(world, &frame, &self.track(mode).canvas));
        // The waiter lives as long as events are read
        drop(self.waiter.send(ticket.clone()));
        let revision = world.committed().revision();
        self.flight =
            Some(Flight { ticket, mode, change: self.change, frame, revision, input: self.input, before });
    }

    /// The frame in flight has ended; what of it is worth showing.
    pub(super) fn land(&mut self, shot: &Shot, view: &View) -> Option<Landed> {
        let Flight { mode, change, frame, revision, input, before, .. } = self.flight.take()?;
        let pixels = u64::from(frame.width) * u64::from(frame.height);
        let current = change == self.change;
        let new = shot.samples.saturating_sub(before);
        if shot.samples == 0 || (mode == Mode::Rest && (!current || new == 0)) {
            return None;
        }
        let track = if mode == Mode::Moving { &mut self.moving } else { &mut self.rest };
        // Moving frames of a view that stands still add up: their ticket counts all of them
        let took = if mode == Mode::Moving { 1 } else { new };
        track.pace.learn(pixels, took, shot.elapsed);
        let canvas = track.canvas.clone();
        if mode == Mode::Rest {
            self.samples = shot.samples;
            self.view_time += shot.elapsed;
        }
        let picture = match frame.aovs.iter().next() {
            None => canvas.picture()?,
            Some(channel) => Arc::new(canvas.film()?.shown(channel)?),
        };
        self.frames += 1;
        let header = Header {
            frame: self.frames,
            revision,
            mode,
            pose: Pose::from(&frame.camera),
            samples: shot.samples,
            target: view.target(),
            view_secs: self.view_time.as_secs_f32(),
            frame_secs: shot.elapsed.as_secs_f32(),
            encode_secs: 0.0,
            rays: shot.rays.total(),
            exposure: 0.0,
            memory_bytes: memory::resident(),
            input,
        };
        Some(Landed { picture, header })
    }

    /// A number for a picture that is shown once more.
    pub(super) fn next_frame_number(&mut self) -> u64 {
        self.frames += 1;
        self.frames
    }

    /// What the newest picture at rest is made of.
    pub(super) fn canvas(&self) -> Canvas {
        self.rest.canvas.clone()
    }

    fn track(&self, mode: Mode) -> &Track {
        if mode == Mode::Moving { &self.moving } else { &self.rest }
    }
}
