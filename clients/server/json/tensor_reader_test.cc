#include "json/tensor_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace server {
namespace {

using ramet::DType;
using ramet::Shape;
using ramet::Tensor;
using ::testing::HasSubstr;

// Passes the events of one value to a TensorReader.
class Feeder : public JsonHandler {
 public:
  Feeder(std::string_view json, DType dtype, int64_t max_elements)
      : reader(json, dtype, max_elements) {}
  bool OnEvent(const JsonEvent& event) override {
    status = reader.Add(event, &done);
    return status.ok();
  }
  TensorReader reader;
  ramet::Status status = {};
  bool done = false;
};

ramet::StatusOr<Tensor> Read(std::string_view json, DType dtype, int64_t max_elements = 1000) {
  Feeder feeder(json, dtype, max_elements);
  RAMET_RETURN_IF_ERROR(ReadJson(json, &feeder));
  RAMET_RETURN_IF_ERROR(feeder.status);
  EXPECT_TRUE(feeder.done) << json;
  return feeder.reader.TakeValue();
}

std::string Text(std::string_view json, DType dtype) {
  const auto tensor = Read(json, dtype);
  return tensor.ok() ? tensor->ToString() : std::string(tensor.status().message());
}

TEST(TensorReaderTest, Shapes) {
  EXPECT_EQ(Text("5", DType::kInt32), "int32[] 5");
  EXPECT_EQ(Text("[]", DType::kInt32), "int32[0]");
  EXPECT_EQ(Read("[[], []]", DType::kInt32)->shape(), (Shape{2, 0}));
  EXPECT_EQ(Text("[[1, 2], [3, 4], [5, 6]]", DType::kInt32), "int32[3,2] 1 2 3 4 5 6");
  EXPECT_EQ(Read("[[[[1]]]]", DType::kFloat)->shape(), (Shape{1, 1, 1, 1}));
}

TEST(TensorReaderTest, ManyElements) {
  std::string json = "[0";
  for (int i = 1; i < 5000; ++i) json += "," + std::to_string(i);
  const auto tensor = Read(json + "]", DType::kInt64, 5000);
  ASSERT_EQ(tensor->shape(), Shape{5000});
  for (int64_t i = 0; i < 5000; ++i) ASSERT_EQ(tensor->data<int64_t>()[i], i);
  EXPECT_THAT(Read(json + "]", DType::kInt64, 4999).status().message(),
              HasSubstr("more than 4999 elements"));
}

TEST(TensorReaderTest, RaggedLists) {
  EXPECT_THAT(Text("[[1, 2], [3]]", DType::kInt32),
              HasSubstr("Encountered list at unexpected size: 1 at level: 1 expected size: 2"));
  EXPECT_THAT(Text("[[1], [2, 3]]", DType::kInt32),
              HasSubstr("size: 2 at level: 1 expected size: 1"));
  EXPECT_THAT(Text("[[], [2]]", DType::kInt32), HasSubstr("size: 1 at level: 1 expected size: 0"));
  EXPECT_THAT(Text("[1, [2]]", DType::kInt32),
              HasSubstr("Encountered list at unexpected level: 1 expected < 1"));
  EXPECT_THAT(Text("[[1], 2]", DType::kInt32),
              HasSubstr("JSON Value: 2 found at incorrect level: 2 expected at level: 2"));
  const std::string deep = std::string(300, '[') + "1" + std::string(300, ']');
  EXPECT_THAT(Text(deep, DType::kInt32), HasSubstr("nested more than 253 levels deep"));
}

TEST(TensorReaderTest, Floats) {
  const auto tensor = Read(
      "[1, 0.1, 1e39, -1e39, 1e-50, NaN, Infinity, -Infinity, -Inf, 3.4028235e38]", DType::kFloat);
  const float* v = tensor->data<float>();
  EXPECT_EQ(v[0], 1.0f);
  EXPECT_EQ(v[1], 0.1f);
  EXPECT_EQ(v[2], std::numeric_limits<float>::infinity());
  EXPECT_EQ(v[3], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(v[4], 0.0f);
  EXPECT_TRUE(std::isnan(v[5]));
  EXPECT_EQ(v[6], std::numeric_limits<float>::infinity());
  EXPECT_EQ(v[8], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(v[9], std::numeric_limits<float>::max());
  EXPECT_EQ(Read("[5e-324, 1e-45]", DType::kDouble)->data<double>()[0], 5e-324);
  EXPECT_EQ(Read("1.40129846e-45", DType::kFloat)->scalar<float>(), 1e-45f);
}

TEST(TensorReaderTest, AFloatIsTheNearestOfTheDecimalNumber) {
  // The nearest double is halfway between two floats.
  EXPECT_EQ(Read("1.000000059604644775390625000000001", DType::kFloat)->scalar<float>(),
            std::nextafter(1.0f, 2.0f));
}

TEST(TensorReaderTest, SmallFloats) {
  EXPECT_EQ(Read("[0.5, 70000]", DType::kHalf)->data<ramet::Half>()[0], ramet::Half(0.5f));
  EXPECT_EQ(Read("-2", DType::kBFloat16)->scalar<ramet::BFloat16>(), ramet::BFloat16(-2.0f));
}

TEST(TensorReaderTest, Integers) {
  EXPECT_EQ(Text("[-128, 127, -0]", DType::kInt8), "int8[3] -128 127 0");
  EXPECT_EQ(Text("[0, 255, -0]", DType::kUInt8), "uint8[3] 0 255 0");
  EXPECT_EQ(Text("[65535]", DType::kUInt16), "uint16[1] 65535");
  EXPECT_EQ(Text("4294967295", DType::kUInt32), "uint32[] 4294967295");
  EXPECT_EQ(Text("-9223372036854775808", DType::kInt64), "int64[] -9223372036854775808");
  EXPECT_EQ(Text("18446744073709551615", DType::kUInt64), "uint64[] 18446744073709551615");
  EXPECT_EQ(Text("[-32768]", DType::kInt16), "int16[1] -32768");
  struct Case {
    const char* json;
    DType dtype;
  };
  for (const Case c :
       {Case{"2147483648", DType::kInt32}, Case{"128", DType::kInt8}, Case{"-1", DType::kUInt8},
        Case{"1.0", DType::kInt32}, Case{"1e0", DType::kInt64},
        Case{"9223372036854775808", DType::kInt64}, Case{"18446744073709551616", DType::kUInt64},
        Case{"NaN", DType::kInt32}, Case{"-1", DType::kUInt64}, Case{"true", DType::kInt32},
        Case{"1", DType::kBool}, Case{"\"1\"", DType::kFloat}, Case{"null", DType::kFloat},
        Case{"1", DType::kString}, Case{"null", DType::kString}}) {
    EXPECT_THAT(Text(c.json, c.dtype), HasSubstr(ramet::StrCat("JSON Value: ", c.json, " Type: ")));
  }
}

TEST(TensorReaderTest, WrongTypesAreNamed) {
  EXPECT_EQ(Text("[1, \"x\"]", DType::kFloat),
            "JSON Value: \"x\" Type: String is not of expected type: float");
  EXPECT_EQ(Text("[null]", DType::kInt32),
            "JSON Value: null Type: Null is not of expected type: int32");
  EXPECT_EQ(Text("true", DType::kInt32),
            "JSON Value: true Type: True is not of expected type: int32");
  EXPECT_EQ(Text("{\"a\": 1}", DType::kFloat),
            "JSON Value: {\"a\": 1} Type: Object is not of expected type: float");
  EXPECT_EQ(Text("{}", DType::kString),
            "JSON Value: {} Type: Object is not of expected type: string");
}

TEST(TensorReaderTest, Bools) {
  EXPECT_EQ(Text("[true, false]", DType::kBool), "bool[2] true false");
}

TEST(TensorReaderTest, Strings) {
  const auto tensor =
      Read(R"(["a", {"b64": "AP8="}, "\u00e9", {"b64": "AP8"}, ""])", DType::kString);
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  const std::string* v = tensor->data<std::string>();
  EXPECT_EQ(v[0], "a");
  EXPECT_EQ(v[1], std::string("\0\xff", 2));
  EXPECT_EQ(v[2], "\xC3\xA9");
  EXPECT_EQ(v[3], v[1]);
  EXPECT_EQ(tensor->shape(), Shape{5});
  std::string many = "[\"0\"";
  for (int i = 1; i < 100; ++i) many += ",\"" + std::to_string(i) + "\"";
  EXPECT_EQ(Read(many + "]", DType::kString)->data<std::string>()[99], "99");
}

TEST(TensorReaderTest, Base64Errors) {
  EXPECT_THAT(Text(R"({"b64": 5})", DType::kString),
              HasSubstr("not formatted correctly for base64 data"));
  EXPECT_THAT(Text(R"({"b64": "AA", "x": 1})", DType::kString),
              HasSubstr("not formatted correctly for base64 data"));
  EXPECT_THAT(Text(R"({"b64": "AA"})", DType::kFloat),
              HasSubstr("not formatted correctly for base64 data"));
  EXPECT_EQ(Text(R"({"b64": "A"})", DType::kString), "Unable to base64 decode");
  EXPECT_THAT(Text(R"([["a"], {"b64": "AA"}])", DType::kString),
              HasSubstr("found at incorrect level"));
}

TEST(TensorReaderTest, DtypesThatJsonDoesNotHave) {
  EXPECT_EQ(Read("[1]", DType::kComplex64).status().code(), ramet::Code::kUnimplemented);
  EXPECT_EQ(Text("[1]", DType::kComplex64), "Conversion of JSON Value: 1 to type: complex64");
  EXPECT_FALSE(Read("[1]", DType::kResource).ok());
  EXPECT_FALSE(Read("[1]", DType::kInvalid).ok());
}

TEST(TensorReaderTest, Rows) {
  const auto read = [](std::initializer_list<const char*> rows) -> ramet::StatusOr<Tensor> {
    TensorReader reader("", DType::kFloat, 100);
    struct Handler : JsonHandler {
      explicit Handler(TensorReader* r) : reader(r) {}
      bool OnEvent(const JsonEvent& event) override {
        bool done = false;
        status = reader->Add(event, &done);
        return status.ok();
      }
      TensorReader* reader;
      ramet::Status status = {};
    };
    for (const char* row : rows) {
      Handler handler(&reader);
      RAMET_RETURN_IF_ERROR(ReadJson(row, &handler));
      RAMET_RETURN_IF_ERROR(handler.status);
      RAMET_RETURN_IF_ERROR(reader.EndRow());
    }
    return reader.TakeRows();
  };
  EXPECT_EQ(read({"1", "2"})->shape(), Shape{2});
  EXPECT_EQ(read({"[1, 2]", "[3, 4]"})->ToString(), "float[2,2] 1 2 3 4");
  EXPECT_EQ(read({"[]", "[]"})->shape(), (Shape{2, 0}));
  EXPECT_EQ(read({"[1, 2]", "[3]"}).status().message(), "Expecting tensor size: 2 but got: 1");
  EXPECT_EQ(read({"[[1], [2]]", "[3, 4]"}).status().message(),
            "Expecting shape [2,1] but got: [2]");
}

}  // namespace
}  // namespace server
