/* The vectors that all languages share, and the cases that the Rust library prints. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"

json_t *load(const char *folder, const char *name) {
  char path[4096];
  json_error_t problem;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  json_t *root = json_load_file(path, JSON_ALLOW_NUL, &problem);
  check(root != NULL, path, "the file is not readable");
  return root;
}

/* A text of a format must be the id, or be refused with the error of the vector. */
static void check_decoded(const json_t *vector) {
  char *context = json_dumps(vector, JSON_COMPACT);
  const json_t *text = member(vector, "text");
  uint8_t id[16] = {0}, expected[16];
  idgen_error error;
  int32_t format = format_of(text_of(vector, "format"));
  int32_t status = idgen_decode(format, json_string_value(text), json_string_length(text), id, &error);
  if (member(vector, "message")) {
    check_error(status, &error, vector, context);
  } else {
    check(status == IDGEN_OK, context, error.message);
    id_of(text_of(vector, "id"), expected);
    check(memcmp(id, expected, 16) == 0, context, "the id");
  }
  free(context);
}

static void check_detected(const json_t *vector) {
  char *context = json_dumps(vector, JSON_COMPACT);
  const json_t *text = member(vector, "text");
  uint8_t id[16], expected[16];
  idgen_error error;
  int32_t format;
  int32_t status = idgen_detect(json_string_value(text), json_string_length(text), &format, id, &error);
  if (member(vector, "message")) {
    check_error(status, &error, vector, context);
  } else {
    check(status == IDGEN_OK, context, error.message);
    check(format == format_of(text_of(vector, "format")), context, "the format");
    id_of(text_of(vector, "id"), expected);
    check(memcmp(id, expected, 16) == 0, context, "the id");
  }
  free(context);
}

/* An id in all its forms: the members of the vector are the formats. */
static void check_forms(const json_t *forms, const uint8_t id[16]) {
  char *context = json_dumps(forms, JSON_COMPACT);
  const char *name;
  json_t *form;
  json_object_foreach((json_t *)forms, name, form) {
    if (strcmp(name, "section") == 0 || strcmp(name, "uuid") == 0) continue;
    int32_t format = format_of(strcmp(name, "base64sort") == 0 ? "ordered64" : name);
    bool is_binary = format == IDGEN_BINARY || format == IDGEN_SWAPPED;
    uint8_t *expected, decoded[16];
    size_t length = json_string_length(form), written, lines;
    if (is_binary) length = bytes_of(json_string_value(form), &expected);
    else expected = (uint8_t *)strdup(json_string_value(form));
    char text[IDGEN_TEXT_SIZE], line[IDGEN_TEXT_SIZE];
    check(idgen_encode(format, id, text, sizeof text, &written, NULL) == IDGEN_OK, context, name);
    check(written == length && memcmp(text, expected, length) == 0, context, name);
    check(is_binary || text[length] == 0, context, "the NUL at the end");
    check(idgen_encode_lines(format, id, 1, line, sizeof line, &lines, NULL) == IDGEN_OK, context, name);
    check(lines == length + !is_binary && memcmp(line, text, length) == 0, context, "the line");
    check(idgen_decode(format, text, length, decoded, NULL) == IDGEN_OK, context, name);
    check(memcmp(id, decoded, 16) == 0, context, name);
    /* A buffer that is one byte too short stays as it is, and its needed size is known. */
    memset(text, '?', sizeof text);
    size_t needed = length + !is_binary;
    check(idgen_encode(format, id, text, needed - 1, &written, NULL) == IDGEN_BUFFER, context, name);
    check(written == length && text[0] == '?', context, "a buffer that is too short");
    free(expected);
  }
  free(context);
}

static void check_codecs(const char *folder) {
  size_t number;
  json_t *vector, *codecs = load(folder, "codecs.json");
  json_array_foreach(member(codecs, "ids"), number, vector) {
    uint8_t *id;
    bytes_of(text_of(vector, "binary"), &id);
    check_forms(vector, id);
    free(id);
  }
  json_array_foreach(member(codecs, "accepted"), number, vector) check_decoded(vector);
  json_array_foreach(member(codecs, "refused"), number, vector) check_decoded(vector);
  json_array_foreach(member(codecs, "detected"), number, vector) check_detected(vector);
  json_array_foreach(member(codecs, "short"), number, vector) {
    char *context = json_dumps(vector, JSON_COMPACT);
    const json_t *text = member(vector, "text"), *device = member(vector, "device");
    uint64_t id = 0;
    uint32_t secs = 0;
    uint16_t node = 0, counter = 0;
    idgen_error error;
    int32_t status = idgen_short_decode(json_string_value(text), json_string_length(text), &id, &error);
    if (member(vector, "message")) {
      check_error(status, &error, vector, context);
    } else {
      check(status == IDGEN_OK && id == strtoull(json_string_value(text), NULL, 10), context, "the id");
      check(idgen_short_fields(id, &secs, &node, &counter, NULL) == IDGEN_OK, context, "the fields");
      check(secs == json_integer_value(member(device, "unix_secs")), context, "the seconds");
      check(node == json_integer_value(member(device, "node")), context, "the node");
      check(counter == json_integer_value(member(device, "counter")), context, "the counter");
    }
    free(context);
  }
  json_decref(codecs);
  json_t *encodings = load(folder, "encodings.json");
  json_array_foreach(member(encodings, "valid"), number, vector) {
    uint8_t id[16];
    id_of(text_of(vector, "uuid"), id);
    check_forms(vector, id);
  }
  json_array_foreach(member(encodings, "invalid"), number, vector) {
    const json_t *text = member(vector, "text"), *offset = member(vector, "offset");
    const char *name = text_of(vector, "format");
    uint8_t id[16];
    idgen_error error;
    int32_t format = format_of(strcmp(name, "base64sort") == 0 ? "ordered64" : name);
    int32_t status = idgen_decode(format, json_string_value(text), json_string_length(text), id, &error);
    check(status == IDGEN_PARSE, json_string_value(text), "it must be refused");
    check(error.offset == (offset ? json_integer_value(offset) : -1), json_string_value(text), "the offset");
  }
  json_decref(encodings);
}

static void check_answers(const idgen_seal *seal, const json_t *answers) {
  size_t number;
  json_t *answer;
  json_array_foreach(answers, number, answer) {
    char *context = json_dumps(answer, JSON_COMPACT);
    bool seals = strcmp(text_of(answer, "do"), "seal") == 0;
    uint8_t ids[32], expected[16];
    idgen_error error;
    id_of(text_of(answer, seals ? "id" : "sealed"), ids);
    memcpy(ids + 16, ids, 16);
    int32_t status = seals ? idgen_seal_ids(seal, ids, 2, &error) : idgen_open_ids(seal, ids, 2, &error);
    if (member(answer, "error")) {
      check_error(status, &error, answer, context);
      id_of(text_of(answer, seals ? "id" : "sealed"), expected);
    } else {
      check(status == IDGEN_OK, context, error.message);
      id_of(text_of(answer, seals ? "sealed" : "id"), expected);
    }
    check(memcmp(ids, expected, 16) == 0 && memcmp(ids + 16, expected, 16) == 0, context, "the id");
    if (seals && status == IDGEN_OK) {
      check(idgen_open_ids(seal, ids, 1, NULL) == IDGEN_OK, context, "it opens");
      id_of(text_of(answer, "id"), expected);
      check(memcmp(ids, expected, 16) == 0, context, "the opened id");
    }
    free(context);
  }
}

static void check_seals(const char *folder) {
  size_t number, place;
  json_t *vector, *text, *seals = load(folder, "seals.json");
  json_array_foreach(member(seals, "keys"), number, vector) {
    idgen_error error;
    uint8_t *secret;
    size_t length = bytes_of(text_of(vector, "secret"), &secret);
    idgen_seal *key = idgen_seal_key_new(secret, length, &error);
    if (member(vector, "error")) check_error(key ? IDGEN_OK : error.status, &error, vector, "a secret");
    else check_answers(key, member(vector, "answers"));
    free(secret);
    idgen_seal_free(key);
  }
  json_array_foreach(member(seals, "rings"), number, vector) {
    char *context = json_dumps(vector, JSON_COMPACT);
    idgen_seal *ring = NULL;
    idgen_error error;
    int32_t status = IDGEN_OK;
    json_array_foreach(member(vector, "secrets"), place, text) {
      uint8_t *secret;
      size_t length = bytes_of(json_string_value(text), &secret);
      if (place == 0) {
        ring = idgen_seal_ring_new(secret, length, &error);
      } else if (status == IDGEN_OK) {
        int64_t from = json_integer_value(json_array_get(member(vector, "from_unix_ms"), place - 1));
        status = idgen_seal_ring_add(ring, from, secret, length, &error);
      }
      free(secret);
    }
    if (member(vector, "error")) check_error(status, &error, vector, context);
    else check_answers(ring, member(vector, "answers"));
    idgen_seal_free(ring);
    free(context);
  }
  json_decref(seals);
}

/* A generator reads a state file of its kind, and refuses a damaged one. */
static void check_states(const char *folder) {
  size_t number;
  json_t *vector, *states = load(folder, "states.json");
  const char *lists[] = {"written", "damaged"};
  for (int list = 0; list < 2; list++) {
    json_array_foreach(member(states, lists[list]), number, vector) {
      char path[] = "/tmp/idgen-c-XXXXXX";
      int file = mkstemp(path);
      check(file >= 0, path, "a temporary file");
      FILE *out = fdopen(file, "w");
      fputs(text_of(vector, "text"), out);
      fclose(out);
      static const char *const names[] = {"v1", "v7", "short", "ulid"};
      static const int32_t kinds[] = {IDGEN_V1, IDGEN_V7, IDGEN_SHORT, IDGEN_ULID};
      int32_t kind = IDGEN_V7;
      for (size_t i = 0; list == 0 && i < 4; i++)
        if (strcmp(names[i], text_of(vector, "kind")) == 0) kind = kinds[i];
      idgen_settings settings;
      idgen_settings_init(&settings, kind);
      settings.state_path = path;
      idgen_error error;
      idgen_generator *generator = idgen_generator_new(&settings, &error);
      check((generator != NULL) == (list == 0), text_of(vector, "text"), "whether the state is read");
      if (!generator) check(error.status == IDGEN_STATE, error.message, "the status");
      idgen_generator_free(generator);
      char lock[sizeof path + 5];
      snprintf(lock, sizeof lock, "%s.lock", path);
      remove(path);
      remove(lock);
    }
  }
  json_decref(states);
}

static void check_keys(const char *folder) {
  size_t number;
  json_t *vector, *prefixed = load(folder, "prefixed.json");
  const char *lists[] = {"keyed_prefix", "writer_tag"};
  for (int list = 0; list < 2; list++) {
    json_array_foreach(member(prefixed, lists[list]), number, vector) {
      const char *secret = text_of(vector, "secret");
      idgen_prefix_key *key =
          idgen_prefix_key_new((const uint8_t *)secret, strlen(secret), text_of(vector, "writer"), NULL);
      uint16_t found = 0;
      if (list == 0) {
        idgen_prefix_key_prefix(key, json_integer_value(member(vector, "number")), &found, NULL);
        check(found == json_integer_value(member(vector, "prefix")), secret, "the prefix");
      } else {
        idgen_prefix_key_writer_tag(key, (uint16_t)json_integer_value(member(vector, "prefix")), &found, NULL);
        check(found == json_integer_value(member(vector, "tag")), secret, "the tag");
      }
      idgen_prefix_key_free(key);
    }
  }
  json_decref(prefixed);
}

/* The ticks of a time such as 2016-04-30T11:18:25.796Z. */
static int64_t ticks_of(const char *text) {
  struct tm time = {0};
  const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &time);
  check(rest != NULL, text, "a time");
  return ((int64_t)timegm(&time) * 1000 + (*rest == '.' ? strtol(rest + 1, NULL, 10) : 0)) * 10000;
}

static void check_readings(const json_t *vector, int32_t status, const idgen_foreign *seen, size_t count) {
  char *context = json_dumps(vector, JSON_COMPACT);
  const json_t *readings = member(vector, "readings");
  check(status == IDGEN_OK, context, status_name(status));
  check(count == json_array_size(readings), context, "the number of readings");
  for (size_t i = 0; i < count; i++) {
    const json_t *expected = json_array_get(readings, i), *time = member(expected, "time"), *id = member(expected, "uuid");
    uint8_t bytes[16];
    check(strcmp(idgen_foreign_name(seen[i].kind), text_of(expected, "kind")) == 0, context, "the kind");
    check(!(seen[i].fields & IDGEN_FOREIGN_HAS_TIME) == !time, context, "whether there is a time");
    if (time) check(seen[i].time == ticks_of(json_string_value(time)), context, "the time");
    check(!(seen[i].fields & IDGEN_FOREIGN_HAS_ID) == !id, context, "whether there is an id");
    if (id) {
      id_of(json_string_value(id), bytes);
      check(memcmp(seen[i].id, bytes, 16) == 0, context, "the id");
    }
  }
  free(context);
}

static void check_foreign(const json_t *inspections) {
  idgen_foreign seen[IDGEN_FOREIGN_READINGS];
  size_t number, count;
  json_t *vector;
  json_array_foreach(member(inspections, "foreign_texts"), number, vector) {
    const json_t *text = member(vector, "text");
    int32_t status =
        idgen_foreign_texts(json_string_value(text), json_string_length(text), seen, IDGEN_FOREIGN_READINGS, &count, NULL);
    check_readings(vector, status, seen, count);
  }
  json_array_foreach(member(inspections, "foreign_numbers"), number, vector) {
    uint64_t value = strtoull(text_of(vector, "number"), NULL, 10);
    int32_t status =
        idgen_foreign_numbers(value, ticks_of(text_of(vector, "now")), seen, IDGEN_FOREIGN_READINGS, &count, NULL);
    check_readings(vector, status, seen, count);
  }
}

/* The examples of RFC 9562, appendix A.2 and A.4, and bytes of one's own. */
static void check_named(void) {
  static const char *const name = "www.example.com";
  uint8_t dns[16], id[16], expected[16];
  idgen_error error;
  id_of("6ba7b810-9dad-11d1-80b4-00c04fd430c8", dns);
  id_of("5df41881-3aed-3515-88a7-2f4a814cf09e", expected);
  check(idgen_v3(dns, name, strlen(name), id, &error) == IDGEN_OK, "version 3", error.message);
  check(memcmp(id, expected, 16) == 0, "version 3", "the id");
  id_of("2ed6657d-e927-568b-95e1-2665a8aea6a2", expected);
  check(idgen_v5(dns, name, strlen(name), id, &error) == IDGEN_OK, "version 5", error.message);
  check(memcmp(id, expected, 16) == 0, "version 5", "the id");
  check(idgen_v5(dns, NULL, 0, id, NULL) == IDGEN_OK, "version 5", "an empty name needs no pointer");
  id_of("00112233-4455-6677-8899-aabbccddeeff", id);
  id_of("00112233-4455-8677-8899-aabbccddeeff", expected);
  check(idgen_v8(id, id, &error) == IDGEN_OK, "version 8", error.message);
  check(memcmp(id, expected, 16) == 0, "version 8", "the id");
}

void test_vectors(const char *folder) {
  size_t number;
  json_t *vector;
  check_codecs(folder);
  check_seals(folder);
  check_states(folder);
  check_keys(folder);
  check_named();
  check_bounds(folder);
  check_leases(folder);
  check_orders(folder);
  check_kinds(folder);
  json_t *inspections = load(folder, "inspections.json");
  json_array_foreach(member(inspections, "inspections"), number, vector) check_inspection(vector);
  json_array_foreach(member(inspections, "keyed"), number, vector) check_inspection(vector);
  check_foreign(inspections);
  json_decref(inspections);
  json_t *generators = load(folder, "generators.json");
  json_array_foreach(member(generators, "generators"), number, vector) {
    if (kind_of(text_of(vector, "kind")) != 0) check_generator(vector);
  }
  json_decref(generators);
}

static void check_sealed(const json_t *vector) {
  uint8_t *secret, id[16], sealed[16];
  size_t length = bytes_of(text_of(vector, "secret"), &secret);
  idgen_seal *key = idgen_seal_key_new(secret, length, NULL);
  id_of(text_of(vector, "id"), id);
  id_of(text_of(vector, "sealed"), sealed);
  check(idgen_seal_ids(key, id, 1, NULL) == IDGEN_OK, text_of(vector, "id"), "it is sealed");
  check(memcmp(id, sealed, 16) == 0, text_of(vector, "id"), "the sealed id");
  idgen_seal_free(key);
  free(secret);
}

size_t test_cases(void) {
  size_t count = 0;
  json_error_t problem;
  json_t *vector;
  while ((vector = json_loadf(stdin, JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, &problem)) != NULL) {
    if (member(vector, "steps")) check_generator(vector);
    else if (member(vector, "secret")) check_sealed(vector);
    else if (member(vector, "nature") || member(vector, "error")) check_inspection(vector);
    else check_decoded(vector);
    json_decref(vector);
    count++;
  }
  check(feof(stdin), problem.text, "the case is not JSON");
  return count;
}
