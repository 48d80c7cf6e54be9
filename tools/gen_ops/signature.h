#pragma once

#include <string>
#include <vector>

#include "ramet/op/op.h"

namespace gen_ops {

// One parameter or options field of a wrapper.
struct Parameter {
  std::string name;           // the C++ name
  std::string source;         // the name of the op's argument or attr
  std::string type;           // the C++ type
  std::string default_value;  // options only
  bool is_list = false;       // inputs only
};

// The parts of the C++ wrapper of an op.
struct Signature {
  const ramet::Op* op = nullptr;
  std::string function;      // "MatMul"
  std::string default_name;  // the default name of the node
  std::vector<Parameter> inputs;
  std::vector<Parameter> required;  // attrs without a default that the inputs do not set
  std::vector<Parameter> options;   // attrs with a default
  std::vector<Parameter> outputs;
  bool takes_graph = false;  // no inputs, or inputs that may all be constants

  bool HasOptions() const { return !options.empty(); }
  std::string OptionsType() const { return function + "Options"; }
  std::string OutputsType() const { return function + "Outputs"; }
  // "Operation", "Output", "std::vector<Output>" or "<function>Outputs".
  std::string ReturnType() const;
};

// Reports whether the op gets no generated wrapper: builders/ has a handwritten one, or the name of
// the op is private ("_...").
bool IsLeftOut(const std::string& op);

// \error kUnimplemented: an attr's type has no C++ form here; the message names op and attr.
ramet::StatusOr<Signature> MakeSignature(const ramet::Op& op);

}  // namespace gen_ops
