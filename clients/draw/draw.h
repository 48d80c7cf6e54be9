#pragma once

#include <ramet/ramet.h>

#include <string>
#include <vector>

namespace draw {

// A Picture is a graph whose operations are grouped into boxes, one per name scope.
struct Picture {
  struct Box {
    std::string name;    // the scope or the operation
    std::string detail;  // "12 ops", or the type of the operation
    enum class Kind { kScope, kOp, kInput, kVariable } kind = Kind::kScope;
    int ops = 0;
    // The center and the size of the box, set by LayOut.
    double x = 0, y = 0, width = 0, height = 0;
  };
  struct Point {
    double x, y;
  };
  struct Edge {
    int from = 0, to = 0;
    int tensors = 0;         // 0 if there are only control dependencies
    std::string label;       // dtype and shape of the tensors; "" if they differ
    std::vector<Point> way;  // the line from box to box, set by LayOut
    // Set by PositionLabels: true if there is room for the label, and the position of its left end.
    bool labeled = false;
    Point label_at = {0, 0};
  };
  std::vector<Box> boxes;
  std::vector<Edge> edges;
  double width = 0, height = 0;
};

struct PictureOptions {
  std::string scope;  // the name scope to draw; "" for the whole graph
  int depth = 0;      // the number of name components that make a box; 0 for as many as fit
  bool all = false;   // whether to include saving, training and initialization
};

// The largest number of boxes in a picture, and the largest PictureOptions::depth.
inline constexpr int kMaxBoxes = 1500, kMaxDepth = 12;
// Groups the operations of a graph into boxes. The result is not laid out.
// \error kNotFound: there is nothing to draw in the scope.
// \error kInvalidArgument: the picture would have too many boxes.
ramet::StatusOr<Picture> MakePicture(const ramet::Graph& graph, const PictureOptions& options);

// Lays out the boxes in layers, with data flowing down, and the edges between them.
void LayOut(Picture* picture);
// Positions the labels of a picture that is laid out, so that none overlaps a box or another label.
void PositionLabels(Picture* picture);

// Returns an SVG of a picture that is laid out. Escapes all names, which may be malicious.
std::string ToSvg(const Picture& picture, const std::string& title);
// Returns input for Graphviz. The picture need not be laid out.
std::string ToDot(const Picture& picture, const std::string& title);

}  // namespace draw
