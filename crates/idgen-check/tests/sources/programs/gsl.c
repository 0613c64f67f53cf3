// Ids from the generators of the GNU Scientific Library, seeded with the time: cc gsl.c -lgsl -lgslcblas && ./a.out FORM COUNT
#include <gsl/gsl_rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int count, char **arguments) {
    if (count != 3) return 2;
    gsl_rng *source = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(source, time(NULL));
    int is_digits = strcmp(arguments[1], "taus-digits") == 0;
    for (long n = 0; n < atol(arguments[2]); n++) {
        for (int digit = 0; digit < 32; digit += is_digits ? 1 : 4) {
            if (digit == 8 || digit == 12 || digit == 16 || digit == 20) putchar('-');
            if (is_digits) printf("%lx", gsl_rng_uniform_int(source, 16));
            else printf("%04lx", gsl_rng_get(source) >> 16);
        }
        putchar('\n');
    }
}
