#pragma once

#include <google/protobuf/io/tokenizer.h>

#include <string>

#include "ramet/base/strings.h"

namespace ramet {

// A TextErrors keeps the first error of a parser of messages in text form: "line 3, column 7: ...".
class TextErrors final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (first_.empty()) first_ = StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

}  // namespace ramet
