"""Files of trained policies: reading them, deciding with NumPy, and export to ONNX."""

from __future__ import annotations


def factor(y, step=0.2):
    """The factor for a rate that a policy's output y in [-1, 1] stands for: 1 + step * y, or 1 / (1 - step * y) below 0.

    y may be a number or an array.
    """
    if isinstance(y, (int, float)):
        return 1 + step * y if y >= 0 else 1 / (1 - step * y)
    import numpy as np

    y = np.asarray(y)
    up = 1 + step * np.abs(y)
    return np.where(y >= 0, up, 1 / up)
