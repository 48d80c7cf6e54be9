#pragma once

#include <string>
#include <vector>

#include "ramet/op/op.h"

namespace gen_ops {

// One parameter or options field of a wrapper.
struct Parameter {
  std::string name;           // in C++
  std::string source;         // the argument or attr of the op
  std::string type;           // in C++
  std::string default_value;  // options only
  bool is_list = false;       // inputs only
};

// What the C++ wrapper of an op looks like.
struct Signature {
  const ramet::Op* op = nullptr;
  std::string function;      // "MatMul"
  std::string default_name;  // of the node
  std::vector<Parameter> inputs;
  std::vector<Parameter> required;  // attrs without default that inputs do not tell
  std::vector<Parameter> options;   // attrs with a default
  std::vector<Parameter> outputs;
  bool takes_graph = false;  // no inputs, or inputs that may all be constants

  bool HasOptions() const { return !options.empty(); }
  std::string OptionsType() const { return function + "Options"; }
  std::string OutputsType() const { return function + "Outputs"; }
  // "Operation", "Output", "std::vector<Output>", "<function>Outputs".
  std::string ReturnType() const;
};

// Whether the op has no generated wrapper because builders/ has one written by hand, or because its
// name is a class of Ramet or private ("_...").
bool IsLeftOut(const std::string& op);

// \error kUnimplemented naming op and attr if an attr's type has no C++ form here.
ramet::StatusOr<Signature> MakeSignature(const ramet::Op& op);

}  // namespace gen_ops
