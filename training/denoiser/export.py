"""Copies trained weights into the crate `sunfleck-denoise`, with a small image and its results for a test."""

from __future__ import annotations

import argparse
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import torch

from denoise import read_frame
from network import SIZES, Frame, denoise, luminance
from views import AOVS
from weights import read_weights

WIDTH, HEIGHT = 40, 24
FIXTURE_README = """# Fixture of the denoising network

`denoise-40x24.bin`, written by `training/denoiser/export.py`: an image of `office` with 4 samples per pixel, and the
results of both networks with the weights of `crates/denoise/weights`, computed by PyTorch in single precision.

Little-endian: u32 width, u32 height, then planes of f32, each row by row from the top:

| planes | content |
|---|---|
| 3 | radiance: red, green, blue |
| 3 | albedo |
| 3 | shading normal: x, y, z |
| 1 | depth, infinite for a miss |
| 1 | variance of the luminance of the mean radiance |
| 3 | denoised radiance of `final` |
| 3 | denoised radiance of `interactive` |
"""


def render_fixture(sunfleck: str) -> Frame:
    """Renders the image of the fixture."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fixture.exr"
        size = ["--width", str(WIDTH), "--height", str(HEIGHT), "--spp", "4"]
        subprocess.run([sunfleck, "render", "office", "-q", *size, *AOVS, "-o", path], check=True)
        return read_frame(path)


@torch.inference_mode()
def write_fixture(frame: Frame, trained: Path, folder: Path) -> None:
    """Writes the inputs and the results of both networks as planes of 32-bit floats."""
    planes = [frame.radiance, frame.albedo, frame.normal, frame.depth, luminance(frame.sigma).square()]
    planes += [denoise(read_weights(size, trained / f"{size}.weights"), frame) for size in ("final", "interactive")]
    data = torch.cat(planes, 1)[0].numpy().astype("<f4").tobytes()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"denoise-{WIDTH}x{HEIGHT}.bin").write_bytes(struct.pack("<II", WIDTH, HEIGHT) + data)
    (folder / "README.md").write_text(FIXTURE_README)


def main() -> None:
    """Exports the weights and writes the fixture."""
    crate = Path(__file__).parents[2] / "crates" / "denoise"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sunfleck", default="sunfleck", help="program that renders the image of the fixture")
    parser.add_argument("--trained", type=Path, default=Path("trained"), help="folder with the output of train.py")
    parser.add_argument("--crate", type=Path, default=crate, help="folder of the crate")
    arguments = parser.parse_args()
    (arguments.crate / "weights").mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        shutil.copy(arguments.trained / f"{size}.weights", arguments.crate / "weights")
    write_fixture(render_fixture(arguments.sunfleck), arguments.trained, arguments.crate / "tests" / "fixtures")


if __name__ == "__main__":
    main()
