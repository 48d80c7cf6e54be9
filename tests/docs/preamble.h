// The names that fragments of C++ in the docs use without declaring them.
#pragma once

#include <ramet/ramet.h>

#include <chrono>

namespace rm = ramet;

extern rm::Graph graph, served;
extern rm::Session session, serving;
extern rm::Tensor images, batch, x;
