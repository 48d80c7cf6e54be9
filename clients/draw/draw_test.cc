// Tests of the layout and content of pictures.
#include "draw.h"
#include "flame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace draw {
namespace {

// Returns a picture with random short and long edges from lower to higher boxes and some back
// edges.
Picture RandomPicture(int boxes, unsigned seed) {
  std::mt19937 random(seed);
  Picture picture;
  for (int i = 0; i < boxes; ++i) {
    const bool scope = random() % 2 == 0;
    picture.boxes.push_back({.name = std::string(3 + random() % 30, 'n'),
                             .detail = "7 ops",
                             .kind = scope ? Picture::Box::Kind::kScope : Picture::Box::Kind::kOp});
  }
  for (int i = 1; i < boxes; ++i) {
    for (int from : {i - 1, static_cast<int>(random() % static_cast<unsigned>(i))}) {
      const bool back = random() % 10 == 0;
      picture.edges.push_back({.from = back ? i : from,
                               .to = back ? from : i,
                               .tensors = 1,
                               .label = "float[?,784]",
                               .way = {}});
    }
  }
  LayOut(&picture);
  PositionLabels(&picture);
  return picture;
}

bool Inside(const Picture::Box& box, const Picture::Point& p) {
  return std::fabs(p.x - box.x) < box.width / 2 - 1 && std::fabs(p.y - box.y) < box.height / 2 - 1;
}

// Returns a point of the curve from a to b that is vertical at both ends, for t from 0 to 1.
Picture::Point Curve(const Picture::Point& a, const Picture::Point& b, double t) {
  const double middle = (a.y + b.y) / 2, s = 1 - t;
  return {s * s * (s + 3 * t) * a.x + t * t * (t + 3 * s) * b.x,
          s * s * s * a.y + 3 * s * t * middle + t * t * t * b.y};
}

TEST(Draw, BoxesDoNotOverlapAndStayInThePicture) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Picture picture = RandomPicture(30, seed);
    for (const Picture::Box& a : picture.boxes) {
      EXPECT_GE(a.x - a.width / 2, 0);
      EXPECT_LE(a.x + a.width / 2, picture.width);
      EXPECT_LE(a.y + a.height / 2, picture.height);
      for (const Picture::Box& b : picture.boxes) {
        if (&a == &b || a.y != b.y) continue;
        EXPECT_GE(std::fabs(a.x - b.x), (a.width + b.width) / 2) << seed;
      }
    }
  }
}

TEST(Draw, NoLineCrossesABox) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Picture picture = RandomPicture(30, seed);
    for (const Picture::Edge& edge : picture.edges) {
      for (size_t i = 1; i < edge.way.size(); ++i) {
        for (double t = 0; t <= 1; t += 0.02) {
          const Picture::Point p = Curve(edge.way[i - 1], edge.way[i], t);
          for (const Picture::Box& box : picture.boxes) ASSERT_FALSE(Inside(box, p)) << seed;
        }
      }
    }
  }
}

TEST(Draw, LabelsDoNotOverlap) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Picture picture = RandomPicture(30, seed);
    int labels = 0;
    for (const Picture::Edge& a : picture.edges) {
      if (!a.labeled) continue;
      ++labels;
      for (const Picture::Box& box : picture.boxes) ASSERT_FALSE(Inside(box, a.label_at));
      for (const Picture::Edge& b : picture.edges) {
        if (&a == &b || !b.labeled || std::fabs(a.label_at.y - b.label_at.y) >= 9) continue;
        ASSERT_GE(std::fabs(a.label_at.x - b.label_at.x),
                  5.0 * static_cast<double>(a.label.size()));
      }
    }
    EXPECT_GT(labels, static_cast<int>(picture.edges.size()) / 2) << seed;
  }
}

TEST(Draw, LongEdgesAreStraight) {
  Picture picture;
  for (int i = 0; i < 8; ++i) picture.boxes.push_back({.name = "box", .detail = "1 op"});
  for (int i = 1; i < 8; ++i)
    picture.edges.push_back({.from = i - 1, .to = i, .label = "", .way = {}});
  picture.edges.push_back({.from = 0, .to = 7, .label = "", .way = {}});
  LayOut(&picture);
  const auto& way = picture.edges.back().way;
  ASSERT_EQ(way.size(), 2u + 2 * 6);
  for (size_t i = 2; i + 1 < way.size(); ++i) EXPECT_EQ(way[i].x, way[1].x);
}

std::vector<std::string> NamesOf(const Picture& picture) {
  std::vector<std::string> names;
  for (const Picture::Box& box : picture.boxes) names.push_back(box.name);
  return names;
}

TEST(Draw, TrainingIsLeftOut) {
  namespace rm = ramet;
  rm::Graph g;
  rm::Scope s(g);
  auto x = s.Placeholder("x", rm::kFloat, {-1, 3});
  auto w = s.GetVariable("w", {3, 2}, rm::GlorotUniform());
  auto loss = rm::ReduceMean(rm::MatMul(x, w, "product"));
  rm::Adam(0.1f).Minimize(loss);
  const auto plain = MakePicture(g, {.scope = "", .depth = 1});
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  EXPECT_THAT(NamesOf(*plain),
              ::testing::UnorderedElementsAre("x", "w", "product", "Const", "Mean"));
  const auto all = MakePicture(g, {.scope = "", .depth = 1, .all = true});
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_THAT(NamesOf(*all), testing::IsSupersetOf({"x", "w", "gradients", "Adam", "beta1_power"}));
}

// Returns the widths of the bars, in the order of the file.
std::vector<double> BarWidths(const std::string& svg) {
  std::vector<double> widths;
  for (size_t at = 0; (at = svg.find("<rect x=", at)) != svg.npos; ++at) {
    widths.push_back(std::stod(svg.substr(svg.find("width=\"", at) + 7)));
  }
  return widths;
}

TEST(FlameTest, BarsAreAsWideAsTheirShare) {
  const std::string svg = FlameSvg(
      {{"a/mul", "Mul", 100, ""}, {"a/add", "Add", 200, ""}, {"b", "Exp", 300, "8 B"}}, "title");
  // All, then a with add and mul, then b. Both halves are equal, so that a comes first.
  const std::vector<double> widths = BarWidths(svg);
  ASSERT_EQ(widths.size(), 5u);
  EXPECT_NEAR(widths[1], widths[0] / 2, 1);
  EXPECT_NEAR(widths[2], widths[0] / 3, 1);
  EXPECT_NEAR(widths[3], widths[0] / 6, 1);
  EXPECT_NEAR(widths[4], widths[0] / 2, 1);
  EXPECT_THAT(svg, ::testing::HasSubstr("b (Exp): 0.3 µs, 50.0%, 8 B"));
}

TEST(FlameTest, HostileInputMakesASmallValidPicture) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "s/";
  std::vector<FlameEntry> entries = {{deep, "Op<\"&", 10, ""}, {"", "", 0, ""}, {"//", "x", 5, ""}};
  for (int i = 0; i < 100000; ++i) entries.push_back({std::to_string(i), "Add", 1, ""});
  const std::string svg = FlameSvg(entries, "<&\"\x01");
  EXPECT_LT(svg.size(), 20'000'000u);
  EXPECT_THAT(svg, ::testing::HasSubstr("&lt;&amp;&quot;?"));
  EXPECT_THAT(svg, ::testing::Not(::testing::HasSubstr("Op<")));
  EXPECT_THAT(FlameSvg({}, "nothing"), ::testing::HasSubstr("</svg>"));
}

}  // namespace
}  // namespace draw
