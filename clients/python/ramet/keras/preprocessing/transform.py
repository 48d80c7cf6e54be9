"""Affine changes of images."""

import numpy as np

_MODES = {'nearest': lambda i, n: np.clip(i, 0, n - 1), 'wrap': lambda i, n: i % n, 'reflect': None, 'constant': None}


def _reflected(index, count):
    index = index % (2 * count)
    return np.minimum(index, 2 * count - 1 - index)


def _matrix(theta, tx, ty, shear, zx, zy):
    """Returns the map from points of the result to points of the source, around the origin."""
    theta, shear = np.deg2rad(theta), np.deg2rad(shear)
    rotation = np.array([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])
    shift = np.array([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    shearing = np.array([[1, -np.sin(shear), 0], [0, np.cos(shear), 0], [0, 0, 1]])
    zoom = np.diag([zx, zy, 1.])
    return rotation @ shift @ shearing @ zoom


def affine(x, theta, tx, ty, shear, zx, zy, axes, fill_mode, cval, order=1):
    """Returns an image that is rotated, shifted, sheared and zoomed around its center.

    Args:
      x: an array of rank 3.
      theta, tx, ty, shear, zx, zy: see apply_affine_transform.
      axes: the axes of rows, columns and channels.
      fill_mode, cval, order: see apply_affine_transform.

    Raises:
      ValueError: if fill_mode is unknown.
    """
    if fill_mode not in _MODES:
        raise ValueError(f'Unknown fill_mode: {fill_mode!r}')
    if (theta, tx, ty, shear, zx, zy) == (0, 0, 0, 0, 1, 1):
        return x
    image = np.transpose(x, axes)
    rows, columns = image.shape[:2]
    center = np.array([[1, 0, (rows - 1) / 2], [0, 1, (columns - 1) / 2], [0, 0, 1]])
    matrix = center @ _matrix(theta, tx, ty, shear, zx, zy) @ np.linalg.inv(center)
    r, c = np.meshgrid(np.arange(rows), np.arange(columns), indexing='ij')
    points = matrix[:2, :2] @ np.stack([r.ravel(), c.ravel()]) + matrix[:2, 2:]
    sampled = _sampled(image, points.reshape(2, rows, columns), fill_mode, cval, order)
    return np.transpose(sampled.astype(x.dtype), np.argsort(axes))


def _sampled(image, points, fill_mode, cval, order):
    if order == 0:
        return _pixels(image, *np.rint(points).astype(int), fill_mode, cval)
    low = np.floor(points).astype(int)
    part = (points - low)[..., np.newaxis]
    result = 0
    for i in (0, 1):
        for j in (0, 1):
            weight = (part[0] if i else 1 - part[0]) * (part[1] if j else 1 - part[1])
            result = result + weight * _pixels(image, low[0] + i, low[1] + j, fill_mode, cval)
    return result


def _pixels(image, r, c, fill_mode, cval):
    rows, columns = image.shape[:2]
    if fill_mode == 'constant':
        outside = (r < 0) | (r >= rows) | (c < 0) | (c >= columns)
        found = image[np.clip(r, 0, rows - 1), np.clip(c, 0, columns - 1)].astype(float)
        found[outside] = cval
        return found
    place = _reflected if fill_mode == 'reflect' else _MODES[fill_mode]
    return image[place(r, rows), place(c, columns)]


def shifted_channels(x, intensity):
    """Returns an image with a number added, within the range of the image."""
    return np.clip(x + intensity, np.min(x), np.max(x))
