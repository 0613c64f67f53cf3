// Ids from the random numbers of the C library, seeded with the time: cc c.c && ./a.out FORM COUNT
// Only some C libraries have lrand48 and drand48, and only glibc has initstate.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

// Prints an id of so many digits of each number.
static void print(int digits, long (*next)(void)) {
    for (int digit = 0; digit < 32; digit += digits) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) putchar('-');
        printf("%0*lx", digits, next());
    }
    putchar('\n');
}

static long rand_16(void) { return rand() % 16; }
static long rand_256(void) { return rand() % 256; }
static long rand_ffff(void) { return rand() & 0xffff; }
#ifndef _WIN32
static long lrand48_16(void) { return lrand48() % 16; }
static long lrand48_ffff(void) { return lrand48() & 0xffff; }
static long drand48_16(void) { return drand48() * 16; }
#endif

#ifdef __GLIBC__
// Of 8 bytes of state, glibc makes the congruence of BSD and of the C standard's example.
static char state[8];
static long small_256(void) { return random() % 256; }
static long small_ffff(void) { return random() & 0xffff; }
#endif

static const struct {
    const char *name;
    int digits;
    long (*next)(void);
} FORMS[] = {
    {"rand-16", 1, rand_16},         {"rand-256", 2, rand_256},         {"rand-ffff", 4, rand_ffff},
#ifndef _WIN32
    {"lrand48-16", 1, lrand48_16}, {"lrand48-ffff", 4, lrand48_ffff}, {"drand48-16", 1, drand48_16},
    {"seed-microseconds", 1, drand48_16},
#endif
#ifdef __GLIBC__
    {"initstate-256", 2, small_256}, {"initstate-ffff", 4, small_ffff},
#endif
};

int main(int count, char **arguments) {
    srand(time(NULL));
#ifdef __GLIBC__
    if (count == 3 && strncmp(arguments[1], "initstate", 9) == 0) initstate(time(NULL), state, sizeof state);
#endif
#ifndef _WIN32
    struct timeval now;
    gettimeofday(&now, NULL);
    int is_micros = count == 3 && strcmp(arguments[1], "seed-microseconds") == 0;
    srand48(is_micros ? now.tv_sec * 1000000L + now.tv_usec : now.tv_sec);
#endif
    for (size_t form = 0; count == 3 && form < sizeof FORMS / sizeof *FORMS; form++) {
        if (strcmp(FORMS[form].name, arguments[1]) != 0) continue;
        for (long n = 0; n < atol(arguments[2]); n++) print(FORMS[form].digits, FORMS[form].next);
    }
}
