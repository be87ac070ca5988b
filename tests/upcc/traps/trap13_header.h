/* A C header with state, as libraries of the user's own have. */
#ifndef TRAP13_HEADER_H
#define TRAP13_HEADER_H
static int t13_in_header;
static int t13_from_header(void) { return t13_in_header; }
#endif
