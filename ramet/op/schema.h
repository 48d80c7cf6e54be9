#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/op/attr.h"

namespace ramet {

// An input or output in an op's definition (OpDef.ArgDef). Its dtype is `type`, or the attr named
// `type_attr`, or the list of types in the attr named `type_list_attr`. The attr `number_attr`, if
// named, is the number of tensors.
struct ArgSchema {
  std::string name;
  DType type = DType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;
  bool is_ref = false;
};

// An attr in an op's definition (OpDef.AttrDef).
struct AttrSchema {
  std::string name;
  std::string type;  // "int", "list(type)", ... as in OpDef
  bool has_default = false;
  Attr default_value;
  std::vector<DType> allowed_types;          // empty: any
  std::vector<std::string> allowed_strings;  // empty: any
  bool has_minimum = false;                  // for an int or the length of a list
  int64_t minimum = 0;
  // The range of an int, or of each int of a list. The default is the range of int32, as
  // TensorFlow's kernels assume.
  int64_t least_value = std::numeric_limits<int32_t>::min();
  int64_t greatest_value = std::numeric_limits<int32_t>::max();
};

// An OpSchema is the definition of an op, as OpDef in TensorFlow. Immutable once built.
struct RAMET_EXPORT OpSchema {
  std::string name;
  std::vector<ArgSchema> inputs;
  std::vector<ArgSchema> outputs;
  std::vector<AttrSchema> attrs;
  std::string doc;
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;

  const AttrSchema* FindAttr(std::string_view attr_name) const;
  // Returns the dtypes of the inputs or outputs of a node with these attrs, one per tensor.
  // \error kInvalidArgument: an attr is missing or of the wrong kind, or a list length is negative
  //   or above one million.
  StatusOr<std::vector<DType>> Expand(const std::vector<ArgSchema>& args,
                                      const AttrMap& attrs) const;
  // Checks the kind, allowed values, minimum and range of each attr against the definition.
  // \error kInvalidArgument: names the attr, its value and what is allowed.
  Status CheckAttrs(const AttrMap& attrs) const;
  // Returns text such as "MatMul(a:T, b:T) -> (product:T) {transpose_a:bool=false, ...}".
  std::string ToString() const;
};

// Parses an argument in the syntax of TensorFlow's op registration: "x: T", "values: N * T", "ref:
// Ref(T)", "tensors: dtypes", "shape: int32". `attrs` tells which names are attrs.
// \error kInvalidArgument: the text is in none of these forms.
StatusOr<ArgSchema> ParseArg(std::string_view text, const std::vector<AttrSchema>& attrs);

// Parses an attr: "T: {float, double}", "T: type", "N: int >= 1", "color: tensor = uint8[255, 0]",
// "dtypes: list(type)", "padding: {'SAME', 'VALID'}", "T: numbertype", "shape: shape = unknown".
// \error kInvalidArgument: the text is in none of these forms.
StatusOr<AttrSchema> ParseAttrSchema(std::string_view text);

}  // namespace ramet
