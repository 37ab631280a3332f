//! Pixels of a layer, channel by channel.

use std::io::Cursor;

use ::exr::block::UncompressedBlock;
use ::exr::block::reader::{ChunksReader, Reader};
use ::exr::meta::MetaData;
use ::exr::meta::attribute::SampleType;
use ::exr::prelude::{Compression, Error, Vec2, f16};

use super::layer::{Content, Layer};
use super::sampling::Samplings;
use super::{malformed, reason};
use crate::ImageError;
use crate::read::note::Notes;

/// Samples of up to four channels in a data window.
pub(super) struct Planes {
    /// Position of the data window.
    origin: [i64; 2],
    /// Size of the data window.
    size: [usize; 2],
    /// Components of texels; `None` for those that the layer lacks.
    planes: [Option<Plane>; 4],
}

/// Samples of one channel, row by row.
struct Plane {
    sampling: [usize; 2],
    size: [usize; 2],
    samples: Vec<f32>,
}

impl Planes {
    /// Reads the blocks of a layer. Blocks that cannot be read stay black, with a note; an error if it is all of them.
    pub(super) fn read(
        reader: Reader<Cursor<&[u8]>>,
        layer: &Layer,
        samplings: &Samplings,
        notes: &mut Notes,
    ) -> Result<Self, ImageError> {
        let header = &reader.headers()[layer.part];
        let Vec2(width, height) = header.layer_size;
        let Vec2(x, y) = header.own_attributes.layer_position;
        let subsampled = samplings.any(layer.part);
        if subsampled && matches!(header.compression, Compression::B44 | Compression::B44A) {
            return Err(reason("subsampled channels with B44 compression are not supported"));
        }
        let mut planes = Self {
            origin: [i64::from(x), i64::from(y)],
            size: [width, height],
            planes: [None, None, None, None],
        };
        for channel in layer.content.channels() {
            let sampling = samplings.of(layer.part, channel);
            let size = [width.div_ceil(sampling[0]), height.div_ceil(sampling[1])];
            let samples = vec![0.0; size[0] * size[1]];
            if let Some(component) = layer.content.component(channel) {
                planes.planes[component] = Some(Plane { sampling, size, samples });
            }
        }

        // Decompress on this thread, since a panic in a thread pool would abort the process
        let part = layer.part;
        let chunks =
            reader.filter_chunks(false, |_, _, block| block.layer == part && block.level == Vec2(0, 0));
        let chunks = chunks.map_err(malformed)?;
        let mut meta = chunks.meta_data().clone();
        for (index, channel) in meta.headers[part].channels.list.iter_mut().enumerate() {
            let [x, y] = samplings.of(part, index);
            channel.sampling = Vec2(x, y);
        }
        let (mut good, mut first_error) = (0, None);
        let count = chunks.expected_chunk_count();
        for chunk in chunks {
            let block = chunk.and_then(|chunk| {
                if subsampled {
                    let position = meta.headers[part].get_block_data_indices(&chunk.compressed_block)?;
                    let bounds = meta.headers[part].get_absolute_block_pixel_coordinates(position)?;
                    let bytes = lines(&meta, part, bounds.position.1, bounds.size)
                        .map(|line| line.bytes)
                        .sum::<usize>();
                    let area = bounds.size.area().max(1);
                    if bytes % area != 0 {
                        return Err(Error::NotSupported("factors of subsampling".into()));
                    }
                    meta.headers[part].channels.bytes_per_pixel = bytes / area;
                }
                UncompressedBlock::decompress_chunk(chunk, &meta, false)
            });
            match block {
                Ok(block) => {
                    good += 1;
                    planes.put(&block, &meta, layer.content);
                }
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        match first_error {
            Some(error) if good == 0 => return Err(malformed(error)),
            Some(error) => {
                notes.missing(format!("{} of {count} blocks of pixels are black: {error}", count - good));
            }
            None => {}
        }
        Ok(planes)
    }

    fn put(&mut self, block: &UncompressedBlock, meta: &MetaData, content: Content) {
        let index = block.index;
        let top = i32::try_from(self.origin[1] + index.pixel_position.1 as i64).unwrap_or(0);
        let mut data = &*block.data;
        for line in lines(meta, index.layer, top, index.pixel_size) {
            let Some(bytes) = data.split_off(..line.bytes) else { return };
            let component = content.component(line.channel);
            let Some(plane) = component.and_then(|component| self.planes[component].as_mut()) else {
                continue;
            };
            let row = (index.pixel_position.1 + line.row) / plane.sampling[1];
            let start = row * plane.size[0] + index.pixel_position.0 / plane.sampling[0];
            let samples = plane.samples.get_mut(start..start + line.samples).unwrap_or_default();
            match line.sample_type {
                SampleType::F16 => fill(samples, bytes, |b| f16::from_ne_bytes(b).to_f32()),
                SampleType::F32 => fill(samples, bytes, f32::from_ne_bytes),
                SampleType::U32 => fill(samples, bytes, |b| u32::from_ne_bytes(b) as f32),
            }
        }
    }

    /// Returns the components at a pixel, with an alpha of 1 where the layer has none; `None` outside the data window.
    pub(super) fn texel_at(&self, x: i64, y: i64) -> Option<[f32; 4]> {
        let within = |at: i64, axis: usize| {
            usize::try_from(at - self.origin[axis]).ok().filter(|&at| at < self.size[axis])
        };
        let (x, y) = (within(x, 0)?, within(y, 1)?);
        let mut texel = [0.0, 0.0, 0.0, 1.0];
        for (value, plane) in texel.iter_mut().zip(&self.planes) {
            if let Some(plane) = plane {
                *value = plane.at(x, y);
            }
        }
        Some(texel)
    }
}

impl Plane {
    /// Returns the value at a pixel, interpolated between samples.
    fn at(&self, x: usize, y: usize) -> f32 {
        let sample = |x: usize, y: usize| {
            self.samples[y.min(self.size[1] - 1) * self.size[0] + x.min(self.size[0] - 1)]
        };
        let [step_x, step_y] = self.sampling;
        if self.sampling == [1, 1] {
            return sample(x, y);
        }
        let (column, row) = (x / step_x, y / step_y);
        let (right, down) = ((x % step_x) as f32 / step_x as f32, (y % step_y) as f32 / step_y as f32);
        let along = |row| sample(column, row) * (1.0 - right) + sample(column + 1, row) * right;
        along(row) * (1.0 - down) + along(row + 1) * down
    }
}

fn fill<const N: usize>(samples: &mut [f32], bytes: &[u8], value: impl Fn([u8; N]) -> f32) {
    for (sample, &bytes) in samples.iter_mut().zip(bytes.as_chunks().0) {
        *sample = value(bytes);
    }
}

/// A row of samples of one channel in a block.
struct Line {
    channel: usize,
    sample_type: SampleType,
    /// Row within the block.
    row: usize,
    samples: usize,
    bytes: usize,
}

/// Returns the lines of a block in the order in which they are stored: by row, then by channel; subsampled channels
/// have no samples in some rows.
fn lines(meta: &MetaData, part: usize, top: i32, size: Vec2<usize>) -> impl Iterator<Item = Line> {
    let channels = &meta.headers[part].channels.list;
    (0..size.1).flat_map(move |row| {
        channels.iter().enumerate().filter_map(move |(channel, description)| {
            let Vec2(step_x, step_y) = description.sampling;
            let (row_of_image, step_y) = (i64::from(top) + row as i64, i64::try_from(step_y).unwrap_or(1));
            let samples = size.0 / step_x;
            let bytes = samples * description.sample_type.bytes_per_sample();
            let sample_type = description.sample_type;
            (row_of_image.rem_euclid(step_y) == 0).then_some(Line {
                channel,
                sample_type,
                row,
                samples,
                bytes,
            })
        })
    })
}
