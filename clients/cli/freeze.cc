#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "command.h"
#include "model.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct FreezeOptions {
  ModelOptions model;
  std::string output, format, signature;
  std::vector<std::string> output_nodes, allow, deny;
  bool allow_given = false, remove_training_nodes = false, keep_devices = false, json = false;
};

std::string NodeOf(const std::string& tensor) { return tensor.substr(0, tensor.rfind(':')); }

void AddOnce(const std::string& name, std::vector<std::string>* names) {
  if (std::ranges::find(*names, name) == names->end()) names->push_back(name);
}

rm::StatusOr<std::vector<std::string>> OutputNodes(const FreezeOptions& options,
                                                   const Model& model) {
  std::vector<std::string> nodes;
  for (const std::string& name : options.output_nodes) AddOnce(NodeOf(name), &nodes);
  if (options.signature.empty()) return nodes;
  RAMET_ASSIGN_OR_RETURN(const rm::Signature signature, model.FindSignature(options.signature));
  for (const auto& [key, tensor] : signature.outputs) {
    if (tensor.name.empty()) {
      return rm::Unimplemented("output '", key, "' of signature '", options.signature,
                               "' is not a dense tensor; name its nodes with --output-nodes");
    }
    AddOnce(NodeOf(tensor.name), &nodes);
  }
  return nodes;
}

// Checks that `names`, the value of --allow or --deny, are variables of the graph.
rm::Status CheckNames(const Model& model, const std::vector<std::string>& names,
                      const char* option) {
  for (const std::string& name : names) {
    const auto found = model.graph().FindOperation(name);
    if (!found.ok()) return found.status().WithContext(rm::StrCat(option, " ", name));
    const std::string type = found->type();
    if (type == "Variable" || type == "VariableV2" || type == "VarHandleOp") continue;
    return rm::InvalidArgument(option, " ", name, ": expected a variable, found a node of op ",
                               type);
  }
  return rm::OkStatus();
}

// A summary of a frozen graph.
struct Frozen {
  int nodes = 0, constants = 0;
  int64_t constant_bytes = 0;
  std::vector<std::string> variables;  // variables that were not frozen
  std::vector<std::string> tables;     // tables, whose content is not part of the graph
};

rm::StatusOr<Frozen> Describe(const rm::Graph& graph) {
  Frozen frozen;
  frozen.nodes = graph.num_operations();
  for (const rm::Operation& op : graph.operations()) {
    const std::string type = op.type();
    if (type == "Variable" || type == "VariableV2" || type == "VarHandleOp") {
      frozen.variables.push_back(op.name());
    }
    if (type.find("HashTable") != std::string::npos) frozen.tables.push_back(op.name());
    if (type != "Const") continue;
    ++frozen.constants;
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, op.attr<rm::Tensor>("value"));
    frozen.constant_bytes += static_cast<int64_t>(value.bytes());
  }
  return frozen;
}

void Warn(const std::vector<std::string>& names, const char* text) {
  if (!names.empty()) {
    std::cerr << "ramet: warning: " << Clean(rm::StrJoin(names, ", ")) << ": " << text << "\n";
  }
}

void PrintFrozen(const FreezeOptions& options, const std::vector<std::string>& outputs,
                 const Frozen& frozen) {
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(options.output));
  if (options.json) {
    PrintJson({{"file", options.output},
               {"bytes", bytes},
               {"nodes", frozen.nodes},
               {"constants", frozen.constants},
               {"constant_bytes", frozen.constant_bytes},
               {"output_nodes", outputs},
               {"variables", frozen.variables},
               {"tables", frozen.tables}});
  } else {
    std::cout << options.output << ": GraphDef, " << Count(frozen.nodes, "node") << ", "
              << Count(frozen.constants, "constant") << " of " << Bytes(frozen.constant_bytes)
              << ", outputs " << Clean(rm::StrJoin(outputs, ", ")) << "\n";
  }
  if (options.allow_given || !options.deny.empty()) return;
  Warn(frozen.variables, "not frozen; the values of these variables are not in the file");
}

rm::Status Freeze(FreezeOptions options) {
  if (options.output_nodes.empty() && options.signature.empty()) {
    return rm::InvalidArgument(
        "no outputs to freeze; use --output-nodes NAME,... or --signature NAME ('ramet inspect' "
        "shows the names)");
  }
  options.model.clear_devices = !options.keep_devices;
  options.model.run_init_op = false;
  RAMET_ASSIGN_OR_RETURN(Model model, Model::Open(options.model));
  RAMET_ASSIGN_OR_RETURN(const auto outputs, OutputNodes(options, model));
  for (const std::string& name : outputs) {
    const rm::Status found = model.graph().FindOperation(name).status();
    if (!found.ok()) return found.WithContext("output node " + name);
  }
  RAMET_RETURN_IF_ERROR(CheckNames(model, options.allow, "--allow"));
  RAMET_RETURN_IF_ERROR(CheckNames(model, options.deny, "--deny"));
  rm::ConvertVariablesOptions which{.deny = options.deny};
  if (options.allow_given) which.allow = options.allow;
  RAMET_ASSIGN_OR_RETURN(std::string def,
                         rm::ConvertVariablesToConstants(model.session(), outputs, which));
  if (options.remove_training_nodes) {
    RAMET_ASSIGN_OR_RETURN(def, rm::RemoveTrainingNodes(def, outputs, false));
  }
  rm::Graph graph;
  RAMET_RETURN_IF_ERROR(rm::ImportGraphDef(graph, def, {.name = ""}).status());
  RAMET_ASSIGN_OR_RETURN(const Frozen frozen, Describe(graph));
  const bool text = options.format.empty() ? options.output.ends_with(".pbtxt") ||
                                                 options.output.ends_with(".prototxt")
                                           : options.format == "text";
  RAMET_RETURN_IF_ERROR(rm::ExportGraphDefFile(graph, options.output, {.as_text = text}));
  PrintFrozen(options, outputs, frozen);
  Warn(frozen.tables, "table contents are not in the file; run the initializer after loading it");
  return rm::OkStatus();
}

}  // namespace

void AddFreeze(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "freeze", "Write a graph and its checkpoint as one GraphDef with variables as constants");
  auto o = std::make_shared<FreezeOptions>();
  AddModelOptions(command, &o->model);
  command->add_option("-o,--output", o->output, "Write to this file: .pb, or .pbtxt for text form")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--output-nodes", o->output_nodes,
                   "Keep only these nodes and what they depend on; names separated by commas")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      ->add_option("--signature", o->signature, "Use the outputs of this signature as output nodes")
      ->type_name("NAME");
  auto* allow = command
                    ->add_option("--allow", o->allow,
                                 "Freeze only these variables; names separated by commas")
                    ->delimiter(',')
                    ->type_name("NAMES");
  command->add_option("--deny", o->deny, "Do not freeze these variables; names separated by commas")
      ->delimiter(',')
      ->type_name("NAMES");
  command->add_flag("--remove-training-nodes", o->remove_training_nodes,
                    "Remove CheckNumerics nodes, and Identity and StopGradient nodes that nothing "
                    "needs");
  command->add_flag("--keep-devices", o->keep_devices, "Keep the devices that nodes ask for");
  command
      ->add_option("--format", o->format,
                   "Write this format (default: text for *.pbtxt and *.prototxt, else binary)")
      ->check(CLI::IsMember({"text", "binary"}))
      ->type_name("FORMAT");
  command->add_flag("--json", o->json, "Print a JSON object that describes what was written");
  command->footer(
      "The file is replaced atomically. Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet freeze model-1000 --output-nodes out -o frozen.pb\n"
      "  ramet freeze saved_model/ --signature serving_default -o frozen.pb\n"
      "  ramet freeze train.meta --checkpoint model-1000 --output-nodes out "
      "--remove-training-nodes -o frozen.pbtxt");
  command->callback([=] {
    o->allow_given = allow->count() > 0;
    *status = Freeze(*o);
  });
}

}  // namespace cli
