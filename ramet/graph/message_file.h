#pragma once

#include <google/protobuf/arena.h>
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

// An arena for a message of about `bytes` in binary form. With the usual small blocks, every block
// makes malloc tidy up all that was freed before.
google::protobuf::ArenaOptions ArenaFor(size_t bytes);
// The bytes of a file; 0 if there is none.
size_t FileBytes(const std::string& path);

// The binary form with its maps in the order of their keys: equal messages give equal bytes.
std::string CanonicalBytes(const google::protobuf::Message& message);
// CanonicalBytes, or the text form. \error kResourceExhausted if the binary form would be 2 GiB or
// more.
StatusOr<std::string> MessageToBytes(const google::protobuf::Message& message, bool as_text);

}  // namespace ramet
