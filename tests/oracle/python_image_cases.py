"""The calls that python_image_test.py compares between the packages, by group. (call, True) also runs."""

import numpy as np

from python_nn_cases import x


def image(tf):
    return x(tf, 5, 7, 3)


def batch(tf):
    return x(tf, 2, 6, 8, 3)


def unknown(tf):
    return tf.placeholder('float32', name='x')


def some(tf):
    return tf.placeholder('float32', [None, None, 3], name='x')


def number(tf, dtype='int32'):
    return tf.placeholder(dtype, [], name='n')


FLIPS = [case for call in (
    lambda tf, i: tf.image.flip_left_right(i), lambda tf, i: tf.image.flip_up_down(i),
    lambda tf, i: tf.image.rot90(i), lambda tf, i: tf.image.rot90(i, k=3, name='r'), lambda tf, i: tf.image.rot90(i, number(tf)),
    lambda tf, i: tf.image.transpose(i), lambda tf, i: tf.image.transpose(i, name='t'), lambda tf, i: tf.image.random_flip_left_right(i, seed=3),
    lambda tf, i: tf.image.random_flip_up_down(i, seed=4)) for case in (
        (lambda tf, call=call: call(tf, image(tf)), True), (lambda tf, call=call: call(tf, batch(tf)), True),
        lambda tf, call=call: call(tf, unknown(tf)), lambda tf, call=call: call(tf, some(tf)), lambda tf, call=call: call(tf, x(tf, 3, 4)))]
CROPS = [
    (lambda tf: tf.image.central_crop(image(tf), 0.5), True),
    (lambda tf: tf.image.central_crop(batch(tf), 0.33), True),
    lambda tf: tf.image.central_crop(image(tf), 1.0),
    lambda tf: tf.image.central_crop(image(tf), 1.5),
    lambda tf: tf.image.central_crop(some(tf), 0.5),
    lambda tf: tf.image.central_crop(some(tf), number(tf, 'float32')),
    lambda tf: tf.image.central_crop(unknown(tf), 0.5),
    (lambda tf: tf.image.pad_to_bounding_box(image(tf), 1, 2, 9, 10), True),
    (lambda tf: tf.image.pad_to_bounding_box(batch(tf), 0, 0, 9, 10), True),
    lambda tf: tf.image.pad_to_bounding_box(some(tf), 1, 2, 9, 10),
    lambda tf: tf.image.pad_to_bounding_box(unknown(tf), 1, 2, 9, 10),
    lambda tf: tf.image.pad_to_bounding_box(image(tf), number(tf), 2, 9, 10),
    lambda tf: tf.image.pad_to_bounding_box(image(tf), -1, 2, 9, 10),
    lambda tf: tf.image.pad_to_bounding_box(image(tf), 1, 2, 3, 10),
    (lambda tf: tf.image.crop_to_bounding_box(image(tf), 1, 2, 3, 4), True),
    (lambda tf: tf.image.crop_to_bounding_box(batch(tf), 0, 0, 3, 4), True),
    lambda tf: tf.image.crop_to_bounding_box(some(tf), 1, 2, 3, 4),
    lambda tf: tf.image.crop_to_bounding_box(unknown(tf), 1, 2, 3, 4),
    lambda tf: tf.image.crop_to_bounding_box(image(tf), 1, number(tf), 3, 4),
    lambda tf: tf.image.crop_to_bounding_box(image(tf), 1, 2, 0, 4),
    lambda tf: tf.image.crop_to_bounding_box(image(tf), 4, 2, 3, 4),
    lambda tf: tf.image.crop_to_bounding_box(x(tf, 3, 4), 1, 2, 0, 4),
    (lambda tf: tf.image.resize_image_with_crop_or_pad(image(tf), 3, 9), True),
    (lambda tf: tf.image.resize_with_crop_or_pad(batch(tf), 7, 7), True),
    lambda tf: tf.image.resize_image_with_crop_or_pad(some(tf), 3, 9),
    lambda tf: tf.image.resize_image_with_crop_or_pad(unknown(tf), 3, 9),
    lambda tf: tf.image.resize_image_with_crop_or_pad(image(tf), number(tf), 9),
    lambda tf: tf.image.resize_image_with_crop_or_pad(image(tf), 0, 9),
    (lambda tf: tf.image.resize_image_with_pad(image(tf), 10, 9), True),
    (lambda tf: tf.image.resize_image_with_pad(batch(tf), 10, 30, method=1, align_corners=True), True),
    lambda tf: tf.image.resize_image_with_pad(some(tf), 10, 9),
    (lambda tf: tf.random_crop(image(tf), [2, 3, 3], seed=3), True),
]
RESIZES = [
    *((lambda tf, m=m, a=a: tf.image.resize_images(batch(tf), [4, 9], method=m, align_corners=a), True)
      for m in (0, 1, 2, 3, 'bilinear', 'nearest', 'bicubic', 'area') for a in (True, False)),
    (lambda tf: tf.image.resize_images(image(tf), [4, 9], name='r'), True),
    (lambda tf: tf.image.resize(image(tf), [5, 7]), True),
    lambda tf: tf.image.resize_images(image(tf), [4, 9], method=7),
    lambda tf: tf.image.resize_images(image(tf), [4, 9, 3]),
    lambda tf: tf.image.resize_images(image(tf), 4),
    lambda tf: tf.image.resize_images(image(tf), 'a'),
    lambda tf: tf.image.resize_images(unknown(tf), [4, 9]),
    lambda tf: tf.image.resize_images(x(tf, 3, 4), [4, 9]),
    lambda tf: tf.image.resize_images(some(tf), [4, 9]),
    lambda tf: tf.image.resize_images(image(tf), tf.placeholder('int32', [2], name='s')),
    lambda tf: tf.image.resize_images(image(tf), [4, number(tf)]),
    (lambda tf: tf.image.resize_images(image(tf), [4, 9], preserve_aspect_ratio=True), True),
    lambda tf: tf.image.resize_images(some(tf), [4, 9], preserve_aspect_ratio=True),
    (lambda tf: tf.image.resize_bilinear(batch(tf), [3, 4], half_pixel_centers=True), True),
    (lambda tf: tf.image.resize_bicubic(batch(tf), [3, 4], name='q'), True),
    (lambda tf: tf.image.resize_nearest_neighbor(batch(tf), [3, 4], True), True),
    (lambda tf: tf.image.resize_area(batch(tf), [3, 4], True), True),
    *((lambda tf, m=m: tf.gradients(tf.image.resize_images(batch(tf), [4, 9], method=m), tf.get_default_graph().get_tensor_by_name('x:0')), True)
      for m in (0, 1, 2)),
    lambda tf: tf.gradients(tf.image.resize_nearest_neighbor(tf.placeholder('float32', [None, None, None, 3], name='x'), [4, 9]),
                            tf.get_default_graph().get_tensor_by_name('x:0')),
    (lambda tf: tf.gradients(tf.image.crop_and_resize(batch(tf), [[0., 0., 1., 1.]], [1], [3, 3]), tf.get_default_graph().get_tensor_by_name('x:0')), True),
    lambda tf: tf.gradients(tf.image.crop_and_resize(tf.placeholder('float32', [None] * 4, name='x'), [[0., 0., 1., 1.]], [1], [3, 3]),
                            tf.get_default_graph().get_tensor_by_name('x:0')),
    (lambda tf: tf.gradients(tf.image.rgb_to_hsv(image(tf)), tf.get_default_graph().get_tensor_by_name('x:0')), True),
    lambda tf: tf.gradients(tf.image.rgb_to_hsv(x(tf, 5, 7, 3, dtype='float64')), tf.get_default_graph().get_tensor_by_name('x:0')),
    (lambda tf: tf.gradients(tf.raw_ops.ScaleAndTranslate(images=batch(tf), size=[4, 5], scale=[1., 2.], translation=[0., 0.]),
                             tf.get_default_graph().get_tensor_by_name('x:0')), True),
]
TYPES = ('uint8', 'int8', 'int16', 'int32', 'uint16', 'float16', 'float32', 'float64')
COLORS = [
    *((lambda tf, a=a, b=b, s=s: tf.image.convert_image_dtype(x(tf, 4, 3, dtype=a), b, saturate=s), True)
      for a in TYPES for b in TYPES for s in (True, False) if (s or a[0] != 'f')),
    lambda tf: tf.image.convert_image_dtype(x(tf, 4, 3), 'bool'),
    lambda tf: tf.image.convert_image_dtype(x(tf, 4, 3, dtype='complex64'), 'int8'),
    lambda tf: tf.image.convert_image_dtype(x(tf, 4, 3), 'uint8', name='c'),
    *((lambda tf, c=c, t=t: c(tf, x(tf, 4, 5, 3, dtype=t)), True) for t in ('float32', 'uint8') for c in (
        lambda tf, i: tf.image.rgb_to_grayscale(i), lambda tf, i: tf.image.rgb_to_grayscale(i, name='g'), lambda tf, i: tf.image.adjust_brightness(i, 0.1),
        lambda tf, i: tf.image.adjust_contrast(i, 1.5), lambda tf, i: tf.image.adjust_gamma(i, 0.5, 2), lambda tf, i: tf.image.adjust_hue(i, 0.1),
        lambda tf, i: tf.image.adjust_saturation(i, 0.5), lambda tf, i: tf.image.random_brightness(i, 0.1, seed=3),
        lambda tf, i: tf.image.random_contrast(i, 0.1, 0.9, seed=3), lambda tf, i: tf.image.random_hue(i, 0.1, seed=3),
        lambda tf, i: tf.image.random_saturation(i, 0.1, 2, seed=3), lambda tf, i: tf.image.per_image_standardization(i),
        lambda tf, i: tf.image.adjust_jpeg_quality(i, 50), lambda tf, i: tf.image.random_jpeg_quality(i, 50, 60, seed=3))),
    lambda tf: tf.image.adjust_gamma(image(tf), number(tf, 'float32')),
    lambda tf: tf.image.adjust_gamma(image(tf), -1),
    lambda tf: tf.image.random_brightness(image(tf), -1),
    lambda tf: tf.image.random_contrast(image(tf), 2, 1),
    lambda tf: tf.image.random_hue(image(tf), 0.7),
    lambda tf: tf.image.random_saturation(image(tf), -1, 1),
    lambda tf: tf.image.random_jpeg_quality(image(tf), 50, 40),
    lambda tf: tf.image.random_jpeg_quality(image(tf), 50, 140),
    lambda tf: tf.image.per_image_standardization(some(tf)),
    (lambda tf: tf.image.grayscale_to_rgb(x(tf, 4, 5, 1)), True),
    lambda tf: tf.image.grayscale_to_rgb(unknown(tf)),
    lambda tf: tf.image.grayscale_to_rgb(image(tf)),
    (lambda tf: tf.image.rgb_to_yiq(image(tf)), True), (lambda tf: tf.image.yiq_to_rgb(image(tf)), True),
    (lambda tf: tf.image.rgb_to_yuv(batch(tf)), True), (lambda tf: tf.image.yuv_to_rgb(batch(tf)), True),
    (lambda tf: tf.image.rgb_to_hsv(image(tf), name='h'), True), (lambda tf: tf.image.hsv_to_rgb(image(tf)), True),
]
BOXES = [[0., 0., 1., 1.], [0., 0., .9, 1.], [.5, .5, 1., 1.]]
BOX_CALLS = [
    (lambda tf: tf.image.non_max_suppression(BOXES, [.5, .9, .7], 2), True),
    (lambda tf: tf.image.non_max_suppression(BOXES, [.5, .9, .7], 2, 0.3, 0.1, name='n'), True),
    (lambda tf: tf.image.non_max_suppression_with_scores(BOXES, [.5, .9, .7], 3, soft_nms_sigma=.5), True),
    (lambda tf: tf.image.non_max_suppression_overlaps(np.eye(3, dtype='f'), [.5, .9, .7], 2), True),
    (lambda tf: tf.image.combined_non_max_suppression([[[b] for b in BOXES]], [[[.5], [.9], [.7]]], 2, 3), True),
    (lambda tf: tf.image.crop_and_resize(batch(tf), BOXES, box_indices=[0, 1, 1], crop_size=[2, 3], method='nearest', extrapolation_value=2), True),
    lambda tf: tf.image.crop_and_resize(batch(tf), BOXES, [0, 1, 1], [2, 3], name='c'),
    lambda tf: tf.image.crop_and_resize(batch(tf), BOXES, [0, 1, 1], [2, 3], box_indices=[0, 1, 1]),
    (lambda tf: tf.image.draw_bounding_boxes(batch(tf), [BOXES, BOXES]), True),
    (lambda tf: tf.image.draw_bounding_boxes(batch(tf), [BOXES, BOXES], name='d', colors=[[1., 2., 3.]]), True),
    (lambda tf: tf.image.extract_glimpse(batch(tf), [2, 3], [[0., 0.], [.1, .2]], name='g'), True),
    (lambda tf: tf.image.sample_distorted_bounding_box([40, 50, 3], [BOXES], seed=3, seed2=4), True),
    (lambda tf: tf.image.sample_distorted_bounding_box([40, 50, 3], [BOXES], seed=3, min_object_covered=.5, aspect_ratio_range=[.5, 2.], area_range=[.1, .9],
                                                       max_attempts=7, use_image_if_no_bounding_boxes=True, name='s'), True),
]
METRICS = [
    (lambda tf: tf.image.total_variation(image(tf)), True), (lambda tf: tf.image.total_variation(batch(tf), name='t'), True),
    lambda tf: tf.image.total_variation(x(tf, 3, 4)),
    (lambda tf: tf.image.psnr(batch(tf), batch(tf) * 0.9, 1.0), True),
    (lambda tf: tf.image.psnr(x(tf, 5, 6, 1, dtype='uint8'), x(tf, 5, 6, 1, dtype='uint8') + 3, 255, name='p'), True),
    lambda tf: tf.image.psnr(image(tf), x(tf, 5, 6, 3), 1.0),
    (lambda tf: tf.image.ssim(x(tf, 2, 16, 17, 3), x(tf, 2, 16, 17, 3) * 0.9, 1.0), True),
    (lambda tf: tf.image.ssim(x(tf, 16, 17, 1, dtype='uint8'), x(tf, 16, 17, 1, dtype='uint8') + 9, 255, filter_size=5, filter_sigma=1., k1=.02, k2=.05), True),
    lambda tf: tf.image.ssim(some(tf), some(tf), 1.0, return_index_map=True),
    (lambda tf: tf.image.ssim_multiscale(x(tf, 1, 23, 25, 2), x(tf, 1, 23, 25, 2) * 0.9, 1.0, power_factors=(.4, .6), filter_size=5), True),
    lambda tf: tf.image.ssim_multiscale(batch(tf), batch(tf), 1.0),
    (lambda tf: tf.image.image_gradients(batch(tf)), True), lambda tf: tf.image.image_gradients(image(tf)),
    (lambda tf: tf.image.sobel_edges(batch(tf)), True),
]
PIXELS = (np.arange(9 * 13 * 3) * 7 % 251).reshape(9, 13, 3).astype(np.uint8)
FILES = [
    (lambda tf: tf.decode_raw(tf.image.encode_png(PIXELS), tf.uint8), True),
    (lambda tf: tf.decode_raw(tf.image.encode_png(PIXELS.astype(np.uint16) * 257, compression=9, name='e'), tf.uint8), True),
    *((lambda tf, a=a: tf.decode_raw(tf.image.encode_jpeg(PIXELS, **a), tf.uint8), True) for a in (
        {}, {'quality': 30}, {'progressive': True}, {'optimize_size': True}, {'chroma_downsampling': False}, {'density_unit': 'cm', 'x_density': 7}, {'xmp_metadata': 'abc'})),
    (lambda tf: tf.image.decode_png(tf.image.encode_png(PIXELS), channels=1), True),
    (lambda tf: tf.image.decode_image(tf.image.encode_png(PIXELS)), True),
    (lambda tf: tf.io.decode_image(tf.image.encode_jpeg(PIXELS), channels=3, expand_animations=False, dtype=tf.float32, name='d'), True),
    (lambda tf: tf.image.decode_image(tf.image.encode_jpeg(PIXELS), dtype=tf.float64), True),
    (lambda tf: tf.image.is_jpeg(tf.image.encode_jpeg(PIXELS)), True),
    (lambda tf: tf.io.is_jpeg(b'abc', name='j'), True),
    (lambda tf: tf.image.decode_and_crop_jpeg(tf.image.encode_jpeg(PIXELS), [1, 2, 5, 6]), True),
    (lambda tf: tf.image.extract_jpeg_shape(tf.image.encode_jpeg(PIXELS), output_type=tf.int64), True),
]
CASES = {'flips': FLIPS, 'crops': CROPS, 'resizes': RESIZES, 'colors': COLORS, 'boxes': BOX_CALLS, 'metrics': METRICS, 'files': FILES}
