// Bare LMDB, sample by sample: a ring per device and series, made of keys. Every commit waits for the disk.

#include "peer.h"
#include <lmdb.h>
#include <string.h>

enum { KEY_SIZE = 12 };

static MDB_env *environment;
static MDB_txn *transaction;
static MDB_dbi table;

static void check(int result, const char *what) {
  if (result != 0) fail(what, mdb_strerror(result));
}

/// Device, series, time: big-endian, so that LMDB's byte order is theirs.
static void make_key(uint8_t key[KEY_SIZE], uint16_t wearable, uint16_t series, int64_t time) {
  key[0] = (uint8_t)(wearable >> 8);
  key[1] = (uint8_t)wearable;
  key[2] = (uint8_t)(series >> 8);
  key[3] = (uint8_t)series;
  for (int place = 0; place < 8; place++) key[4 + place] = (uint8_t)((uint64_t)time >> (56 - 8 * place));
}

static int64_t key_time(const uint8_t *key) {
  uint64_t time = 0;
  for (int place = 0; place < 8; place++) time = time << 8 | key[4 + place];
  return (int64_t)time;
}

static void open_environment(const char *directory) {
  check(mdb_env_create(&environment), "env_create");
  check(mdb_env_set_mapsize(environment, (size_t)16 << 30), "set_mapsize");
  check(mdb_env_open(environment, directory, 0, 0600), "env_open");
  check(mdb_txn_begin(environment, NULL, 0, &transaction), "txn_begin");
  check(mdb_dbi_open(transaction, NULL, MDB_CREATE, &table), "dbi_open");
  check(mdb_txn_commit(transaction), "commit");
}

static void begin(void) { check(mdb_txn_begin(environment, NULL, 0, &transaction), "txn_begin"); }
static void commit(void) { check(mdb_txn_commit(transaction), "commit"); }

static void put(const struct sample *sample) {
  uint8_t bytes[KEY_SIZE];
  make_key(bytes, sample->wearable, sample->series, sample->time);
  int32_t number = sample->value;
  MDB_val key = {sizeof bytes, bytes}, value = {sizeof number, &number};
  check(mdb_put(transaction, table, &key, &value, MDB_NOOVERWRITE), "put");
}

static void read_range(uint16_t wearable, uint16_t series, int64_t from, int64_t to, struct tally *tally) {
  MDB_txn *reader;
  MDB_cursor *cursor;
  uint8_t bytes[KEY_SIZE], ring[KEY_SIZE];
  make_key(ring, wearable, series, from);
  memcpy(bytes, ring, sizeof bytes);
  MDB_val key = {sizeof bytes, bytes}, value;
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &reader), "txn_begin");
  check(mdb_cursor_open(reader, table, &cursor), "cursor_open");
  int result = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  while (result == 0 && memcmp(key.mv_data, ring, 4) == 0) {
    int64_t time = key_time(key.mv_data);
    if (time >= to) break;
    int32_t number;
    memcpy(&number, value.mv_data, sizeof number);
    take(tally, time, number);
    result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
  if (result != MDB_NOTFOUND) check(result, "read");
  mdb_cursor_close(cursor);
  mdb_txn_abort(reader);
}

static void close_environment(void) { mdb_env_close(environment); }

const struct peer lmdb_peer = {"lmdb", open_environment, begin, put, commit, read_range, close_environment};
