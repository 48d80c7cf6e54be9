#pragma once

#include <ramet/ramet.h>

#include <string>
#include <vector>

namespace draw {

// A Picture is a graph whose operations are gathered in boxes, one per name scope.
struct Picture {
  struct Box {
    std::string name;    // the scope, or the operation
    std::string detail;  // "12 ops", or the operation's type
    enum class Kind { kScope, kOp, kInput, kVariable } kind = Kind::kScope;
    int ops = 0;
    // Set by LayOut: the middle of the box, and its size.
    double x = 0, y = 0, width = 0, height = 0;
  };
  struct Point {
    double x, y;
  };
  struct Edge {
    int from = 0, to = 0;
    int tensors = 0;         // 0: only control dependencies
    std::string label;       // dtype and shape of the tensors, where they have the same
    std::vector<Point> way;  // set by LayOut, from box to box
    // Where the label begins, set by PlaceLabels; not `labelled`: there is no room for it.
    bool labelled = false;
    Point label_at = {0, 0};
  };
  std::vector<Box> boxes;
  std::vector<Edge> edges;
  double width = 0, height = 0;
};

struct PictureOptions {
  std::string scope;  // only what is in it
  int depth = 0;      // components of names that make a box; 0: as many as fit
  bool all = false;   // saving, training and initialisation too
};

// More boxes than this are no picture; no name is cut deeper than this.
inline constexpr int kMostBoxes = 1500, kDeepest = 12;
// \error kNotFound if nothing is in the scope; kInvalidArgument if there would be more than
// kMostBoxes boxes.
ramet::StatusOr<Picture> MakePicture(const ramet::Graph& graph, const PictureOptions& options);

// Places the boxes in layers, so that data go down, and the edges between them.
void LayOut(Picture* picture);
// Places the labels of a picture that is laid out: on no box and on no other label.
void PlaceLabels(Picture* picture);

// `picture` is laid out. Text is escaped: names are untrusted.
std::string ToSvg(const Picture& picture, const std::string& title);
// For graphviz; places nothing.
std::string ToDot(const Picture& picture, const std::string& title);

}  // namespace draw
