/* The table of kinds: the library has each kind with its settings, and no other. */
#include <stdio.h>
#include <string.h>

#include "json.h"

/* More than the number of any kind. */
enum { NUMBERS = 64 };

static bool has(const json_t *row, const char *list, const char *name) {
  size_t at;
  json_t *one;
  json_array_foreach(member(row, list), at, one) if (strcmp(json_string_value(one), name) == 0) return true;
  return false;
}

/* Whether a generator can be created from the settings. */
static bool is_allowed(const idgen_settings *settings) {
  idgen_error error;
  idgen_generator *generator = idgen_generator_new(settings, &error);
  check(generator != NULL || error.status == IDGEN_CONFIG, "kinds", error.message);
  idgen_generator_free(generator);
  return generator != NULL;
}

static void check_settings(const json_t *row, int32_t kind, const idgen_fixed *fixed) {
  static const uint8_t secret[16] = {1};
  const char *name = text_of(row, "name");
  idgen_settings settings;
  idgen_settings_init(&settings, kind);
  settings.fixed = fixed;
  check(is_allowed(&settings), name, "the library does not have it");
  settings.node = "9f6bdeced846";
  check(is_allowed(&settings) == has(row, "settings", "node"), name, "the table differs in the node");
  settings.node = NULL;
  settings.fixed_state = true;
  check(is_allowed(&settings) == has(row, "settings", "state"), name, "the table differs in the state");
  settings.fixed_state = false;
  settings.prefix = IDGEN_KEYED;
  settings.secret = secret;
  settings.secret_length = sizeof secret;
  check(is_allowed(&settings) == has(row, "layout", "secret"), name, "the table differs in the secret");
  settings.writer = "a";
  check(is_allowed(&settings) == has(row, "layout", "writer"), name, "the table differs in the writer");
  idgen_settings_init(&settings, kind);
  settings.fixed = fixed;
  settings.fixed_prefix = "no prefix";
  bool is_read = has(row, "layout", "prefix") && !has(row, "layout", "interval");
  check(is_allowed(&settings) != is_read, name, "the table differs in the fixed prefix");
}

static void check_ids(const json_t *row, int32_t kind) {
  const char *name = text_of(row, "name"), *span = text_of(row, "bounds");
  bool is_wide = json_integer_value(member(row, "bits")) == 128;
  idgen_settings settings;
  idgen_error error;
  uint8_t id[16], last[16];
  uint64_t number;
  size_t count;
  idgen_settings_init(&settings, kind);
  idgen_generator *generator = idgen_generator_new(&settings, &error);
  check((idgen_generator_next(generator, id, &error) == IDGEN_OK) == is_wide, name, "the table differs in the width");
  check((idgen_generator_next_short(generator, &number, &error) == IDGEN_OK) != is_wide, name, "the table differs in the width");
  idgen_generator_free(generator);
  if (member(row, "version")) check(id[6] >> 4 == json_integer_value(member(row, "version")), name, "the table differs in the version");
  bool has_intervals = span && strcmp(span, "intervals") == 0;
  int32_t status = idgen_prefixed_bounds(&settings, 0, 1, NULL, 0, &count, &error);
  check((status == IDGEN_BUFFER) == has_intervals, name, "the table differs in the intervals");
  status = idgen_bounds(&settings, 0, 1, id, last, &error);
  check((status == IDGEN_OK) == (is_wide && span && !has_intervals), name, "the table differs in the bounds");
  if (json_is_true(member(row, "rows"))) {
    check_rows(kind);
  } else {
    int64_t time = 0;
    check(idgen_ids_at(&settings, &time, id, 1, &error) == IDGEN_CONFIG, name, "the table differs in the ids for rows");
  }
}

void check_kinds(const char *folder) {
  static const uint8_t bytes[16] = {7};
  bool is_named[NUMBERS] = {false};
  json_t *file = load(folder, "kinds.json"), *row;
  idgen_fixed *fixed = idgen_fixed_new(bytes, sizeof bytes, NULL);
  idgen_fixed_set_time(fixed, 17952624000000000);
  size_t at;
  json_array_foreach(member(file, "kinds"), at, row) {
    int32_t kind = kind_of(text_of(row, "name"));
    if (kind == 0) continue;
    is_named[kind] = true;
    check_settings(row, kind, fixed);
    check_ids(row, kind);
  }
  for (int32_t kind = 0; kind < NUMBERS; kind++) {
    idgen_settings settings;
    idgen_settings_init(&settings, kind);
    settings.fixed = fixed;
    check(is_allowed(&settings) == is_named[kind], "kinds", "the library has a kind that is not in the table");
  }
  idgen_fixed_free(fixed);
  json_decref(file);
}
