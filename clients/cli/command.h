#pragma once

#include <ramet/ramet.h>

#include <CLI/CLI.hpp>

namespace cli {

struct ModelOptions;

// Why nothing can be published or followed there, or "": a check of an option.
std::string AddressProblem(const std::string& address);

// Each adds one command to the app. When the command line names it, it runs within app.parse and
// leaves in `status` how it went. Results go to stdout.
void AddOps(CLI::App& app, ramet::Status* status);
void AddList(CLI::App& app, ramet::Status* status);
void AddPrint(CLI::App& app, ramet::Status* status);
void AddInspect(CLI::App& app, ramet::Status* status);
void AddFollow(CLI::App& app, ramet::Status* status);
void AddPublish(CLI::App& app, ramet::Status* status);
void AddSync(CLI::App& app, ramet::Status* status);
void AddRun(CLI::App& app, ramet::Status* status);
void AddFreeze(CLI::App& app, ramet::Status* status);
void AddConvert(CLI::App& app, ramet::Status* status);
void AddDraw(CLI::App& app, ramet::Status* status);
void AddClone(CLI::App& app, ramet::Status* status);
void AddExtract(CLI::App& app, ramet::Status* status);
void AddMerge(CLI::App& app, ramet::Status* status);
// Sets `differ` when the two files do.
void AddDiff(CLI::App& app, ramet::Status* status, bool* differ);
// The same of two graphs.
void AddDiffGraph(CLI::App& app, ramet::Status* status, bool* differ);
// MODEL, --meta, --checkpoint and --tags of a command that opens a model.
void AddModelOptions(CLI::App* command, ModelOptions* options);
// Offers the commands that the app has when it runs.
void AddCompletion(CLI::App& app);

}  // namespace cli
