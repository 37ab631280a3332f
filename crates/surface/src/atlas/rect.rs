/// Rectangle of texels: a square, or twice as high as wide. Its sides are powers of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// Column of the first texel.
    pub x: u32,
    /// Row of the first texel.
    pub y: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl Rect {
    /// Returns a square with a corner at the first texel of the map.
    pub fn square(side: u32) -> Self {
        Self { x: 0, y: 0, width: side, height: side }
    }

    /// Returns the number of texels.
    pub fn texels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Returns both halves: those of a square are side by side, those of other rectangles above one another.
    #[must_use]
    pub fn halves(self) -> [Self; 2] {
        if self.width == self.height {
            let half = Self { width: self.width / 2, ..self };
            [half, Self { x: self.x + half.width, ..half }]
        } else {
            let half = Self { height: self.height / 2, ..self };
            [half, Self { y: self.y + half.height, ..half }]
        }
    }

    /// Returns whether a texel is in the rectangle.
    pub fn contains(self, [x, y]: [u32; 2]) -> bool {
        x.wrapping_sub(self.x) < self.width && y.wrapping_sub(self.y) < self.height
    }
}
