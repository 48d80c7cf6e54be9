#include "ramet/tensor/tensor_proto.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

TensorProto Proto(DType dtype, std::initializer_list<int64_t> dims) {
  TensorProto proto;
  proto.set_dtype(static_cast<DataType>(dtype));
  for (int64_t d : dims) proto.mutable_tensor_shape()->add_dim()->set_size(d);
  return proto;
}

Tensor RoundTrip(const Tensor& tensor) {
  TensorProto proto;
  EXPECT_TRUE(TensorToProto(tensor, &proto).ok());
  TensorProto read;
  EXPECT_TRUE(read.ParseFromString(proto.SerializeAsString()));
  return TensorFromProto(read).value();
}

TEST(ShapeProto, ScalarUnknownAndPartialShapes) {
  TensorShapeProto proto;
  ShapeToProto(Shape(), &proto);
  EXPECT_EQ(proto.SerializeAsString(), "");
  EXPECT_EQ(ShapeFromProto(proto).value(), Shape());
  ShapeToProto(Shape::Unknown(), &proto);
  EXPECT_TRUE(ShapeFromProto(proto).value().unknown_rank());
  ShapeToProto(Shape{2, -1}, &proto);
  EXPECT_EQ(proto.dim(1).size(), -1);
  EXPECT_EQ(ShapeFromProto(proto).value(), (Shape{2, -1}));
}

TEST(ShapeProto, RefusesInvalidShapes) {
  TensorShapeProto negative;
  negative.add_dim()->set_size(-2);
  EXPECT_TRUE(IsInvalidArgument(ShapeFromProto(negative).status()));
  TensorShapeProto overflow;
  for (int i = 0; i < 2; ++i) overflow.add_dim()->set_size(int64_t{1} << 62);
  EXPECT_TRUE(IsInvalidArgument(ShapeFromProto(overflow).status()));
  TensorShapeProto deep;
  for (int i = 0; i < 300; ++i) deep.add_dim()->set_size(1);
  EXPECT_TRUE(IsInvalidArgument(ShapeFromProto(deep).status()));
  TensorShapeProto both;
  both.set_unknown_rank(true);
  both.add_dim()->set_size(1);
  EXPECT_TRUE(IsInvalidArgument(ShapeFromProto(both).status()));
}

TEST(TensorProto, EveryDTypeRoundTrips) {
  for (int number = 1; number <= 23; ++number) {
    const DType dtype = static_cast<DType>(number);
    if (dtype == DType::kString || DTypeSize(dtype) == 0) continue;
    for (const Shape& shape : {Shape(), Shape{1}, Shape{3, 2}, Shape{0, 4}}) {
      Tensor tensor(dtype, shape);
      char* bytes = static_cast<char*>(tensor.raw_data());
      for (size_t i = 0; i < tensor.bytes(); ++i) {
        bytes[i] = static_cast<char>(dtype == DType::kBool ? i % 2 : 0x81 + 7 * i);
      }
      EXPECT_TRUE(RoundTrip(tensor).BitwiseEquals(tensor)) << tensor.ToString();
    }
  }
  const Tensor strings = Tensor::Vector<std::string>({"", std::string("a\0b", 3), "xyz"});
  EXPECT_TRUE(RoundTrip(strings).BitwiseEquals(strings));
}

TEST(TensorProto, EncodesAsTensorFlowsClient) {
  TensorProto proto;
  ASSERT_TRUE(TensorToProto(Tensor(2.5f), &proto).ok());
  EXPECT_EQ(proto.float_val_size(), 1);
  EXPECT_EQ(proto.SerializeAsString(), std::string("\x08\x01\x12\x00\x2a\x04\x00\x00\x20\x40", 10));
  ASSERT_TRUE(TensorToProto(Tensor::Vector<int32_t>({1, 2}), &proto).ok());
  EXPECT_EQ(proto.int_val_size(), 0);
  EXPECT_EQ(proto.tensor_content(), std::string("\1\0\0\0\2\0\0\0", 8));
  ASSERT_TRUE(TensorToProto(Tensor::Vector<bool>({true, false}), &proto).ok());
  EXPECT_EQ(proto.bool_val_size(), 2);
  Tensor odd(kBool, Shape{});
  *static_cast<uint8_t*>(odd.raw_data()) = 0xFE;  // memory that the program did not make
  ASSERT_TRUE(TensorToProto(odd, &proto).ok());
  EXPECT_EQ(proto.SerializeAsString(), std::string("\x08\x0a\x12\x00\x5a\x01\x01", 7));
  ASSERT_TRUE(TensorToProto(Tensor(kFloat, Shape{0}), &proto).ok());
  EXPECT_TRUE(proto.tensor_content().empty());
}

TEST(TensorProto, EveryByteOfContentBecomesABool) {
  TensorProto proto = Proto(kBool, {4});
  proto.set_tensor_content(std::string("\0\1\2\xff", 4));
  const Tensor bools = TensorFromProto(proto).value();
  EXPECT_EQ(std::string(static_cast<const char*>(bools.raw_data()), 4), std::string("\0\1\1\1", 4));
}

TEST(TensorProto, LastValueIsRepeatedAndExtraOnesAreIgnored) {
  TensorProto proto = Proto(kFloat, {4});
  proto.add_float_val(1);
  proto.add_float_val(2);
  EXPECT_TRUE(TensorFromProto(proto).value().BitwiseEquals(Tensor::Vector<float>({1, 2, 2, 2})));
  for (int i = 0; i < 9; ++i) proto.add_float_val(9);
  EXPECT_TRUE(TensorFromProto(proto).value().BitwiseEquals(Tensor::Vector<float>({1, 2, 9, 9})));
  TensorProto zeros = Proto(kComplex64, {2});
  EXPECT_EQ(TensorFromProto(zeros).value().data<std::complex<float>>()[1], std::complex<float>());
  TensorProto strings = Proto(kString, {2});
  strings.add_string_val("s");
  EXPECT_EQ(TensorFromProto(strings).value().data<std::string>()[1], "s");
}

TEST(TensorProto, IntegersAreNarrowedByTruncation) {
  TensorProto proto = Proto(kUInt8, {2});
  proto.add_int_val(300);
  proto.add_int_val(-1);
  EXPECT_TRUE(TensorFromProto(proto).value().BitwiseEquals(Tensor::Vector<uint8_t>({44, 255})));
}

TEST(TensorProto, ContentWinsAndMustFit) {
  TensorProto proto = Proto(kInt16, {2});
  proto.add_int_val(7);
  proto.set_tensor_content(std::string("\1\0\2\0", 4));
  EXPECT_TRUE(TensorFromProto(proto).value().BitwiseEquals(Tensor::Vector<int16_t>({1, 2})));
  proto.set_tensor_content("\1\0\2");
  const Status bad = TensorFromProto(proto).status();
  EXPECT_TRUE(IsInvalidArgument(bad));
  EXPECT_NE(bad.message().find("[2] has 4"), std::string::npos) << bad.message();
}

TEST(TensorProto, StringContent) {
  TensorProto proto = Proto(kString, {2});
  proto.set_tensor_content(std::string("\2\0ab", 4));
  EXPECT_TRUE(
      TensorFromProto(proto).value().BitwiseEquals(Tensor::Vector<std::string>({"ab", ""})));
  for (const std::string& content : {std::string("\2\1ab", 4), std::string("\2", 1),
                                     std::string("\1\0ab", 4), std::string(12, '\xFF')}) {
    proto.set_tensor_content(content);
    EXPECT_TRUE(IsInvalidArgument(TensorFromProto(proto).status()));
  }
}

TEST(TensorProto, UnknownRankIsAScalar) {
  TensorProto proto = Proto(kInt64, {});
  proto.mutable_tensor_shape()->set_unknown_rank(true);
  proto.add_int64_val(5);
  EXPECT_EQ(TensorFromProto(proto).value().scalar<int64_t>(), 5);
}

TEST(TensorProto, RefusesHostileMessages) {
  EXPECT_TRUE(IsInvalidArgument(TensorFromProto(Proto(kFloat, {-1})).status()));
  EXPECT_TRUE(IsInvalidArgument(TensorFromProto(Proto(DType::kInvalid, {})).status()));
  EXPECT_TRUE(IsInvalidArgument(TensorFromProto(Proto(static_cast<DType>(9999), {})).status()));
  EXPECT_TRUE(IsInvalidArgument(TensorFromProto(Proto(RefType(kFloat), {})).status()));
  EXPECT_TRUE(IsUnimplemented(TensorFromProto(Proto(DType::kResource, {})).status()));
  const int64_t huge = int64_t{1} << 40;
  EXPECT_TRUE(IsResourceExhausted(TensorFromProto(Proto(kFloat, {huge})).status()));
  EXPECT_TRUE(IsInvalidArgument(TensorFromProto(Proto(kFloat, {huge, huge})).status()));
  TensorProto content = Proto(kFloat, {huge});
  content.set_tensor_content("abcd");
  EXPECT_TRUE(IsInvalidArgument(TensorFromProto(content).status()));
  TensorProto strings = Proto(kString, {1 << 20});
  strings.add_string_val(std::string(1 << 20, 'x'));
  EXPECT_TRUE(IsResourceExhausted(TensorFromProto(strings).status()));
}

}  // namespace
}  // namespace ramet
