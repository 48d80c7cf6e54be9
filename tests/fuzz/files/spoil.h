#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "random.h"

// Changes messages and bytes, so that they stay well-formed and say something else.
namespace ramet::fuzz {

// Sets, adds, removes, doubles or exchanges one field somewhere in the message. Numbers become
// hostile ones, texts mostly other texts of the message.
void SpoilMessage(Random& random, google::protobuf::Message* message);
// The message's bytes: mostly as they are, now and then with unknown, doubled or cut fields.
std::string WireOf(Random& random, const google::protobuf::Message& message);
// The binary form, or, in `text_percent` of the calls, the text form.
std::string BytesOf(Random& random, const google::protobuf::Message& message, int text_percent);

// A number that a format takes as a length, an offset or a count: near `right`, or a hostile one.
int64_t LyingNumber(Random& random, int64_t right);
// Flips, removes or inserts one byte, or cuts the rest.
void SpoilBytes(Random& random, std::string* bytes);

}  // namespace ramet::fuzz
