#include "ramet/replica/announced_graph.h"

#include <utility>

#include "ramet/base/strings.h"
#include "ramet/base/wire_format.h"
#include "ramet/graph_def/meta_graph.h"

namespace ramet {
namespace {

constexpr uint32_t kSchemaVersion = 1, kMetaGraphs = 2;  // of SavedModel
constexpr uint32_t kMetaInfoDef = 1;                     // of MetaGraphDef
constexpr uint32_t kTags = 4;                            // of MetaInfoDef

// Returns the last field with that number, or an empty string.
std::string_view FieldOf(std::string_view message, uint32_t number) {
  std::string_view found;
  for (WireField field; TakeField(&message, &field);) {
    if (field.Is(number)) found = field.bytes;
  }
  return found;
}

bool IsSavedModel(std::string_view announced) {
  WireField field;
  return TakeField(&announced, &field) && field.number == kSchemaVersion &&
         field.type == WireType::kVarint;
}

// Returns the names and graphs of the models.
std::vector<std::pair<std::string, std::string_view>> ModelsOf(std::string_view announced) {
  std::vector<std::pair<std::string, std::string_view>> models;
  if (!IsSavedModel(announced)) return models;
  for (WireField field; TakeField(&announced, &field);) {
    if (!field.Is(kMetaGraphs)) continue;
    const std::string_view tag = FieldOf(FieldOf(field.bytes, kMetaInfoDef), kTags);
    models.emplace_back(std::string(tag), field.bytes);
  }
  return models;
}

StatusOr<std::string> Announce(const AnnouncedModel& model) {
  ExportMetaGraphOptions options;
  if (!model.name.empty()) options.tags = {model.name};
  RAMET_ASSIGN_OR_RETURN(options.carried, CarrySignatures(*model.graph, model.signature_defs));
  return ExportMetaGraph(*model.graph, options);
}

}  // namespace

StatusOr<std::string> AnnounceGraphs(const std::vector<AnnouncedModel>& models) {
  if (models.size() == 1 && models[0].name.empty()) return Announce(models[0]);
  std::string announced;
  AppendVarint64(&announced, kSchemaVersion << 3 | static_cast<uint32_t>(WireType::kVarint));
  AppendVarint64(&announced, 1);
  for (const auto& model : models) {
    RAMET_ASSIGN_OR_RETURN(const std::string graph, Announce(model));
    AppendBytesField(&announced, kMetaGraphs, graph);
  }
  return announced;
}

std::vector<std::string> AnnouncedModels(std::string_view announced) {
  std::vector<std::string> names;
  for (const auto& model : ModelsOf(announced)) names.push_back(model.first);
  return names;
}

StatusOr<std::string_view> AnnouncedGraph(std::string_view announced, std::string_view model) {
  if (!IsSavedModel(announced)) {
    if (model.empty()) return announced;
    return InvalidArgument("a single model without a name is published, not '", model, "'");
  }
  for (const auto& candidate : ModelsOf(announced)) {
    if (candidate.first == model) return candidate.second;
  }
  const std::string names = StrJoin(AnnouncedModels(announced), ", ");
  if (model.empty()) {
    return InvalidArgument("several models are published; choose one of ", names);
  }
  return InvalidArgument("no model '", model, "' is published; choose one of ", names);
}

}  // namespace ramet
