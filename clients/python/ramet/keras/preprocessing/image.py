"""Images as arrays, and random changes of them."""

import math

import numpy as np

from ramet.api import export
from ramet.keras.backend import config
from ramet.keras.preprocessing.transform import affine, shifted_channels
from ramet.keras.utils.data_utils import Sequence


@export('keras.preprocessing.image.img_to_array')
def img_to_array(img, data_format=None, dtype=None):
    """Returns an image of the package PIL, or an array, as an array of rank 3.

    Args:
      img: the image.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      dtype: the type; None means the default floating-point type.

    Raises:
      ValueError: if the rank is neither 2 nor 3.
    """
    x = np.asarray(img, dtype=dtype or config.floatx())
    first = (data_format or config.image_data_format()) == 'channels_first'
    if x.ndim == 2:
        return x[np.newaxis] if first else x[..., np.newaxis]
    if x.ndim != 3:
        raise ValueError(f'Unsupported image shape: {x.shape}')
    return x.transpose(2, 0, 1) if first else x


@export('keras.preprocessing.image.apply_affine_transform')
def apply_affine_transform(x, theta=0, tx=0, ty=0, shear=0, zx=1, zy=1, row_axis=0, col_axis=1, channel_axis=2,
                           fill_mode='nearest', cval=0., order=1):
    """Returns an image that is rotated, shifted, sheared and zoomed.

    Args:
      x: an array of rank 3.
      theta: the rotation in degrees.
      tx: the shift along rows.
      ty: the shift along columns.
      shear: the shear in degrees.
      zx: the zoom of rows.
      zy: the zoom of columns.
      row_axis: the axis of rows.
      col_axis: the axis of columns.
      channel_axis: the axis of channels.
      fill_mode: 'nearest', 'constant', 'reflect' or 'wrap': the values of points outside of the image.
      cval: the value for 'constant'.
      order: 0 for the nearest pixel, 1 for bilinear interpolation.
    """
    return affine(x, theta, tx, ty, shear, zx, zy, (row_axis, col_axis, channel_axis), fill_mode, cval, order)


@export('keras.preprocessing.image.apply_channel_shift')
def apply_channel_shift(x, intensity, channel_axis=0):
    """Returns an image with a number added to each channel, within the range of the image.

    Args:
      x: an array of rank 3.
      intensity: the number.
      channel_axis: the axis of channels.
    """
    return shifted_channels(x, intensity)


@export('keras.preprocessing.image.ImageDataGenerator')
class ImageDataGenerator:
    """Makes batches of randomly changed images.

    Args:
      featurewise_center: whether to subtract the mean of the data; see fit.
      samplewise_center: whether to subtract the mean of each image.
      featurewise_std_normalization: whether to divide by the standard deviation of the data.
      samplewise_std_normalization: whether to divide by the standard deviation of each image.
      zca_whitening: must be False.
      zca_epsilon: ignored.
      rotation_range: the largest rotation in degrees.
      width_shift_range: the largest shift of columns, as a fraction, or in pixels from 1 on.
      height_shift_range: the largest shift of rows, as a fraction, or in pixels from 1 on.
      brightness_range: must be None.
      shear_range: the largest shear in degrees.
      zoom_range: the largest zoom as a fraction, or a pair of bounds.
      channel_shift_range: the largest number to add to channels.
      fill_mode: 'nearest', 'constant', 'reflect' or 'wrap': the values of points outside of an image.
      cval: the value for 'constant'.
      horizontal_flip: whether to mirror images at random.
      vertical_flip: whether to turn images upside down at random.
      rescale: a factor, or None.
      preprocessing_function: a function from an image to an image, or None.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      validation_split: the fraction of the data that is the subset 'validation'.
      dtype: the type; None means the default floating-point type.

    Raises:
      ValueError: if an argument is not supported.
    """

    def __init__(self, featurewise_center=False, samplewise_center=False, featurewise_std_normalization=False,
                 samplewise_std_normalization=False, zca_whitening=False, zca_epsilon=1e-6, rotation_range=0,
                 width_shift_range=0., height_shift_range=0., brightness_range=None, shear_range=0., zoom_range=0.,
                 channel_shift_range=0., fill_mode='nearest', cval=0., horizontal_flip=False, vertical_flip=False,
                 rescale=None, preprocessing_function=None, data_format=None, validation_split=0.0, dtype=None):
        if zca_whitening or brightness_range is not None:
            raise ValueError('Ramet has ImageDataGenerator without `zca_whitening` and `brightness_range`')
        self.__dict__.update({k: v for k, v in locals().items() if k not in ('self', 'zca_whitening', 'zca_epsilon')})
        self.data_format = data_format or config.image_data_format()
        self.axes = (1, 2, 0) if self.data_format == 'channels_first' else (0, 1, 2)
        self.dtype = dtype or config.floatx()
        self.zoom_range = [1 - zoom_range, 1 + zoom_range] if isinstance(zoom_range, (int, float)) else zoom_range
        self.mean = self.std = None

    def fit(self, x, augment=False, rounds=1, seed=None):
        """Computes the mean and standard deviation of data.

        Args:
          x: an array of rank 4.
          augment: whether to use changed images.
          rounds: how many changed images to use for each image.
          seed: an integer.
        """
        x = np.array(x, dtype=self.dtype)
        if augment:
            if seed is not None:
                np.random.seed(seed)
            x = np.array([self.random_transform(image) for _ in range(rounds) for image in x])
        channel = self.axes[2] + 1
        over = tuple(axis for axis in range(4) if axis != channel)
        form = [1, 1, 1]
        form[self.axes[2]] = x.shape[channel]
        self.mean = np.mean(x, axis=over).reshape(form)
        self.std = np.std(x - self.mean if self.featurewise_center else x, axis=over).reshape(form)

    def flow(self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None, save_to_dir=None,
             save_prefix='', save_format='png', subset=None):
        """Returns a sequence of batches that never ends.

        Args:
          x: an array of rank 4.
          y: an array of labels, or None.
          batch_size: the number of images in a batch.
          shuffle: whether to shuffle images.
          sample_weight: an array of weights, or None.
          seed: an integer.
          save_to_dir: must be None.
          save_prefix, save_format: ignored.
          subset: 'training', 'validation' or None; see validation_split.
        """
        if save_to_dir is not None:
            raise ValueError('Ramet does not save the images of ImageDataGenerator')
        return NumpyArrayIterator(x, y, self, batch_size=batch_size, shuffle=shuffle, sample_weight=sample_weight,
                                  seed=seed, subset=subset)

    def standardize(self, x):
        """Returns an image, scaled and normalized.

        Args:
          x: an array of rank 3.
        """
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x = x * self.rescale
        if self.samplewise_center:
            x = x - np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x = x / (np.std(x, keepdims=True) + 1e-6)
        if self.featurewise_center and self.mean is not None:
            x = x - self.mean
        if self.featurewise_std_normalization and self.std is not None:
            x = x / (self.std + 1e-6)
        return x

    def get_random_transform(self, img_shape, seed=None):
        """Returns the random numbers of a change, a dict for apply_transform.

        Args:
          img_shape: the shape of the image.
          seed: an integer.
        """
        if seed is not None:
            np.random.seed(seed)

        def shift(extent, size):
            drawn = np.random.uniform(-extent, extent) if extent else 0
            return drawn * size if extent < 1 else drawn

        low, high = self.zoom_range
        zoom = (1, 1) if low == high == 1 else np.random.uniform(low, high, 2)
        return {'theta': np.random.uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0,
                'tx': shift(self.height_shift_range, img_shape[self.axes[0]]),
                'ty': shift(self.width_shift_range, img_shape[self.axes[1]]),
                'shear': np.random.uniform(-self.shear_range, self.shear_range) if self.shear_range else 0,
                'zx': zoom[0], 'zy': zoom[1],
                'flip_horizontal': self.horizontal_flip and np.random.random() < 0.5,
                'flip_vertical': self.vertical_flip and np.random.random() < 0.5,
                'channel_shift_intensity': np.random.uniform(-self.channel_shift_range, self.channel_shift_range)
                if self.channel_shift_range else None}

    def apply_transform(self, x, transform_parameters):
        """Returns a changed image.

        Args:
          x: an array of rank 3.
          transform_parameters: a dict; see get_random_transform.
        """
        p = transform_parameters
        x = affine(x, p.get('theta', 0), p.get('tx', 0), p.get('ty', 0), p.get('shear', 0), p.get('zx', 1),
                   p.get('zy', 1), self.axes, self.fill_mode, self.cval)
        if p.get('channel_shift_intensity') is not None:
            x = shifted_channels(x, p['channel_shift_intensity'])
        if p.get('flip_horizontal'):
            x = np.flip(x, self.axes[1])
        return np.flip(x, self.axes[0]) if p.get('flip_vertical') else x

    def random_transform(self, x, seed=None):
        """Returns a randomly changed image.

        Args:
          x: an array of rank 3.
          seed: an integer.
        """
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))


@export('keras.preprocessing.image.NumpyArrayIterator')
class NumpyArrayIterator(Sequence):
    """Batches of changed images of an array. Iterating over it never ends.

    Args:
      x: an array of rank 4.
      y: an array of labels, or None.
      image_data_generator: an ImageDataGenerator.
      batch_size: the number of images in a batch.
      shuffle: whether to shuffle images.
      sample_weight: an array of weights, or None.
      seed: an integer.
      subset: 'training', 'validation' or None.

    Raises:
      ValueError: if the arrays do not fit.
    """

    def __init__(self, x, y, image_data_generator, batch_size=32, shuffle=False, sample_weight=None, seed=None,
                 subset=None):
        arrays = [None if a is None else np.asarray(a) for a in (x, y, sample_weight)]
        if arrays[0].ndim != 4:
            raise ValueError('Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape',
                             arrays[0].shape)
        if any(a is not None and len(a) != len(arrays[0]) for a in arrays):
            raise ValueError('`x` (images tensor) and `y` (labels) should have the same length. Found: x.shape = '
                             f'{arrays[0].shape}, y.shape = {np.shape(y)}')
        if subset not in (None, 'training', 'validation'):
            raise ValueError('Invalid subset name:', subset, '; expected "training" or "validation".')
        at = int(len(arrays[0]) * image_data_generator.validation_split)
        part = {None: slice(None), 'validation': slice(at), 'training': slice(at, None)}[subset]
        self.x, self.y, self.sample_weight = (None if a is None else a[part] for a in arrays)
        self.image_data_generator = image_data_generator
        self.n, self.batch_size, self.shuffle, self.seed = len(self.x), batch_size, shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self._order = None

    def __len__(self):
        return math.ceil(self.n / self.batch_size)

    def _start(self):
        self._order = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def reset(self):
        """Starts again with the first batch."""
        self.batch_index = 0

    def on_epoch_end(self):
        """Chooses a new order."""
        self._start()

    def __getitem__(self, index):
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)
        self.total_batches_seen += 1
        if self._order is None:
            self._start()
        rows = self._order[self.batch_size * index:self.batch_size * (index + 1)]
        images = np.array([self._image(row) for row in rows])
        rest = [a[rows] for a in (self.y, self.sample_weight) if a is not None]
        return (images, *rest) if rest else images

    def _image(self, row):
        generator = self.image_data_generator
        return generator.standardize(generator.random_transform(self.x[row].astype(generator.dtype)))

    def __iter__(self):
        return self

    def __next__(self):
        if self.batch_index == 0:
            self._start()
        batch = self[self.batch_index]
        self.batch_index = (self.batch_index + 1) % len(self)
        return batch
