#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/graph/graph.h"
#include "ramet/op/attr.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/tensor/tensor.h"

namespace ramet::fuzz {

// The attr of a Placeholder that holds the value to feed, so that a GraphDef is a complete case.
inline constexpr char kFedValue[] = "_fuzz_feed";
// The attr with the byte for true in a fed tensor of bools: memory from outside may hold any byte.
inline constexpr char kTrueByte[] = "_fuzz_true_byte";
// The name of the node under test.
inline constexpr char kSubject[] = "subject";

// A GraphDraft is a GraphDef under construction. Nothing is checked, so it can be a graph that the
// library must refuse.
class GraphDraft {
 public:
  GraphDef& def() { return def_; }
  const GraphDef& def() const { return def_; }

  // Prefixes the names of the nodes that are added from now on.
  void set_scope(std::string scope) { scope_ = std::move(scope); }
  // Adds a node and returns its name: the scope and `name`, with a number appended if it is taken.
  // Inputs are written as in a NodeDef: "n", "n:1", "^n".
  std::string Add(std::string_view op, std::string_view name,
                  const std::vector<std::string>& inputs, const AttrMap& attrs);
  std::string Const(const Tensor& value, std::string_view name = "const");
  // Adds a Placeholder that is fed `value` and claims to have `shape`.
  std::string Fed(const Tensor& value, const Shape& shape, std::string_view name = "fed");

 private:
  bool Taken(std::string_view name) const;
  GraphDef def_;
  std::string scope_;
  int producer_ = GraphVersions().producer;
};

}  // namespace ramet::fuzz
