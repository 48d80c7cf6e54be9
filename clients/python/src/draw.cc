#include "draw.h"

#include "core.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// Returns an SVG of a graph. If it would be too large, names are shortened.
nb::object DrawSvg(const PyGraph& graph, const std::string& title, const std::string& scope,
                   int depth, bool all) {
  draw::PictureOptions options{.scope = scope, .depth = depth, .all = all};
  auto made = draw::MakePicture(graph, options);
  if (made.status().code() == Code::kInvalidArgument && depth == 0) {
    options.depth = 1;
    made = draw::MakePicture(graph, options);
  }
  draw::Picture picture = Value(std::move(made));
  std::string svg;
  WithoutGil([&] {
    draw::LayOut(&picture);
    draw::PositionLabels(&picture);
    svg = draw::ToSvg(picture, title);
  });
  return nb::steal(
      Checked(PyUnicode_DecodeUTF8(svg.data(), static_cast<Py_ssize_t>(svg.size()), "replace")));
}

}  // namespace

void BindDraw(nb::module_& m) {
  m.def("draw_svg", &DrawSvg, nb::arg("graph"), nb::arg("title") = "graph", nb::arg("scope") = "",
        nb::arg("depth") = 0, nb::arg("all") = false);
}

}  // namespace ramet::python
