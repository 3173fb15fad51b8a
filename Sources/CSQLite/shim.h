#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

// sqlite3.h declares the preupdate interface only behind this macro. Declaring it costs nothing on
// a library that was built without it: SQLiteStorage looks the functions up at run time.
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

// sqlite3_db_config is variadic, and Swift cannot call variadic C functions. All boolean options
// share this form.
static inline int csqlite_db_config(sqlite3 *db, int option, int enabled) {
  int result = 0;
  return sqlite3_db_config(db, option, enabled, &result);
}

#endif
