#include "ramet/ops/image/jpeg.h"

// jpeglib.h needs FILE and size_t.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace ramet {
namespace {

// libjpeg leaves a function by longjmp after an error. Functions that call setjmp have no objects
// with destructors, because longjmp would skip these.
struct JpegErrors {
  jpeg_error_mgr manager;  // first, so that a pointer to it is one to the whole
  std::jmp_buf leave;

  void Install(jpeg_common_struct* jpeg) {
    jpeg->err = jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr c) {
      std::longjmp(reinterpret_cast<JpegErrors*>(c->err)->leave, 1);
    };
    manager.emit_message = [](j_common_ptr, int) {};
    manager.output_message = [](j_common_ptr) {};
  }
};

constexpr char kBadJpeg[] = "jpeg::Uncompress failed. Invalid JPEG data or crop window.";

// Supplies a file in memory. At its end, either the decoder stops, or it reads an end marker.
struct JpegSource {
  jpeg_source_mgr manager;
  bool recover;

  void Install(jpeg_decompress_struct* jpeg, std::string_view data, bool recover_truncated) {
    recover = recover_truncated;
    manager = {};
    manager.next_input_byte = reinterpret_cast<const JOCTET*>(data.data());
    manager.bytes_in_buffer = data.size();
    manager.init_source = [](j_decompress_ptr) {};
    manager.term_source = [](j_decompress_ptr) {};
    manager.resync_to_restart = jpeg_resync_to_restart;
    manager.fill_input_buffer = FillBuffer;
    manager.skip_input_data = SkipBytes;
    jpeg->src = &manager;
  }

 private:
  static boolean FillBuffer(j_decompress_ptr jpeg) {
    auto* source = reinterpret_cast<JpegSource*>(jpeg->src);
    if (!source->recover) return FALSE;
    static constexpr JOCTET kEnd[] = {0xFF, JPEG_EOI};
    source->manager.next_input_byte = kEnd;
    source->manager.bytes_in_buffer = sizeof kEnd;
    return TRUE;
  }
  static void SkipBytes(j_decompress_ptr jpeg, long count) {
    jpeg_source_mgr* manager = jpeg->src;
    if (count <= 0) return;
    const size_t skipped = std::min(static_cast<size_t>(count), manager->bytes_in_buffer);
    manager->next_input_byte += skipped;
    manager->bytes_in_buffer -= skipped;
  }
};

void SetCmykPixels(const uint8_t* cmyk, int64_t width, bool inverted, uint8_t* rgb) {
  for (int64_t x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    for (int k = 0; k < 3; ++k) {
      const int ink = inverted ? cmyk[k] : 255 - cmyk[k];
      const int black = inverted ? cmyk[3] : 255 - cmyk[3];
      rgb[k] = static_cast<uint8_t>(black * ink / 255);
    }
  }
}

bool InImage(const ImageWindow& w, int64_t height, int64_t width) {
  return w.top >= 0 && w.left >= 0 && w.height > 0 && w.width > 0 && w.top <= height - w.height &&
         w.left <= width - w.width;
}

}  // namespace

struct JpegDecoder::Impl {
  // Reads the header and sets the parameters of the decoder.
  bool Start(std::string_view data) {
    errors.Install(reinterpret_cast<j_common_ptr>(&jpeg));
    if (setjmp(errors.leave)) return false;
    jpeg_create_decompress(&jpeg);
    created = true;
    source.Install(&jpeg, data, options.recover_truncated);
    if (jpeg_read_header(&jpeg, TRUE) != JPEG_HEADER_OK) return false;
    channels = options.channels != 0 ? options.channels : std::min(jpeg.num_components, 3);
    if (channels != 1 && channels != 3) return false;
    cmyk =
        channels == 3 && (jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK);
    jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_RGB;
    jpeg.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
    jpeg.scale_num = 1;
    jpeg.scale_denom = static_cast<unsigned>(options.ratio);
    jpeg.dct_method = options.accurate_dct ? JDCT_ISLOW : JDCT_IFAST;
    jpeg_calc_output_dimensions(&jpeg);
    return IsPlausible(data.size());
  }

  // Each block of 8 x 8 pixels takes at least one bit, unless it is coded arithmetically. Larger
  // images than TensorFlow's limit are refused.
  bool IsPlausible(size_t bytes) const {
    constexpr int64_t kMaxBytes = int64_t{1} << 29, kBlock = 8;
    const auto height = static_cast<int64_t>(jpeg.output_height);
    const auto width = static_cast<int64_t>(jpeg.output_width);
    if (height < 1 || width < 1 || height * width * jpeg.num_components >= kMaxBytes) return false;
    const int64_t blocks = (jpeg.image_height / kBlock) * (jpeg.image_width / kBlock);
    return blocks <= 8 * static_cast<int64_t>(bytes);
  }

  // Reads the rows of the window. `row` has room for a row of the image. Sets *read to the number
  // of rows that the file has.
  bool ReadRows(const ImageWindow& window, uint8_t* row, uint8_t* pixels, int64_t* read) {
    if (setjmp(errors.leave)) return false;
    if (!jpeg_start_decompress(&jpeg)) return false;
    JDIMENSION first = 0;
    if (!SkipToWindow(window, &first)) return false;
    const int64_t stride = window.width * channels;
    while (jpeg.output_scanline < static_cast<JDIMENSION>(window.top + window.height)) {
      const int64_t y = jpeg.output_scanline - window.top;
      if (jpeg_read_scanlines(&jpeg, &row, 1) == 0) break;
      const uint8_t* from = row + (window.left - first) * jpeg.output_components;
      if (cmyk) {
        SetCmykPixels(from, window.width, jpeg.saw_Adobe_marker, pixels + y * stride);
      } else {
        std::memcpy(pixels + y * stride, from, stride);
      }
      *read = y + 1;
    }
    // Finishing reads the rest of the file, which may be damaged.
    if (!windowed && jpeg.output_scanline == jpeg.output_height) {
      jpeg_finish_decompress(&jpeg);
    } else {
      jpeg_abort_decompress(&jpeg);
    }
    return true;
  }

  // Lets the decoder skip what is outside of a window that the caller chose. Like TensorFlow, this
  // gives pixels at the edges of the window that differ in the last bit from those of the whole
  // image. Sets *first to the first column that is decoded.
  bool SkipToWindow(const ImageWindow& window, JDIMENSION* first) {
    if (!windowed) return true;
    auto width = static_cast<JDIMENSION>(window.width);
    const auto top = static_cast<JDIMENSION>(window.top);
    *first = static_cast<JDIMENSION>(window.left);
    jpeg_crop_scanline(&jpeg, first, &width);
    return jpeg_skip_scanlines(&jpeg, top) == top;
  }

  jpeg_decompress_struct jpeg{};
  JpegErrors errors;
  JpegSource source;
  JpegDecodeOptions options;
  bool windowed = false;
  int channels = 0;
  bool created = false, cmyk = false;
};

JpegDecoder::JpegDecoder() : impl_(std::make_unique<Impl>()) {}

JpegDecoder::~JpegDecoder() {
  if (impl_->created) jpeg_destroy_decompress(&impl_->jpeg);
}

Status JpegDecoder::Open(std::string_view data, const JpegDecodeOptions& options) {
  impl_->options = options;
  if (!impl_->Start(data)) return InvalidArgument(kBadJpeg);
  const auto height = static_cast<int64_t>(impl_->jpeg.output_height);
  const auto width = static_cast<int64_t>(impl_->jpeg.output_width);
  impl_->windowed = options.window.has_value();
  if (!options.window) impl_->options.window = ImageWindow{0, 0, height, width};
  const ImageWindow& window = *impl_->options.window;
  if (!InImage(window, height, width)) {
    return InvalidArgument(kBadJpeg, "\nThe image has ", height, " rows and ", width,
                           " columns, which the window does not fit");
  }
  size_ = {window.height, window.width, impl_->channels};
  return OkStatus();
}

Status JpegDecoder::Read(uint8_t* pixels) {
  const ImageWindow& window = *impl_->options.window;
  std::vector<uint8_t> row(static_cast<size_t>(impl_->jpeg.output_width) * 4);
  int64_t read = 0;
  if (!impl_->ReadRows(window, row.data(), pixels, &read)) return InvalidArgument(kBadJpeg);
  const int64_t stride = window.width * size_.channels;
  if (read < window.height && impl_->options.recover_truncated) {
    for (; read < window.height; ++read) {
      uint8_t* to = pixels + read * stride;
      read == 0 ? void(std::memset(to, 0, stride)) : void(std::memcpy(to, to - stride, stride));
    }
  }
  const float fraction = static_cast<float>(read) / static_cast<float>(window.height);
  if (fraction < std::min(1.0f, impl_->options.least_fraction)) {
    return InvalidArgument(kBadJpeg, "\nThe file ends after ", read, " of ", window.height,
                           " rows; pass try_recover_truncated=true to accept it");
  }
  std::fill(pixels + read * stride, pixels + window.height * stride, uint8_t{0});
  return OkStatus();
}

StatusOr<ImageSize> ReadJpegSize(std::string_view data) {
  struct Header {
    bool Read(std::string_view data, ImageSize* size) {
      errors.Install(reinterpret_cast<j_common_ptr>(&jpeg));
      if (setjmp(errors.leave)) return false;
      jpeg_create_decompress(&jpeg);
      source.Install(&jpeg, data, false);
      if (jpeg_read_header(&jpeg, TRUE) != JPEG_HEADER_OK) return false;
      jpeg_calc_output_dimensions(&jpeg);
      *size = {static_cast<int64_t>(jpeg.output_height), static_cast<int64_t>(jpeg.output_width),
               jpeg.num_components};
      return true;
    }
    ~Header() { jpeg_destroy_decompress(&jpeg); }
    jpeg_decompress_struct jpeg{};
    JpegErrors errors;
    JpegSource source;
  };
  const auto header = std::make_unique<Header>();
  ImageSize size;
  if (header->Read(data, &size)) return size;
  return InvalidArgument("Invalid JPEG data, size ", data.size());
}

namespace {

// Encodes one image. The result is in memory that libjpeg allocates.
struct JpegEncoder {
  ~JpegEncoder() {
    if (created) jpeg_destroy_compress(&jpeg);
    std::free(out);
  }

  bool Encode(const uint8_t* pixels, const ImageSize& size, const JpegEncodeOptions& options,
              std::string_view xmp) {
    errors.Install(reinterpret_cast<j_common_ptr>(&jpeg));
    if (setjmp(errors.leave)) {
      out = nullptr;  // libjpeg may have freed it
      return false;
    }
    jpeg_create_compress(&jpeg);
    created = true;
    jpeg_mem_dest(&jpeg, &out, &bytes);
    SetParameters(size, options);
    jpeg_start_compress(&jpeg, TRUE);
    if (!xmp.empty()) {
      jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(xmp.data()),
                        static_cast<unsigned>(xmp.size()));
    }
    const int64_t stride = size.width * size.channels;
    while (jpeg.next_scanline < jpeg.image_height) {
      auto* row = const_cast<JSAMPROW>(pixels + jpeg.next_scanline * stride);
      jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    return true;
  }

  void SetParameters(const ImageSize& size, const JpegEncodeOptions& options) {
    jpeg.image_width = static_cast<JDIMENSION>(size.width);
    jpeg.image_height = static_cast<JDIMENSION>(size.height);
    jpeg.input_components = size.channels;
    jpeg.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    if (options.optimize_size) jpeg.optimize_coding = TRUE;
    jpeg.density_unit = static_cast<UINT8>(options.density_unit);
    jpeg.X_density = static_cast<UINT16>(options.x_density);
    jpeg.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&jpeg, options.quality, TRUE);
    if (options.progressive) jpeg_simple_progression(&jpeg);
    for (int i = 0; !options.chroma_downsampling && i < jpeg.num_components; ++i) {
      jpeg.comp_info[i].h_samp_factor = jpeg.comp_info[i].v_samp_factor = 1;
    }
  }

  jpeg_compress_struct jpeg{};
  JpegErrors errors;
  unsigned char* out = nullptr;
  unsigned long bytes = 0;
  bool created = false;
};

}  // namespace

StatusOr<std::string> EncodeJpeg(const uint8_t* pixels, const ImageSize& size,
                                 const JpegEncodeOptions& options) {
  std::string xmp;
  if (!options.xmp_metadata.empty()) {
    xmp = std::string("http://ns.adobe.com/xap/1.0/") + '\0' + options.xmp_metadata;
  }
  constexpr int64_t kMaxSide = 65500;
  const auto encoder = std::make_unique<JpegEncoder>();
  if (size.height < 1 || size.width < 1 || size.height > kMaxSide || size.width > kMaxSide ||
      !encoder->Encode(pixels, size, options, xmp)) {
    return InvalidArgument("JPEG encoding failed\nAn image of ", size.height, " x ", size.width,
                           " pixels cannot be encoded; sides must be 1 to 65500");
  }
  return std::string(reinterpret_cast<char*>(encoder->out), encoder->bytes);
}

}  // namespace ramet
