#pragma once

#include <string>
#include <vector>

namespace ramet::examples {

// One line of a chart: y[i] over x[i]. Points that are not finite are left out and break the line.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  double width = 1.8;  // stroke width; a wide line remains visible behind a narrow one drawn later
};

// A LineChart has a title, two axes with ticks, a legend and any number of lines.
struct LineChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  int width = 720;
  int height = 440;
};

// Returns the chart as a standalone SVG 1.1 document. Equal charts give equal bytes.
std::string ToSvg(const LineChart& chart);

// Returns about `count` round tick positions in [low, high]: multiples of 1, 2 or 5 times a power
// of ten. Returns one tick if low == high, and none if a bound is not finite or low > high.
std::vector<double> Ticks(double low, double high, int count);

}  // namespace ramet::examples
