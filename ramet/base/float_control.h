#pragma once

#include <cstdint>

namespace ramet {

// How the calling thread computes with floats: the control bits of its floating-point unit, without
// the flags that operations set. 0 on processors that are not known here.
inline uint32_t FloatControl();
inline void SetFloatControl(uint32_t control);

#if defined(__x86_64__)
inline constexpr uint32_t kFlushDenormals = 0x8040;  // flush results to zero, read operands as zero
inline constexpr uint32_t kFloatStatusFlags = 0x3f;
inline uint32_t FloatControl() { return __builtin_ia32_stmxcsr() & ~kFloatStatusFlags; }
inline void SetFloatControl(uint32_t control) {
  __builtin_ia32_ldmxcsr(control | (__builtin_ia32_stmxcsr() & kFloatStatusFlags));
}
#elif defined(__aarch64__)
inline constexpr uint32_t kFlushDenormals = 1 << 24;
inline uint32_t FloatControl() {
  uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<uint32_t>(control);
}
inline void SetFloatControl(uint32_t control) {
  asm volatile("msr fpcr, %0" ::"r"(static_cast<uint64_t>(control)));
}
#else
inline constexpr uint32_t kFlushDenormals = 0;
inline uint32_t FloatControl() { return 0; }
inline void SetFloatControl(uint32_t) {}
#endif

// Computes under `control` in this thread until the end of the scope.
class ScopedFloatControl {
 public:
  explicit ScopedFloatControl(uint32_t control) : before_(FloatControl()) {
    if (control != before_) SetFloatControl(control);
  }
  ~ScopedFloatControl() {
    if (FloatControl() != before_) SetFloatControl(before_);
  }
  ScopedFloatControl(const ScopedFloatControl&) = delete;
  ScopedFloatControl& operator=(const ScopedFloatControl&) = delete;

 private:
  const uint32_t before_;
};

// Treats floats that are too small to be normal (denormals) as zero until the end of the scope, as
// TensorFlow does in its sessions. Computing with them would be 10 to 100 times slower.
class ScopedFlushDenormals : public ScopedFloatControl {
 public:
  ScopedFlushDenormals() : ScopedFloatControl(FloatControl() | kFlushDenormals) {}
};

}  // namespace ramet
