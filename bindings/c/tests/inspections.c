/* What ids show. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

static bool is_text(const json_t *expected, const char *text) {
  return strcmp(json_string_value(expected), text) == 0;
}

static bool is_time(const json_t *expected, int64_t ticks) {
  char text[IDGEN_TIME_SIZE];
  return idgen_time_text(ticks, text, sizeof text, NULL) == IDGEN_OK && is_text(expected, text);
}

static bool is_id(const json_t *expected, const idgen_inspection *seen) {
  char text[IDGEN_TEXT_SIZE];
  if (seen->fields & IDGEN_HAS_SHORT_ID) snprintf(text, sizeof text, "%" PRIu64, seen->short_id);
  else idgen_encode(IDGEN_HYPHENATED, seen->id, text, sizeof text, NULL, NULL);
  return is_text(expected, text);
}

static bool is_node(const json_t *expected, const uint8_t node[6]) {
  char text[13];
  for (size_t i = 0; i < 6; i++) snprintf(text + 2 * i, 3, "%02x", node[i]);
  return is_text(expected, text);
}

void check_inspection(const json_t *vector) {
  char *context = json_dumps(vector, JSON_COMPACT);
  const json_t *text = member(vector, "text"), *interval = member(vector, "interval");
  idgen_inspection seen;
  idgen_error error;
  int32_t status =
      interval ? idgen_inspect_keyed(json_string_value(text), json_string_length(text), json_string_value(interval),
                                     json_is_true(member(vector, "named")), &seen, &error)
               : idgen_inspect(json_string_value(text), json_string_length(text), &seen, &error);
  if (member(vector, "error")) {
    check_error(status, &error, vector, context);
    free(context);
    return;
  }
  check(status == IDGEN_OK, context, error.message);
  check(is_id(member(vector, "id"), &seen), context, "the id");
  check(is_text(member(vector, "nature"), idgen_nature_name(seen.nature)), context, "the nature");
  const json_t *format = member(vector, "format"), *time = member(vector, "time"), *node = member(vector, "node");
  const json_t *tail_time = member(vector, "tail_time");
  check(!(seen.fields & IDGEN_HAS_FORMAT) == !format, context, "whether there is a format");
  if (format) check(is_text(format, idgen_format_name(seen.format)), context, "the format");
  check(!(seen.fields & IDGEN_HAS_TIME) == !time, context, "whether there is a time");
  if (time) check(is_time(time, seen.time), context, "the time");
  check(!(seen.fields & IDGEN_HAS_TAIL_TIME) == !tail_time, context, "whether there is a time of the tail");
  if (tail_time) check(is_time(tail_time, seen.tail_time), context, "the time of the tail");
  check(!(seen.fields & IDGEN_HAS_NODE) == !node, context, "whether there is a node");
  if (node) check(is_node(node, seen.node), context, "the node");
  const struct {
    const char *name;
    uint32_t flag;
    uint64_t value;
  } numbers[] = {
      {"version", IDGEN_HAS_VERSION, seen.version},
      {"clock_sequence", IDGEN_HAS_CLOCK_SEQUENCE, seen.clock_sequence},
      {"counter", IDGEN_HAS_COUNTER, seen.counter},
      {"prefix", IDGEN_HAS_PREFIX, seen.prefix},
      {"round", IDGEN_HAS_ROUND, seen.round},
      {"offset_ms", IDGEN_HAS_OFFSET, seen.offset_ms},
      {"writer_tag", IDGEN_HAS_WRITER_TAG, seen.writer_tag},
      {"fraction_ns", IDGEN_HAS_FRACTION, seen.fraction_ns},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const json_t *expected = member(vector, numbers[i].name);
    check(!(seen.fields & numbers[i].flag) == !expected, context, numbers[i].name);
    check(numbers[i].value == (expected ? (uint64_t)json_integer_value(expected) : 0), context, numbers[i].name);
  }
  free(context);
}
