#include "ramet/ops/logging/png.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

namespace ramet {
namespace {

// The filter types of PNG, in the order of their numbers.
enum class Filter : uint8_t { kNone, kSub, kUp, kAverage, kPaeth };
constexpr Filter kFilters[] = {Filter::kNone, Filter::kSub, Filter::kUp, Filter::kAverage,
                               Filter::kPaeth};
constexpr size_t kChunkBytes = 8192;

void AppendBigEndian(std::string* out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift));
}

void AppendChunk(std::string* png, std::string_view type, std::string_view data) {
  AppendBigEndian(png, static_cast<uint32_t>(data.size()));
  const size_t start = png->size();
  png->append(type).append(data);
  const auto* checked = reinterpret_cast<const Bytef*>(png->data() + start);
  AppendBigEndian(png, static_cast<uint32_t>(crc32_z(0, checked, png->size() - start)));
}

int Paeth(int left, int up, int corner) {
  const int to_left = std::abs(up - corner);
  const int to_up = std::abs(left - corner);
  const int to_corner = std::abs(left + up - 2 * corner);
  if (to_left <= to_up && to_left <= to_corner) return left;
  return to_up <= to_corner ? up : corner;
}

// Produces the bytes to compress for each row: the number of a filter, and the filtered bytes.
class RowFilter {
 public:
  RowFilter(int64_t height, int64_t width, int channels)
      : step_(channels),
        row_bytes_(static_cast<size_t>(width) * channels),
        one_row_(height == 1),
        one_column_(width == 1),
        zeros_(row_bytes_),
        filtered_(row_bytes_),
        best_(row_bytes_) {}

  size_t row_bytes() const { return row_bytes_; }

  // Appends the row with the filter that gives the smallest sum of magnitudes. `above` is null for
  // the first row.
  void Append(const uint8_t* row, const uint8_t* above, std::string* out) {
    if (above == nullptr) above = zeros_.data();
    uint64_t least = std::numeric_limits<uint64_t>::max();
    Filter chosen = Filter::kNone;
    for (Filter filter : kFilters) {
      if (!Useful(filter)) continue;
      const uint64_t sum = Apply(filter, row, above);
      if (sum >= least) continue;
      least = sum;
      chosen = filter;
      best_.swap(filtered_);
    }
    out->push_back(static_cast<char>(chosen));
    out->append(best_.begin(), best_.end());
  }

 private:
  bool Useful(Filter filter) const {
    const bool looks_up = filter >= Filter::kUp;
    const bool looks_left = filter != Filter::kNone && filter != Filter::kUp;
    return !(one_row_ && looks_up) && !(one_column_ && looks_left);
  }

  uint64_t Apply(Filter filter, const uint8_t* row, const uint8_t* above) {
    uint64_t sum = 0;
    for (size_t i = 0; i < row_bytes_; ++i) {
      const int left = i < step_ ? 0 : row[i - step_];
      const int corner = i < step_ ? 0 : above[i - step_];
      const auto rest = static_cast<uint8_t>(row[i] - Predict(filter, left, above[i], corner));
      filtered_[i] = rest;
      sum += rest < 128 ? rest : 256 - rest;
    }
    return sum;
  }

  static int Predict(Filter filter, int left, int up, int corner) {
    switch (filter) {
      case Filter::kNone: return 0;
      case Filter::kSub: return left;
      case Filter::kUp: return up;
      case Filter::kAverage: return (left + up) / 2;
      case Filter::kPaeth: return Paeth(left, up, corner);
    }
    return 0;
  }

  const size_t step_;
  const size_t row_bytes_;
  const bool one_row_, one_column_;
  const std::vector<uint8_t> zeros_;
  std::vector<uint8_t> filtered_, best_;
};

// Returns the smallest window, as a power of two, that holds all the data. zlib itself does not
// support windows below 9 bits.
int WindowBits(size_t size) {
  constexpr size_t kMaxSmallBytes = 16384, kLookahead = 262;
  int bits = MAX_WBITS;
  while (size <= kMaxSmallBytes && bits > 8 && size + kLookahead <= size_t{1} << (bits - 1)) {
    --bits;
  }
  return bits;
}

// Sets the header of a zlib stream to the smallest window that its data needs.
void NarrowWindow(size_t size, std::string* stream) {
  constexpr size_t kMaxSmallBytes = 16384;
  if (size > kMaxSmallBytes) return;
  auto& first = reinterpret_cast<uint8_t&>((*stream)[0]);
  auto& second = reinterpret_cast<uint8_t&>((*stream)[1]);
  int info = first >> 4;
  while (info > 0 && size <= size_t{1} << (info + 7)) --info;
  first = static_cast<uint8_t>((first & 0x0F) | info << 4);
  second &= 0xE0;
  second = static_cast<uint8_t>(second + 31 - (first * 256 + second) % 31);
}

class Deflater {
 public:
  Deflater() = default;
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() {
    if (open_) deflateEnd(&stream_);
  }

  Status Open(size_t size, bool filtered) {
    const int strategy = filtered ? Z_FILTERED : Z_DEFAULT_STRATEGY;
    open_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WindowBits(size), 8,
                         strategy) == Z_OK;
    return open_ ? OkStatus() : ResourceExhausted("zlib is out of memory for compressing an image");
  }

  void Append(std::string_view data, bool last, std::string* out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    int code = Z_OK;
    do {
      char piece[kChunkBytes];
      stream_.next_out = reinterpret_cast<Bytef*>(piece);
      stream_.avail_out = sizeof piece;
      code = deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      out->append(piece, sizeof piece - stream_.avail_out);
    } while (stream_.avail_out == 0 && code != Z_STREAM_END);
  }

 private:
  z_stream stream_{};
  bool open_ = false;
};

StatusOr<std::string> CompressRows(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                                   int channels) {
  RowFilter filter(height, width, channels);
  const size_t size = (filter.row_bytes() + 1) * static_cast<size_t>(height);
  Deflater deflater;
  RAMET_RETURN_IF_ERROR(deflater.Open(size, height > 1 || width > 1));
  std::string compressed, row;
  const uint8_t* above = nullptr;
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t* here = pixels.data() + static_cast<size_t>(y) * filter.row_bytes();
    row.clear();
    filter.Append(here, above, &row);
    deflater.Append(row, y + 1 == height, &compressed);
    above = here;
  }
  NarrowWindow(size, &compressed);
  return compressed;
}

std::string Header(int64_t height, int64_t width, int channels) {
  constexpr char kColorTypes[] = {0, 4, 2, 6};
  std::string header;
  AppendBigEndian(&header, static_cast<uint32_t>(width));
  AppendBigEndian(&header, static_cast<uint32_t>(height));
  header += '\x08';
  header += kColorTypes[channels - 1];
  header.append(3, '\0');
  return header;
}

}  // namespace

StatusOr<std::string> EncodePng(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                                int channels) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (height < 1 || width < 1 || height > kMax || width * channels > kMax) {
    return InvalidArgument("an image of ", height, " x ", width,
                           " pixels cannot be encoded as PNG");
  }
  RAMET_ASSIGN_OR_RETURN(const std::string data, CompressRows(pixels, height, width, channels));
  std::string png("\x89PNG\r\n\x1a\n");
  AppendChunk(&png, "IHDR", Header(height, width, channels));
  for (size_t at = 0; at < data.size(); at += kChunkBytes) {
    AppendChunk(&png, "IDAT", std::string_view(data).substr(at, kChunkBytes));
  }
  AppendChunk(&png, "IEND", "");
  return png;
}

}  // namespace ramet
