//! Scanlines of a picture: each is run-length encoded by component, by pixel, or not at all.

/// Reads a scanline from the beginning of `bytes`, which is advanced. Errors: one sentence.
pub(super) fn read(bytes: &mut &[u8], scanline: &mut [[u8; 4]]) -> Result<(), &'static str> {
    match bytes.first_chunk() {
        Some(&[2, 2, high, low]) if high < 128 && (8..0x8000).contains(&scanline.len()) => {
            if scanline.len() != usize::from(high) << 8 | usize::from(low) {
                return Err("a scanline has another length than the image");
            }
            *bytes = &bytes[4..];
            (0..4).try_for_each(|component| read_component(bytes, scanline, component))
        }
        _ => read_pixels(bytes, scanline),
    }
}

const TRUNCATED: &str = "the file ends early";

/// Reads one component of all pixels: runs of equal bytes, and bytes that differ.
fn read_component(bytes: &mut &[u8], scanline: &mut [[u8; 4]], component: usize) -> Result<(), &'static str> {
    let mut at = 0;
    while at < scanline.len() {
        let code = usize::from(*bytes.split_off_first().ok_or(TRUNCATED)?);
        let count = if code > 128 { code - 128 } else { code };
        let pixels = scanline.get_mut(at..at + count).filter(|pixels| !pixels.is_empty());
        let pixels = pixels.ok_or("a run is longer than its scanline, or empty")?;
        if code > 128 {
            let value = *bytes.split_off_first().ok_or(TRUNCATED)?;
            pixels.iter_mut().for_each(|pixel| pixel[component] = value);
        } else {
            let values = bytes.split_off(..count).ok_or(TRUNCATED)?;
            pixels.iter_mut().zip(values).for_each(|(pixel, &value)| pixel[component] = value);
        }
        at += count;
    }
    Ok(())
}

/// Reads plain pixels. One with the components (1, 1, 1) repeats the previous pixel; its exponent is the count, whose
/// higher bytes are in further such pixels.
fn read_pixels(bytes: &mut &[u8], scanline: &mut [[u8; 4]]) -> Result<(), &'static str> {
    let (mut at, mut shift) = (0, 0);
    while at < scanline.len() {
        let pixel = *bytes.split_off(..4).and_then(<[u8]>::first_chunk::<4>).ok_or(TRUNCATED)?;
        if let [1, 1, 1, count] = pixel {
            let count = (usize::from(count)).checked_shl(shift).filter(|_| shift < 32).unwrap_or(usize::MAX);
            let previous = at.checked_sub(1).map_or([0; 4], |previous| scanline[previous]);
            let rest = scanline.len() - at;
            if count > rest {
                return Err("a run is longer than its scanline");
            }
            scanline[at..at + count].fill(previous);
            at += count;
            shift += 8;
        } else {
            scanline[at] = pixel;
            at += 1;
            shift = 0;
        }
    }
    Ok(())
}
