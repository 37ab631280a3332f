use sunfleck_gpu::RayQuery;
use sunfleck_shaders::layout::Hit;

/// Bytes of a ray and its answer in flight.
pub(crate) const fn bytes_in_flight(query: RayQuery) -> u64 {
    let answer = match query {
        RayQuery::Closest => size_of::<Hit>(),
        RayQuery::Any => size_of::<bool>(),
    };
    (size_of::<sunfleck_math::Ray>() + answer) as u64
}

/// Answers to a batch of rays, in the order of the rays.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// Answers to [`RayQuery::Closest`]. A ray that hits nothing has `prim_id` [`Hit::MISS`] and the end of its
    /// interval as `t`.
    Closest(Vec<Hit>),
    /// Answers to [`RayQuery::Any`].
    Any(Vec<bool>),
}

impl Answers {
    /// Returns `rays` misses.
    pub(crate) fn none(query: RayQuery, rays: usize) -> Self {
        match query {
            RayQuery::Closest => {
                let miss = Hit { t: f32::INFINITY, u: 0.0, v: 0.0, prim_id: Hit::MISS, inst_id: Hit::MISS };
                Self::Closest(vec![miss; rays])
            }
            RayQuery::Any => Self::Any(vec![false; rays]),
        }
    }

    /// Returns the number of answers.
    pub fn len(&self) -> usize {
        match self {
            Self::Closest(hits) => hits.len(),
            Self::Any(found) => found.len(),
        }
    }

    /// Returns whether there are no answers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Borrowed answers, to be copied into a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FoundAnswers<'a> {
    Closest(&'a [Hit]),
    Any(&'a [bool]),
    /// Occlusion as a GPU writes it: 1 or 0.
    Words(&'a [u32]),
}

impl<'a> FoundAnswers<'a> {
    /// Returns a range of the answers.
    pub(crate) fn part(self, range: std::ops::Range<usize>) -> Self {
        match self {
            Self::Closest(hits) => Self::Closest(&hits[range]),
            Self::Any(found) => Self::Any(&found[range]),
            Self::Words(found) => Self::Words(&found[range]),
        }
    }

    /// Copies the answers into `answers` from index `start`.
    pub(crate) fn write(self, answers: &mut Answers, start: usize) {
        match (self, answers) {
            (Self::Closest(hits), Answers::Closest(to)) => to[start..][..hits.len()].copy_from_slice(hits),
            (Self::Any(found), Answers::Any(to)) => to[start..][..found.len()].copy_from_slice(found),
            (Self::Words(found), Answers::Any(to)) => {
                to[start..].iter_mut().zip(found).for_each(|(to, &found)| *to = found != 0);
            }
            _ => {}
        }
    }
}
