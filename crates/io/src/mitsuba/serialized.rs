//! Serialized files of Mitsuba 0.x: several meshes, each compressed, with a table of their offsets at the end
//! [Jakob10, §8.2.6].

use std::io::{BufReader, Read};

use flate2::read::ZlibDecoder;
use sunfleck_math::{DVec3, Vec2, Vec3, Vec4};

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::mesh_file::RawMesh;
use crate::normals::is_direction;

const MAGIC: u16 = 0x041C;

/// Bits of the flags of a mesh.
mod flags {
    pub(super) const NORMALS: u32 = 0x1;
    pub(super) const UVS: u32 = 0x2;
    pub(super) const COLORS: u32 = 0x8;
    pub(super) const FACE_NORMALS: u32 = 0x10;
    pub(super) const DOUBLE: u32 = 0x2000;
}

/// DEFLATE makes data at most this many times smaller.
const MAX_RATIO: u64 = 1032;

/// Reads the mesh with a number, from 0. Returns whether its normals are those of the faces, too.
pub(super) fn read(bytes: &[u8], index: u64, faults: &mut Faults) -> Result<(RawMesh, bool), ParseError> {
    let begin = offset(bytes, index)?;
    let location = FileLocation::Byte(begin as u64);
    let malformed = |message: &str| ParseError::malformed(location.clone(), message);
    let data = bytes.get(begin..).unwrap_or_default();
    let header = data.get(..4).ok_or_else(|| malformed("the mesh is cut off"))?;
    let [magic, version] = [0, 2].map(|at| u16::from_le_bytes([header[at], header[at + 1]]));
    if magic != MAGIC || !(3..=4).contains(&version) {
        return Err(malformed("there is no serialized mesh of version 3 or 4"));
    }
    let compressed = &data[4..];
    let mut stream = Stream {
        decoder: BufReader::new(ZlibDecoder::new(compressed)),
        location: location.clone(),
        is_double: false,
    };
    let flags = stream.u32()?;
    if version == 4 {
        stream.skip_name()?;
    }
    let (vertices, triangles) = (stream.u64()?, stream.u64()?);
    stream.is_double = flags & flags::DOUBLE != 0;
    let has = |flag: u32| flags & flag != 0;
    let numbers = 3 + 3 * u64::from(has(flags::NORMALS)) + 2 * u64::from(has(flags::UVS));
    let numbers = numbers + 3 * u64::from(has(flags::COLORS));
    let size =
        vertices.checked_mul(4 * numbers).and_then(|size| size.checked_add(triangles.checked_mul(12)?));
    let limit = (compressed.len() as u64).saturating_mul(MAX_RATIO);
    if size.is_none_or(|size| size > limit) || u32::try_from(vertices).is_err() {
        let message = format!("{vertices} vertices and {triangles} triangles do not fit into the file");
        return Err(malformed(&message));
    }
    let mut mesh = RawMesh::default();
    for _ in 0..vertices {
        let [x, y, z] = stream.numbers()?;
        let position = DVec3::new(x, y, z);
        let is_valid = position.abs().max_element() <= f64::from(f32::MAX);
        if !is_valid {
            faults.add(Fault::Position, 1, || malformed("a coordinate is not a finite number"));
        }
        mesh.positions.push(if is_valid { position } else { DVec3::NAN });
    }
    if has(flags::NORMALS) {
        for _ in 0..vertices {
            let normal = DVec3::from(stream.numbers::<3>()?).as_vec3();
            let is_valid = is_direction(normal);
            if !is_valid {
                faults.add(Fault::Normal, 1, || malformed("a normal has no direction"));
            }
            mesh.normals.push(if is_valid { normal } else { Vec3::NAN });
        }
    }
    if has(flags::UVS) {
        for _ in 0..vertices {
            let uv = Vec2::from(stream.numbers::<2>()?.map(single));
            if !uv.is_finite() {
                faults.add(Fault::TextureCoordinate, 1, || malformed("a texture coordinate is not finite"));
            }
            mesh.uvs.push(if uv.is_finite() { uv } else { Vec2::ZERO });
        }
    }
    if has(flags::COLORS) {
        for _ in 0..vertices {
            let color = Vec3::from(stream.numbers::<3>()?.map(single));
            if !color.is_finite() {
                faults.add(Fault::Color, 1, || malformed("a colour is not finite"));
            }
            mesh.colors.push(if color.is_finite() { color.extend(1.0) } else { Vec4::ONE });
        }
    }
    for _ in 0..triangles {
        let corners = [stream.u32()?, stream.u32()?, stream.u32()?];
        let valid = |&v: &u32| mesh.positions.get(v as usize).is_some_and(|p| p.is_finite());
        if corners.iter().all(valid) {
            mesh.triangles.push(corners);
        } else {
            faults.add(Fault::Face, 1, || malformed("a triangle has a vertex that does not exist"));
        }
    }
    Ok((mesh, has(flags::FACE_NORMALS)))
}

#[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
fn single(number: f64) -> f32 {
    number as f32
}

/// Returns the offset of a mesh, from the table at the end of the file: its last four bytes are the number of meshes.
fn offset(bytes: &[u8], index: u64) -> Result<usize, ParseError> {
    let malformed = |message: String| ParseError::malformed(FileLocation::File, message);
    let is_serialized = bytes.get(..4).is_some_and(|header| header[..2] == MAGIC.to_le_bytes());
    if !is_serialized {
        return Err(malformed("the file does not begin as a serialized mesh".to_string()));
    }
    let word = |at: usize, size: usize| -> Option<u64> {
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
        Some(u64::from_le_bytes(word))
    };
    let count = bytes.len().checked_sub(4).and_then(|at| word(at, 4)).unwrap_or(0);
    if index >= count {
        return Err(malformed(format!("there is no mesh {index}: the file has {count}")));
    }
    // Offsets have 4 bytes in version 3
    let size: usize = if bytes[2] == 3 { 4 } else { 8 };
    let back =
        usize::try_from(count - index).ok().and_then(|entries| entries.checked_mul(size)?.checked_add(4));
    let found = back.and_then(|back| word(bytes.len().checked_sub(back)?, size));
    found
        .and_then(|offset| usize::try_from(offset).ok())
        .filter(|&offset| offset < bytes.len())
        .ok_or_else(|| malformed(format!("the offset of mesh {index} is outside of the file")))
}

/// Decompressed data of a mesh.
struct Stream<'a> {
    decoder: BufReader<ZlibDecoder<&'a [u8]>>,
    location: FileLocation,
    /// Whether numbers have 8 bytes.
    is_double: bool,
}

impl Stream<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ParseError> {
        let mut bytes = [0; N];
        self.decoder.read_exact(&mut bytes).map_err(|_| {
            ParseError::malformed(self.location.clone(), "the compressed mesh is cut off or damaged")
        })?;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, ParseError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, ParseError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    /// Skips a name that a zero ends.
    fn skip_name(&mut self) -> Result<(), ParseError> {
        while self.bytes()? != [0] {}
        Ok(())
    }

    fn numbers<const N: usize>(&mut self) -> Result<[f64; N], ParseError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = if self.is_double {
                f64::from_le_bytes(self.bytes()?)
            } else {
                f64::from(f32::from_le_bytes(self.bytes()?))
            };
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A file with a mesh without normals in double precision, and one with normals and texture coordinates.
    fn file(version: u16) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut offsets = Vec::new();
        for flags in [flags::DOUBLE | flags::FACE_NORMALS, 0x1000 | flags::NORMALS | flags::UVS] {
            offsets.push(bytes.len());
            bytes.extend(MAGIC.to_le_bytes());
            bytes.extend(version.to_le_bytes());
            let mut data = flags.to_le_bytes().to_vec();
            if version == 4 {
                data.extend(b"name\0");
            }
            data.extend(3u64.to_le_bytes());
            data.extend(2u64.to_le_bytes());
            #[allow(clippy::cast_possible_truncation, reason = "files of single precision")]
            let mut number = |value: f64| match flags & flags::DOUBLE {
                0 => data.extend((value as f32).to_le_bytes()),
                _ => data.extend(value.to_le_bytes()),
            };
            [0., 0., 0., 1., 0., 0., 0., 1., 0.].into_iter().for_each(&mut number);
            if flags & flags::NORMALS != 0 {
                [0., 0., 1., 0., 0., 1., 0., 0., 0.].into_iter().for_each(&mut number);
                [0., 0.25, 1., 0., 0., 1.].into_iter().for_each(&mut number);
            }
            [0u32, 1, 2, 0, 1, 3].into_iter().for_each(|i| data.extend(i.to_le_bytes()));
            let mut encoder = flate2::write::ZlibEncoder::new(&mut bytes, flate2::Compression::fast());
            encoder.write_all(&data).unwrap();
            encoder.finish().unwrap();
        }
        for offset in offsets {
            let size = if version == 3 { 4 } else { 8 };
            bytes.extend(&(offset as u64).to_le_bytes()[..size]);
        }
        bytes.extend(2u32.to_le_bytes());
        bytes
    }

    #[test]
    fn both_versions_have_a_table_of_meshes() {
        for version in [3, 4] {
            let bytes = file(version);
            let mut faults = Faults::default();
            let (first, is_flat) = read(&bytes, 0, &mut faults).unwrap();
            assert_eq!((first.triangles, is_flat), (vec![[0, 1, 2]], true), "one triangle is out of range");
            assert_eq!(first.positions[1], DVec3::X);
            let (second, is_flat) = read(&bytes, 1, &mut faults).unwrap();
            assert_eq!((second.uvs[0], is_flat), (Vec2::new(0.0, 0.25), false));
            assert!(second.normals[0] == Vec3::Z && second.normals[2].is_nan());
            let error = read(&bytes, 2, &mut faults).unwrap_err();
            assert_eq!(error.problem.to_string(), "there is no mesh 2: the file has 2");
        }
    }

    #[test]
    fn damaged_files_and_huge_counts_are_errors() {
        let bytes = file(4);
        for end in 0..bytes.len() {
            let mut cut = bytes[..end].to_vec();
            assert!(read(&cut, 1, &mut Faults::default()).is_err(), "{end}");
            cut.extend(&bytes[bytes.len() - 20..]);
            // The table is there, but its meshes may be cut off
            drop(read(&cut, 1, &mut Faults::default()));
        }
        let mut data = 0u32.to_le_bytes().to_vec();
        data.push(0);
        data.extend(u64::MAX.to_le_bytes());
        data.extend(4u64.to_le_bytes());
        let mut huge = vec![0x1C, 4, 4, 0];
        let mut encoder = flate2::write::ZlibEncoder::new(&mut huge, flate2::Compression::fast());
        encoder.write_all(&data).unwrap();
        encoder.finish().unwrap();
        huge.extend(0u64.to_le_bytes());
        huge.extend(1u32.to_le_bytes());
        let error = read(&huge, 0, &mut Faults::default()).unwrap_err();
        assert!(error.problem.to_string().contains("do not fit"), "{error:?}");
    }
}
