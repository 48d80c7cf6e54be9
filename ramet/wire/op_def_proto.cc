#include "ramet/wire/op_def_proto.h"

#include <limits>

#include "ramet/wire/attr_proto.h"

namespace ramet {
namespace {

ArgSchema ReadArg(const OpDef::ArgDef& proto) {
  ArgSchema arg;
  arg.name = proto.name();
  arg.type = static_cast<DType>(proto.type());
  arg.type_attr = proto.type_attr();
  arg.number_attr = proto.number_attr();
  arg.type_list_attr = proto.type_list_attr();
  arg.is_ref = proto.is_ref();
  return arg;
}

StatusOr<AttrSchema> ReadAttr(const OpDef::AttrDef& proto) {
  AttrSchema attr;
  attr.name = proto.name();
  attr.type = proto.type();
  attr.has_default = proto.has_default_value();
  if (attr.has_default) {
    AttrBudget budget;
    RAMET_ASSIGN_OR_RETURN(attr.default_value, AttrFromProto(proto.default_value(), &budget));
  }
  for (int t : proto.allowed_values().list().type()) {
    attr.allowed_types.push_back(static_cast<DType>(t));
  }
  for (const std::string& s : proto.allowed_values().list().s()) attr.allowed_strings.push_back(s);
  attr.has_minimum = proto.has_minimum();
  attr.minimum = proto.minimum();
  // An OpDef has no ranges, and no code here reads the attrs of an op that it defines.
  attr.least_value = std::numeric_limits<int64_t>::min();
  attr.greatest_value = std::numeric_limits<int64_t>::max();
  return attr;
}

void WriteArg(const ArgSchema& arg, OpDef::ArgDef* proto) {
  proto->set_name(arg.name);
  proto->set_type(static_cast<DataType>(arg.type));
  proto->set_type_attr(arg.type_attr);
  proto->set_number_attr(arg.number_attr);
  proto->set_type_list_attr(arg.type_list_attr);
  proto->set_is_ref(arg.is_ref);
}

Status WriteAttr(const AttrSchema& attr, OpDef::AttrDef* proto) {
  proto->set_name(attr.name);
  proto->set_type(attr.type);
  if (attr.has_default) {
    RAMET_RETURN_IF_ERROR(AttrToProto(attr.default_value, proto->mutable_default_value()));
  }
  for (DType t : attr.allowed_types) {
    proto->mutable_allowed_values()->mutable_list()->add_type(static_cast<DataType>(t));
  }
  for (const std::string& s : attr.allowed_strings) {
    proto->mutable_allowed_values()->mutable_list()->add_s(s);
  }
  proto->set_has_minimum(attr.has_minimum);
  proto->set_minimum(attr.minimum);
  return OkStatus();
}

}  // namespace

StatusOr<OpSchema> OpSchemaFromProto(const OpDef& proto) {
  OpSchema schema;
  schema.name = proto.name();
  schema.doc = proto.summary();
  for (const OpDef::ArgDef& arg : proto.input_arg()) schema.inputs.push_back(ReadArg(arg));
  for (const OpDef::ArgDef& arg : proto.output_arg()) schema.outputs.push_back(ReadArg(arg));
  for (const OpDef::AttrDef& attr : proto.attr()) {
    auto read = ReadAttr(attr);
    if (!read.ok()) {
      return read.status().WithContext(
          StrCat("definition of op '", proto.name(), "', attr '", attr.name(), "'"));
    }
    schema.attrs.push_back(*std::move(read));
  }
  schema.is_stateful = proto.is_stateful();
  schema.is_commutative = proto.is_commutative();
  schema.is_aggregate = proto.is_aggregate();
  schema.allows_uninitialized_input = proto.allows_uninitialized_input();
  return schema;
}

Status OpSchemaToProto(const OpSchema& schema, OpDef* proto) {
  proto->Clear();
  proto->set_name(schema.name);
  for (const ArgSchema& arg : schema.inputs) WriteArg(arg, proto->add_input_arg());
  for (const ArgSchema& arg : schema.outputs) WriteArg(arg, proto->add_output_arg());
  for (const AttrSchema& attr : schema.attrs) {
    Status written = WriteAttr(attr, proto->add_attr());
    if (!written.ok()) {
      return written.WithContext(
          StrCat("definition of op '", schema.name, "', attr '", attr.name, "'"));
    }
  }
  proto->set_is_stateful(schema.is_stateful);
  proto->set_is_commutative(schema.is_commutative);
  proto->set_is_aggregate(schema.is_aggregate);
  proto->set_allows_uninitialized_input(schema.allows_uninitialized_input);
  return OkStatus();
}

}  // namespace ramet
