//! OFF, the Object File Format of Geomview [Geomview]: three-dimensional files in text form.

use sunfleck_math::{Vec2, Vec3, Vec4, vec4};
use sunfleck_scene::Scene;

use crate::error::ParseError;
use crate::mesh_file::RawMesh;
use crate::polygon::triangulate;
use crate::report::Reporter;
use crate::text::{Lines, Word, Words};

/// Reads an OFF file. Face colours are ignored; vertex colours are interpreted as sRGB.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
    let mut lines =
        Lines::new(bytes).map(Words::without_comment).filter(|line| line.clone().next().is_some());
    let Some(mut first) = lines.next() else {
        return Err(ParseError::malformed(crate::FileLocation::File, "the file is empty"));
    };
    // The keyword is optional
    let attributes = match first.clone().next().map(|word| (word, keyword(word.text))) {
        Some((_, Some(attributes))) => {
            first.next();
            attributes
        }
        Some((word, None)) if word.text.ends_with(b"OFF") => {
            return Err(ParseError::unsupported(
                word.location(),
                "only OFF with the prefixes ST, C and N is supported",
            ));
        }
        _ => Attributes::default(),
    };
    let mut words = Tokens { line: first, lines };

    let vertices: usize = words.next("the number of vertices")?.parse("a number of vertices")?;
    let faces: usize = words.next("the number of faces")?.parse("a number of faces")?;
    if words.line.clone().next().is_some() {
        words.next("the number of edges")?;
    }
    // The counts are not trusted: a vertex takes at least 6 bytes (three digits, three separators), a face 2.
    let capacity = |count: usize, min_bytes: usize| count.min(bytes.len() / min_bytes);
    let mut mesh = RawMesh::default();
    mesh.positions.reserve(capacity(vertices, 6));
    for _ in 0..vertices {
        words.vertex(attributes, &mut mesh)?;
    }
    mesh.triangles.reserve(capacity(faces, 2));
    for _ in 0..faces {
        words.face(&mut mesh)?;
    }
    mesh.into_scene(name, report)
}

/// Vertex attributes other than the position.
#[derive(Clone, Copy, Debug, Default)]
struct Attributes {
    normals: bool,
    colors: bool,
    uvs: bool,
}

/// Parses the keyword `[ST][C][N]OFF`.
fn keyword(word: &[u8]) -> Option<Attributes> {
    let prefix = word.strip_suffix(b"OFF")?;
    let (uvs, prefix) = prefix.strip_prefix(b"ST").map_or((false, prefix), |rest| (true, rest));
    let (colors, prefix) = prefix.strip_prefix(b"C").map_or((false, prefix), |rest| (true, rest));
    let (normals, prefix) = prefix.strip_prefix(b"N").map_or((false, prefix), |rest| (true, rest));
    prefix.is_empty().then_some(Attributes { normals, colors, uvs })
}

/// Words of the file, independent of line breaks.
struct Tokens<'a, L> {
    line: Words<'a>,
    lines: L,
}

impl<'a, L: Iterator<Item = Words<'a>>> Tokens<'a, L> {
    fn next(&mut self, what: &str) -> Result<Word<'a>, ParseError> {
        loop {
            if let Some(word) = self.line.next() {
                return Ok(word);
            }
            self.line = match self.lines.next() {
                Some(line) => line,
                None => return self.line.expect(what),
            };
        }
    }

    fn number(&mut self, what: &str) -> Result<f32, ParseError> {
        self.next(what)?.number()
    }

    fn vec3(&mut self, what: &str) -> Result<Vec3, ParseError> {
        Ok(Vec3::new(self.number(what)?, self.number(what)?, self.number(what)?))
    }

    fn vertex(&mut self, attributes: Attributes, mesh: &mut RawMesh) -> Result<(), ParseError> {
        mesh.positions.push(self.vec3("a coordinate of a vertex")?);
        if attributes.normals {
            mesh.normals.push(self.vec3("a coordinate of a normal")?);
        }
        if attributes.colors {
            mesh.colors.push(self.color(attributes.uvs)?);
        }
        if attributes.uvs {
            let (u, v) = (self.number("a texture coordinate")?, self.number("a texture coordinate")?);
            mesh.uvs.push(Vec2::new(u, 1.0 - v));
        }
        Ok(())
    }

    /// Reads three or four components in 0 … 255, or in 0 … 1 if any of the first three has a decimal point. An alpha
    /// must be on the same line.
    fn color(&mut self, uvs_follow: bool) -> Result<Vec4, ParseError> {
        let words = [self.next("red")?, self.next("green")?, self.next("blue")?];
        let left_on_line = self.line.count();
        let alpha =
            if left_on_line > if uvs_follow { 2 } else { 0 } { Some(self.next("alpha")?) } else { None };
        let scale = if words.iter().any(|word| word.text.contains(&b'.')) { 1.0 } else { 1.0 / 255.0 };
        let [r, g, b] = words.map(|word| word.number());
        let a = alpha.map_or(Ok(1.0 / scale), |word| word.number())?;
        let srgb = vec4(r?, g?, b?, a) * scale;
        Ok(sunfleck_image::srgb::linear_from_srgb_rgb(srgb.truncate()).extend(srgb.w))
    }

    fn face(&mut self, mesh: &mut RawMesh) -> Result<(), ParseError> {
        let corners: usize = self.next("a face")?.parse("a number of corners")?;
        let mut ring = Vec::new();
        for _ in 0..corners {
            let word = self.next("a vertex of a face")?;
            let vertex: u32 = word.parse("a vertex index")?;
            if vertex as usize >= mesh.positions.len() {
                let message = format!("vertex {vertex} does not exist; there are {}", mesh.positions.len());
                return Err(ParseError::malformed(word.location(), message));
            }
            ring.push(vertex);
        }
        let positions: Vec<Vec3> = ring.iter().map(|&v| mesh.positions[v as usize]).collect();
        mesh.triangles.extend(triangulate(&positions).into_iter().map(|t| t.map(|i| ring[i])));
        // A colour may follow on the line
        while self.line.next().is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{NoFiles, load_bytes};

    #[test]
    fn cube_with_colors_and_comments() {
        let off = b"COFF # eight corners\n8 6 12\n\
            0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n1 1 0 255 0 0 255\n0 1 0 255 0 0 255\n\
            0 0 1 0 128 0 255\n1 0 1 0 128 0 255\n1 1 1 0 128 0 255\n0 1 1 0 128 0 255\n\
            4 3 2 1 0\n4 4 5 6 7 0.5 0.5 0.5\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7 # done\n";
        let loaded = load_bytes("cube.off".as_ref(), off, &NoFiles).unwrap();
        assert_eq!(loaded.scene.instanced_triangle_count(), 12);
        let (_, mesh) = loaded.scene.meshes().next().unwrap();
        assert_eq!(mesh.positions().len(), 24, "the edges of a cube are creases");
        // 128/255 is 21.586 % in linear light [IEC61966-2-1].
        let green = mesh.data().colors.iter().map(|c| c.y).fold(0.0, f32::max);
        assert!((green - 0.215_861).abs() < 1e-5);
    }

    #[test]
    fn errors_have_locations() {
        let error = |off: &[u8]| load_bytes("x.off".as_ref(), off, &NoFiles).unwrap_err().to_string();
        assert_eq!(error(b"OFF\n1 1 0\n0 0 0\n3 0 0 1\n"), "x.off:4:7: vertex 1 does not exist; there are 1");
        assert_eq!(
            error(b"OFF\n9999999999999 1 0\n0 0 0\n"),
            "x.off:3:6: a coordinate of a vertex is missing"
        );
        assert_eq!(error(b"nOFF 4"), "x.off:1:1: only OFF with the prefixes ST, C and N is supported");
    }
}
