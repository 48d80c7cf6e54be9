#include "ramet/wire/message_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <limits>

#include "ramet/base/file.h"
#include "ramet/tensor/text_errors.h"

namespace ramet {
namespace {

constexpr int kMaxNesting = 100;

// Text form writes an Any as [type.googleapis.com/tensorflow.X] { ... }. Our messages have the same
// content in a different package.
class TensorFlowTypes final : public google::protobuf::TextFormat::Finder {
 public:
  const google::protobuf::Descriptor* FindAnyType(const google::protobuf::Message&,
                                                  const std::string&,
                                                  const std::string& name) const override {
    constexpr std::string_view kTheirs = "tensorflow.";
    const bool theirs = std::string_view(name).starts_with(kTheirs);
    return google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
        theirs ? StrCat("ramet.", name.substr(kTheirs.size())) : name);
  }
};

bool LooksLikeText(std::string_view bytes) {
  for (char c : bytes.substr(0, 4096)) {
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' && c != '\r') return false;
  }
  return true;
}

Status ParseText(std::string_view bytes, std::string_view what,
                 google::protobuf::Message* message) {
  TextErrors errors;
  TensorFlowTypes types;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetFinder(&types);
  parser.SetRecursionLimit(kMaxNesting);
  if (!parser.ParseFromString(std::string(bytes), message)) {
    return DataLoss("not a ", what, " in text form: ", errors.first());
  }
  // The text parser accepts strings that are not UTF-8, which could not be read back.
  if (message->ParseFromString(message->SerializeAsString())) return OkStatus();
  return DataLoss("not a ", what, " in text form: a name or another string is not UTF-8");
}

}  // namespace

Status ParseMessage(std::string_view bytes, std::string_view what,
                    google::protobuf::Message* message) {
  // Errors are reported in the Status.
  google::protobuf::LogSilencer silencer;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return DataLoss(bytes.size(), " bytes are too large for a ", what, ": the limit is 2 GiB");
  }
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return OkStatus();
  if (LooksLikeText(bytes)) return ParseText(bytes, what, message);
  return DataLoss("not a ", what, ": the bytes are neither its binary nor its text form");
}

Status ParseMessageFile(const std::string& path, std::string_view what,
                        google::protobuf::Message* message) {
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadMessageFile(path));
  Status parsed = ParseMessage(bytes, what, message);
  return parsed.ok() ? parsed : CannotParse(path, parsed);
}

StatusOr<std::string> ReadMessageFile(const std::string& path) {
  if (path.empty()) return NotFound("the path is empty");
  auto bytes = ReadFile(path);
  if (IsNotFound(bytes.status())) return NotFound("File ", path, " does not exist.");
  if (bytes.ok() && bytes->empty()) return CannotParse(path, DataLoss("the file is empty"));
  return bytes;
}

Status CannotParse(const std::string& path, const Status& why) {
  return DataLoss("Cannot parse file ", path, ": ", why.message());
}

void AddUnknownFields(const google::protobuf::Message& from, google::protobuf::Message* to) {
  to->GetReflection()->MutableUnknownFields(to)->MergeFrom(
      from.GetReflection()->GetUnknownFields(from));
}

std::string CanonicalBytes(const google::protobuf::Message& message) {
  message.ByteSizeLong();
  std::string bytes;
  AppendCanonical(message, &bytes);
  return bytes;
}

void AppendCanonical(const google::protobuf::Message& message, std::string* bytes) {
  const size_t before = bytes->size(), size = static_cast<size_t>(message.GetCachedSize());
  bytes->resize(before + size);
  google::protobuf::io::ArrayOutputStream stream(bytes->data() + before, static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&coded);
}

StatusOr<std::string> MessageToBytes(const google::protobuf::Message& message, bool as_text) {
  if (as_text) {
    std::string bytes;
    TensorFlowTypes types;
    google::protobuf::TextFormat::Printer printer;
    printer.SetFinder(&types);
    printer.SetExpandAny(true);
    printer.PrintToString(message, &bytes);
    return bytes;
  }
  const size_t size = message.ByteSizeLong();
  if (size > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return ResourceExhausted("a ", message.GetTypeName(), " of ", size,
                             " bytes cannot be written: the format is limited to 2 GiB");
  }
  std::string bytes;
  AppendCanonical(message, &bytes);
  return bytes;
}

}  // namespace ramet
