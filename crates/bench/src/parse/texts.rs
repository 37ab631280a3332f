//! Generated files: a hilly surface of triangles as meshes, or many shapes with transforms.

use std::fmt::Write;

/// Name of a format, name of its file, and the text of a file of about as many bytes.
pub(super) type Text = (&'static str, &'static str, fn(usize) -> String);

pub(super) const ALL: [Text; 9] = [
    ("OBJ", "a.obj", obj),
    ("PLY (text)", "a.ply", ply),
    ("OFF", "a.off", off),
    ("STL (text)", "a.stl", stl),
    ("NFF", "a.nff", nff),
    ("AFF", "a.aff", aff),
    ("pbrt, a mesh", "mesh.pbrt", pbrt_mesh),
    ("pbrt, shapes", "shapes.pbrt", pbrt_shapes),
    ("Mitsuba, shapes", "shapes.xml", mitsuba_shapes),
];

/// Surface of n × n vertices over the unit square.
struct Grid {
    n: usize,
}

impl Grid {
    /// Returns a surface whose text has about `bytes` bytes.
    fn new(bytes: usize, bytes_per_vertex: usize) -> Self {
        let mut n = 2;
        while n * n * bytes_per_vertex < bytes {
            n += 1;
        }
        Self { n: n + 1 }
    }

    fn vertices(&self) -> impl Iterator<Item = [f64; 3]> {
        let n = self.n;
        (0..n * n).map(move |i| {
            let (x, y) = ((i % n) as f64 / n as f64, (i / n) as f64 / n as f64);
            // Without sines, which differ between platforms
            [x, y, 0.1 * (7.3 * x).fract() * (5.9 * y).fract()]
        })
    }

    fn triangles(&self) -> impl Iterator<Item = [usize; 3]> {
        let n = self.n;
        (0..(n - 1) * (n - 1)).flat_map(move |i| {
            let at = i / (n - 1) * n + i % (n - 1);
            [[at, at + 1, at + n], [at + 1, at + n + 1, at + n]]
        })
    }

    /// Returns the corners of the triangles.
    fn corners(&self) -> impl Iterator<Item = [[f64; 3]; 3]> {
        let vertices: Vec<[f64; 3]> = self.vertices().collect();
        self.triangles().map(move |triangle| triangle.map(|vertex| vertices[vertex]))
    }
}

/// Writes formatted text, which does not fail in memory.
macro_rules! put {
    ($text:ident, $($arguments:tt)*) => { let _ = write!($text, $($arguments)*); };
}

fn obj(bytes: usize) -> String {
    let grid = Grid::new(bytes, 100);
    let mut text = String::new();
    for [x, y, z] in grid.vertices() {
        put!(text, "v {x:.6} {y:.6} {z:.6}\nvt {x:.4} {y:.4}\n");
    }
    for t in grid.triangles() {
        let [a, b, c] = t.map(|vertex| vertex + 1);
        put!(text, "f {a}/{a} {b}/{b} {c}/{c}\n");
    }
    text
}

fn ply(bytes: usize) -> String {
    let grid = Grid::new(bytes, 60);
    let (vertices, triangles) = (grid.n * grid.n, 2 * (grid.n - 1) * (grid.n - 1));
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {triangles}\nproperty list uchar int vertex_indices\nend_header\n"
    );
    for [x, y, z] in grid.vertices() {
        put!(text, "{x:.6} {y:.6} {z:.6}\n");
    }
    for [a, b, c] in grid.triangles() {
        put!(text, "3 {a} {b} {c}\n");
    }
    text
}

fn off(bytes: usize) -> String {
    let grid = Grid::new(bytes, 60);
    let mut text = format!("OFF\n{} {} 0\n", grid.n * grid.n, 2 * (grid.n - 1) * (grid.n - 1));
    for [x, y, z] in grid.vertices() {
        put!(text, "{x:.6} {y:.6} {z:.6}\n");
    }
    for [a, b, c] in grid.triangles() {
        put!(text, "3 {a} {b} {c}\n");
    }
    text
}

fn stl(bytes: usize) -> String {
    let mut text = "solid hills\n".to_string();
    for corners in Grid::new(bytes, 400).corners() {
        text.push_str("facet normal 0 0 1\nouter loop\n");
        for [x, y, z] in corners {
            put!(text, "vertex {x:.6} {y:.6} {z:.6}\n");
        }
        text.push_str("endloop\nendfacet\n");
    }
    text + "endsolid hills\n"
}

fn nff(bytes: usize) -> String {
    let mut text = "v\nfrom 0.5 0.5 2\nat 0.5 0.5 0\nup 0 1 0\nangle 45\nhither 1\nresolution 512 512\n\
                    l 4 3 2\nf 1 0.9 0.7 0.5 0.5 30 0 0\n"
        .to_string();
    for (i, corners) in Grid::new(bytes, 180).corners().enumerate() {
        text.push_str("p 3\n");
        for [x, y, z] in corners {
            put!(text, "{x:.6} {y:.6} {z:.6}\n");
        }
        if i % 8 == 0 {
            let [x, y, z] = corners[0];
            put!(text, "s {x:.6} {y:.6} {z:.6} 0.001\n");
        }
    }
    text
}

fn aff(bytes: usize) -> String {
    let mut text = "v\nfrom 0.5 0.5 2\nat 0.5 0.5 0\nup 0 1 0\nangle 45\nhither 1\nresolution 512 512\n\
                    l 4 3 2\nfm 0.1 0.1 0.1 0.9 0.7 0.5 0.5 0.5 0.5 30 0 1\n"
        .to_string();
    for corners in Grid::new(bytes, 340).corners() {
        text.push_str("pp 3\n");
        for [x, y, z] in corners {
            put!(text, "{x:.6} {y:.6} {z:.6}\n0.0 0.0 1.0\n");
        }
    }
    text
}

fn pbrt_mesh(bytes: usize) -> String {
    let grid = Grid::new(bytes, 90);
    let mut text = "WorldBegin\nShape \"trianglemesh\"\n\"point3 P\" [\n".to_string();
    for [x, y, z] in grid.vertices() {
        put!(text, "{x:.6} {y:.6} {z:.6}\n");
    }
    text.push_str("]\n\"point2 uv\" [\n");
    for [x, y, _] in grid.vertices() {
        put!(text, "{x:.4} {y:.4}\n");
    }
    text.push_str("]\n\"integer indices\" [\n");
    for [a, b, c] in grid.triangles() {
        put!(text, "{a} {b} {c}\n");
    }
    text + "]\n"
}

fn pbrt_shapes(bytes: usize) -> String {
    let mut text = "WorldBegin\nMaterial \"diffuse\" \"rgb reflectance\" [0.5 0.4 0.3]\n".to_string();
    for [x, y, z] in Grid::new(bytes, 105).vertices() {
        put!(
            text,
            "AttributeBegin\n  Translate {x:.6} {y:.6} {z:.6}\n  Shape \"sphere\" \"float radius\" [0.001]\nAttributeEnd\n"
        );
    }
    text
}

fn mitsuba_shapes(bytes: usize) -> String {
    let mut text =
        "<scene version=\"3.0.0\">\n<bsdf type=\"twosided\" id=\"grey\"><bsdf type=\"diffuse\"/></bsdf>\n"
            .to_string();
    for [x, y, z] in Grid::new(bytes, 215).vertices() {
        put!(
            text,
            "<shape type=\"sphere\">\n  <float name=\"radius\" value=\"0.001\"/>\n  <transform name=\"to_world\">\n    \
             <translate x=\"{x:.6}\" y=\"{y:.6}\" z=\"{z:.6}\"/>\n  </transform>\n  <ref id=\"grey\"/>\n</shape>\n"
        );
    }
    text + "</scene>\n"
}
