/* The tests of the C interface.
 *
 *   test vectors FOLDER   the vectors in tests/vectors
 *   test misuse           mistakes of a caller, and several threads
 *   test cases            the cases of the standard input
 *   test continue KIND FILE CLOCK COUNT END
 *                         as the example `continue` of crates/idgen
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"

/* Prints ids that continue a state file. All runs have the same time, so that only the state keeps their ids apart. */
static void continue_file(char **arguments) {
  idgen_settings settings;
  idgen_error error;
  uint8_t bytes[4096];
  idgen_settings_init(&settings, kind_of(arguments[0]));
  settings.state_path = arguments[1];
  settings.tolerance_ms = UINT64_MAX;
  FILE *random = fopen("/dev/urandom", "rb");
  check(random && fread(bytes, sizeof bytes, 1, random) == 1, "/dev/urandom", "random bytes");
  fclose(random);
  idgen_fixed *fixed = idgen_fixed_new(bytes, sizeof bytes, NULL);
  idgen_fixed_set_time(fixed, strtoll(arguments[2], NULL, 10));
  settings.fixed = fixed;
  idgen_generator *generator = idgen_generator_new(&settings, &error);
  check(generator != NULL, arguments[1], error.message);
  for (long left = strtol(arguments[3], NULL, 10); left > 0; left--) {
    char text[IDGEN_TEXT_SIZE];
    uint8_t id[16];
    uint64_t number;
    int32_t status;
    if (settings.kind == IDGEN_SHORT) {
      status = idgen_generator_next_short(generator, &number, &error);
      snprintf(text, sizeof text, "%" PRIu64, number);
    } else {
      status = idgen_generator_next(generator, id, &error);
      idgen_encode(settings.kind == IDGEN_ULID ? IDGEN_BASE32 : IDGEN_HYPHENATED, id, text, sizeof text, NULL, NULL);
    }
    check(status == IDGEN_OK, arguments[1], error.message);
    puts(text);
    fflush(stdout);
  }
  /* Without freeing the generator, as after a kill. */
  if (strcmp(arguments[4], "abort") == 0) _exit(0);
  idgen_generator_free(generator);
  idgen_fixed_free(fixed);
}

int main(int count, char **arguments) {
  if (count == 3 && strcmp(arguments[1], "vectors") == 0) {
    test_vectors(arguments[2]);
    puts("the vectors: passed");
  } else if (count == 2 && strcmp(arguments[1], "misuse") == 0) {
    test_misuse();
    puts("the mistakes of a caller: passed");
  } else if (count == 2 && strcmp(arguments[1], "cases") == 0) {
    printf("%zu cases: passed\n", test_cases());
  } else if (count == 7 && strcmp(arguments[1], "continue") == 0) {
    continue_file(arguments + 2);
  } else {
    fputs("usage: test vectors FOLDER | misuse | cases | continue KIND FILE CLOCK COUNT END\n", stderr);
    return 2;
  }
  return 0;
}
