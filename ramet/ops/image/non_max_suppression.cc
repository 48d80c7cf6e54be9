#include "ramet/ops/image/non_max_suppression.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace ramet {
namespace {

// A box that is not selected yet. Boxes selected before number `compared` have lowered its score.
struct Waiting {
  int32_t box;
  float score;
  size_t compared;

  bool operator<(const Waiting& other) const {
    return score < other.score || (score == other.score && box > other.box);
  }
};

// A box with its corners in order.
struct OrderedBox {
  explicit OrderedBox(const float* b, RoundNumber round)
      : top(std::min(b[0], b[2])),
        left(std::min(b[1], b[3])),
        bottom(std::max(b[0], b[2])),
        right(std::max(b[1], b[3])),
        area(round(round(bottom - top) * round(right - left))) {}
  float top, left, bottom, right, area;
};

// Applies what the selected boxes do to the score of a waiting one.
class Suppression {
 public:
  Suppression(const SuppressionLimits& limits, RoundNumber round) : limits_(limits), round_(round) {
    if (soft()) scale_ = round(-0.5f / limits.sigma);
  }
  bool soft() const { return limits_.sigma > 0; }

  // Lowers the score. Returns false if the box is dropped.
  bool Survives(const std::function<float(int32_t, int32_t)>& overlap,
                const std::vector<int32_t>& selected, Waiting* box) const {
    for (size_t j = selected.size(); j > box->compared; --j) {
      const float part = overlap(box->box, selected[j - 1]);
      box->score = round_(box->score * Weight(part));
      if (!soft() && part > limits_.overlap) return false;
      if (box->score <= limits_.score) break;
    }
    return true;
  }

 private:
  float Weight(float part) const {
    if (!soft()) return part <= limits_.overlap ? 1.0f : 0.0f;
    return round_(std::exp(round_(round_(scale_ * part) * part)));
  }

  const SuppressionLimits& limits_;
  const RoundNumber round_;
  float scale_ = 0;
};

}  // namespace

float IntersectionOverUnion(const float* a, const float* b, RoundNumber round) {
  const OrderedBox first(a, round), second(b, round);
  if (first.area <= 0 || second.area <= 0) return 0;
  const float top = std::max(first.top, second.top), left = std::max(first.left, second.left);
  const float bottom = std::min(first.bottom, second.bottom);
  const float right = std::min(first.right, second.right);
  const float height = std::max(round(bottom - top), 0.0f);
  const float width = std::max(round(right - left), 0.0f);
  const float common = round(height * width);
  return round(common / round(round(first.area + second.area) - common));
}

SelectedBoxes SelectBoxes(std::span<const float> scores, const SuppressionLimits& limits,
                          const std::function<float(int32_t, int32_t)>& overlap,
                          RoundNumber round) {
  std::priority_queue<Waiting> waiting;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > limits.score) waiting.push({static_cast<int32_t>(i), scores[i], 0});
  }
  const Suppression suppression(limits, round);
  SelectedBoxes selected;
  while (std::ssize(selected.indices) < limits.max_boxes && !waiting.empty()) {
    Waiting next = waiting.top();
    waiting.pop();
    const float before = next.score;
    const bool survives = suppression.Survives(overlap, selected.indices, &next);
    next.compared = selected.indices.size();
    if (!survives) continue;
    if (next.score == before) {
      selected.indices.push_back(next.box);
      selected.scores.push_back(next.score);
    } else if (next.score > limits.score) {
      waiting.push(next);
    }
  }
  return selected;
}

}  // namespace ramet
