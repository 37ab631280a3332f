//! Closed forms against those of pyviewfactor: see `form_factors.py`.

use sunfleck_math::DVec3;
use sunfleck_surface::matrix::Polygon;

#[test]
fn polygons_exchange_as_in_pyviewfactor() {
    let text = include_str!("pyviewfactor.txt");
    let mut count = 0;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let mut polygon = || {
            let corners: usize = words.next().unwrap().parse().unwrap();
            let mut coordinate = || words.next().unwrap().parse().unwrap();
            Polygon::new((0..corners).map(|_| DVec3::new(coordinate(), coordinate(), coordinate())))
        };
        let (from, to) = (polygon(), polygon());
        let expected: f64 = words.next().unwrap().parse().unwrap();
        let found = from.exchange(&to) / from.area();
        assert!((found - expected).abs() < 1e-5, "{found}, not {expected}: {line}");
        count += 1;
    }
    assert_eq!(count, 45, "lines of the file");
}
