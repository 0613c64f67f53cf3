/* Mistakes of a caller are errors, and nothing is written. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"

static void expect(int32_t expected, int32_t status, const char *what) {
  check(status == expected, what, status_name(status));
}

static int32_t status_of_new(const idgen_settings *settings, const char *words) {
  idgen_error error;
  idgen_generator *generator = idgen_generator_new(settings, &error);
  check(generator == NULL, words, "it must fail");
  check(strstr(error.message, words) != NULL, words, error.message);
  check(strlen(error.message) == error.message_length, words, "the length of the message");
  check(idgen_generator_new(settings, NULL) == NULL, words, "it fails without an error to write to, too");
  return error.status;
}

static void null_pointers(void) {
  idgen_settings settings;
  idgen_settings_init(NULL, IDGEN_V7);
  idgen_settings_init(&settings, IDGEN_V7);
  idgen_generator *v7 = idgen_generator_new(&settings, NULL);
  settings.kind = IDGEN_SHORT;
  idgen_generator *shorts = idgen_generator_new(&settings, NULL);
  uint8_t id[16] = {1};
  uint64_t number = 7;
  size_t length = 7;
  int32_t format;
  char text[IDGEN_TEXT_SIZE];
  idgen_inspection seen;
  idgen_foreign foreign;
  idgen_generator_free(NULL);
  idgen_seal_free(NULL);
  idgen_prefix_key_free(NULL);
  idgen_fixed_free(NULL);
  check(idgen_fixed_time(NULL) == 0, "idgen_fixed_time", "NULL");
  expect(-IDGEN_ARGUMENT, idgen_fixed_saved(NULL, NULL, NULL, NULL), "idgen_fixed_saved");
  check(idgen_fixed_new(NULL, 0, NULL) == NULL && idgen_fixed_new(NULL, 1, NULL) == NULL, "idgen_fixed_new", "NULL");
  check(idgen_generator_new(NULL, NULL) == NULL, "idgen_generator_new", "NULL");
  check(idgen_seal_key_new(NULL, 16, NULL) == NULL, "idgen_seal_key_new", "NULL");
  check(idgen_seal_ring_new(NULL, 16, NULL) == NULL, "idgen_seal_ring_new", "NULL");
  check(idgen_prefix_key_new(NULL, 16, NULL, NULL) == NULL, "idgen_prefix_key_new", "NULL");
  const int32_t statuses[] = {
      idgen_fixed_set_time(NULL, 1),
      idgen_fixed_crash(NULL),
      idgen_generator_next(NULL, id, NULL),
      idgen_generator_next(v7, NULL, NULL),
      idgen_generator_fill(NULL, id, 1, NULL),
      idgen_generator_fill(v7, NULL, 1, NULL),
      idgen_generator_fill(v7, id, SIZE_MAX, NULL),
      idgen_generator_fill(v7, id, SIZE_MAX / 16, NULL),
      idgen_generator_next_short(NULL, &number, NULL),
      idgen_generator_next_short(shorts, NULL, NULL),
      idgen_generator_fill_short(NULL, &number, 1, NULL),
      idgen_generator_fill_short(shorts, NULL, 1, NULL),
      idgen_generator_fill_short(shorts, &number, SIZE_MAX / 8, NULL),
      idgen_generator_set_lease(NULL, 7, 10000000, 10000000, NULL),
      idgen_generator_set_lease(v7, 7, 10000000, 10000000, NULL),
      idgen_generator_next(shorts, id, NULL),
      idgen_generator_fill(shorts, id, 1, NULL),
      idgen_generator_next_short(v7, &number, NULL),
      idgen_generator_fill_short(v7, &number, 1, NULL),
      idgen_generator_next_short(shorts, (uint64_t *)(void *)(id + 1), NULL),
      idgen_encode(IDGEN_INT, NULL, text, sizeof text, &length, NULL),
      idgen_encode(IDGEN_INT, id, NULL, sizeof text, &length, NULL),
      idgen_encode_lines(IDGEN_INT, NULL, 1, text, sizeof text, &length, NULL),
      idgen_encode_lines(IDGEN_INT, id, 1, NULL, sizeof text, &length, NULL),
      idgen_encode_lines(IDGEN_INT, id, 1, text, sizeof text, NULL, NULL),
      idgen_decode(IDGEN_INT, NULL, 1, id, NULL),
      idgen_decode(IDGEN_INT, "1", 1, NULL, NULL),
      idgen_detect(NULL, 1, &format, id, NULL),
      idgen_detect("1", 1, NULL, id, NULL),
      idgen_detect("1", 1, &format, NULL, NULL),
      idgen_v3(NULL, text, 1, id, NULL),
      idgen_v5(id, NULL, 1, id, NULL),
      idgen_v5(id, text, 1, NULL, NULL),
      idgen_v8(NULL, id, NULL),
      idgen_v8(id, NULL, NULL),
      idgen_short_decode(NULL, 1, &number, NULL),
      idgen_short_decode("1", 1, NULL, NULL),
      idgen_short_fields(1, NULL, NULL, NULL, NULL),
      idgen_inspect(NULL, 1, &seen, NULL),
      idgen_inspect("102176818768904192", 18, NULL, NULL),
      idgen_inspect_keyed("102176818768904192", 18, NULL, false, &seen, NULL),
      idgen_foreign_texts(NULL, 1, &foreign, 1, &length, NULL),
      idgen_foreign_texts(text, 1, &foreign, 1, NULL, NULL),
      idgen_foreign_texts("0ujtsYcgvSTl8PAuAdqWYSMnLOv", 27, NULL, 1, &length, NULL),
      idgen_foreign_numbers(1ULL << 62, INT64_MAX, NULL, 5, &length, NULL),
      idgen_time_text(0, NULL, IDGEN_TIME_SIZE, NULL),
      idgen_seal_ids(NULL, id, 1, NULL),
      idgen_open_ids(NULL, id, 1, NULL),
      idgen_seal_ring_add(NULL, 1, id, 16, NULL),
      idgen_prefix_key_prefix(NULL, 1, NULL, NULL),
      idgen_prefix_key_writer_tag(NULL, 1, NULL, NULL),
  };
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    snprintf(text, sizeof text, "null pointer %zu", i);
    /* A text without an id is refused as such, before the pointer for the result is looked at. */
    if (statuses[i] != IDGEN_PARSE) expect(IDGEN_ARGUMENT, statuses[i], text);
  }
  check(id[0] == 1 && id[15] == 0 && number == 7, "null pointers", "nothing is written");
  expect(IDGEN_BUFFER, idgen_foreign_texts("0ujtsYcgvSTl8PAuAdqWYSMnLOv", 27, NULL, 0, &length, NULL), "no memory for readings");
  check(idgen_foreign_name(13) == NULL && idgen_foreign_name(-1) == NULL, "idgen_foreign_name", "NULL");
  /* Nothing is asked for, so no pointer is needed. */
  expect(IDGEN_OK, idgen_generator_fill(v7, NULL, 0, NULL), "no ids");
  expect(IDGEN_OK, idgen_generator_fill_short(shorts, NULL, 0, NULL), "no ids");
  expect(IDGEN_PARSE, idgen_decode(IDGEN_INT, NULL, 0, id, NULL), "an empty text");
  idgen_generator_free(v7);
  idgen_generator_free(shorts);
}

static void wrong_numbers_and_texts(void) {
  idgen_settings settings;
  uint8_t id[16] = {0}, secret[16] = {0};
  char text[IDGEN_TEXT_SIZE] = "?";
  idgen_error error;
  size_t length;
  const int32_t numbers[] = {-1, 13, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < 4; i++) {
    expect(IDGEN_CONFIG, idgen_encode(numbers[i], id, text, sizeof text, &length, &error), "a format");
    expect(IDGEN_CONFIG, idgen_decode(numbers[i], "1", 1, id, &error), "a format");
    check(idgen_format_name(numbers[i]) == NULL && idgen_nature_name(numbers[i]) == NULL, "a name", "NULL");
    idgen_settings_init(&settings, numbers[i] == 13 ? 99 : numbers[i]);
    expect(IDGEN_CONFIG, status_of_new(&settings, "no kind of id has the number"), "a kind");
    idgen_settings_init(&settings, IDGEN_PREFIXED);
    settings.tail = numbers[i];
    expect(IDGEN_CONFIG, status_of_new(&settings, "tail cannot be"), "a tail");
    idgen_settings_init(&settings, IDGEN_PREFIXED);
    settings.prefix = numbers[i];
    expect(IDGEN_CONFIG, status_of_new(&settings, "prefix cannot be"), "a prefix");
    idgen_settings_init(&settings, IDGEN_PREFIXED);
    settings.prefix_bits = numbers[i] == 13 ? 17 : numbers[i];
    expect(IDGEN_CONFIG, status_of_new(&settings, "prefix_bits cannot be"), "bits");
    idgen_settings_init(&settings, IDGEN_V7);
    settings.when_behind = numbers[i];
    expect(IDGEN_CONFIG, status_of_new(&settings, "when_behind cannot be"), "a policy");
  }
  idgen_settings_init(&settings, IDGEN_V7);
  settings.size = 8;
  expect(IDGEN_ARGUMENT, status_of_new(&settings, "call idgen_settings_init first"), "a size");
  idgen_settings_init(&settings, IDGEN_V7);
  settings.node = "9f6bdeced846";
  expect(IDGEN_CONFIG, status_of_new(&settings, "a node has no effect on v7"), "a node");
  idgen_settings_init(&settings, IDGEN_V4);
  settings.state_path = "/tmp/idgen-c.state";
  expect(IDGEN_CONFIG, status_of_new(&settings, "a state has no effect on v4"), "a state");
  idgen_settings_init(&settings, IDGEN_PREFIXED);
  settings.secret = secret;
  settings.secret_length = 16;
  expect(IDGEN_CONFIG, status_of_new(&settings, "a secret has no effect"), "a secret");
  settings.prefix = IDGEN_KEYED;
  settings.secret_length = 15;
  expect(IDGEN_CONFIG, status_of_new(&settings, "16"), "a short secret");
  settings.secret_length = 16;
  settings.writer = "\xff writer";
  expect(IDGEN_ARGUMENT, status_of_new(&settings, "writer is not UTF-8 at offset 0"), "a writer");
  idgen_settings_init(&settings, IDGEN_PREFIXED);
  settings.interval = "da\xe9";
  expect(IDGEN_ARGUMENT, status_of_new(&settings, "interval is not UTF-8 at offset 2"), "an interval");
  settings.interval = NULL;
  expect(IDGEN_ARGUMENT, status_of_new(&settings, "interval is NULL"), "an interval");
  settings.interval = "fortnight";
  expect(IDGEN_CONFIG, status_of_new(&settings, "write minute"), "an interval");
  idgen_settings_init(&settings, IDGEN_SHORT);
  settings.node = "no node";
  expect(IDGEN_CONFIG, status_of_new(&settings, "twelve hex digits"), "a node");
  idgen_settings_init(&settings, IDGEN_V7);
  settings.fixed_state = true;
  expect(IDGEN_CONFIG, status_of_new(&settings, "fixed_state needs fixed"), "a state");
  settings.fixed_state = false;
  settings.state_path = "/missing/folder/ids.state";
  expect(IDGEN_STATE, status_of_new(&settings, "cannot be opened"), "a path");
  settings.state_path = "/tmp/\xff.state";
  expect(IDGEN_ARGUMENT, status_of_new(&settings, "state_path is not UTF-8 at offset 5"), "a path");
  /* Invalid UTF-8 in an id is no id, whatever its bytes are. */
  const char *bad = "\xff\xfe\x80";
  uint64_t number = 7;
  expect(IDGEN_PARSE, idgen_short_decode(bad, 3, &number, &error), "bytes");
  expect(IDGEN_PARSE, idgen_decode(IDGEN_HYPHENATED, bad, 3, id, &error), "bytes");
  idgen_inspection seen;
  expect(IDGEN_PARSE, idgen_inspect(bad, 3, &seen, &error), "bytes");
  expect(IDGEN_BUFFER, idgen_time_text(0, text, 20, &error), "a time");
  expect(IDGEN_OK, idgen_time_text(0, text, 21, &error), "a time");
  check(strcmp(text, "1970-01-01T00:00:00Z") == 0, text, "a time");
  expect(IDGEN_BUFFER, idgen_encode_lines(IDGEN_INT, id, 2, text, 2 * IDGEN_TEXT_SIZE - 1, &length, &error), "lines");
  expect(IDGEN_BUFFER, idgen_encode_lines(IDGEN_INT, id, SIZE_MAX, text, SIZE_MAX - 1, &length, &error), "lines");
  idgen_seal *key = idgen_seal_key_new(secret, 16, NULL);
  expect(IDGEN_ARGUMENT, idgen_seal_ring_add(key, 1, secret, 16, &error), "a key is no ring");
  expect(IDGEN_OK, idgen_seal_ids(key, NULL, 0, &error), "no ids");
  idgen_seal_free(key);
  idgen_prefix_key *prefixes = idgen_prefix_key_new(secret, 16, NULL, NULL);
  uint16_t tag;
  expect(IDGEN_CONFIG, idgen_prefix_key_writer_tag(prefixes, 1, &tag, &error), "no writer");
  idgen_prefix_key_free(prefixes);
}

#define THREADS 4
#define EACH 5000
static uint64_t made[THREADS * EACH];
static idgen_generator *shared;

/* A program that was compiled with an older header has fewer settings than the library. */
static void sizes_of_settings(void) {
  check(strcmp(idgen_version(), IDGEN_VERSION) == 0, "idgen_version", idgen_version());
  for (size_t size = 16; size <= sizeof(idgen_settings); size += 8) {
    /* Exactly so many bytes: valgrind would see an access to others. */
    idgen_settings *settings = malloc(size);
    memset(settings, 0xEE, size);
    idgen_settings_init_sized(settings, size, IDGEN_V7);
    check(settings->size == size && settings->kind == IDGEN_V7, "settings of an older header", "initialized");
    idgen_error error;
    idgen_generator *ids = idgen_generator_new(settings, &error);
    check(ids != NULL, "settings of an older header", ids == NULL ? error.message : "");
    uint8_t id[16];
    expect(IDGEN_OK, idgen_generator_next(ids, id, NULL), "settings of an older header");
    check(id[6] >> 4 == 7, "settings of an older header", "the kind");
    idgen_generator_free(ids);
    free(settings);
  }
  idgen_settings settings;
  idgen_settings_init(&settings, IDGEN_V7);
  check(settings.size == sizeof settings, "idgen_settings_init", "the size");
  const size_t wrong[] = {0, 8, 15, 17, 20, sizeof settings + 8, SIZE_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    settings.size = wrong[i];
    expect(IDGEN_ARGUMENT, status_of_new(&settings, "the size of the settings is"), "the size");
    idgen_settings_init_sized(&settings, wrong[i], IDGEN_V4);
    check(settings.size == wrong[i] && settings.kind == IDGEN_V7, "a wrong size", "nothing is written");
  }
}

static void *generate(void *first) {
  uint64_t *ids = first;
  for (size_t i = 0; i < EACH; i++)
    check(idgen_generator_next_short(shared, ids + i, NULL) == IDGEN_OK, "threads", "an id");
  return NULL;
}

static int compare(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static void threads(void) {
  idgen_settings settings;
  idgen_settings_init(&settings, IDGEN_SHORT);
  shared = idgen_generator_new(&settings, NULL);
  pthread_t running[THREADS];
  for (size_t i = 0; i < THREADS; i++) pthread_create(running + i, NULL, generate, made + i * EACH);
  for (size_t i = 0; i < THREADS; i++) pthread_join(running[i], NULL);
  qsort(made, THREADS * EACH, sizeof *made, compare);
  for (size_t i = 1; i < THREADS * EACH; i++) check(made[i - 1] < made[i], "threads", "an id is repeated");
  idgen_generator_free(shared);
}

static void bounds_without_sense(void) {
  idgen_settings settings;
  idgen_error error;
  uint8_t id[16], other[16];
  uint64_t number;
  size_t count = 7;
  idgen_settings_init(&settings, IDGEN_V4);
  expect(IDGEN_CONFIG, idgen_bounds(&settings, 0, 1, id, other, &error), "version 4");
  check(strstr(error.message, "the ids of v4 have no bounds") != NULL, error.message, "the message");
  idgen_settings_init(&settings, IDGEN_PREFIXED);
  expect(IDGEN_CONFIG, idgen_bounds(&settings, 0, 1, id, other, &error), "prefixed ids");
  expect(IDGEN_ARGUMENT, idgen_prefixed_bounds(&settings, 0, 1, NULL, 1, &count, &error), "no memory for pairs");
  expect(IDGEN_ARGUMENT, idgen_prefixed_bounds(&settings, 0, 1, id, 1, NULL, &error), "no memory for the number");
  idgen_settings_init(&settings, IDGEN_V7);
  expect(IDGEN_CONFIG, idgen_prefixed_bounds(&settings, 0, 1, id, 1, &count, &error), "version 7");
  expect(IDGEN_ARGUMENT, idgen_bounds(NULL, 0, 1, id, other, &error), "no settings");
  expect(IDGEN_ARGUMENT, idgen_bounds(&settings, 0, 1, id, NULL, &error), "no memory");
  expect(IDGEN_ARGUMENT, idgen_short_bounds(0, 1, &number, NULL, &error), "no memory");
}

/* As after the restore of a snapshot. */
static void reseeded(void) {
  char path[] = "/tmp/idgen-test-XXXXXX";
  int file = mkstemp(path);
  check(file >= 0, path, "a file");
  idgen_settings settings;
  idgen_error error;
  uint8_t id[16], other[16];
  idgen_settings_init(&settings, IDGEN_V1);
  idgen_generator *v1 = idgen_generator_new(&settings, NULL);
  idgen_generator_next(v1, id, NULL);
  idgen_generator_next(v1, other, NULL);
  check(memcmp(id + 10, other + 10, 6) == 0, "version 1", "the node stays the same");
  settings.kind = IDGEN_V7;
  settings.state_path = path;
  close(file);
  unlink(path);
  idgen_generator *v7 = idgen_generator_new(&settings, &error);
  check(v7 != NULL, path, v7 == NULL ? error.message : "");
  idgen_reseed();
  expect(IDGEN_OK, idgen_generator_next(v1, other, &error), "version 1");
  check(memcmp(id + 10, other + 10, 6) != 0, "version 1", "another node");
  expect(IDGEN_FORKED, idgen_generator_next(v7, id, &error), "a generator with a state");
  idgen_generator_free(v1);
  idgen_generator_free(v7);
  unlink(path);
}

void test_misuse(void) {
  bounds_without_sense();
  reseeded();
  sizes_of_settings();
  null_pointers();
  wrong_numbers_and_texts();
  threads();
}
