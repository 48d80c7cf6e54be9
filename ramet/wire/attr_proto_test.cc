#include "ramet/wire/attr_proto.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "ramet/base/strings.h"
#include "ramet/wire/op_def_proto.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

template <class M>
M Text(const std::string& text) {
  M message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

StatusOr<Attr> Read(const AttrValue& proto) {
  AttrBudget budget;
  return AttrFromProto(proto, &budget);
}

class AttrTextTest : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

// Pairs of an AttrValue in text form and the kind of Attr that it becomes.
TEST_P(AttrTextTest, SurvivesARoundTrip) {
  const auto& [text, kind] = GetParam();
  const AttrValue proto = Text<AttrValue>(text);
  auto attr = Read(proto);
  ASSERT_TRUE(attr.ok()) << attr.status().ToString();
  EXPECT_EQ(attr->KindName(), kind);
  AttrValue written;
  ASSERT_TRUE(AttrToProto(*attr, &written).ok());
  EXPECT_EQ(written.DebugString(), proto.DebugString());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, AttrTextTest,
    ::testing::Values(
        std::pair("s: 'SAME'", "string"), std::pair("s: ''", "string"), std::pair("i: 0", "int"),
        std::pair("i: -9223372036854775808", "int"), std::pair("f: 0.25", "float"),
        std::pair("b: false", "bool"), std::pair("type: DT_FLOAT_REF", "type"),
        std::pair("shape { dim { size: 2 } dim { size: -1 } }", "shape"),
        std::pair("shape { }", "shape"), std::pair("shape { unknown_rank: true }", "shape"),
        std::pair("tensor { dtype: DT_INT32 tensor_shape { } int_val: 7 }", "tensor"),
        std::pair("func { name: 'f' attr { key: 'T' value { type: DT_HALF } } }", "func"),
        std::pair("list { s: 'a' s: 'b' }", "list(string)"),
        std::pair("list { i: 1 i: 2 }", "list(int)"), std::pair("list { f: 0.5 }", "list(float)"),
        std::pair("list { b: true b: false }", "list(bool)"),
        std::pair("list { type: DT_INT64 }", "list(type)"),
        std::pair("list { shape { } }", "list(shape)"),
        std::pair("list { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } }",
                  "list(tensor)"),
        std::pair("list { func { name: 'g' } }", "list(func)"), std::pair("list { }", "list(int)"),
        std::pair("placeholder: 'T'", "opaque"), std::pair("list { i: 1 s: 'mixed' }", "opaque"),
        std::pair(
            "tensor { dtype: DT_RESOURCE tensor_shape { } resource_handle_val { name: 'r' } }",
            "opaque"),
        std::pair("tensor { dtype: DT_FLOAT8_E5M2 tensor_shape { } float8_val: 'x' }", "opaque"),
        std::pair("", "nothing")));

TEST(AttrProtoTest, KeepsUnknownFields) {
  AttrValue proto;
  proto.set_i(3);
  proto.GetReflection()->MutableUnknownFields(&proto)->AddVarint(99, 5);
  auto attr = Read(proto);
  ASSERT_TRUE(attr.ok());
  AttrValue written;
  ASSERT_TRUE(AttrToProto(*attr, &written).ok());
  EXPECT_EQ(written.SerializeAsString(), proto.SerializeAsString());
}

TEST(AttrProtoTest, EmptyListMatchesEveryKind) {
  auto attr = Read(Text<AttrValue>("list { }"));
  ASSERT_TRUE(attr.ok());
  EXPECT_NE(attr->get<std::vector<DType>>(), nullptr);
  EXPECT_NE(attr->get<std::vector<std::string>>(), nullptr);
}

TEST(AttrProtoTest, RefusesMalformedShapesAndTensors) {
  EXPECT_EQ(Read(Text<AttrValue>("shape { dim { size: -2 } }")).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Read(Text<AttrValue>("shape { dim { size: 4611686018427387904 } "
                                 "dim { size: 4611686018427387904 } }"))
                .status()
                .code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Read(Text<AttrValue>("tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } "
                                 "tensor_content: 'abc' }"))
                .status()
                .code(),
            Code::kInvalidArgument);
}

TEST(AttrProtoTest, ConstantsOfRepeatedValuesShareABudget) {
  const AttrValue megabyte = Text<AttrValue>(
      "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 262144 } } float_val: 1 }");
  AttrBudget budget{3 << 19};
  EXPECT_TRUE(AttrFromProto(megabyte, &budget).ok());
  EXPECT_EQ(AttrFromProto(megabyte, &budget).status().code(), Code::kResourceExhausted);
}

TEST(AttrProtoTest, AnExhaustedBudgetNamesItsLargestUsers) {
  const auto floats = [](int count) {
    return Text<AttrValue>(StrCat("tensor { dtype: DT_FLOAT tensor_shape { dim { size: ", count,
                                  " } } float_val: 1 }"));
  };
  AttrBudget budget{10'000};
  for (const auto& [node, count] : {std::pair("a", 300), {"b", 500}, {"c", 400}, {"d", 600}}) {
    budget.node = node;
    ASSERT_TRUE(AttrFromProto(floats(count), &budget).ok());
  }
  budget.node = "e";
  EXPECT_THAT(AttrFromProto(floats(2000), &budget).status().message(),
              HasSubstr("(7996 bytes needed, 2816 left; used by 'd' (2396 bytes), "
                        "'b' (1996 bytes), 'c' (1596 bytes), others (1196 bytes))"));
}

TEST(AttrProtoTest, RepeatedLongStringsCountTheirLength) {
  AttrValue strings;
  TensorProto* tensor = strings.mutable_tensor();
  tensor->set_dtype(DT_STRING);
  tensor->mutable_tensor_shape()->add_dim()->set_size(1000);
  tensor->add_string_val(std::string(1000, 'x'));
  AttrBudget budget{1 << 20};
  EXPECT_TRUE(AttrFromProto(strings, &budget).ok());
  EXPECT_EQ(AttrFromProto(strings, &budget).status().code(), Code::kResourceExhausted);
}

TEST(AttrProtoTest, MapErrorsNameTheAttr) {
  AttrProtoMap map;
  map["good"].set_i(1);
  map["bad"].mutable_shape()->add_dim()->set_size(-7);
  AttrBudget budget;
  EXPECT_THAT(AttrMapFromProto(map, &budget).status().message(), HasSubstr("attr 'bad'"));
}

TEST(OpDefProtoTest, SurvivesARoundTrip) {
  const OpDef proto = Text<OpDef>(R"pb(
    name: "Concat"
    input_arg { name: "axis" type: DT_INT32 }
    input_arg { name: "values" type_attr: "T" number_attr: "N" }
    input_arg { name: "ref" type_attr: "T" is_ref: true }
    input_arg { name: "rest" type_list_attr: "Tin" }
    output_arg { name: "output" type_attr: "T" }
    attr { name: "N" type: "int" has_minimum: true minimum: 2 }
    attr {
      name: "T"
      type: "type"
      default_value { type: DT_FLOAT }
      allowed_values { list { type: DT_FLOAT type: DT_INT32 } }
    }
    attr {
      name: "mode"
      type: "string"
      default_value { s: "A" }
      allowed_values { list { s: "A" s: "B" } }
    }
    attr {
      name: "Tin"
      type: "list(type)"
      default_value { list {} }
    }
    is_stateful: true
    is_commutative: true
    is_aggregate: true
    allows_uninitialized_input: true)pb");
  auto schema = OpSchemaFromProto(proto);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_TRUE(schema->inputs[2].is_ref);
  EXPECT_EQ(schema->FindAttr("T")->allowed_types.size(), 2u);
  OpDef written;
  ASSERT_TRUE(OpSchemaToProto(*schema, &written).ok());
  EXPECT_EQ(written.DebugString(), proto.DebugString());
}

TEST(OpDefProtoTest, ErrorsNameTheOpAndTheAttr) {
  auto schema = OpSchemaFromProto(Text<OpDef>(
      "name: 'Bad' attr { name: 'v' type: 'shape' default_value { shape { dim { size: -9 } } } }"));
  EXPECT_THAT(schema.status().message(), HasSubstr("definition of op 'Bad', attr 'v'"));
}

}  // namespace
}  // namespace ramet
