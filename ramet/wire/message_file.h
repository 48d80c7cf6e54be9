#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// Parses `bytes`, in binary or text form, into `*message`, replacing its contents. `what` names the
// expected message ("MetaGraphDef"). Messages nested more than 100 levels deep and strings that are
// not UTF-8 are rejected.
// \error kDataLoss: the bytes are neither form. Contains the text parser's line and column.
Status ParseMessage(std::string_view bytes, std::string_view what,
                    google::protobuf::Message* message);
// Parses a file. Also returns the errors of ReadFile.
// \error kNotFound: "File X does not exist."
// \error kDataLoss: "Cannot parse file X: ..."
Status ParseMessageFile(const std::string& path, std::string_view what,
                        google::protobuf::Message* message);
// The two steps of ParseMessageFile, for callers with a parser of their own: reading the bytes, and
// making the error for bytes that do not parse.
StatusOr<std::string> ReadMessageFile(const std::string& path);
Status CannotParse(const std::string& path, const Status& why);

// Adds the unknown fields of `from` (not of its submessages) to those of `*to`.
void AddUnknownFields(const google::protobuf::Message& from, google::protobuf::Message* to);

// Returns the binary form with sorted maps, so that equal messages give equal bytes.
std::string CanonicalBytes(const google::protobuf::Message& message);
// Appends CanonicalBytes. The caller must have called ByteSizeLong since the last change of the
// message.
void AppendCanonical(const google::protobuf::Message& message, std::string* bytes);
// Returns CanonicalBytes or the text form.
// \error kResourceExhausted: the binary form would be 2 GiB or more.
StatusOr<std::string> MessageToBytes(const google::protobuf::Message& message, bool as_text);

}  // namespace ramet
