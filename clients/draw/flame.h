#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace draw {

// One operation of a run, for a flame picture.
struct FlameEntry {
  std::string name;    // of the node, with its name scopes: "layer1/dense/MatMul"
  std::string op;      // the op type, or the types of a fused step
  int64_t nanos = 0;   // the time that it took
  std::string detail;  // more text for the tooltip
};

// Returns an SVG in which each name scope is a bar as wide as its share of the time, above the bars
// of what it contains. Entries of one name are summed. It needs no other file and follows the
// viewer's light or dark theme.
std::string FlameSvg(const std::vector<FlameEntry>& entries, const std::string& title);

}  // namespace draw
