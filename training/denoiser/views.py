"""Renders training views: references and noisy inputs of random scenes, as one .npz file per view.

A variant of a scene has several cameras, which are the frames of an animation, so that one process renders all of them.
Cameras are tried at low resolution on the CPU first; dark, empty and blocked views are rejected.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import OpenEXR

from scenes import CameraRegion, TrainingScene, random_scene

WIDTH, HEIGHT = 384, 256
CANDIDATES = 24
CAMERA = "training views"
INPUT_SAMPLES = (1, 2, 4, 4, 8, 16, 64)
HALF_MAX = 65000.0
LATE = "late"
AOVS = ("--aovs", "features,variance", "--filter", "box")
"""Options of the renders of noisy images."""


def look_at(position: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Returns the quaternion (x, y, z, w) of a camera that looks along -z, with y up."""
    back = position - target
    back = back / np.linalg.norm(back)
    right = np.cross([0.0, 1.0, 0.0], back)
    right /= max(float(np.linalg.norm(right)), 1e-6)
    up = np.cross(back, right)
    m = np.stack([right, up, back], 1)
    quaternion = np.array(
        [
            np.copysign(np.sqrt(max(0.0, 1 + m[0, 0] - m[1, 1] - m[2, 2])), m[2, 1] - m[1, 2]),
            np.copysign(np.sqrt(max(0.0, 1 - m[0, 0] + m[1, 1] - m[2, 2])), m[0, 2] - m[2, 0]),
            np.copysign(np.sqrt(max(0.0, 1 - m[0, 0] - m[1, 1] + m[2, 2])), m[1, 0] - m[0, 1]),
            np.sqrt(max(0.0, 1 + m[0, 0] + m[1, 1] + m[2, 2])),
        ]
    )
    return quaternion / np.linalg.norm(quaternion)


def random_poses(rng: np.random.Generator, region: CameraRegion, count: int) -> np.ndarray:
    """Returns positions and rotations of cameras inside a region."""
    poses: list[np.ndarray] = []
    while len(poses) < count:
        position = rng.uniform(region.low, region.high)
        target = rng.uniform(region.target_low, region.target_high)
        if np.linalg.norm((position - target)[[0, 2]]) > 0.3:
            poses.append(np.concatenate([position, look_at(position, target)]))
    return np.array(poses)


def random_camera(rng: np.random.Generator, distance: float) -> dict[str, object]:
    """Returns a perspective camera; one in six has a lens, which is in focus at a fraction of `distance`."""
    camera: dict[str, object] = {
        "type": "perspective",
        "perspective": {"yfov": float(np.radians(rng.uniform(30, 75))), "znear": 0.01},
    }
    if rng.random() < 1 / 6:
        lens = {"lensRadius": float(rng.uniform(0.005, 0.04)), "focusDistance": distance * float(rng.uniform(0.2, 0.8))}
        camera["extensions"] = {"SUNFLECK_scene": lens}
    return camera


def read_layers(path: Path) -> dict[str, np.ndarray]:
    """Returns radiance, albedo, normal, depth and sigma of an image of `sunfleck render`, as far as it has them.

    `sigma` is the standard deviation of the mean of a pixel per colour channel, 0 where it is unknown.
    """
    with OpenEXR.File(str(path)) as file:
        channels = {name: c.pixels.astype(np.float32) for part in file.parts for name, c in part.channels.items()}
    layers = {"radiance": channels["RGB"]}
    if "features.albedo" in channels:
        layers["albedo"] = np.clip(channels["features.albedo"], 0, 1)
        layers["normal"] = np.stack([channels[f"features.N.{axis}"] for axis in "XYZ"], -1)
        with np.errstate(divide="ignore"):
            layers["depth"] = 1 / channels["features.inverse_distance.Y"]
    if "variance" in channels:
        variance = np.nan_to_num(channels["variance"], nan=0.0, posinf=0.0)
        layers["sigma"] = np.sqrt(np.maximum(variance, 0))
    return layers


def pack_input(layers: dict[str, np.ndarray], scale: float) -> np.ndarray:
    """Returns radiance, albedo, normal, depth and sigma as 13 half floats per pixel; `scale` multiplies radiance."""
    radiance = np.minimum(layers["radiance"] * scale, HALF_MAX)
    sigma = np.minimum(layers["sigma"] * scale, HALF_MAX)
    depth = np.where(layers["depth"] > HALF_MAX, np.inf, layers["depth"])[..., None]
    return np.concatenate([radiance, layers["albedo"], layers["normal"], depth, sigma], -1).astype(np.float16)


class Renderer:
    """Runs `sunfleck render` on one scene file."""

    def __init__(self, sunfleck: str, scene: Path, options: list[str]) -> None:
        self.command = [sunfleck, "render", str(scene), "--camera", CAMERA, "--animation", CAMERA, "--fps", "1", "-q"]
        self.options = options

    def render(self, stem: str, frames: int, extra: list[str]) -> list[dict[str, np.ndarray]]:
        """Renders frames and returns their layers; the files are deleted."""
        folder = Path(self.command[2]).parent / stem
        folder.mkdir()
        output = ["--frames", f"0..{frames - 1}", "--allow-empty", "-o", str(folder / "view.exr")]
        subprocess.run(self.command + output + self.options + extra, check=True, capture_output=True, text=True)
        layers = [read_layers(path) for path in sorted(folder.glob("*.exr"))]
        shutil.rmtree(folder)
        return layers


def is_useful(layers: dict[str, np.ndarray]) -> bool:
    """Returns whether a preview shows a varied, lit part of the scene from a sensible distance."""
    radiance, depth, albedo = layers["radiance"].mean(-1), layers["depth"], layers["albedo"]
    hit = np.isfinite(depth) & (depth > 0)
    if not np.isfinite(radiance).all() or hit.mean() < 0.3:
        return False
    if np.median(depth[hit]) < 0.4 or np.percentile(depth[hit], 5) < 0.15:
        return False
    detail = albedo.std((0, 1)).mean() + layers["normal"].std((0, 1)).mean()
    bright_enough = radiance.mean() > 1e-3 and (radiance > 0.02 * radiance.mean()).mean() > 0.5
    return bool(detail > 0.35 and bright_enough)


def useful_poses(
    renderer: Renderer, scene: TrainingScene, camera: dict[str, object], path: Path, rng: np.random.Generator
) -> np.ndarray:
    """Returns the poses of candidates whose previews are useful."""
    poses = random_poses(rng, scene.cameras, CANDIDATES)
    write_with_cameras(scene, camera, poses, path)
    preview = ["--width", "48", "--height", "32", "--spp", "8", "--device", "cpu", "--threads", "2"]
    layers = renderer.render("preview", len(poses), [*preview, "--aovs", "features"])
    return poses[[is_useful(frame) for frame in layers]]


def write_with_cameras(scene: TrainingScene, camera: dict[str, object], poses: np.ndarray, path: Path) -> None:
    """Writes the scene with an animated camera in place of the previous one."""
    root = scene.glb.root
    kept = {key: list(root.get(key, [])) for key in ("nodes", "cameras", "accessors", "bufferViews")}
    top = list(root["scenes"][0]["nodes"])
    length = len(scene.glb.buffer)
    root["animations"] = []
    scene.glb.set_cameras(CAMERA, camera, poses)
    scene.glb.write(path)
    root.update(kept)
    root["scenes"][0]["nodes"] = top
    del scene.glb.buffer[length:]


def render_variant(seed: int, arguments: argparse.Namespace, deadline: float) -> tuple[str, int]:
    """Renders the views of one random scene and returns the scene's name and the number of views."""
    if time.monotonic() > deadline:
        return LATE, 0
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory(dir=arguments.temporary) as temporary:
        scene = random_scene(rng, arguments.sunfleck, Path(temporary))
        path = Path(temporary) / "scene.glb"
        distance = float(np.linalg.norm(scene.cameras.high - scene.cameras.low))
        camera = random_camera(rng, distance)
        renderer = Renderer(arguments.sunfleck, path, [])
        poses = useful_poses(renderer, scene, camera, path, rng)[: arguments.cameras]
        if len(poses) == 0:
            return scene.name, 0
        write_with_cameras(scene, camera, poses, path)
        size = ["--width", str(WIDTH), "--height", str(HEIGHT), "--device", arguments.device]
        renderer.options = size + arguments.options.split()
        extra = ["--spp", str(arguments.samples), "--seed", "7", "--filter", "box"]
        references = renderer.render("reference", len(poses), extra)
        scales = [0.3 / max(float(frame["radiance"].mean()), 1e-6) for frame in references]
        packed: list[list[np.ndarray]] = [[] for _ in poses]
        for index, samples in enumerate(INPUT_SAMPLES):
            extra = ["--spp", str(samples), "--seed", str(1000 + index), *AOVS]
            for inputs, layers, scale in zip(packed, renderer.render(f"input{index}", len(poses), extra), scales):
                inputs.append(pack_input(layers, scale))
        for frame, (reference, inputs, scale) in enumerate(zip(references, packed, scales)):
            target = np.minimum(reference["radiance"] * scale, HALF_MAX).astype(np.float16)
            np.savez(
                arguments.output / f"{seed:05d}-{frame}-{scene.name}.npz",
                reference=target,
                inputs=np.stack(inputs),
            )
    return scene.name, len(poses)


def guarded_variant(seed: int, arguments: argparse.Namespace, deadline: float) -> tuple[str, int]:
    """Renders one variant; a failure of the renderer is printed and counts as no views."""
    try:
        return render_variant(seed, arguments, deadline)
    except subprocess.CalledProcessError as error:
        print(f"variant {seed}: {error.stderr}", flush=True)
        return "failed", 0


def main() -> None:
    """Renders variants until the time is over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--sunfleck", default="sunfleck", help="program to run")
    parser.add_argument("--output", type=Path, default=Path("views"), help="folder of the views")
    parser.add_argument("--temporary", type=Path, default=None, help="folder of temporary files, best in memory")
    parser.add_argument("--device", default="gpu", help="device of `sunfleck render`")
    parser.add_argument("--options", default="", help="further options of `sunfleck render`, separated by spaces")
    parser.add_argument("--samples", type=int, default=1024, help="samples per pixel of the references")
    parser.add_argument("--cameras", type=int, default=7, help="most views of one scene variant")
    parser.add_argument("--first", type=int, default=0, help="seed of the first variant")
    parser.add_argument("--variants", type=int, default=1000, help="most variants")
    parser.add_argument("--seconds", type=float, default=400, help="time after which no variant is begun")
    parser.add_argument("--jobs", type=int, default=8, help="variants that are rendered at the same time")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    variant = partial(guarded_variant, arguments=arguments, deadline=start + arguments.seconds)
    counts: dict[str, list[int]] = {}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for name, views in pool.map(variant, range(arguments.first, arguments.first + arguments.variants)):
            counts.setdefault(name, []).append(views)
    counts.pop(LATE, None)
    total = sum(map(sum, counts.values()))
    summary = ", ".join(f"{name} {sum(views)} in {len(views)}" for name, views in sorted(counts.items()))
    print(f"{total} views in {time.monotonic() - start:.0f} s: {summary}", flush=True)


if __name__ == "__main__":
    main()
