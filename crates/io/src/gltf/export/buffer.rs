//! Buffer of a file, with its views and accessors.

use serde_json::{Value, json};

use super::number::numbers;

const U8: u32 = 5121;
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;
/// Targets of buffer views.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Builder of the only buffer of a file. Each array starts at a multiple of four bytes, as glTF requires.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Adds bytes, such as an encoded image. Returns the index of their buffer view.
    pub(super) fn view(&mut self, bytes: &[u8]) -> usize {
        self.view_for(bytes, None)
    }

    /// Adds a vertex attribute. Returns the index of its accessor.
    pub(super) fn attribute<const N: usize>(&mut self, values: impl IntoIterator<Item = [f32; N]>) -> usize {
        self.floats(values, Some(ARRAY_BUFFER), false)
    }

    /// Adds vertex positions, whose accessor must have bounds.
    pub(super) fn positions(&mut self, values: impl IntoIterator<Item = [f32; 3]>) -> usize {
        self.floats(values, Some(ARRAY_BUFFER), true)
    }

    /// Adds numbers that are not vertex attributes.
    pub(super) fn plain<const N: usize>(&mut self, values: impl IntoIterator<Item = [f32; N]>) -> usize {
        self.floats(values, None, false)
    }

    /// Adds the times of keyframes, whose accessor must have bounds.
    pub(super) fn times(&mut self, values: &[f32]) -> usize {
        self.floats(values.iter().map(|&time| [time]), None, true)
    }

    /// Adds the joints of vertices, as bytes if they fit.
    pub(super) fn joints(&mut self, joints: &[[u16; 4]]) -> usize {
        let flat = joints.as_flattened();
        let bytes: Option<Vec<u8>> = flat.iter().map(|&joint| u8::try_from(joint).ok()).collect();
        match bytes {
            Some(bytes) => self.accessor(&bytes, Some(ARRAY_BUFFER), U8, joints.len(), "VEC4"),
            None => {
                let bytes: Vec<u8> = flat.iter().flat_map(|joint| joint.to_le_bytes()).collect();
                self.accessor(&bytes, Some(ARRAY_BUFFER), U16, joints.len(), "VEC4")
            }
        }
    }

    /// Adds vertex indices below `vertices`, as 16-bit integers if they fit.
    pub(super) fn indices(&mut self, indices: &[u32], vertices: usize) -> usize {
        // glTF forbids the largest value of a type as an index
        if vertices < usize::from(u16::MAX) {
            let narrow = indices.iter().map(|&i| u16::try_from(i).unwrap_or(u16::MAX));
            let bytes: Vec<u8> = narrow.flat_map(u16::to_le_bytes).collect();
            self.accessor(&bytes, Some(ELEMENT_ARRAY_BUFFER), U16, indices.len(), "SCALAR")
        } else {
            let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
            self.accessor(&bytes, Some(ELEMENT_ARRAY_BUFFER), U32, indices.len(), "SCALAR")
        }
    }

    /// Adds 16-bit integers, as bytes if they fit.
    pub(super) fn small_integers(&mut self, values: &[u16]) -> usize {
        let bytes: Option<Vec<u8>> = values.iter().map(|&v| u8::try_from(v).ok()).collect();
        match bytes {
            Some(bytes) => self.accessor(&bytes, None, U8, values.len(), "SCALAR"),
            None => {
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                self.accessor(&bytes, None, U16, values.len(), "SCALAR")
            }
        }
    }

    fn floats<const N: usize>(
        &mut self,
        values: impl IntoIterator<Item = [f32; N]>,
        target: Option<u32>,
        bounds: bool,
    ) -> usize {
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        let mut bytes = Vec::new();
        for value in values {
            for i in 0..N {
                min[i] = min[i].min(value[i]);
                max[i] = max[i].max(value[i]);
                bytes.extend(value[i].to_le_bytes());
            }
        }
        let shape = match N {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let accessor = self.accessor(&bytes, target, F32, bytes.len() / (4 * N), shape);
        if bounds {
            self.accessors[accessor]["min"] = numbers(min);
            self.accessors[accessor]["max"] = numbers(max);
        }
        accessor
    }

    fn accessor(
        &mut self,
        bytes: &[u8],
        target: Option<u32>,
        component: u32,
        count: usize,
        shape: &str,
    ) -> usize {
        let view = self.view_for(bytes, target);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": shape });
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn view_for(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.extend(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    pub(super) fn take_views(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.views)
    }

    pub(super) fn take_accessors(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.accessors)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
