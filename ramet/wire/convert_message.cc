#include "ramet/wire/convert_message.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/proto/checkpoint.pb.h"
#include "ramet/proto/control_flow.pb.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/meta_graph.pb.h"
#include "ramet/proto/saved_model.pb.h"
#include "ramet/proto/trackable_object_graph.pb.h"
#include "ramet/proto/variable.pb.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr size_t kMaxUnknownFields = 8;
// The kinds that are recognized by content, in this order.
constexpr std::string_view kKinds[] = {"MetaGraphDef", "GraphDef", "SavedModel", "CheckpointState"};

const std::map<std::string_view, const Message*>& Prototypes() {
  static const auto* const prototypes = new std::map<std::string_view, const Message*>{
      {"AttrValue", &AttrValue::default_instance()},
      {"CheckpointState", &CheckpointState::default_instance()},
      {"CollectionDef", &CollectionDef::default_instance()},
      {"FunctionDefLibrary", &FunctionDefLibrary::default_instance()},
      {"GraphDef", &GraphDef::default_instance()},
      {"MetaGraphDef", &MetaGraphDef::default_instance()},
      {"NodeDef", &NodeDef::default_instance()},
      {"OpList", &OpList::default_instance()},
      {"QueueRunnerDef", &QueueRunnerDef::default_instance()},
      {"SavedModel", &SavedModel::default_instance()},
      {"SaverDef", &SaverDef::default_instance()},
      {"SignatureDef", &SignatureDef::default_instance()},
      {"TensorProto", &TensorProto::default_instance()},
      {"TrackableObjectGraph", &TrackableObjectGraph::default_instance()},
      {"VariableDef", &VariableDef::default_instance()}};
  return *prototypes;
}

std::unique_ptr<Message> NewMessage(std::string_view kind) {
  return std::unique_ptr<Message>(Prototypes().at(kind)->New());
}

// Adds the positions of unknown fields to `positions`, without duplicates and up to a limit. Parsed
// messages are at most 100 levels deep.
void CollectUnknown(const Message& message, std::vector<std::string>* positions) {
  const auto& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count() && positions->size() < kMaxUnknownFields; ++i) {
    std::string position =
        StrCat(message.GetDescriptor()->name(), ", field ", unknown.field(i).number());
    if (std::ranges::find(*positions, position) == positions->end())
      positions->push_back(std::move(position));
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count && positions->size() < kMaxUnknownFields; ++i) {
      CollectUnknown(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                          : reflection.GetMessage(message, field),
                     positions);
    }
  }
}

bool IsCalled(const std::string& path, std::string_view kind) {
  return (kind == "MetaGraphDef" && path.ends_with(".meta")) ||
         (kind == "SavedModel" && path.find("saved_model.pb") != std::string::npos) ||
         (kind == "CheckpointState" && (path == "checkpoint" || path.ends_with("/checkpoint")));
}

// Returns the kinds to try, in order.
std::vector<std::string_view> Candidates(const std::string& path, std::string_view kind) {
  if (!kind.empty()) return {kind};
  std::vector<std::string_view> kinds(std::begin(kKinds), std::end(kKinds));
  std::stable_partition(kinds.begin(), kinds.end(),
                        [&](std::string_view k) { return IsCalled(path, k); });
  return kinds;
}

struct Parsed {
  std::string_view kind;
  std::unique_ptr<Message> message;
  std::vector<std::string> unknown;  // unknown fields
};

// Returns the first kind that parses without unknown fields, or else the first one that parses.
// Since any message of strings could be a CheckpointState, that kind must have no unknown fields
// unless requested explicitly.
StatusOr<Parsed> Recognize(const std::string& path, const std::string& bytes,
                           std::string_view kind) {
  Parsed best;
  Status failure;
  for (std::string_view candidate : Candidates(path, kind)) {
    auto message = NewMessage(candidate);
    Status status = ParseMessage(bytes, candidate, message.get());
    failure.Update(status);
    if (!status.ok()) continue;
    std::vector<std::string> unknown;
    CollectUnknown(*message, &unknown);
    const bool whole = unknown.empty();
    if (!whole && kind.empty() && candidate == "CheckpointState") continue;
    if (whole || !best.message) best = {candidate, std::move(message), std::move(unknown)};
    if (whole) return best;
  }
  if (best.message) return best;
  if (!kind.empty()) return failure.WithContext(StrCat("'", path, "'"));
  return DataLoss("'", path,
                  "' is not a GraphDef, MetaGraphDef, SavedModel or CheckpointState in binary or "
                  "text form");
}

StatusOr<Parsed> ReadMessage(const std::string& path, std::string_view kind) {
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  if (bytes.empty()) return DataLoss("'", path, "' is empty");
  return Recognize(path, bytes, kind);
}

Status UnknownKind(std::string_view kind) {
  std::vector<std::string_view> names;
  for (const auto& [name, prototype] : Prototypes()) names.push_back(name);
  return InvalidArgument("unknown message '", kind, "'; use one of ", StrJoin(names, ", "));
}

}  // namespace

StatusOr<std::string> MessageKindOfFile(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(const Parsed parsed, ReadMessage(path, ""));
  return std::string(parsed.kind);
}

StatusOr<std::string> ConvertMessageFile(const std::string& from, const std::string& to,
                                         bool as_text, std::string_view kind) {
  if (!kind.empty() && !Prototypes().contains(kind)) return UnknownKind(kind);
  RAMET_ASSIGN_OR_RETURN(const Parsed parsed, ReadMessage(from, kind));
  if (as_text && !parsed.unknown.empty()) {
    return InvalidArgument("'", from, "' has unknown fields (", StrJoin(parsed.unknown, "; "),
                           ") that text form would lose; keep it binary");
  }
  RAMET_ASSIGN_OR_RETURN(const std::string out, MessageToBytes(*parsed.message, as_text));
  RAMET_RETURN_IF_ERROR(AtomicWriteFile(to, out));
  return std::string(parsed.kind);
}

}  // namespace ramet
