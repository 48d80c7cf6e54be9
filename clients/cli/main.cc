// The command-line program `ramet`.
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
    "  ramet inspect model-1000.meta           summarize a graph and check its checkpoint\n"
    "  ramet list model-1000                   list the tensors of a checkpoint\n"
    "  ramet diff model-1000 model-2000        compare the tensors of two checkpoints\n"
    "  ramet convert model-1000 model.safetensors\n"
    "  ramet draw model-1000.meta -o model.svg draw a graph\n"
    "  ramet freeze model-1000 --output-nodes out -o frozen.pb\n"
    "  ramet clone in.meta --from in:0 --to out:0 --scope copy -o out.meta\n"
    "  ramet diff-graph a.meta b.meta          compare the structure of two graphs\n"
    "  ramet run model-1000 --feed x=x.npy --fetch out -o results\n"
    "  ramet follow file:checkpoints           print a line for each new checkpoint\n"
    "  ramet follow shm:policy --run out --feed x=x.npy\n"
    "  ramet publish model-1000 shm:policy     serve a checkpoint to other processes\n"
    "  ramet sync status shm:policy            show versions, readers and memory\n"
    "\n"
    "A PREFIX is the path of a checkpoint without .index, as returned by Saver.save. Commands "
    "that\n"
    "take a PREFIX also accept a SavedModel folder, a frozen GraphDef, or a folder with a\n"
    "'checkpoint' file. Files are recognized by their content, not by their names.\n"
    "Run 'ramet COMMAND --help' for more.\n"
    "\n"
    "Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted;\n"
    "for diff and diff-graph: 0 equal, 1 different, 2 failure or usage error.\n"
    "\n"
    "Environment: NO_COLOR=1 turns off colors.";

int Complain(std::string message) {
  std::ranges::replace_if(
      message, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  std::cerr << "ramet: " << cli::Clean(message) << "\n";
  return kFailed;
}

// Reports unexpected arguments. `first`, the first argument of all, may be a misspelled command.
int ReportExtras(const CLI::App& app, const CLI::ExtrasError& error, const std::string& first) {
  if (app.get_subcommands().empty() && !first.starts_with('-')) {
    const std::string unknown = "'" + cli::Clean(first) + "' is not a command";
    app.exit(CLI::ParseError(unknown, kUsage), std::cout, std::cerr);
  } else {
    app.exit(error, std::cout, std::cerr);
  }
  return kUsage;
}

// Makes a repeatable option take one value each time it is given, so that `--fetch out model` names
// one tensor and the model.
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
  CLI::App app("Inspect, convert, run, publish and follow TensorFlow 1 graphs and checkpoints.",
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
  } catch (const CLI::ExtrasError& e) {
    return ReportExtras(app, e, argv[1]);
  } catch (const CLI::ParseError& e) {
    return app.exit(e, std::cout, std::cerr) == 0 ? kOk : kUsage;
  } catch (const std::exception& e) {
    status = ramet::Unknown(e.what());
  }
  std::cout.flush();
  // A signal also interrupts a write that waits for a full pipe, so it comes first.
  if (status.ok() && cli::Interrupted()) return kInterrupted;
  if (status.ok() && !std::cout) status = ramet::Unknown("cannot write to stdout");
  if (!status.ok()) {
    const int code = Complain(status.ToString());
    const bool compares = app.got_subcommand("diff") || app.got_subcommand("diff-graph");
    return compares ? kDiffFailed : code;
  }
  return differ ? kDiffer : kOk;
}
