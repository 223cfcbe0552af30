#define _GNU_SOURCE  // versionsort
#include "CGPIO.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// libgpiod 2 has no line bulks, so their limit distinguishes the two.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define HEARTH_GPIOD_1
#endif

static const char consumer[] = "hearth";

struct hearth_gpio {
  size_t count;
#ifdef HEARTH_GPIOD_1
  struct gpiod_chip *chip;  // the lines live in it
  struct gpiod_line *lines[HEARTH_GPIO_LINES_MAX];
#else
  struct gpiod_line_request *request;
  unsigned int offsets[HEARTH_GPIO_LINES_MAX];
#endif
};

static struct hearth_gpio_result failure(enum hearth_gpio_status status, int error, int line) {
  return (struct hearth_gpio_result){.status = status, .error = error, .line = line, .lines = NULL};
}

static struct hearth_gpio_result refusal(int error, int line) {
  return failure(error == EBUSY ? HEARTH_GPIO_BUSY : HEARTH_GPIO_FAILED, error, line);
}

static bool has_label(struct gpiod_chip *chip, const char *label) {
#ifdef HEARTH_GPIOD_1
  const char *found = gpiod_chip_label(chip);
  return found && strcmp(found, label) == 0;
#else
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  if (!info) return false;
  bool same = strcmp(gpiod_chip_info_get_label(info), label) == 0;
  gpiod_chip_info_free(info);
  return same;
#endif
}

static int is_chip_name(const struct dirent *entry) { return strncmp(entry->d_name, "gpiochip", 8) == 0; }

/// The first chip with the label, in order of number, or NULL. `error` is set if a chip may not be opened; other refusals are of
/// files that are no chips (the Raspberry Pi 5 has a symbolic link for old programs).
static struct gpiod_chip *open_chip(const char *label, int *error) {
  struct dirent **entries = NULL;
  int count = scandir("/dev", &entries, is_chip_name, versionsort);
  struct gpiod_chip *chip = NULL;
  for (int index = 0; index < count; index++) {
    char path[sizeof "/dev/" + sizeof entries[index]->d_name];
    snprintf(path, sizeof path, "/dev/%s", entries[index]->d_name);
    free(entries[index]);
    if (chip || index >= HEARTH_GPIO_CHIPS_MAX) continue;  // only freeing
    struct gpiod_chip *candidate = gpiod_chip_open(path);
    if (!candidate) {
      if (errno == EACCES || errno == EPERM) *error = errno;
    } else if (has_label(candidate, label)) {
      chip = candidate;
    } else {
      gpiod_chip_close(candidate);
    }
  }
  free(entries);
  return chip;
}

#ifdef HEARTH_GPIOD_1

static struct gpiod_line *find_line(struct gpiod_chip *chip, const char *name) {
  unsigned int count = gpiod_chip_num_lines(chip);
  for (unsigned int offset = 0; offset < count; offset++) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
    const char *found = line ? gpiod_line_name(line) : NULL;
    if (found && strcmp(found, name) == 0) return line;
  }
  return NULL;
}

// A request for each line: in version 1 a request has one active-low flag for all its lines.
static struct hearth_gpio_result request(
    struct gpiod_chip *chip, struct hearth_gpio *taken, const struct hearth_gpio_line *lines, size_t count) {
  taken->chip = chip;
  for (size_t index = 0; index < count; index++) {
    struct gpiod_line *line = find_line(chip, lines[index].name);
    if (!line) return failure(HEARTH_GPIO_NO_LINE, 0, (int)index);
    const struct gpiod_line_request_config config = {
        .consumer = consumer,
        .request_type = GPIOD_LINE_REQUEST_DIRECTION_OUTPUT,
        .flags = lines[index].active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0,
    };
    if (gpiod_line_request(line, &config, 0) < 0) return refusal(errno, (int)index);
    taken->lines[index] = line;
    taken->count = index + 1;
  }
  return (struct hearth_gpio_result){.status = HEARTH_GPIO_OK, .error = 0, .line = -1, .lines = taken};
}

int hearth_gpio_set(struct hearth_gpio *taken, size_t index, bool active) {
  if (!taken || index >= taken->count) return EINVAL;
  return gpiod_line_set_value(taken->lines[index], active) < 0 ? errno : 0;
}

void hearth_gpio_release(struct hearth_gpio *taken) {
  if (!taken) return;
  for (size_t index = 0; index < taken->count; index++) gpiod_line_release(taken->lines[index]);
  if (taken->chip) gpiod_chip_close(taken->chip);
  free(taken);
}

#else

static int add_line(struct gpiod_line_config *config, struct gpiod_line_settings *settings, unsigned int offset, bool active_low) {
  gpiod_line_settings_reset(settings);
  if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) < 0) return -1;
  if (gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE) < 0) return -1;
  gpiod_line_settings_set_active_low(settings, active_low);
  return gpiod_line_config_add_line_settings(config, &offset, 1, settings);
}

static struct hearth_gpio_result request_with(
    struct gpiod_chip *chip, struct hearth_gpio *taken, const struct hearth_gpio_line *lines, size_t count,
    struct gpiod_line_settings *settings, struct gpiod_line_config *config, struct gpiod_request_config *options) {
  if (!settings || !config || !options) return failure(HEARTH_GPIO_FAILED, ENOMEM, -1);
  gpiod_request_config_set_consumer(options, consumer);
  for (size_t index = 0; index < count; index++) {
    int offset = gpiod_chip_get_line_offset_from_name(chip, lines[index].name);
    if (offset < 0) return errno == ENOENT ? failure(HEARTH_GPIO_NO_LINE, 0, (int)index) : refusal(errno, (int)index);
    if (add_line(config, settings, (unsigned int)offset, lines[index].active_low) < 0) return refusal(errno, (int)index);
    taken->offsets[index] = (unsigned int)offset;
  }
  taken->request = gpiod_chip_request_lines(chip, options, config);
  if (!taken->request) return refusal(errno, -1);
  taken->count = count;
  return (struct hearth_gpio_result){.status = HEARTH_GPIO_OK, .error = 0, .line = -1, .lines = taken};
}

static struct hearth_gpio_result request(
    struct gpiod_chip *chip, struct hearth_gpio *taken, const struct hearth_gpio_line *lines, size_t count) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *config = gpiod_line_config_new();
  struct gpiod_request_config *options = gpiod_request_config_new();
  struct hearth_gpio_result result = request_with(chip, taken, lines, count, settings, config, options);
  gpiod_request_config_free(options);
  gpiod_line_config_free(config);
  gpiod_line_settings_free(settings);
  gpiod_chip_close(chip);  // the request stands on its own
  return result;
}

int hearth_gpio_set(struct hearth_gpio *taken, size_t index, bool active) {
  if (!taken || index >= taken->count) return EINVAL;
  enum gpiod_line_value value = active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_value(taken->request, taken->offsets[index], value) < 0 ? errno : 0;
}

void hearth_gpio_release(struct hearth_gpio *taken) {
  if (!taken) return;
  if (taken->request) gpiod_line_request_release(taken->request);
  free(taken);
}

#endif

struct hearth_gpio_result hearth_gpio_take(const char *chip_label, const struct hearth_gpio_line *lines, size_t count) {
  if (!chip_label || !lines || count == 0 || count > HEARTH_GPIO_LINES_MAX) return failure(HEARTH_GPIO_FAILED, EINVAL, -1);
  struct hearth_gpio *taken = calloc(1, sizeof *taken);
  if (!taken) return failure(HEARTH_GPIO_FAILED, ENOMEM, -1);
  int error = 0;
  struct gpiod_chip *chip = open_chip(chip_label, &error);
  if (!chip) {
    free(taken);
    return failure(HEARTH_GPIO_NO_CHIP, error, -1);
  }
  struct hearth_gpio_result result = request(chip, taken, lines, count);
  if (result.status != HEARTH_GPIO_OK) hearth_gpio_release(taken);
  return result;
}

// --- The button ---

struct hearth_gpio_button {
#ifdef HEARTH_GPIOD_1
  struct gpiod_chip *chip;  // the line lives in it
  struct gpiod_line *line;
#else
  struct gpiod_line_request *request;
  unsigned int offset;
#endif
};

static struct hearth_gpio_button_result button_failure(enum hearth_gpio_status status, int error) {
  return (struct hearth_gpio_button_result){.status = status, .error = error, .button = NULL};
}

static struct hearth_gpio_button_result button_refusal(int error) {
  return button_failure(error == EBUSY ? HEARTH_GPIO_BUSY : HEARTH_GPIO_FAILED, error);
}

static struct hearth_gpio_button_result button_taken(struct hearth_gpio_button *button) {
  int descriptor = hearth_gpio_button_descriptor(button);
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return button_refusal(errno);
  return (struct hearth_gpio_button_result){.status = HEARTH_GPIO_OK, .error = 0, .button = button};
}

#ifdef HEARTH_GPIOD_1

static struct hearth_gpio_button_result request_button(
    struct gpiod_chip *chip, struct hearth_gpio_button *taken, struct hearth_gpio_line line) {
  taken->chip = chip;
  struct gpiod_line *found = find_line(chip, line.name);
  if (!found) return button_failure(HEARTH_GPIO_NO_LINE, 0);
  int pulled = line.active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP : GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  if (gpiod_line_request_both_edges_events_flags(found, consumer, pulled) < 0) return button_refusal(errno);
  taken->line = found;
  return button_taken(taken);
}

int hearth_gpio_button_descriptor(struct hearth_gpio_button *button) { return gpiod_line_event_get_fd(button->line); }

int hearth_gpio_button_drain(struct hearth_gpio_button *button) {
  // The kernel keeps 16 edges of a line; edges that come while this runs are delivered later.
  struct gpiod_line_event events[16];
  return gpiod_line_event_read_multiple(button->line, events, 16) < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
}

int hearth_gpio_button_level(struct hearth_gpio_button *button) { return gpiod_line_get_value(button->line); }

void hearth_gpio_release_button(struct hearth_gpio_button *button) {
  if (!button) return;
  if (button->line) gpiod_line_release(button->line);
  if (button->chip) gpiod_chip_close(button->chip);
  free(button);
}

#else

static struct hearth_gpio_button_result request_button_with(
    struct gpiod_chip *chip, struct hearth_gpio_button *taken, struct hearth_gpio_line line, struct gpiod_line_settings *settings,
    struct gpiod_line_config *config, struct gpiod_request_config *options) {
  if (!settings || !config || !options) return button_failure(HEARTH_GPIO_FAILED, ENOMEM);
  gpiod_request_config_set_consumer(options, consumer);
  int offset = gpiod_chip_get_line_offset_from_name(chip, line.name);
  if (offset < 0) return errno == ENOENT ? button_failure(HEARTH_GPIO_NO_LINE, 0) : button_refusal(errno);
  taken->offset = (unsigned int)offset;
  enum gpiod_line_bias bias = line.active_low ? GPIOD_LINE_BIAS_PULL_UP : GPIOD_LINE_BIAS_PULL_DOWN;
  gpiod_line_settings_set_active_low(settings, line.active_low);
  if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT) < 0 || gpiod_line_settings_set_bias(settings, bias) < 0 ||
      gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH) < 0 ||
      gpiod_line_config_add_line_settings(config, &taken->offset, 1, settings) < 0)
    return button_refusal(errno);
  taken->request = gpiod_chip_request_lines(chip, options, config);
  return taken->request ? button_taken(taken) : button_refusal(errno);
}

static struct hearth_gpio_button_result request_button(
    struct gpiod_chip *chip, struct hearth_gpio_button *taken, struct hearth_gpio_line line) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *config = gpiod_line_config_new();
  struct gpiod_request_config *options = gpiod_request_config_new();
  struct hearth_gpio_button_result result = request_button_with(chip, taken, line, settings, config, options);
  gpiod_request_config_free(options);
  gpiod_line_config_free(config);
  gpiod_line_settings_free(settings);
  gpiod_chip_close(chip);  // the request stands on its own
  return result;
}

int hearth_gpio_button_descriptor(struct hearth_gpio_button *button) { return gpiod_line_request_get_fd(button->request); }

// The library reads into a buffer of its own making; the edges themselves are of no interest, so their bytes are simply taken away.
int hearth_gpio_button_drain(struct hearth_gpio_button *button) {
  char edges[16 * 64];
  return read(gpiod_line_request_get_fd(button->request), edges, sizeof edges) < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
}

int hearth_gpio_button_level(struct hearth_gpio_button *button) {
  enum gpiod_line_value value = gpiod_line_request_get_value(button->request, button->offset);
  return value == GPIOD_LINE_VALUE_ERROR ? -1 : value == GPIOD_LINE_VALUE_ACTIVE;
}

void hearth_gpio_release_button(struct hearth_gpio_button *button) {
  if (!button) return;
  if (button->request) gpiod_line_request_release(button->request);
  free(button);
}

#endif

struct hearth_gpio_button_result hearth_gpio_take_button(const char *chip_label, struct hearth_gpio_line line) {
  if (!chip_label || !line.name) return button_failure(HEARTH_GPIO_FAILED, EINVAL);
  struct hearth_gpio_button *taken = calloc(1, sizeof *taken);
  if (!taken) return button_failure(HEARTH_GPIO_FAILED, ENOMEM);
  int error = 0;
  struct gpiod_chip *chip = open_chip(chip_label, &error);
  if (!chip) {
    free(taken);
    return button_failure(HEARTH_GPIO_NO_CHIP, error);
  }
  struct hearth_gpio_button_result result = request_button(chip, taken, line);
  if (result.status != HEARTH_GPIO_OK) hearth_gpio_release_button(taken);
  return result;
}
