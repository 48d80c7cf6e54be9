#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cli {

// The structure of a graph, or of what is under a name scope of it, without its names: a number for
// each operation that is the same for those of the same op, attrs, inputs and control inputs, and
// so on up to the beginning of the graph. Names in attrs do not count (shared_name, frame_name,
// names of variables in checkpoints), nor do devices and colocation. Functions count by their
// bodies. Inputs from outside of the scope count by their dtypes. Linear.
class GraphStructure {
 public:
  explicit GraphStructure(const ramet::Graph& graph, const std::string& scope = "");

  const ramet::Graph& graph() const { return graph_; }
  // The operations that count, in the order of the graph.
  const std::vector<ramet::Operation>& operations() const { return operations_; }
  // By position in operations(). Above: as explained.
  uint64_t above(size_t i) const { return above_[i]; }
  // And with what reads it, up to the end of the graph.
  uint64_t around(size_t i) const { return around_[i]; }
  // Its inputs alone.
  uint64_t inputs(size_t i) const { return inputs_[i]; }
  // The positions of what it reads and waits for within the scope; back edges of loops left out.
  const std::vector<size_t>& needs(size_t i) const { return needs_[i]; }
  // Of the whole: the sum of all.
  uint64_t whole() const;

  // The attrs of an operation that count, as texts by name; tensors as "float[2] #hash".
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
    int64_t position;  // in operations(); -1: outside
    bool back;
  };

  const ramet::Graph& graph_;
  Running* functions_;  // known ones, by name
  Running own_functions_;
  std::vector<ramet::Operation> operations_;
  std::vector<int64_t> positions_;       // by id
  std::vector<std::vector<Edge>> data_;  // by position
  std::vector<std::vector<size_t>> controls_, needs_;
  std::unordered_set<int> names_;  // constants that hold names, by id
  std::vector<size_t> order_;
  std::vector<uint64_t> base_, above_, around_, inputs_;
};

// Where two structures part: operations of one that have no counterpart in the other although what
// they need has one, paired where they read the same.
struct GraphDifference {
  std::string a, b;  // names of operations; "" if there is none on that side
  std::string what;  // "the ops differ: Relu and Tanh", "transpose_b: false and true", ...
};
struct GraphComparison {
  std::vector<GraphDifference> differences;
  // Operations that have no counterpart because they need those.
  size_t dependent_a = 0, dependent_b = 0;
  bool equal() const { return differences.empty(); }
};
GraphComparison Compare(const GraphStructure& a, const GraphStructure& b);

}  // namespace cli
