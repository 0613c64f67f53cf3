/* Runs the steps of generators. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

static int32_t number_of(const char *name, const char *const names[], const int32_t numbers[]) {
  for (size_t i = 0; names[i] != NULL; i++)
    if (strcmp(names[i], name) == 0) return numbers[i];
  check(false, name, "an unknown name");
  return -1;
}

int32_t kind_of(const char *name) {
  /* Those with 0 are not in this library: IDGEN_PREFIXED makes the ids of weeks, with IDGEN_MD5_WEEK and a random tail, and the ids
   * of a server's UUID_SHORT() have no place in an app. */
  static const struct {
    const char *name;
    int32_t number;
  } kinds[] = {
      // begin kinds: scripts/kinds.py --write
      {"v1", IDGEN_V1},
      {"v4", IDGEN_V4},
      {"v6", IDGEN_V6},
      {"v7", IDGEN_V7},
      {"ulid", IDGEN_ULID},
      {"week", 0},
      {"prefixed", IDGEN_PREFIXED},
      {"fixed-prefix", IDGEN_FIXED_PREFIX},
      {"short", IDGEN_SHORT},
      {"mysql-short", 0},
      // end kinds
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0) return kinds[i].number;
  check(false, name, "an unknown name");
  return -1;
}

static int32_t or_default(const char *name, const char *const names[], const int32_t numbers[], int32_t otherwise) {
  return name ? number_of(name, names, numbers) : otherwise;
}

uint8_t *set_prefix(const json_t *given, idgen_settings *settings) {
  static const char *const prefixes[] = {"sequential", "keyed", "md5-week", NULL};
  static const int32_t prefix_numbers[] = {IDGEN_SEQUENTIAL, IDGEN_KEYED, IDGEN_MD5_WEEK};
  static const char *const tails[] = {"ascending", "random-v4", "random-v8", NULL};
  static const int32_t tail_numbers[] = {IDGEN_ASCENDING, IDGEN_RANDOM_V4, IDGEN_RANDOM_V8};
  const char *prefix = text_of(given, "prefix");
  const json_t *bits = member(given, "bits"), *offset = member(given, "utc_offset_secs");
  uint8_t *secret = NULL;
  if (settings->kind == IDGEN_FIXED_PREFIX) settings->fixed_prefix = prefix;
  else settings->prefix = or_default(prefix, prefixes, prefix_numbers, settings->prefix);
  if (bits) settings->prefix_bits = (int32_t)json_integer_value(bits);
  if (offset) settings->utc_offset_secs = (int32_t)json_integer_value(offset);
  settings->tail = or_default(text_of(given, "tail"), tails, tail_numbers, settings->tail);
  if (text_of(given, "interval")) settings->interval = text_of(given, "interval");
  if (text_of(given, "secret")) settings->secret_length = bytes_of(text_of(given, "secret"), &secret);
  settings->secret = secret;
  settings->writer = text_of(given, "writer");
  return secret;
}

static idgen_generator *build(const json_t *vector, const idgen_fixed *fixed, idgen_error *error) {
  static const char *const policies[] = {"restart", "error", "wait", NULL};
  static const int32_t policy_numbers[] = {IDGEN_RESTART, IDGEN_ERROR, IDGEN_WAIT};
  const json_t *given = member(vector, "settings"), *tolerance = member(given, "tolerance_ms");
  const json_t *longest = member(given, "longest_wait_ms");
  idgen_settings settings;
  idgen_settings_init(&settings, kind_of(text_of(vector, "kind")));
  settings.fixed = fixed;
  settings.fixed_state = json_is_true(member(vector, "state"));
  settings.when_behind = or_default(text_of(given, "when_behind"), policies, policy_numbers, settings.when_behind);
  if (tolerance) settings.tolerance_ms = (uint64_t)json_integer_value(tolerance);
  if (longest) settings.longest_wait_ms = (uint64_t)json_integer_value(longest);
  settings.node = text_of(given, "node");
  uint8_t *secret = set_prefix(given, &settings);
  idgen_generator *generator = idgen_generator_new(&settings, error);
  free(secret);
  return generator;
}

/* The text of an id as the vectors write it. */
static void write_id(const char *kind, const uint8_t *ids, size_t at, char text[IDGEN_TEXT_SIZE]) {
  uint64_t number;
  if (strcmp(kind, "short") == 0) {
    memcpy(&number, ids + 8 * at, 8);
    snprintf(text, IDGEN_TEXT_SIZE, "%" PRIu64, number);
    return;
  }
  int32_t format = strcmp(kind, "ulid") == 0 ? IDGEN_BASE32 : IDGEN_HYPHENATED;
  check(idgen_encode(format, ids + 16 * at, text, IDGEN_TEXT_SIZE, NULL, NULL) == IDGEN_OK, kind, "encode");
}

static int32_t generate(idgen_generator *generator, bool is_short, const char *op, uint8_t *ids, size_t count,
                        idgen_error *error) {
  int32_t status = IDGEN_OK;
  if (strcmp(op, "next") == 0) {
    for (size_t i = 0; i < count && status == IDGEN_OK; i++)
      status = is_short ? idgen_generator_next_short(generator, (uint64_t *)(void *)(ids + 8 * i), error)
                        : idgen_generator_next(generator, ids + 16 * i, error);
    return status;
  }
  const size_t piece = 1 << 16;
  for (size_t left = count; left > 0 && status == IDGEN_OK; left -= left < piece ? left : piece) {
    size_t now = left < piece ? left : piece;
    status = is_short ? idgen_generator_fill_short(generator, (uint64_t *)(void *)ids, now, error)
                      : idgen_generator_fill(generator, ids, now, error);
  }
  return status;
}

static void check_state(const idgen_fixed *fixed, const json_t *step, const char *context) {
  const json_t *saved = member(step, "saved");
  uint64_t high = 0, low = 0;
  uint8_t node[6];
  int32_t found = idgen_fixed_saved(fixed, &high, &low, node);
  const char *expected = saved ? text_of(saved, "node") : NULL;
  check(found == (saved ? expected ? 2 : 1 : 0), context, "whether a state with a node is saved");
  if (!saved) return;
  /* The position as a decimal text is the form IDGEN_INT. */
  char text[IDGEN_TEXT_SIZE];
  uint8_t position[16];
  for (int i = 0; i < 8; i++) {
    position[i] = (uint8_t)(high >> (56 - 8 * i));
    position[8 + i] = (uint8_t)(low >> (56 - 8 * i));
  }
  check(idgen_encode(IDGEN_INT, position, text, sizeof text, NULL, NULL) == IDGEN_OK, context, "a position");
  check(strcmp(text, text_of(saved, "position")) == 0, context, text);
  for (size_t i = 0; expected && i < 6; i++) {
    const char pair[] = {expected[2 * i], expected[2 * i + 1], 0};
    check(node[i] == strtoul(pair, NULL, 16), context, "the node of the state");
  }
}

static int32_t set_lease(idgen_generator *generator, const json_t *lease, idgen_error *error) {
  return idgen_generator_set_lease(generator, (uint16_t)json_integer_value(member(lease, "number")),
                                   strtoll(text_of(lease, "not_before"), NULL, 10),
                                   strtoll(text_of(lease, "not_after"), NULL, 10), error);
}

/* Sets a lease; if there is no generator yet, that of another one. */
static int32_t can_hold(idgen_generator *generator, const json_t *lease, idgen_error *error) {
  if (generator) return set_lease(generator, lease, error);
  idgen_settings settings;
  idgen_settings_init(&settings, IDGEN_SHORT);
  idgen_generator *other = idgen_generator_new(&settings, error);
  int32_t status = set_lease(other, lease, error);
  idgen_generator_free(other);
  return status;
}

void check_generator(const json_t *vector) {
  char *context = json_dumps(vector, JSON_COMPACT);
  const char *kind = text_of(vector, "kind");
  uint8_t *entropy;
  size_t length = bytes_of(text_of(vector, "entropy"), &entropy);
  idgen_fixed *fixed = idgen_fixed_new(entropy, length, NULL);
  idgen_generator *generator = NULL;
  const json_t *lease = NULL;
  size_t number;
  json_t *step;
  json_array_foreach(member(vector, "steps"), number, step) {
    const char *op = text_of(step, "op"), *clock = text_of(step, "clock");
    if (clock) idgen_fixed_set_time(fixed, strtoll(clock, NULL, 10));
    int64_t before = idgen_fixed_time(fixed);
    if (strcmp(op, "close") == 0 || strcmp(op, "crash") == 0) {
      if (strcmp(op, "crash") == 0) idgen_fixed_crash(fixed);
      idgen_generator_free(generator);
      generator = NULL;
    } else {
      size_t count = (size_t)json_integer_value(member(step, "count"));
      size_t space = strcmp(op, "skip") == 0 && count > 1 << 16 ? 1 << 16 : count;
      uint8_t *ids = malloc(16 * space + 1);
      idgen_error error;
      int32_t status = IDGEN_OK;
      /* A lease outlives the generator, and a refused one changes nothing. */
      const json_t *renewed = member(step, "lease");
      if (renewed) status = can_hold(generator, renewed, &error);
      if (renewed && status == IDGEN_OK) lease = renewed;
      if (!generator && status == IDGEN_OK) {
        generator = build(vector, fixed, &error);
        if (!generator) status = error.status;
        else if (lease) status = set_lease(generator, lease, &error);
      }
      if (generator && status == IDGEN_OK) status = generate(generator, strcmp(kind, "short") == 0, op, ids, count, &error);
      if (member(step, "error")) check_error(status, &error, step, context);
      else check(status == IDGEN_OK, context, error.message);
      size_t at;
      json_t *id;
      char text[IDGEN_TEXT_SIZE];
      json_array_foreach(member(step, "ids"), at, id) {
        write_id(kind, ids, at, text);
        check(strcmp(text, json_string_value(id)) == 0, context, text);
      }
      free(ids);
    }
    const char *after = text_of(step, "clock_after");
    check(idgen_fixed_time(fixed) == (after ? strtoll(after, NULL, 10) : before), context, "the time after the step");
    if (json_is_true(member(vector, "state"))) check_state(fixed, step, context);
  }
  idgen_generator_free(generator);
  idgen_fixed_free(fixed);
  free(entropy);
  free(context);
}

/* A lease has the seconds of the vector, and those around it are refused. */
static void check_lease(const json_t *vector) {
  char *context = json_dumps(vector, JSON_COMPACT);
  const json_t *first = member(vector, "first_sec"), *last = member(vector, "last_sec");
  idgen_settings settings;
  idgen_error error;
  idgen_settings_init(&settings, IDGEN_SHORT);
  settings.tolerance_ms = UINT64_MAX;
  for (int at = 0; at < 4; at++) {
    int64_t seconds = at == 0 ? json_integer_value(first) - 1 : json_integer_value(at < 2 ? first : last) + (at == 3);
    idgen_fixed *fixed = idgen_fixed_new((const uint8_t *)"7", 1, NULL);
    idgen_fixed_set_time(fixed, seconds * 10000000);
    settings.fixed = fixed;
    idgen_generator *generator = idgen_generator_new(&settings, &error);
    int32_t status = set_lease(generator, vector, &error);
    if (member(vector, "error")) {
      check_error(status, &error, vector, context);
    } else {
      uint64_t id = 0;
      bool holds = at == 1 || at == 2, exists = seconds > 0 && seconds <= UINT32_MAX;
      check(status == IDGEN_OK, context, error.message);
      status = idgen_generator_next_short(generator, &id, &error);
      check(status == (holds ? IDGEN_OK : exists ? IDGEN_OUTSIDE_LEASE : IDGEN_TIME_OUT_OF_RANGE), context, status_name(status));
      if (holds) check((int64_t)(id >> 16 & 0xffff) == json_integer_value(member(vector, "number")), context, "the number");
    }
    idgen_generator_free(generator);
    idgen_fixed_free(fixed);
  }
  free(context);
}

void check_leases(const char *folder) {
  json_t *leases = load(folder, "leases.json"), *vector;
  size_t at;
  json_array_foreach(member(leases, "leases"), at, vector) check_lease(vector);
  json_array_foreach(member(leases, "generators"), at, vector) check_generator(vector);
  json_decref(leases);
}
