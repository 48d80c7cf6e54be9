#include "command.h"
#include "model.h"
#include "text.h"

namespace cli {

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
