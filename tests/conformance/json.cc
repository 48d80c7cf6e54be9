#include "json.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace ramet::conformance {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  StatusOr<Json> Document() {
    RAMET_ASSIGN_OR_RETURN(Json value, Value());
    SkipSpace();
    if (at_ != text_.size()) return Error("the end");
    return value;
  }

 private:
  Status Error(std::string_view expected) const {
    return InvalidArgument("offset ", at_, ": expected ", expected);
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Consume(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  StatusOr<Json> Value() {
    Json v;
    if (Consume("null")) return v;
    if (Consume("{")) return Object();
    if (Consume("[")) return Array();
    if (Consume("true") || Consume("false")) {
      v.kind = Json::Kind::kBool;
      v.boolean = text_[at_ - 2] == 'u';
      return v;
    }
    if (Consume("\"")) {
      v.kind = Json::Kind::kString;
      RAMET_ASSIGN_OR_RETURN(v.text, String());
      return v;
    }
    v.kind = Json::Kind::kNumber;
    const size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    if (end == at_) return Error("a value");
    v.text = text_.substr(at_, end - at_);
    at_ = end;
    return v;
  }

  StatusOr<std::string> String() {
    std::string s;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        s += text_[at_++];
        continue;
      }
      if (at_ + 1 >= text_.size()) return Error("an escape");
      const char c = text_[at_ + 1];
      at_ += 2;
      if (c == 'u') {
        s += static_cast<char>(std::strtol(std::string(text_.substr(at_, 4)).c_str(), nullptr, 16));
        at_ = std::min(at_ + 4, text_.size());
      } else {
        s += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      }
    }
    if (at_ >= text_.size()) return Error("a quote");
    ++at_;
    return s;
  }

  StatusOr<Json> Array() {
    Json v;
    v.kind = Json::Kind::kArray;
    if (Consume("]")) return v;
    do {
      RAMET_ASSIGN_OR_RETURN(Json item, Value());
      v.items.push_back(std::move(item));
    } while (Consume(","));
    if (!Consume("]")) return Error("]");
    return v;
  }

  StatusOr<Json> Object() {
    Json v;
    v.kind = Json::Kind::kObject;
    if (Consume("}")) return v;
    do {
      if (!Consume("\"")) return Error("a name");
      RAMET_ASSIGN_OR_RETURN(std::string name, String());
      if (!Consume(":")) return Error(":");
      RAMET_ASSIGN_OR_RETURN(Json member, Value());
      v.names.push_back(std::move(name));
      v.items.push_back(std::move(member));
    } while (Consume(","));
    if (!Consume("}")) return Error("}");
    return v;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

StatusOr<Json> Json::Parse(std::string_view text) { return Parser(text).Document(); }

const Json* Json::Find(std::string_view name) const {
  auto it = std::ranges::find(names, name);
  return it == names.end() ? nullptr : &items[it - names.begin()];
}

}  // namespace ramet::conformance
