#include "ramet/ops/random/alias_table.h"

namespace ramet {

AliasTable::AliasTable(std::span<const float> weights) : cells_(weights.size()) {
  const int n = static_cast<int>(weights.size());
  double sum = 0;
  for (float w : weights) sum += w;
  std::vector<double> left(n);
  std::vector<int> high, low;
  for (int i = 0; i < n; ++i) {
    left[i] = (weights[i] * static_cast<float>(n)) / sum;
    (left[i] < 1.0 ? low : high).push_back(i);
  }
  while (!high.empty() && !low.empty()) {
    const int l = low.back(), h = high.back();
    low.pop_back();
    high.pop_back();
    cells_[l] = {static_cast<float>(left[l]), h};
    left[h] -= 1.0 - left[l];
    (left[h] < 1.0 ? low : high).push_back(h);
  }
  for (const std::vector<int>* rest : {&high, &low}) {
    for (int i : *rest) cells_[i] = {1, i};
  }
}

}  // namespace ramet
