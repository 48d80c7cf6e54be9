#include <unicode/uscript.h>

#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/string/map.h"
#include "ramet/ops/string/unicode.h"

// UnicodeTranscode, UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeScript.

namespace ramet {
namespace {

Status Malformed() { return InvalidArgument("Invalid formatting on input string"); }

class UnicodeTranscodeKernel final : public Kernel {
 public:
  UnicodeTranscodeKernel(std::string encoding, UnicodeForm form, UnicodeErrors errors)
      : encoding_(std::move(encoding)), form_(form), errors_(errors) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const UnicodeErrors errors, UnicodeErrors::Of(*node.attrs));
    RAMET_ASSIGN_OR_RETURN(auto encoding, node.attrs->Get<std::string>("input_encoding"));
    RAMET_ASSIGN_OR_RETURN(const auto name, node.attrs->Get<std::string>("output_encoding"));
    RAMET_ASSIGN_OR_RETURN(const UnicodeForm form, ParseUnicodeForm(name));
    RAMET_RETURN_IF_ERROR(UnicodeReader::Open(encoding).status());
    return std::unique_ptr<Kernel>(
        std::make_unique<UnicodeTranscodeKernel>(std::move(encoding), form, errors));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(UnicodeReader reader, UnicodeReader::Open(encoding_));
    return MapStrings<std::string>(c, [&](const std::string& text, std::string* out) {
      icu::UnicodeString decoded;
      bool any_malformed = false;
      reader.ForEach(text, [&](UChar32 character, int64_t, bool malformed) {
        if (errors_.Applies(character, malformed)) {
          any_malformed = true;
          if (errors_.ignore) return;
          character = errors_.replacement;
        }
        decoded.append(character);
      });
      if (errors_.strict && any_malformed) return Malformed();
      *out = EncodeUnicode(form_, decoded);
      return OkStatus();
    });
  }

 private:
  const std::string encoding_;
  const UnicodeForm form_;
  const UnicodeErrors errors_;
};

// The kernel of UnicodeDecode and, with a third output, UnicodeDecodeWithOffsets.
template <class T>
class UnicodeDecodeKernel final : public Kernel {
 public:
  UnicodeDecodeKernel(std::string encoding, UnicodeErrors errors)
      : encoding_(std::move(encoding)), errors_(errors) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const UnicodeErrors errors, UnicodeErrors::Of(*node.attrs));
    RAMET_ASSIGN_OR_RETURN(auto encoding, node.attrs->Get<std::string>("input_encoding"));
    RAMET_RETURN_IF_ERROR(UnicodeReader::Open(encoding).status());
    return std::unique_ptr<Kernel>(
        std::make_unique<UnicodeDecodeKernel>(std::move(encoding), errors));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(UnicodeReader reader, UnicodeReader::Open(encoding_));
    const auto texts = c.input(0).flat<std::string>();
    RAMET_ASSIGN_OR_RETURN(Tensor * splits,
                           c.Allocate(0, DTypeOf<T>::value, Shape{std::ssize(texts) + 1}));
    std::vector<int32_t> characters;
    std::vector<int64_t> offsets;
    T* split = splits->mutable_data<T>();
    *split++ = 0;
    for (const std::string& text : texts) {
      RAMET_RETURN_IF_ERROR(Decode(reader, text, &characters, &offsets));
      *split++ = static_cast<T>(characters.size());
    }
    RAMET_RETURN_IF_ERROR(Output(c, 1, characters));
    return c.num_outputs() > 2 ? Output(c, 2, offsets) : OkStatus();
  }

 private:
  Status Decode(UnicodeReader& reader, const std::string& text, std::vector<int32_t>* characters,
                std::vector<int64_t>* offsets) const {
    int64_t at = 0;
    Status status;
    reader.ForEach(text, [&](UChar32 character, int64_t bytes, bool malformed) {
      const int64_t offset = at;
      at += bytes;
      if (malformed && errors_.strict) status = Malformed();
      if (errors_.Applies(character, malformed)) {
        if (errors_.ignore) return;
        character = errors_.replacement;
      }
      characters->push_back(character);
      offsets->push_back(offset);
    });
    return status;
  }

  template <class V>
  static Status Output(KernelContext& c, int i, const std::vector<V>& values) {
    RAMET_ASSIGN_OR_RETURN(Tensor * out,
                           c.Allocate(i, DTypeOf<V>::value, Shape{std::ssize(values)}));
    std::ranges::copy(values, out->template mutable_data<V>());
    return OkStatus();
  }

  const std::string encoding_;
  const UnicodeErrors errors_;
};

template <class T>
Status CheckEncodeSplits(std::span<const T> splits, int64_t size) {
  if (splits.empty()) {
    return InvalidArgument(
        "Input_splits should contain elements, but given input_values has 0 elements");
  }
  if (splits[0] != 0) return InvalidArgument("First value in input_splits must be zero.");
  if (splits.back() != size) {
    return InvalidArgument("Last value in input_splits must be equal to length of input_tensor.");
  }
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i - 1] > splits[i]) {
      return InvalidArgument("Values in input_splits must be equal or in ascending order.");
    }
    if (splits[i] > size) {
      return InvalidArgument(
          "Values in input_splits must be less than or equal to input_tensor length.");
    }
  }
  return OkStatus();
}

template <class T>
class UnicodeEncodeKernel final : public Kernel {
 public:
  UnicodeEncodeKernel(UnicodeForm form, UnicodeErrors errors) : form_(form), errors_(errors) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const UnicodeErrors errors, UnicodeErrors::Of(*node.attrs));
    RAMET_ASSIGN_OR_RETURN(const auto name, node.attrs->Get<std::string>("output_encoding"));
    RAMET_ASSIGN_OR_RETURN(const UnicodeForm form, ParseUnicodeForm(name));
    return std::unique_ptr<Kernel>(std::make_unique<UnicodeEncodeKernel>(form, errors));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(0).rank() != 1 || c.input(1).rank() != 1) {
      return InvalidArgument("Both the input_tensor and input_splits should be of rank 1. ");
    }
    const auto values = c.input(0).flat<int32_t>();
    const auto splits = c.input(1).flat<T>();
    RAMET_RETURN_IF_ERROR(CheckEncodeSplits(splits, std::ssize(values)));
    RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, kString, Shape{std::ssize(splits) - 1}));
    for (size_t i = 1; i < splits.size(); ++i) {
      const auto begin = static_cast<size_t>(splits[i - 1]);
      RAMET_RETURN_IF_ERROR(Encode(values.subspan(begin, static_cast<size_t>(splits[i]) - begin),
                                   &out->mutable_data<std::string>()[i - 1]));
    }
    return OkStatus();
  }

 private:
  static bool Valid(UChar32 code) {
    return code >= 0 && code <= kMaxCodePoint && !U_IS_SURROGATE(code);
  }
  Status Encode(std::span<const int32_t> codes, std::string* out) const {
    icu::UnicodeString text;
    for (UChar32 code : codes) {
      if (!Valid(code) && errors_.strict) {
        return InvalidArgument("Code point is out of range for Unicode, or is a surrogate.");
      }
      if (!Valid(code) && !errors_.ignore) code = errors_.replacement;
      if (Valid(code)) text.append(code);
    }
    *out = EncodeUnicode(form_, text);
    return OkStatus();
  }

  const UnicodeForm form_;
  const UnicodeErrors errors_;
};

Status Script(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kInt32, x.shape()));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(x.data<int32_t>()[i], &error);
    y->mutable_data<int32_t>()[i] = U_SUCCESS(error) ? script : USCRIPT_INVALID_CODE;
  }
  return OkStatus();
}

Status UnicodeDecodeShape(ShapeContext& c) {
  const int64_t count = c.input(0).unknown_rank() ? -1 : c.input(0).num_elements();
  c.set_output(0, Shape{count < 0 ? Shape::kUnknownDim : count + 1});
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, Shape{Shape::kUnknownDim});
  return OkStatus();
}

Status UnicodeEncodeShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  RAMET_ASSIGN_OR_RETURN(const Shape splits, c.WithRank(1, 1));
  if (splits.dim(0) == 0) {
    return InvalidArgument("Negative dimension size caused by subtracting 1 from 0");
  }
  c.set_output(0, Shape{splits.dim(0) == Shape::kUnknownDim ? splits.dim(0) : splits.dim(0) - 1});
  return OkStatus();
}

#define RAMET_UNICODE_ATTRS()                                 \
  Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'") \
      .Attr("replacement_char: int = 65533")                  \
      .Attr("replace_control_characters: bool = false")
#define RAMET_UNICODE_DOC                                                                      \
  " Malformed input is replaced by replacement_char, left out, or, with `errors` strict, an "  \
  "error; so are control characters below U+0020 with replace_control_characters. Error: the " \
  "encoding is unknown; replacement_char is not a code point."

RAMET_OP("UnicodeTranscode")
    .Input("input: string")
    .Output("output: string")
    .Attr("input_encoding: string")
    .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
    .RAMET_UNICODE_ATTRS()
    .Doc(
        "Converts strings from an encoding that ICU knows to UTF-8, UTF-16-BE or UTF-32-BE. The "
        "output has the shape of the input." RAMET_UNICODE_DOC)
    .Shape(UnchangedShape)
    .CpuKernelClass<UnicodeTranscodeKernel>();

RAMET_OP("UnicodeDecode")
    .Input("input: string")
    .Output("row_splits: Tsplits")
    .Output("char_values: int32")
    .Attr("input_encoding: string")
    .RAMET_UNICODE_ATTRS()
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Doc(
        "Returns the code points of all strings as a ragged tensor with a row for each "
        "string." RAMET_UNICODE_DOC)
    .Shape(UnicodeDecodeShape)
    .CpuKernelClasses<UnicodeDecodeKernel, int32_t, int64_t>("Tsplits");

RAMET_OP("UnicodeDecodeWithOffsets")
    .Input("input: string")
    .Output("row_splits: Tsplits")
    .Output("char_values: int32")
    .Output("char_to_byte_starts: int64")
    .Attr("input_encoding: string")
    .RAMET_UNICODE_ATTRS()
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Doc(
        "Returns the code points of all strings as a ragged tensor with a row for each string, "
        "and the offset in bytes of each in its string." RAMET_UNICODE_DOC)
    .Shape(UnicodeDecodeShape)
    .CpuKernelClasses<UnicodeDecodeKernel, int32_t, int64_t>("Tsplits");

RAMET_OP("UnicodeEncode")
    .Input("input_values: int32")
    .Input("input_splits: Tsplits")
    .Output("output: string")
    .Attr("errors: {'ignore', 'replace', 'strict'} = 'replace'")
    .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
    .Attr("replacement_char: int = 65533")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Doc(
        "Returns a string for each row of a ragged tensor of code points. Values that are not code "
        "points, or are surrogates, are replaced by replacement_char, left out, or, with `errors` "
        "strict, an error. Error: input_splits are not row splits of input_values; "
        "replacement_char is not a code point.")
    .Shape(UnicodeEncodeShape)
    .CpuKernelClasses<UnicodeEncodeKernel, int32_t, int64_t>("Tsplits");

RAMET_OP("UnicodeScript")
    .Input("input: int32")
    .Output("output: int32")
    .Doc(
        "Returns ICU's number of the script of each code point, or -1 for values that are not code "
        "points. The output has the shape of the input.")
    .Shape(UnchangedShape)
    .CpuKernel(Script);

}  // namespace
}  // namespace ramet
