#pragma once

#include <string>

#include "ramet/graph/add_op.h"

namespace ramet {

// Losses per example, as in tf.nn. Take their mean with ReduceMean. `logits` are [..., classes],
// half, bfloat16, float or double. They return an invalid Output after an error, which the graph
// keeps.

struct SoftmaxCrossEntropyOptions {
  bool labels_gradient = false;  // whether gradients flow into the labels too (the _v2 function)
  std::string name = {};         // default: as tf.nn's
};
// -sum(labels * log(softmax(logits))) along the last axis; labels are probabilities of logits'
// shape. tf.nn.softmax_cross_entropy_with_logits, with labels_gradient
// softmax_cross_entropy_with_logits_v2.
RAMET_EXPORT Output SoftmaxCrossEntropy(const Input& labels, const Output& logits,
                                        const SoftmaxCrossEntropyOptions& options = {});

// The same for labels that are class numbers: int32 or int64, of the shape of logits without its
// last dimension. tf.nn.sparse_softmax_cross_entropy_with_logits, whose run-time check of equal
// shapes (for logits that are not a matrix) is left to the op.
RAMET_EXPORT Output SparseSoftmaxCrossEntropy(const Input& labels, const Output& logits,
                                              std::string_view name = "");

// max(x, 0) - x * z + log(1 + exp(-|x|)) for each element, x logits and z labels in [0, 1].
// tf.nn.sigmoid_cross_entropy_with_logits.
RAMET_EXPORT Output SigmoidCrossEntropy(const Input& labels, const Output& logits,
                                        std::string_view name = "logistic_loss");

// The mean of (labels - predictions)^2, a scalar, under the scope "mean_squared_error".
RAMET_EXPORT Output MeanSquaredError(const Input& labels, const Output& predictions,
                                     std::string_view name = "mean_squared_error");

}  // namespace ramet
