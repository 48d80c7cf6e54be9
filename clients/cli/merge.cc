#include <algorithm>
#include <filesystem>
#include <iostream>

#include "command.h"
#include "graph_output.h"
#include "model.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct MergeOptions {
  std::vector<std::string> models, scopes, checkpoints;
  std::string output;
  bool json = false;
};

// "model-1000" for "runs/model-1000.meta"; a legal name scope.
std::string ScopeOf(const std::string& path) {
  std::filesystem::path p(path);
  if (!p.has_filename()) p = p.parent_path();
  std::string name = (p.extension() == ".meta" || p.extension() == ".pb" ? p.stem() : p.filename());
  std::ranges::replace_if(
      name,
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '.' && c != '-'; },
      '_');
  if (name.empty() || (std::isalnum(static_cast<unsigned char>(name[0])) == 0 && name[0] != '.')) {
    name.insert(0, "g");
  }
  return name;
}

// One graph, and what it has become.
struct Part {
  std::string path;
  Model model;
  rm::Cloned clone;
};

rm::StatusOr<Part> MergeOne(const MergeOptions& o, size_t i, rm::Graph* target) {
  ModelOptions from;
  from.path = o.models[i];
  from.clear_devices = false;
  if (i < o.checkpoints.size()) from.checkpoint = o.checkpoints[i];
  RAMET_ASSIGN_OR_RETURN(Model model, Model::Open(from));
  rm::CloneOptions options{.into = target};
  options.dst_scope = i < o.scopes.size() ? o.scopes[i] : ScopeOf(o.models[i]);
  if (options.dst_scope == "/") options.dst_scope.clear();
  if (model.has_values()) {
    options.initial = rm::kCurrent;
    options.session = model.session();
  }
  auto clone = rm::Clone(model.session().graph(), options);
  if (!clone.ok()) return clone.status().WithContext(o.models[i]);
  return Part{o.models[i], std::move(model), *std::move(clone)};
}

void Report(const MergeOptions& o, const std::vector<Part>& parts, const WrittenModel& written) {
  nlohmann::json graphs = nlohmann::json::array();
  for (const Part& part : parts) {
    const auto ops = static_cast<int64_t>(part.clone.operations().size());
    graphs.push_back({{"model", part.path},
                      {"scope", part.clone.scope()},
                      {"ops", ops},
                      {"variables", part.clone.variables().size()},
                      {"init_op", part.clone.init_op().name()}});
  }
  if (o.json) {
    PrintJson(
        {{"file", written.file}, {"checkpoint", OrNull(written.checkpoint)}, {"graphs", graphs}});
    return;
  }
  std::cout << written.file << ": " << Count(static_cast<int64_t>(parts.size()), "graph");
  if (!written.checkpoint.empty()) {
    std::cout << ", with the values of their variables in " << Clean(written.checkpoint);
  }
  std::cout << "\n";
  for (const nlohmann::json& g : graphs) {
    const auto scope = g["scope"].get<std::string>();
    std::cout << "  " << Clean(g["model"].get<std::string>()) << " "
              << (scope.empty() ? "at the root" : "under ") << Clean(scope) << ": "
              << Count(g["ops"].get<int64_t>(), "op") << ", "
              << Count(g["variables"].get<int64_t>(), "variable") << "\n";
  }
}

rm::Status Merge(const MergeOptions& o) {
  if (o.models.size() < 2) return rm::InvalidArgument("two graphs at least are merged");
  for (const auto* list : {&o.scopes, &o.checkpoints}) {
    if (list->empty() || list->size() == o.models.size()) continue;
    return rm::InvalidArgument(list == &o.scopes ? "--scopes" : "--checkpoints", " has ",
                               list->size(), " names for ", o.models.size(), " graphs");
  }
  RAMET_RETURN_IF_ERROR(CheckModelOutput(o.output));
  rm::Graph target;
  std::vector<Part> parts;
  bool values = false;
  for (size_t i = 0; i < o.models.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Part part, MergeOne(o, i, &target));
    values = values || part.model.has_values();
    parts.push_back(std::move(part));
  }
  RAMET_ASSIGN_OR_RETURN(rm::Session session,
                         rm::Session::Create(target, {.allow_soft_placement = true}));
  for (const Part& part : parts) {
    if (values) RAMET_RETURN_IF_ERROR(session.Run(part.clone.init_op()).status());
  }
  RAMET_ASSIGN_OR_RETURN(const WrittenModel written, WriteModel(session, o.output, values));
  Report(o, parts, written);
  return rm::OkStatus();
}

}  // namespace

void AddMerge(CLI::App& app, rm::Status* status) {
  auto* command =
      app.add_subcommand("merge", "Several graphs as one, each under a name scope of its own");
  auto o = std::make_shared<MergeOptions>();
  command
      ->add_option("MODELS", o->models,
                   "Two or more: .meta files, checkpoints' PREFIXes with theirs, GraphDefs, "
                   "SavedModels' folders")
      ->required();
  command->add_option("-o,--output", o->output, "The graph to write, NAME.meta")->required();
  command
      ->add_option("--scopes", o->scopes,
                   "A name scope for each graph, with commas; / is the root (default: the names of "
                   "the files)")
      ->delimiter(',');
  command
      ->add_option("--checkpoints", o->checkpoints,
                   "The values of each graph, with commas, when they are elsewhere")
      ->delimiter(',');
  command->add_flag("--json", o->json, "What was written, as a JSON object");
  command->footer(
      "The graph gets a saver for all variables. If one of the graphs has values, a checkpoint is\n"
      "written beside it, as NAME; variables without values are initialised. Exit codes: 0 done,\n"
      "1 failed, 2 wrong usage.\n"
      "Examples:\n  ramet merge a.meta b.meta -o both.meta\n"
      "  ramet merge actor-100 critic-200 --scopes actor,critic -o agent.meta");
  command->callback([=] { *status = Merge(*o); });
}

}  // namespace cli
