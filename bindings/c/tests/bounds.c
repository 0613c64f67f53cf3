/* The bounds of times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { PAIRS = 128 };

static int64_t ticks_at(const json_t *vector, const char *name) { return strtoll(text_of(vector, name), NULL, 10); }

static void check_text(const uint8_t *id, int32_t format, const char *expected) {
  char text[IDGEN_TEXT_SIZE];
  check(idgen_encode(format, id, text, sizeof text, NULL, NULL) == IDGEN_OK, expected, "encode");
  check(strcmp(text, expected) == 0, expected, text);
}

static void check_one(const json_t *vector) {
  char *context = json_dumps(vector, JSON_COMPACT);
  const char *kind = text_of(vector, "kind");
  bool is_short = strcmp(kind, "short") == 0;
  idgen_settings settings;
  idgen_error error;
  uint8_t first[16], last[16];
  uint64_t first_short = 0, last_short = 0;
  idgen_settings_init(&settings, kind_of(kind));
  free(set_prefix(member(vector, "settings"), &settings));
  int64_t start = ticks_at(vector, "start"), end = ticks_at(vector, "end");
  int32_t status = is_short ? idgen_short_bounds(start, end, &first_short, &last_short, &error)
                            : idgen_bounds(&settings, start, end, first, last, &error);
  if (member(vector, "error")) {
    check_error(status, &error, vector, context);
  } else if (is_short) {
    check(status == IDGEN_OK, context, error.message);
    check(first_short == strtoull(text_of(vector, "first"), NULL, 10), context, "the first id");
    check(last_short == strtoull(text_of(vector, "last"), NULL, 10), context, "the last id");
  } else {
    check(status == IDGEN_OK, context, error.message);
    int32_t format = strcmp(kind, "ulid") == 0 ? IDGEN_BASE32 : IDGEN_HYPHENATED;
    check_text(first, format, text_of(vector, "first"));
    check_text(last, format, text_of(vector, "last"));
  }
  free(context);
}

static void check_prefixed(const json_t *vector) {
  char *context = json_dumps(vector, JSON_COMPACT);
  idgen_settings settings;
  idgen_error error;
  uint8_t pairs[PAIRS][32];
  size_t count = 0, number;
  json_t *range;
  idgen_settings_init(&settings, IDGEN_PREFIXED);
  uint8_t *secret = set_prefix(member(vector, "settings"), &settings);
  int64_t start = ticks_at(vector, "start"), end = ticks_at(vector, "end");
  int32_t status = idgen_prefixed_bounds(&settings, start, end, pairs[0], PAIRS, &count, &error);
  if (member(vector, "error")) {
    check_error(status, &error, vector, context);
  } else {
    check(status == IDGEN_OK, context, error.message);
    check(count == json_array_size(member(vector, "ranges")), context, "the number of ranges");
    json_array_foreach(member(vector, "ranges"), number, range) {
      check_text(pairs[number], IDGEN_HYPHENATED, json_string_value(json_array_get(range, 0)));
      check_text(pairs[number] + 16, IDGEN_HYPHENATED, json_string_value(json_array_get(range, 1)));
    }
    size_t needed = 0;
    status = idgen_prefixed_bounds(&settings, start, end, NULL, count - 1, &needed, &error);
    check(status == IDGEN_BUFFER && needed == count, context, "the number that is needed");
  }
  free(secret);
  free(context);
}

/* Ranges up to the last time that there is: those of weeks have an end, and those of keys are counted without their prefixes, which would
 * take thousands of years. */
static void check_all_times(void) {
  idgen_settings settings;
  size_t count = 0;
  idgen_settings_init(&settings, IDGEN_PREFIXED);
  settings.tail = IDGEN_RANDOM_V8;
  settings.prefix = IDGEN_MD5_WEEK;
  settings.interval = "week";
  int64_t three_weeks = 21 * INT64_C(864000000000);
  int32_t status = idgen_prefixed_bounds(&settings, INT64_MAX - three_weeks, INT64_MAX, NULL, 0, &count, NULL);
  check(status == IDGEN_BUFFER && count >= 3 && count <= 5, "all times", "the number of weeks");
  settings.prefix = IDGEN_KEYED;
  settings.interval = "1s";
  settings.secret = (const uint8_t *)"a secret of at least 16 bytes";
  settings.secret_length = 29;
  status = idgen_prefixed_bounds(&settings, 0, INT64_MAX, NULL, 0, &count, NULL);
  check(status == IDGEN_BUFFER && count == INT64_MAX / 10000000 + 1, "all times", "the number of seconds");
}

void check_bounds(const char *folder) {
  check_all_times();
  json_t *vectors = load(folder, "bounds.json"), *vector;
  size_t number;
  json_array_foreach(member(vectors, "bounds"), number, vector) {
    if (kind_of(text_of(vector, "kind")) != 0) check_one(vector);
  }
  json_array_foreach(member(vectors, "prefixed"), number, vector) check_prefixed(vector);
  json_decref(vectors);
}
