/* Whose functions a program gets that links both of Weft's libraries for ScaLAPACK programs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

void weft_pdgemm_(void);
void pdgemm_(void);

static void tell(void (*function)(void)) {
  Dl_info info;
  if (dladdr((void*)function, &info) != 0) printf("%s\n", info.dli_fname);
}

int main(void) {
  tell(weft_pdgemm_);
  tell(pdgemm_);
  return 0;
}
