use std::sync::{Arc, Weak};

use sunfleck_gpu::GpuError;
use sunfleck_image::AovSet;
use sunfleck_integrators::{Algorithm, World};

use super::Health;
use super::interface::{Backend, FrameOrder};
use crate::canvas::Accumulation;
use crate::job::Job;
use crate::ticket::FrameResult;

/// Backends that are tried one after the other: what one cannot render is left to the next. This is the only place
/// that falls back.
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
}

impl InTurn {
    /// * `trouble` — why a backend that was asked for is missing.
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

    /// Renders a frame by the first backend that can. `None`: none can, and the canvas has its earlier samples, or a
    /// few more.
    pub(super) fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Option<FrameResult> {
        let (mut at, mut refused) = (0, false);
        while let Some(candidate) = self.candidates.get_mut(at) {
            match candidate.render(order, work) {
                Ok(result) => {
                    // A backend without a GPU is a fallback, or no GPU was requested
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
        let request = Request { algorithm: *algorithm, aovs: frame.aovs, size: [frame.width, frame.height] };
        if let Some((of, refused, why)) = &self.refused
            && of.as_ptr() == Arc::as_ptr(world)
            && *refused == request
        {
            return Err(why.clone());
        }
        let backend = &mut self.backend;
        let mut attempt = || {
            backend.check(algorithm)?;
            backend.prepare(world)?;
            backend.render(order, work)
        };
        let made = match attempt() {
            // Cached memory is worth less than this frame
            Err(GpuError::OutOfMemory { .. }) if self.backend.forget() => {
                self.backend.prepare(world).and_then(|()| self.backend.render(order, work))
            }
            made => made,
        };
        made.inspect_err(|why| self.refused = Some((Arc::downgrade(world), request, why.clone())))
    }
}

/// Returns whether a backend that failed with this error can render nothing else, either.
fn is_final(why: &GpuError) -> bool {
    matches!(why, GpuError::Lost { .. } | GpuError::Shader { .. })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use sunfleck_image::Film;
    use sunfleck_integrators::{RayCount, RenderOutcome, StopReason};

    use super::*;
    use crate::ticket::RenderedBy;
    use crate::{Canvas, FrameRequest};

    /// Null backend for tests: it returns prepared answers, and records its requests.
    #[derive(Debug)]
    struct Null {
        name: &'static str,
        answers: Vec<Result<(), GpuError>>,
        /// Image width that it refuses.
        refuses: u32,
        keeps_memory: bool,
        asked: Arc<Mutex<Vec<&'static str>>>,
    }

    impl Backend for Null {
        fn gpu(&self) -> Option<Arc<str>> {
            Some(self.name.into())
        }

        fn check(&self, _algorithm: &Algorithm) -> Result<(), GpuError> {
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
            if job.frame.width == self.refuses {
                return Err(GpuError::Unsupported { what: "this width" });
            }
            self.asked.lock().unwrap().push(self.name);
            if !self.answers.is_empty() {
                self.answers.remove(0)?;
            }
            let film: Film = work.film_for(&job.world, &job.frame);
            let outcome =
                RenderOutcome::new(StopReason::Done, Duration::ZERO, RayCount::default(), work.next + 1);
            Ok(work.return_film(film, algorithm, &outcome, RenderedBy::PROCESSOR))
        }

        fn forget(&mut self) -> bool {
            std::mem::take(&mut self.keeps_memory)
        }
    }

    /// Renders frames of these widths by a backend with these answers and one that can render everything. Returns the
    /// requests, whether there was trouble, and the reported device.
    fn run(
        answers: Vec<Result<(), GpuError>>,
        keeps_memory: bool,
        widths: &[u32],
    ) -> Vec<(String, bool, Option<Arc<str>>)> {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let null = |name, answers, refuses, keeps_memory| -> Box<dyn Backend> {
            Box::new(Null { name, answers, refuses, keeps_memory, asked: asked.clone() })
        };
        let mut backends = InTurn::new(
            [null("first", answers, 13, keeps_memory), null("second", Vec::new(), 0, false)],
            None,
        );
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let canvas = Canvas::new();
        let mut rows = Vec::new();
        for &width in widths {
            let frame = FrameRequest { width, ..FrameRequest::new(world.cameras()[0].clone(), 8, 8) };
            let (ticket, job) = Job::new(world.committed(), &frame, &canvas);
            backends.run(&job);
            assert_eq!(ticket.wait().ended, StopReason::Done, "one backend can always render");
            let names = asked.lock().unwrap().drain(..).collect::<Vec<_>>().join(" ");
            rows.push((names, backends.health().trouble().is_some(), backends.health().name()));
        }
        rows
    }

    fn row(asked: &str, trouble: bool, name: Option<&str>) -> (String, bool, Option<Arc<str>>) {
        (asked.into(), trouble, name.map(Into::into))
    }

    const FIRST: Option<&str> = Some("first");

    #[test]
    fn the_next_does_what_one_cannot_and_the_same_is_not_asked_for_again() {
        let rows = run(Vec::new(), false, &[8, 13, 8]);
        assert_eq!(
            rows,
            [row("first", false, FIRST), row("second", true, FIRST), row("first", false, FIRST)]
        );
        let refusal = GpuError::TooLarge { what: "a picture", bytes: 9, limit: 8 };
        let rows = run(vec![Err(refusal)], false, &[8, 8, 9]);
        let expected =
            [row("first second", true, FIRST), row("second", true, FIRST), row("first", false, FIRST)];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_lost_backend_is_not_asked_again() {
        let rows = run(vec![Ok(()), Err(GpuError::lost("off the bus"))], false, &[8, 8, 8]);
        assert_eq!(rows[..2], [row("first", false, FIRST), row("first second", true, None)]);
        assert_eq!(rows[2].0, "second");
    }

    #[test]
    fn memory_is_released_before_the_next_backend_is_asked() {
        let full = || Err(GpuError::OutOfMemory { what: "a film", bytes: 9 });
        assert_eq!(run(vec![full()], true, &[8]), [row("first first", false, FIRST)]);
        assert_eq!(run(vec![full(), full()], true, &[8]), [row("first first second", true, FIRST)]);
        assert_eq!(run(vec![full()], false, &[8]), [row("first second", true, FIRST)]);
    }
}
