#include <zlib.h>

#include <limits>

#include "ramet/ops/string/map.h"
#include "ramet/tensor/available_memory.h"

// DecodeCompressed.

namespace ramet {
namespace {

// An Inflation decompresses one string.
class Inflation {
 public:
  Inflation() = default;
  ~Inflation() {
    if (started_) inflateEnd(&stream_);
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;

  // `window_bits` selects the format, as for inflateInit2.
  Status Run(std::string_view in, int window_bits, std::string* out) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) {
      return ResourceExhausted("not enough memory to decompress");
    }
    started_ = true;
    while (!in.empty() || stream_.avail_in > 0) {
      if (stream_.avail_in == 0) Feed(&in);
      RAMET_ASSIGN_OR_RETURN(const bool more, Step(out));
      if (!more) break;
    }
    return OkStatus();
  }

 private:
  void Feed(std::string_view* in) {
    const size_t part = std::min<size_t>(in->size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in->data()));
    stream_.avail_in = static_cast<uInt>(part);
    in->remove_prefix(part);
  }
  // Appends a piece to `out`. Returns false at the end of the data. A stream that ends early gives
  // what it has, and bytes that do not begin another stream are ignored, as in TensorFlow.
  StatusOr<bool> Step(std::string* out) {
    constexpr size_t kPiece = size_t{64} << 10;
    const size_t old = out->size();
    if (old + kPiece > out->capacity()) RAMET_RETURN_IF_ERROR(CheckAvailable(2 * out->capacity()));
    out->resize(old + kPiece);
    stream_.next_out = reinterpret_cast<Bytef*>(out->data() + old);
    stream_.avail_out = kPiece;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    out->resize(old + kPiece - stream_.avail_out);
    if (result == Z_STREAM_END) {
      ended_ = true;
      return stream_.avail_in > 0 && inflateReset(&stream_) == Z_OK;
    }
    if (result == Z_OK) return true;
    if (result == Z_BUF_ERROR || ended_) return false;
    return DataLoss("inflate() failed with error ", result, ": ",
                    stream_.msg != nullptr ? stream_.msg : "");
  }

  z_stream stream_ = {};
  bool started_ = false;
  bool ended_ = false;  // one stream has been read
};

class DecodeCompressedKernel final : public Kernel {
 public:
  explicit DecodeCompressedKernel(int window_bits) : window_bits_(window_bits) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const auto type = node.attrs->GetOr<std::string>("compression_type", "");
    int window_bits = 0;
    if (type == "ZLIB") window_bits = MAX_WBITS;
    if (type == "GZIP") window_bits = MAX_WBITS + 16;
    if (window_bits == 0 && !type.empty()) {
      return InvalidArgument("Only ZLIB, ZSTD, GZIP or NONE are supported compressions",
                             type == "ZSTD" ? "; Ramet does not have ZSTD" : "");
    }
    return std::unique_ptr<Kernel>(std::make_unique<DecodeCompressedKernel>(window_bits));
  }

  Status Compute(KernelContext& c) override {
    if (window_bits_ == 0) {
      c.SetOutput(0, c.input(0));
      return OkStatus();
    }
    return MapStrings<std::string>(c, [&](const std::string& text, std::string* out) {
      return Inflation().Run(text, window_bits_, out);
    });
  }

 private:
  const int window_bits_;
};

RAMET_OP("DecodeCompressed")
    .Input("bytes: string")
    .Output("output: string")
    .Attr("compression_type: string = ''")
    .Doc(
        "Returns the decompressed strings. compression_type is ZLIB, GZIP, or empty for strings "
        "that are not compressed. The output has the shape of the input. Error: the data are "
        "damaged (kDataLoss); the result does not fit in memory (kResourceExhausted); "
        "compression_type is "
        "unknown.")
    .Shape(UnchangedShape)
    .CpuKernelClass<DecodeCompressedKernel>();

}  // namespace
}  // namespace ramet
