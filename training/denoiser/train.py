"""Trains a denoising network on the files of `views.py`."""

from __future__ import annotations

import argparse
import copy
import math
import time
from pathlib import Path

import torch
from torch import Tensor, nn

from data import Sampler, Views, split, to_frame
from flip import Flip
from network import SIZES, Denoiser, denoise, exposure_scale, features, remodulate
from weights import read_weights, write_weights

WARM_UP_STEPS = 300
AVERAGING = 0.999
VALIDATION_INPUTS = (0, 2, 5)
"""Inputs of a view that validation uses: those with 1, 4 and 16 samples per pixel."""


def to_log(radiance: Tensor) -> Tensor:
    """Returns a logarithmic tone curve of radiance whose middle grey is 0.18."""
    return torch.log1p(4 * radiance)


def to_srgb(linear: Tensor) -> Tensor:
    """Returns sRGB-encoded values of linear ones in [0, 1]."""
    return torch.where(linear < 0.0031308, 12.92 * linear, 1.055 * linear.clamp(min=0.0031308) ** (1 / 2.4) - 0.055)


def gradient_error(difference: Tensor) -> Tensor:
    """Returns the mean absolute differences of an image between neighbouring pixels."""
    return difference.diff(dim=-1).abs().mean() + difference.diff(dim=-2).abs().mean()


class Loss(nn.Module):
    """Loss of exposed radiance: errors of logarithms, gradients, relative and displayed values, and FLIP."""

    def __init__(self) -> None:
        super().__init__()
        self.flip = Flip()

    def forward(self, output: Tensor, target: Tensor, display: Tensor) -> Tensor:
        """Returns the loss; `display` is the factor per image from radiance to display values."""
        logs = to_log(output) - to_log(target)
        shown, wanted = (output * display).clamp(0, 1), (target * display).clamp(0, 1)
        relative = (output - target).abs() / (output.abs() + target.abs() + 0.05)
        return (
            logs.abs().mean()
            + 0.5 * gradient_error(logs)
            + 0.1 * relative.mean()
            + 0.5 * (to_srgb(shown) - to_srgb(wanted)).abs().mean()
            + 0.5 * self.flip(shown, wanted).mean()
        )


@torch.no_grad()
def validate(network: Denoiser, views: Views, flip: Flip, mixed: bool) -> str:
    """Returns the mean logarithmic error and FLIP of the held-out views, per number of samples."""
    report = []
    for index in VALIDATION_INPUTS:
        errors = []
        for inputs, reference in zip(views.inputs[:, index].split(8), views.references.split(8)):
            frame, target = to_frame(inputs), reference.float().movedim(-1, 1)
            exposure = exposure_scale(target)
            output = denoise(network, frame, mixed) * exposure
            target = target * exposure
            logs = (to_log(output) - to_log(target)).abs().mean((1, 2, 3))
            error = flip(output.clamp(0, 1), target.clamp(0, 1)).mean((1, 2))
            noisy = flip((frame.radiance * exposure).clamp(0, 1), target.clamp(0, 1)).mean((1, 2))
            errors.append(torch.stack([logs, error, noisy], 1))
        log_error, flip_error, flip_noisy = torch.cat(errors).mean(0).tolist()
        report.append(f"input {index}: log {log_error:.4f} FLIP {flip_error:.4f} (noisy {flip_noisy:.4f})")
    return "; ".join(report)


def save_checkpoint(
    path: Path, network: Denoiser, average: Denoiser, optimizer: torch.optim.Optimizer, step: int
) -> None:
    """Writes a checkpoint below 16 MiB: weights in 32 bits, their average and the moments of Adam in 16 bits."""
    moments = [
        {key: state[key].to(torch.bfloat16) for key in ("exp_avg", "exp_avg_sq")} | {"step": state["step"]}
        for state in (optimizer.state[parameter] for parameter in network.parameters())
    ]
    averages = {key: value.half() for key, value in average.state_dict().items()}
    torch.save({"network": network.state_dict(), "average": averages, "moments": moments, "step": step}, path)


def load_checkpoint(
    path: Path, size: str, network: Denoiser, average: Denoiser, optimizer: torch.optim.Optimizer, device: str
) -> int:
    """Restores a checkpoint, or the weights alone of a file of weights, and returns its number of steps."""
    if path.suffix == ".weights":
        weights = read_weights(size, path).state_dict()
        network.load_state_dict(weights)
        average.load_state_dict(weights)
        return 0
    checkpoint = torch.load(path, map_location=device)
    network.load_state_dict(checkpoint["network"])
    average.load_state_dict(checkpoint["average"])
    for parameter, moments in zip(network.parameters(), checkpoint["moments"]):
        optimizer.state[parameter] = {
            "step": moments["step"].to(device),
            "exp_avg": moments["exp_avg"].float(),
            "exp_avg_sq": moments["exp_avg_sq"].float(),
        }
    return int(checkpoint["step"])


def learning_rate(peak: float, step: int, progress: float) -> float:
    """Returns a linear warm-up followed by half a cosine down to a hundredth of the peak."""
    cosine = 0.5 * (1 + math.cos(math.pi * min(progress, 1)))
    return peak * min(1, (step + 1) / WARM_UP_STEPS) * (0.01 + 0.99 * cosine)


def train(arguments: argparse.Namespace) -> None:
    """Trains for a given time, then writes the averaged weights and a checkpoint."""
    torch.manual_seed(arguments.seed)
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    device = arguments.device
    start = time.monotonic()
    train_paths, validation_paths = split(arguments.views)
    views, held_out = Views.load(train_paths, device), Views.load(validation_paths, device)
    print(
        f"{len(views.names)} views, {len(held_out.names)} held out; {time.monotonic() - start:.0f} s to load",
        flush=True,
    )

    mixed = device == "cuda"
    network = Denoiser(SIZES[arguments.size]).to(device).to(memory_format=torch.channels_last)
    average = copy.deepcopy(network)
    optimizer = torch.optim.AdamW(network.parameters(), arguments.rate, (0.9, 0.99), weight_decay=1e-4, fused=mixed)
    step = 0
    if arguments.resume:
        step = load_checkpoint(arguments.resume, arguments.size, network, average, optimizer, device)
    first = step
    loss_function = Loss().to(device)
    sampler = Sampler(views, arguments.crop, arguments.seed)
    total, counted = torch.zeros((), device=device), 0
    start = time.monotonic()
    next_report = arguments.report
    while (elapsed := time.monotonic() - start) < arguments.seconds and step - first < arguments.steps:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(arguments.rate, step - first, elapsed / arguments.seconds)
        batch = sampler.draw(arguments.batch)
        inputs, log_radiance = features(batch.frame, batch.exposure, batch.depth_mean)
        inputs = inputs.contiguous(memory_format=torch.channels_last)
        output = remodulate(network(inputs, log_radiance, mixed), batch.frame.albedo)
        loss = loss_function(output, batch.reference * batch.exposure, sampler.display_factors(arguments.batch))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1
        decay = min(AVERAGING, (step + 1) / (step + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), 1 - decay)
        total += loss.detach()
        counted += 1
        if elapsed >= next_report:
            print(f"step {step}, {elapsed:.0f} s, loss {float(total) / counted:.4f}", flush=True)
            print(f"    {validate(average, held_out, loss_function.flip, mixed)}", flush=True)
            total.zero_()
            counted = 0
            next_report += arguments.report
    report = validate(average, held_out, loss_function.flip, False)
    print(f"{step} steps, {time.monotonic() - start:.0f} s: {report}", flush=True)
    arguments.output.mkdir(parents=True, exist_ok=True)
    write_weights(average, arguments.output / f"{arguments.size}.weights")
    save_checkpoint(arguments.output / f"{arguments.size}.checkpoint", network, average, optimizer, step)


def main() -> None:
    """Reads the options and trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", choices=sorted(SIZES), help="size of the network")
    parser.add_argument("--views", type=Path, default=Path("views"), help="folder of the views")
    parser.add_argument("--output", type=Path, default=Path("trained"), help="folder of weights and checkpoints")
    parser.add_argument("--resume", type=Path, help="checkpoint or file of weights to start from")
    parser.add_argument("--seconds", type=float, default=500, help="time to train")
    parser.add_argument("--steps", type=int, default=10**9, help="most steps to train")
    parser.add_argument("--rate", type=float, default=1e-3, help="peak learning rate")
    parser.add_argument("--batch", type=int, default=24, help="crops of a batch")
    parser.add_argument("--crop", type=int, default=192, help="width and height of crops, a multiple of 32")
    parser.add_argument("--report", type=float, default=60, help="seconds between reports")
    parser.add_argument("--seed", type=int, default=1, help="seed of weights and crops")
    parser.add_argument("--device", default="cuda", help="device of PyTorch")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
