#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "random.h"

// Changes the content of messages and bytes. Most of them stay well-formed.
namespace ramet::fuzz {

// Sets, adds, removes, duplicates or swaps one field somewhere in the message. Numbers become
// hostile ones; texts usually become other texts of the message.
void SpoilMessage(Random& random, google::protobuf::Message* message);
// Returns the message's bytes, sometimes with unknown, duplicate or truncated fields.
std::string WireOf(Random& random, const google::protobuf::Message& message);
// Returns the binary form, or the text form in `text_percent` of the calls.
std::string BytesOf(Random& random, const google::protobuf::Message& message, int text_percent);

// Returns a number for a length, an offset or a count: near `right`, or a hostile one.
int64_t LyingNumber(Random& random, int64_t right);
// Flips, removes or inserts one byte, or truncates the bytes.
void SpoilBytes(Random& random, std::string* bytes);

}  // namespace ramet::fuzz
