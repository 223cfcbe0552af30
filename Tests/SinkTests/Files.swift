// Files of settings for tests.

import Glibc

func write(_ text: String, to path: String) throws {
  let file = fopen(path, "w")
  fputs(text, file)
  fclose(file)
}

func remove(_ path: String) { unlink(path) }
