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

// Makes a legal name scope from a path: "model-1000" from "runs/model-1000.meta".
std::string ScopeOfModel(const std::string& path) {
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

// An input graph and its copy in the merged graph.
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
  options.dst_scope = i < o.scopes.size() ? o.scopes[i] : ScopeOfModel(o.models[i]);
  if (options.dst_scope == "/") options.dst_scope.clear();
  if (model.has_values()) {
    options.initial = rm::kCurrent;
    options.session = model.session();
  }
  auto clone = rm::Clone(model.session().graph(), options);
  if (!clone.ok()) return clone.status().WithContext(o.models[i]);
  return Part{o.models[i], std::move(model), *std::move(clone)};
}

void PrintMerged(const MergeOptions& o, const std::vector<Part>& parts,
                 const WrittenModel& written) {
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
  if (o.models.size() < 2) return rm::InvalidArgument("expected at least two graphs");
  for (const auto* list : {&o.scopes, &o.checkpoints}) {
    if (list->empty() || list->size() == o.models.size()) continue;
    return rm::InvalidArgument(list == &o.scopes ? "--scopes" : "--checkpoints", " has ",
                               Count(static_cast<int64_t>(list->size()), "name"), " for ",
                               o.models.size(), " graphs");
  }
  for (auto scope = o.scopes.begin(); scope != o.scopes.end(); ++scope) {
    if (std::find(o.scopes.begin(), scope, *scope) == scope) continue;
    return rm::InvalidArgument("--scopes names '", *scope, "' twice");
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
  PrintMerged(o, parts, written);
  return rm::OkStatus();
}

}  // namespace

void AddMerge(CLI::App& app, rm::Status* status) {
  auto* command =
      app.add_subcommand("merge", "Merge several graphs into one, each in its own name scope");
  auto o = std::make_shared<MergeOptions>();
  command
      ->add_option("MODELS", o->models,
                   "Two or more .meta files, checkpoint PREFIXes with a .meta file, GraphDefs or "
                   "SavedModel folders")
      ->required();
  command->add_option("-o,--output", o->output, "Write the graph to this file")
      ->required()
      ->type_name("NAME.meta");
  command
      ->add_option("--scopes", o->scopes,
                   "Put each graph in one of these name scopes, separated by commas; / is the root "
                   "(default: the names of the files)")
      ->delimiter(',')
      ->type_name("SCOPES");
  command
      ->add_option(
          "--checkpoints", o->checkpoints,
          "Take the values of each graph from one of these checkpoints, separated by commas")
      ->delimiter(',')
      ->type_name("PREFIXES");
  command->add_flag("--json", o->json, "Print a JSON object that describes what was written");
  command->footer(
      "The written graph has a saver for all its variables. If one of the graphs has values, they\n"
      "are written next to it as the checkpoint NAME; variables without values are initialized.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet merge a.meta b.meta -o both.meta\n"
      "  ramet merge actor-100 critic-200 --scopes actor,critic -o agent.meta");
  command->callback([=] { *status = Merge(*o); });
}

}  // namespace cli
