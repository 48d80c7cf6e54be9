#include "json/tensor_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>

namespace server {
namespace {

using ramet::Shape;
using ramet::Tensor;
using ::testing::HasSubstr;

std::string Text(const Tensor& tensor, StringForm strings = StringForm::kText) {
  const auto writer = TensorWriter::Make(tensor, strings);
  if (!writer.ok()) return std::string(writer.status().message());
  std::string out;
  writer->Write(&out);
  return out;
}

TEST(TensorWriterTest, Shapes) {
  EXPECT_EQ(Text(Tensor(int32_t{5})), "5");
  EXPECT_EQ(Text(Tensor::Of<int32_t>({2, 2}, {1, 2, 3, 4})), "[[1,2],[3,4]]");
  EXPECT_EQ(Text(Tensor(ramet::kFloat, Shape{0})), "[]");
  EXPECT_EQ(Text(Tensor(ramet::kFloat, Shape{2, 0})), "[[],[]]");
  EXPECT_EQ(Text(Tensor(ramet::kFloat, Shape{0, 3})), "[]");
  EXPECT_THAT(Text(Tensor(ramet::kFloat, Shape{1'000'000'000, 0})), HasSubstr("empty lists"));
}

TEST(TensorWriterTest, FloatsNeverLookLikeIntegers) {
  EXPECT_EQ(Text(Tensor::Vector<float>({2, 0.1f, -0.0f, 1e10f, 1e-5f, 123456.703f, 16777216})),
            "[2.0,0.1,-0.0,1e+10,1e-05,123456.7,16777216.0]");
  EXPECT_EQ(Text(Tensor(0.1)), "0.1");
  EXPECT_EQ(Text(Tensor(1e300)), "1e+300");
}

TEST(TensorWriterTest, NumbersReadBack) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789}) {
    EXPECT_EQ(std::strtod(Text(Tensor(value)).c_str(), nullptr), value);
  }
}

TEST(TensorWriterTest, NonFinite) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor tensor = Tensor::Vector<float>({std::nanf(""), inf, -inf});
  EXPECT_EQ(Text(tensor), "[NaN,Infinity,-Infinity]");
}

TEST(TensorWriterTest, OtherDtypes) {
  EXPECT_EQ(Text(Tensor::Vector<int8_t>({-128, 127})), "[-128,127]");
  EXPECT_EQ(Text(Tensor::Vector<uint8_t>({0, 255})), "[0,255]");
  EXPECT_EQ(Text(Tensor(std::numeric_limits<uint64_t>::max())), "18446744073709551615");
  EXPECT_EQ(Text(Tensor(std::numeric_limits<int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(Text(Tensor::Of<bool>({2}, {true, false})), "[true,false]");
  Tensor half(ramet::kHalf, Shape{1});
  half.mutable_data<ramet::Half>()[0] = ramet::Half(1.5f);
  EXPECT_EQ(Text(half), "[1.5]");
  EXPECT_EQ(Text(Tensor(ramet::kComplex64, Shape{1})),
            "Failed to write JSON value for tensor type: complex64");
}

TEST(TensorWriterTest, Strings) {
  const Tensor tensor = Tensor::Vector<std::string>({"a\"\n", "\xff", ""});
  EXPECT_EQ(Text(tensor), "[\"a\\\"\\n\",{\"b64\":\"/w==\"},\"\"]");
  EXPECT_EQ(Text(tensor, StringForm::kBase64),
            "[{\"b64\":\"YSIK\"},{\"b64\":\"/w==\"},{\"b64\":\"\"}]");
}

TEST(TensorWriterTest, RowsAndFlatLists) {
  const Tensor tensor = Tensor::Of<int32_t>({2, 1, 2}, {1, 2, 3, 4});
  const auto writer = TensorWriter::Make(tensor);
  std::string row, flat;
  writer->WriteRow(1, &row);
  EXPECT_EQ(row, "[[3,4]]");
  writer->WriteFlat(&flat);
  EXPECT_EQ(flat, "[1,2,3,4]");
  const auto vector = TensorWriter::Make(Tensor::Vector<float>({1, 2}));
  std::string scalar;
  vector->WriteRow(1, &scalar);
  EXPECT_EQ(scalar, "2.0");
}

TEST(TensorWriterTest, ManyElements) {
  Tensor tensor(ramet::kFloat, Shape{1000});
  for (int i = 0; i < 1000; ++i) tensor.mutable_data<float>()[i] = -1.17549435e-38f;
  const std::string text = Text(tensor);
  EXPECT_EQ(text.size(), 1001 + 1000 * std::string("-1.1754944e-38").size());
}

}  // namespace
}  // namespace server
