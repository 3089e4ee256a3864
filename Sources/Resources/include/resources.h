#pragma once
#include <stddef.h>

/// A file that is part of the program.
struct resource {
  /// Below Sources/Resources: "studio/room/room.js".
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

/// All of them, in no order, and their number.
const struct resource *resources(size_t *count);
