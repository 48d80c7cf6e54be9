#pragma once

// RAMET_EXPORT marks what libramet.so shows to the outside; everything else is hidden.
#define RAMET_EXPORT [[gnu::visibility("default")]]
