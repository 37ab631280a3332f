#![allow(unsafe_code, reason = "a hint to the memory system has no safe form in the standard library")]

/// Asks for all cache lines of `items[index]`, which will be read soon. Does nothing beyond the end.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(index) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(item).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(64) {
            // SAFETY: a prefetch reads nothing and never faults, whatever the address; `wrapping_add` makes no promise.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}
