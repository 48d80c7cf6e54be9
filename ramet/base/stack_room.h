#pragma once

namespace ramet {

// Reports whether the calling thread's stack has room for another level of recursion, with what a
// kernel may need (256 KiB). For recursion whose depth comes from a graph.
bool StackHasRoom();

}  // namespace ramet
