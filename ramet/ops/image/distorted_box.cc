#include "ramet/ops/image/distorted_box.h"

#include <algorithm>
#include <cmath>

#include "ramet/base/run_interrupt.h"

// The steps and roundings are TensorFlow's, so that the same seeds give the same crops.

namespace ramet {
namespace {

// Returns the nearest integer, within the range of int32 and a bit more; NaN becomes 0.
int64_t Round(double x) { return std::isnan(x) ? 0 : std::lrint(std::clamp(x, -0x1p31, 0x1p31)); }

int64_t WidthFor(int64_t height, float ratio) { return Round(static_cast<float>(height) * ratio); }

// Returns the greatest height of a crop with this ratio that fits the image.
int64_t GreatestHeight(const CropDemands& d, float ratio, float most_area) {
  int64_t height = Round(std::sqrt(most_area / ratio));
  if (WidthFor(height, ratio) > d.width) {
    constexpr float kSlack = 0.0000001f;
    const double most = (static_cast<double>(d.width) + 0.5 - kSlack) / ratio;
    height = static_cast<int64_t>(std::min(most, 0x1p31));
    if (WidthFor(height, ratio) > d.width) --height;
  }
  return std::min(height, d.height);
}

int64_t Below(int64_t n, linalg::WordStream& words) {
  return linalg::BelowUnbiased(static_cast<uint32_t>(n), [&] { return words(); });
}

struct CropSize {
  int64_t width, height;
  float area() const { return static_cast<float>(width * height); }
};

// Draws the size of a crop with this ratio.
std::optional<CropSize> DrawSize(const CropDemands& d, float ratio, linalg::WordStream& words) {
  const float image = static_cast<float>(d.width) * static_cast<float>(d.height);
  const float least = d.least_area * static_cast<float>(d.width) * static_cast<float>(d.height);
  const float most = d.most_area * static_cast<float>(d.width) * static_cast<float>(d.height);
  if (!(image > 0)) return std::nullopt;
  CropSize size{0, Round(std::sqrt(least / ratio))};
  const int64_t greatest = GreatestHeight(d, ratio, most);
  size.height = std::min(size.height, greatest);
  if (size.height < greatest) size.height += Below(greatest - size.height + 1, words);
  size.width = WidthFor(size.height, ratio);
  for (const int step : {1, -1}) {
    const bool off = step > 0 ? size.area() < least : size.area() > most;
    if (off) size = {WidthFor(size.height + step, ratio), size.height + step};
  }
  const bool fits = size.area() >= least && size.area() <= most && size.width <= d.width &&
                    size.height <= d.height && size.width > 0 && size.height > 0;
  return fits ? std::optional(size) : std::nullopt;
}

std::optional<PixelBox> DrawBoxOfRatio(const CropDemands& d, float ratio,
                                       linalg::WordStream& words) {
  if (d.most_area <= 0 || ratio <= 0 || d.width <= 0 || d.height <= 0 ||
      d.least_area > d.most_area) {
    return std::nullopt;
  }
  const auto size = DrawSize(d, ratio, words);
  if (!size) return std::nullopt;
  PixelBox box;
  if (size->height < d.height) box.top = Below(d.height - size->height, words);
  if (size->width < d.width) box.left = Below(d.width - size->width, words);
  box.right = box.left + size->width;
  box.bottom = box.top + size->height;
  return box;
}

bool CoversOne(const PixelBox& crop, float covered, std::span<const PixelBox> boxes) {
  constexpr float kLeastArea = 1;
  if (crop.Area() < kLeastArea) return false;
  return std::ranges::any_of(boxes, [&](const PixelBox& box) {
    return box.Area() >= kLeastArea && crop.Intersect(box).Area() / box.Area() >= covered;
  });
}

}  // namespace

PixelBox PixelBox::Intersect(const PixelBox& other) const {
  const PixelBox common{std::max(left, other.left), std::max(top, other.top),
                        std::min(right, other.right), std::min(bottom, other.bottom)};
  const bool empty = common.left > common.right || common.top > common.bottom;
  return empty ? PixelBox() : common;
}

std::optional<PixelBox> DrawCrop(const CropDemands& demands, std::span<const PixelBox> boxes,
                                 linalg::WordStream& words) {
  constexpr int64_t kAttemptsPerCheck = 1024;
  for (int64_t i = 0; i < demands.attempts; ++i) {
    if (i % kAttemptsPerCheck == 0 && StopDue()) break;
    const float ratio =
        words.NextFloat() * (demands.most_ratio - demands.least_ratio) + demands.least_ratio;
    const auto crop = DrawBoxOfRatio(demands, ratio, words);
    if (crop && CoversOne(*crop, demands.covered, boxes)) return crop;
  }
  return std::nullopt;
}

}  // namespace ramet
