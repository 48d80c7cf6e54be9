#include "plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace ramet::examples {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

int Count(const std::string& text, const std::string& what) {
  int n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Ticks, AreRoundNumbersInside) {
  EXPECT_THAT(Ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(Ticks(0.03, 0.11, 4),
              ElementsAre(DoubleEq(0.04), DoubleEq(0.06), DoubleEq(0.08), DoubleEq(0.1)));
  EXPECT_THAT(Ticks(-1, 1, 4), ElementsAre(-1, -0.5, 0, 0.5, 1));
  EXPECT_THAT(Ticks(3, 3, 4), ElementsAre(3));
  EXPECT_THAT(Ticks(1, 0, 4), IsEmpty());
  EXPECT_THAT(Ticks(0, std::nan(""), 4), IsEmpty());
  EXPECT_THAT(Ticks(-INFINITY, 0, 4), IsEmpty());
}

TEST(Svg, HasTitleAxesLegendAndALinePerSeries) {
  LineChart chart{.title = "loss & accuracy <test>",
                  .x_label = "step",
                  .y_label = "loss",
                  .series = {{"loss", {0, 1, 2}, {3, 2, 1}}, {"accuracy", {0, 2}, {0, 1}}}};
  std::string svg = ToSvg(chart);
  EXPECT_THAT(svg, HasSubstr("xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr(">loss &amp; accuracy &lt;test&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">step</text>"));
  EXPECT_THAT(svg, HasSubstr(">accuracy</text>"));
  EXPECT_EQ(Count(svg, "<path "), 2);
  EXPECT_EQ(Count(svg, "<text"), Count(svg, "</text>"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg, ToSvg(chart));
}

TEST(Svg, FirstAndLastPointAreAtTheEndsOfTheAxis) {
  std::string svg = ToSvg({.series = {{"s", {0, 10}, {0, 1}}}, .width = 720, .height = 440});
  EXPECT_THAT(svg, HasSubstr("d=\"M72.0 "));
  EXPECT_THAT(svg, HasSubstr("L700.0 "));
}

TEST(Svg, PointsThatAreNotFiniteBreakTheLine) {
  std::string svg = ToSvg({.series = {{"s", {0, 1, 2, 3, 4}, {1, 2, std::nan(""), INFINITY, 5}}}});
  size_t path = svg.find("<path d=\"");
  std::string d = svg.substr(path + 9, svg.find('"', path + 9) - path - 9);
  EXPECT_EQ(Count(d, "M"), 2);
  EXPECT_EQ(Count(d, "L"), 1);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Svg, ChartsWithoutPointsOrWithOneAreValid) {
  EXPECT_EQ(Count(ToSvg({}), "<path "), 0);
  std::string one = ToSvg({.series = {{"s", {5}, {7}}}});
  EXPECT_EQ(Count(one, "<path "), 1);
  EXPECT_THAT(one, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace ramet::examples
