/// Rays in flight.
pub(super) const SLOTS: u32 = 32;

/// The slots that wait for each kind of step, as one bit for each slot.
#[derive(Clone, Copy, Default)]
pub(super) struct QueueMasks {
    pub(super) node: u32,
    pub(super) leaf: u32,
    /// To enter instances.
    pub(super) enter: u32,
    /// To look at what the leaf test found.
    pub(super) hit: u32,
    /// To leave an instance, or to deliver its result and take another ray.
    pub(super) done: u32,
}

/// What a slot waits for, as zeros and ones.
#[derive(Clone, Copy)]
pub(super) struct QueueBits {
    /// There is something to look at.
    pub(super) hit: u32,
    /// There is nothing more to visit.
    pub(super) end: u32,
    /// What comes next is a leaf.
    pub(super) leaf: u32,
    /// What comes next is of the top level.
    pub(super) top: u32,
}

impl QueueMasks {
    /// Notes what a slot waits for; does not branch.
    #[inline(always)]
    pub(super) fn note(&mut self, slot: u32, wait: QueueBits) {
        let QueueBits { hit, end, leaf, top } = wait;
        let leaf_comes = leaf & !end & !hit;
        self.hit |= hit << slot;
        self.done |= (end & !hit) << slot;
        self.leaf |= (leaf_comes & !top) << slot;
        self.enter |= (leaf_comes & top) << slot;
        self.node |= ((leaf | hit) ^ 1) << slot;
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Self) {
        self.node |= other.node;
        self.leaf |= other.leaf;
        self.enter |= other.enter;
        self.hit |= other.hit;
        self.done |= other.done;
    }
}

/// Takes the lowest bit.
#[inline(always)]
pub(super) fn take(mask: &mut u32) -> u32 {
    let slot = mask.trailing_zeros();
    *mask &= mask.wrapping_sub(1);
    slot
}
