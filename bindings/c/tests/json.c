#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check(bool holds, const char *context, const char *what) {
  if (holds) return;
  fprintf(stderr, "failed: %s\nin %s\n", what, context);
  exit(1);
}

json_t *member(const json_t *object, const char *name) {
  json_t *found = json_object_get(object, name);
  return json_is_null(found) ? NULL : found;
}

const char *text_of(const json_t *object, const char *name) {
  const json_t *found = member(object, name);
  return found ? json_string_value(found) : NULL;
}

size_t bytes_of(const char *hex, uint8_t **bytes) {
  size_t length = strlen(hex) / 2;
  *bytes = malloc(length + 1);
  check(*bytes != NULL, hex, "memory");
  for (size_t i = 0; i < length; i++) {
    const char pair[] = {hex[2 * i], hex[2 * i + 1], 0};
    (*bytes)[i] = (uint8_t)strtoul(pair, NULL, 16);
  }
  return length;
}

void id_of(const char *text, uint8_t id[16]) {
  check(idgen_decode(IDGEN_HYPHENATED, text, strlen(text), id, NULL) == IDGEN_OK, text, "a hyphenated text");
}

int32_t format_of(const char *name) {
  for (int32_t format = 0; idgen_format_name(format) != NULL; format++)
    if (strcmp(idgen_format_name(format), name) == 0) return format;
  check(false, name, "no format has this name");
  return -1;
}

const char *status_name(int32_t status) {
  static const char *const names[] = {
      "ok",    "parse",  "clock-behind", "time-out-of-range", "exhausted", "entropy",
      "state", "config", "forked",       "buffer",            "argument",  "bug",     "outside-lease",
  };
  return names[status];
}

void check_error(int32_t status, const idgen_error *error, const json_t *expected, const char *context) {
  const char *category = text_of(expected, "error");
  const json_t *message = member(expected, "message"), *offset = member(expected, "offset");
  check(status != IDGEN_OK, context, "an error was expected");
  check(error->status == status, context, "the status of the error");
  check(strcmp(status_name(status), category ? category : "parse") == 0, context, status_name(status));
  check(json_string_length(message) == error->message_length, context, error->message);
  check(memcmp(json_string_value(message), error->message, error->message_length + 1) == 0, context, error->message);
  if (!category) check(error->offset == (offset ? json_integer_value(offset) : -1), context, "the offset");
}
