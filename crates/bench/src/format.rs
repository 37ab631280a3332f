//! Binary files that exchange scenes, rays and hits with other ray kernels: little endian, without padding.
//!
//! | file | layout |
//! |---|---|
//! | `SCENE.tri` | u32 vertices, u32 triangles, vertices × f32\[3\], triangles × u32\[3\] |
//! | `SCENE.KIND.rays` | u32 n, n × 32 bytes: f32 origin\[3\], t_near, direction\[3\] of unit length, t_far |
//! | `SCENE.KIND.hits` | u32 n, n × 16 bytes: f32 t (infinite: miss), u32 prim_id (0xffffffff: miss), f32 u, v |

use std::fs;
use std::path::Path;

use sunfleck_kernel::HitBuffer;
use sunfleck_math::{Ray, Vec3};

use crate::{BenchError, Mesh};

/// Reads a `.tri` file. Errors: it cannot be read, has the wrong length, or an index is out of range.
pub fn read_mesh(path: &Path) -> Result<Mesh, BenchError> {
    let words = read_words(path)?;
    let malformed =
        |reason: &str| BenchError::Format { path: path.to_path_buf(), reason: reason.to_string() };
    let [vertices, triangles, rest @ ..] = words.as_slice() else {
        return Err(malformed("the file is too short for a scene"));
    };
    let (vertices, triangles) = (*vertices as usize, *triangles as usize);
    if rest.len() as u64 != 3 * (vertices as u64 + triangles as u64) {
        return Err(malformed("the file length does not match its vertex and triangle counts"));
    }
    let (positions, indices) = rest.split_at(3 * vertices);
    let position = |w: &[u32]| Vec3::new(f32::from_bits(w[0]), f32::from_bits(w[1]), f32::from_bits(w[2]));
    let mesh = Mesh {
        positions: positions.chunks_exact(3).map(position).collect(),
        triangles: indices.chunks_exact(3).map(|w| [w[0], w[1], w[2]]).collect(),
    };
    if mesh.triangles.iter().flatten().any(|&i| i as usize >= vertices) {
        return Err(malformed("a triangle has a vertex index out of range"));
    }
    Ok(mesh)
}

/// Writes a `.tri` file. Errors: it cannot be written.
pub fn write_mesh(path: &Path, mesh: &Mesh) -> Result<(), BenchError> {
    let counts = [mesh.positions.len(), mesh.triangles.len()].map(count);
    let positions = mesh.positions.iter().flat_map(|p| p.to_array().map(f32::to_bits));
    write_words(path, counts.into_iter().chain(positions).chain(mesh.triangles.iter().flatten().copied()))
}

/// Reads a `.rays` file. Errors: it cannot be read, or has the wrong length.
pub fn read_rays(path: &Path) -> Result<Vec<Ray>, BenchError> {
    let ray = |w: &[u32]| {
        let f = |i: usize| f32::from_bits(w[i]);
        let (origin, direction) = (Vec3::new(f(0), f(1), f(2)), Vec3::new(f(4), f(5), f(6)));
        Ray { origin, t_near: f(3), direction, t_far: f(7) }
    };
    Ok(read_counted(path, 8)?.chunks_exact(8).map(ray).collect())
}

/// Writes a `.rays` file. Errors: it cannot be written.
pub fn write_rays(path: &Path, rays: &[Ray]) -> Result<(), BenchError> {
    let words = rays.iter().flat_map(|ray| {
        let ([x, y, z], [dx, dy, dz]) = (ray.origin.to_array(), ray.direction.to_array());
        [x, y, z, ray.t_near, dx, dy, dz, ray.t_far].map(f32::to_bits)
    });
    write_words(path, [count(rays.len())].into_iter().chain(words))
}

/// Reads a `.hits` file, which does not contain `inst_id`. Errors: it cannot be read, or has the wrong length.
pub fn read_hits(path: &Path) -> Result<HitBuffer, BenchError> {
    let words = read_counted(path, 4)?;
    let mut hits = HitBuffer::with_len(words.len() / 4);
    for (i, w) in words.chunks_exact(4).enumerate() {
        (hits.t[i], hits.prim_id[i]) = (f32::from_bits(w[0]), w[1]);
        (hits.u[i], hits.v[i]) = (f32::from_bits(w[2]), f32::from_bits(w[3]));
    }
    Ok(hits)
}

/// Writes a `.hits` file. Errors: it cannot be written.
pub fn write_hits(path: &Path, hits: &HitBuffer) -> Result<(), BenchError> {
    let hit = |i: usize| [hits.t[i].to_bits(), hits.prim_id[i], hits.u[i].to_bits(), hits.v[i].to_bits()];
    write_words(path, [count(hits.t.len())].into_iter().chain((0..hits.t.len()).flat_map(hit)))
}

/// Converts a length to the count in a file. Lengths fit, since triangles and rays are numbered with 32 bits.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Reads a file that starts with a count of records, of `words` 32-bit words each; returns the words of the records.
fn read_counted(path: &Path, words: u64) -> Result<Vec<u32>, BenchError> {
    let mut all = read_words(path)?;
    match all.first() {
        Some(&n) if (all.len() - 1) as u64 == words * u64::from(n) => {
            all.remove(0);
            Ok(all)
        }
        _ => Err(BenchError::Format {
            path: path.to_path_buf(),
            reason: "the file length does not match its count".to_string(),
        }),
    }
}

fn read_words(path: &Path) -> Result<Vec<u32>, BenchError> {
    let bytes = fs::read(path).map_err(|source| BenchError::File { path: path.to_path_buf(), source })?;
    if bytes.len() % 4 != 0 {
        let reason = "the file length is not a multiple of 4".to_string();
        return Err(BenchError::Format { path: path.to_path_buf(), reason });
    }
    Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

fn write_words(path: &Path, words: impl Iterator<Item = u32>) -> Result<(), BenchError> {
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    fs::write(path, bytes).map_err(|source| BenchError::File { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec3;

    #[test]
    fn scenes_rays_and_hits_are_read_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let mesh = Mesh {
            positions: vec![Vec3::ZERO, vec3(1.5, -0.0, 1e-30), Vec3::Y],
            triangles: vec![[0, 1, 2], [2, 1, 0]],
        };
        write_mesh(&file("a.tri"), &mesh).unwrap();
        assert_eq!(fs::metadata(file("a.tri")).unwrap().len(), 8 + 36 + 24);
        assert_eq!(read_mesh(&file("a.tri")).unwrap(), mesh);

        let ray = Ray { t_near: 0.25, t_far: 7.0, ..Ray::new(Vec3::ONE, Vec3::NEG_Z) };
        let rays = [ray, Ray::new(Vec3::ZERO, Vec3::X)];
        write_rays(&file("a.rays"), &rays).unwrap();
        assert_eq!(fs::metadata(file("a.rays")).unwrap().len(), 4 + 2 * 32);
        assert_eq!(read_rays(&file("a.rays")).unwrap(), rays);

        let mut hits = HitBuffer::with_len(2);
        (hits.t[1], hits.u[1], hits.v[1], hits.prim_id[1]) = (2.5, 0.25, 0.125, 9);
        write_hits(&file("a.hits"), &hits).unwrap();
        assert_eq!(
            fs::read(file("a.hits")).unwrap()[4..12],
            [0, 0, 0x80, 0x7f, 255, 255, 255, 255],
            "a miss"
        );
        assert_eq!(read_hits(&file("a.hits")).unwrap(), hits);
    }

    #[test]
    fn malformed_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let refused = |words: &[u32]| {
            write_words(&path, words.iter().copied()).unwrap();
            read_mesh(&path).is_err() && read_rays(&path).is_err() && read_hits(&path).is_err()
        };
        assert!(refused(&[]) && refused(&[7]) && refused(&[3, 1, 0]));
        assert!(refused(&[u32::MAX, u32::MAX]), "counts are checked against the length");
        assert!(refused(&[1, 1, 0, 0, 0, 0, 0, 1]), "vertex 1 does not exist");
        fs::write(&path, [1, 2, 3]).unwrap();
        assert!(read_rays(&path).is_err());
    }
}
