//! Which frame is rendered next: quick ones while something changes, better and better ones at rest; of one picture, or of two that are
//! compared.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use sunfleck_engine::{Canvas, EditableWorld, Engine, FrameRequest, FrameResult, Ticket};
use sunfleck_image::Picture;
use sunfleck_integrators::StopReason;
use tokio::sync::mpsc;

use super::event::Event;
use super::method::Method;
use super::pace::Pace;
use super::view::View;
use crate::encode::{Header, Mode, Progress, StageSecs};
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
    /// Of the picture, and of the one beside it.
    sides: [Side; 2],
    flight: Option<Flight>,
    /// The quick frame of the second side, from where the first was just seen.
    due: Option<FrameRequest>,
    /// Counts changes of what is seen.
    change: u64,
    last_change: Instant,
    /// The change whose frames make the renderer panic: they are not tried again.
    failed: Option<u64>,
    /// Of the client who edits.
    input: Option<u64>,
    frames: u64,
}

/// A picture that is made.
#[derive(Debug, Default)]
struct Side {
    moving: Track,
    rest: Track,
    /// At rest.
    samples: u32,
    view_time: Duration,
    /// The newest.
    picture: Option<Arc<Picture>>,
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
    /// Which side it is for; both, if it is for the first and the second wants the same.
    side: usize,
    both: bool,
    change: u64,
    frame: FrameRequest,
    revision: u64,
    input: Option<u64>,
    before: u32,
}

/// What has become of a frame.
#[derive(Debug)]
pub(super) enum Landed {
    /// Pictures that are worth showing: one, or two to be compared.
    Pictures(Vec<Arc<Picture>>, Box<Header>),
    /// Nothing yet.
    Nothing,
    /// The renderer has panicked.
    Failed,
}

impl Renderer {
    pub(super) fn new(engine: Engine, waiter: Sender<Arc<Ticket>>) -> Self {
        Self {
            engine,
            waiter,
            sides: Default::default(),
            flight: None,
            due: None,
            change: 0,
            last_change: Instant::now(),
            failed: None,
            input: None,
            frames: 0,
        }
    }

    /// Something else will be seen.
    pub(super) fn touch(&mut self, input: Option<u64>) {
        self.change += 1;
        self.last_change = Instant::now();
        for side in &mut self.sides {
            (side.samples, side.view_time) = (0, Duration::ZERO);
            // The same view may come back: what it looks like then is a function of its samples, not of what was left from before
            side.rest.canvas = Canvas::new();
        }
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

    /// Starts the next frame if none is being rendered and the pictures are not done.
    pub(super) fn go_on(&mut self, world: &EditableWorld, view: &View) {
        if self.flight.is_some() || self.failed == Some(self.change) {
            return;
        }
        let methods: Vec<Method> = view.methods().collect();
        if methods.len() < 2 {
            (self.sides[1], self.due) = Default::default();
        }
        let pixels = view.pixels().map(u64::from).iter().product();
        if let Some(frame) = self.due.take() {
            self.start(world, Mode::Moving, 1, false, frame);
        } else if self.last_change.elapsed() < REST {
            self.start_moving(world, view, &methods, pixels);
        } else {
            self.start_resting(world, view, &methods, pixels);
        }
    }

    /// A quick frame, and if there are two sides that want different ones, the other right after it.
    fn start_moving(&mut self, world: &EditableWorld, view: &View, methods: &[Method], pixels: u64) {
        let on_gpu = self.engine.gpu().is_some() && self.engine.trouble().is_none();
        let quick = |method: &Method| (method.moving(on_gpu), method.channel);
        let distinct = methods.get(1).is_some_and(|second| quick(second) != quick(&methods[0]));
        let [first, second] = &mut self.sides;
        // Both in the time of one, and equally large: else the eye compares sizes
        let scale = match distinct {
            true => first.moving.pace.scale(2 * pixels).min(second.moving.pace.scale(2 * pixels)),
            false => first.moving.pace.scale(pixels),
        };
        self.due = distinct.then(|| view.moving_frame(&methods[1], scale, on_gpu));
        self.start(
            world,
            Mode::Moving,
            0,
            methods.len() == 2 && !distinct,
            view.moving_frame(&methods[0], scale, on_gpu),
        );
    }

    /// The side that has had less time: so algorithms are compared at equal time.
    fn start_resting(&mut self, world: &EditableWorld, view: &View, methods: &[Method], pixels: u64) {
        let left = |at: usize| view.target(&methods[at]).saturating_sub(self.sides[at].samples);
        let open = (0..methods.len()).filter(|&at| left(at) > 0);
        let Some(at) = open.min_by_key(|&at| self.sides[at].view_time) else { return };
        let samples = self.sides[at].rest.pace.samples(pixels).min(left(at));
        self.start(world, Mode::Rest, at, false, view.rest_frame(&methods[at], samples));
    }

    fn start(&mut self, world: &EditableWorld, mode: Mode, side: usize, both: bool, frame: FrameRequest) {
        let before = if mode == Mode::Rest { self.sides[side].samples } else { 0 };
        let ticket = Arc::new(self.engine.render(world, &frame, &self.sides[side].track(mode).canvas));
        // The waiter lives as long as events are read
        drop(self.waiter.send(ticket.clone()));
        let (change, input) = (self.change, self.input);
        let revision = world.committed().revision();
        self.flight = Some(Flight { ticket, mode, side, both, change, frame, revision, input, before });
    }

    /// The frame in flight has ended; what of it is worth showing.
    pub(super) fn land(&mut self, shot: &FrameResult, view: &View) -> Landed {
        let Some(flight) = self.flight.take() else { return Landed::Nothing };
        if shot.ended == StopReason::Failed {
            (self.failed, self.due) = (Some(flight.change), None);
            return Landed::Failed;
        }
        self.pictures(&flight, shot, view).unwrap_or(Landed::Nothing)
    }

    fn pictures(&mut self, flight: &Flight, shot: &FrameResult, view: &View) -> Option<Landed> {
        let Flight { mode, side: at, both, change, ref frame, before, .. } = *flight;
        let pixels = u64::from(frame.width) * u64::from(frame.height);
        let current = change == self.change;
        let new = shot.samples.saturating_sub(before);
        if shot.samples == 0 || (mode == Mode::Rest && (!current || new == 0)) {
            return None;
        }
        let side = &mut self.sides[at];
        // Moving frames of a view that stands still add up: their ticket counts all of them
        let took = if mode == Mode::Moving { 1 } else { new };
        side.track(mode).pace.learn(pixels, took, shot.elapsed);
        if mode == Mode::Rest {
            side.samples = shot.samples;
            side.view_time += shot.elapsed;
        }
        let canvas = &side.track(mode).canvas;
        let picture = match frame.aovs.iter().next() {
            None => canvas.picture()?,
            Some(channel) => Arc::new(canvas.film()?.shown(channel)?),
        };
        if both {
            self.sides[1].picture = Some(picture.clone());
        }
        self.sides[at].picture = Some(picture);
        let methods: Vec<Method> = view.methods().collect();
        let pictures: Vec<_> =
            self.sides.iter().map_while(|side| side.picture.clone()).take(methods.len()).collect();
        // The other one of the same moment is to come; or the comparison has begun meanwhile
        if self.due.is_some() || pictures.len() < methods.len() {
            return None;
        }
        let header = self.header(flight, shot, view, &methods);
        Some(Landed::Pictures(pictures, Box::new(header)))
    }

    fn header(&mut self, flight: &Flight, shot: &FrameResult, view: &View, methods: &[Method]) -> Header {
        let progress = |at: usize, method: &Method| Progress {
            samples: if flight.mode == Mode::Moving { 1 } else { self.sides[at].samples },
            target: view.target(method),
            view_secs: self.sides[at].view_time.as_secs_f32(),
        };
        let stage = |(stage, time): (sunfleck_integrators::RenderStage, Duration)| {
            StageSecs(stage.name(), time.as_secs_f32())
        };
        let header = Header {
            frame: self.frames + 1,
            revision: flight.revision,
            change: flight.change,
            mode: flight.mode,
            pose: Pose::from(&flight.frame.camera),
            first: progress(0, &methods[0]),
            second: methods.get(1).map(|method| progress(1, method)),
            side: flight.side,
            pictures: Vec::new(),
            frame_secs: shot.elapsed.as_secs_f32(),
            encode_secs: 0.0,
            stages: match shot.stages.iter().next() {
                Some(_) => shot.stages.iter().map(stage).collect(),
                None => vec![StageSecs(shot.by.name, shot.elapsed.as_secs_f32())],
            },
            rays: shot.rays.total(),
            vpls: shot.vpls,
            by: self.by_whom(shot),
            exposure: 0.0,
            memory_bytes: memory::resident(),
            input: flight.input,
        };
        self.frames += 1;
        header
    }

    /// Who rendered a frame, and why not the one who should.
    fn by_whom(&self, shot: &FrameResult) -> String {
        match (self.engine.gpu(), self.engine.trouble()) {
            (Some(gpu), None) => shot.by.name.replacen("GPU", &gpu, 1),
            (_, Some(why)) => format!("{}, since {why}", shot.by.name),
            (None, None) => shot.by.name.into(),
        }
    }

    /// How often what is seen has changed.
    pub(super) fn change(&self) -> u64 {
        self.change
    }

    /// A number for pictures that are shown once more.
    pub(super) fn next_frame_number(&mut self) -> u64 {
        self.frames += 1;
        self.frames
    }

    /// What the newest picture at rest is made of.
    pub(super) fn canvas(&self) -> Canvas {
        self.sides[0].rest.canvas.clone()
    }
}

impl Side {
    fn track(&mut self, mode: Mode) -> &mut Track {
        if mode == Mode::Moving { &mut self.moving } else { &mut self.rest }
    }
}
