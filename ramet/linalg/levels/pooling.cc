#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/tables.h"
namespace ramet::linalg::RAMET_LEVEL {
void AddPooling(KernelTable&) {}
}
