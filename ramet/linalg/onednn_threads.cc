#include "ramet/linalg/onednn_threads.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "ramet/base/strings.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/signals.h"
#include "ramet/linalg/team.h"

extern "C" {
void GOMP_barrier(void);
int omp_get_max_threads(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_in_parallel(void);
}

namespace ramet::linalg {
namespace {

struct Region {
  void (*body)(void*);
  void* data;
};

void Parallel(void (*body)(void*), void* data, unsigned threads, unsigned) {
  Region region{body, data};
  parallel_internal::RunRegion(
      static_cast<int>(threads),
      [](void* r, int) {
        // The threads of the pool receive profilers' signals.
        const SignalsBlocked blocked;
        static_cast<Region*>(r)->body(static_cast<Region*>(r)->data);
      },
      &region);
}

// A thread outside of our teams may be in a team of libgomp started by another library.
void Barrier() { InTeam() ? TeamBarrier() : GOMP_barrier(); }
int MaxThreads() { return parallel_internal::MaxThreads(); }
int NumThreads() { return InTeam() ? TeamSize() : omp_get_num_threads(); }
int ThreadNum() { return InTeam() ? TeamMember() : omp_get_thread_num(); }
int InParallel() { return InTeam() || omp_in_parallel() != 0; }

struct Replacement {
  std::string_view name;
  void* function;
};

const Replacement kReplacements[] = {
    // Parallel comes last, because a thread in one of libgomp's regions may call the others
    // meanwhile.
    {"GOMP_barrier", reinterpret_cast<void*>(Barrier)},
    {"omp_get_max_threads", reinterpret_cast<void*>(MaxThreads)},
    {"omp_get_num_threads", reinterpret_cast<void*>(NumThreads)},
    {"omp_get_thread_num", reinterpret_cast<void*>(ThreadNum)},
    {"omp_in_parallel", reinterpret_cast<void*>(InParallel)},
    {"GOMP_parallel", reinterpret_cast<void*>(Parallel)},
};

bool IsOpenMp(std::string_view name) {
  return name.starts_with("GOMP_") || name.starts_with("omp_") || name.starts_with("__kmpc_");
}

// Tables of a loaded library, located by its dynamic section.
struct Tables {
  const char* names = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * calls = nullptr;
  size_t call_bytes = 0;
  const ElfW(Rela) * data = nullptr;
  size_t data_bytes = 0;

  explicit Tables(const link_map& map) {
    for (const ElfW(Dyn)* d = map.l_ld; d->d_tag != DT_NULL; ++d) {
      const auto* at = reinterpret_cast<const void*>(d->d_un.d_ptr);
      switch (d->d_tag) {
        case DT_STRTAB: names = static_cast<const char*>(at); break;
        case DT_SYMTAB: symbols = static_cast<const ElfW(Sym)*>(at); break;
        case DT_JMPREL: calls = static_cast<const ElfW(Rela)*>(at); break;
        case DT_PLTRELSZ: call_bytes = d->d_un.d_val; break;
        case DT_RELA: data = static_cast<const ElfW(Rela)*>(at); break;
        case DT_RELASZ: data_bytes = d->d_un.d_val; break;
      }
    }
  }
};

// An address in the library that the dynamic linker has set to a function.
struct Slot {
  std::string_view name;
  void** address;
};

void FindSlots(const link_map& map, const Tables& tables, const ElfW(Rela) * entries, size_t bytes,
               std::vector<Slot>* slots) {
  for (size_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(entries[i].r_info)];
    const std::string_view name = tables.names + symbol.st_name;
    if (symbol.st_shndx != SHN_UNDEF || !IsOpenMp(name)) continue;
    slots->push_back({name, reinterpret_cast<void**>(map.l_addr + entries[i].r_offset)});
  }
}

struct Range {
  uintptr_t begin = 0, end = 0;
};

// Returns the library's addresses that become read-only after loading.
Range ReadOnlyAfterLoading(const link_map& map) {
  struct Search {
    const link_map* map;
    Range range;
  } search{&map, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* p) {
        auto* s = static_cast<Search*>(p);
        if (info->dlpi_addr != s->map->l_addr || std::strcmp(info->dlpi_name, s->map->l_name) != 0)
          return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          if (header.p_type != PT_GNU_RELRO) continue;
          const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
          s->range = {begin, begin + header.p_memsz};
        }
        return 1;
      },
      &search);
  return search.range;
}

bool Set(const Slot& slot, void* function, const Range& read_only) {
  const uintptr_t page_size = sysconf(_SC_PAGESIZE);
  const auto address = reinterpret_cast<uintptr_t>(slot.address);
  void* page = reinterpret_cast<void*>(address & ~(page_size - 1));
  const bool locked = read_only.begin <= address && address < read_only.end;
  if (locked && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot.address, function, __ATOMIC_RELEASE);
  if (locked) mprotect(page, page_size, PROT_READ);
  return true;
}

}  // namespace

std::string UseOurThreads(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return "its tables cannot be found";
  const Tables tables(*map);
  std::vector<Slot> slots;
  FindSlots(*map, tables, tables.calls, tables.call_bytes, &slots);
  FindSlots(*map, tables, tables.data, tables.data_bytes, &slots);
  for (const Slot& slot : slots) {
    const auto is_it = [&](const Replacement& r) { return r.name == slot.name; };
    if (std::ranges::none_of(kReplacements, is_it)) {
      return StrCat("it calls OpenMP's ", slot.name, ", which Ramet does not replace");
    }
  }
  const Range read_only = ReadOnlyAfterLoading(*map);
  for (const Replacement& replacement : kReplacements) {
    for (const Slot& slot : slots) {
      if (slot.name != replacement.name) continue;
      if (!Set(slot, replacement.function, read_only)) return "its memory cannot be changed";
    }
  }
  return "";
}

}  // namespace ramet::linalg
