/**
 * @file
 * The version of the headers a program was compiled with, and of the library it runs with.
 *
 * Before 1.0 a new minor version may change the interface; CHANGELOG.md says how.
 */
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

#define WEFT_VERSION_MAJOR 0      /**< of the headers */
#define WEFT_VERSION_MINOR 2      /**< of the headers */
#define WEFT_VERSION_PATCH 0      /**< of the headers */
#define WEFT_VERSION_TEXT "0.2.0" /**< of the headers */

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library, in the form of WEFT_VERSION_TEXT. Any thread, at any time.
 * @return a constant text
 * @since 0.1 */
const char* weft_version(void);

#ifdef __cplusplus
}
#endif
#endif
