#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ramet {

// The limits of non-maximum suppression.
struct SuppressionLimits {
  int64_t max_boxes = 0;
  float overlap = 0;  // a box is dropped if it overlaps a selected one by more
  float score = 0;    // boxes with this score or less are dropped
  float sigma = 0;    // if positive, overlaps lower scores instead
};

// A number as half precision or float computes with it: rounded after each operation.
using RoundNumber = float (*)(float);

// The boxes that are selected, in order, and their scores.
struct SelectedBoxes {
  std::vector<int32_t> indices;
  std::vector<float> scores;
};

// Returns the intersection of two boxes over their union; 0 if a box has no area. A box is two
// opposite corners, y1, x1, y2, x2.
float IntersectionOverUnion(const float* a, const float* b, RoundNumber round);

// Selects the boxes with the greatest scores that do not overlap selected ones too much.
// `overlap(i, j)` is the overlap of two boxes.
SelectedBoxes SelectBoxes(std::span<const float> scores, const SuppressionLimits& limits,
                          const std::function<float(int32_t, int32_t)>& overlap, RoundNumber round);

}  // namespace ramet
