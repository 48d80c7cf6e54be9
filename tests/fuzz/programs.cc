#include "programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "case.h"
#include "draft.h"
#include "json.h"
#include "ramet/wire/message_file.h"

namespace ramet::fuzz {
namespace {

using conformance::Json;

// Parses nodes written as [name, op, inputs, attrs].
GraphDef FromNodes(const Json& nodes) {
  GraphDraft draft;
  for (const Json& node : nodes.items) {
    std::vector<std::string> inputs;
    for (const Json& in : node.items[2].items) inputs.push_back(in.text);
    draft.Add(node.items[1].text, node.items[0].text, inputs,
              conformance::ParseAttrs(node.items[3]).value());
  }
  return draft.def();
}

}  // namespace

std::vector<MetaGraphDef> LoadPrograms(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<MetaGraphDef> programs;
  for (const auto& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const Json json = Json::Parse(line).value();
      MetaGraphDef program;
      if (const Json* text = json.Find("meta_graph")) {
        const Status parsed = ParseMessage(text->text, "MetaGraphDef", &program);
        if (!parsed.ok()) throw BadStatusAccess(parsed);
      } else {
        *program.mutable_graph_def() = FromNodes(*json.Find("nodes"));
      }
      programs.push_back(std::move(program));
    }
  }
  return programs;
}

}  // namespace ramet::fuzz
