// Output lines of a GPIO chip and one input line with its edges, over libgpiod 1.6 (Debian 12) or 2.x (Debian 13). The version is
// chosen at compile time.
// No policy: which chip, which lines and when to set them is decided in the module Lights.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Lines of LEDs; a board has three.
#define HEARTH_GPIO_LINES_MAX 8
/// Number of chips that are tried. A Raspberry Pi 5 has about ten; more than this is not a hub.
#define HEARTH_GPIO_CHIPS_MAX 64

/// Lines held by this process.
struct hearth_gpio;

struct hearth_gpio_line {
  /// Name of the line in the kernel.
  const char *name;
  bool active_low;
};

enum hearth_gpio_status {
  HEARTH_GPIO_OK = 0,
  /// No chip that may be opened has the label. `error` is EACCES or EPERM if there is one that may not, else 0.
  HEARTH_GPIO_NO_CHIP,
  /// The chip has no line of the name; `line` says which.
  HEARTH_GPIO_NO_LINE,
  /// Another process or driver holds a line; `line` says which, or -1 if the library does not say.
  HEARTH_GPIO_BUSY,
  /// Anything else; `error` is errno.
  HEARTH_GPIO_FAILED,
};

struct hearth_gpio_result {
  enum hearth_gpio_status status;
  /// errno, or 0.
  int error;
  /// Index into the requested lines, or -1.
  int line;
  /// Set if status is HEARTH_GPIO_OK; ended by hearth_gpio_release.
  struct hearth_gpio *lines;
};

/// Takes lines of the first chip with this label as outputs, all inactive, under the consumer name "hearth".
/// Levels are logical: an active-low line is driven high while it is inactive.
struct hearth_gpio_result hearth_gpio_take(const char *chip_label, const struct hearth_gpio_line *lines, size_t count);

/// Sets the line with this index. Returns 0 or errno.
int hearth_gpio_set(struct hearth_gpio *lines, size_t index, bool active);

/// Releases the lines. The kernel usually leaves them at their last level.
void hearth_gpio_release(struct hearth_gpio *lines);

/// An input line held by this process.
struct hearth_gpio_button;

struct hearth_gpio_button_result {
  enum hearth_gpio_status status;
  /// errno, or 0.
  int error;
  /// Set if status is HEARTH_GPIO_OK; ended by hearth_gpio_release_button.
  struct hearth_gpio_button *button;
};

/// Takes a line of the first chip with this label as an input with events for both edges, pulled to the level of a released button.
/// Levels are logical: of an active-low line, low is 1.
struct hearth_gpio_button_result hearth_gpio_take_button(const char *chip_label, struct hearth_gpio_line line);

/// Readable while edges wait; non-blocking.
int hearth_gpio_button_descriptor(struct hearth_gpio_button *button);

/// Discards waiting edges, a bounded number of them. Returns 0 or errno.
int hearth_gpio_button_drain(struct hearth_gpio_button *button);

/// 1 pressed, 0 not, -1 cannot be read.
int hearth_gpio_button_level(struct hearth_gpio_button *button);

void hearth_gpio_release_button(struct hearth_gpio_button *button);
