// SQLite as an expert in it would use it here. A commit is one row with the packed bytes of its samples. Every half hour these rows become
// one chunk for each wearable and series: differences of differences of times, differences of values, as variable-length integers.
// With synchronous=NORMAL, and with FULL, which waits at every commit.

#include "database.h"
#include "peer.h"
#include <stdlib.h>

enum { SERIES = 2, WEARABLE_LIMIT = 512, VARINT_LIMIT = 10 };

/// Milliseconds of a chunk, as in Hearth's rings; no commit interval of the benchmark is longer than half of it.
static const int64_t chunk_length = 30 * 60 * 1000;

struct bytes {
  uint8_t *data;
  size_t count, room;
};

/// What a chunk has so far, and what its next sample is relative to.
struct chunk {
  struct bytes bytes;
  int64_t start, time, step, value, first_value;
  uint32_t count;
};

static sqlite3_stmt *begin_statement, *commit_statement, *pending_statement, *clear_statement, *chunk_statement, *range_statement;
static struct chunk chunks[WEARABLE_LIMIT + 1][SERIES + 1];
static struct bytes pending;
static int64_t pending_time, chunks_start;

// --- Packing ---

static uint64_t zigzag(int64_t number) { return (uint64_t)number << 1 ^ (uint64_t)(number >> 63); }
static int64_t unzigzag(uint64_t number) { return (int64_t)(number >> 1) ^ -(int64_t)(number & 1); }

static void append(struct bytes *bytes, uint64_t number) {
  if (bytes->room - bytes->count < VARINT_LIMIT) {
    bytes->room = bytes->room ? 2 * bytes->room : 1024;
    bytes->data = realloc(bytes->data, bytes->room);
    if (!bytes->data) fail("pack", "no memory");
  }
  while (number > 0x7F) {
    bytes->data[bytes->count++] = (uint8_t)(number | 0x80);
    number >>= 7;
  }
  bytes->data[bytes->count++] = (uint8_t)number;
}

static uint64_t next(const uint8_t **at, const uint8_t *end) {
  uint64_t number = 0;
  for (int shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;
    number |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
  fail("read", "a chunk ends too early");
}

static void add(struct chunk *chunk, int64_t time, int64_t value) {
  if (chunk->count == 0) {
    chunk->start = chunk->time = time;
    chunk->first_value = chunk->value = value;
    chunk->step = 0;
  } else {
    append(&chunk->bytes, zigzag(time - chunk->time - chunk->step));
    append(&chunk->bytes, zigzag(value - chunk->value));
    chunk->step = time - chunk->time;
  }
  chunk->time = time;
  chunk->value = value;
  chunk->count++;
}

/// Every chunk becomes a row, in place of the rows of the commits.
static void pack(void) {
  for (int wearable = 1; wearable <= WEARABLE_LIMIT; wearable++) {
    for (int series = 1; series <= SERIES; series++) {
      struct chunk *chunk = &chunks[wearable][series];
      if (chunk->count == 0) continue;
      sqlite3_bind_int(chunk_statement, 1, wearable);
      sqlite3_bind_int(chunk_statement, 2, series);
      sqlite3_bind_int64(chunk_statement, 3, chunk->start);
      sqlite3_bind_int(chunk_statement, 4, (int)chunk->count);
      sqlite3_bind_int64(chunk_statement, 5, chunk->first_value);
      sqlite3_bind_blob64(chunk_statement, 6, chunk->bytes.data ? chunk->bytes.data : (const uint8_t *)"", chunk->bytes.count, SQLITE_STATIC);
      run(chunk_statement, "insert a chunk");
      chunk->count = 0;
      chunk->bytes.count = 0;
    }
  }
  run(clear_statement, "delete what is packed");
  chunks_start = 0;
}

// --- The peer ---

static void open_packed(const char *directory, const char *synchronous) {
  open_database(directory, synchronous);
  execute("CREATE TABLE IF NOT EXISTS pending (id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
          "CREATE TABLE IF NOT EXISTS chunks (device INTEGER NOT NULL, series INTEGER NOT NULL, start INTEGER NOT NULL, count INTEGER NOT NULL,"
          " value INTEGER NOT NULL, data BLOB NOT NULL);"
          "CREATE UNIQUE INDEX IF NOT EXISTS by_place ON chunks (device, series, start)");
  begin_statement = prepare("BEGIN");
  commit_statement = prepare("COMMIT");
  pending_statement = prepare("INSERT INTO pending (data) VALUES (?1)");
  clear_statement = prepare("DELETE FROM pending");
  chunk_statement = prepare("INSERT INTO chunks VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  range_statement = prepare("SELECT start, count, value, data FROM chunks WHERE device = ?1 AND series = ?2 AND start > ?3 AND start < ?4 ORDER BY start");
}

static void open_normal(const char *directory) { open_packed(directory, normal); }
static void open_full(const char *directory) { open_packed(directory, full); }

static void begin(void) { run(begin_statement, "begin"); }

static void put(const struct sample *sample) {
  if (sample->wearable > WEARABLE_LIMIT || sample->series < 1 || sample->series > SERIES) fail("put", "a wearable or series above the limit");
  struct chunk *chunk = &chunks[sample->wearable][sample->series];
  if (pending.count == 0) pending_time = 0;
  append(&pending, (uint64_t)sample->wearable << 1 | (uint64_t)(sample->series - 1));
  append(&pending, zigzag(sample->time - pending_time));
  append(&pending, zigzag(sample->value));
  pending_time = sample->time;
  if (chunks_start == 0) chunks_start = sample->time;
  add(chunk, sample->time, sample->value);
}

static void commit(void) {
  if (pending_time - chunks_start >= chunk_length) {
    // The chunks have this commit's samples too.
    pack();
  } else if (pending.count > 0) {
    sqlite3_bind_blob64(pending_statement, 1, pending.data, pending.count, SQLITE_STATIC);
    run(pending_statement, "insert");
  }
  run(commit_statement, "commit");
  pending.count = 0;
}

static void read_range(uint16_t wearable, uint16_t series, int64_t from, int64_t to, struct tally *tally) {
  sqlite3_bind_int(range_statement, 1, wearable);
  sqlite3_bind_int(range_statement, 2, series);
  sqlite3_bind_int64(range_statement, 3, from - 2 * chunk_length);
  sqlite3_bind_int64(range_statement, 4, to);
  int result;
  while ((result = sqlite3_step(range_statement)) == SQLITE_ROW) {
    int64_t time = sqlite3_column_int64(range_statement, 0), value = sqlite3_column_int64(range_statement, 2), step = 0;
    int count = sqlite3_column_int(range_statement, 1);
    const uint8_t *at = sqlite3_column_blob(range_statement, 3), *end = at + sqlite3_column_bytes(range_statement, 3);
    for (int index = 0; index < count; index++) {
      if (index > 0) {
        step += unzigzag(next(&at, end));
        time += step;
        value += unzigzag(next(&at, end));
      }
      if (time >= from && time < to) take(tally, time, value);
    }
  }
  check(result, "read");
  check(sqlite3_reset(range_statement), "read");
}

static void close_database(void) {
  begin();
  pack();
  run(commit_statement, "commit");
  sqlite3_stmt *statements[] = {begin_statement, commit_statement, pending_statement, clear_statement, chunk_statement, range_statement};
  for (size_t index = 0; index < sizeof statements / sizeof statements[0]; index++) sqlite3_finalize(statements[index]);
  check(sqlite3_close(database), "close");
  database = NULL;
}

const struct peer sqlite_packed = {"sqlite-packed", open_normal, begin, put, commit, read_range, close_database};
const struct peer sqlite_packed_full = {"sqlite-packed-full", open_full, begin, put, commit, read_range, close_database};
