"""k-means: cluster points until no point changes its cluster, with a branch for empty clusters."""

from __future__ import annotations

import numpy as np

import autograph as ag


def nearest(points, centres):
    """Return for each point the number of the centre that is nearest to it."""
    offsets = points[:, None, :] - centres
    return np.argmin(np.sum(offsets**2, axis=2), axis=1)


@ag.function
def kmeans(points, centres):
    """Return the cluster of each point, the centres of the clusters, and the number of rounds.

    Args:
        points: [points, features].
        centres: [clusters, features], where to begin.
    """
    centres = centres.copy()
    labels = nearest(points, centres)
    before = np.full_like(labels, -1)
    rounds = 0
    while np.any(labels != before):
        for k in range(len(centres)):
            members = points[labels == k]
            if len(members) > 0:
                centres[k] = np.mean(members, axis=0)
        before = labels
        labels = nearest(points, centres)
        rounds += 1
    return labels, centres, rounds


def main():
    """Print the sizes of the clusters of three clouds of points; a fourth centre gets none."""
    draw = np.random.default_rng(0)
    points = np.concatenate([draw.normal(middle, 0.5, (50, 2)) for middle in (0.0, 3.0, 6.0)])
    centres = np.array([[0.0, 1.0], [3.0, 2.0], [5.0, 5.0], [99.0, 99.0]])
    labels, centres, rounds = kmeans(points, centres)
    print("sizes:", np.bincount(labels, minlength=4), "rounds:", rounds)
    print(np.round(centres, 2))


if __name__ == "__main__":
    main()
