/* The version of the headers a program was compiled with, and of the library it runs with. */
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 2
#define WEFT_VERSION_PATCH 0
#define WEFT_VERSION_TEXT "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0", of the library. */
const char* weft_version(void);

#ifdef __cplusplus
}
#endif
#endif
