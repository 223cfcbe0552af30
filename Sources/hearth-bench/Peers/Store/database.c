#include "database.h"
#include "peer.h"
#include <stdio.h>

sqlite3 *database;

const char normal[] = "PRAGMA synchronous=NORMAL", full[] = "PRAGMA synchronous=FULL";

void check(int result, const char *what) {
  if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW) fail(what, database ? sqlite3_errmsg(database) : sqlite3_errstr(result));
}

void execute(const char *text) { check(sqlite3_exec(database, text, NULL, NULL, NULL), text); }

sqlite3_stmt *prepare(const char *text) {
  sqlite3_stmt *statement = NULL;
  check(sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), text);
  return statement;
}

void run(sqlite3_stmt *statement, const char *what) {
  check(sqlite3_step(statement), what);
  check(sqlite3_reset(statement), what);
}

void open_database(const char *directory, const char *synchronous) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/peer.sqlite", directory) >= (int)sizeof path) fail("open", "the path is too long");
  check(sqlite3_open(path, &database), "open");
  // The checkpoint after 1,000 pages, the page of 4,096 bytes and the cache of 2 MB are the defaults.
  execute("PRAGMA journal_mode=WAL");
  execute(synchronous);
}
