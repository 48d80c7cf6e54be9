#include "rest/examples_body.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "json/base64.h"
#include "json/json_reader.h"
#include "json/json_text.h"
#include "json/tensor_writer.h"
#include "rest/example_writer.h"

namespace server {
namespace {

using Kind = JsonEvent::Kind;

float ParseFloat(std::string_view text) {
  const std::string copy(text);
  return std::strtof(copy.c_str(), nullptr);  // reads NaN and Infinity, too
}

// Reads the features of one example: {"name": value or list of values, ...}.
class FeaturesReader {
 public:
  // Consumes the next event after the opening bracket. `*done` says whether the object ends with
  // it.
  ramet::Status Add(const JsonEvent& event, bool* done);
  std::string TakeExample() { return writer_.TakeExample(); }

 private:
  enum class State : uint8_t { kFeatures, kValue, kList, kObject, kBytes, kObjectEnd };

  ramet::Status AddValue(const JsonEvent& event);
  ramet::Status AddNumber(const JsonEvent& event);
  ramet::Status Unexpected(std::string_view type) const {
    return ramet::InvalidArgument("Feature: ", writer_.feature(),
                                  " has element with unexpected JSON type: ", type);
  }
  void EndValue() {
    state_ = in_list_ ? State::kList : State::kFeatures;
    if (!in_list_) writer_.EndFeature();
  }

  ExampleWriter writer_;
  State state_ = State::kFeatures;
  bool in_list_ = false;
};

ramet::Status FeaturesReader::AddNumber(const JsonEvent& event) {
  if (event.text.find_first_of(".eENI") != std::string_view::npos) {
    return writer_.AddFloat(ParseFloat(event.text));
  }
  int64_t value = 0;
  if (ramet::ParseInt64(event.text, &value)) return writer_.AddInt(value);
  return ramet::InvalidArgument("Feature: ", writer_.feature(), " has the integer ", event.text,
                                ", which does not fit int64; write it with a fraction for a float");
}

ramet::Status FeaturesReader::AddValue(const JsonEvent& event) {
  switch (event.kind) {
    case Kind::kNumber: return AddNumber(event);
    case Kind::kBool: return writer_.AddInt(event.boolean);
    case Kind::kString: return writer_.AddBytes(event.text);
    default: return Unexpected(JsonTypeName(event));
  }
}

ramet::Status FeaturesReader::Add(const JsonEvent& event, bool* done) {
  *done = false;
  switch (state_) {
    case State::kFeatures:
      *done = event.kind == Kind::kEndObject;
      if (*done) return ramet::OkStatus();
      writer_.StartFeature(event.text);
      state_ = State::kValue;
      return ramet::OkStatus();
    case State::kValue:
      in_list_ = event.kind == Kind::kStartArray;
      if (in_list_) {
        state_ = State::kList;
        return ramet::OkStatus();
      }
      break;
    case State::kList:
      if (event.kind == Kind::kEndArray) {
        in_list_ = false;
        EndValue();
        return ramet::OkStatus();
      }
      break;
    case State::kObject:
      if (event.kind != Kind::kKey || event.text != "b64") return Unexpected("Object");
      state_ = State::kBytes;
      return ramet::OkStatus();
    case State::kBytes: {
      if (event.kind != Kind::kString) return Unexpected("Object");
      const std::optional<std::string> bytes = DecodeBase64(event.text);
      if (!bytes) return ramet::InvalidArgument("Unable to base64 decode");
      state_ = State::kObjectEnd;
      return writer_.AddBytes(*bytes);
    }
    case State::kObjectEnd:
      if (event.kind != Kind::kEndObject) return Unexpected("Object");
      EndValue();
      return ramet::OkStatus();
  }
  if (event.kind == Kind::kStartObject) {
    state_ = State::kObject;
    return ramet::OkStatus();
  }
  RAMET_RETURN_IF_ERROR(AddValue(event));
  EndValue();
  return ramet::OkStatus();
}

// Reads the top level of a request.
class ExamplesBodyReader : public JsonHandler {
 public:
  explicit ExamplesBodyReader(std::string_view json) : json_(json) {}

  // After an error, only the syntax of the rest is checked.
  bool OnEvent(const JsonEvent& event) override {
    if (error_.ok()) error_ = Add(event);
    return true;
  }

  ramet::StatusOr<ExamplesRequest> Take() {
    RAMET_RETURN_IF_ERROR(error_);
    if (!has_examples_) {
      return ramet::InvalidArgument("key 'examples' is expected and was not found");
    }
    if (request_.examples.empty()) {
      return ramet::InvalidArgument("'examples' value is an empty array");
    }
    return std::move(request_);
  }

 private:
  enum class Place : uint8_t {
    kStart,
    kTop,
    kSignatureName,
    kExamples,
    kExample,
    kFeatures,
    kContext,
    kContextFeatures,
    kSkip
  };

  ramet::Status Add(const JsonEvent& event);
  ramet::Status AddToTop(const JsonEvent& event);
  ramet::Status AddToFeatures(const JsonEvent& event);

  const std::string_view json_;
  Place place_ = Place::kStart;
  ExamplesRequest request_ = {};
  FeaturesReader features_ = {};
  ValueEnd skipped_ = {};
  bool has_examples_ = false;
  ramet::Status error_ = {};
};

ramet::Status MustBeObject(std::string_view what, const JsonEvent& event) {
  if (event.kind == Kind::kStartObject) return ramet::OkStatus();
  return ramet::InvalidArgument(what, " must be JSON object but got JSON ", JsonTypeName(event));
}

ramet::Status ExamplesBodyReader::AddToTop(const JsonEvent& event) {
  if (event.kind == Kind::kEndObject) return ramet::OkStatus();
  skipped_ = {};
  place_ = Place::kSkip;
  if (event.text == "signature_name") place_ = Place::kSignatureName;
  if (event.text == "context") place_ = Place::kContext;
  if (event.text == "examples" && !has_examples_) {
    has_examples_ = true;
    place_ = Place::kExamples;
  }
  return ramet::OkStatus();
}

ramet::Status ExamplesBodyReader::AddToFeatures(const JsonEvent& event) {
  bool done = false;
  RAMET_RETURN_IF_ERROR(features_.Add(event, &done));
  if (!done) return ramet::OkStatus();
  if (place_ == Place::kContextFeatures) {
    request_.context = features_.TakeExample();
    place_ = Place::kTop;
  } else {
    request_.examples.push_back(features_.TakeExample());
    place_ = Place::kExample;
  }
  return ramet::OkStatus();
}

ramet::Status ExamplesBodyReader::Add(const JsonEvent& event) {
  switch (place_) {
    case Place::kStart:
      if (event.kind != Kind::kStartObject) {
        return ramet::InvalidArgument("JSON Value: ", QuoteValue(json_, event.offset),
                                      " Is not object");
      }
      place_ = Place::kTop;
      return ramet::OkStatus();
    case Place::kTop: return AddToTop(event);
    case Place::kSignatureName:
      if (event.kind != Kind::kString) {
        return ramet::InvalidArgument("'signature_name' key must be a string value.");
      }
      request_.signature_name = event.text;
      place_ = Place::kTop;
      return ramet::OkStatus();
    case Place::kExamples:
      if (event.kind != Kind::kStartArray) {
        return ramet::InvalidArgument("Expecting 'examples' value to be an list/array");
      }
      place_ = Place::kExample;
      return ramet::OkStatus();
    case Place::kExample:
      place_ = event.kind == Kind::kEndArray ? Place::kTop : Place::kFeatures;
      return place_ == Place::kTop ? ramet::OkStatus() : MustBeObject("Example", event);
    case Place::kContext: place_ = Place::kContextFeatures; return MustBeObject("Context", event);
    case Place::kFeatures:
    case Place::kContextFeatures: return AddToFeatures(event);
    case Place::kSkip:
      if (skipped_.Add(event)) place_ = Place::kTop;
      return ramet::OkStatus();
  }
  return ramet::OkStatus();
}

}  // namespace

ramet::StatusOr<ExamplesRequest> ReadExamplesBody(std::string_view json) {
  ExamplesBodyReader reader(json);
  RAMET_RETURN_IF_ERROR(ReadJson(json, &reader));
  return reader.Take();
}

void WriteClassifications(const Classifications& result, std::string* out) {
  *out += "{\"results\":[";
  for (size_t i = 0; i < result.size(); ++i) {
    *out += i > 0 ? ",[" : "[";
    for (size_t j = 0; j < result[i].size(); ++j) {
      *out += j > 0 ? ",[" : "[";
      AppendJsonString(result[i][j].label, out);
      *out += ',';
      AppendReal(result[i][j].score, out);
      *out += ']';
    }
    *out += ']';
  }
  *out += "]}";
}

void WriteRegressions(const Regressions& result, std::string* out) {
  *out += "{\"results\":[";
  for (size_t i = 0; i < result.size(); ++i) {
    if (i > 0) *out += ',';
    AppendReal(result[i], out);
  }
  *out += "]}";
}

}  // namespace server
