#include "config/text_proto.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

namespace server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;

constexpr size_t kMaxFileBytes = 64 << 20;
constexpr int kMaxNesting = 100;

// Returns the text between `before` and the next '"'.
std::string QuotedAfter(const std::string& message, const std::string& before) {
  const size_t at = message.find(before);
  if (at == std::string::npos) return "";
  const size_t start = at + before.size();
  return message.substr(start, message.find('"', start) - start);
}

// Returns the names of the fields of the message type that a mistake names.
std::string ExpectedFields(const std::string& mistake) {
  const std::string type = QuotedAfter(mistake, "Message type \"");
  const Descriptor* descriptor = DescriptorPool::generated_pool()->FindMessageTypeByName(type);
  if (!descriptor || mistake.find("has no field named") == std::string::npos) return "";
  std::string names;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    names += (i == 0 ? "; expected one of " : ", ") + descriptor->field(i)->name();
  }
  return names;
}

// Collects mistakes with their places, counted from 1.
class Collector final : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(std::string path) : path_(std::move(path)) {}
  void AddError(int line, int column, const std::string& message) override {
    errors_ += (errors_.empty() ? "" : "\n") + Text(line, column, message);
  }
  void AddWarning(int line, int column, const std::string& message) override {
    warnings_.push_back(Text(line, column, message));
  }
  const std::string& errors() const { return errors_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::string Text(int line, int column, const std::string& message) const {
    const std::string fields = ExpectedFields(message);
    std::string_view text = message;
    if (!fields.empty() && text.ends_with('.')) text.remove_suffix(1);
    return ramet::StrCat(path_, ":", line + 1, ":", column + 1, ": ", text, fields);
  }

  const std::string path_;
  std::string errors_;
  std::vector<std::string> warnings_;
};

ramet::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) {
    text.resize(kMaxFileBytes + 1);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad() || (file.fail() && !file.eof())) {
    return ramet::NotFound(path, "; ", std::strerror(errno));
  }
  if (text.size() > kMaxFileBytes) {
    return ramet::InvalidArgument(path, " has more than ", kMaxFileBytes, " bytes");
  }
  return text;
}

}  // namespace

ramet::Status ParseTextProto(const std::string& path, const std::string& text,
                             google::protobuf::Message* message,
                             std::vector<std::string>* ignored) {
  Collector collector(path);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.AllowUnknownField(ignored != nullptr);
  parser.SetRecursionLimit(kMaxNesting);
  if (!parser.ParseFromString(text, message)) {
    return ramet::InvalidArgument(collector.errors().empty() ? path + " is not valid"
                                                             : collector.errors());
  }
  if (ignored) {
    ignored->insert(ignored->end(), collector.warnings().begin(), collector.warnings().end());
  }
  return ramet::OkStatus();
}

ramet::Status ReadTextProto(const std::string& path, google::protobuf::Message* message,
                            std::vector<std::string>* ignored) {
  RAMET_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseTextProto(path, text, message, ignored);
}

}  // namespace server
