#include "draw.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "command.h"
#include "model.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

// A picture that a screen shows has about so many boxes.
constexpr size_t kGoodBoxes = 40, kManyBoxes = 150;
constexpr int kDeepest = 12;

// The first `depth` components of a name.
std::string BoxOf(const std::string& name, int depth) {
  size_t at = 0;
  for (int i = 0; i < depth; ++i) {
    at = name.find('/', at);
    if (at == name.npos) return name;
    ++at;
  }
  return name.substr(0, at - 1);
}

bool IsAside(const std::string& name) {
  const std::string top = name.substr(0, name.find('/'));
  const std::string path = "/" + name;
  return top == "save" || top.starts_with("save_") || top == "init" || top.starts_with("init_") ||
         path.find("/gradients/") != path.npos || path.find("/gradients_") != path.npos ||
         path.find("/Initializer/") != path.npos;
}

std::vector<rm::Operation> Chosen(const rm::Graph& graph, const PictureOptions& options) {
  std::vector<rm::Operation> chosen;
  for (const rm::Operation& op : graph.operations()) {
    const std::string name = op.name();
    const bool inside =
        options.scope.empty() || name == options.scope || name.starts_with(options.scope + "/");
    if (inside && (options.all || !IsAside(name))) chosen.push_back(op);
  }
  return chosen;
}

// How many operations each box has.
std::map<std::string, size_t> CountBoxes(const std::vector<rm::Operation>& ops, int depth) {
  std::map<std::string, size_t> boxes;
  for (const rm::Operation& op : ops) ++boxes[BoxOf(op.name(), depth)];
  return boxes;
}

// Whether a picture with the boxes of the next depth would say more: as long as a screen shows
// them, and further while one box holds most of the graph.
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
  for (auto boxes = CountBoxes(ops, depth); depth < kDeepest; ++depth) {
    auto next = CountBoxes(ops, depth + 1);
    if (!GoesDeeper(boxes, next.size(), ops.size())) break;
    boxes = std::move(next);
  }
  return depth;
}

Picture::Box::Kind KindOf(const rm::Operation& op) {
  const std::string type = op.type();
  if (type.starts_with("Placeholder")) return Picture::Box::Kind::kInput;
  const bool variable = type == "VariableV2" || type == "Variable" || type == "VarHandleOp";
  return variable ? Picture::Box::Kind::kVariable : Picture::Box::Kind::kOp;
}

// Gathers operations into boxes and edges between them.
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
    box.detail = Count(box.ops, "op");
    const bool variable = KindOf(op) == Picture::Box::Kind::kVariable && op.name() == name;
    const bool was = box.ops > 1 && box.kind == Picture::Box::Kind::kVariable;
    box.kind = variable || was ? Picture::Box::Kind::kVariable : Picture::Box::Kind::kScope;
  }

  void Connect(const rm::Operation& op) {
    const int to = box_of_.at(op.id());
    for (const rm::Output& input : op.inputs()) {
      Picture::Edge* edge = EdgeFrom(input.op(), to);
      if (edge == nullptr) continue;
      const std::string label = TypeAndShape(rm::BaseType(input.dtype()), input.shape());
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

struct DrawOptions {
  std::string input, output, format;
  std::vector<std::string> tags;
  PictureOptions picture;
};

rm::Status Load(const DrawOptions& options, rm::Graph* graph) {
  RAMET_ASSIGN_OR_RETURN(const ModelFile file, FindModelFile(options.input));
  if (file.graph.empty()) {
    return rm::NotFound(
        "'", file.path, "' is ", KindName(file.kind),
        " without a graph to draw: a .meta file, SavedModel or GraphDef is expected");
  }
  switch (file.kind) {
    case ModelFile::Kind::kSavedModel: {
      RAMET_ASSIGN_OR_RETURN(const auto tags, ChooseTags(file.graph, options.tags));
      return rm::ImportSavedModel(*graph, file.graph, tags).status();
    }
    case ModelFile::Kind::kGraphDef:
      return rm::ImportGraphDefFile(*graph, file.graph, {.name = ""}).status();
    default: return rm::ImportMetaGraphFile(*graph, file.graph).status();
  }
}

// Replaces a file in one step; pipes and devices are written to.
rm::Status WriteWhole(const std::string& path, const std::string& text) {
  std::error_code error;
  const bool special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  const std::string target = special ? path : rm::StrCat(path, ".temp", getpid());
  std::ofstream file(target, std::ios::binary);
  file << text;
  file.close();
  const bool written = static_cast<bool>(file);
  const std::string reason = std::strerror(errno);
  error.clear();
  if (written && !special) std::filesystem::rename(target, path, error);
  if (written && !error) return rm::OkStatus();
  std::error_code ignored;
  if (!special) std::filesystem::remove(target, ignored);
  return rm::Unknown("'", path, "' cannot be written: ", written ? error.message() : reason);
}

rm::Status Draw(const DrawOptions& options) {
  rm::Graph graph;
  RAMET_RETURN_IF_ERROR(Load(options, &graph));
  RAMET_ASSIGN_OR_RETURN(Picture picture, MakePicture(graph, options.picture));
  const bool dot =
      options.format.empty() ? options.output.ends_with(".dot") : options.format == "dot";
  if (!dot) {
    LayOut(&picture);
    PlaceLabels(&picture);
  }
  const std::string text = dot ? ToDot(picture, options.input) : ToSvg(picture, options.input);
  if (options.output.empty()) {
    std::cout << text;
    return rm::OkStatus();
  }
  RAMET_RETURN_IF_ERROR(WriteWhole(options.output, text));
  std::cout << options.output << ": " << picture.boxes.size() << " boxes of "
            << Count(graph.num_operations(), "op") << "\n";
  return rm::OkStatus();
}

}  // namespace

rm::StatusOr<Picture> MakePicture(const rm::Graph& graph, const PictureOptions& options) {
  const std::vector<rm::Operation> ops = Chosen(graph, options);
  if (ops.empty()) {
    return rm::NotFound(
        "there is nothing to draw",
        options.scope.empty() ? "" : " in scope '" + options.scope + "'",
        options.all ? "" : "; --all draws saving, gradients and initialisation too");
  }
  const int depth = DepthFor(ops, options);
  if (const size_t boxes = CountBoxes(ops, depth).size(); boxes > kMostBoxes) {
    return rm::InvalidArgument(boxes, " boxes are too many for a picture, ", kMostBoxes,
                               " is the most; draw a part with --scope, or less with --depth 1");
  }
  return PictureMaker(ops, depth).Take();
}

void AddDraw(CLI::App& app, rm::Status* status) {
  auto* command =
      app.add_subcommand("draw", "A picture of a graph: name scopes and what flows between them");
  auto o = std::make_shared<DrawOptions>();
  command
      ->add_option(
          "MODEL", o->input,
          "A .meta file (or its checkpoint's PREFIX), a GraphDef, or a SavedModel's folder")
      ->required();
  command->add_option("--tags", o->tags, "Which graph of a SavedModel, by its tags with commas")
      ->delimiter(',');
  command->add_option("-o,--output", o->output, "The file to write (default: stdout)");
  command->add_option("--format", o->format, "Default: dot for *.dot, else svg")
      ->check(CLI::IsMember({"svg", "dot"}));
  command->add_option("--scope", o->picture.scope, "Draws only what is in this name scope");
  command
      ->add_option("--depth", o->picture.depth,
                   "Components of names that make a box (default: as many as fit a screen)")
      ->check(CLI::Range(1, kDeepest));
  command->add_flag("--all", o->picture.all, "Saving, gradients and initialisation too");
  command->footer(
      "A box is a name scope or an operation; placeholders are green, variables yellow. Arrows "
      "are\n"
      "tensors, dashed ones control dependencies. An SVG needs no other program; dot is for "
      "graphviz.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage.\n"
      "Examples:\n  ramet draw model-1000.meta -o model.svg\n"
      "  ramet draw model-1000.meta --scope dense --depth 3 -o dense.svg\n"
      "  ramet draw frozen.pb --format dot | dot -Tpdf -o frozen.pdf");
  command->callback([=] { *status = Draw(*o); });
}

}  // namespace cli
