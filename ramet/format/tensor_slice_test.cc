#include "ramet/format/tensor_slice.h"

#include <gtest/gtest.h>

#include <numeric>

#include "ramet/format/slice_assembly.h"

namespace ramet {
namespace {

TensorSlice Slice(std::string_view text) { return TensorSlice::Parse(text).value(); }

TEST(TensorSlice, ParsesAndPrints) {
  EXPECT_EQ(Slice("4,3:-").ToString(), "4,3:-");
  EXPECT_EQ(Slice("4,3:-").extent(0).start, 4);
  EXPECT_TRUE(Slice("4,3:-").extent(1).whole());
  EXPECT_EQ(TensorSlice().ToString(), "");
}

TEST(TensorSlice, ErrorsMatchTensorFlow) {
  EXPECT_EQ(ParseShapeAndSlice("4 x 0,2:-").status().message(),
            "Non numerical dimension in shape_and_slice: 4 x 0,2:-");
  EXPECT_EQ(TensorSlice::Parse("0;2").status().message(),
            "Expected a pair of numbers or '-' but got '0;2': string = 0;2");
  EXPECT_EQ(TensorSlice::Parse("-1,2").status().message(),
            "Expected non-negative start and positive length but got start = -1, length = 2: "
            "string = -1,2");
  const Status ranks = ParseShapeAndSlice("4 3 0,2").status();
  EXPECT_TRUE(IsInternal(ranks));
  EXPECT_EQ(ranks.message(), "Mismatching ranks: shape = [4,3], slice = 0,2");
  const Status bounds = ParseShapeAndSlice("4 3 0,2:2,2").status();
  EXPECT_TRUE(IsInternal(bounds));
  EXPECT_EQ(bounds.message(),
            "Extent in dimension 1 out of bounds: shape = [4,3], slice = 0,2:2,2");
  EXPECT_TRUE(IsInternal(ParseShapeAndSlice("4 9223372036854775807,9223372036854775807").status()));
  EXPECT_TRUE(IsInvalidArgument(ParseShapeAndSlice("-").status()));
  EXPECT_TRUE(IsInvalidArgument(ParseShapeAndSlice("-4 -").status()));
  EXPECT_TRUE(IsInvalidArgument(ParseShapeAndSlice("4294967296 4294967296 -:-").status()));
}

TEST(TensorSlice, ShapeAndSlice) {
  const ShapeAndSlice parsed = ParseShapeAndSlice("10 2 4,3:0,2").value();
  EXPECT_EQ(parsed.full_shape, (Shape{10, 2}));
  EXPECT_EQ(parsed.slice_shape, (Shape{3, 2}));
  EXPECT_FALSE(parsed.slice.Covers(parsed.full_shape));
  EXPECT_TRUE(Slice("0,10:-").Covers(Shape{10, 2}));
}

Tensor Iota(const Shape& shape) {
  Tensor t(kInt32, shape);
  std::iota(t.mutable_flat<int32_t>().begin(), t.mutable_flat<int32_t>().end(), 0);
  return t;
}

TEST(CopyOverlap, SplitsAndAssemblesInAnyRank) {
  const Shape full{3, 4, 5};
  const Tensor whole = Iota(full);
  const TensorSlice all = TensorSlice::Whole(3).Explicit(full);
  const TensorSlice box = Slice("1,2:0,3:2,2");
  Tensor cut(kInt32, Shape{2, 3, 2});
  CopyOverlap(whole, all, box, &cut);
  EXPECT_TRUE(cut.BitwiseEquals(
      Tensor::Of<int32_t>(Shape{2, 3, 2}, {22, 23, 27, 28, 32, 33, 42, 43, 47, 48, 52, 53})));
  Tensor back = whole.DeepCopy().value();
  for (int32_t& v : back.mutable_flat<int32_t>()) v = -1;
  CopyOverlap(cut, box, all, &back);
  EXPECT_EQ(back.data<int32_t>()[22], 22);
  EXPECT_EQ(back.data<int32_t>()[21], -1);
  EXPECT_EQ(back.data<int32_t>()[53], 53);
  Tensor scalar(int32_t{7}), other(int32_t{0});
  CopyOverlap(scalar, TensorSlice(), TensorSlice(), &other);
  EXPECT_EQ(other.scalar<int32_t>(), 7);
}

TEST(SliceAssembly, RunsAreFound) {
  int64_t first;
  EXPECT_TRUE(IsRunIn(Slice("2,3:0,4"), Slice("0,8:0,4"), &first));
  EXPECT_EQ(first, 8);
  EXPECT_FALSE(IsRunIn(Slice("2,3:0,2"), Slice("0,8:0,4"), &first));
  EXPECT_TRUE(IsRunIn(Slice("2,1:1,2"), Slice("1,3:0,4"), &first));
  EXPECT_EQ(first, 5);
  EXPECT_FALSE(IsRunIn(Slice("0,3:0,4"), Slice("1,3:0,4"), &first));
}

TEST(SliceAssembly, OverlapsAreFound) {
  std::vector<TensorSlice> slices;
  for (int i = 0; i < 1000; ++i) slices.push_back(TensorSlice({{0, 7}, {i * 3, 3}}));
  EXPECT_TRUE(CheckDisjoint(slices).ok());
  slices.push_back(Slice("6,1:1499,2"));
  const Status overlap = CheckDisjoint(slices);
  EXPECT_TRUE(IsInternal(overlap));
  EXPECT_EQ(overlap.message(),
            "Overlapping slices: existing slice = 0,7:1497,3, new slice = 6,1:1499,2");
}

TEST(SliceAssembly, NeededBoxesAreFound) {
  const DisjointBoxes boxes =
      DisjointBoxes::Make({Slice("4,2:0,2"), Slice("0,4:0,2"), Slice("0,4:2,1")}).value();
  EXPECT_EQ(boxes.Needed(Slice("0,4:0,2")), (std::vector<size_t>{1}));
  EXPECT_EQ(boxes.Needed(Slice("3,2:0,3")), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(boxes.Needed(Slice("5,1:2,1")), std::vector<size_t>());
  EXPECT_TRUE(IsInternal(DisjointBoxes::Make({Slice("0,2:0,2"), Slice("1,1:0,1")}).status()));
}

TEST(SliceAssembly, ManySlicesAreCheckedQuickly) {
  std::vector<TensorSlice> grid;
  for (int i = 0; i < 20000; ++i) grid.push_back(TensorSlice({{i, 100000}, {i, 1}}));
  EXPECT_TRUE(CheckDisjoint(grid).ok());
  std::vector<TensorSlice> crossed;
  for (int i = 0; i < 12000; ++i) crossed.push_back(TensorSlice({{0, 1}, {0, 1}, {i, 0}}));
  for (int i = 0; i < 12000; ++i) crossed.push_back(TensorSlice({{0, 1}, {0, 1}, {0, 100000}}));
  EXPECT_FALSE(CheckDisjoint(crossed).ok());
}

}  // namespace
}  // namespace ramet
