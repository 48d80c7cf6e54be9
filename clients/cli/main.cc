// ramet: graphs and checkpoints from the command line.
#include <algorithm>
#include <exception>
#include <iostream>

#include "command.h"
#include "interrupt.h"
#include "text.h"

namespace {

enum ExitCode {
  kOk = 0,
  kFailed = 1,
  kDiffer = 1,
  kUsage = 2,
  kDiffFailed = 2,
  kInterrupted = 130
};

constexpr char kFooter[] =
    "Examples:\n"
    "  ramet inspect model-1000.meta           what the graph takes, gives and needs\n"
    "  ramet list model-1000                   the tensors of a checkpoint\n"
    "  ramet diff model-1000 model-2000        which tensors differ, by how much\n"
    "  ramet convert model-1000 model.safetensors\n"
    "  ramet draw model-1000.meta -o model.svg a picture of the graph\n"
    "  ramet freeze model-1000 --output-nodes out -o frozen.pb\n"
    "  ramet clone in.meta --from in:0 --to out:0 --scope copy -o out.meta\n"
    "  ramet diff-graph a.meta b.meta          where two graphs part\n"
    "  ramet run model-1000 --feed x=x.npy --fetch out -o results\n"
    "  ramet follow file:checkpoints           a line for each new checkpoint\n"
    "  ramet follow shm:policy --run out --feed x=x.npy\n"
    "  ramet publish model-1000 shm:policy     for followers in other processes\n"
    "  ramet sync status shm:policy            versions, readers, memory\n"
    "\n"
    "A PREFIX is a checkpoint's path without .index, as Saver.save returns it. A SavedModel's\n"
    "folder, a frozen GraphDef and a folder with a 'checkpoint' file do as well: the content of\n"
    "the files says what they are.\n"
    "\n"
    "'ramet COMMAND --help' shows more. Exit codes: 0 done, 1 failed, 2 wrong usage;\n"
    "of diff and diff-graph: 0 equal, 1 different, 2 failed or wrong usage; 130 interrupted.\n"
    "NO_COLOR=1 turns colours off.";

int Complain(std::string message) {
  std::ranges::replace_if(
      message, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  std::cerr << "ramet: " << cli::Clean(message) << "\n";
  return kFailed;
}

// `--fetch out model` names one tensor and the model: an option that can be repeated takes one
// value each time.
void TakeOneValueEach(CLI::App* app) {
  for (CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options([](const CLI::Option*) { return true; })) {
      if (!option->get_positional()) option->allow_extra_args(false);
    }
    TakeOneValueEach(command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ramet::Status status;
  bool differ = false;
  CLI::App app(
      "Graphs and checkpoints of TensorFlow 1: look into them, convert them, run them, follow "
      "them.",
      "ramet");
  app.footer(kFooter);
  app.set_version_flag("--version", "ramet " RAMET_VERSION);
  app.require_subcommand(0, 1);
  try {
    cli::AddInspect(app, &status);
    cli::AddList(app, &status);
    cli::AddPrint(app, &status);
    cli::AddDiff(app, &status, &differ);
    cli::AddConvert(app, &status);
    cli::AddFreeze(app, &status);
    cli::AddClone(app, &status);
    cli::AddExtract(app, &status);
    cli::AddMerge(app, &status);
    cli::AddDiffGraph(app, &status, &differ);
    cli::AddRun(app, &status);
    cli::AddDraw(app, &status);
    cli::AddFollow(app, &status);
    cli::AddPublish(app, &status);
    cli::AddSync(app, &status);
    cli::AddOps(app, &status);
    cli::AddCompletion(app);
    TakeOneValueEach(&app);
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) throw CLI::RequiredError("A command");
  } catch (const CLI::ParseError& e) {
    return app.exit(e, std::cout, std::cerr) == 0 ? kOk : kUsage;
  } catch (const std::exception& e) {
    status = ramet::Unknown(e.what());
  }
  std::cout.flush();
  if (status.ok() && !std::cout) status = ramet::Unknown("the output could not be written");
  if (status.ok() && cli::Interrupted()) return kInterrupted;
  if (!status.ok()) {
    const int code = Complain(status.ToString());
    const bool compares = app.got_subcommand("diff") || app.got_subcommand("diff-graph");
    return compares ? kDiffFailed : code;
  }
  return differ ? kDiffer : kOk;
}
