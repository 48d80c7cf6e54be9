#include <algorithm>
#include <cmath>
#include <limits>

#include "draw.h"

// A layered layout after Sugiyama, Tagawa and Toda (1981): assigns layers by longest path, reduces
// crossings by barycenters, then computes positions.
namespace draw {
namespace {

constexpr double kCharWidth = 7.2, kBoldWidth = 8, kPadding = 24, kBoxHeight = 44, kMinWidth = 80;
constexpr double kGapX = 28, kGapY = 56, kMargin = 24, kBendWidth = 12;
constexpr int kSweeps = 12, kPulls = 30, kStraightenings = 4;

// A box, or the bend of an edge where it passes through a layer.
struct Knot {
  int layer = 0;
  double x = 0, width = kBendWidth;
  std::vector<int> above, below;
};

class Layout {
 public:
  explicit Layout(Picture* picture) : p_(*picture), knots_(picture->boxes.size()) {
    for (size_t i = 0; i < p_.boxes.size(); ++i) {
      Picture::Box& box = p_.boxes[i];
      const double letter = box.kind == Picture::Box::Kind::kScope ? kBoldWidth : kCharWidth;
      const auto letters = static_cast<double>(std::max(box.name.size(), box.detail.size()));
      box.width = std::max(kMinWidth, letter * letters + kPadding);
      box.height = kBoxHeight;
      knots_[i].width = box.width;
    }
  }

  void Run() {
    TurnBackEdges();
    AssignLayers();
    AddBends();
    for (size_t k = 0; k < knots_.size(); ++k) LayerOf(k).push_back(static_cast<int>(k));
    for (int sweep = 0; sweep < kSweeps; ++sweep) Order(sweep % 2 == 0);
    InitPositions();
    for (int round = 0; round < kStraightenings; ++round) {
      for (const Way& way : ways_) Straighten(way);
    }
    Write();
  }

 private:
  struct Way {
    int from, to;
    bool turned = false;
    std::vector<int> bends;  // in order from `from` to `to`
  };

  // Reverses the edges that close a cycle, which an iterative depth-first search finds.
  void TurnBackEdges() {
    std::vector<std::vector<int>> out(p_.boxes.size());
    for (size_t e = 0; e < p_.edges.size(); ++e) {
      ways_.push_back({p_.edges[e].from, p_.edges[e].to, false, {}});
      out[p_.edges[e].from].push_back(static_cast<int>(e));
    }
    enum { kNew, kOpen, kDone };
    std::vector<char> state(p_.boxes.size(), kNew);
    for (size_t root = 0; root < p_.boxes.size(); ++root) {
      if (state[root] != kNew) continue;
      std::vector<std::pair<int, size_t>> stack = {{static_cast<int>(root), 0}};
      state[root] = kOpen;
      while (!stack.empty()) {
        auto& [box, next] = stack.back();
        if (next == out[box].size()) {
          state[box] = kDone;
          stack.pop_back();
          continue;
        }
        Way& way = ways_[out[box][next++]];
        if (state[way.to] == kOpen) way.turned = true;
        if (state[way.to] == kNew) {
          state[way.to] = kOpen;
          stack.push_back({way.to, 0});
        }
      }
    }
    for (Way& way : ways_) {
      if (way.turned) std::swap(way.from, way.to);
    }
  }

  void AssignLayers() {
    const size_t n = p_.boxes.size();
    std::vector<int> waiting(n, 0);
    std::vector<std::vector<int>> out(n);
    for (const Way& way : ways_) {
      out[way.from].push_back(way.to);
      ++waiting[way.to];
    }
    std::vector<int> ready, sorted;
    for (size_t i = 0; i < n; ++i) {
      if (waiting[i] == 0) ready.push_back(static_cast<int>(i));
    }
    while (!ready.empty()) {
      const int box = ready.back();
      ready.pop_back();
      sorted.push_back(box);
      for (const int to : out[box]) {
        knots_[to].layer = std::max(knots_[to].layer, knots_[box].layer + 1);
        if (--waiting[to] == 0) ready.push_back(to);
      }
    }
    // Move each box down to the layer just above its highest successor.
    for (auto box = sorted.rbegin(); box != sorted.rend(); ++box) {
      if (out[*box].empty()) continue;
      int highest = std::numeric_limits<int>::max();
      for (const int to : out[*box]) highest = std::min(highest, knots_[to].layer);
      knots_[*box].layer = highest - 1;
    }
  }

  void AddBends() {
    for (Way& way : ways_) {
      int above = way.from;
      for (int layer = knots_[way.from].layer + 1; layer < knots_[way.to].layer; ++layer) {
        const int bend = static_cast<int>(knots_.size());
        knots_.push_back({.layer = layer, .above = {}, .below = {}});
        Join(above, bend);
        way.bends.push_back(bend);
        above = bend;
      }
      Join(above, way.to);
    }
  }

  void Join(int above, int below) {
    knots_[above].below.push_back(below);
    knots_[below].above.push_back(above);
  }

  std::vector<int>& LayerOf(size_t knot) {
    const auto layer = static_cast<size_t>(knots_[knot].layer);
    if (layers_.size() <= layer) layers_.resize(layer + 1);
    return layers_[layer];
  }

  // Sorts each layer by the mean position of its neighbors in the previous layer.
  void Order(bool down) {
    std::vector<double> position(knots_.size());
    for (const auto& layer : layers_) {
      for (size_t i = 0; i < layer.size(); ++i) position[layer[i]] = static_cast<double>(i);
    }
    for (size_t i = 0; i < layers_.size(); ++i) {
      auto& layer = layers_[down ? i : layers_.size() - 1 - i];
      std::vector<double> wish(knots_.size());
      for (const int k : layer) {
        const auto& near = down ? knots_[k].above : knots_[k].below;
        double sum = 0;
        for (const int other : near) sum += position[other];
        wish[k] = near.empty() ? position[k] : sum / static_cast<double>(near.size());
      }
      std::ranges::stable_sort(layer, {}, [&](int k) { return wish[k]; });
      for (size_t j = 0; j < layer.size(); ++j) position[layer[j]] = static_cast<double>(j);
    }
  }

  static double Apart(const Knot& a, const Knot& b) { return (a.width + b.width) / 2 + kGapX; }

  void InitPositions() {
    index_in_layer_.resize(knots_.size());
    for (const auto& layer : layers_) {
      for (size_t i = 0; i < layer.size(); ++i) index_in_layer_[layer[i]] = i;
    }
    for (const auto& layer : layers_) {
      double x = 0;
      for (const int k : layer) {
        knots_[k].x = x + knots_[k].width / 2;
        x += knots_[k].width + kGapX;
      }
    }
    for (int pull = 0; pull < kPulls; ++pull) {
      for (size_t i = 0; i < layers_.size(); ++i) {
        Pull(layers_[pull % 2 == 0 ? i : layers_.size() - 1 - i]);
      }
    }
  }

  // Moves the knots of a layer toward the median of their neighbors, keeping their order and
  // minimum distances. The new positions are the means of pushing knots only right and only left.
  void Pull(const std::vector<int>& layer) {
    std::vector<double> wish(layer.size());
    for (size_t i = 0; i < layer.size(); ++i) {
      const Knot& knot = knots_[layer[i]];
      std::vector<double> near;
      for (const int k : knot.above) near.push_back(knots_[k].x);
      for (const int k : knot.below) near.push_back(knots_[k].x);
      std::ranges::sort(near);
      wish[i] = near.empty() ? knot.x : (near[(near.size() - 1) / 2] + near[near.size() / 2]) / 2;
    }
    std::vector<double> right = wish, left = wish;
    for (size_t i = 1; i < layer.size(); ++i) {
      right[i] = std::max(wish[i], right[i - 1] + Apart(knots_[layer[i - 1]], knots_[layer[i]]));
    }
    for (size_t i = layer.size(); i-- > 1;) {
      left[i - 1] = std::min(wish[i - 1], left[i] - Apart(knots_[layer[i - 1]], knots_[layer[i]]));
    }
    for (size_t i = 0; i < layer.size(); ++i) knots_[layer[i]].x = (right[i] + left[i]) / 2;
  }

  // Returns the range in which a knot can move within its layer.
  std::pair<double, double> RoomOf(int knot) const {
    const auto& layer = layers_[knots_[knot].layer];
    const size_t at = index_in_layer_[knot];
    double least = -HUGE_VAL, most = HUGE_VAL;
    if (at > 0) least = knots_[layer[at - 1]].x + Apart(knots_[layer[at - 1]], knots_[knot]);
    if (at + 1 < layer.size()) {
      most = knots_[layer[at + 1]].x - Apart(knots_[layer[at + 1]], knots_[knot]);
    }
    return {least, most};
  }

  // Aligns as many bends of an edge as possible vertically, the last ones with its end.
  void Straighten(const Way& way) {
    double wish = knots_[way.to].x;
    for (size_t end = way.bends.size(); end > 0;) {
      auto [least, most] = RoomOf(way.bends[end - 1]);
      size_t begin = end - 1;
      for (; begin > 0; --begin) {
        const auto [l, m] = RoomOf(way.bends[begin - 1]);
        if (std::max(least, l) > std::min(most, m)) break;
        least = std::max(least, l);
        most = std::min(most, m);
      }
      if (begin == 0) wish = Nearest(wish, knots_[way.from].x, least, most);
      if (least <= most) wish = std::clamp(wish, least, most);
      for (size_t i = begin; least <= most && i < end; ++i) knots_[way.bends[i]].x = wish;
      end = begin;
    }
  }

  // Returns `a` or `b`, whichever is in the range; `a` if both or neither are.
  static double Nearest(double a, double b, double least, double most) {
    const bool inside = least <= a && a <= most;
    return !inside && least <= b && b <= most ? b : a;
  }

  double Y(int layer) const { return kMargin + kBoxHeight / 2 + layer * (kBoxHeight + kGapY); }

  void Write() {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const Knot& k : knots_) {
      least = std::min(least, k.x - k.width / 2);
      most = std::max(most, k.x + k.width / 2);
    }
    for (Knot& k : knots_) k.x += kMargin - least;
    p_.width = most - least + 2 * kMargin;
    p_.height = Y(static_cast<int>(layers_.size()) - 1) + kBoxHeight / 2 + kMargin;
    for (size_t i = 0; i < p_.boxes.size(); ++i) {
      p_.boxes[i].x = knots_[i].x;
      p_.boxes[i].y = Y(knots_[i].layer);
    }
    for (size_t e = 0; e < ways_.size(); ++e) {
      const Way& way = ways_[e];
      std::vector<Picture::Point>& points = p_.edges[e].way;
      points.push_back({knots_[way.from].x, Y(knots_[way.from].layer) + kBoxHeight / 2});
      for (const int bend : way.bends) {
        const double y = Y(knots_[bend].layer);
        points.push_back({knots_[bend].x, y - kBoxHeight / 2});
        points.push_back({knots_[bend].x, y + kBoxHeight / 2});
      }
      points.push_back({knots_[way.to].x, Y(knots_[way.to].layer) - kBoxHeight / 2});
      if (way.turned) std::ranges::reverse(points);
    }
  }

  Picture& p_;
  std::vector<Knot> knots_;
  std::vector<Way> ways_;
  std::vector<std::vector<int>> layers_;
  std::vector<size_t> index_in_layer_;  // the index of each knot in its layer
};

}  // namespace

void LayOut(Picture* picture) { Layout(picture).Run(); }

}  // namespace draw
