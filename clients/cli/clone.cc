#include <iostream>
#include <map>

#include "command.h"
#include "graph_output.h"
#include "model.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct CloneArguments {
  ModelOptions model;
  std::string output, scope, under, device, dtype, variables;
  std::vector<std::string> from, to;
  bool extract = false, slots = false, strip_training = false, json = false;
};

rm::StatusOr<rm::CloneOptions> ToOptions(const CloneArguments& a) {
  rm::CloneOptions options;
  for (const std::string& name : a.from) options.inputs.emplace_back(name);
  for (const std::string& name : a.to) options.outputs.emplace_back(name);
  options.scope = a.under;
  options.dst_scope = a.scope;
  if (!a.device.empty()) options.device = a.device;
  if (a.variables == "shared") options.variables = rm::CloneState::kShared;
  options.slots = a.slots;
  options.strip_training = a.strip_training;
  if (!a.dtype.empty()) {
    auto dtype = rm::ParseDType(a.dtype);
    if (!dtype.ok()) return dtype.status().WithContext("--dtype");
    options.dtype = *dtype;
  }
  return options;
}

// Maps the name of each element to its name in the clone.
nlohmann::json Names(const rm::Cloned& clone, const std::vector<std::string>& elements) {
  nlohmann::json names = nlohmann::json::object();
  for (const std::string& name : elements) {
    const auto op = clone.source().FindOperation(name);
    if (op.ok()) {
      const rm::Operation copy = clone.Transformed(*op);
      names[name] = copy.valid() ? copy.name() : clone.Transformed(name + ":0").name();
    } else {
      names[name] = clone.Transformed(name).name();
    }
  }
  return names;
}

void PrintClone(const CloneArguments& a, const rm::Cloned& clone, const WrittenModel& written) {
  nlohmann::json variables = nlohmann::json::object();
  for (const rm::ClonedVariable& v : clone.variables()) {
    variables[v.original.op().name()] = v.copy.op_name();
  }
  const nlohmann::json inputs = Names(clone, a.from), outputs = Names(clone, a.to);
  const auto ops = static_cast<int64_t>(clone.operations().size());
  if (a.json) {
    PrintJson({{"file", written.file},
               {"checkpoint", OrNull(written.checkpoint)},
               {"scope", clone.scope()},
               {"ops", ops},
               {"inputs", inputs},
               {"outputs", outputs},
               {"variables", variables},
               {"init_op", clone.init_op().name()}});
    return;
  }
  std::cout << written.file << ": " << Count(ops, "op");
  if (!clone.scope().empty()) std::cout << " under " << Clean(clone.scope());
  std::cout << ", " << Count(static_cast<int64_t>(variables.size()), "variable");
  if (written.checkpoint.empty()) {
    std::cout << ", initialized by " << Clean(clone.init_op().name());
  } else {
    std::cout << ", with their values in " << Clean(written.checkpoint);
  }
  std::cout << "\n";
  for (const auto& [what, names] : {std::pair{"input", &inputs}, {"output", &outputs}}) {
    for (const auto& [name, copy] : names->items()) {
      std::cout << "  " << what << " " << Clean(copy.get<std::string>()) << " (original "
                << Clean(name) << ")\n";
    }
  }
}

rm::Status WriteClone(const CloneArguments& a, Model& model, const rm::Cloned& clone,
                      rm::Session& session) {
  if (model.has_values()) RAMET_RETURN_IF_ERROR(session.Run(clone.init_op()).status());
  RAMET_ASSIGN_OR_RETURN(const WrittenModel written,
                         WriteModel(session, a.output, model.has_values()));
  PrintClone(a, clone, written);
  return rm::OkStatus();
}

rm::Status CloneModel(CloneArguments a) {
  if (a.extract && a.to.empty() && a.under.empty()) {
    return rm::InvalidArgument(
        "nothing to extract; use --to NAME,... or --under SCOPE ('ramet inspect' shows the names)");
  }
  RAMET_RETURN_IF_ERROR(CheckModelOutput(a.output));
  RAMET_ASSIGN_OR_RETURN(rm::CloneOptions options, ToOptions(a));
  a.model.clear_devices = false;
  RAMET_ASSIGN_OR_RETURN(Model model, Model::Open(a.model));
  if (model.has_values()) options.initial = rm::kCurrent;
  rm::Graph& source = model.session().graph();
  if (!a.extract) {
    RAMET_ASSIGN_OR_RETURN(const rm::Cloned clone, rm::Clone(source, options));
    return WriteClone(a, model, clone, model.session());
  }
  rm::Graph target;
  options.into = &target;
  options.session = model.session();
  RAMET_ASSIGN_OR_RETURN(const rm::Cloned clone, rm::Clone(source, options));
  RAMET_ASSIGN_OR_RETURN(rm::Session there,
                         rm::Session::Create(target, {.allow_soft_placement = true}));
  return WriteClone(a, model, clone, there);
}

void AddArguments(CLI::App* command, CloneArguments* a) {
  AddModelOptions(command, &a->model);
  command->add_option("-o,--output", a->output, "Write the graph to this file")
      ->required()
      ->type_name("NAME.meta");
  command
      ->add_option("--from", a->from,
                   "Feed these tensors instead of computing them; names separated by commas")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      ->add_option(
          "--to", a->to,
          "Take these tensors or operations and everything they depend on; names separated "
          "by commas")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      ->add_option("--under", a->under, "Take the operations in this name scope, instead of --to")
      ->type_name("SCOPE");
  command->add_option("--device", a->device, "Place the operations on this device, such as /cpu:0")
      ->type_name("DEVICE");
  command
      ->add_option("--dtype", a->dtype,
                   "Convert float to half, bfloat16 or double, with casts at the edges")
      ->type_name("DTYPE");
  command->add_flag("--slots", a->slots,
                    "Also take the slot variables of optimizers, with --to or --under");
  command->add_flag("--strip-training", a->strip_training,
                    "Drop operations that only training needs");
  command->add_flag("--json", a->json, "Print a JSON object that describes what was written");
}

constexpr char kFooter[] =
    "The written graph has a saver for all its variables. If there are values (a checkpoint next "
    "to\n"
    "MODEL, or --checkpoint), they are written next to the graph as the checkpoint NAME.\n"
    "Exit codes: 0 success, 1 failure, 2 usage error.\n";

}  // namespace

void AddClone(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "clone", "Copy a network within its graph and give the copy its own variables");
  auto a = std::make_shared<CloneArguments>();
  a->scope = "copy";
  AddArguments(command, a.get());
  command->add_option("--scope", a->scope, "Put the copy in this name scope (default: copy)")
      ->type_name("SCOPE");
  command
      ->add_option("--variables", a->variables,
                   "Give the copy its own variables (default) or share the original's")
      ->check(CLI::IsMember({"own", "shared"}))
      ->type_name("KIND");
  command->footer(
      std::string(kFooter) +
      "Examples:\n"
      "  ramet clone in.meta --from in:0 --to out:0 --scope copy --device /cpu:0 -o out.meta\n"
      "  ramet clone in.meta --to out --checkpoint model-1000 -o both.meta");
  command->callback([=] { *status = CloneModel(*a); });
}

void AddExtract(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("extract", "Write a part of a graph as a separate graph");
  auto a = std::make_shared<CloneArguments>();
  a->extract = true;
  AddArguments(command, a.get());
  command->add_option("--scope", a->scope, "Put the part in this name scope (default: none)")
      ->type_name("SCOPE");
  command->footer(std::string(kFooter) +
                  "Examples:\n  ramet extract train-1000 --to logits --strip-training -o net.meta\n"
                  "  ramet extract in.meta --from embedding:0 --to out:0 -o head.meta");
  command->callback([=] { *status = CloneModel(*a); });
}

}  // namespace cli
