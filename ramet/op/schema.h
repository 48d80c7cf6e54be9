#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/op/attr.h"

namespace ramet {

// One input or output in an op's definition (OpDef.ArgDef). Its dtype is `type`, or the attr that
// `type_attr` names, or the list of types that `type_list_attr` names; `number_attr` repeats it.
struct ArgSchema {
  std::string name;
  DType type = DType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;
  bool is_ref = false;
};

// One attr in an op's definition (OpDef.AttrDef).
struct AttrSchema {
  std::string name;
  std::string type;  // "int", "list(type)", ... as OpDef writes it
  bool has_default = false;
  Attr default_value;
  std::vector<DType> allowed_types;          // empty: any
  std::vector<std::string> allowed_strings;  // empty: any
  bool has_minimum = false;                  // of an int, or of a list's length
  int64_t minimum = 0;
  // The range of an int, or of each int of a list. What an op does not say is an int32, as
  // TensorFlow's kernels read them.
  int64_t least_value = std::numeric_limits<int32_t>::min();
  int64_t greatest_value = std::numeric_limits<int32_t>::max();
};

// The definition of an op: what OpDef is in TensorFlow. Immutable once built.
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
  // The dtypes of the inputs or outputs that a node with these attrs has, one per tensor.
  // \error kInvalidArgument if an attr is missing, of the wrong kind, or a list length is negative
  // or
  //   above one million.
  StatusOr<std::vector<DType>> Expand(const std::vector<ArgSchema>& args,
                                      const AttrMap& attrs) const;
  // Checks each attr against the definition: kind, allowed values, minimum, range.
  // \error kInvalidArgument naming the attr, the value and what is allowed.
  Status CheckAttrs(const AttrMap& attrs) const;
  // "MatMul(a:T, b:T) -> (product:T) {transpose_a:bool=false, ...}".
  std::string ToString() const;
};

// Parses an argument as TensorFlow's op registration writes it: "x: T", "values: N * T",
// "ref: Ref(T)", "tensors: dtypes", "shape: int32".
// \error kInvalidArgument if the text is not of these forms. `attrs` says which names are attrs.
StatusOr<ArgSchema> ParseArg(std::string_view text, const std::vector<AttrSchema>& attrs);

// Parses an attr: "T: {float, double}", "T: type", "N: int >= 1", "color: tensor = uint8[255, 0]",
// "dtypes: list(type)", "padding: {'SAME', 'VALID'}", "T: numbertype", "shape: shape = unknown".
// \error kInvalidArgument if the text is not of these forms.
StatusOr<AttrSchema> ParseAttrSchema(std::string_view text);

}  // namespace ramet
