#include "flame.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "ramet/ramet.h"
#include "svg_text.h"

namespace draw {
namespace {

namespace rm = ramet;

constexpr double kFlameWidth = 1200, kRowHeight = 20, kFlameMargin = 10, kHead = 44;
// Narrower bars are left out, which also bounds the size of the file.
constexpr double kMinBarWidth = 0.5;
constexpr double kLetterWidth = 6.6;
// Components of a name beyond this depth are shown as one.
constexpr int kMaxFlameDepth = 32;
// The hues of ops, on which dark text is readable.
constexpr const char* kFills[] = {"#f6c28b", "#f2a7a0", "#f4d98c", "#c9dd8f", "#9fd8b4",
                                  "#9ed3e6", "#b4bff0", "#d6b6e8", "#eeb5d1", "#cfc6b5"};

// A scope or a node in the tree of names.
struct Bar {
  int64_t nanos = 0;
  int64_t count = 0;
  std::string op;      // "" for a scope
  std::string detail;  // of the last entry
  std::map<std::string, std::unique_ptr<Bar>, std::less<>> parts;
};

void Insert(Bar* root, const FlameEntry& entry) {
  Bar* at = root;
  std::string_view rest = entry.name;
  for (int depth = 1;; ++depth) {
    at->nanos += entry.nanos;
    const size_t slash = depth < kMaxFlameDepth ? rest.find('/') : rest.npos;
    std::unique_ptr<Bar>& part = at->parts[std::string(rest.substr(0, slash))];
    if (part == nullptr) part = std::make_unique<Bar>();
    at = part.get();
    if (slash == rest.npos) break;
    rest.remove_prefix(slash + 1);
  }
  at->nanos += entry.nanos;
  ++at->count;
  at->op = entry.op;
  at->detail = entry.detail;
}

const char* FillOf(const Bar& bar) {
  if (bar.op.empty()) return nullptr;
  uint32_t hash = 2166136261u;
  for (const char c : bar.op) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return kFills[hash % std::size(kFills)];
}

// Cuts the text so that it fits into a bar; "" if hardly anything would be left.
std::string Fitting(const std::string& text, double width) {
  const auto room = static_cast<size_t>(std::max(0.0, (width - 6) / kLetterWidth));
  if (text.size() <= room) return text;
  if (room < 3) return "";
  size_t end = room - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

// Writes the bars of a tree.
class Painter {
 public:
  explicit Painter(int64_t total) : total_(total) {}

  void Paint(const std::string& name, const std::string& path, const Bar& bar, double x, int row) {
    const double width = WidthOf(bar);
    if (width < kMinBarWidth) return;
    rows_ = std::max(rows_, row + 1);
    PaintBar(name, path, bar, x, row);
    std::vector<const std::pair<const std::string, std::unique_ptr<Bar>>*> parts;
    for (const auto& part : bar.parts) parts.push_back(&part);
    std::ranges::stable_sort(parts, std::greater(), [](const auto* p) { return p->second->nanos; });
    for (const auto* part : parts) {
      const std::string below = row == 0 ? part->first : rm::StrCat(path, "/", part->first);
      Paint(part->first, below, *part->second, x, row + 1);
      x += WidthOf(*part->second);
    }
  }
  int rows() const { return rows_; }
  const std::string& svg() const { return svg_; }

 private:
  double WidthOf(const Bar& bar) const {
    return (kFlameWidth - 2 * kFlameMargin) * static_cast<double>(bar.nanos) /
           static_cast<double>(total_);
  }

  void PaintBar(const std::string& name, const std::string& path, const Bar& bar, double x,
                int row) {
    const double width = WidthOf(bar), y = kHead + row * kRowHeight;
    const char* const fill = FillOf(bar);
    const std::string label = bar.op.empty() ? name : rm::StrCat(name, " (", bar.op, ")");
    svg_ += rm::StrCat("<g><title>", Xml(Tooltip(path, bar)), "</title><rect x=\"", Fixed(x),
                       "\" y=\"", Fixed(y), "\" width=\"", Fixed(std::max(width - 0.5, 0.4)),
                       "\" height=\"", Fixed(kRowHeight - 1), "\" rx=\"2\"",
                       fill ? rm::StrCat(" fill=\"", fill, "\"") : " class=\"scope\"", "/>");
    const std::string text = Fitting(label, width);
    if (!text.empty()) {
      svg_ += rm::StrCat("<text x=\"", Fixed(x + 3), "\" y=\"", Fixed(y + 14), "\"",
                         fill ? "" : " class=\"scope\"", ">", Xml(text), "</text>");
    }
    svg_ += "</g>\n";
  }

  std::string Tooltip(const std::string& path, const Bar& bar) const {
    const double share = 100.0 * static_cast<double>(bar.nanos) / static_cast<double>(total_);
    std::string text =
        rm::StrCat(path, bar.op.empty() ? "" : rm::StrCat(" (", bar.op, ")"), ": ",
                   Fixed(static_cast<double>(bar.nanos) / 1000), " µs, ", Fixed(share), "%");
    if (bar.count > 1) text += rm::StrCat(", ", bar.count, " times");
    return bar.detail.empty() ? text : rm::StrCat(text, ", ", bar.detail);
  }

  const int64_t total_;
  int rows_ = 0;
  std::string svg_;
};

}  // namespace

std::string FlameSvg(const std::vector<FlameEntry>& entries, const std::string& title) {
  Bar root;
  for (const FlameEntry& entry : entries) Insert(&root, entry);
  Painter painter(std::max<int64_t>(root.nanos, 1));
  painter.Paint("all operations", "all operations", root, kFlameMargin, 0);
  const std::string width = Fixed(kFlameWidth);
  const std::string height = Fixed(kHead + painter.rows() * kRowHeight + kFlameMargin);
  return rm::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
      "\" viewBox=\"0 0 ", width, " ", height,
      "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<title>", Xml(title),
      "</title>\n<style>\n.page { fill: #ffffff } .head { fill: #202124; font-size: 14px } "
      "text { fill: #202124 }\nrect.scope { fill: #dfe3e8 } rect:hover { stroke: #202124 }\n"
      "@media (prefers-color-scheme: dark) {\n.page { fill: #1b1c1f } .head { fill: #e8eaed }\n"
      "rect.scope { fill: #3c4148 } text.scope { fill: #e8eaed } rect:hover { stroke: #ffffff }\n"
      "}\n</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
      "<text class=\"head\" x=\"",
      Fixed(kFlameMargin), "\" y=\"26\">", Xml(title), "</text>\n", painter.svg(), "</svg>\n");
}

}  // namespace draw
