#pragma once

#include <cstdint>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/reduce_loops.h"

namespace ramet::linalg::RAMET_LEVEL {

// A window clipped to the image: [begin, end) in each dimension.
struct Window {
  int64_t begin[3], end[3];
};

// Iterates over output pixels in order: the image and the position in it.
class PixelWalk {
 public:
  PixelWalk(const PoolGeometry& g, int64_t at) : g_(g) {
    const int64_t pixels = g.out_pixels();
    if (pixels == 0) return;
    image_ = at / pixels;
    at %= pixels;
    position_[0] = at / (g.out[1] * g.out[2]);
    position_[1] = at / g.out[2] % g.out[1];
    position_[2] = at % g.out[2];
  }
  int64_t image() const { return image_; }
  void Next() {
    for (int d = 2; d >= 0; --d) {
      if (++position_[d] < g_.out[d]) return;
      position_[d] = 0;
    }
    ++image_;
  }
  Window window() const {
    Window w;
    for (int d = 0; d < 3; ++d) {
      const int64_t first = position_[d] * g_.stride[d] - g_.pad[d];
      const int64_t last = first + g_.window[d];
      w.begin[d] = first > 0 ? first : 0;
      w.end[d] = last < g_.in[d] ? last : g_.in[d];
    }
    return w;
  }

 private:
  const PoolGeometry& g_;
  int64_t image_ = 0;
  int64_t position_[3] = {0, 0, 0};
};

// Calls visit(pixel) for the pixels of a window, in order.
template <class Visit>
void VisitWindow(const PoolGeometry& g, const Window& w, Visit&& visit) {
  for (int64_t i = w.begin[0]; i < w.end[0]; ++i) {
    for (int64_t j = w.begin[1]; j < w.end[1]; ++j) {
      const int64_t row = (i * g.in[1] + j) * g.in[2];
      for (int64_t k = w.begin[2]; k < w.end[2]; ++k) visit(row + k);
    }
  }
}

// The pixels of one window at a time. The offsets of pixels in a window that is entirely inside the
// image are computed once.
class WindowPixels {
 public:
  explicit WindowPixels(const PoolGeometry& g) : g_(g) {
    for (int64_t size : g.window) {
      if (size > kMaxPixels) return;
    }
    if (g.window[0] * g.window[1] * g.window[2] > kMaxPixels) return;
    const Window whole{{0, 0, 0}, {g.window[0], g.window[1], g.window[2]}};
    VisitWindow(g, whole, [&](int64_t pixel) { whole_[size_++] = pixel; });
  }
  void Set(const Window& w) {
    window_ = w;
    first_ = (w.begin[0] * g_.in[1] + w.begin[1]) * g_.in[2] + w.begin[2];
    at_ = whole_;
    count_ = size_;
    if (size_ == 0) return;
    bool whole = true;
    for (int d = 0; d < 3; ++d) whole &= w.end[d] - w.begin[d] == g_.window[d];
    if (whole) return;
    at_ = clipped_;
    count_ = 0;
    VisitWindow(g_, w, [&](int64_t pixel) { clipped_[count_++] = pixel - first_; });
  }
  const Window& window() const { return window_; }
  bool empty() const {
    return window_.begin[0] >= window_.end[0] || window_.begin[1] >= window_.end[1] ||
           window_.begin[2] >= window_.end[2];
  }
  int64_t first() const { return first_; }
  // Calls visit(pixel) for each pixel, in order.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    if (size_ == 0) return VisitWindow(g_, window_, visit);
    for (int64_t i = 0; i < count_; ++i) visit(first_ + at_[i]);
  }

 private:
  static constexpr int64_t kMaxPixels = 64;
  const PoolGeometry& g_;
  Window window_;
  int64_t first_ = 0;
  const int64_t* at_ = whole_;
  int64_t count_ = 0;
  int64_t size_ = 0;  // 0 if the window is too large
  int64_t whole_[kMaxPixels];
  int64_t clipped_[kMaxPixels];
};

// The loops below work on output pixels [begin, end) of all images; those for gradients of x, on
// images [begin, end).

template <class T>
void StoreVector(const Vector<T>& v, T* p) {
  std::memcpy(p, &v, sizeof v);
}

// Reduces the channels of a window in vector registers: each starts at `start`, becomes
// join(itself, element) for every pixel of the window, and is stored as finish(itself).
template <class T, class Join, class Finish>
void FoldWindow(const WindowPixels& pixels, int64_t c, const T* x, T start, T* y, Join&& join,
                Finish&& finish) {
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  int64_t at = 0;
  for (; at + kLanes <= c; at += kLanes) {
    Vector<T> all = Vector<T>{} + start;
    pixels.ForEach([&](int64_t pixel) { all = join(all, Load(x + pixel * c + at)); });
    StoreVector<T>(finish(all), y + at);
  }
  for (; at < c; ++at) {
    T all = start;
    pixels.ForEach([&](int64_t pixel) { all = join(all, x[pixel * c + at]); });
    y[at] = finish(all);
  }
}

template <class T>
void MaxPixels(const PoolArgs& a, int64_t begin, int64_t end, T lowest) {
  const PoolGeometry& g = a.g;
  const int64_t image = g.in_pixels() * g.channels;
  WindowPixels pixels(g);
  PixelWalk walk(g, begin);
  for (int64_t p = begin; p < end; ++p, walk.Next()) {
    pixels.Set(walk.window());
    FoldWindow(
        pixels, g.channels, static_cast<const T*>(a.x) + walk.image() * image, lowest,
        static_cast<T*>(a.y) + p * g.channels, []<class V>(V m, V x) -> V { return x > m ? x : m; },
        []<class V>(V m) -> V { return m; });
  }
}

// Channels are processed in pieces of this many.
inline constexpr int64_t kPoolChunk = 256;

// The first of the largest elements for `count` channels of a window: its value and the number of
// its pixel in the window.
template <class T>
struct Largest {
  T value[kPoolChunk];
  int32_t number[kPoolChunk];

  void Find(const PoolGeometry& g, const Window& w, const T* x, int64_t count) {
    int32_t n = 0;
    for (int64_t i = 0; i < count; ++i) {
      number[i] = 0;
      value[i] = 0;
    }
    VisitWindow(g, w, [&](int64_t pixel) {
      const T* from = x + pixel * g.channels;
      for (int64_t i = 0; i < count; ++i) {
        const bool larger = n == 0 || from[i] > value[i];
        value[i] = larger ? from[i] : value[i];
        number[i] = larger ? n : number[i];
      }
      ++n;
    });
  }
};

// A piece of an output pixel: `count` channels, and their offsets in arrays with the shapes of the
// input and the output.
struct Piece {
  int64_t count;
  int64_t input;   // of pixel 0
  int64_t output;  // of this pixel
};

// For each piece of output pixels [begin, end) of all images, calls find(largest, piece) and then
// visit(largest, piece, n, pixel) for each pixel of the window, where n is the pixel's number in
// it.
template <class T, class Find, class Visit>
void ForLargest(const PoolArgs& a, int64_t begin, int64_t end, Find&& find, Visit&& visit) {
  const PoolGeometry& g = a.g;
  Largest<T> largest;
  PixelWalk walk(g, begin);
  for (int64_t p = begin; p < end; ++p, walk.Next()) {
    const Window w = walk.window();
    const int64_t image = walk.image() * g.in_pixels() * g.channels;
    for (int64_t c = 0; c < g.channels; c += kPoolChunk) {
      const int64_t left = g.channels - c;
      const Piece piece{left < kPoolChunk ? left : kPoolChunk, image + c, p * g.channels + c};
      largest.Find(g, w, static_cast<const T*>(a.x) + piece.input, piece.count);
      find(largest, piece);
      int32_t n = 0;
      VisitWindow(g, w, [&](int64_t pixel) { visit(largest, piece, n++, pixel); });
    }
  }
}

template <class T>
void ArgmaxPixels(const PoolArgs& a, int64_t begin, int64_t end) {
  ForLargest<T>(
      a, begin, end,
      [&](const Largest<T>& l, const Piece& p) {
        T* y = static_cast<T*>(a.y) + p.output;
        for (int64_t i = 0; i < p.count; ++i) y[i] = l.value[i];
        for (int64_t i = 0; i < p.count; ++i) a.argmax[p.output + i] = -1;
      },
      [&](const Largest<T>& l, const Piece& p, int32_t n, int64_t pixel) {
        int64_t* argmax = a.argmax + p.output;
        for (int64_t i = 0; i < p.count; ++i) argmax[i] = l.number[i] == n ? pixel : argmax[i];
      });
}

template <class T>
void ZeroImages(const PoolArgs& a, int64_t begin, int64_t end) {
  const int64_t image = a.g.in_pixels() * a.g.channels;
  T* y = static_cast<T*>(a.y);
  for (int64_t i = begin * image; i < end * image; ++i) y[i] = 0;
}

template <bool kLong>
struct PositionType {
  using type = int32_t;
};
template <>
struct PositionType<true> {
  using type = int64_t;
};
// Integers as wide as T for positions of elements in a window.
template <class T>
using PositionVector = Vector<typename PositionType<sizeof(T) == sizeof(int64_t)>::type>;

// Adds dy to dx at the first of the largest elements of a window. With kApart, windows share no
// pixels, and every pixel of this one is written.
template <bool kApart, class T>
void MaxGradVector(const WindowPixels& pixels, int64_t c, const T* x, const T* dy, T* dx) {
  const Vector<T> gradient = Load(dy), zero = {};
  Vector<T> value = Load(x + pixels.first() * c);
  PositionVector<T> position = {}, n = {};
  pixels.ForEach([&](int64_t pixel) {
    const Vector<T> element = Load(x + pixel * c);
    const PositionVector<T> larger = element > value;
    value = larger ? element : value;
    position = larger ? n : position;
    n += 1;
  });
  n = PositionVector<T>{};
  pixels.ForEach([&](int64_t pixel) {
    T* to = dx + pixel * c;
    const Vector<T> old = kApart ? zero : Load(to);
    StoreVector<T>(position == n ? old + gradient : old, to);
    n += 1;
  });
}

template <class T>
void MaxGradElement(const WindowPixels& pixels, int64_t c, const T* x, const T* dy, T* dx) {
  int64_t position = pixels.first();
  pixels.ForEach([&](int64_t pixel) {
    if (x[pixel * c] > x[position * c]) position = pixel;
  });
  T& sum = dx[position * c];
  if constexpr (std::is_integral_v<T>) {
    using Wrapping = std::make_unsigned_t<T>;
    sum = static_cast<T>(static_cast<Wrapping>(sum) + static_cast<Wrapping>(*dy));
  } else {
    sum = static_cast<T>(sum + *dy);
  }
}

inline bool WindowsApart(const PoolGeometry& g) {
  for (int d = 0; d < 3; ++d) {
    if (g.stride[d] < g.window[d]) return false;
  }
  return true;
}

// Reports whether every pixel is in a window.
inline bool WindowsCover(const PoolGeometry& g) {
  for (int d = 0; d < 3; ++d) {
    if (g.out[d] == 0 || g.stride[d] > g.window[d] || g.pad[d] < 0) return false;
    if ((g.out[d] - 1) * g.stride[d] - g.pad[d] + g.window[d] < g.in[d]) return false;
  }
  return true;
}

template <bool kApart, class T>
void MaxGradPixels(const PoolArgs& a, int64_t begin, int64_t end) {
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  const PoolGeometry& g = a.g;
  const int64_t c = g.channels;
  WindowPixels pixels(g);
  PixelWalk walk(g, begin);
  for (int64_t p = begin; p < end; ++p, walk.Next()) {
    pixels.Set(walk.window());
    if (pixels.empty()) continue;
    const int64_t image = walk.image() * g.in_pixels() * c;
    const T* x = static_cast<const T*>(a.x) + image;
    const T* dy = static_cast<const T*>(a.dy) + p * c;
    T* dx = static_cast<T*>(a.y) + image;
    int64_t i = 0;
    if constexpr (sizeof(T) >= sizeof(int32_t)) {
      for (; i + kLanes <= c; i += kLanes) {
        MaxGradVector<kApart>(pixels, c, x + i, dy + i, dx + i);
      }
    }
    for (; i < c; ++i) MaxGradElement(pixels, c, x + i, dy + i, dx + i);
  }
}

template <class T>
void MaxGradImages(const PoolArgs& a, int64_t begin, int64_t end) {
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  const int64_t pixels = a.g.out_pixels();
  const bool apart = WindowsApart(a.g);
  const bool all_written =
      apart && WindowsCover(a.g) && sizeof(T) >= sizeof(int32_t) && a.g.channels % kLanes == 0;
  for (int64_t image = begin; image < end; ++image) {
    if (!all_written) ZeroImages<T>(a, image, image + 1);
    if (apart) {
      MaxGradPixels<true, T>(a, image * pixels, (image + 1) * pixels);
    } else {
      MaxGradPixels<false, T>(a, image * pixels, (image + 1) * pixels);
    }
  }
}

template <class T>
void MaxGradGradPixels(const PoolArgs& a, int64_t begin, int64_t end) {
  const PoolGeometry& g = a.g;
  ForLargest<T>(
      a, begin, end,
      [&](const Largest<T>&, const Piece& p) {
        T* y = static_cast<T*>(a.y) + p.output;
        for (int64_t i = 0; i < p.count; ++i) y[i] = 0;
      },
      [&](const Largest<T>& l, const Piece& p, int32_t n, int64_t pixel) {
        const T* ddx = static_cast<const T*>(a.dy) + p.input + pixel * g.channels;
        T* y = static_cast<T*>(a.y) + p.output;
        RAMET_IVDEP
        for (int64_t i = 0; i < p.count; ++i) y[i] = l.number[i] == n ? ddx[i] : y[i];
      });
}

inline int64_t WindowSize(const Window& w) {
  return (w.end[0] - w.begin[0]) * (w.end[1] - w.begin[1]) * (w.end[2] - w.begin[2]);
}

template <class T>
void AvgPixels(const PoolArgs& a, int64_t begin, int64_t end) {
  const PoolGeometry& g = a.g;
  const int64_t image = g.in_pixels() * g.channels;
  WindowPixels pixels(g);
  PixelWalk walk(g, begin);
  for (int64_t p = begin; p < end; ++p, walk.Next()) {
    pixels.Set(walk.window());
    const T size = static_cast<T>(WindowSize(pixels.window()));
    FoldWindow(
        pixels, g.channels, static_cast<const T*>(a.x) + walk.image() * image, T(0),
        static_cast<T*>(a.y) + p * g.channels, []<class V>(V sum, V x) -> V { return sum + x; },
        [size]<class V>(V sum) -> V { return sum / size; });
  }
}

template <class T>
void AvgGradImages(const PoolArgs& a, int64_t begin, int64_t end) {
  const PoolGeometry& g = a.g;
  const int64_t c = g.channels, pixels = g.out_pixels();
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  ZeroImages<T>(a, begin, end);
  WindowPixels window(g);
  PixelWalk walk(g, begin * pixels);
  for (int64_t p = begin * pixels; p < end * pixels; ++p, walk.Next()) {
    const T* dy = static_cast<const T*>(a.dy) + p * c;
    T* dx = static_cast<T*>(a.y) + walk.image() * g.in_pixels() * c;
    window.Set(walk.window());
    const T size = static_cast<T>(WindowSize(window.window()));
    int64_t i = 0;
    for (; i + kLanes <= c; i += kLanes) {
      const Vector<T> share = Load(dy + i) / size;
      window.ForEach([&](int64_t pixel) {
        T* to = dx + pixel * c + i;
        StoreVector<T>(Load(to) + share, to);
      });
    }
    for (; i < c; ++i) {
      const T share = dy[i] / size;
      window.ForEach([&](int64_t pixel) { dx[pixel * c + i] += share; });
    }
  }
}

template <class T>
void AddMaxPools(KernelTable& table, Type type, KernelTable::Pool max_pool) {
  const int t = static_cast<int>(type);
  table.pool[static_cast<int>(PoolKind::kMax)][t] = max_pool;
  table.pool[static_cast<int>(PoolKind::kArgmax)][t] = &ArgmaxPixels<T>;
  table.pool[static_cast<int>(PoolKind::kMaxGrad)][t] = &MaxGradImages<T>;
  table.pool[static_cast<int>(PoolKind::kMaxGradGrad)][t] = &MaxGradGradPixels<T>;
}

}  // namespace ramet::linalg::RAMET_LEVEL
