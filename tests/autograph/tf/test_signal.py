"""`tf.signal` against NumPy's transforms and SciPy's, eagerly and staged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.signal

from autograph import tf

signal = tf.signal
X = np.random.default_rng(0).normal(size=(2, 50)).astype(np.float32)


def close(found: Any, expected: Any, **options: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-4, atol=1e-5, **options)


def test_transforms_are_numpys():
    z = tf.constant(X + 1j * X[::-1])
    assert signal.fft(z).dtype == tf.complex64
    close(signal.ifft2d(signal.fft2d(z)), z.numpy())
    close(signal.rfft(X, fft_length=[32]), np.fft.rfft(X, 32))
    close(signal.irfft(z, [12]), np.fft.irfft(z.numpy(), 12))
    close(signal.ifftshift(signal.fftshift(X), axes=[0, 1]), X)


def test_windows_are_scipys():
    close(signal.hann_window(16), scipy.signal.windows.hann(16, sym=False))
    close(signal.hamming_window(16, periodic=False), scipy.signal.windows.hamming(16))
    close(signal.kaiser_window(9, beta=5.0), scipy.signal.windows.kaiser(9, 5.0))
    close(signal.hann_window(7), scipy.signal.windows.hann(7))  # of odd lengths, as in TensorFlow
    half = signal.vorbis_window(16).numpy() ** 2
    close(half[:8] + half[8:], np.ones(8))


@pytest.mark.parametrize("pad_end", [False, True])
def test_frames_are_parts_of_a_signal(pad_end: bool):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def frames(x):
        return signal.frame(x, 7, 3, pad_end=pad_end, pad_value=2.0)

    for size in (50, 8, 3):
        x = X[:, :size]
        starts = range(0, size if pad_end else size - 6, 3)
        long = np.pad(x, [(0, 0), (0, 9)], constant_values=2)
        expected = np.stack([long[:, k : k + 7] for k in starts] or [long[:, :7]], 1)
        expected = expected[:, : len(starts)]
        close(frames(x), expected)
        close(signal.frame(x.T, 7, 3, pad_end, 2.0, axis=0), expected.transpose(1, 2, 0))


def test_a_signal_comes_back_from_its_spectrum():
    spectrum = tf.function(lambda x: signal.stft(x, 16, 4))(X)
    starts = range(0, 50 - 15, 4)
    rows = np.stack([X[:, k : k + 16] for k in starts], 1) * scipy.signal.windows.hann(16, False)
    close(spectrum, np.fft.rfft(rows))
    back = signal.inverse_stft(spectrum, 16, 4, window_fn=signal.inverse_stft_window_fn(4))
    close(back[:, 12:36], X[:, 12:36])


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosine_transforms_are_scipys(kind: int):
    norms = [None] if kind == 1 else [None, "ortho"]
    for norm in norms:
        close(signal.dct(X, kind, norm=norm), scipy.fft.dct(X, kind, norm=norm))
    close(signal.dct(X, kind, n=20), scipy.fft.dct(X, kind, n=20))
    close(signal.idct(signal.dct(X, 2, norm="ortho"), 2, norm="ortho"), X)
    with pytest.raises(ValueError, match="dct is of types 1 to 4"):
        signal.dct(X, 5)


def test_frequencies_are_summed_as_they_are_heard():
    matrix = signal.linear_to_mel_weight_matrix(5, 33, 8000, 100.0, 3000.0).numpy()
    assert matrix.shape == (33, 5)
    hertz = np.linspace(0, 4000, 33)
    assert not matrix[(hertz < 100) | (hertz > 3000)].any()
    mels = 1127 * np.log1p(np.array([100.0, 3000.0]) / 700)
    peaks = 700 * np.expm1(np.linspace(*mels, 7)[1:-1] / 1127)
    assert np.abs(hertz[matrix.argmax(0)] - peaks).max() < 125
    found = signal.mfccs_from_log_mel_spectrograms(X[:, :5])
    close(found, scipy.fft.dct(X[:, :5]) / np.sqrt(10))
