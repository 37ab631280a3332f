//! Accessors: typed arrays in buffer views, dense and sparse [glTF2, §3.6.2].

use std::cell::Cell;

use crate::FileLocation;
use crate::error::Fault;

use super::buffers::Buffers;
use super::model::{Accessor, Root, Sparse};

/// Reads accessors of one file.
#[derive(Debug)]
pub(super) struct Accessors<'a> {
    root: &'a Root,
    buffers: &'a Buffers<'a>,
    /// Bytes that may still be made of things that a file can name again and again: curves, targets, deformed meshes. A
    /// short file could ask for any amount of memory with them.
    budget: Cell<usize>,
}

/// What a file may make of its bytes in any case, and how many times its length beyond.
const LEAST_BUDGET: usize = 256 << 20;
const BUDGET_PER_BYTE: usize = 64;

/// The type of one component.
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

    /// A component as a real number; integers are normalised as the specification says, if at all.
    fn real(self, bytes: &[u8], normalized: bool) -> f32 {
        let (value, most) = match self {
            Self::I8 => (f32::from(i8::from_le_bytes(array(bytes))), f32::from(i8::MAX)),
            Self::U8 => (f32::from(u8::from_le_bytes(array(bytes))), f32::from(u8::MAX)),
            Self::I16 => (f32::from(i16::from_le_bytes(array(bytes))), f32::from(i16::MAX)),
            Self::U16 => (f32::from(u16::from_le_bytes(array(bytes))), f32::from(u16::MAX)),
            Self::U32 => (u32::from_le_bytes(array(bytes)) as f32, u32::MAX as f32),
            Self::F32 => return f32::from_le_bytes(array(bytes)),
        };
        if normalized { (value / most).max(-1.0) } else { value }
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

/// The first bytes; zeros where there are too few, which the callers' bounds checks exclude.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// Elements in a buffer view, checked to be within it.
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
        let budget = buffers.total().saturating_mul(BUDGET_PER_BYTE).max(LEAST_BUDGET);
        Self { root, buffers, budget: Cell::new(budget) }
    }

    /// Takes from the budget. Errors: nothing is left. `from`: JSON path of who wants it.
    pub(super) fn spend(&self, bytes: usize, from: &str) -> Result<(), Fault> {
        let left = self.budget.get().checked_sub(bytes).ok_or_else(|| {
            let message = "it takes more memory than a file of this length can need";
            Fault::unsupported(FileLocation::Json(from.to_string()), message)
        })?;
        self.budget.set(left);
        Ok(())
    }

    /// Vectors of `N` real numbers; vectors that are shorter in the file (RGB for RGBA) are filled up with `fill`.
    ///
    /// `shapes`: the accessor types allowed. `from`: JSON path of the reference.
    pub(super) fn reals<const N: usize>(
        &self,
        index: usize,
        shapes: &[&str],
        fill: f32,
        from: &str,
    ) -> Result<Vec<[f32; N]>, Fault> {
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

    /// Four small numbers: the joints of vertices.
    pub(super) fn joints(&self, index: usize, from: &str) -> Result<Vec<[u16; 4]>, Fault> {
        let (accessor, component) = self.accessor(index, &["VEC4"], from)?;
        if !matches!(component, Component::U8 | Component::U16) {
            let place = FileLocation::Json(format!("accessors[{index}].componentType"));
            return Err(Fault::malformed(place, "joints must be unsigned bytes or shorts"));
        }
        self.read(index, accessor, component, [0; 4], |bytes| {
            let mut parts = bytes.chunks_exact(component.size());
            let joint = |part: &[u8]| component.index(part).and_then(|joint| u16::try_from(joint).ok());
            std::array::from_fn(|_| parts.next().and_then(joint).unwrap_or(0))
        })
    }

    /// Vertex indices.
    pub(super) fn indices(&self, index: usize, from: &str) -> Result<Vec<u32>, Fault> {
        let (accessor, component) = self.accessor(index, &["SCALAR"], from)?;
        if component.index(&[0; 4]).is_none() {
            let place = FileLocation::Json(format!("accessors[{index}].componentType"));
            return Err(Fault::malformed(place, "indices must be unsigned integers"));
        }
        self.read(index, accessor, component, 0, |bytes| component.index(bytes).unwrap_or(0))
    }

    fn accessor(
        &self,
        index: usize,
        shapes: &[&str],
        from: &str,
    ) -> Result<(&'a Accessor, Component), Fault> {
        let accessor = self.root.accessors.get(index).ok_or_else(|| {
            let message = format!("there is no accessor {index}; there are {}", self.root.accessors.len());
            Fault::malformed(FileLocation::Json(from.to_string()), message)
        })?;
        if !shapes.contains(&accessor.shape.as_str()) {
            let message = format!("{:?} is not {}, as {from} needs", accessor.shape, shapes.join(" or "));
            return Err(Fault::malformed(FileLocation::Json(format!("accessors[{index}].type")), message));
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
    ) -> Result<Vec<T>, Fault> {
        let path = format!("accessors[{index}]");
        let size = width(&accessor.shape) * component.size();
        let mut values: Vec<T> = match accessor.buffer_view {
            Some(view) => self
                .elements(view, accessor.byte_offset, accessor.count, size, &path)?
                .iter(accessor.count)
                .map(&element)
                .collect(),
            None => {
                // Nothing in the file backs these zeros, so their number must be believable by itself.
                const MOST_WITHOUT_DATA: usize = 4096;
                if accessor.count > self.buffers.total().max(MOST_WITHOUT_DATA) {
                    let message =
                        format!("{} elements without data are more than this file can need", accessor.count);
                    return Err(Fault::malformed(FileLocation::Json(format!("{path}.count")), message));
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
    ) -> Result<(), Fault> {
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
                Fault::malformed(
                    FileLocation::Json(indices_path.clone()),
                    "an index is not within the accessor",
                )
            })?;
            *slot = element(with);
        }
        Ok(())
    }

    /// `count` elements of `size` bytes, which must be within the view. `path`: JSON path of who wants them.
    fn elements(
        &self,
        view: usize,
        byte_offset: usize,
        count: usize,
        size: usize,
        path: &str,
    ) -> Result<Elements<'_>, Fault> {
        let (bytes, stride) = self.buffers.view(view, &format!("{path}.bufferView"))?;
        let stride = stride.unwrap_or(size);
        let fault = |message| Err(Fault::malformed(FileLocation::Json(path.to_string()), message));
        if stride < size {
            return fault(format!("the stride of {stride} bytes is smaller than an element of {size}"));
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
                fault(format!("{count} elements are not within buffer view {view}, which has {length} bytes"))
            }
        }
    }
}

fn component(code: u32, path: impl Fn() -> String) -> Result<Component, Fault> {
    Component::of(code).ok_or_else(|| {
        Fault::malformed(FileLocation::Json(path()), format!("{code} is not a component type"))
    })
}

/// Components of a vector type, or of the one matrix type that we read, whose columns need no padding.
fn width(shape: &str) -> usize {
    match shape {
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => 1,
    }
}
