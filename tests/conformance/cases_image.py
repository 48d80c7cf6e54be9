"""Images: resizing, colors, crops, boxes and non-maximum suppression."""

import numpy as np
import tensorflow as tf

from case import FLOATS, LOOSE, SIGNED, Case, array, eighths, generator, i32, scalar

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
            yield Case("ResizeBilinearGrad", [eighths("float", (2, 5, 6, 2)), eighths(dtype, (2, 3, 4, 2))], mode, tol=LOOSE.get(dtype, 1e-5), atol=LOOSE.get(dtype, 1e-5))
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
    yield from sampled_errors()


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


def colors():
    edge = [[0, 0, 0], [1, 1, 1], [-1, 2, -3], [3, 1, 1], [1, 3, 3], [2, 2, 1], [0.5, 0.25, 0.75], [0.25, 0.5, 0.25], [0.75, 0.125, 0.5], [-1, -2, -3]]
    hues = [[0, 0.5, 0.75], [0.125, 1, 1], [0.25, 0.5, 2], [0.5, 0.25, 0.5], [0.75, 1, 0.5], [1.5, 1, 2], [-0.25, 0.5, 0.5], [5, 0.5, 0.5], [0.5, -1, 2]]
    for dtype in FLOATS:
        tol = LOOSE.get(dtype, 1e-5)
        yield Case("RGBToHSV", [array(dtype, edge)], tol=tol, atol=tol)
        yield Case("HSVToRGB", [array(dtype, hues)], tol=tol, atol=tol)
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
