#include <algorithm>
#include <cmath>

#include "draw.h"
#include "svg_text.h"

namespace draw {
namespace {

namespace rm = ramet;
using Kind = Picture::Box::Kind;

const char* FillOf(Kind kind) {
  switch (kind) {
    case Kind::kInput: return "#d5f0d5";
    case Kind::kVariable: return "#fdf0c0";
    case Kind::kScope: return "#dce8f8";
    default: return "#ffffff";
  }
}

// Returns a smooth path through the points, vertical at both ends of each segment.
std::string Path(const std::vector<Picture::Point>& way) {
  std::string d = rm::StrCat("M", Fixed(way[0].x), ",", Fixed(way[0].y));
  for (size_t i = 1; i < way.size(); ++i) {
    const double middle = (way[i - 1].y + way[i].y) / 2;
    d += rm::StrCat(" C", Fixed(way[i - 1].x), ",", Fixed(middle), " ", Fixed(way[i].x), ",",
                    Fixed(middle), " ", Fixed(way[i].x), ",", Fixed(way[i].y));
  }
  return d;
}

std::string TitleOf(const Picture& picture, const Picture::Edge& edge) {
  std::string title =
      rm::StrCat(picture.boxes[edge.from].name, " -> ", picture.boxes[edge.to].name, ": ");
  if (edge.tensors == 0) return title + "control";
  title += edge.tensors == 1 ? "1 tensor" : rm::StrCat(edge.tensors, " tensors");
  return edge.label.empty() ? title : rm::StrCat(title, " ", edge.label);
}

std::string EdgeSvg(const Picture& picture, const Picture::Edge& edge) {
  const double width = edge.tensors > 1 ? std::min(1 + std::log2(edge.tensors) / 2, 4.0) : 1;
  return rm::StrCat("<path d=\"", Path(edge.way), "\" stroke-width=\"", Fixed(width), "\"",
                    edge.tensors == 0 ? " stroke-dasharray=\"4 3\"" : "",
                    " marker-end=\"url(#arrow)\"><title>", Xml(TitleOf(picture, edge)),
                    "</title></path>\n");
}

std::string LabelSvg(const Picture::Edge& edge) {
  if (!edge.labeled) return "";
  return rm::StrCat("<text x=\"", Fixed(edge.label_at.x), "\" y=\"", Fixed(edge.label_at.y), "\">",
                    Xml(edge.label), "</text>\n");
}

std::string BoxSvg(const Picture::Box& box) {
  const bool scope = box.kind == Kind::kScope;
  return rm::StrCat("<g><title>", Xml(box.name), " (", Xml(box.detail), ")</title><rect x=\"",
                    Fixed(box.x - box.width / 2), "\" y=\"", Fixed(box.y - box.height / 2),
                    "\" width=\"", Fixed(box.width), "\" height=\"", Fixed(box.height), "\" rx=\"",
                    scope ? 8 : 3, "\" fill=\"", FillOf(box.kind), "\" stroke=\"#667\"/><text x=\"",
                    Fixed(box.x), "\" y=\"", Fixed(box.y - 3), "\"",
                    scope ? " font-weight=\"bold\"" : "", ">", Xml(box.name), "</text><text x=\"",
                    Fixed(box.x), "\" y=\"", Fixed(box.y + 13),
                    "\" font-size=\"10\" fill=\"#556\">", Xml(box.detail), "</text></g>\n");
}

// Escapes text for a quoted DOT string.
std::string Dot(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return out;
}

}  // namespace

std::string ToSvg(const Picture& picture, const std::string& title) {
  std::string svg = rm::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", Fixed(picture.width), "\" height=\"",
      Fixed(picture.height), "\" viewBox=\"0 0 ", Fixed(picture.width), " ", Fixed(picture.height),
      "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<title>", Xml(title),
      "</title>\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
      "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
      "<path d=\"M0,0 L8,4 L0,8 z\" fill=\"#445\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<g fill=\"none\" stroke=\"#889\">\n");
  for (const Picture::Edge& edge : picture.edges) svg += EdgeSvg(picture, edge);
  svg +=
      "</g>\n<g font-size=\"9\" fill=\"#667\" stroke=\"white\" stroke-width=\"3\" "
      "paint-order=\"stroke\">\n";
  for (const Picture::Edge& edge : picture.edges) svg += LabelSvg(edge);
  svg += "</g>\n<g text-anchor=\"middle\">\n";
  for (const Picture::Box& box : picture.boxes) svg += BoxSvg(box);
  return svg + "</g>\n</svg>\n";
}

std::string ToDot(const Picture& picture, const std::string& title) {
  std::string dot = rm::StrCat("digraph \"", Dot(title),
                               "\" {\n  node [shape=box, style=\"rounded,filled\", "
                               "fontname=Helvetica];\n");
  for (size_t i = 0; i < picture.boxes.size(); ++i) {
    const Picture::Box& box = picture.boxes[i];
    dot += rm::StrCat("  n", i, " [label=\"", Dot(box.name), "\\n", Dot(box.detail),
                      "\", fillcolor=\"", FillOf(box.kind), "\"];\n");
  }
  for (const Picture::Edge& edge : picture.edges) {
    dot += rm::StrCat("  n", edge.from, " -> n", edge.to);
    if (edge.tensors == 0) dot += " [style=dashed]";
    if (!edge.label.empty()) dot += rm::StrCat(" [label=\"", Dot(edge.label), "\"]");
    dot += ";\n";
  }
  return dot + "}\n";
}

}  // namespace draw
