// SQLite as a sensible engineer would use it here: WAL, prepared statements, one transaction per commit point.
// With synchronous=NORMAL, which waits for the disk at checkpoints only: a table with an index, and the leaner table that is its own index.
// With synchronous=FULL, which waits at every commit: the leaner table.

#include "database.h"
#include "peer.h"
#include <stddef.h>

static sqlite3_stmt *begin_statement, *commit_statement, *insert_statement, *range_statement;

static void open_with(const char *directory, const char *synchronous, const char *schema, const char *insert) {
  open_database(directory, synchronous);
  execute(schema);
  begin_statement = prepare("BEGIN");
  commit_statement = prepare("COMMIT");
  insert_statement = prepare(insert);
  range_statement = prepare("SELECT time, value FROM samples WHERE device = ?1 AND series = ?2 AND time >= ?3 AND time < ?4 ORDER BY time");
}

static void open_indexed(const char *directory) {
  open_with(
      directory, normal,
      "CREATE TABLE IF NOT EXISTS samples (device INTEGER NOT NULL, series INTEGER NOT NULL, time INTEGER NOT NULL, value INTEGER NOT NULL);"
      "CREATE INDEX IF NOT EXISTS by_time ON samples (device, series, time)",
      "INSERT INTO samples VALUES (?1, ?2, ?3, ?4)");
}

// `seq` tells samples of one millisecond apart; this load has none, and 0 takes no byte.
static void open_leaner(const char *directory, const char *synchronous) {
  open_with(
      directory, synchronous,
      "CREATE TABLE IF NOT EXISTS samples (device INTEGER NOT NULL, series INTEGER NOT NULL, time INTEGER NOT NULL, seq INTEGER NOT NULL,"
      " value INTEGER NOT NULL, PRIMARY KEY (device, series, time, seq)) WITHOUT ROWID",
      "INSERT INTO samples VALUES (?1, ?2, ?3, 0, ?4)");
}

static void open_lean(const char *directory) { open_leaner(directory, normal); }
static void open_full(const char *directory) { open_leaner(directory, full); }

static void begin(void) { run(begin_statement, "begin"); }
static void commit(void) { run(commit_statement, "commit"); }

static void put(const struct sample *sample) {
  sqlite3_bind_int(insert_statement, 1, sample->wearable);
  sqlite3_bind_int(insert_statement, 2, sample->series);
  sqlite3_bind_int64(insert_statement, 3, sample->time);
  sqlite3_bind_int(insert_statement, 4, sample->value);
  run(insert_statement, "insert");
}

static void read_range(uint16_t wearable, uint16_t series, int64_t from, int64_t to, struct tally *tally) {
  sqlite3_bind_int(range_statement, 1, wearable);
  sqlite3_bind_int(range_statement, 2, series);
  sqlite3_bind_int64(range_statement, 3, from);
  sqlite3_bind_int64(range_statement, 4, to);
  int result;
  while ((result = sqlite3_step(range_statement)) == SQLITE_ROW) {
    take(tally, sqlite3_column_int64(range_statement, 0), sqlite3_column_int64(range_statement, 1));
  }
  check(result, "read");
  check(sqlite3_reset(range_statement), "read");
}

static void close_database(void) {
  sqlite3_finalize(begin_statement);
  sqlite3_finalize(commit_statement);
  sqlite3_finalize(insert_statement);
  sqlite3_finalize(range_statement);
  check(sqlite3_close(database), "close");
  database = NULL;
}

const struct peer sqlite_indexed = {"sqlite-indexed", open_indexed, begin, put, commit, read_range, close_database};
const struct peer sqlite_lean = {"sqlite-lean", open_lean, begin, put, commit, read_range, close_database};
const struct peer sqlite_full = {"sqlite-full", open_full, begin, put, commit, read_range, close_database};
