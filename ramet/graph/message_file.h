#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// Reads binary or text form, whichever `bytes` are, into `*message`, which becomes the bytes'
// content. `what` says what the bytes should be ("MetaGraphDef"). Messages nested more than 100
// deep are refused. \error kDataLoss with the text parser's line and column if they are neither.
Status ParseMessage(std::string_view bytes, std::string_view what,
                    google::protobuf::Message* message);
// \error besides: kNotFound "File X does not exist."; kDataLoss "Cannot parse file X: ..."; those
// of
//   ReadFile.
Status ParseMessageFile(const std::string& path, std::string_view what,
                        google::protobuf::Message* message);
// The two steps of ParseMessageFile, for those who parse in another way: the bytes, and what a
// failure to parse them is called.
StatusOr<std::string> ReadMessageFile(const std::string& path);
Status CannotParse(const std::string& path, const Status& why);

// Adds the unknown fields of `from` itself to those of `*to`.
void AddUnknownFields(const google::protobuf::Message& from, google::protobuf::Message* to);

// The binary form with its maps in the order of their keys: equal messages give equal bytes.
std::string CanonicalBytes(const google::protobuf::Message& message);
// Appends CanonicalBytes. ByteSizeLong must have been called since the message last changed.
void AppendCanonical(const google::protobuf::Message& message, std::string* bytes);
// CanonicalBytes, or the text form. \error kResourceExhausted if the binary form would be 2 GiB or
// more.
StatusOr<std::string> MessageToBytes(const google::protobuf::Message& message, bool as_text);

}  // namespace ramet
