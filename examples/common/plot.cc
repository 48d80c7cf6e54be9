#include "plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

namespace ramet::examples {
namespace {

constexpr std::array<const char*, 6> kColors = {"#1f6fb4", "#d9541e", "#2c9c4b",
                                                "#7b52ab", "#8c6d1f", "#b4286f"};
constexpr double kLeft = 72, kRight = 20, kTop = 62, kBottom = 56;
// The approximate width of a character, used to lay out the legend.
constexpr double kCharacterWidth = 6.8;

template <class... Args>
std::string Format(const char* format, Args... args) {
  char text[512];
  int n = std::snprintf(text, sizeof(text), format, args...);
  return std::string(text, static_cast<size_t>(std::clamp<int>(n, 0, sizeof(text) - 1)));
}

std::string Escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        // XML 1.0 has no other control characters.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') out += c;
    }
  }
  return out;
}

// The range of an axis and its position in the picture.
struct Axis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double from = 0, to = 1;

  void Take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Adds a margin on both sides and makes the range nonempty.
  void Widen(double share) {
    if (low > high) low = 0, high = 1;
    double room = low == high ? std::max(1e-3, std::abs(low) * 0.1) : (high - low) * share;
    low -= room;
    high += room;
  }
  double At(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

class Drawing {
 public:
  explicit Drawing(const LineChart& chart) : chart_(chart) {
    for (const Series& series : chart.series) {
      for (size_t i = 0; i < PointCount(series); ++i) {
        if (!IsPoint(series, i)) continue;
        x_.Take(series.x[i]);
        y_.Take(series.y[i]);
      }
    }
    x_.Widen(0);
    y_.Widen(0.05);
    x_.from = kLeft;
    x_.to = chart.width - kRight;
    y_.from = chart.height - kBottom;
    y_.to = kTop;
  }

  std::string Svg() {
    Open();
    XAxis();
    YAxis();
    for (size_t i = 0; i < chart_.series.size(); ++i) Line(chart_.series[i], Color(i));
    Legend();
    svg_ += "</svg>\n";
    return std::move(svg_);
  }

 private:
  static size_t PointCount(const Series& s) { return std::min(s.x.size(), s.y.size()); }
  static bool IsPoint(const Series& s, size_t i) {
    return std::isfinite(s.x[i]) && std::isfinite(s.y[i]);
  }
  static const char* Color(size_t i) { return kColors[i % kColors.size()]; }

  void Text(double x, double y, const char* attributes, std::string_view text) {
    svg_ += Format("<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    svg_ += Escape(text) + "</text>\n";
  }
  void Stroke(double x1, double y1, double x2, double y2, const char* color, double width) {
    svg_ += Format(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
        "stroke-width=\"%g\"/>\n",
        x1, y1, x2, y2, color, width);
  }

  void Open() {
    svg_ = Format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n",
        chart_.width, chart_.height, chart_.width, chart_.height);
    svg_ += "<title>" + Escape(chart_.title) + "</title>\n";
    svg_ += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    Text(chart_.width / 2.0, 24, "text-anchor=\"middle\" font-size=\"16\"", chart_.title);
  }

  void XAxis() {
    for (double tick : Ticks(x_.low, x_.high, 8)) {
      double x = x_.At(tick);
      Stroke(x, y_.from, x, y_.from + 5, "#444", 1);
      Text(x, y_.from + 18, "text-anchor=\"middle\"", Format("%g", tick));
    }
    Stroke(x_.from, y_.from, x_.to, y_.from, "#444", 1);
    Text((x_.from + x_.to) / 2, chart_.height - 12, "text-anchor=\"middle\"", chart_.x_label);
  }

  void YAxis() {
    for (double tick : Ticks(y_.low, y_.high, 6)) {
      double y = y_.At(tick);
      Stroke(x_.from, y, x_.to, y, "#ddd", 0.5);
      Stroke(x_.from - 5, y, x_.from, y, "#444", 1);
      Text(x_.from - 8, y + 4, "text-anchor=\"end\"", Format("%g", tick));
    }
    Stroke(x_.from, y_.from, x_.from, y_.to, "#444", 1);
    double middle = (y_.from + y_.to) / 2;
    std::string turn = Format("text-anchor=\"middle\" transform=\"rotate(-90 18 %.1f)\"", middle);
    Text(18, middle, turn.c_str(), chart_.y_label);
  }

  void Line(const Series& series, const char* color) {
    std::string path;
    char pen = 'M';
    for (size_t i = 0; i < PointCount(series); ++i) {
      if (!IsPoint(series, i)) {
        pen = 'M';
        continue;
      }
      path += Format("%c%.1f %.1f", pen, x_.At(series.x[i]), y_.At(series.y[i]));
      pen = 'L';
    }
    if (path.empty()) return;
    svg_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + color +
            Format("\" stroke-width=\"%g\"", series.width) +
            " stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n";
  }

  // Draws one row between the title and the lines, from right to left.
  void Legend() {
    double x = x_.to, y = kTop - 12;
    for (size_t i = chart_.series.size(); i-- > 0;) {
      const std::string& name = chart_.series[i].name;
      Text(x, y, "text-anchor=\"end\"", name);
      x -= kCharacterWidth * static_cast<double>(name.size()) + 6;
      Stroke(x - 22, y - 4, x, y - 4, Color(i), 2.5);
      x -= 40;
    }
  }

  const LineChart& chart_;
  Axis x_, y_;
  std::string svg_;
};

}  // namespace

std::vector<double> Ticks(double low, double high, int count) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) return {};
  if (low == high) return {low};
  double rough = (high - low) / std::max(count, 1);
  double unit = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * unit;
  for (double factor : {1, 2, 5}) {
    if (factor * unit >= rough * 0.999) {
      step = factor * unit;
      break;
    }
  }
  std::vector<double> ticks;
  // The slack keeps ticks that rounding has moved just outside the range.
  for (double k = std::ceil(low / step - 5e-4); k * step <= high + step * 5e-4; ++k) {
    ticks.push_back(k == 0 ? 0 : k * step);
  }
  return ticks;
}

std::string ToSvg(const LineChart& chart) { return Drawing(chart).Svg(); }

}  // namespace ramet::examples
