"""Boxes in images: suppression, crops, drawings, glimpses and random boxes."""

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, dtypes, ops


@export('image.non_max_suppression')
def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5,
                        score_threshold=float('-inf'), name=None):
    """Selects boxes with high scores that do not overlap much.

    Args:
      boxes: a tensor [count, 4]: y1, x1, y2, x2.
      scores: a tensor [count].
      max_output_size: a scalar integer, the largest number of boxes.
      iou_threshold: a scalar, the largest ratio of intersection and union of two boxes.
      score_threshold: a scalar, below which boxes are dropped.
      name: the name of the operation.

    Returns:
      A vector of int32, the indices of the selected boxes.
    """
    with ops.name_scope(name, 'non_max_suppression'):
        iou_threshold = ops.convert_to_tensor(iou_threshold, name='iou_threshold')
        score_threshold = ops.convert_to_tensor(score_threshold, name='score_threshold')
        return gen.NonMaxSuppressionV3(boxes, scores, max_output_size, iou_threshold,
                                       score_threshold)


@export('image.non_max_suppression_with_scores')
def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5,
                                    score_threshold=float('-inf'), soft_nms_sigma=0.0, name=None):
    """Selects boxes with high scores that do not overlap much, and returns their scores, too.

    Args:
      boxes: a tensor [count, 4]: y1, x1, y2, x2.
      scores: a tensor [count].
      max_output_size: a scalar integer, the largest number of boxes.
      iou_threshold: a scalar, the largest ratio of intersection and union of two boxes.
      score_threshold: a scalar, below which boxes are dropped.
      soft_nms_sigma: a scalar. If positive, overlaps lower scores instead of dropping boxes.
      name: the name of the operation.

    Returns:
      A vector of int32, the indices of the selected boxes, and a vector of their scores.
    """
    with ops.name_scope(name, 'non_max_suppression_with_scores'):
        iou_threshold = ops.convert_to_tensor(iou_threshold, name='iou_threshold')
        score_threshold = ops.convert_to_tensor(score_threshold, name='score_threshold')
        soft_nms_sigma = ops.convert_to_tensor(soft_nms_sigma, name='soft_nms_sigma')
        indices, selected_scores, _ = gen.NonMaxSuppressionV5(
            boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma,
            pad_to_max_output_size=False)
        return indices, selected_scores


@export('image.non_max_suppression_overlaps')
def non_max_suppression_with_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5,
                                      score_threshold=float('-inf'), name=None):
    """Selects boxes with high scores that do not overlap much, given their overlaps.

    Args:
      overlaps: a tensor [count, count], the overlap of each two boxes.
      scores: a tensor [count].
      max_output_size: a scalar integer, the largest number of boxes.
      overlap_threshold: a scalar, the largest overlap of two boxes.
      score_threshold: a scalar, below which boxes are dropped.
      name: the name of the operation.

    Returns:
      A vector of int32, the indices of the selected boxes.
    """
    with ops.name_scope(name, 'non_max_suppression_overlaps'):
        overlap_threshold = ops.convert_to_tensor(overlap_threshold, name='overlap_threshold')
        return gen.NonMaxSuppressionWithOverlaps(overlaps, scores, max_output_size,
                                                 overlap_threshold, score_threshold)


@export('image.combined_non_max_suppression')
def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size,
                                 iou_threshold=0.5, score_threshold=float('-inf'),
                                 pad_per_class=False, clip_boxes=True, name=None):
    """Selects boxes of each class of each image of a batch.

    Args:
      boxes: a tensor [batch, count, q, 4], where q is 1 or the number of classes.
      scores: a tensor [batch, count, classes].
      max_output_size_per_class: a scalar integer.
      max_total_size: a scalar integer, the number of results per image.
      iou_threshold: a scalar, the largest ratio of intersection and union of two boxes.
      score_threshold: a scalar, below which boxes are dropped.
      pad_per_class: whether max_output_size_per_class limits the number of results, too.
      clip_boxes: whether to limit coordinates to 0..1.
      name: the name of the operation.

    Returns:
      nmsed_boxes, nmsed_scores, nmsed_classes and valid_detections.
    """
    with ops.name_scope(name, 'combined_non_max_suppression'):
        iou_threshold = ops.convert_to_tensor(
            iou_threshold, dtype=dtypes.float32, name='iou_threshold')
        score_threshold = ops.convert_to_tensor(
            score_threshold, dtype=dtypes.float32, name='score_threshold')
        max_total_size = ops.convert_to_tensor(max_total_size)
        return gen.CombinedNonMaxSuppression(
            boxes, scores, max_output_size_per_class, max_total_size, iou_threshold,
            score_threshold, pad_per_class=pad_per_class, clip_boxes=clip_boxes)


@export('image.crop_and_resize')
@deprecation.deprecated_args(None, 'box_ind is deprecated, use box_indices instead', 'box_ind')
def crop_and_resize(image, boxes, box_ind=None, crop_size=None, method='bilinear',
                    extrapolation_value=0, name=None, box_indices=None):
    """Returns crops of images, resized.

    Args:
      image: a tensor [batch, height, width, channels].
      boxes: a tensor [count, 4]: y1, x1, y2, x2, where 0 and 1 are the first and last pixels.
      box_ind: deprecated, another name of box_indices.
      crop_size: a vector of two integers, the height and width of the crops.
      method: 'bilinear' or 'nearest'.
      extrapolation_value: the value of pixels outside the image.
      name: the name of the operation.
      box_indices: a vector [count], the image of each box.

    Returns:
      A tensor [count, crop_height, crop_width, channels] of float32.

    Raises:
      ValueError: if both box_ind and box_indices are given.
    """
    box_ind = deprecation.alias('box_indices', box_indices, 'box_ind', box_ind)
    return gen.CropAndResize(image, boxes, box_ind, crop_size, method=method,
                             extrapolation_value=extrapolation_value, name=name)


@export('image.draw_bounding_boxes')
def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """Draws the outlines of boxes.

    Args:
      images: a tensor [batch, height, width, channels].
      boxes: a tensor [batch, count, 4]: y1, x1, y2, x2 in 0..1.
      name: the name of the operation.
      colors: a matrix, whose rows are the colors of boxes in turn; None for a choice of ten.

    Returns:
      A tensor of the same shape and dtype as images.
    """
    if colors is None:
        return gen.DrawBoundingBoxes(images, boxes, name=name)
    return gen.DrawBoundingBoxesV2(images, boxes, colors, name=name)


@export('image.extract_glimpse')
def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True,
                    name=None):
    """Returns windows of images, which may reach beyond the edges.

    Args:
      input: a tensor [batch, height, width, channels] of float32.
      size: a vector of two integers, the height and width of the windows.
      offsets: a tensor [batch, 2], the centers of the windows.
      centered: whether offsets are from the center of the image, and not from its top left.
      normalized: whether offsets are parts of the size of the image, and not pixels.
      uniform_noise: whether the noise outside the image is uniform.
      name: the name of the operation.

    Returns:
      A tensor [batch, size[0], size[1], channels].
    """
    return gen.ExtractGlimpse(input, size, offsets, centered=centered, normalized=normalized,
                              uniform_noise=uniform_noise, name=name)


@export('image.sample_distorted_bounding_box')
@deprecation.deprecated(
    None, '`seed2` arg is deprecated.Use sample_distorted_bounding_box_v2 instead.')
def sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None,
                                  min_object_covered=0.1, aspect_ratio_range=None, area_range=None,
                                  max_attempts=None, use_image_if_no_bounding_boxes=None,
                                  name=None):
    """Draws a part of an image that contains a part of one of several boxes.

    Args:
      image_size: a vector [3], the height, width and channels of the image.
      bounding_boxes: a tensor [batch, count, 4]: y1, x1, y2, x2 in 0..1.
      seed: an integer.
      seed2: an integer.
      min_object_covered: the least fraction of a box that the part contains.
      aspect_ratio_range: the least and greatest ratio of width and height. Defaults to 0.75, 1.33.
      area_range: the least and greatest area, as fractions of the image. Defaults to 0.05, 1.
      max_attempts: the number of attempts before the result is the whole image. Defaults to 100.
      use_image_if_no_bounding_boxes: whether the image is the box if there are none.
      name: the name of the operation.

    Returns:
      begin, size and bboxes.
    """
    given = {'seed': seed, 'seed2': seed2, 'aspect_ratio_range': aspect_ratio_range,
             'area_range': area_range, 'max_attempts': max_attempts,
             'use_image_if_no_bounding_boxes': use_image_if_no_bounding_boxes}
    given = {key: value for key, value in given.items() if value is not None}
    with ops.name_scope(name, 'sample_distorted_bounding_box'):
        return gen.SampleDistortedBoundingBoxV2(image_size, bounding_boxes, min_object_covered,
                                                name=name, **given)
