#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cli {

// A GraphStructure is the structure of a graph, or of one name scope of it, without names. It
// assigns each operation a hash of its op, attrs, inputs and control inputs, and recursively of
// everything it depends on.
// Names in attrs (shared_name, frame_name, names of variables in checkpoints), devices and
// colocation do not count. Functions count by their bodies. Inputs from outside the scope count by
// their dtypes. Building it takes linear time.
class GraphStructure {
 public:
  explicit GraphStructure(const ramet::Graph& graph, const std::string& scope = "");

  const ramet::Graph& graph() const { return graph_; }
  // The operations in the scope, in the order of the graph.
  const std::vector<ramet::Operation>& operations() const { return operations_; }
  // The functions below take a position in operations().

  // The hash of an operation and everything it depends on.
  uint64_t above(size_t i) const { return above_[i]; }
  // The hash of an operation, everything it depends on, and everything that depends on it.
  uint64_t around(size_t i) const { return around_[i]; }
  // The hash of an operation's inputs and control inputs only.
  uint64_t inputs(size_t i) const { return inputs_[i]; }
  // The positions of the operation's inputs and control inputs within the scope, without the back
  // edges of loops.
  const std::vector<size_t>& needs(size_t i) const { return needs_[i]; }
  // A hash of the whole structure.
  uint64_t whole() const;

  // Returns the attrs of an operation that count, as texts by name; tensors as "float[2] #hash".
  std::vector<std::pair<std::string, std::string>> AttrTexts(const ramet::Operation& op) const;

 private:
  using Running = std::unordered_map<std::string, uint64_t>;
  GraphStructure(const ramet::Graph& graph, const std::string& scope, Running* functions);
  void Build(const std::string& scope);
  void Connect();
  void Order();
  void HashAbove();
  uint64_t HashInputs(size_t i) const;
  void HashAround();
  uint64_t BaseOf(const ramet::Operation& op) const;
  uint64_t FunctionHash(const ramet::FunctionRef& ref) const;
  std::string TextOf(const ramet::Operation& op, const std::string& name,
                     const ramet::Attr& attr) const;
  bool HoldsNames(const ramet::Operation& op) const;

  struct Edge {
    ramet::Output from;
    int64_t position;  // in operations(); -1 if it is outside the scope
    bool back;         // whether it is the back edge of a loop
  };

  const ramet::Graph& graph_;
  Running* functions_;  // hashes of functions, by name
  Running own_functions_;
  std::vector<ramet::Operation> operations_;
  std::vector<int64_t> positions_;       // by operation id
  std::vector<std::vector<Edge>> data_;  // the inputs, by position
  std::vector<std::vector<size_t>> controls_, needs_;
  std::unordered_set<int> names_;  // ids of constants that hold names of variables
  std::vector<size_t> order_;
  std::vector<uint64_t> base_, above_, around_, inputs_;
};

// A place where two structures differ: an operation that has no counterpart in the other graph
// although everything it depends on has one. Operations with the same inputs or the same name are
// paired.
struct GraphDifference {
  std::string a, b;  // names of the operations; "" if there is none on that side
  std::string what;  // "the ops differ: Relu and Tanh", "transpose_b: false and true", ...
};
struct GraphComparison {
  std::vector<GraphDifference> differences;
  // The numbers of operations without a counterpart that depend on those in `differences`.
  size_t dependent_a = 0, dependent_b = 0;
  bool equal() const { return differences.empty(); }
};
GraphComparison Compare(const GraphStructure& a, const GraphStructure& b);

}  // namespace cli
