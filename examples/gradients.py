"""Derivatives of programs with loops and branches: four short models.

A loop that chooses its steps, a contact, an iteration to convergence, and a filter whose likelihood
is maximised by its second derivatives.
"""

from __future__ import annotations

import numpy as np

import autograph as ag


def decay(rate, end):
    """Return the solution of y' = -rate * y ** 2, y(0) = 1, by steps that adapt to the error."""
    t, y, step = 0.0, 1.0, 0.1
    while t < end:
        step = np.minimum(step, end - t)
        slope = -rate * y * y
        middle = y + step * slope
        heun = y + 0.5 * step * (slope - rate * middle * middle)
        error = abs(heun - middle)
        if error < 1e-6:  # else the step is tried again, with a smaller one
            t, y = t + step, heun
        step = step * np.minimum(2.0, 0.9 * np.sqrt(1e-6 / (error + 1e-12)))
    return y


def fit_decay(times, observed, rate):
    """Return the rate that fits what was observed, by Newton's method on the gradient."""

    slope = ag.grad(misfit)
    curve = ag.grad(slope)
    for _ in range(6):
        rate = rate - slope(rate, times, observed) / curve(rate, times, observed)
    return rate


def misfit(rate, times, observed):
    """Return the sum of squared differences between the solution and what was observed."""
    total = 0.0
    for t, y in zip(times, observed, strict=True):
        total += (decay(rate, t) - y) ** 2
    return total


def bounce(height, speed, end):
    """Return where a ball is at a time that is thrown up, and loses speed where it hits the ground.

    The time of a contact is that of its root, so that derivatives are those of the true path.
    """
    left = end
    while True:
        fall = (speed + np.sqrt(speed * speed + 2 * 9.81 * height)) / 9.81
        if fall > left:
            return height + speed * left - 0.5 * 9.81 * left * left
        left = left - fall
        speed = 0.8 * (9.81 * fall - speed)
        height = 0.0 * height


def kepler(mean, eccentricity):
    """Return the root E of E - e * sin(E) = M, by Newton's method."""
    angle, change = mean, 1.0
    while abs(change) > 1e-12:
        change = (angle - eccentricity * np.sin(angle) - mean) / (1 - eccentricity * np.cos(angle))
        angle = angle - change
    return angle


NILE = """
1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140 1100
1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831 726 456
824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796 1040 759 781 865 845 944 984 897 822
1010 771 676 649 846 812 742 801 1040 860 874 848 890 744 749 838 1050 918 986 797 923 975 815 1020
906 901 1170 912 746 919 718 714 740"""
"""The flow of the Nile at Aswan, 1871 to 1970, in 100 million cubic metres."""


def surprise(logs, flow):
    """Return the negative logarithm of the likelihood of a local level, by a Kalman filter.

    Args:
        logs: `f64[2]`: the logarithms of the variances of what is measured, and of what changes.
        flow: `f64[n]`.
    """
    noise, drift = np.exp(logs)
    level, variance = flow[0], noise
    total = 0.0
    for y in flow[1:]:
        variance = variance + drift
        whole = variance + noise
        gain, miss = variance / whole, y - level
        total += 0.5 * (np.log(2 * np.pi * whole) + miss * miss / whole)
        level, variance = level + gain * miss, variance * (1 - gain)
    return total


def fit_level(flow, logs):
    """Return the logarithms of the variances that make a series most likely, by Newton's method."""
    slope, curve = ag.grad(surprise), ag.hessian(surprise)
    for _ in range(12):
        logs = logs - np.linalg.solve(curve(logs, flow), slope(logs, flow))
    return logs


def main():
    """Print what each model gives."""
    times = np.linspace(0.2, 2.0, 10)
    rate = fit_decay(times, 1 / (1 + 1.3 * times), np.float64(1.0))
    print(f"decay: the rate is {rate:.4f}")
    where, slope = ag.value_and_grad(bounce, argnums=(0, 1))(*np.float64([1.0, 2.0, 2.5]))
    print(f"ball: at {where:.4f}, by height {slope[0]:.4f}, by speed {slope[1]:.4f}")
    angle, by_mean = ag.value_and_grad(kepler)(*np.float64([0.8, 0.6]))
    print(f"orbit: {angle:.6f}, by the mean {by_mean:.6f} ({1 / (1 - 0.6 * np.cos(angle)):.6f})")
    flow = np.array(NILE.split(), float)
    noise, drift = np.exp(fit_level(flow, np.log([1e4, 1e3])))
    print(f"Nile: variances {noise:.0f} and {drift:.0f}")


if __name__ == "__main__":
    main()
