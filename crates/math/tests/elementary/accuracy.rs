//! Largest error of each elementary function of one argument, measured against the platform's f64 functions.
#![allow(
    clippy::cast_possible_truncation,
    reason = "arguments are made from bits and rounded to f32 intentionally"
)]
#![allow(clippy::disallowed_methods, reason = "the platform's f64 functions are the reference")]
#![allow(clippy::print_stdout, reason = "`--nocapture` shows the largest errors")]

use std::sync::atomic::{AtomicU64, Ordering};

use crate::reference::ulp_error;
use fearless_simd::{Level, Simd, dispatch};

const CHUNK: usize = 4096;

/// Function of one argument with its reference function and its documented error bound.
struct AccuracyCase {
    name: &'static str,
    /// Runs the function over an array, compiled for the best SIMD level of this machine.
    run: fn(&mut [f32]),
    reference: fn(f64) -> f64,
    max_ulp: f64,
    /// Largest magnitude of arguments for which the bound holds.
    max_argument: f32,
}

macro_rules! accuracy_case {
    ($function:ident, $reference:expr, $max_ulp:literal $(, |x| <= $max_argument:literal)?) => {{
        #[inline(always)]
        fn run_at<S: Simd>(simd: S, values: &mut [f32]) {
            simd.vectorize(
                #[inline(always)]
                || values.iter_mut().for_each(|x| *x = sunfleck_math::$function(*x)),
            );
        }
        AccuracyCase {
            name: stringify!($function),
            run: |values| dispatch!(Level::new(), simd => run_at(simd, values)),
            reference: $reference,
            max_ulp: $max_ulp,
            max_argument: [$($max_argument,)? f32::INFINITY][0],
        }
    }};
}

fn accuracy_cases() -> [AccuracyCase; 11] {
    [
        accuracy_case!(sin, f64::sin, 1.0, |x| <= 2_097_152.0),
        accuracy_case!(cos, f64::cos, 1.0, |x| <= 2_097_152.0),
        accuracy_case!(tan, f64::tan, 1.5, |x| <= 2_097_152.0),
        accuracy_case!(asin, f64::asin, 1.5),
        accuracy_case!(acos, f64::acos, 1.5),
        accuracy_case!(atan, f64::atan, 1.5),
        accuracy_case!(exp, f64::exp, 1.0),
        accuracy_case!(exp2, f64::exp2, 1.0),
        accuracy_case!(log, f64::ln, 1.0),
        accuracy_case!(log2, f64::log2, 1.0),
        accuracy_case!(tanh, f64::tanh, 1.5),
    ]
}

/// Returns the largest error, and its argument, among `count` floats with the bits `first, first + step, …`.
fn worst(case: &AccuracyCase, first: u32, step: u32, count: usize) -> (f64, f32) {
    let mut worst = (0.0, 0.0);
    let mut arguments = [0.0; CHUNK];
    for start in (0..count).step_by(CHUNK) {
        let n = CHUNK.min(count - start);
        for (i, x) in arguments[..n].iter_mut().enumerate() {
            *x = f32::from_bits(first.wrapping_add(step.wrapping_mul((start + i) as u32)));
        }
        let mut results = arguments;
        (case.run)(&mut results[..n]);
        for (&x, &got) in arguments[..n].iter().zip(&results) {
            if x.abs() <= case.max_argument || !x.is_finite() {
                let error = ulp_error(got, (case.reference)(f64::from(x)));
                if error > worst.0 {
                    worst = (error, x);
                }
            }
        }
    }
    worst
}

fn check(case: &AccuracyCase, (error, x): (f64, f32)) {
    println!("{:6} {error:.4} ulp at {x:e}", case.name);
    assert!(error <= case.max_ulp, "{}({x:e}) is {error} ulp off, more than {}", case.name, case.max_ulp);
}

#[test]
fn errors_are_as_documented_on_two_million_arguments() {
    // An odd step visits every exponent, both signs, NaNs, and the neighbours of the infinities.
    for case in accuracy_cases() {
        check(&case, worst(&case, 0, 2039, (1 << 32) / 2039));
    }
}

#[test]
fn errors_are_as_documented_near_one() {
    // Every float in [0.98, 1.04), where logarithms are prone to cancellation and the domain of acos ends
    let (first, last) = (0.98f32.to_bits(), 1.04f32.to_bits());
    for case in accuracy_cases() {
        check(&case, worst(&case, first, 1, (last - first) as usize));
    }
}

#[test]
#[ignore = "all 2^32 arguments of every function: six minutes on two cores"]
fn errors_are_as_documented_on_all_arguments() {
    for case in accuracy_cases() {
        let next = AtomicU64::new(0);
        let blocks = 1 << 10;
        let size = (1u64 << 32) / blocks;
        let results = std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
            let work = || {
                let mut worst_here = (0.0, 0.0);
                loop {
                    let block = next.fetch_add(1, Ordering::Relaxed);
                    if block >= blocks {
                        return worst_here;
                    }
                    let block_worst = worst(&case, (block * size) as u32, 1, size as usize);
                    if block_worst.0 > worst_here.0 {
                        worst_here = block_worst;
                    }
                }
            };
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().map(|w| w.join().unwrap()).collect::<Vec<_>>()
        });
        check(&case, results.into_iter().fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a }));
    }
}
