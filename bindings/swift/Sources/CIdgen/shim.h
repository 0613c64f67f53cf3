#include "../../../c/include/idgen.h"
