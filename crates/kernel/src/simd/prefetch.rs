#![allow(unsafe_code, reason = "a hint to the memory system has no safe form in the standard library")]

/// Where arrays begin, for hints about which of their items will be read soon.
#[derive(Clone, Copy)]
pub(crate) struct Start(usize);

impl Start {
    #[inline(always)]
    pub(crate) fn of<T>(items: &[T]) -> Self {
        Self(items.as_ptr().addr())
    }

    /// This one, or the other one where `mask` is all ones; does not branch.
    #[inline(always)]
    pub(crate) fn or(self, other: Self, mask: usize) -> Self {
        Self(self.0 ^ ((self.0 ^ other.0) & mask))
    }

    /// So many bytes later.
    #[inline(always)]
    pub(crate) fn after(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// Asks for the four cache lines from here on.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        #[cfg(target_arch = "x86_64")]
        for line in 0..4 {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let place = std::ptr::without_provenance::<i8>(self.0.wrapping_add(64 * line));
            // SAFETY: a prefetch reads nothing and never faults, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
        }
    }
}
