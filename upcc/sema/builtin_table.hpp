// Types of the compiler's own functions. A signature lists result and parameters, one letter each:
//   v void  b bool  c char  i int  u unsigned  l long  U unsigned long  L long long  Q unsigned long long
//   z size_t  H unsigned short  f float  d double  D long double  q _Float128  F complex float  E complex double
//   G complex long double  p void *  P const void *  s char *  S const char *  w wide unsigned (uint)
//   V va_list  I int *  X double *  . any further arguments
// The first letter is the result. A leading `~` marks a function that does not return; `?` one whose result and
// arguments depend on its arguments in a way sema_builtin.cpp knows, or that is not modelled at all.
#pragma once

#include <string>
#include <string_view>

namespace upcc {

// Signature of `name` without its "__builtin_" prefix; empty when unknown.
std::string builtin_signature(std::string_view name);

}  // namespace upcc
