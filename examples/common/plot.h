#pragma once

#include <string>
#include <vector>

namespace ramet::examples {

// One line of a chart: y[i] over x[i]. Points that are not finite are left out, and the line is
// broken there.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  double width = 1.8;  // of the stroke; a wide line shows behind a narrow one that is drawn later
};

// A LineChart is a title, two axes with ticks, a legend and any number of lines, as an SVG picture.
struct LineChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  int width = 720;
  int height = 440;
};

// The picture as a standalone SVG 1.1 document. The same chart gives the same bytes.
std::string ToSvg(const LineChart& chart);

// "Nice" tick positions in [low, high]: multiples of 1, 2 or 5 times a power of ten, about `count`
// of them. One tick if low == high; none if they are not finite or low > high.
std::vector<double> Ticks(double low, double high, int count);

}  // namespace ramet::examples
