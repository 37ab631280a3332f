//! Guide tables: where the search of a cumulative distribution function begins and ends [Chen74, cutpoint method].
//!
//! A search that halves the whole function reads a dozen values far apart. A guide table of as many entries as there
//! are pieces leaves two values on average, and gives the same piece.

/// Appends the guide table of a cumulative distribution function of n pieces: n + 1 indices. Entry k is the number of
/// values whose bucket is below k.
#[allow(clippy::cast_possible_truncation, reason = "tables have fewer than 2^32 entries")]
pub(super) fn append(guide: &mut Vec<u32>, cumulative: &[f32]) {
    let pieces = cumulative.len() - 1;
    let mut below = 0;
    for k in 0..=pieces {
        while below < cumulative.len() && bucket(cumulative[below], pieces) < k {
            below += 1;
        }
        guide.push(below as u32);
    }
}

/// Returns the number of values of a cumulative distribution function that are at most `u` < 1, with its guide table.
///
/// The bucket is monotone in its argument. So all values of lower buckets than that of `u` are at most `u`, and all of
/// higher ones are above: rounding changes nothing.
#[inline(always)]
pub(super) fn count_up_to(cumulative: &[f32], guide: &[u32], u: f32) -> usize {
    let k = bucket(u, cumulative.len() - 1);
    let (start, end) = (guide[k] as usize, guide.get(k + 1).map_or(cumulative.len(), |&end| end as usize));
    start + cumulative[start..end].partition_point(|&before| before <= u)
}

/// Returns the bucket of a number from 0 to 1. Large numbers of pieces are rounded, so the product may exceed them.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the number of pieces")]
fn bucket(x: f32, pieces: usize) -> usize {
    ((x * pieces as f32) as usize).min(pieces)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sunfleck_math::float::ONE_MINUS_EPSILON;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_those_of_a_search(mut weights in prop::collection::vec(0.0f32..1.0, 1..300), power in 1..12) {
            weights.iter_mut().for_each(|w| *w = w.powi(power));
            weights.push(1e-3);
            let sum: f32 = weights.iter().sum();
            let mut cumulative = vec![0.0];
            cumulative.extend(weights.iter().scan(0.0, |run, w| { *run += w; Some((*run / sum).min(1.0)) }));
            let mut guide = Vec::new();
            append(&mut guide, &cumulative);
            let near = cumulative.iter().flat_map(|&x| [x, x.next_down(), x.next_up()]);
            let even = (0..1000u16).map(|i| f32::from(i) / 1000.0);
            for u in near.chain(even).map(|u| u.clamp(0.0, ONE_MINUS_EPSILON)) {
                let expected = cumulative.partition_point(|&before| before <= u);
                prop_assert_eq!(count_up_to(&cumulative, &guide, u), expected, "at {}", u);
            }
        }
    }
}
