// What Swift's static libraries of a newer Debian ask of their C library and Debian 12's (glibc 2.36) has under other
// names: linked into the programs of a package that serves both. Only Tests/Board/cross-build compiles this.
//
// __isoc23_*: since 2.38 the name of the same functions for programs in C23, where they also read binary numbers (0b1).
// strlcpy, strlcat: since 2.38.
#include <stdarg.h>
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))

extern long old_strtol(const char *, char **, int) __asm__("strtol");
extern long long old_strtoll(const char *, char **, int) __asm__("strtoll");
extern unsigned long old_strtoul(const char *, char **, int) __asm__("strtoul");
extern unsigned long long old_strtoull(const char *, char **, int) __asm__("strtoull");
extern int old_vsscanf(const char *, const char *, va_list) __asm__("vsscanf");

HIDDEN long __isoc23_strtol(const char *text, char **end, int base) { return old_strtol(text, end, base); }
HIDDEN long long __isoc23_strtoll(const char *text, char **end, int base) { return old_strtoll(text, end, base); }
HIDDEN unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return old_strtoul(text, end, base); }
HIDDEN unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return old_strtoull(text, end, base); }

HIDDEN int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = old_vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

HIDDEN size_t strlcpy(char *target, const char *source, size_t size) {
  size_t length = 0;
  while (source[length]) {
    if (length + 1 < size) target[length] = source[length];
    length++;
  }
  if (size) target[length < size ? length : size - 1] = 0;
  return length;
}

HIDDEN size_t strlcat(char *target, const char *source, size_t size) {
  size_t used = 0;
  while (used < size && target[used]) used++;
  return used + strlcpy(target + used, source, size - used);
}
