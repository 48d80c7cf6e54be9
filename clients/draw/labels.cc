#include <algorithm>
#include <map>

#include "draw.h"

// Positions the labels of edges so that they do not overlap boxes or each other.
namespace draw {
namespace {

constexpr double kLetter = 5.8, kLetterHeight = 9, kBeside = 4, kBucket = 50;

struct Rect {
  double left, top, right, bottom;
  bool Meets(const Rect& o) const {
    return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
  }
};

// The occupied rectangles, indexed by the horizontal stripes of the picture that they overlap.
class Taken {
 public:
  void Add(const Rect& rect) {
    for (int i = Stripe(rect.top); i <= Stripe(rect.bottom); ++i) stripes_[i].push_back(rect);
  }
  bool Free(const Rect& rect) const {
    for (int i = Stripe(rect.top); i <= Stripe(rect.bottom); ++i) {
      const auto found = stripes_.find(i);
      if (found == stripes_.end()) continue;
      if (std::ranges::any_of(found->second, [&](const Rect& r) { return r.Meets(rect); })) {
        return false;
      }
    }
    return true;
  }

 private:
  static int Stripe(double y) { return static_cast<int>(y / kBucket); }
  std::map<int, std::vector<Rect>> stripes_;
};

// Returns a point of the curve that ToSvg draws from a to b, for t from 0 to 1.
Picture::Point At(const Picture::Point& a, const Picture::Point& b, double t) {
  const double middle = (a.y + b.y) / 2, s = 1 - t;
  return {a.x + (b.x - a.x) * t * t * (3 - 2 * t),
          s * s * s * a.y + 3 * s * t * middle + t * t * t * b.y};
}

bool PositionOn(const Picture::Point& a, const Picture::Point& b, double most_right, Taken* taken,
                Picture::Edge* edge) {
  const double width = kLetter * static_cast<double>(edge->label.size());
  for (const double t : {0.5, 0.35, 0.65, 0.2, 0.8}) {
    const Picture::Point p = At(a, b, t);
    for (const double left : {p.x + kBeside, p.x - kBeside - width}) {
      const Rect rect{left, p.y - kLetterHeight, left + width, p.y + 2};
      if (left < 0 || rect.right > most_right || !taken->Free(rect)) continue;
      taken->Add(rect);
      edge->labeled = true;
      edge->label_at = {left, p.y};
      return true;
    }
  }
  return false;
}

}  // namespace

void PositionLabels(Picture* picture) {
  Taken taken;
  for (const Picture::Box& box : picture->boxes) {
    taken.Add({box.x - box.width / 2, box.y - box.height / 2, box.x + box.width / 2,
               box.y + box.height / 2});
  }
  for (Picture::Edge& edge : picture->edges) {
    const auto& way = edge.way;
    if (edge.label.empty() || way.size() < 2) continue;
    if (PositionOn(way[0], way[1], picture->width, &taken, &edge)) continue;
    PositionOn(way[way.size() - 2], way.back(), picture->width, &taken, &edge);
  }
}

}  // namespace draw
