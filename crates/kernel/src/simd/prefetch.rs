//! Prefetching of nodes and blocks.
#![allow(unsafe_code, reason = "a hint to the memory system has no safe form in the standard library")]

/// Address to prefetch from, such as the start of an array or an item in it.
#[derive(Clone, Copy)]
pub(crate) struct PrefetchAddress(usize);

impl PrefetchAddress {
    /// Returns the address of the first item.
    #[inline(always)]
    pub(crate) fn of<T>(items: &[T]) -> Self {
        Self(items.as_ptr().addr())
    }

    /// Returns `other` if `mask` is all ones, or `self` if it is zero, without a branch.
    #[inline(always)]
    pub(crate) fn or(self, other: Self, mask: usize) -> Self {
        Self(self.0 ^ ((self.0 ^ other.0) & mask))
    }

    /// Returns the address plus `bytes`.
    #[inline(always)]
    pub(crate) fn after(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// Prefetches the four cache lines from this address on; does nothing on CPUs other than x86-64.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        #[cfg(target_arch = "x86_64")]
        for line in 0..4 {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let address = std::ptr::without_provenance::<i8>(self.0.wrapping_add(64 * line));
            // SAFETY: a prefetch reads nothing and never faults, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        }
    }
}
