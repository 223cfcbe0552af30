// The peer that `hearth-bench notify` is measured beside: the least a C program can do for the same durable result.
// One blocking recv per PDU, one decode, one LMDB put per notification, one commit every K notifications.
//
//   bench-peer-c DESCRIPTOR NOTIFICATIONS COMMIT_EVERY DIRECTORY hr|ecg
//
// Prints one line of key=value: what was read back from the store, and the CPU this process spent between the first and the last PDU.

#include <errno.h>
#include <inttypes.h>
#include <lmdb.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

/// More intervals than any value of an attribute (512 bytes) can hold.
enum { RR_LIMIT = 256 };

struct record {
  int64_t time_ns;
  uint16_t rate;
  uint16_t rr_count;
  uint16_t rr[RR_LIMIT];
};

static void check(int result, const char *what) {
  if (result == 0) return;
  fprintf(stderr, "bench-peer-c: %s: %s\n", what, mdb_strerror(result));
  exit(1);
}

static int64_t cpu_ns(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 + ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static uint16_t u16(const uint8_t *bytes) { return (uint16_t)(bytes[0] | bytes[1] << 8); }

/// A Handle Value Notification with a Heart Rate Measurement. Returns 0 for anything else.
static int decode(const uint8_t *pdu, size_t length, struct record *record) {
  if (length < 5 || pdu[0] != 0x1B) return 0;
  uint8_t flags = pdu[3];
  size_t offset = 4;
  if (flags & 0x01) {
    if (length < offset + 2) return 0;
    record->rate = u16(pdu + offset);
    offset += 2;
  } else {
    record->rate = pdu[offset++];
  }
  if (flags & 0x08) {
    if (length < offset + 2) return 0;
    offset += 2;
  }
  record->rr_count = 0;
  if (flags & 0x10) {
    while (offset + 2 <= length && record->rr_count < RR_LIMIT) {
      record->rr[record->rr_count++] = u16(pdu + offset);
      offset += 2;
    }
  }
  return 1;
}

/// The same with a frame of raw ECG (ten bytes of header, samples of 24 bits), kept in 16 bits each.
static int decode_ecg(const uint8_t *pdu, size_t length, struct record *record) {
  if (length < 13 || pdu[0] != 0x1B || pdu[3] != 0 || pdu[12] != 0) return 0;
  record->rate = 0;
  record->rr_count = 0;
  for (size_t offset = 13; offset + 3 <= length && record->rr_count < RR_LIMIT; offset += 3) record->rr[record->rr_count++] = u16(pdu + offset);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  int is_ecg = strcmp(argv[5], "ecg") == 0;
  int descriptor = atoi(argv[1]);
  uint64_t wanted = strtoull(argv[2], NULL, 10);
  uint64_t commit_every = strtoull(argv[3], NULL, 10);

  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  check(mdb_env_create(&env), "env_create");
  check(mdb_env_set_mapsize(env, (size_t)1 << 30), "set_mapsize");
  check(mdb_env_open(env, argv[4], 0, 0600), "env_open");
  check(mdb_txn_begin(env, NULL, 0, &txn), "txn_begin");
  check(mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi), "dbi_open");

  uint8_t pdu[1024];
  struct record record;
  uint64_t commits = 0;
  int64_t begun = 0;
  for (uint64_t count = 0; count < wanted; count++) {
    ssize_t length = recv(descriptor, pdu, sizeof pdu, 0);
    if (length <= 0) {
      fprintf(stderr, "bench-peer-c: recv: %s\n", length == 0 ? "end" : strerror(errno));
      return 1;
    }
    if (count == 0) begun = cpu_ns();
    if (is_ecg ? decode_ecg(pdu, (size_t)length, &record) : decode(pdu, (size_t)length, &record)) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      record.time_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
      MDB_val key = {sizeof count, &count};
      MDB_val value = {offsetof(struct record, rr) + record.rr_count * sizeof record.rr[0], &record};
      check(mdb_put(txn, dbi, &key, &value, MDB_APPEND), "put");
    }
    if ((count + 1) % commit_every == 0) {
      check(mdb_txn_commit(txn), "commit");
      check(mdb_txn_begin(env, NULL, 0, &txn), "txn_begin");
      commits++;
    }
  }
  check(mdb_txn_commit(txn), "commit");
  commits++;
  int64_t spent = cpu_ns() - begun;

  uint64_t rates = 0, rate_sum = 0, intervals = 0, interval_sum = 0;
  MDB_cursor *cursor;
  MDB_val key, value;
  check(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "txn_begin");
  check(mdb_cursor_open(txn, dbi, &cursor), "cursor_open");
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
    memcpy(&record, value.mv_data, value.mv_size);
    rates++;
    rate_sum += record.rate;
    for (int index = 0; index < record.rr_count; index++) interval_sum += record.rr[index];
    intervals += record.rr_count;
  }
  printf("cpu_ns=%" PRId64 " commits=%" PRIu64 " rates=%" PRIu64 " rate_sum=%" PRIu64 " intervals=%" PRIu64 " interval_sum=%" PRIu64 "\n",
         spent, commits, rates, rate_sum, intervals, interval_sum);
  return 0;
}
