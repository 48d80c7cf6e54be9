#pragma once

#include <string>

#include "ramet/graph/add_op.h"

namespace ramet {

// Losses per example, like those in tf.nn. Use ReduceMean for their mean. `logits` are [...,
// classes] of type half, bfloat16, float or double. On an error, which the graph keeps, the
// functions return an invalid Output.

struct SoftmaxCrossEntropyOptions {
  bool labels_gradient = false;  // gradients also flow into the labels (the _v2 function)
  std::string name = {};         // default: that of tf.nn
};
// Returns -sum(labels * log(softmax(logits))) along the last axis. Labels are probabilities with
// the shape of logits. tf.nn.softmax_cross_entropy_with_logits or, with labels_gradient,
// softmax_cross_entropy_with_logits_v2.
RAMET_EXPORT Output SoftmaxCrossEntropy(const Input& labels, const Output& logits,
                                        const SoftmaxCrossEntropyOptions& options = {});

// Like SoftmaxCrossEntropy, but labels are int32 or int64 class numbers with the shape of logits
// without the last dimension. tf.nn.sparse_softmax_cross_entropy_with_logits, except that the op
// itself checks for equal shapes (for logits that are not a matrix) at run time.
RAMET_EXPORT Output SparseSoftmaxCrossEntropy(const Input& labels, const Output& logits,
                                              std::string_view name = "");

// Returns max(x, 0) - x * z + log(1 + exp(-|x|)) for each element, where x are logits and z are
// labels in [0, 1]. tf.nn.sigmoid_cross_entropy_with_logits.
RAMET_EXPORT Output SigmoidCrossEntropy(const Input& labels, const Output& logits,
                                        std::string_view name = "logistic_loss");

// Returns the mean of (labels - predictions)^2, a scalar, under the scope "mean_squared_error".
RAMET_EXPORT Output MeanSquaredError(const Input& labels, const Output& predictions,
                                     std::string_view name = "mean_squared_error");

}  // namespace ramet
