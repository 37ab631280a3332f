//! Accessors: typed arrays in buffer views, dense or sparse [glTF2, §3.6.2].

use std::cell::Cell;

use crate::FileLocation;
use crate::error::ParseError;

use super::buffers::Buffers;
use super::model::{Accessor, Root, Sparse};

/// Reader of the accessors of a file.
#[derive(Debug)]
pub(super) struct Accessors<'a> {
    root: &'a Root,
    buffers: &'a Buffers<'a>,
    /// Remaining bytes that may be allocated for data that a file can refer to any number of times: curves, morph
    /// targets, deformed meshes. Without a limit, a short file could allocate any amount of memory.
    budget: Cell<usize>,
}

/// Minimum budget of a file, in bytes.
const MIN_BUDGET: usize = 256 << 20;
/// Budget per byte of the buffers.
const BUDGET_PER_BYTE: usize = 64;

/// Type of a component of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Reads a component as a real number. If `normalized`, integers are mapped to [0, 1] or [−1, 1] as glTF specifies.
    fn real(self, bytes: &[u8], normalized: bool) -> f32 {
        let (value, max) = match self {
            Self::I8 => (f32::from(i8::from_le_bytes(array(bytes))), f32::from(i8::MAX)),
            Self::U8 => (f32::from(u8::from_le_bytes(array(bytes))), f32::from(u8::MAX)),
            Self::I16 => (f32::from(i16::from_le_bytes(array(bytes))), f32::from(i16::MAX)),
            Self::U16 => (f32::from(u16::from_le_bytes(array(bytes))), f32::from(u16::MAX)),
            Self::U32 => (u32::from_le_bytes(array(bytes)) as f32, u32::MAX as f32),
            Self::F32 => return f32::from_le_bytes(array(bytes)),
        };
        if normalized { (value / max).max(-1.0) } else { value }
    }

    fn index(self, bytes: &[u8]) -> Option<u32> {
        match self {
            Self::U8 => Some(u32::from(u8::from_le_bytes(array(bytes)))),
            Self::U16 => Some(u32::from(u16::from_le_bytes(array(bytes)))),
            Self::U32 => Some(u32::from_le_bytes(array(bytes))),
            _ => None,
        }
    }
}

/// Returns the first `N` bytes; zeros if there are fewer, which the bounds checks of the callers exclude.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// Elements of an accessor, checked to be within their buffer view.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Elements<'a> {
    fn iter(self, count: usize) -> impl Iterator<Item = &'a [u8]> {
        (0..count)
            .map(move |i| self.bytes.get(i * self.stride..).and_then(|b| b.get(..self.size)).unwrap_or(&[]))
    }
}

impl<'a> Accessors<'a> {
    pub(super) fn new(root: &'a Root, buffers: &'a Buffers<'a>) -> Self {
        let budget = buffers.total().saturating_mul(BUDGET_PER_BYTE).max(MIN_BUDGET);
        Self { root, buffers, budget: Cell::new(budget) }
    }

    /// Takes `bytes` from the budget. Errors: the budget is exhausted. `from` is the JSON path of the data.
    pub(super) fn spend(&self, bytes: usize, from: &str) -> Result<(), ParseError> {
        let left = self.budget.get().checked_sub(bytes).ok_or_else(|| {
            let message = "the decoded data would be too large for a file of this size";
            ParseError::unsupported(FileLocation::Json(from.to_string()), message)
        })?;
        self.budget.set(left);
        Ok(())
    }

    /// Reads vectors of `N` real numbers. Vectors that are shorter in the file (RGB for RGBA) are padded with `fill`.
    ///
    /// * `shapes` — accessor types that are allowed.
    /// * `from` — JSON path of the reference.
    pub(super) fn reals<const N: usize>(
        &self,
        index: usize,
        shapes: &[&str],
        fill: f32,
        from: &str,
    ) -> Result<Vec<[f32; N]>, ParseError> {
        let (accessor, component) = self.accessor(index, shapes, from)?;
        let width = width(&accessor.shape);
        let element = |bytes: &[u8]| {
            let parts = bytes.chunks_exact(component.size());
            let mut vector = [fill; N];
            for (value, part) in vector.iter_mut().zip(parts) {
                *value = component.real(part, accessor.normalized);
            }
            vector
        };
        let zero = element(&vec![0; width * component.size()]);
        self.read(index, accessor, component, zero, element)
    }

    /// Reads vectors of four joint indices.
    pub(super) fn joints(&self, index: usize, from: &str) -> Result<Vec<[u16; 4]>, ParseError> {
        let (accessor, component) = self.accessor(index, &["VEC4"], from)?;
        if !matches!(component, Component::U8 | Component::U16) {
            let location = FileLocation::Json(format!("accessors[{index}].componentType"));
            return Err(ParseError::malformed(location, "joints must be unsigned bytes or shorts"));
        }
        self.read(index, accessor, component, [0; 4], |bytes| {
            let mut parts = bytes.chunks_exact(component.size());
            let joint = |part: &[u8]| component.index(part).and_then(|joint| u16::try_from(joint).ok());
            std::array::from_fn(|_| parts.next().and_then(joint).unwrap_or(0))
        })
    }

    /// Reads unsigned integers, such as vertex indices.
    pub(super) fn indices(&self, index: usize, from: &str) -> Result<Vec<u32>, ParseError> {
        let (accessor, component) = self.accessor(index, &["SCALAR"], from)?;
        if component.index(&[0; 4]).is_none() {
            let location = FileLocation::Json(format!("accessors[{index}].componentType"));
            return Err(ParseError::malformed(location, "indices must be unsigned integers"));
        }
        self.read(index, accessor, component, 0, |bytes| component.index(bytes).unwrap_or(0))
    }

    fn accessor(
        &self,
        index: usize,
        shapes: &[&str],
        from: &str,
    ) -> Result<(&'a Accessor, Component), ParseError> {
        let accessor = self.root.accessors.get(index).ok_or_else(|| {
            let message = format!("there is no accessor {index}; there are {}", self.root.accessors.len());
            ParseError::malformed(FileLocation::Json(from.to_string()), message)
        })?;
        if !shapes.contains(&accessor.shape.as_str()) {
            let message =
                format!("the type is {:?}, but {from} requires {}", accessor.shape, shapes.join(" or "));
            return Err(ParseError::malformed(
                FileLocation::Json(format!("accessors[{index}].type")),
                message,
            ));
        }
        Ok((accessor, component(accessor.component_type, || format!("accessors[{index}].componentType"))?))
    }

    fn read<T: Copy>(
        &self,
        index: usize,
        accessor: &Accessor,
        component: Component,
        zero: T,
        element: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, ParseError> {
        let path = format!("accessors[{index}]");
        let size = width(&accessor.shape) * component.size();
        let mut values: Vec<T> = match accessor.buffer_view {
            Some(view) => self
                .elements(view, accessor.byte_offset, accessor.count, size, &path)?
                .iter(accessor.count)
                .map(&element)
                .collect(),
            None => {
                // These zeros take no space in the file, so their number is limited separately.
                const MAX_WITHOUT_DATA: usize = 4096;
                if accessor.count > self.buffers.total().max(MAX_WITHOUT_DATA) {
                    let message = format!(
                        "{} elements without a buffer view are too many for a file of this size",
                        accessor.count
                    );
                    return Err(ParseError::malformed(FileLocation::Json(format!("{path}.count")), message));
                }
                vec![zero; accessor.count]
            }
        };
        if let Some(sparse) = &accessor.sparse {
            self.substitute(sparse, size, &path, &mut values, element)?;
        }
        Ok(values)
    }

    fn substitute<T>(
        &self,
        sparse: &Sparse,
        size: usize,
        path: &str,
        values: &mut [T],
        element: impl Fn(&[u8]) -> T,
    ) -> Result<(), ParseError> {
        let (indices, count) = (&sparse.indices, sparse.count);
        let indices_path = format!("{path}.sparse.indices");
        let kind = component(indices.component_type, || format!("{indices_path}.componentType"))?;
        let at =
            self.elements(indices.buffer_view, indices.byte_offset, count, kind.size(), &indices_path)?;
        let from = &sparse.values;
        let with =
            self.elements(from.buffer_view, from.byte_offset, count, size, &format!("{path}.sparse.values"))?;
        for (at, with) in at.iter(count).zip(with.iter(count)) {
            let slot = kind.index(at).and_then(|at| values.get_mut(at as usize));
            let slot = slot.ok_or_else(|| {
                ParseError::malformed(
                    FileLocation::Json(indices_path.clone()),
                    "an index is not within the accessor",
                )
            })?;
            *slot = element(with);
        }
        Ok(())
    }

    /// Returns `count` elements of `size` bytes. Errors: they are not within the buffer view. `path` is the JSON path
    /// of the accessor.
    fn elements(
        &self,
        view: usize,
        byte_offset: usize,
        count: usize,
        size: usize,
        path: &str,
    ) -> Result<Elements<'_>, ParseError> {
        let (bytes, stride) = self.buffers.view(view, &format!("{path}.bufferView"))?;
        let stride = stride.unwrap_or(size);
        let error = |message| Err(ParseError::malformed(FileLocation::Json(path.to_string()), message));
        if stride < size {
            return error(format!("the stride of {stride} bytes is smaller than an element of {size}"));
        }
        let end = match count.checked_sub(1) {
            None => Some(byte_offset),
            Some(last) => last
                .checked_mul(stride)
                .and_then(|n| n.checked_add(size))
                .and_then(|n| n.checked_add(byte_offset)),
        };
        match bytes.get(byte_offset..) {
            Some(rest) if end.is_some_and(|end| end <= bytes.len()) => {
                Ok(Elements { bytes: rest, stride, size })
            }
            _ => {
                let length = bytes.len();
                error(format!("{count} elements are not within buffer view {view}, which has {length} bytes"))
            }
        }
    }
}

fn component(code: u32, path: impl Fn() -> String) -> Result<Component, ParseError> {
    Component::of(code).ok_or_else(|| {
        ParseError::malformed(FileLocation::Json(path()), format!("{code} is not a component type"))
    })
}

/// Returns the number of components of an accessor type. The only matrix type that is read is MAT4, whose columns need
/// no padding.
fn width(shape: &str) -> usize {
    match shape {
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => 1,
    }
}
