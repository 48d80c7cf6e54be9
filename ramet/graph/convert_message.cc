#include "ramet/graph/convert_message.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/graph/message_file.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/meta_graph.pb.h"
#include "ramet/proto/saved_model.pb.h"

namespace ramet {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::string_view kKinds[] = {"MetaGraphDef", "GraphDef", "SavedModel"};

std::unique_ptr<Message> NewMessage(std::string_view kind) {
  if (kind == "GraphDef") return std::make_unique<GraphDef>();
  if (kind == "MetaGraphDef") return std::make_unique<MetaGraphDef>();
  return std::make_unique<SavedModel>();
}

// The first place of a field that the message's type does not have; "" if there is none. Parsed
// messages are at most 100 deep.
std::string UnknownFieldIn(const Message& message) {
  const auto& reflection = *message.GetReflection();
  if (const auto& unknown = reflection.GetUnknownFields(message); !unknown.empty()) {
    return StrCat(message.GetDescriptor()->name(), ", field ", unknown.field(0).number());
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const Message& inner = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                  : reflection.GetMessage(message, field);
      if (std::string found = UnknownFieldIn(inner); !found.empty()) return found;
    }
  }
  return "";
}

bool IsCalled(const std::string& path, std::string_view kind) {
  return (kind == "MetaGraphDef" && path.ends_with(".meta")) ||
         (kind == "SavedModel" && path.find("saved_model.pb") != std::string::npos);
}

// The kinds in the order in which they are tried.
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
  std::string unknown;  // a field that its type does not have
};

// The first kind that fits without unknown fields, else the first one that fits.
StatusOr<Parsed> Recognize(const std::string& path, const std::string& bytes,
                           std::string_view kind) {
  Parsed best;
  Status failure;
  for (std::string_view candidate : Candidates(path, kind)) {
    auto message = NewMessage(candidate);
    Status status = ParseMessage(bytes, candidate, message.get());
    failure.Update(status);
    if (!status.ok()) continue;
    std::string unknown = UnknownFieldIn(*message);
    const bool whole = unknown.empty();
    if (whole || !best.message) best = {candidate, std::move(message), std::move(unknown)};
    if (whole) return best;
  }
  if (best.message) return best;
  if (!kind.empty()) return failure.WithContext(StrCat("'", path, "'"));
  return DataLoss("'", path,
                  "' is no GraphDef, MetaGraphDef or SavedModel, in binary or text form");
}

}  // namespace

StatusOr<std::string> ConvertMessageFile(const std::string& from, const std::string& to,
                                         bool as_text, std::string_view kind) {
  if (!kind.empty() && std::ranges::count(kKinds, kind) == 0) {
    return InvalidArgument("there is no message '", kind,
                           "' here; GraphDef, MetaGraphDef and SavedModel are possible");
  }
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(from));
  if (bytes.empty()) return DataLoss("'", from, "' is empty");
  RAMET_ASSIGN_OR_RETURN(const Parsed parsed, Recognize(from, bytes, kind));
  if (as_text && !parsed.unknown.empty()) {
    return InvalidArgument("'", from, "' has a field that is not known here (", parsed.unknown,
                           "), which text form would lose; keep it binary");
  }
  RAMET_ASSIGN_OR_RETURN(const std::string out, MessageToBytes(*parsed.message, as_text));
  RAMET_RETURN_IF_ERROR(AtomicWriteFile(to, out));
  return std::string(parsed.kind);
}

}  // namespace ramet
