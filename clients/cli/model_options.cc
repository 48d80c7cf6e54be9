#include "command.h"
#include "model.h"

namespace cli {

void AddModelOptions(CLI::App* command, ModelOptions* options) {
  command
      ->add_option("MODEL", options->path,
                   "A checkpoint's PREFIX with its .meta file beside it (or that file), a "
                   "SavedModel's folder, a frozen GraphDef, a folder with a 'checkpoint' file")
      ->required();
  command->add_option("--meta", options->meta,
                      "The graph, when it is elsewhere (.meta or GraphDef)");
  command->add_option("--checkpoint", options->checkpoint,
                      "The values, when they are elsewhere (PREFIX)");
  command
      ->add_option(
          "--tags", options->tags,
          "Which graph of a SavedModel, by its tags with commas (default: the only one, or "
          "serve)")
      ->delimiter(',');
}

}  // namespace cli
