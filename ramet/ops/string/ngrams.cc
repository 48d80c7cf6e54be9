#include <algorithm>

#include "ramet/ops/string/map.h"

// StringNGrams.

namespace ramet {
namespace {

// How n-grams are made from words.
struct NgramFormat {
  std::string separator, left_pad, right_pad;
  std::vector<int64_t> widths;
  int64_t pad_width;
  bool keep_short;

  // The padding at one end of a row for n-grams of `width` words; negative pad_width means all.
  int64_t PadWidth(int64_t width) const {
    return std::min(pad_width < 0 ? width - 1 : pad_width, width - 1);
  }
  // The number of n-grams of a row of `length` words.
  StatusOr<int64_t> Count(int64_t length, int64_t width) const {
    const int64_t pad = PadWidth(width);
    if (pad > INT32_MAX / 2 - length) {
      return InvalidArgument("Pad width could lead to integer overflow, got pad_width = ", pad);
    }
    return std::max<int64_t>(0, length + 2 * pad - width + 1);
  }
};

// An NgramWriter writes the n-grams of rows one after another.
class NgramWriter {
 public:
  NgramWriter(const NgramFormat& format, std::string* out) : format_(format), out_(out) {}

  // Writes the `count` n-grams of `width` words of a row.
  Status Write(std::span<const std::string> row, int64_t count, int64_t width) {
    for (int64_t i = 0; i < count; ++i) RAMET_RETURN_IF_ERROR(WriteOne(row, i, count, width));
    return OkStatus();
  }

 private:
  // All n-grams of a run may have this many bytes, so that a large width cannot use up the memory.
  static constexpr size_t kMaxBytes = size_t{1} << 32;

  Status WriteOne(std::span<const std::string> row, int64_t i, int64_t count, int64_t width) {
    const int64_t pad = format_.PadWidth(width);
    const int64_t left = std::max<int64_t>(0, pad - i);
    const int64_t right = std::max<int64_t>(0, pad - (count - (i + 1)));
    const int64_t words = width - (left + right), first = left > 0 ? 0 : i - pad;
    RAMET_RETURN_IF_ERROR(Reserve(left, right));
    std::string& out = *out_++;
    bool separate = false;
    const auto add = [&](const std::string& word) {
      if (separate) out += format_.separator;
      out += word;
      separate = true;
    };
    for (int64_t n = 0; n < left; ++n) add(format_.left_pad);
    for (int64_t n = 0; n < words; ++n) add(row[static_cast<size_t>(first + n)]);
    for (int64_t n = 0; n < right; ++n) add(format_.right_pad);
    return OkStatus();
  }
  Status Reserve(int64_t left, int64_t right) {
    const size_t separator = format_.separator.size();
    bytes_ += static_cast<size_t>(left) * (format_.left_pad.size() + separator);
    bytes_ += static_cast<size_t>(right) * (format_.right_pad.size() + separator);
    if (bytes_ <= kMaxBytes) return OkStatus();
    return ResourceExhausted("the padding of the n-grams has more than ", kMaxBytes,
                             " bytes; use smaller ngram_widths or pad_width");
  }

  const NgramFormat& format_;
  std::string* out_;
  size_t bytes_ = 0;  // of padding
};

template <class T>
Status CheckNgramSplits(std::span<const T> splits, int64_t words) {
  if (splits.empty()) return OkStatus();
  if (splits[0] != 0) return InvalidArgument("First split value must be 0, got ", splits[0]);
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] >= splits[i - 1] && splits[i] <= words) continue;
    return InvalidArgument("Invalid split value ", splits[i], ", must be in [", splits[i - 1], ", ",
                           words, "]");
  }
  if (splits.back() == words) return OkStatus();
  return InvalidArgument("Last split value must be data size. Expected ", words, ", got ",
                         splits.back());
}

template <class T>
class StringNGramsKernel final : public Kernel {
 public:
  explicit StringNGramsKernel(const AttrMap& attrs)
      : format_{attrs.GetOr<std::string>("separator", ""),
                attrs.GetOr<std::string>("left_pad", ""),
                attrs.GetOr<std::string>("right_pad", ""),
                attrs.GetOr<std::vector<int64_t>>("ngram_widths", {}),
                attrs.GetOr<int64_t>("pad_width", 0),
                attrs.GetOr("preserve_short_sequences", false)} {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<StringNGramsKernel>(*node.attrs);
  }

  Status Compute(KernelContext& c) override {
    if (std::ranges::any_of(format_.widths, [](int64_t width) { return width <= 0; })) {
      return InvalidArgument("ngram_widths must contain positive values");
    }
    const auto words = c.input(0).flat<std::string>();
    const auto splits = c.input(1).flat<T>();
    RAMET_RETURN_IF_ERROR(CheckNgramSplits(splits, std::ssize(words)));
    RAMET_ASSIGN_OR_RETURN(Tensor * out_splits,
                           c.Allocate(1, DTypeOf<T>::value, c.input(1).shape()));
    const std::span<T> ends = out_splits->mutable_flat<T>();
    if (words.empty() || splits.empty()) {
      std::ranges::fill(ends, T{0});
      return c.Allocate(0, kString, c.input(0).shape()).status();
    }
    RAMET_RETURN_IF_ERROR(Count(splits, ends));
    RAMET_ASSIGN_OR_RETURN(Tensor * ngrams,
                           c.Allocate(0, kString, Shape{static_cast<int64_t>(ends.back())}));
    return Write(words, splits, ends, ngrams->mutable_data<std::string>());
  }

 private:
  Status Count(std::span<const T> splits, std::span<T> ends) const {
    ends[0] = 0;
    for (size_t i = 1; i < splits.size(); ++i) {
      const int64_t length = splits[i] - splits[i - 1];
      int64_t total = 0;
      for (const int64_t width : format_.widths) {
        RAMET_ASSIGN_OR_RETURN(const int64_t count, format_.Count(length, width));
        total += count;
      }
      if (format_.keep_short && length > 0 && total == 0) total = 1;
      if (total > std::numeric_limits<T>::max() - ends[i - 1]) {
        return ResourceExhausted("there are too many n-grams for row splits of ",
                                 DTypeName(DTypeOf<T>::value));
      }
      ends[i] = static_cast<T>(ends[i - 1] + total);
    }
    return OkStatus();
  }

  Status Write(std::span<const std::string> words, std::span<const T> splits,
               std::span<const T> ends, std::string* out) const {
    NgramWriter writer(format_, out);
    for (size_t i = 1; i < splits.size(); ++i) {
      const auto length = static_cast<int64_t>(splits[i] - splits[i - 1]);
      const auto row =
          words.subspan(static_cast<size_t>(splits[i - 1]), static_cast<size_t>(length));
      int64_t written = 0;
      for (const int64_t width : format_.widths) {
        RAMET_ASSIGN_OR_RETURN(const int64_t count, format_.Count(length, width));
        RAMET_RETURN_IF_ERROR(writer.Write(row, count, width));
        written += count;
      }
      if (written == ends[i] - ends[i - 1]) continue;
      if (format_.pad_width < 0) {
        return InvalidArgument(
            "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are "
            "not provided, got ",
            format_.pad_width);
      }
      RAMET_RETURN_IF_ERROR(writer.Write(row, 1, length + 2 * format_.pad_width));
    }
    return OkStatus();
  }

  const NgramFormat format_;
};

Status StringNGramsShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  RAMET_ASSIGN_OR_RETURN(Shape splits, c.WithRank(1, 1));
  c.set_output(0, Shape{Shape::kUnknownDim});
  c.set_output(1, std::move(splits));
  return OkStatus();
}

RAMET_OP("StringNGrams")
    .Input("data: string")
    .Input("data_splits: Tsplits")
    .Output("ngrams: string")
    .Output("ngrams_splits: Tsplits")
    .Attr("separator: string")
    .Attr("ngram_widths: list(int) >= 0")
    .Attr("left_pad: string")
    .Attr("right_pad: string")
    .Attr("pad_width: int")
    .Attr("preserve_short_sequences: bool")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Doc(
        "Returns the n-grams of the rows of a ragged tensor of words, as a ragged tensor: for each "
        "of ngram_widths, all sequences of as many words, joined with `separator`. A row is padded "
        "with pad_width (-1: as many as useful) left_pad and right_pad words. With "
        "preserve_short_sequences, a row that is too short gives one n-gram of all its words. "
        "Error: data_splits are not row splits of `data`; a width is not positive; the padding "
        "has more than 4 GiB (kResourceExhausted).")
    .Shape(StringNGramsShape)
    .CpuKernelClasses<StringNGramsKernel, int32_t, int64_t>("Tsplits");

}  // namespace
}  // namespace ramet
