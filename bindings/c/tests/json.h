/* Reads the vectors and the cases. */
#ifndef IDGEN_TEST_JSON_H
#define IDGEN_TEST_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/idgen.h"

/* The member of an object, or NULL. A null is no member. */
json_t *member(const json_t *object, const char *name);
const char *text_of(const json_t *object, const char *name);
size_t bytes_of(const char *hex, uint8_t **bytes);
/* The 16 bytes of a hyphenated text. */
void id_of(const char *text, uint8_t id[16]);
int32_t format_of(const char *name);
const char *status_name(int32_t status);

/* Ends the program with a message if `holds` is false. */
void check(bool holds, const char *context, const char *what);
/* Checks an error against the members `error`, `message` and `offset` of a vector. */
void check_error(int32_t status, const idgen_error *error, const json_t *expected, const char *context);

void test_vectors(const char *folder);
/* Returns the number of cases that it has read from the standard input. */
size_t test_cases(void);
void test_misuse(void);

/* Runs the steps of a generator, or checks one case of a codec, an inspection or a sealed id. */
void check_generator(const json_t *vector);
void check_inspection(const json_t *vector);
void check_bounds(const char *folder);
void check_leases(const char *folder);
void check_orders(const char *folder);
/* Checks the ids of a kind for rows that exist. */
void check_rows(int32_t kind);
void check_kinds(const char *folder);

/* The number of a kind; 0 if the library does not have it. */
int32_t kind_of(const char *name);
/* Sets prefix, interval and tail. Returns the secret, which the caller frees after the settings were read. */
uint8_t *set_prefix(const json_t *given, idgen_settings *settings);
/* Reads a file of the vectors. */
json_t *load(const char *folder, const char *name);

#endif
