// The peers that `hearth-bench store` is measured beside: SQLite and bare LMDB, given the same samples and the same commit points.
//
//   bench-peer-store KIND DIRECTORY LOAD START COMMIT WEARABLES FROM PASSES
//
// KIND: sqlite-indexed, sqlite-lean, sqlite-full, sqlite-packed, sqlite-packed-full or lmdb. LOAD: the file of samples. START: time of the first
// commit interval, COMMIT its length. What was stored from FROM on is read PASSES times. Times in milliseconds. Wearables are numbered from 1,
// their series are 1 and 2.
//
// Prints one line of key=value.

#include "peer.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// Commits between two looks at the memory that is taken.
enum { LOOK_EVERY = 16, PASS_LIMIT = 100 };

static const struct peer *peer;

_Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "bench-peer-store: %s: %s: %s\n", peer ? peer->name : "-", what, why);
  exit(1);
}

static int64_t elapsed_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t cpu_ns(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 + ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/// The number behind `name` in a file of /proc.
static uint64_t proc_number(const char *path, const char *name) {
  char text[8192];
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = descriptor < 0 ? -1 : read(descriptor, text, sizeof text - 1);
  if (descriptor >= 0) close(descriptor);
  if (length < 0) fail(path, "cannot be read");
  text[length] = 0;
  const char *found = strstr(text, name);
  if (!found) fail(path, "does not say it");
  return strtoull(found + strlen(name), NULL, 10);
}

static uint64_t anonymous_kb(void) { return proc_number("/proc/self/status", "RssAnon:"); }

/// Lengths of all files of the store.
static uint64_t stored_bytes(const char *directory) {
  char path[4096];
  uint64_t bytes = 0;
  DIR *entries = opendir(directory);
  if (!entries) fail(directory, "cannot be read");
  for (struct dirent *entry; (entry = readdir(entries));) {
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) bytes += (uint64_t)status.st_size;
  }
  closedir(entries);
  return bytes;
}

static struct tally read_all(int wearables, int64_t from, int64_t to) {
  struct tally tally = {0};
  for (int wearable = 1; wearable <= wearables; wearable++) {
    for (uint16_t series = 1; series <= 2; series++) peer->read((uint16_t)wearable, series, from, to, &tally);
  }
  return tally;
}

static int ascending(const void *a, const void *b) {
  int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

int main(int argc, char **argv) {
  if (argc != 9) return 2;
  const struct peer *peers[] = {&sqlite_indexed, &sqlite_lean, &sqlite_full, &sqlite_packed, &sqlite_packed_full, &lmdb_peer};
  for (size_t index = 0; index < sizeof peers / sizeof peers[0]; index++) {
    if (strcmp(argv[1], peers[index]->name) == 0) peer = peers[index];
  }
  if (!peer) return 2;
  const char *directory = argv[2];
  int64_t boundary = strtoll(argv[4], NULL, 10), interval = strtoll(argv[5], NULL, 10);
  int wearables = atoi(argv[6]);
  int64_t from = strtoll(argv[7], NULL, 10);
  int passes = atoi(argv[8]);
  if (interval < 1 || wearables < 1 || passes < 1 || passes > PASS_LIMIT) return 2;

  struct stat status;
  int descriptor = open(argv[3], O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || fstat(descriptor, &status) != 0) fail(argv[3], "cannot be opened");
  size_t count = (size_t)status.st_size / sizeof(struct sample);
  const struct sample *samples = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (count == 0 || samples == MAP_FAILED) fail(argv[3], "cannot be mapped");

  uint64_t anonymous_start = anonymous_kb(), anonymous_peak = anonymous_start, commits = 0;
  peer->open(directory);
  int64_t started = elapsed_ns(), cpu_started = cpu_ns();
  boundary += interval;
  peer->begin();
  for (size_t index = 0; index < count; index++) {
    if (samples[index].time >= boundary) {
      peer->commit();
      commits++;
      if (commits % LOOK_EVERY == 0) {
        uint64_t now = anonymous_kb();
        if (now > anonymous_peak) anonymous_peak = now;
      }
      peer->begin();
      while (samples[index].time >= boundary) boundary += interval;
    }
    peer->put(&samples[index]);
  }
  peer->commit();
  commits++;
  peer->close();
  int64_t elapsed = elapsed_ns() - started, cpu = cpu_ns() - cpu_started;
  uint64_t written = proc_number("/proc/self/io", "\nwchar: "), dirtied = proc_number("/proc/self/io", "\nwrite_bytes: ");
  uint64_t stored = stored_bytes(directory);

  peer->open(directory);
  struct tally all = read_all(wearables, INT64_C(0), INT64_MAX), range = {0};
  int64_t durations[PASS_LIMIT];
  for (int pass = 0; pass < passes; pass++) {
    int64_t began = elapsed_ns();
    range = read_all(wearables, from, INT64_MAX);
    durations[pass] = elapsed_ns() - began;
    uint64_t now = anonymous_kb();
    if (now > anonymous_peak) anonymous_peak = now;
  }
  peer->close();
  qsort(durations, (size_t)passes, sizeof durations[0], ascending);

  printf("elapsed_ns=%" PRId64 " cpu_ns=%" PRId64 " commits=%" PRIu64 " written=%" PRIu64 " dirtied=%" PRIu64, elapsed, cpu, commits, written, dirtied);
  printf(" stored=%" PRIu64 " anonymous_start_kb=%" PRIu64 " anonymous_peak_kb=%" PRIu64 " read_ns=%" PRId64, stored, anonymous_start, anonymous_peak, durations[passes / 2]);
  printf(" samples=%" PRIu64 " times=%" PRIu64 " values=%" PRIu64, all.samples, all.times, all.values);
  printf(" range_samples=%" PRIu64 " range_times=%" PRIu64 " range_values=%" PRIu64 "\n", range.samples, range.times, range.values);
  return 0;
}
