//! OFF, the Object File Format of Geomview [Geomview]: three-dimensional files in text form.

use sunfleck_math::{DVec3, Vec2, Vec3, Vec4, vec4};
use sunfleck_scene::Scene;

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::mesh_file::{DEFAULT_ALBEDO, RawMesh, linear_colors};
use crate::normals::is_direction;
use crate::polygon::{max_corners, triangulate};
use crate::report::Reporter;
use crate::text::{Lines, Word, Words, decoded};

/// Reads an OFF file. Colours of vertices and faces are interpreted as sRGB.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
    let bytes = decoded(bytes);
    let mut lines =
        Lines::new(&bytes).map(Words::without_comment).filter(|line| line.clone().next().is_some());
    let Some(first) = lines.next() else {
        return Err(ParseError::malformed(FileLocation::File, "the file is empty"));
    };
    let (attributes, first) = keyword(first)?;
    let mut words = Tokens {
        line: first,
        lines,
        line_per_element: false,
        faults: Faults::default(),
        extra: None,
        vertex_colors: Vec::new(),
        face_colors: Vec::new(),
    };

    let vertices: usize = words.next("the number of vertices")?.parse("a number of vertices")?;
    let faces: usize = words.next("the number of faces")?.parse("a number of faces")?;
    if words.line.clone().next().is_some() {
        words.next("the number of edges")?;
    }
    words.line_per_element = words.lines.clone().count() >= vertices.saturating_add(faces);
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
    if words.line_per_element {
        words.skip_line();
    }
    let rest = words.lines.by_ref().count();
    if rest > 0 {
        report.note(FileLocation::File, format!("lines after the last face that are not used: {rest}"));
    }
    mesh.colors = linear(words.vertex_colors, Vec4::ONE);
    if !words.face_colors.is_empty() {
        words.face_colors.resize(mesh.triangles.len(), RawColor::NONE);
        mesh.face_colors = linear(words.face_colors, DEFAULT_ALBEDO.extend(1.0));
    }
    if let Some((count, location)) = words.extra {
        report.note(location, format!("numbers after a vertex or face that are not used: {count}"));
    }
    mesh.add_to(Scene::default(), name, words.faults, report)
}

/// Vertex attributes other than the position.
#[derive(Clone, Copy, Debug, Default)]
struct Attributes {
    normals: bool,
    colors: bool,
    uvs: bool,
}

/// Reads the optional keyword `[ST][C][N]OFF`, and returns the rest of the line. Some files have no space between the
/// keyword and the number of vertices.
fn keyword(first: Words<'_>) -> Result<(Attributes, Words<'_>), ParseError> {
    let mut rest = first;
    let Some(word) = rest.next() else { return Ok((Attributes::default(), first)) };
    let upper = word.text.to_ascii_uppercase();
    let Some(at) = upper.windows(3).position(|letters| letters == b"OFF") else {
        return Ok((Attributes::default(), first));
    };
    let refuse = |message| Err(ParseError::unsupported(word.location(), message));
    let Some(attributes) = attributes(&upper[..at]).filter(|_| !word.text.starts_with(b"n")) else {
        return refuse("only OFF with the prefixes ST, C and N is supported");
    };
    let mut after = rest;
    if after.next().is_some_and(|word| word.text.eq_ignore_ascii_case(b"BINARY")) {
        return refuse("only text OFF is supported, not binary OFF");
    }
    Ok((attributes, rest.with_last(word.text.len() - at - 3)))
}

fn attributes(prefix: &[u8]) -> Option<Attributes> {
    let (uvs, prefix) = prefix.strip_prefix(b"ST").map_or((false, prefix), |rest| (true, rest));
    let (colors, prefix) = prefix.strip_prefix(b"C").map_or((false, prefix), |rest| (true, rest));
    let (normals, prefix) = prefix.strip_prefix(b"N").map_or((false, prefix), |rest| (true, rest));
    prefix.is_empty().then_some(Attributes { normals, colors, uvs })
}

/// Words of the file.
struct Tokens<'a, L> {
    line: Words<'a>,
    lines: L,
    /// Whether each vertex and face is a line, as in almost all files. If not, they are independent of line breaks.
    line_per_element: bool,
    faults: Faults,
    /// Words after vertices and faces, and the location of the first one.
    extra: Option<(usize, FileLocation)>,
    /// Colours of vertices, if they have any.
    vertex_colors: Vec<RawColor>,
    /// Colours of the triangles up to the last one that has a colour.
    face_colors: Vec<RawColor>,
}

impl<'a, L: Iterator<Item = Words<'a>>> Tokens<'a, L> {
    /// Goes to the next line if each element is a line.
    fn begin_element(&mut self) {
        if self.line_per_element {
            self.skip_line();
            self.line = self.lines.next().unwrap_or(self.line);
        }
    }

    fn skip_line(&mut self) {
        for word in self.line.by_ref() {
            self.extra.get_or_insert_with(|| (0, word.location())).0 += 1;
        }
    }

    fn next(&mut self, what: &str) -> Result<Word<'a>, ParseError> {
        loop {
            if let Some(word) = self.line.next() {
                return Ok(word);
            }
            if self.line_per_element {
                return self.line.expect(what);
            }
            match self.lines.next() {
                Some(line) => self.line = line,
                None => return self.line.expect(what),
            }
        }
    }

    /// Reads a number. Errors: the file ends. A number that is missing in its line, or not valid, is a fault and
    /// becomes NaN.
    fn number(&mut self, fault: Fault, what: &str) -> Result<f64, ParseError> {
        match self.next(what) {
            Ok(word) => Ok(self.faults.ok(fault, word.coordinate()).unwrap_or(f64::NAN)),
            Err(error) if self.line_per_element => {
                self.faults.add(fault, 1, || error);
                Ok(f64::NAN)
            }
            Err(error) => Err(error),
        }
    }

    fn vec3(&mut self, fault: Fault, what: &str) -> Result<DVec3, ParseError> {
        Ok(DVec3::new(self.number(fault, what)?, self.number(fault, what)?, self.number(fault, what)?))
    }

    fn vertex(&mut self, attributes: Attributes, mesh: &mut RawMesh) -> Result<(), ParseError> {
        self.begin_element();
        let position = self.vec3(Fault::Position, "a coordinate of a vertex")?;
        mesh.positions.push(if position.is_nan() { DVec3::NAN } else { position });
        if attributes.normals {
            let location = self.line.location();
            let normal = self.vec3(Fault::Normal, "a coordinate of a normal")?.as_vec3();
            let is_valid = is_direction(normal);
            if !is_valid && !normal.is_nan() {
                let error = || ParseError::malformed(location, "the normal has no direction");
                self.faults.add(Fault::Normal, 1, error);
            }
            mesh.normals.push(if is_valid { normal } else { Vec3::NAN });
        }
        if attributes.colors {
            let color = self.color(attributes.uvs)?;
            self.vertex_colors.push(color);
        }
        if attributes.uvs {
            let [u, v] = [0, 1].map(|_| self.number(Fault::TextureCoordinate, "a texture coordinate"));
            #[allow(clippy::cast_possible_truncation, reason = "attributes are in single precision")]
            let uv = Vec2::new(u? as f32, 1.0 - v? as f32);
            mesh.uvs.push(if uv.is_nan() { Vec2::ZERO } else { uv });
        }
        Ok(())
    }

    /// Reads the three or four components of the colour of a vertex. An alpha must be on the same line. Errors: as
    /// [`Self::number`].
    fn color(&mut self, uvs_follow: bool) -> Result<RawColor, ParseError> {
        let components = ["red", "green", "blue"].map(|component| self.next(component));
        let left_on_line = self.line.count();
        let alpha = (left_on_line > if uvs_follow { 2 } else { 0 }).then(|| self.next("alpha"));
        let words = components.into_iter().chain(alpha).collect::<Result<Vec<_>, _>>();
        match words.and_then(|words| RawColor::of(&words)) {
            Err(error) if !self.line_per_element => Err(error),
            color => Ok(self.faults.ok(Fault::Color, color).unwrap_or(RawColor::NONE)),
        }
    }

    fn face(&mut self, mesh: &mut RawMesh) -> Result<(), ParseError> {
        self.begin_element();
        match self.ring(mesh) {
            Ok(ring) => {
                let positions: Vec<DVec3> = ring.iter().map(|&v| mesh.positions[v as usize]).collect();
                let first = mesh.triangles.len();
                mesh.triangles.extend(triangulate(&positions).into_iter().map(|t| t.map(|i| ring[i])));
                if let Some(color) = self.face_color() {
                    self.face_colors.resize(first, RawColor::NONE);
                    self.face_colors.resize(mesh.triangles.len(), color);
                }
            }
            Err(error) if self.line_per_element => {
                self.faults.add(Fault::Face, 1, || error);
                self.line.by_ref().for_each(drop);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Reads the vertices of a face.
    fn ring(&mut self, mesh: &RawMesh) -> Result<Vec<u32>, ParseError> {
        let word = self.next("a face")?;
        let corners: usize = word.parse("a number of corners")?;
        let count = mesh.positions.len();
        if corners < 3 {
            return Err(ParseError::malformed(word.location(), "a face needs at least three corners"));
        }
        if corners > max_corners(count).max(3) {
            let message = format!("a face has {corners} corners, but there are {count} vertices");
            return Err(ParseError::malformed(word.location(), message));
        }
        let mut ring = Vec::new();
        for _ in 0..corners {
            let word = self.next("a vertex of a face")?;
            let vertex: u32 = word.parse("a vertex index")?;
            let refuse =
                |what| Err(ParseError::malformed(word.location(), format!("vertex {vertex} {what}")));
            match mesh.positions.get(vertex as usize) {
                None => return refuse(format!("does not exist; there are {count}")),
                Some(position) if position.is_nan() => return refuse("has no valid coordinates".to_string()),
                Some(_) => ring.push(vertex),
            }
        }
        Ok(ring)
    }

    /// Reads the colour that may follow a face on its line: three or four components. An index into a colour map is not
    /// used.
    fn face_color(&mut self) -> Option<RawColor> {
        let words: Vec<Word<'a>> = self.line.take(5).collect();
        if !matches!(words.len(), 3 | 4) {
            self.skip_line();
            return None;
        }
        self.line.by_ref().for_each(drop);
        self.faults.ok(Fault::Color, RawColor::of(&words))
    }
}

/// Colour as the file writes it.
#[derive(Clone, Copy, Debug)]
struct RawColor {
    components: Vec4,
    /// Whether any of the first three components has a decimal point: such colours are usually in 0 … 1, others in
    /// 0 … 255.
    has_point: bool,
}

impl RawColor {
    /// No colour.
    const NONE: Self = Self { components: Vec4::NAN, has_point: false };

    /// Parses three or four components.
    fn of(words: &[Word<'_>]) -> Result<Self, ParseError> {
        let has_point = words.iter().take(3).any(|word| word.text.contains(&b'.'));
        let mut components = vec4(0.0, 0.0, 0.0, if has_point { 1.0 } else { 255.0 });
        for (i, word) in words.iter().enumerate() {
            components[i] = word.number()?;
        }
        Ok(Self { components, has_point })
    }
}

/// Converts colours from sRGB to linear. The range of those with a decimal point, and of those without, is 0 … 1 if no
/// component in the file is larger, otherwise 0 … 255.
///
/// * `missing` — linear colour that replaces [`RawColor::NONE`].
fn linear(colors: Vec<RawColor>, missing: Vec4) -> Vec<Vec4> {
    let mut linear = vec![missing; colors.len()];
    for has_point in [false, true] {
        let of_kind =
            |(_, color): &(usize, &RawColor)| color.has_point == has_point && !color.components.is_nan();
        let (indices, mut components): (Vec<usize>, Vec<Vec4>) =
            colors.iter().enumerate().filter(of_kind).map(|(index, color)| (index, color.components)).unzip();
        linear_colors(&mut components);
        indices.into_iter().zip(components).for_each(|(index, color)| linear[index] = color);
    }
    linear
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

    fn only_mesh(off: &[u8]) -> (sunfleck_scene::Mesh, Vec<String>) {
        let loaded = load_bytes("x.off".as_ref(), off, &NoFiles).unwrap();
        let entries = loaded.report.entries.iter().map(|entry| entry.message.clone()).collect();
        (sunfleck_scene::Mesh::clone(loaded.scene.meshes().next().unwrap().1), entries)
    }

    #[test]
    fn keywords_of_exporters() {
        // ModelNet writes no space after the keyword; others write it in lower case or leave it out.
        for head in ["OFF3 1 0", "off 3 1 0", "OFF\n3 1 0", "3 1", "OFF\r3 1 0\r", "\u{FEFF}OFF\r\n3 1 0"] {
            let (mesh, _) = only_mesh(format!("{head}\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").as_bytes());
            assert_eq!(mesh.triangles(), [[0, 1, 2]], "{head}");
        }
    }

    #[test]
    fn faces_have_colours() {
        let off =
            b"OFF\n4 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 255 0 0\n3 0 2 3\n3 0 1 3 0.0 1.0 0.0 0.5\n";
        let (mesh, _) = only_mesh(off);
        let color = |t: usize| mesh.triangles()[t].map(|v| mesh.data().colors[v as usize].to_array());
        assert_eq!(color(0), [[1.0, 0.0, 0.0, 1.0]; 3]);
        assert_eq!(color(1), [[0.6, 0.6, 0.6, 1.0]; 3], "grey without a colour");
        assert_eq!(color(2), [[0.0, 1.0, 0.0, 0.5]; 3]);
    }

    #[test]
    fn the_range_of_colours_is_that_of_the_file() {
        let vertices = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
        let first_color = |faces: &str| {
            let off = format!("OFF\n4 2 0\n{vertices}{faces}");
            let (mesh, _) = only_mesh(off.as_bytes());
            mesh.data().colors[mesh.triangles()[0][0] as usize].to_array()
        };
        // Exporters that print 1.0 as 1
        assert_eq!(first_color("3 0 1 2 1 0 0\n3 0 2 3 0.5 0.5 0.5\n"), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(first_color("3 0 1 2 1 0 0\n3 0 2 3\n"), [1.0, 0.0, 0.0, 1.0]);
        let dark = first_color("3 0 1 2 1 0 0\n3 0 2 3 255 255 255 128\n");
        assert!(dark[0] < 0.001 && dark[3] == 1.0, "{dark:?}");
        assert_eq!(first_color("3 0 1 2 255.0 0.0 0.0\n3 0 2 3 0 0 0\n"), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn faults_are_counted_and_the_rest_is_read() {
        let off = b"OFF\n5 6 0\n0 0 0 7 7\n1 0 0\n1 1 0\n0 x 0\nnan 0 0\n\
            3 0 1 2\n2 0 1\n3 0 1 9\n3 0 1 3\n3 0 1\n3 2 1 0 5\nmore\n";
        let (mesh, entries) = only_mesh(off);
        let [[a, b, c], reverse] = [mesh.corners(0), mesh.corners(1)];
        assert_eq!((mesh.triangles().len(), reverse), (2, [c, b, a]));
        let expected = [
            "lines after the last face that are not used: 1",
            "numbers after a vertex or face that are not used: 3",
            "vertices without valid coordinates, whose faces are skipped: 2; the first: \"x\" is not a number",
            "faces skipped: 4; the first: a face needs at least three corners",
        ];
        assert_eq!(entries[..4], expected);
    }
}
