#include "command.h"
#include "model.h"
#include "text.h"

namespace cli {

namespace rm = ramet;

rm::Status WithHint(const rm::Status& status) {
  const std::string& message = status.message();
  if (message.find("NumPy has no dtype") != message.npos) {
    return status.WithSuffix("; use --json to print its values");
  }
  if (message.find("must feed a value") != message.npos) {
    return status.WithSuffix("; give it with --feed NAME=FILE.npy or --feed NAME=VALUE");
  }
  if (message.find("ninitialized") != message.npos) {
    return status.WithSuffix("; name the checkpoint that has its value with --checkpoint PREFIX");
  }
  return status;
}

rm::StatusOr<Model> OpenStep(const StepOptions& step, const char* verb) {
  RAMET_ASSIGN_OR_RETURN(Model model, Model::Open(step.model));
  if (step.fetches.empty() && step.signature.empty()) {
    return rm::InvalidArgument(
        "nothing to ", verb,
        "; use --fetch NAME or --signature NAME ('ramet inspect' shows the names)");
  }
  RAMET_RETURN_IF_ERROR(model.Prepare(step.feeds, step.fetches, step.signature));
  return model;
}

void AddModelOptions(CLI::App* command, ModelOptions* options) {
  command
      ->add_option(
          "MODEL", options->path,
          "A checkpoint PREFIX with its .meta file next to it (or that file), a SavedModel "
          "folder, a frozen GraphDef, or a folder with a 'checkpoint' file")
      ->required();
  command->add_option("--meta", options->meta, "Take the graph from this .meta file or GraphDef")
      ->type_name("FILE");
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "Take the values of the variables from this checkpoint")
      ->type_name("PREFIX");
  command->add_option("--tags", options->tags, kTagsHelp)->delimiter(',')->type_name("TAGS");
}

void AddStepOptions(CLI::App* command, StepOptions* options) {
  AddModelOptions(command, &options->model);
  command
      ->add_option(
          "--feed", options->feeds,
          "Feed a tensor: NAME=FILE.npy or NAME=VALUE, with VALUE as JSON; can be repeated")
      ->type_name("NAME=VALUE");
  command
      ->add_option("--fetch", options->fetches,
                   "Compute this tensor or run this operation; can be repeated (default with "
                   "--signature: all its outputs)")
      ->type_name("NAME");
  command
      ->add_option("--signature", options->signature,
                   "Name feeds and fetches by the keys of this signature")
      ->type_name("NAME");
}

}  // namespace cli
