/// Number of rays in flight.
pub(super) const SLOTS: u32 = 32;

/// Queues of slots by the kind of their next step, as masks with one bit per slot.
#[derive(Clone, Copy, Default)]
pub(super) struct QueueMasks {
    /// Slots about to visit an inner node.
    pub(super) node: u32,
    /// Slots about to test a leaf.
    pub(super) leaf: u32,
    /// Slots about to enter an instance.
    pub(super) enter: u32,
    /// Slots whose leaf test found candidates.
    pub(super) hit: u32,
    /// Slots that leave an instance, or deliver their result and take another ray.
    pub(super) done: u32,
}

/// Next step of a slot, as zeros and ones.
#[derive(Clone, Copy)]
pub(super) struct QueueBits {
    /// The leaf test found candidates.
    pub(super) hit: u32,
    /// The stack is empty.
    pub(super) end: u32,
    /// The next child is a leaf.
    pub(super) leaf: u32,
    /// The next child belongs to the top level.
    pub(super) top: u32,
}

impl QueueMasks {
    /// Records the next step of a slot. Branch-free.
    #[inline(always)]
    pub(super) fn record(&mut self, slot: u32, step: QueueBits) {
        let QueueBits { hit, end, leaf, top } = step;
        let is_leaf = leaf & !end & !hit;
        self.hit |= hit << slot;
        self.done |= (end & !hit) << slot;
        self.leaf |= (is_leaf & !top) << slot;
        self.enter |= (is_leaf & top) << slot;
        self.node |= ((leaf | hit) ^ 1) << slot;
    }

    /// Adds the slots of other queues.
    #[inline(always)]
    pub(super) fn add(&mut self, other: Self) {
        self.node |= other.node;
        self.leaf |= other.leaf;
        self.enter |= other.enter;
        self.hit |= other.hit;
        self.done |= other.done;
    }
}

/// Removes the lowest bit of a mask and returns its index.
#[inline(always)]
pub(super) fn take_lowest(mask: &mut u32) -> u32 {
    let slot = mask.trailing_zeros();
    *mask &= mask.wrapping_sub(1);
    slot
}
