#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "draw.h"

namespace draw {
namespace {

namespace rm = ramet;

// The number of boxes that fit on a screen, and the most that are drawn to split a large box.
constexpr size_t kGoodBoxes = 40, kManyBoxes = 150;

// Returns the first `depth` components of a name.
std::string BoxOf(const std::string& name, int depth) {
  size_t at = 0;
  for (int i = 0; i < depth; ++i) {
    at = name.find('/', at);
    if (at == name.npos) return name;
    ++at;
  }
  return name.substr(0, at - 1);
}

bool IsVariable(const rm::Operation& op) {
  const std::string type = op.type();
  return type == "VariableV2" || type == "Variable" || type == "VarHandleOp";
}

// The operations that are only for saving, training or initialization.
class Aside {
 public:
  explicit Aside(const rm::Graph& graph) {
    std::set<std::string> trained, others;
    for (const rm::Operation& op : graph.operations()) {
      const std::string name = op.name();
      const size_t update = name.find("/update_");
      if (update == name.npos || op.type().find("Apply") == std::string::npos) continue;
      scopes_.insert(name.substr(0, update));
      for (int i = 0; i < op.num_inputs(); ++i) {
        const rm::Operation variable = Source(op.input(i).op());
        if (IsVariable(variable)) (i == 0 ? trained : others).insert(variable.name());
      }
    }
    std::ranges::set_difference(others, trained, std::inserter(scopes_, scopes_.end()));
  }

  bool Has(const std::string& name) const {
    const std::string top = name.substr(0, name.find('/'));
    const std::string path = "/" + name;
    return top == "save" || top.starts_with("save_") || top == "init" || top.starts_with("init_") ||
           path.find("/gradients/") != path.npos || path.find("/gradients_") != path.npos ||
           path.find("/Initializer/") != path.npos || InScope(name);
  }

 private:
  // Returns the operation that a value was read from.
  static rm::Operation Source(rm::Operation op) {
    while ((op.type() == "Identity" || op.type() == "ReadVariableOp") && op.num_inputs() == 1) {
      op = op.input(0).op();
    }
    return op;
  }

  bool InScope(const std::string& name) const {
    for (size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1)) {
      if (scopes_.contains(name.substr(0, at))) return true;
    }
    return scopes_.contains(name);
  }

  // The scopes of optimizers and of variables that only optimizers read.
  std::set<std::string> scopes_;
};

std::vector<rm::Operation> Chosen(const rm::Graph& graph, const PictureOptions& options) {
  const Aside aside(graph);
  std::vector<rm::Operation> chosen;
  for (const rm::Operation& op : graph.operations()) {
    const std::string name = op.name();
    const bool inside =
        options.scope.empty() || name == options.scope || name.starts_with(options.scope + "/");
    if (inside && (options.all || !aside.Has(name))) chosen.push_back(op);
  }
  return chosen;
}

// Returns the number of operations in each box.
std::map<std::string, size_t> CountBoxes(const std::vector<rm::Operation>& ops, int depth) {
  std::map<std::string, size_t> boxes;
  for (const rm::Operation& op : ops) ++boxes[BoxOf(op.name(), depth)];
  return boxes;
}

// Reports whether to draw one level deeper, which would make `next` boxes: if they fit on a screen,
// or if one box holds more than half of the operations and there are not too many boxes.
bool GoesDeeper(const std::map<std::string, size_t>& boxes, size_t next, size_t ops) {
  if (next <= boxes.size()) return false;
  const bool one_has_most =
      std::ranges::any_of(boxes, [ops](const auto& box) { return box.second * 2 > ops; });
  return next <= kGoodBoxes || (one_has_most && next <= kManyBoxes);
}

int DepthFor(const std::vector<rm::Operation>& ops, const PictureOptions& options) {
  if (options.depth > 0) return options.depth;
  const int least =
      options.scope.empty() ? 1 : static_cast<int>(std::ranges::count(options.scope, '/')) + 2;
  int depth = least;
  for (auto boxes = CountBoxes(ops, depth); depth < kMaxDepth; ++depth) {
    auto next = CountBoxes(ops, depth + 1);
    if (!GoesDeeper(boxes, next.size(), ops.size())) break;
    boxes = std::move(next);
  }
  return depth;
}

Picture::Box::Kind KindOf(const rm::Operation& op) {
  const std::string type = op.type();
  if (type.starts_with("Placeholder")) return Picture::Box::Kind::kInput;
  return IsVariable(op) ? Picture::Box::Kind::kVariable : Picture::Box::Kind::kOp;
}

// Groups operations into boxes and connects them by edges.
class PictureMaker {
 public:
  PictureMaker(const std::vector<rm::Operation>& ops, int depth) {
    for (const rm::Operation& op : ops) Put(op, BoxOf(op.name(), depth));
    for (const rm::Operation& op : ops) Connect(op);
  }
  Picture Take() {
    for (auto& [ends, edge] : edges_) picture_.edges.push_back(std::move(edge));
    return std::move(picture_);
  }

 private:
  void Put(const rm::Operation& op, const std::string& name) {
    auto [found, added] = by_name_.emplace(name, static_cast<int>(picture_.boxes.size()));
    if (added) picture_.boxes.push_back({.name = name, .detail = op.type(), .kind = KindOf(op)});
    box_of_[op.id()] = found->second;
    Picture::Box& box = picture_.boxes[found->second];
    ++box.ops;
    if (box.ops == 1 && op.name() == name) return;
    box.detail = rm::StrCat(box.ops, box.ops == 1 ? " op" : " ops");
    const bool variable = KindOf(op) == Picture::Box::Kind::kVariable && op.name() == name;
    const bool was = box.ops > 1 && box.kind == Picture::Box::Kind::kVariable;
    box.kind = variable || was ? Picture::Box::Kind::kVariable : Picture::Box::Kind::kScope;
  }

  void Connect(const rm::Operation& op) {
    const int to = box_of_.at(op.id());
    for (const rm::Output& input : op.inputs()) {
      Picture::Edge* edge = EdgeFrom(input.op(), to);
      if (edge == nullptr) continue;
      const std::string label =
          rm::StrCat(rm::DTypeName(rm::BaseType(input.dtype())), input.shape());
      edge->label = edge->tensors == 0 || edge->label == label ? label : "";
      ++edge->tensors;
    }
    for (const rm::Operation& control : op.control_inputs()) EdgeFrom(control, to);
  }

  Picture::Edge* EdgeFrom(const rm::Operation& from, int to) {
    const auto found = box_of_.find(from.id());
    if (found == box_of_.end() || found->second == to) return nullptr;
    Picture::Edge& edge = edges_[{found->second, to}];
    edge.from = found->second;
    edge.to = to;
    return &edge;
  }

  Picture picture_;
  std::map<std::string, int> by_name_;
  std::map<int, int> box_of_;
  std::map<std::pair<int, int>, Picture::Edge> edges_;
};

}  // namespace

rm::StatusOr<Picture> MakePicture(const rm::Graph& graph, const PictureOptions& options) {
  const std::vector<rm::Operation> ops = Chosen(graph, options);
  if (ops.empty()) {
    return rm::NotFound("there is nothing to draw",
                        options.scope.empty() ? "" : " in scope '" + options.scope + "'");
  }
  const int depth = DepthFor(ops, options);
  if (const size_t boxes = CountBoxes(ops, depth).size(); boxes > kMaxBoxes) {
    return rm::InvalidArgument("the picture would have ", boxes, " boxes; the limit is ",
                               kMaxBoxes);
  }
  return PictureMaker(ops, depth).Take();
}

}  // namespace draw
