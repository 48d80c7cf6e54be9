#include "ramet/linalg/element_layout.h"

namespace ramet::linalg {

ElementLayout ElementLayout::Flat(int64_t n, int num_operands, uint32_t single) {
  ElementLayout layout;
  layout.columns_ = n;
  for (int o = 0; o < num_operands; ++o) {
    layout.varies_[o] = (single >> o & 1) != 0 || n == 1 ? 0 : kColumn;
  }
  return layout;
}

bool ElementLayout::Make(Shape shape, std::span<const Shape> operands, bool whole_rows,
                         ElementLayout* layout) {
  *layout = ElementLayout();
  layout->sizes_.fill(1);
  for (size_t back = 1; back <= shape.size(); ++back) {
    const int64_t size = shape[shape.size() - back];
    uint32_t varying = 0;
    for (size_t o = 0; o < operands.size(); ++o) {
      if (operands[o].size() < back) continue;
      const int64_t own = operands[o][operands[o].size() - back];
      if (own != size && own != 1) return false;
      if (own != 1) varying |= uint32_t{1} << o;
    }
    const bool alone = whole_rows && back == 1;
    if ((size != 1 || alone) && !layout->Prepend(size, varying, alone)) return false;
  }
  for (const Shape& operand : operands) {
    if (operand.size() > shape.size()) return false;
  }
  return true;
}

bool ElementLayout::Prepend(int64_t size, uint32_t varying, bool alone) {
  const bool joins = num_dims_ > 0 && varying == last_varying_ && !last_alone_;
  if (!joins && ++num_dims_ > 2 + kMaxOuterDims) return false;
  const int dim = num_dims_ - 1;
  if (dim == 0) {
    columns_ *= size;
  } else if (dim == 1) {
    rows_ *= size;
  } else {
    if (!joins) outer_[dim - 2] = 1;
    outer_[dim - 2] *= size;
    planes_ *= size;
  }
  for (int o = 0; o < kMaxOperands; ++o) {
    const bool varies = (varying >> o & 1) != 0;
    if (varies) varies_[o] |= dim == 0 ? kColumn : dim == 1 ? kRow : kOuter;
    if (dim >= 2 && !joins) strides_[dim - 2][o] = varies ? sizes_[o] : 0;
    if (varies) sizes_[o] *= size;
  }
  last_varying_ = varying;
  last_alone_ = alone;
  return true;
}

int64_t ElementLayout::PlaneOffset(int operand, int64_t plane) const {
  int64_t offset = 0;
  for (int dim = 0; dim < num_dims_ - 2; ++dim) {
    offset += plane % outer_[dim] * strides_[dim][operand];
    plane /= outer_[dim];
  }
  return offset;
}

int64_t ElementLayout::SizeOf(uint8_t varies) const {
  return ((varies & kOuter) != 0 ? planes_ : 1) * ((varies & kRow) != 0 ? rows_ : 1) *
         ((varies & kColumn) != 0 ? columns_ : 1);
}

}  // namespace ramet::linalg
