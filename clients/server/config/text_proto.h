#pragma once

#include <google/protobuf/message.h>
#include <ramet/ramet.h>

#include <string>
#include <vector>

namespace server {

// Reads a file in protobuf's text form. With `ignored`, fields that the message lacks are added to
// it ("FILE:3:5: ...") instead of being an error.
// \error kNotFound: the file cannot be read.
// \error kInvalidArgument: "FILE:3:5: ..." with each mistake on a line.
ramet::Status ReadTextProto(const std::string& path, google::protobuf::Message* message,
                            std::vector<std::string>* ignored = nullptr);

// Parses text as ReadTextProto does. `path` is for messages.
ramet::Status ParseTextProto(const std::string& path, const std::string& text,
                             google::protobuf::Message* message,
                             std::vector<std::string>* ignored = nullptr);

}  // namespace server
