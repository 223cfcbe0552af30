// The SQLite database of a peer, and calls that end the program if SQLite refuses them.

#pragma once
#include <sqlite3.h>

extern sqlite3 *database;

/// Opens the file of a peer in its folder, in WAL mode. `synchronous` is the statement that sets how it waits for the disk.
void open_database(const char *directory, const char *synchronous);
void check(int result, const char *what);
void execute(const char *text);
sqlite3_stmt *prepare(const char *text);
/// Runs a statement that gives no rows.
void run(sqlite3_stmt *statement, const char *what);

extern const char normal[], full[];
