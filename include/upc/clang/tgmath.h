/* <tgmath.h> for upcc with clang, whose own overloads functions, which is no C: the same macros by selection
 * (C11 7.25). */
#ifndef WEFT_UPC_CLANG_TGMATH_H
#define WEFT_UPC_CLANG_TGMATH_H
#include <complex.h>
#include <math.h>

/* A value of the type that an argument counts as: integers count as double. */
#define upcc_tg_type(x)                                                                                   \
  _Generic((x), float: 0.0f, long double: 0.0L, float _Complex: (float _Complex)0,                        \
           double _Complex: (double _Complex)0, long double _Complex: (long double _Complex)0, default: 0.0)
#define upcc_tg_real(type, name) _Generic((type), float: name##f, long double: name##l, default: name)
#define upcc_tg_any(type, real, cplx)                                                                     \
  _Generic((type), float: real##f, long double: real##l, float _Complex: cplx##f, double _Complex: cplx,  \
           long double _Complex: cplx##l, default: real)
#define upcc_tg_complex(type, name) _Generic((type), float: name##f, long double: name##l, float _Complex: name##f, \
                                          long double _Complex: name##l, default: name)

/* Real or complex */
#undef acos
#define acos(x) upcc_tg_any(upcc_tg_type(x), acos, cacos)(x)
#undef asin
#define asin(x) upcc_tg_any(upcc_tg_type(x), asin, casin)(x)
#undef atan
#define atan(x) upcc_tg_any(upcc_tg_type(x), atan, catan)(x)
#undef acosh
#define acosh(x) upcc_tg_any(upcc_tg_type(x), acosh, cacosh)(x)
#undef asinh
#define asinh(x) upcc_tg_any(upcc_tg_type(x), asinh, casinh)(x)
#undef atanh
#define atanh(x) upcc_tg_any(upcc_tg_type(x), atanh, catanh)(x)
#undef cos
#define cos(x) upcc_tg_any(upcc_tg_type(x), cos, ccos)(x)
#undef sin
#define sin(x) upcc_tg_any(upcc_tg_type(x), sin, csin)(x)
#undef tan
#define tan(x) upcc_tg_any(upcc_tg_type(x), tan, ctan)(x)
#undef cosh
#define cosh(x) upcc_tg_any(upcc_tg_type(x), cosh, ccosh)(x)
#undef sinh
#define sinh(x) upcc_tg_any(upcc_tg_type(x), sinh, csinh)(x)
#undef tanh
#define tanh(x) upcc_tg_any(upcc_tg_type(x), tanh, ctanh)(x)
#undef exp
#define exp(x) upcc_tg_any(upcc_tg_type(x), exp, cexp)(x)
#undef log
#define log(x) upcc_tg_any(upcc_tg_type(x), log, clog)(x)
#undef sqrt
#define sqrt(x) upcc_tg_any(upcc_tg_type(x), sqrt, csqrt)(x)
#undef fabs
#define fabs(x) upcc_tg_any(upcc_tg_type(x), fabs, cabs)(x)
#undef pow
#define pow(x, y) upcc_tg_any(upcc_tg_type(x) + upcc_tg_type(y), pow, cpow)(x, y)

/* Complex */
#undef carg
#define carg(x) upcc_tg_complex(upcc_tg_type(x), carg)(x)
#undef cimag
#define cimag(x) upcc_tg_complex(upcc_tg_type(x), cimag)(x)
#undef conj
#define conj(x) upcc_tg_complex(upcc_tg_type(x), conj)(x)
#undef cproj
#define cproj(x) upcc_tg_complex(upcc_tg_type(x), cproj)(x)
#undef creal
#define creal(x) upcc_tg_complex(upcc_tg_type(x), creal)(x)

/* Real */
#undef atan2
#define atan2(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), atan2)(x, y)
#undef cbrt
#define cbrt(x) upcc_tg_real(upcc_tg_type(x), cbrt)(x)
#undef ceil
#define ceil(x) upcc_tg_real(upcc_tg_type(x), ceil)(x)
#undef copysign
#define copysign(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), copysign)(x, y)
#undef erf
#define erf(x) upcc_tg_real(upcc_tg_type(x), erf)(x)
#undef erfc
#define erfc(x) upcc_tg_real(upcc_tg_type(x), erfc)(x)
#undef exp2
#define exp2(x) upcc_tg_real(upcc_tg_type(x), exp2)(x)
#undef expm1
#define expm1(x) upcc_tg_real(upcc_tg_type(x), expm1)(x)
#undef fdim
#define fdim(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), fdim)(x, y)
#undef floor
#define floor(x) upcc_tg_real(upcc_tg_type(x), floor)(x)
#undef fma
#define fma(x, y, z) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y) + upcc_tg_type(z), fma)(x, y, z)
#undef fmax
#define fmax(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), fmax)(x, y)
#undef fmin
#define fmin(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), fmin)(x, y)
#undef fmod
#define fmod(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), fmod)(x, y)
#undef frexp
#define frexp(x, w) upcc_tg_real(upcc_tg_type(x), frexp)(x, w)
#undef hypot
#define hypot(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), hypot)(x, y)
#undef ilogb
#define ilogb(x) upcc_tg_real(upcc_tg_type(x), ilogb)(x)
#undef ldexp
#define ldexp(x, w) upcc_tg_real(upcc_tg_type(x), ldexp)(x, w)
#undef lgamma
#define lgamma(x) upcc_tg_real(upcc_tg_type(x), lgamma)(x)
#undef llrint
#define llrint(x) upcc_tg_real(upcc_tg_type(x), llrint)(x)
#undef llround
#define llround(x) upcc_tg_real(upcc_tg_type(x), llround)(x)
#undef log10
#define log10(x) upcc_tg_real(upcc_tg_type(x), log10)(x)
#undef log1p
#define log1p(x) upcc_tg_real(upcc_tg_type(x), log1p)(x)
#undef log2
#define log2(x) upcc_tg_real(upcc_tg_type(x), log2)(x)
#undef logb
#define logb(x) upcc_tg_real(upcc_tg_type(x), logb)(x)
#undef lrint
#define lrint(x) upcc_tg_real(upcc_tg_type(x), lrint)(x)
#undef lround
#define lround(x) upcc_tg_real(upcc_tg_type(x), lround)(x)
#undef nearbyint
#define nearbyint(x) upcc_tg_real(upcc_tg_type(x), nearbyint)(x)
#undef nextafter
#define nextafter(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), nextafter)(x, y)
#undef nexttoward
#define nexttoward(x, w) upcc_tg_real(upcc_tg_type(x), nexttoward)(x, w)
#undef remainder
#define remainder(x, y) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), remainder)(x, y)
#undef remquo
#define remquo(x, y, w) upcc_tg_real(upcc_tg_type(x) + upcc_tg_type(y), remquo)(x, y, w)
#undef rint
#define rint(x) upcc_tg_real(upcc_tg_type(x), rint)(x)
#undef round
#define round(x) upcc_tg_real(upcc_tg_type(x), round)(x)
#undef scalbn
#define scalbn(x, w) upcc_tg_real(upcc_tg_type(x), scalbn)(x, w)
#undef scalbln
#define scalbln(x, w) upcc_tg_real(upcc_tg_type(x), scalbln)(x, w)
#undef tgamma
#define tgamma(x) upcc_tg_real(upcc_tg_type(x), tgamma)(x)
#undef trunc
#define trunc(x) upcc_tg_real(upcc_tg_type(x), trunc)(x)
#endif
