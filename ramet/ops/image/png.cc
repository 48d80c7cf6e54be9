#include "ramet/ops/image/png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <limits>
#include <vector>

namespace ramet {
namespace {

// libpng leaves a function by longjmp after an error. Functions that call setjmp have no objects
// with destructors, because longjmp would skip these.

void IgnorePngWarning(png_structp, png_const_charp) {}
[[noreturn]] void LeavePng(png_structp png, png_const_charp) { png_longjmp(png, 1); }

void AppendPng(png_structp png, png_bytep data, size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(data), size);
}

constexpr int kPngColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGB_ALPHA};

bool WritePng(const PngImage& image, png_structp png, png_infop info, std::string* out) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, out, AppendPng, nullptr);
  png_set_compression_level(png, image.compression);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), image.bits, kPngColors[image.channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (image.bits == 16) png_set_swap(png);
  const size_t row = static_cast<size_t>(image.width * image.channels) * (image.bits / 8);
  const auto* pixels = static_cast<const png_byte*>(image.pixels);
  for (int64_t y = 0; y < image.height; ++y) png_write_row(png, pixels + y * row);
  png_write_end(png, nullptr);
  return true;
}

// The bytes of a file that are not read yet.
struct PngSource {
  std::string_view rest;
};

void ReadPng(png_structp png, png_bytep out, size_t size) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (size > source->rest.size()) png_error(png, "the file ends too early");
  std::memcpy(out, source->rest.data(), size);
  source->rest.remove_prefix(size);
}

// Adds or removes the alpha channel.
void SetPngAlpha(png_structp png, png_infop info, int channels, int color, int depth) {
  const bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
  const bool has_transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  if (channels % 2 != 0) {
    if (has_alpha || has_transparent) png_set_strip_alpha(png);
  } else if (!has_alpha && has_transparent) {
    png_set_tRNS_to_alpha(png);
  } else if (!has_alpha) {
    png_set_add_alpha(png, (1u << depth) - 1, PNG_FILLER_AFTER);
  }
}

// Converts between gray and RGB.
void SetPngColors(png_structp png, int channels, int color, int depth) {
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  const bool gray = (color & PNG_COLOR_MASK_COLOR) == 0;
  if (gray && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (channels < 3 && !gray) png_set_rgb_to_gray(png, 1, 0.299, 0.587);
  if (channels >= 3 && gray) png_set_gray_to_rgb(png);
}

int ChannelsOfPng(png_structp png, png_infop info) {
  if (png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE) return png_get_channels(png, info);
  return png_get_valid(png, info, PNG_INFO_tRNS) != 0 ? 4 : 3;
}

}  // namespace

StatusOr<std::string> EncodePng(const PngImage& image) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (image.height < 1 || image.width < 1 || image.height > kMax ||
      image.width > kMax / (image.channels * (image.bits / 8))) {
    return InvalidArgument("an image of ", image.height, " x ", image.width,
                           " pixels cannot be encoded as PNG");
  }
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, LeavePng, IgnorePngWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  std::string out;
  const bool written = info != nullptr && WritePng(image, png, info, &out);
  png_destroy_write_struct(&png, &info);
  if (!written) return Internal("Failed to encode image\nlibpng refuses it");
  return out;
}

struct PngDecoder::Impl {
  bool Start(std::string_view data, int channels, int bits) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, LeavePng, IgnorePngWarning);
    info = png == nullptr ? nullptr : png_create_info_struct(png);
    source.rest = data;
    return info != nullptr && ReadHeader(channels, bits);
  }

  bool ReadHeader(int wanted, int bits) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_read_fn(png, &source, ReadPng);
    png_read_info(png, info);
    const int color = png_get_color_type(png, info), depth = png_get_bit_depth(png, info);
    channels = wanted == 0 ? ChannelsOfPng(png, info) : wanted;
    bits_per_pixel = png_get_channels(png, info) * depth;
    SetPngAlpha(png, info, channels, color, depth);
    if (depth > 8 && bits == 8) png_set_strip_16(png);
    widen = depth <= 8 && bits == 16;
    png_set_packing(png);
    passes = png_set_interlace_handling(png);
    if (bits > 8) png_set_swap(png);
    SetPngColors(png, channels, color, depth);
    png_read_update_info(png, info);
    return true;
  }

  bool ReadRows(png_byte* out, int64_t height, size_t row) {
    if (setjmp(png_jmpbuf(png))) return false;
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t y = 0; y < height; ++y) png_read_row(png, out + y * row, nullptr);
    }
    png_read_end(png, info);
    return true;
  }

  png_structp png = nullptr;
  png_infop info = nullptr;
  PngSource source;
  size_t bytes = 0;
  int channels = 0, passes = 1, bits_per_pixel = 0;
  bool widen = false;  // numbers of 8 bits become numbers of 16
};

PngDecoder::PngDecoder() : impl_(std::make_unique<Impl>()) {}

PngDecoder::~PngDecoder() { png_destroy_read_struct(&impl_->png, &impl_->info, nullptr); }

Status PngDecoder::Open(std::string_view data, int channels, int bits) {
  impl_->bytes = data.size();
  if (!impl_->Start(data, channels, bits)) {
    return InvalidArgument("Invalid PNG. Failed to initialize decoder.");
  }
  size_ = {png_get_image_height(impl_->png, impl_->info),
           png_get_image_width(impl_->png, impl_->info), impl_->channels};
  constexpr int64_t kMaxSide = int64_t{1} << 27, kMaxPixels = int64_t{1} << 29;
  if (size_.width >= kMaxSide || size_.height >= kMaxSide ||
      size_.width * size_.height >= kMaxPixels) {
    return InvalidArgument("PNG size too large for int: ", size_.width, " by ", size_.height);
  }
  // zlib makes at most 1032 bytes from one, so that a small file cannot hold a large image.
  constexpr int64_t kMaxExpansion = 1032;
  const int64_t pixel_bytes = size_.width * size_.height * impl_->bits_per_pixel / 8;
  if (pixel_bytes > kMaxExpansion * static_cast<int64_t>(data.size())) {
    return InvalidArgument("Invalid PNG data, size ", data.size(),
                           "\nThe file is too small for an image of ", size_.width, " x ",
                           size_.height, " pixels");
  }
  return OkStatus();
}

Status PngDecoder::Read(void* pixels) {
  const size_t numbers = static_cast<size_t>(size_.width) * size_.channels;
  const size_t count = numbers * static_cast<size_t>(size_.height);
  const bool wide = impl_->widen || png_get_bit_depth(impl_->png, impl_->info) == 16;
  const size_t row = impl_->widen || !wide ? numbers : 2 * numbers;
  auto* bytes = static_cast<png_byte*>(pixels);
  if (impl_->widen) bytes += count;
  const bool fits = png_get_rowbytes(impl_->png, impl_->info) == row;
  if (!fits || !impl_->ReadRows(bytes, size_.height, row)) {
    return InvalidArgument("Invalid PNG data, size ", impl_->bytes);
  }
  // The bytes are in the second half of the room.
  for (size_t i = 0; impl_->widen && i < count; ++i) {
    const auto value = static_cast<uint16_t>(bytes[i] * 257);
    std::memcpy(static_cast<char*>(pixels) + 2 * i, &value, sizeof value);
  }
  return OkStatus();
}

}  // namespace ramet
