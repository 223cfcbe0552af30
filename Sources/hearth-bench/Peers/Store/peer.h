// What the peers of `hearth-bench store` have in common: the load they all store, and what each must be able to do with it.

#pragma once
#include <stdint.h>

/// One sample of the load, as hearth-bench wrote it to the file that every contestant maps.
struct sample {
  /// Milliseconds since 1970; never smaller than that of the sample before.
  int64_t time;
  uint16_t wearable;
  uint16_t series;
  int32_t value;
};

/// Enough of what was read to notice a sample that is missing, doubled or changed. Times are microseconds, as Hearth gives them; sums wrap.
struct tally {
  uint64_t samples;
  uint64_t times;
  uint64_t values;
};

/// `time` in milliseconds.
static inline void take(struct tally *tally, int64_t time, int64_t value) {
  tally->samples++;
  tally->times += (uint64_t)time * 1000;
  tally->values += (uint64_t)value;
}

/// A store that can be measured. A failure ends the program.
struct peer {
  const char *name;
  void (*open)(const char *directory);
  void (*begin)(void);
  void (*put)(const struct sample *sample);
  void (*commit)(void);
  /// All samples of one wearable and series in [from, to), in order of time.
  void (*read)(uint16_t wearable, uint16_t series, int64_t from, int64_t to, struct tally *tally);
  void (*close)(void);
};

extern const struct peer sqlite_indexed, sqlite_lean, sqlite_full, sqlite_packed, sqlite_packed_full, lmdb_peer;

_Noreturn void fail(const char *what, const char *why);
