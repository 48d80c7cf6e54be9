#include "graph_match.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

// The number of hashing rounds for graphs with loops. The first round knows nothing about back
// edges; the second one includes the loop body once, and so on.
constexpr int kRounds = 3;

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b;
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

uint64_t HashOf(std::string_view text) {
  uint64_t hash = text.size();
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return Mix(hash, 1);
}

uint64_t HashOfTensor(const rm::Tensor& tensor) {
  uint64_t hash = HashOf(TypeAndShape(tensor.dtype(), tensor.shape()));
  if (tensor.dtype() == rm::kString) {
    for (const std::string& s : tensor.flat<std::string>()) hash = Mix(hash, HashOf(s));
    return hash;
  }
  const auto* bytes = static_cast<const char*>(tensor.raw_data());
  return tensor.bytes() == 0 ? hash : Mix(hash, HashOf(std::string_view(bytes, tensor.bytes())));
}

bool IsName(std::string_view attr) {
  static constexpr std::array kNames = {"shared_name", "container",         "frame_name",
                                        "stack_name",  "tensor_array_name", "debug_name"};
  return attr.starts_with('_') || std::ranges::count(kNames, attr) > 0;
}

bool ReadsNames(const std::string& op) {
  return op.starts_with("Save") || op.starts_with("Restore");
}

bool IsBack(const rm::Operation& producer) {
  const std::string type = producer.type();
  return type == "NextIteration" || type == "RefNextIteration";
}

bool IsUnder(const std::string& name, const std::string& scope) {
  return scope.empty() ||
         (name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '/'));
}

}  // namespace

GraphStructure::GraphStructure(const rm::Graph& graph, const std::string& scope)
    : graph_(graph), functions_(&own_functions_) {
  Build(scope);
}

GraphStructure::GraphStructure(const rm::Graph& graph, const std::string& scope, Running* functions)
    : graph_(graph), functions_(functions) {
  Build(scope);
}

void GraphStructure::Build(const std::string& scope) {
  const std::string under = scope.ends_with('/') ? scope.substr(0, scope.size() - 1) : scope;
  positions_.assign(static_cast<size_t>(graph_.num_operations()), -1);
  for (const rm::Operation& op : graph_.operations()) {
    if (!IsUnder(op.name(), under)) continue;
    positions_[static_cast<size_t>(op.id())] = static_cast<int64_t>(operations_.size());
    operations_.push_back(op);
  }
  Connect();
  Order();
  for (const rm::Operation& op : operations_) base_.push_back(BaseOf(op));
  HashAbove();
  HashAround();
}

void GraphStructure::Connect() {
  data_.resize(operations_.size());
  controls_.resize(operations_.size());
  needs_.resize(operations_.size());
  for (size_t i = 0; i < operations_.size(); ++i) {
    const rm::Operation& op = operations_[i];
    const bool names = ReadsNames(op.type());
    for (const rm::Output& input : op.inputs()) {
      const int64_t at = positions_[static_cast<size_t>(input.op().id())];
      const bool back = at >= 0 && IsBack(input.op());
      data_[i].push_back({input, at, back});
      if (at >= 0 && !back) needs_[i].push_back(static_cast<size_t>(at));
      if (names && input.op().type() == "Const") names_.insert(input.op().id());
    }
    for (const rm::Operation& control : op.control_inputs()) {
      const int64_t at = positions_[static_cast<size_t>(control.id())];
      if (at < 0) continue;
      controls_[i].push_back(static_cast<size_t>(at));
      needs_[i].push_back(static_cast<size_t>(at));
    }
  }
}

// Sorts the operations topologically. Operations on cycles that are not loops come last, in the
// order of the graph.
void GraphStructure::Order() {
  std::vector<std::vector<size_t>> readers(operations_.size());
  std::vector<size_t> missing(operations_.size());
  for (size_t i = 0; i < operations_.size(); ++i) {
    missing[i] = needs_[i].size();
    for (size_t need : needs_[i]) readers[need].push_back(i);
    if (missing[i] == 0) order_.push_back(i);
  }
  for (size_t next = 0; next < order_.size(); ++next) {
    for (size_t reader : readers[order_[next]]) {
      if (--missing[reader] == 0) order_.push_back(reader);
    }
  }
  for (size_t i = 0; i < operations_.size(); ++i) {
    if (missing[i] > 0) order_.push_back(i);
  }
}

bool GraphStructure::HoldsNames(const rm::Operation& op) const { return names_.contains(op.id()); }

uint64_t GraphStructure::FunctionHash(const rm::FunctionRef& ref) const {
  auto [known, added] = functions_->try_emplace(ref.name, HashOf("called again"));
  if (!added) return known->second;
  const auto body = rm::FindFunction(graph_, ref);
  uint64_t hash = HashOf(ref.name);
  if (body.ok()) {
    const GraphStructure inside(*(*body)->graph, "", functions_);
    hash = inside.whole();
    for (const rm::Output& result : (*body)->returns) {
      const auto at = static_cast<size_t>(inside.positions_[static_cast<size_t>(result.op().id())]);
      hash = Mix(hash, Mix(inside.above(at), static_cast<uint64_t>(result.index())));
    }
  }
  return (*functions_)[ref.name] = hash;
}

std::string GraphStructure::TextOf(const rm::Operation& op, const std::string& name,
                                   const rm::Attr& attr) const {
  if (const auto* tensor = attr.get<rm::Tensor>()) {
    const std::string kind = TypeAndShape(tensor->dtype(), tensor->shape());
    if (name == "value" && HoldsNames(op)) return kind;
    if (tensor->num_elements() <= 4) return tensor->ToString();
    return rm::StrCat(kind, " #", HashOfTensor(*tensor));
  }
  if (const auto* f = attr.get<rm::FunctionRef>()) {
    return rm::StrCat("function #", FunctionHash(*f));
  }
  const auto* functions = attr.get<std::vector<rm::FunctionRef>>();
  if (functions != nullptr && !functions->empty()) {
    std::string text;
    for (const rm::FunctionRef& f : *functions) {
      text += rm::StrCat("function #", FunctionHash(f), " ");
    }
    return text;
  }
  if (const auto* tensors = attr.get<std::vector<rm::Tensor>>();
      tensors != nullptr && !tensors->empty()) {
    std::string text;
    for (const rm::Tensor& t : *tensors) text += rm::StrCat("#", HashOfTensor(t), " ");
    return text;
  }
  return attr.ToString();
}

std::vector<std::pair<std::string, std::string>> GraphStructure::AttrTexts(
    const rm::Operation& op) const {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto attrs = op.attrs();
  std::map<std::string, const rm::Attr*> values;
  for (const rm::AttrSchema& schema : op.op().schema().attrs) {
    if (schema.has_default) values[schema.name] = &schema.default_value;
  }
  for (const auto& [name, attr] : *attrs) values[name] = &attr;
  for (const auto& [name, attr] : values) {
    if (!IsName(name)) texts.emplace_back(name, TextOf(op, name, *attr));
  }
  return texts;
}

uint64_t GraphStructure::BaseOf(const rm::Operation& op) const {
  const std::string type = op.type();
  uint64_t hash = !op.op().registered() && rm::HasFunction(graph_, type)
                      ? FunctionHash({type, op.attrs()})
                      : HashOf(type);
  for (const auto& [name, text] : AttrTexts(op)) {
    hash = Mix(Mix(hash, HashOf(name)), HashOf(text));
  }
  return hash;
}

uint64_t GraphStructure::HashInputs(size_t i) const {
  uint64_t hash = data_[i].size();
  for (const Edge& edge : data_[i]) {
    const uint64_t from = edge.position >= 0
                              ? above_[static_cast<size_t>(edge.position)]
                              : HashOf(rm::DTypeName(rm::BaseType(edge.from.dtype())));
    hash = Mix(hash, Mix(from, static_cast<uint64_t>(edge.from.index())));
  }
  uint64_t controls = controls_[i].size();
  for (size_t control : controls_[i]) controls += Mix(above_[control], 7);
  return Mix(hash, controls);
}

void GraphStructure::HashAbove() {
  above_.assign(operations_.size(), 0);
  inputs_.assign(operations_.size(), 0);
  bool loops = false;
  for (const auto& edges : data_) {
    loops = loops || std::ranges::any_of(edges, [](const Edge& e) { return e.back; });
  }
  for (int round = 0; round < (loops ? kRounds : 1); ++round) {
    for (size_t i : order_) {
      inputs_[i] = HashInputs(i);
      above_[i] = Mix(base_[i], inputs_[i]);
    }
  }
}

void GraphStructure::HashAround() {
  std::vector<uint64_t> read(operations_.size(), 0);
  around_.assign(operations_.size(), 0);
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    around_[*it] = Mix(above_[*it], read[*it]);
    for (size_t p = 0; p < data_[*it].size(); ++p) {
      const Edge& edge = data_[*it][p];
      if (edge.position < 0) continue;
      const uint64_t as = Mix(p, static_cast<uint64_t>(edge.from.index()));
      read[static_cast<size_t>(edge.position)] += Mix(around_[*it], as);
    }
    for (size_t control : controls_[*it]) read[control] += Mix(around_[*it], 11);
  }
}

uint64_t GraphStructure::whole() const {
  uint64_t sum = operations_.size();
  for (uint64_t hash : around_) sum += Mix(hash, 3);
  return sum;
}

namespace {

// Returns the operations of one graph that have no counterpart with the same hash in the other.
std::vector<size_t> Excess(const GraphStructure& of, const GraphStructure& other,
                           uint64_t (GraphStructure::*hash)(size_t) const) {
  std::unordered_map<uint64_t, int64_t> there;
  for (size_t i = 0; i < other.operations().size(); ++i) ++there[(other.*hash)(i)];
  std::vector<size_t> excess;
  for (size_t i = 0; i < of.operations().size(); ++i) {
    auto found = there.find((of.*hash)(i));
    if (found != there.end() && found->second-- > 0) continue;
    excess.push_back(i);
  }
  return excess;
}

// Returns the operations in `excess` that do not directly depend on any other one in `excess`.
std::vector<size_t> First(const GraphStructure& of, const std::vector<size_t>& excess) {
  const std::unordered_set<size_t> all(excess.begin(), excess.end());
  std::vector<size_t> first;
  for (size_t i : excess) {
    if (std::ranges::none_of(of.needs(i), [&](size_t n) { return all.contains(n); })) {
      first.push_back(i);
    }
  }
  return first;
}

std::string HowTheyDiffer(const GraphStructure& a, size_t i, const GraphStructure& b, size_t j) {
  const rm::Operation x = a.operations()[i], y = b.operations()[j];
  if (x.type() != y.type()) {
    return rm::StrCat("the ops differ: ", x.type(), " and ", y.type());
  }
  std::map<std::string, std::pair<std::string, std::string>> attrs;
  for (auto& [name, text] : a.AttrTexts(x)) attrs[name].first = text;
  for (auto& [name, text] : b.AttrTexts(y)) attrs[name].second = text;
  for (const auto& [name, texts] : attrs) {
    if (texts.first == texts.second) continue;
    auto text = [](const std::string& t) { return t.empty() ? std::string("nothing") : t; };
    return rm::StrCat(x.type(), ", ", name, ": ", text(texts.first), " and ", text(texts.second));
  }
  return rm::StrCat(x.type(), " has different inputs or control inputs");
}

// Pairs the operations without a counterpart: by inputs, op and name, then by name, then by inputs
// and op, then by inputs.
class Pairs {
 public:
  Pairs(const GraphStructure& a, const GraphStructure& b, std::vector<size_t> in_a,
        std::vector<size_t> in_b)
      : a_(a), b_(b), in_a_(std::move(in_a)), in_b_(std::move(in_b)) {}

  std::vector<GraphDifference> Find() {
    auto inputs_and_op = [](const GraphStructure& g, size_t i) {
      return Mix(g.inputs(i), HashOf(g.operations()[i].type()));
    };
    auto inputs = [](const GraphStructure& g, size_t i) { return g.inputs(i); };
    auto name = [](const GraphStructure& g, size_t i) { return HashOf(g.operations()[i].name()); };
    Match([&](const GraphStructure& g, size_t i) { return Mix(inputs_and_op(g, i), name(g, i)); });
    Match(name);
    Match(inputs_and_op);
    Match(inputs);
    for (size_t i : in_a_) Alone(a_, i, true);
    for (size_t j : in_b_) Alone(b_, j, false);
    return std::move(found_);
  }

 private:
  template <class Key>
  void Match(Key&& key) {
    std::unordered_multimap<uint64_t, size_t> there;
    for (auto j = in_b_.rbegin(); j != in_b_.rend(); ++j) there.emplace(key(b_, *j), *j);
    std::vector<size_t> rest;
    for (size_t i : in_a_) {
      auto match = there.find(key(a_, i));
      if (match == there.end()) {
        rest.push_back(i);
        continue;
      }
      const size_t j = match->second;
      there.erase(match);
      std::erase(in_b_, j);
      found_.push_back(
          {a_.operations()[i].name(), b_.operations()[j].name(), HowTheyDiffer(a_, i, b_, j)});
    }
    in_a_ = std::move(rest);
  }

  void Alone(const GraphStructure& g, size_t i, bool is_a) {
    const rm::Operation& op = g.operations()[i];
    GraphDifference difference{"", "", rm::StrCat(op.type(), " without a counterpart")};
    (is_a ? difference.a : difference.b) = op.name();
    found_.push_back(std::move(difference));
  }

  const GraphStructure &a_, &b_;
  std::vector<size_t> in_a_, in_b_;
  std::vector<GraphDifference> found_;
};

}  // namespace

GraphComparison Compare(const GraphStructure& a, const GraphStructure& b) {
  GraphComparison comparison;
  auto hash = &GraphStructure::above;
  std::vector<size_t> in_a = Excess(a, b, hash), in_b = Excess(b, a, hash);
  if (in_a.empty() && in_b.empty()) {
    hash = &GraphStructure::around;
    in_a = Excess(a, b, hash);
    in_b = Excess(b, a, hash);
  }
  std::vector<size_t> first_a = First(a, in_a), first_b = First(b, in_b);
  // A cycle that is not a loop has no first operation.
  if (first_a.empty() && first_b.empty()) first_a = in_a, first_b = in_b;
  comparison.dependent_a = in_a.size() - first_a.size();
  comparison.dependent_b = in_b.size() - first_b.size();
  comparison.differences = Pairs(a, b, std::move(first_a), std::move(first_b)).Find();
  return comparison;
}

}  // namespace cli
