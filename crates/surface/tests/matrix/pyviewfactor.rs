//! Closed forms against those of pyviewfactor: see `form_factors.py`.

use sunfleck_math::DVec3;
use sunfleck_surface::matrix::Polygon;

#[test]
fn polygons_exchange_as_in_pyviewfactor() {
    let text = include_str!("pyviewfactor.txt");
    let mut count = 0;
    for line in text.lines() {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<f64>().unwrap());
        let mut polygon = || {
            let corners = numbers.next().unwrap() as usize;
            let mut coordinate = || numbers.next().unwrap();
            Polygon::new((0..corners).map(|_| DVec3::new(coordinate(), coordinate(), coordinate())))
        };
        let (from, to) = (polygon(), polygon());
        let expected = numbers.next().unwrap();
        let found = from.exchange(&to) / from.area();
        assert!((found - expected).abs() < 1e-5, "{found}, not {expected}: {line}");
        count += 1;
    }
    assert_eq!(count, 45, "lines of the file");
}
