/* Ids for rows that exist. */
#include <string.h>

#include "json.h"

enum { ROWS = 40000 };

/* The milliseconds of an id. Those of a ULID are its first 48 bits, because the others may look like any version. */
static int64_t millis_of(const uint8_t id[16], int32_t kind) {
  char text[IDGEN_TEXT_SIZE];
  idgen_inspection seen;
  idgen_error error;
  size_t length;
  int64_t first = 0;
  for (int i = 0; i < 6; i++) first = first << 8 | id[i];
  if (kind == IDGEN_ULID) return first;
  check(idgen_encode(IDGEN_HYPHENATED, id, text, sizeof text, &length, NULL) == IDGEN_OK, "rows", "encode");
  check(idgen_inspect(text, length, &seen, &error) == IDGEN_OK, text, error.message);
  return (seen.fields & IDGEN_HAS_TIME ? seen.time : seen.tail_time) / 10000;
}

void check_rows(int32_t kind) {
  static int64_t times[ROWS];
  static uint8_t ids[ROWS][16];
  idgen_settings settings;
  idgen_error error;
  idgen_settings_init(&settings, kind);
  if (kind == IDGEN_V6) settings.node = "9f6bdeced846";
  /* Descending, with two rows of each time: of version 6, more steps back than a fixed node has clock sequences. */
  int rows = kind == IDGEN_V6 ? ROWS : 100;
  for (int i = 0; i < rows; i++) times[i] = 17952624000000000 - i / 2 * 70000000LL;
  check(idgen_ids_at(&settings, times, ids[0], rows, &error) == IDGEN_OK, "rows", error.message);
  for (int i = 0; i < rows; i++) check(millis_of(ids[i], kind) == times[i] / 10000, "rows", "the time of the row");
  for (int i = 0; i < rows && kind != IDGEN_V1; i += 2) check(memcmp(ids[i], ids[i + 1], 16) < 0, "rows", "rows of one time ascend");
  times[7] = INT64_MIN;
  static const uint8_t zeros[ROWS][16];
  check(idgen_ids_at(&settings, times, ids[0], rows, &error) == IDGEN_TIME_OUT_OF_RANGE, "rows", error.message);
  check(memcmp(ids, zeros, 16 * (size_t)rows) == 0, "rows", "no id after an error");
  check(idgen_ids_at(&settings, NULL, NULL, 0, &error) == IDGEN_OK, "no rows", error.message);
  check(idgen_ids_at(&settings, NULL, ids[0], 1, &error) == IDGEN_ARGUMENT, "NULL", error.message);
  settings.state_path = "never-made.state";
  check(idgen_ids_at(&settings, times, ids[0], 1, &error) == IDGEN_CONFIG, "a state", error.message);
}
