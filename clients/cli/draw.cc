#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "command.h"
#include "draw.h"
#include "graph_output.h"
#include "output_file.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct DrawOptions {
  std::string input, output, format;
  std::vector<std::string> tags;
  draw::PictureOptions picture;
};

// Replaces a file in one step; pipes and devices are written to.
rm::Status WriteWhole(const std::string& path, const std::string& text) {
  std::error_code error;
  const bool special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  if (!special) {
    OutputFile file(path);
    file.stream() << text;
    return file.Commit();
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return rm::OkStatus();
  return rm::Unknown("'", path, "' cannot be written: ", std::strerror(errno));
}

// With the options that help in its errors.
rm::StatusOr<draw::Picture> PictureOf(const rm::Graph& graph, const draw::PictureOptions& options) {
  auto picture = draw::MakePicture(graph, options);
  const std::string message(picture.status().message());
  switch (picture.status().code()) {
    case rm::Code::kNotFound:
      if (options.all) return picture;
      return rm::NotFound(message, "; --all draws saving, training and initialisation too");
    case rm::Code::kInvalidArgument:
      return rm::InvalidArgument(message, "; draw a part with --scope, or less with --depth 1");
    default: return picture;
  }
}

rm::Status Draw(const DrawOptions& options) {
  rm::Graph graph;
  RAMET_RETURN_IF_ERROR(ImportGraphOf(options.input, options.tags, &graph));
  RAMET_ASSIGN_OR_RETURN(draw::Picture picture, PictureOf(graph, options.picture));
  const bool dot =
      options.format.empty() ? options.output.ends_with(".dot") : options.format == "dot";
  if (!dot) {
    draw::LayOut(&picture);
    draw::PlaceLabels(&picture);
  }
  const std::string text =
      dot ? draw::ToDot(picture, options.input) : draw::ToSvg(picture, options.input);
  if (options.output.empty()) {
    std::cout << text;
    return rm::OkStatus();
  }
  RAMET_RETURN_IF_ERROR(WriteWhole(options.output, text));
  std::cout << options.output << ": " << picture.boxes.size() << " boxes of "
            << Count(graph.num_operations(), "op") << "\n";
  return rm::OkStatus();
}

}  // namespace

void AddDraw(CLI::App& app, rm::Status* status) {
  auto* command =
      app.add_subcommand("draw", "A picture of a graph: name scopes and what flows between them");
  auto o = std::make_shared<DrawOptions>();
  command
      ->add_option(
          "MODEL", o->input,
          "A .meta file (or its checkpoint's PREFIX), a GraphDef, or a SavedModel's folder")
      ->required();
  command->add_option("--tags", o->tags, "Which graph of a SavedModel, by its tags with commas")
      ->delimiter(',');
  command->add_option("-o,--output", o->output, "The file to write (default: stdout)");
  command->add_option("--format", o->format, "Default: dot for *.dot, else svg")
      ->check(CLI::IsMember({"svg", "dot"}));
  command->add_option("--scope", o->picture.scope, "Draws only what is in this name scope");
  command
      ->add_option("--depth", o->picture.depth,
                   "Components of names that make a box (default: as many as fit a screen)")
      ->check(CLI::Range(1, draw::kDeepest));
  command->add_flag("--all", o->picture.all, "Saving, training and initialisation too");
  command->footer(
      "A box is a name scope or an operation; placeholders are green, variables yellow. Arrows "
      "are\n"
      "tensors, dashed ones control dependencies. An SVG needs no other program; dot is for "
      "graphviz.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage.\n"
      "Examples:\n  ramet draw model-1000.meta -o model.svg\n"
      "  ramet draw model-1000.meta --scope dense --depth 3 -o dense.svg\n"
      "  ramet draw frozen.pb --format dot | dot -Tpdf -o frozen.pdf");
  command->callback([=] { *status = Draw(*o); });
}

}  // namespace cli
