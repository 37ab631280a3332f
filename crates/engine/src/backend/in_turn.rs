use std::sync::{Arc, Weak};

use sunfleck_gpu::GpuError;
use sunfleck_image::{AovSet, TileRect};
use sunfleck_integrators::{Algorithm, World};

use super::Health;
use super::interface::{Backend, FrameOrder};
use crate::canvas::Accumulation;
use crate::job::Job;
use crate::ticket::FrameResult;

/// Backends in the order in which they are tried: a frame that one of them cannot render is left to the next. This type
/// alone falls back from one backend to another.
#[derive(Debug)]
pub(crate) struct InTurn {
    candidates: Vec<Candidate>,
    health: Health,
}

#[derive(Debug)]
struct Candidate {
    backend: Box<dyn Backend>,
    /// The last refused request with its reason, so that it is not attempted again.
    refused: Option<(Weak<World>, Request, GpuError)>,
}

/// A request that a backend may refuse.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Request {
    algorithm: Algorithm,
    aovs: AovSet,
    size: [u32; 2],
    shows_environment: bool,
    window: Option<TileRect>,
}

impl InTurn {
    /// Returns the given backends, to be tried in their order.
    ///
    /// * `trouble` — reason why a requested backend is missing.
    pub(super) fn new(
        backends: impl IntoIterator<Item = Box<dyn Backend>>,
        trouble: Option<GpuError>,
    ) -> Self {
        let candidate = |backend| Candidate { backend, refused: None };
        let candidates: Vec<_> = backends.into_iter().map(candidate).collect();
        let gpu = candidates.first().and_then(|first| first.backend.gpu());
        Self { candidates, health: Health::new(gpu, trouble) }
    }

    /// Returns the health of the GPU.
    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    /// Renders a frame on the first backend that can render it. Returns `None` if no backend can; the canvas then keeps
    /// its earlier samples, and perhaps a few more.
    pub(super) fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Option<FrameResult> {
        let (mut at, mut refused) = (0, false);
        while let Some(candidate) = self.candidates.get_mut(at) {
            match candidate.render(order, work) {
                Ok(result) => {
                    // A backend without a GPU is a fallback, or no GPU was requested: the health stays as it is
                    if !refused && candidate.backend.gpu().is_some() {
                        self.health.report_success();
                    }
                    let elapsed = if refused { order.begun.elapsed() } else { result.elapsed };
                    return Some(FrameResult { elapsed, ..result });
                }
                Err(why) => {
                    let gone = is_final(&why);
                    self.health.report_failure(why, gone);
                    refused = true;
                    if gone {
                        self.candidates.remove(at);
                    } else {
                        at += 1;
                    }
                }
            }
        }
        None
    }
}

impl Candidate {
    fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Result<FrameResult, GpuError> {
        let &FrameOrder { job: Job { world, frame, .. }, algorithm, .. } = order;
        if self.backend.gpu().is_some() && work.is_resumed() {
            // Some pixels may have samples of a pass that others lack
            return Err(GpuError::Unsupported { what: "images that were interrupted" });
        }
        let request = Request {
            algorithm: *algorithm,
            aovs: frame.aovs,
            size: [frame.width, frame.height],
            shows_environment: frame.shows_environment,
            window: frame.window,
        };
        if let Some((refused_world, refused, why)) = &self.refused
            && refused_world.as_ptr() == Arc::as_ptr(world)
            && *refused == request
        {
            return Err(why.clone());
        }
        let backend = &mut self.backend;
        let mut attempt = || {
            backend.check(frame, algorithm)?;
            backend.prepare(world)?;
            backend.render(order, work)
        };
        let result = match attempt() {
            // Try again without cached memory
            Err(GpuError::OutOfMemory { .. }) if self.backend.forget() => {
                self.backend.prepare(world).and_then(|()| self.backend.render(order, work))
            }
            result => result,
        };
        result.inspect_err(|why| self.refused = Some((Arc::downgrade(world), request, why.clone())))
    }
}

/// Returns whether a backend that failed with this error cannot render any further frame.
fn is_final(why: &GpuError) -> bool {
    matches!(why, GpuError::Lost { .. } | GpuError::Shader { .. })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use sunfleck_image::Film;
    use sunfleck_integrators::path::PathTracer;
    use sunfleck_integrators::{RayCount, RenderOutcome, RenderStart, RenderState, Schedule, StopReason};

    use super::*;
    use crate::backend::cpu::OnCpu;
    use crate::ticket::RenderedBy;
    use crate::{Canvas, FrameRequest};

    /// Mock backend that returns prepared answers and records when it is called.
    #[derive(Debug)]
    struct MockBackend {
        name: &'static str,
        answers: Vec<Result<(), GpuError>>,
        /// Image width that the backend refuses.
        refused_width: u32,
        /// Whether there is cached memory to release.
        has_cache: bool,
        calls: Arc<Mutex<Vec<&'static str>>>,
    }

    impl Backend for MockBackend {
        fn gpu(&self) -> Option<Arc<str>> {
            Some(self.name.into())
        }

        fn check(&self, _frame: &FrameRequest, _algorithm: &Algorithm) -> Result<(), GpuError> {
            Ok(())
        }

        fn prepare(&mut self, _world: &Arc<World>) -> Result<(), GpuError> {
            Ok(())
        }

        fn render(
            &mut self,
            order: &FrameOrder<'_>,
            work: &mut Accumulation,
        ) -> Result<FrameResult, GpuError> {
            let FrameOrder { job, algorithm, .. } = order;
            if job.frame.width == self.refused_width {
                return Err(GpuError::Unsupported { what: "this width" });
            }
            self.calls.lock().unwrap().push(self.name);
            if !self.answers.is_empty() {
                self.answers.remove(0)?;
            }
            let film: Film = work.film_for(&job.world, &job.frame);
            let outcome =
                RenderOutcome::new(StopReason::Done, Duration::ZERO, RayCount::default(), work.next + 1);
            Ok(work.return_film(film, algorithm, &outcome, RenderedBy::PROCESSOR))
        }

        fn forget(&mut self) -> bool {
            std::mem::take(&mut self.has_cache)
        }
    }

    /// Renders frames of the given widths on a mock backend with the given answers, or else on a second one that can
    /// render everything. Returns for each frame the backends that were called, whether there was trouble, and the name
    /// of the GPU.
    fn run(
        answers: Vec<Result<(), GpuError>>,
        has_cache: bool,
        widths: &[u32],
    ) -> Vec<(String, bool, Option<Arc<str>>)> {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let mock = |name, answers, refused_width, has_cache| -> Box<dyn Backend> {
            Box::new(MockBackend { name, answers, refused_width, has_cache, calls: calls.clone() })
        };
        let mut backends =
            InTurn::new([mock("first", answers, 13, has_cache), mock("second", Vec::new(), 0, false)], None);
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let canvas = Canvas::new();
        let mut rows = Vec::new();
        for &width in widths {
            let frame = FrameRequest { width, ..FrameRequest::new(world.cameras()[0].clone(), 8, 8) };
            let (ticket, job) = Job::new(world.committed(), &frame, &canvas);
            backends.run(&job);
            assert_eq!(ticket.wait().ended, StopReason::Done, "one backend can always render");
            let names = calls.lock().unwrap().drain(..).collect::<Vec<_>>().join(" ");
            rows.push((names, backends.health().trouble().is_some(), backends.health().name()));
        }
        rows
    }

    fn row(calls: &str, trouble: bool, name: Option<&str>) -> (String, bool, Option<Arc<str>>) {
        (calls.into(), trouble, name.map(Into::into))
    }

    const FIRST: Option<&str> = Some("first");

    #[test]
    fn refused_frames_fall_back_and_are_not_tried_again() {
        let rows = run(Vec::new(), false, &[8, 13, 8]);
        assert_eq!(
            rows,
            [row("first", false, FIRST), row("second", true, FIRST), row("first", false, FIRST)]
        );
        let refusal = GpuError::TooLarge { what: "an image", bytes: 9, limit: 8 };
        let rows = run(vec![Err(refusal)], false, &[8, 8, 9]);
        let expected =
            [row("first second", true, FIRST), row("second", true, FIRST), row("first", false, FIRST)];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_lost_backend_is_not_called_again() {
        let rows = run(vec![Ok(()), Err(GpuError::lost("off the bus"))], false, &[8, 8, 8]);
        assert_eq!(rows[..2], [row("first", false, FIRST), row("first second", true, None)]);
        assert_eq!(rows[2].0, "second");
    }

    #[test]
    fn cached_memory_is_released_before_falling_back() {
        let full = || Err(GpuError::OutOfMemory { what: "a film", bytes: 9 });
        assert_eq!(run(vec![full()], true, &[8]), [row("first first", false, FIRST)]);
        assert_eq!(run(vec![full(), full()], true, &[8]), [row("first first second", true, FIRST)]);
        assert_eq!(run(vec![full()], false, &[8]), [row("first second", true, FIRST)]);
    }

    #[test]
    fn an_interrupted_image_is_continued_on_the_cpu() {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let gpu: Box<dyn Backend> = Box::new(MockBackend {
            name: "gpu",
            answers: Vec::new(),
            refused_width: 0,
            has_cache: false,
            calls: calls.clone(),
        });
        let cpu = Box::new(OnCpu::new(Schedule::default()));
        let mut backends = InTurn::new([gpu, cpu], None);
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let algorithm = PathTracer::DEFAULT.into();
        let frame = FrameRequest { algorithm, ..FrameRequest::new(world.cameras()[0].clone(), 8, 8) };
        let canvas = Canvas::new();
        let film = Film::of_window(frame.film_window(), frame.aovs);
        let state = RenderState { film, start: RenderStart::default(), rays: RayCount::default() };
        canvas.resume(&world, &frame, state);
        for expected in [&[][..], &["gpu"]] {
            let (ticket, job) = Job::new(world.committed(), &frame, &canvas);
            backends.run(&job);
            assert_eq!(ticket.wait().ended, StopReason::Done);
            assert_eq!(calls.lock().unwrap().drain(..).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_window_outside_the_image_fails() {
        let mut backends = InTurn::new([Box::new(OnCpu::new(Schedule::default())) as Box<dyn Backend>], None);
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        for (x0, ended) in [(7, StopReason::Done), (8, StopReason::Failed)] {
            let window = Some(TileRect { x0, y0: 0, x1: 12, y1: 4 });
            let algorithm = PathTracer::DEFAULT.into();
            let frame =
                FrameRequest { algorithm, window, ..FrameRequest::new(world.cameras()[0].clone(), 8, 8) };
            let (ticket, job) = Job::new(world.committed(), &frame, &Canvas::new());
            backends.run(&job);
            assert_eq!(ticket.wait().ended, ended, "{x0}");
        }
    }
}
