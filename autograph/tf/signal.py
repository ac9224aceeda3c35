"""`tf.signal`: transforms, windows, and frames of signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.data.core import whole
from autograph.tf.absent import missing_from
from autograph.tf.tensors import as_result, convert_to_tensor, takes
from runtime.dtypes import as_dtype
from runtime.errors import ShapeError
from runtime.numpy import fft as fourier

__all__ = [  # noqa: PLE0604  (in rows)
    *("dct", "fft", "fft2d", "fft3d", "fftshift", "frame", "hamming_window", "hann_window", "idct"),
    *("ifft", "ifft2d", "ifft3d", "ifftshift", "inverse_stft", "inverse_stft_window_fn", "irfft"),
    *("irfft2d", "irfft3d", "kaiser_window", "linear_to_mel_weight_matrix"),
    *("mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d", "stft"),
    "vorbis_window",
]
Window = Callable[..., Any]


def _transform(name: str, axes: int, takes_length: bool) -> Callable[..., Any]:
    """Return the transform of NumPy's name over the last axes, which may be given sizes."""
    function = getattr(fourier, name)
    places = tuple(range(-axes, 0))
    what = f"Return the transform over the last {axes} axes" if axes > 1 else "Return the transform"
    if takes_length:

        def transform(input_tensor: Any, fft_length: Any = None) -> Any:
            sizes = None if fft_length is None else [int(n) for n in np.atleast_1d(fft_length)]
            return function(input_tensor, sizes, places)

        transform.__doc__ = f"{what}, with sizes given or as they are, of or to real numbers."
    else:

        def transform(input: Any) -> Any:  # type: ignore[misc]
            return function(input, None, places)

        transform.__doc__ = f"{what}."
    return takes(1)(transform)


fft, ifft = _transform("fftn", 1, False), _transform("ifftn", 1, False)
fft2d, ifft2d = _transform("fftn", 2, False), _transform("ifftn", 2, False)
fft3d, ifft3d = _transform("fftn", 3, False), _transform("ifftn", 3, False)
rfft, irfft = _transform("rfftn", 1, True), _transform("irfftn", 1, True)
rfft2d, irfft2d = _transform("rfftn", 2, True), _transform("irfftn", 2, True)
rfft3d, irfft3d = _transform("rfftn", 3, True), _transform("irfftn", 3, True)


@takes(1)
def fftshift(x: Any, axes: Any = None) -> Any:
    """Return a transform with frequency zero in the middle of some axes, or of all."""
    return fourier.fftshift(x, axes)


@takes(1)
def ifftshift(x: Any, axes: Any = None) -> Any:
    """Return what `fftshift` was given."""
    return fourier.ifftshift(x, axes)


def hann_window(window_length: int, periodic: bool = True, dtype: Any = np.float32) -> Any:
    """Return a window that is a period of a cosine, from 0 to 1 and back."""
    return _cosine(window_length, periodic, 0.5, dtype)


def hamming_window(window_length: int, periodic: bool = True, dtype: Any = np.float32) -> Any:
    """Return a window that is a period of a cosine, from 0.08 to 1 and back."""
    return _cosine(window_length, periodic, 0.54, dtype)


def _cosine(length: int, periodic: bool, middle: float, dtype: Any) -> Any:
    length = whole(length, "window_length", 1)
    if length == 1:
        return convert_to_tensor(np.ones(1, as_dtype(dtype)))
    period = length - 1 + (periodic and length % 2 == 0)
    window = middle - (1 - middle) * np.cos(2 * np.pi * np.arange(length) / period)
    return convert_to_tensor(window.astype(as_dtype(dtype)))


def kaiser_window(window_length: int, beta: float = 12.0, dtype: Any = np.float32) -> Any:
    """Return the window of Kaiser."""
    size = whole(window_length, "window_length", 1)
    return convert_to_tensor(np.kaiser(size, beta).astype(as_dtype(dtype)))


def vorbis_window(window_length: int, dtype: Any = np.float32) -> Any:
    """Return the window of Vorbis, of which the squares of both halves add up to 1."""
    size = whole(window_length, "window_length", 1)
    slope = np.sin(np.pi / size * (np.arange(size) + 0.5))
    return convert_to_tensor(np.sin(np.pi / 2 * slope**2).astype(as_dtype(dtype)))


@takes(1)
def frame(
    signal: Any,
    frame_length: int,
    frame_step: int,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
) -> Any:
    """Return the parts of a signal that begin every so many elements: one more axis.

    Args:
        signal: `[..., samples, ...]`.
        frame_length: how many elements a part has.
        frame_step: how many from the beginning of one to that of the next.
        pad_end: whether parts that go beyond the end are there, too, filled with `pad_value`.
        pad_value: see there.
        axis: that of the samples.

    >>> frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    length, step = _lengths(frame_length, frame_step)
    rank = _rank(signal, "frame")
    axis %= rank
    size = signal.shape[axis]
    count = -(-size // step) if pad_end else 1 + (size - length) // step
    places = rnp.arange(rnp.maximum(0, count))[:, None] * step + np.arange(length)
    if not pad_end:
        return rnp.take(signal, places, axis)
    is_there = rnp.reshape(places < size, (-1, length, *[1] * (rank - 1 - axis)))
    frames = rnp.take(signal, rnp.minimum(places, size - 1), axis)
    return rnp.where(is_there, frames, convert_to_tensor(pad_value, signal.dtype))


@takes(1)
def overlap_and_add(signal: Any, frame_step: int) -> Any:
    """Return the signal of which frames are parts, and the sum where they overlap.

    Args:
        signal: `[..., frames, frame_length]`.
        frame_step: how many elements from the beginning of one to that of the next.

    >>> overlap_and_add([[1, 1, 1], [2, 2, 2]], 2).numpy().tolist()
    [1, 1, 3, 2, 2]
    """
    step = whole(frame_step, "frame_step", 1)
    _rank(signal, "overlap_and_add", 2)
    *outer, count, length = signal.shape
    blocks = -(-length // step)
    around = [(0, 0)] * len(outer)
    padded = rnp.pad(signal, [*around, (0, 0), (0, blocks * step - length)])
    parts = rnp.reshape(padded, (*outer, count, blocks, step))
    shifted = (
        rnp.pad(parts[..., k, :], [*around, (k, blocks - 1 - k), (0, 0)]) for k in range(blocks)
    )
    rows = sum(shifted, start=next(shifted))
    return rnp.reshape(rows, (*outer, -1))[..., : (count - 1) * step + length]


@takes(1)
def stft(
    signals: Any,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
) -> Any:
    """Return the transforms of the frames of a signal, each times a window.

    Args:
        signals: `[..., samples]`, real numbers.
        frame_length: how many elements a frame has.
        frame_step: how many from the beginning of one to that of the next.
        fft_length: to which frames are made longer; by default the next power of two.
        window_fn: gives a window of a length and a dtype; None for none.
        pad_end: whether frames that go beyond the end are there, too, with zeros.
    """
    frame_length, frame_step = _lengths(frame_length, frame_step)
    size = _power(frame_length) if fft_length is None else whole(fft_length, "fft_length", 1)
    frames = frame(signals, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return rfft(frames, [size])


@takes(1)
def inverse_stft(
    stfts: Any,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Window | None = hann_window,
) -> Any:
    """Return a signal of the transforms of its frames: `stft` the other way.

    Args:
        stfts: `[..., frames, fft_length // 2 + 1]`.
        frame_length, frame_step, fft_length: as for `stft`.
        window_fn: by which frames are multiplied; see `inverse_stft_window_fn`.
    """
    frame_length, frame_step = _lengths(frame_length, frame_step)
    size = _power(frame_length) if fft_length is None else whole(fft_length, "fft_length", 1)
    frames = irfft(stfts, [size])[..., :frame_length]
    if frame_length > size:
        widths = [(0, 0)] * (len(frames.shape) - 1)
        frames = rnp.pad(frames, [*widths, (0, frame_length - size)])
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step: int, forward_window_fn: Window = hann_window) -> Window:
    """Return the window by which `inverse_stft` gives back what `stft` was given."""

    def window(frame_length: int, dtype: Any = np.float32) -> Any:
        forward = forward_window_fn(frame_length, dtype=dtype)
        blocks = -(-frame_length // frame_step)
        squares = rnp.pad(rnp.square(forward), (0, blocks * frame_step - frame_length))
        sums = rnp.sum(rnp.reshape(squares, (blocks, frame_step)), axis=0)
        return as_result(forward / rnp.tile(sums, blocks)[:frame_length])

    return window


def _lengths(frame_length: Any, frame_step: Any) -> tuple[int, int]:
    return whole(frame_length, "frame_length", 1), whole(frame_step, "frame_step", 1)


def _rank(x: Any, name: str, least: int = 1) -> int:
    """Return the number of axes of a tensor; ShapeError where a function needs more."""
    if len(x.shape) < least:
        raise ShapeError(f"{name} takes tensors of {least} axes or more, and was given {x.spec}")
    return len(x.shape)


def _power(length: int) -> int:
    """Return the next power of two."""
    return 1 << max(length - 1, 0).bit_length()


@takes(1)
def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Any:
    """Return the discrete cosine transform along the last axis, as a product with its matrix.

    Args:
        input: real numbers `[..., samples]`.
        type: 1 to 4.
        n: how many samples are taken, of which missing ones are zero; by default all.
        axis: -1.
        norm: `"ortho"` for orthogonal matrices.
    """
    _rank(input, "dct")
    size = input.shape[-1]
    is_known = type in (1, 2, 3, 4) and norm in ((None,) if type == 1 else (None, "ortho"))
    if axis != -1 or not is_known:
        raise ValueError(
            "dct is of types 1 to 4 along axis -1, its norm is None, or 'ortho' but for type 1; "
            f"not {type}, {axis}, {norm!r}"
        )
    if n is not None and n != size:
        widths = [(0, 0)] * (len(input.shape) - 1)
        input = rnp.pad(input[..., :n], [*widths, (0, max(n - size, 0))])
        size = n
    return input @ _cosines(type, size, norm).astype(input.dtype)


def _cosines(kind: int, size: int, norm: str | None) -> Any:
    """Return the matrix `[samples, frequencies]` of a cosine transform."""
    k, m = np.arange(size), np.arange(size)[:, None]
    if kind == 1:
        matrix = 2 * np.cos(np.pi * m * k / (size - 1))
        matrix[[0, -1]] /= 2
        return matrix
    if kind == 4:
        return 2 * np.cos(np.pi * (2 * m + 1) * (2 * k + 1) / (4 * size)) * _scale(size, norm)
    forward = 2 * np.cos(np.pi * (2 * m + 1) * k / (2 * size)) * _scale(size, norm)
    if norm == "ortho":
        forward[:, 0] /= np.sqrt(2)
    if kind == 2:
        return forward
    if norm is None:
        forward[:, 0] /= 2
    return forward.T


def _scale(size: int, norm: str | None) -> Any:
    return np.sqrt(1 / (2 * size)) if norm == "ortho" else 1.0


def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Any:
    """Return the transform that goes back from `dct`, but for a factor unless `norm` is "ortho"."""
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = np.float32,
) -> Any:
    """Return the matrix `[spectrogram bins, mel bins]` that sums frequencies by how they are heard.

    Args:
        num_mel_bins, num_spectrogram_bins: its sizes.
        sample_rate: of the signal, in hertz.
        lower_edge_hertz, upper_edge_hertz: between which frequencies the mel bins are.
        dtype: of the matrix.
    """
    num_mel_bins = whole(num_mel_bins, "num_mel_bins", 1)
    num_spectrogram_bins = whole(num_spectrogram_bins, "num_spectrogram_bins", 2)
    if not isinstance(sample_rate, int | float):
        raise TypeError(f"sample_rate is a number, in hertz, not {sample_rate!r}")
    if not 0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2:
        raise ValueError(
            "lower_edge_hertz is 0 or more and below upper_edge_hertz, which is half of the sample "
            f"rate at most, not {lower_edge_hertz}, {upper_edge_hertz}, {sample_rate}"
        )
    heard = _mel(np.linspace(0.0, sample_rate / 2, num_spectrogram_bins)[1:])[:, None]
    first, last = (float(_mel(x)) for x in (lower_edge_hertz, upper_edge_hertz))
    edges = np.linspace(first, last, num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    slopes = np.minimum((heard - lower) / (center - lower), (upper - heard) / (upper - center))
    weights = np.pad(np.maximum(slopes, 0), [(1, 0), (0, 0)])
    return convert_to_tensor(weights.astype(as_dtype(dtype)))


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(hertz / 700.0)


@takes(1)
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any) -> Any:
    """Return the cepstral coefficients of logarithms of mel spectrograms `[..., mel bins]`."""
    _rank(log_mel_spectrograms, "mfccs_from_log_mel_spectrograms")
    size = log_mel_spectrograms.shape[-1]
    return dct(log_mel_spectrograms) * float(1 / np.sqrt(2 * size))


__getattr__ = missing_from("autograph.tf.signal", globals())
