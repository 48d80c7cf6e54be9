"""Images: resizing, colors, crops, boxes and non-maximum suppression."""

import itertools
import struct
import zlib

import numpy as np
import tensorflow as tf

from case import FLOATS, LOOSE, SIGNED, Case, array, eighths, generator, i32, scalar, strings

IMAGES = FLOATS + SIGNED + ("uint8", "uint16")
RESIZES = ("ResizeBilinear", "ResizeBicubic", "ResizeArea", "ResizeNearestNeighbor")
MODES = ({}, {"align_corners": True}, {"half_pixel_centers": True})


def f32(values):
    return np.asarray(values, np.float32)


def modes(op):
    return MODES[:2] if op == "ResizeArea" else MODES


def resizes():
    for op in RESIZES:
        for dtype in IMAGES:
            yield Case(op, [eighths(dtype, (1, 3, 4, 2)), i32(5, 3)])
        for mode in modes(op):
            differentiable = op != "ResizeArea"
            for size, channels in (((5, 7), 1), ((2, 3), 3), ((4, 5), 2), ((1, 1), 4), ((9, 2), 5), ((4, 1), 3)):
                yield Case(op, [eighths("float", (2, 4, 5, channels)), i32(*size)], mode, grad=differentiable, tol=1e-5, atol=1e-5)
            yield Case(op, [eighths("double", (1, 3, 2, 2)), i32(4, 5)], mode, grad=differentiable, tol=1e-5, atol=1e-5)
            yield Case(op, [eighths("float", (0, 3, 2, 2)), i32(4, 5)], mode)
            yield Case(op, [eighths("uint8", (1, 7, 6, 3), 0, 200), i32(3, 11)], mode, tol=1e-5, atol=1e-4)
    yield Case("ResizeBilinear", [eighths("half", (1, 3, 4, 2)), i32(5, 3)], grad=True)
    yield Case("ResizeNearestNeighbor", [eighths("half", (1, 3, 4, 2)), i32(5, 3)], grad=True)
    yield from resize_grads()
    yield from resize_errors()


def resize_grads():
    for mode in MODES:
        for dtype in ("uint8", "int8", "int32") + FLOATS:
            yield Case("ResizeNearestNeighborGrad", [eighths(dtype, (2, 5, 6, 2)), i32(3, 4)], mode)
        for dtype in FLOATS:
            yield Case("ResizeBilinearGrad", [eighths("float", (2, 5, 6, 2)), eighths(dtype, (2, 3, 4, 2))], mode, tol=1e-5, atol=1e-5)
        for dtype in ("float", "double"):
            yield Case("ResizeBicubicGrad", [eighths("float", (2, 5, 6, 2)), eighths(dtype, (2, 3, 4, 2))], mode, tol=1e-5, atol=1e-5)
    yield Case("ResizeNearestNeighborGrad", [eighths("float", (1, 0, 6, 2)), i32(3, 4)])


def resize_errors():
    x = eighths("float", (1, 2, 2, 1))
    for op in RESIZES:
        yield Case(op, [x[0], i32(1, 1)], error="input must be 4-dimensional[2,2,1]")
        yield Case(op, [x[..., :0], i32(1, 1)], error="image must have at least one channel")
        yield Case(op, [x[:, :0], i32(1, 1)], error="input image must be of non-zero size")
        yield Case(op, [x, scalar("int32", 3)], error="shape_t must be 1-dimensional[]")
        yield Case(op, [x, i32(1, 2, 3)], error="shape_t must have two elements[3]")
        yield Case(op, [x, i32(-1, 2)], error="output dimensions must be positive")
        if op != "ResizeArea":
            yield Case(op, [x, i32(1, 1)], {"align_corners": True, "half_pixel_centers": True},
                       error="If half_pixel_centers is True, align_corners must be False.")
    for op in ("ResizeBilinearGrad", "ResizeBicubicGrad"):
        yield Case(op, [x[0], x], error="input_grad must be 4-dimensional[2,2,1]")
        yield Case(op, [x, x[0]], error="original_image must be 4-dimensional[2,2,1]")
        yield Case(op, [x[:, :0], x], error="resized dimensions must be positive")
        yield Case(op, [x, x[:, :0]], error="original dimensions must be positive")
    op = "ResizeNearestNeighborGrad"
    yield Case(op, [x[0], i32(1, 1)], error="input must be 4-dimensional[2,2,1]")
    yield Case(op, [x, i32(0, 1)], error="shape_t's elements must be positive")
    yield Case(op, [x, i32(1, 2, 3)], error="shape_t must have two elements[3]")


def sampled():
    op = "ScaleAndTranslate"
    for kernel in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
        for antialias in (True, False):
            attrs = {"kernel_type": kernel, "antialias": antialias}
            for size, scale, shift in (((5, 7), (1.25, 1.4), (0, 0)), ((2, 3), (0.5, 0.6), (0, 0)), ((4, 5), (1, 2), (0.5, -1.5)), ((3, 3), (0.25, 3), (4, -9))):
                yield Case(op, [eighths("float", (2, 4, 5, 3)), i32(*size), f32(scale), f32(shift)], attrs, grad=True, tol=1e-4, atol=1e-4, grad_tol=1e-4)
    for dtype in IMAGES:
        yield Case(op, [eighths(dtype, (1, 3, 4, 2)), i32(5, 3), f32([2, 0.5]), f32([0, 1])], tol=1e-4, atol=1e-4)
    yield Case(op, [eighths("float", (0, 3, 4, 2)), i32(5, 3), f32([2, 0.5]), f32([0, 1])])
    yield Case("ScaleAndTranslateGrad", [eighths("float", (2, 5, 3, 2)), eighths("float", (2, 4, 4, 2)), f32([1.25, 0.75]), f32([0.5, 0])], tol=1e-4, atol=1e-4)
    yield Case("ScaleAndTranslateGrad", [eighths("float", (2, 0, 3, 2)), eighths("float", (2, 4, 4, 2)), f32([1.25, 0.75]), f32([0.5, 0])])
    yield from sampled_nan()
    yield from sampled_errors()


def sampled_nan():
    """NaN and infinity also reach outputs to which their pixel contributes with a weight of 0."""
    x = eighths("float", (2, 5, 7, 2))
    x[0, 1, 2] = np.nan
    x[1, 0, 0] = np.inf
    for kernel, antialias in (("box", True), ("lanczos3", False), ("triangle", True)):
        attrs = {"kernel_type": kernel, "antialias": antialias}
        for scale, shift in (((1.25, 1.4), (0, 0)), ((0.5, 0.75), (2, -3))):
            yield Case("ScaleAndTranslate", [x, i32(6, 8), f32(scale), f32(shift)], attrs, tol=1e-4, atol=1e-4)
            yield Case("ScaleAndTranslateGrad", [x, eighths("float", (2, 6, 8, 2)), f32(scale), f32(shift)], attrs, tol=1e-4, atol=1e-4)


def sampled_errors():
    op, x, ones, zeros = "ScaleAndTranslate", eighths("float", (1, 2, 2, 1)), f32([1, 1]), f32([0, 0])
    yield Case(op, [x[0], i32(1, 1), ones, zeros], error="input must be 4-dimensional[2,2,1]")
    yield Case(op, [x[:, :0], i32(1, 1), ones, zeros], error="input image must be of non-zero size")
    yield Case(op, [x[..., :0], i32(1, 1), ones, zeros], error="image must have at least one channel")
    yield Case(op, [x, scalar("int32", 1), ones, zeros], error="output_shape_t must be 1-dimensional[]")
    yield Case(op, [x, i32(1, 1, 1), ones, zeros], error="output_shape_t must have two elements[3]")
    yield Case(op, [x, i32(-1, 1), ones, zeros], error="output dimensions must be positive")
    yield Case(op, [x, i32(1, 1), scalar("float", 1), zeros], error="t must be 1-dimensional[]")
    yield Case(op, [x, i32(1, 1), f32([1, 1, 1]), zeros], error="t must have two elements[3]")
    yield Case(op, [x, i32(1, 1), f32([0, 1]), zeros], error="Scale must be greater than zero.")
    yield Case(op, [x, i32(1, 1), ones, scalar("float", 0)], error="t must be 1-dimensional[]")
    yield Case(op, [x, i32(1, 1), ones, zeros], {"kernel_type": "foo"}, error="Unrecognized kernel type: foo")
    yield Case("ScaleAndTranslateGrad", [x[0], x, ones, zeros], error="input_grad must be 4-dimensional[2,2,1]")
    yield Case("ScaleAndTranslateGrad", [x, x[0], ones, zeros], error="original_image must be 4-dimensional[2,2,1]")
    yield Case("ScaleAndTranslateGrad", [x, x, f32([0, 1]), zeros], error="Scale must be greater than zero.")


ODD_COLORS = list(itertools.product((np.nan, np.inf, -np.inf, 1, 0.25, -2), repeat=3))


def colors():
    edge = [[0, 0, 0], [1, 1, 1], [-1, 2, -3], [3, 1, 1], [1, 3, 3], [2, 2, 1], [0.5, 0.25, 0.75], [0.25, 0.5, 0.25], [0.75, 0.125, 0.5], [-1, -2, -3]]
    hues = [[0, 0.5, 0.75], [0.125, 1, 1], [0.25, 0.5, 2], [0.5, 0.25, 0.5], [0.75, 1, 0.5], [1.5, 1, 2], [-0.25, 0.5, 0.5], [5, 0.5, 0.5], [0.5, -1, 2]]
    for dtype in FLOATS:
        tol = LOOSE.get(dtype, 1e-5)
        yield Case("RGBToHSV", [array(dtype, edge)], tol=tol, atol=tol)
        yield Case("HSVToRGB", [array(dtype, hues)], tol=tol, atol=tol)
        for op in ("RGBToHSV", "HSVToRGB"):
            yield Case(op, [array(dtype, ODD_COLORS)], tol=tol, atol=tol)
    for dtype in ("float", "double"):
        yield Case("RGBToHSV", [eighths(dtype, (2, 3, 2, 3), 0.125, 2)], grad=True, tol=1e-5, atol=1e-5, grad_tol=1e-4)
    yield Case("RGBToHSV", [f32([1, 2, 3])])
    yield Case("HSVToRGB", [eighths("float", (0, 3))])
    for op in ("RGBToHSV", "HSVToRGB"):
        yield Case(op, [scalar("float", 1)], error="input must be at least 1D[]")
        yield Case(op, [eighths("float", (2, 4))], error="input must have 3 channels but input only has 4 channels.")
    for op in ("AdjustHue", "AdjustSaturation", "AdjustContrastv2"):
        for change in (0.25, -0.5, 1.75, 0.0, 1.0):
            yield Case(op, [f32(edge).reshape(2, 5, 3), scalar("float", change)], tol=1e-4, atol=1e-5)
            if op != "AdjustContrastv2":
                yield Case(op, [f32(ODD_COLORS).reshape(1, 216, 3), scalar("float", change)], tol=1e-4, atol=1e-5)
            yield Case(op, [eighths("float", (2, 3, 4, 3), 0, 1), scalar("float", change)], tol=1e-4, atol=1e-5)
        yield Case(op, [eighths("float", (2, 0, 3)), scalar("float", 0.5)])
        yield Case(op, [eighths("float", (2, 3)), scalar("float", 0.5)], error="input must be at least 3-D, got shape[2,3]")
    yield Case("AdjustContrastv2", [eighths("float", (2, 40, 30, 5)), scalar("float", 1.5)], tol=1e-4, atol=1e-5)
    x = eighths("float", (2, 3, 3))
    for op, name in (("AdjustHue", "delta"), ("AdjustSaturation", "scale"), ("AdjustContrastv2", "contrast_factor")):
        yield Case(op, [x, f32([0.5])], error=name + " must be scalar: [1]")
        if op != "AdjustContrastv2":
            yield Case(op, [eighths("float", (2, 3, 4)), scalar("float", 0.5)], error="input must have 3 channels but instead has 4 channels.")


BOXES = f32([[0, 0, 1, 1], [0.125, 0.25, 0.75, 0.875], [0.75, 0.875, 0.25, 0.125], [-0.5, -0.25, 0.5, 1.5], [0.5, 0.5, 0.5, 0.5]])
INDICES = i32(0, 1, 0, 1, 1)


def crops():
    op = "CropAndResize"
    for method in ("bilinear", "nearest"):
        for size in ((3, 4), (1, 1), (1, 5), (6, 2)):
            yield Case(op, [eighths("float", (2, 4, 5, 3)), BOXES, INDICES, i32(*size)], {"method": method, "extrapolation_value": 0.5})
        for dtype in ("uint8", "uint16", "int8", "int16", "int32", "int64", "half", "float", "double"):
            yield Case(op, [eighths(dtype, (2, 4, 5, 1)), BOXES, INDICES, i32(3, 2)], {"method": method})
        for dtype in ("half", "float", "double"):
            yield Case("CropAndResizeGradImage", [eighths("float", (5, 3, 2, 2)), BOXES, INDICES, i32(2, 4, 5, 2)], {"method": method, "T": tf.as_dtype(array(dtype, 0).dtype)}, tol=LOOSE.get(dtype, 1e-5), atol=LOOSE.get(dtype, 1e-5))
    for dtype in ("float", "double"):
        yield Case(op, [eighths(dtype, (2, 4, 5, 2)), BOXES, INDICES, i32(3, 2)], grad=True, tol=1e-5, atol=1e-5, grad_tol=1e-4)
    for dtype in ("uint8", "int32", "half", "float"):
        yield Case("CropAndResizeGradBoxes", [eighths("float", (5, 1, 2, 2)), eighths(dtype, (2, 4, 5, 2)), BOXES, INDICES], tol=1e-4, atol=1e-4)
    yield Case(op, [eighths("float", (2, 4, 5, 3)), BOXES[:0], INDICES[:0], i32(3, 2)])
    yield from crop_errors()


def crop_errors():
    op, x, one, at = "CropAndResize", eighths("float", (2, 3, 4, 1)), BOXES[:1], i32(0)
    yield Case(op, [x[0], one, at, i32(1, 1)], error="input image must be 4-D[3,4,1]")
    yield Case(op, [x[:, :0], one, at, i32(1, 1)], error="image dimensions must be positive")
    yield Case(op, [x, one[0], at, i32(1, 1)], error="boxes must be 2-D, got: [4]")
    yield Case(op, [x, one[:, :3], at, i32(1, 1)], error="boxes must have 4 columns")
    yield Case(op, [x, one, scalar("int32", 0), i32(1, 1)], error="box_indices must be rank 1 but is shape []")
    yield Case(op, [x, one, i32(0, 1), i32(1, 1)], error="box_index has incompatible shape")
    yield Case(op, [x, one, i32(2), i32(1, 1)], error="box_index has values outside [0, batch_size)")
    yield Case(op, [x, one, at, scalar("int32", 1)], error="crop_size must be 1-D[]")
    yield Case(op, [x, one, at, i32(1, 1, 1)], error="crop_size must have two elements[3]")
    yield Case(op, [x, one, at, i32(0, 1)], error="crop dimensions must be positive")
    yield Case(op, [x, f32([[np.nan, 0, 1, 1]]), at, i32(2, 2)], error="Boxes contains at least one element that is not finite")
    g = eighths("float", (1, 2, 2, 1))
    op = "CropAndResizeGradBoxes"
    yield Case(op, [g[0], x, one, at], error="grads image must be 4-D[2,2,1]")
    yield Case(op, [g, x[0], one, at], error="input image must be 4-D[3,4,1]")
    yield Case(op, [eighths("float", (1, 2, 2, 2)), x, one, at], error="image, grads depth differ")
    yield Case(op, [eighths("float", (2, 2, 2, 1)), x, one, at], error="boxes and grads have incompatible shape")
    yield Case(op, [g, x, one, i32(5)], error="box_index has values outside [0, batch_size)")
    op, attrs = "CropAndResizeGradImage", {"T": tf.float32}
    yield Case(op, [g, one, at, scalar("int32", 1)], attrs, error="image_size must be 1-D[]")
    yield Case(op, [g, one, at, i32(1, 2, 2)], attrs, error="image_size must have 4 elements[3]")
    yield Case(op, [g, one, at, i32(1, 0, 2, 1)], attrs, error="image dimensions must be positive")
    yield Case(op, [g, one, at, i32(1, 2, 2, 2)], attrs, error="image_size and grads are incompatible")
    yield Case(op, [g, one, at, i32(-1, 2, 2, 1)], attrs, error="Expected a non-negative size, got -1")


def drawings():
    boxes = f32([[[0, 0, 1, 1], [0.25, 0.25, 0.75, 0.5]], [[-0.5, 0.5, 0.5, 1.5], [0.75, 0.5, 0.25, 0.25]]])
    for dtype in ("half", "float"):
        for depth in (1, 3, 4):
            x = eighths(dtype, (2, 6, 7, depth))
            yield Case("DrawBoundingBoxes", [x, boxes])
            yield Case("DrawBoundingBoxesV2", [x, boxes, eighths("float", (3, 4), 0, 1)])
            yield Case("DrawBoundingBoxesV2", [x, boxes, eighths("float", (0, 4))])
    yield Case("DrawBoundingBoxes", [eighths("float", (1, 9, 9, 3)), eighths("float", (1, 25, 4), -0.25, 1.25)])
    yield Case("DrawBoundingBoxes", [eighths("float", (2, 0, 4, 1)), boxes])
    x = eighths("float", (2, 3, 4, 1))
    op = "DrawBoundingBoxes"
    yield Case(op, [x[0], boxes], error="The rank of the images should be 4")
    yield Case(op, [x, boxes[0]], error="The rank of the boxes tensor should be 3")
    yield Case(op, [x, boxes[:1]], error="The batch sizes should be the same")
    yield Case(op, [eighths("float", (2, 3, 4, 2)), boxes], error="Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    yield Case(op, [x, boxes[:, :, :3]], error="The size of the third dimension of the box must be 4. Received: 3")
    yield Case(op + "V2", [x, boxes, f32([1])], error="colors must be a 2-D matrix[1]")
    yield Case(op + "V2", [x, boxes, f32(np.zeros((0, 0)))], error="colors must have equal or more channels than the image provided: [0,0]")


def nms_inputs(dtype, count=20, key=0):
    rng = generator("nms", count, key)
    corner = rng.randint(0, 12, (count, 2)) / 16.0
    boxes = np.concatenate([corner, corner + rng.randint(0, 8, (count, 2)) / 16.0], 1)
    boxes[::3] = boxes[::3][:, [2, 3, 0, 1]]
    return array(dtype, boxes), array(dtype, rng.permutation(count) / 32.0)


def suppressions():
    size, half = scalar("int32", 6), scalar("float", 0.5)
    for key, threshold in ((0, 0.5), (1, 0.25), (2, 0), (3, 1)):
        boxes, scores = nms_inputs("float", key=key)
        yield Case("NonMaxSuppression", [boxes, scores, size], {"iou_threshold": float(threshold)})
        for dtype in ("half", "float"):
            boxes, scores = nms_inputs(dtype, key=key)
            for kind in ("half", "float"):
                limit, least = scalar(kind, threshold), scalar(kind, 0.125)
                yield Case("NonMaxSuppressionV2", [boxes, scores, size, limit])
                yield Case("NonMaxSuppressionV3", [boxes, scores, size, limit, least])
                for pad in (True, False):
                    yield Case("NonMaxSuppressionV4", [boxes, scores, scalar("int32", 30), limit, least], {"pad_to_max_output_size": pad})
            for sigma in (0, 0.5, 2):
                for pad in (True, False):
                    yield Case("NonMaxSuppressionV5", [boxes, scores, scalar("int32", 30), scalar(dtype, threshold), scalar(dtype, 0.125), scalar(dtype, sigma)],
                               {"pad_to_max_output_size": pad}, tol=LOOSE.get(dtype, 1e-5))
    boxes, scores = nms_inputs("float", 8)
    yield Case("NonMaxSuppressionV3", [boxes[:0], scores[:0], size, half, half])
    yield Case("NonMaxSuppressionV3", [boxes * np.float32("nan"), scores, size, half, scalar("float", 0)])
    overlaps = eighths("float", (8, 8), 0, 1)
    for threshold in (0.25, 0.75, 5):
        yield Case("NonMaxSuppressionWithOverlaps", [overlaps, scores, size, scalar("float", threshold), scalar("float", 0.0625)])
    yield from nms_errors()


def nms_errors():
    boxes, scores = nms_inputs("float", 3)
    size, half, zero = scalar("int32", 2), scalar("float", 0.5), scalar("float", 0)
    op = "NonMaxSuppressionV3"
    yield Case(op, [boxes[0], scores, size, half, zero], error="boxes must be 2-D[4]")
    yield Case(op, [boxes[:, :3], scores, size, half, zero], error="boxes must have 4 columns")
    yield Case(op, [boxes, scores[None], size, half, zero], error="scores must be 1-D[1,3]")
    yield Case(op, [boxes, scores[:2], size, half, zero], error="scores has incompatible shape")
    yield Case(op, [boxes, scores, i32(2), half, zero], error="max_output_size must be 0-D, got shape [1]")
    yield Case(op, [boxes, scores, scalar("int32", -1), half, zero], error="output size must be non-negative")
    yield Case(op, [boxes, scores, size, scalar("float", 1.5), zero], error="iou_threshold must be in [0, 1]")
    yield Case(op, [boxes, scores, size, f32([0.5]), zero], error="iou_threshold must be 0-D, got shape [1]")
    yield Case(op, [boxes, scores, size, half, f32([0.5])], error="score_threshold must be 0-D, got shape [1]")
    op = "NonMaxSuppressionV5"
    yield Case(op, [boxes, scores, size, half, zero, f32([1])], error="soft_nms_sigma must be 0-D, got shape [1]")
    yield Case(op, [boxes, scores, size, half, zero, scalar("float", -1)], error="soft_nms_sigma_val must be >= 0")
    op, table = "NonMaxSuppressionWithOverlaps", eighths("float", (3, 3), 0, 1)
    yield Case(op, [table[0], scores, size, half, zero], error="overlaps must be 2-D[3]")
    yield Case(op, [table[:2], scores, size, half, zero], error="overlaps must be square[2,3]")
    yield Case(op, [table, scores[:2], size, half, zero], error="scores has incompatible shape")
    yield Case(op, [table, scores, size, f32([0.5]), zero], error="overlap_threshold must be 0-D, got shape [1]")


def combined():
    op, size = "CombinedNonMaxSuppression", [scalar("int32", 3), scalar("int32", 7)]
    limits = [scalar("float", 0.5), scalar("float", 0.125)]
    for q, classes in ((1, 3), (3, 3), (1, 1)):
        made = [nms_inputs("float", 12, key=k) for k in range(2 * max(q, classes))]
        boxes = np.stack([np.stack([made[n * q + k][0] for k in range(q)], 1) for n in range(2)]) * np.float32(1.5)
        scores = np.stack([np.stack([made[n * classes + k][1] + np.float32(k / 1024) for k in range(classes)], 1) for n in range(2)])
        for attrs in ({}, {"pad_per_class": True}, {"clip_boxes": False}):
            yield Case(op, [boxes, scores, *size, *limits], attrs)
    yield Case(op, [boxes[:, :0], scores[:, :0], *size, *limits])
    yield Case(op, [boxes[0], scores, *size, *limits], error="boxes and scores must have same batch size")
    yield Case(op, [boxes[..., :3], scores, *size, *limits], error="boxes must have 4 columns")
    yield Case(op, [boxes[:, :2], scores, *size, *limits], error="scores has incompatible shape")
    yield Case(op, [boxes, scores, scalar("int32", 0), size[1], *limits], error="max_size_per_class must be positive")
    yield Case(op, [boxes, scores, size[0], scalar("int32", 0), *limits], error="max_total_size must be > 0")
    yield Case(op, [boxes, scores, *size, scalar("float", 1.5), limits[1]], error="iou_threshold must be in [0, 1]")


def glimpses():
    x = eighths("float", (2, 5, 6, 2))
    for op in ("ExtractGlimpse", "ExtractGlimpseV2"):
        for centered in (True, False):
            for normalized in (True, False):
                attrs = {"centered": centered, "normalized": normalized, "uniform_noise": False, "noise": "zero"}
                for size in ((3, 4), (7, 8), (2, 2)):
                    for offsets in ([[0, 0], [0.5, -0.5]], [[1.5, 2], [-1, -1]], [[4, 5], [40, 1]]):
                        yield Case(op, [x, i32(*size), f32(offsets)], attrs)
        yield Case(op, [x, i32(0, 2), f32([[0, 0], [0, 0]])])
        zeros = f32([[0, 0], [0, 0]])
        yield Case(op, [x[0], i32(2, 2), zeros], error="input must be 4-dimensional (batch_size, height, width, depth)[5,6,2]")
        yield Case(op, [x, scalar("int32", 2), zeros], error="input must be a vector of size 2 (height, width)[]")
        yield Case(op, [x, i32(2, 2), zeros[0]], error="input must be a matrix[2]")
        yield Case(op, [x, i32(2, 2), zeros[:1]], error="first dimension should be batch[1,2]")
        yield Case(op, [x, i32(2, 2), f32(np.zeros((2, 3)))], error="second dimension should be of size 2 (y,x)[2,3]")
        yield Case(op, [x, i32(-1, 2), zeros], error="Expected a non-negative size, got -1")


def samples():
    boxes = f32([[[0.125, 0.25, 0.75, 0.875], [0.5, 0.5, 0.625, 0.75]]])
    for dtype in ("uint8", "int8", "int16", "int32", "int64"):
        for seed, attrs in ((3, {}), (4, {"aspect_ratio_range": [0.5, 2.0], "area_range": [0.25, 0.5]}), (5, {"max_attempts": 2})):
            attrs = {"seed": seed, "seed2": 7, **attrs}
            yield Case("SampleDistortedBoundingBox", [array(dtype, [90, 100, 3]), boxes], {**attrs, "min_object_covered": 0.5})
            yield Case("SampleDistortedBoundingBoxV2", [array(dtype, [90, 100, 3]), boxes, scalar("float", 0.75)], attrs)
    op, size, part = "SampleDistortedBoundingBoxV2", i32(40, 50, 3), scalar("float", 0.5)
    yield Case(op, [size, boxes[:, :0], part], {"seed": 1, "use_image_if_no_bounding_boxes": True})
    yield Case(op, [size, boxes, scalar("float", 1.5)], {"seed": 1})
    yield Case(op, [size[:2], boxes, part], error="image_size must contain 3 elements[2]")
    yield Case(op, [size[None], boxes, part], error="image_size must be 1-dimensional[1,3]")
    yield Case(op, [size, boxes[0], part], error="input boxes must be 3-dimensional [batch, num_boxes, coords]: [2,4]")
    yield Case(op, [size, boxes[:, :, :3], part], error="bounding boxes must have shape [4] or [*, 4], got [1,2,3]")
    yield Case(op, [size, boxes * np.float32(2), part], error="All bounding box coordinates must be in [0.0, 1.0]: 1.5")
    yield Case(op, [size, boxes[:, :0], part], error="No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes")
    yield Case(op, [size, boxes, scalar("float", -0.5)], error="Min object covered must be non-negative: -0.5")
    yield Case(op, [size, boxes, f32([0.5])], error="min_object_covered must be 0-D, got shape [1]")
    yield Case(op, [size, boxes, part], {"aspect_ratio_range": [1.0]}, error="Aspect ratio range field must specify 2 dimensions")
    yield Case(op, [size, boxes, part], {"aspect_ratio_range": [0.0, 1.0]}, error="Aspect ratio range must be non-negative: [0, 1]")
    yield Case(op, [size, boxes, part], {"area_range": [0.5, 2.0]}, error="Area range must be less then or equal to 1.0: [0.5, 2]")
    yield Case(op, [size, boxes, part], {"max_attempts": 0}, error="Max attempts must be non-negative: 0")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, color, depth, rows, palette=b"", transparent=b""):
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))]
    parts += [chunk(name, value) for name, value in ((b"PLTE", palette), (b"tRNS", transparent)) if value]
    return b"\x89PNG\r\n\x1a\n" + b"".join([*parts, chunk(b"IDAT", data), chunk(b"IEND", b"")])


def bmp(width, height, bits, data):
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + len(data), 0, 0, 54, 40, width, height, 1, bits, 0, len(data), 0, 0, 0, 0) + data


def gif(frames, width=4, height=3):
    """A file whose frames (left, top, width, height, transparent, indices) are coded without compression."""
    palette = bytes(range(0, 120, 5))[:24]
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF2, 0, 0) + palette
    for left, top, w, h, transparent, indices in frames:
        if transparent is not None:
            out += b"\x21\xf9\x04\x01\0\0" + bytes([transparent]) + b"\0"
        codes = [8, *indices[:4], 8, *indices[4:8], 8, *indices[8:], 9]
        bits = sum(code << (4 * i) for i, code in enumerate(codes))
        data = bits.to_bytes((4 * len(codes) + 7) // 8, "little")
        out += b"\x2c" + struct.pack("<HHHHB", left, top, w, h, 0) + b"\x03" + bytes([len(data)]) + data + b"\0"
    return out + b";"


PNGS = {
    "gray": png(2, 1, 0, 8, [b"\x10\x20"]), "rgb": png(2, 1, 2, 8, [bytes([10, 100, 200, 7, 99, 3])]), "rgba": png(1, 1, 6, 8, [bytes([10, 100, 200, 7])]),
    "alpha": png(1, 1, 4, 8, [bytes([10, 7])]), "gray16": png(1, 1, 0, 16, [b"\x12\x34"]), "rgb16": png(1, 1, 2, 16, [bytes([1, 2, 100, 3, 200, 4])]),
    "palette": png(2, 1, 3, 8, [b"\0\1"], bytes([1, 2, 3, 40, 50, 60])), "transparent": png(2, 1, 3, 8, [b"\0\1"], bytes([1, 2, 3, 40, 50, 60]), b"\x09"),
    "bits": png(3, 1, 0, 1, [b"\xa0"]), "key": png(2, 1, 0, 8, [b"\x10\x20"], transparent=b"\0\x10"), "bits4": png(3, 2, 0, 4, [b"\x1f\x20", b"\x30\x40"]),
}


def jpeg(**attrs):
    image = (np.arange(17 * 21 * 3) * 7 % 251).reshape(17, 21, 3).astype(np.uint8)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(tf.raw_ops.EncodeJpeg(image=image, **attrs))


def text(data):
    return np.array(data, object)


def decodings():
    for data in PNGS.values():
        for channels in (0, 1, 3, 4):
            for dtype in (tf.uint8, tf.uint16):
                yield Case("DecodePng", [text(data)], {"channels": channels, "dtype": dtype})
        yield Case("DecodeImage", [text(data)], {"dtype": tf.float32})
    for attrs in ({}, {"progressive": True}, {"chroma_downsampling": False}):
        data = jpeg(**attrs)
        for options in ({}, {"channels": 1}, {"channels": 3, "ratio": 2}, {"ratio": 8}, {"fancy_upscaling": False}, {"dct_method": "INTEGER_ACCURATE"}, {"dct_method": "INTEGER_FAST"}):
            yield Case("DecodeJpeg", [text(data)], options)
        yield Case("DecodeAndCropJpeg", [text(data), i32(2, 3, 11, 9)])
        yield Case("DecodeAndCropJpeg", [text(data), i32(0, 0, 17, 21)], {"channels": 1})
        yield Case("ExtractJpegShape", [text(data)])
        for dtype in (tf.uint16, tf.float32):
            yield Case("DecodeImage", [text(data)], {"dtype": dtype})
    plain, moved = (0, 0, 4, 3, None, [k % 8 for k in range(12)]), (1, 1, 3, 2, 5, [1, 5, 2, 3, 4, 5])
    for frames in ([plain], [plain, moved], [moved, plain, moved]):
        yield Case("DecodeGif", [text(gif(frames))])
        yield Case("DecodeImage", [text(gif(frames))])
        yield Case("DecodeImage", [text(gif(frames))], {"expand_animations": False, "dtype": tf.uint16})
    row = bytes(range(1, 7)) + b"\0\0"
    for data in (bmp(2, 2, 24, row * 2), bmp(2, -2, 24, row * 2)):
        for channels in (0, 3, 4):
            yield Case("DecodeBmp", [text(data)], {"channels": channels})
    yield Case("DecodeBmp", [text(bmp(3, 1, 8, b"\1\2\3\0"))])
    yield Case("DecodeBmp", [text(bmp(1, 1, 32, b"\1\2\3\4"))])
    yield from decoding_errors()


def decoding_errors():
    rgb = PNGS["rgb"]
    yield Case("DecodePng", [text(rgb)], {"channels": 2}, error="`channels` must be 0, 1, 3 or 4 but got 2")
    yield Case("DecodePng", [text(b"")], error="Input is empty.")
    yield Case("DecodePng", [text(b"abcdefghijklm")], error="Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")
    yield Case("DecodePng", [text(rgb[:30])], error="Invalid PNG. Failed to initialize decoder.")
    yield Case("DecodePng", [text(rgb[:-14])], error="Invalid PNG data, size %d" % (len(rgb) - 14))
    yield Case("DecodePng", [text(png(20000, 20000, 0, 8, [b"\0"]))], error="Invalid PNG data, size 67")
    yield Case("DecodePng", [strings([rgb])], error="`contents` must be scalar but got shape[1]")
    yield Case("DecodePng", [text(bmp(2, 2, 24, b"\0" * 16))], error="Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: DecodePng")
    yield Case("DecodeBmp", [text(rgb)], error="Trying to decode PNG format using DecodeBmp op. Use `decode_png` or `decode_image` instead.")
    data = jpeg()
    yield Case("DecodeJpeg", [text(data[:len(data) // 2])], error="jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    yield Case("DecodeJpeg", [text(data[:100])], error="jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    yield Case("DecodeJpeg", [text(data)], {"channels": 4}, error="JPEG does not support 4 channels")
    yield Case("DecodeJpeg", [text(data)], {"ratio": 3}, error="ratio must be 1, 2, 4, or 8, got 3")
    yield Case("DecodeJpeg", [text(data)], {"dct_method": "foo"}, error="dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    yield Case("DecodeAndCropJpeg", [text(data), i32(0, 0, 0, 10)], error="jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    yield Case("DecodeAndCropJpeg", [text(data), i32(1, 2, 3)], error="crop_size must have four elements [3]")
    yield Case("DecodeAndCropJpeg", [text(rgb), i32(0, 0, 1, 1)], error="DecodeAndCropJpeg operation can run on JPEG only, but detected PNG.")
    yield Case("DecodeGif", [text(gif([(0, 0, 4, 3, None, [0] * 12)])[:8])], error="failed to open gif file: No screen descriptor detected")
    yield Case("DecodePng", [text(gif([(0, 0, 4, 3, None, [0] * 12)] * 2))], error="Got 2 frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image")


def encodings():
    for dtype in ("uint8", "uint16"):
        for channels in (1, 2, 3, 4):
            yield Case("EncodePng", [eighths(dtype, (7, 9, channels), 0, 255)], {"compression": channels})
    yield Case("EncodePng", [eighths("uint8", (2, 1, 5, 6, 3), 0, 255)])
    image = eighths("uint8", (17, 19, 3), 0, 255)
    for attrs in ({}, {"quality": 30}, {"progressive": True}, {"optimize_size": True}, {"chroma_downsampling": False}, {"density_unit": "cm", "x_density": 7}, {"xmp_metadata": "abc"}):
        yield Case("EncodeJpeg", [image], attrs)
    yield Case("EncodeJpeg", [image[..., :1]], {"format": "grayscale"})
    yield Case("EncodeJpegVariableQuality", [image, scalar("int32", 40)])
    yield Case("EncodePng", [image[0]], error="images must be at least rank 3[19,3]")
    yield Case("EncodePng", [eighths("uint8", (1, 1, 5))], error="image must have 1, 2, 3, or 4 channels, got 5")
    yield Case("EncodePng", [image[:0]], error="PNG encoding failed at the following flattened batch indices: 0")
    yield Case("EncodePng", [image], {"compression": 12}, error="compression should be in [-1,9], got 12")
    yield Case("EncodeJpeg", [image[0]], error="image must be 3-dimensional[19,3]")
    yield Case("EncodeJpeg", [image[..., :2]], error="image must have 1 or 3 channels, got [17,19,2]")
    yield Case("EncodeJpeg", [image[:0]], error="JPEG encoding failed")
    yield Case("EncodeJpeg", [image], {"format": "grayscale"}, error="format grayscale expects 1 channels, got [17,19,3]")
    yield Case("EncodeJpeg", [image], {"quality": 101}, error="quality must be in [0,100], got 101")
    yield Case("EncodeJpegVariableQuality", [image, i32(5)], error="quality must be scalar: [1]")


def cases():
    yield from resizes()
    yield from sampled()
    yield from colors()
    yield from crops()
    yield from drawings()
    yield from suppressions()
    yield from combined()
    yield from glimpses()
    yield from samples()
    yield from decodings()
    yield from encodings()
