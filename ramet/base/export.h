#pragma once

// RAMET_EXPORT makes a symbol visible outside of libramet.so; all others are hidden.
#define RAMET_EXPORT [[gnu::visibility("default")]]
