int neg[-1];  // expect-error: size of array 'neg' is negative
int flt[1.5];  // expect-error: size of array 'flt' has non-integer type
int n;
int vla[n];  // expect-error: variably modified 'vla' at file scope: 'n' is a variable; make it a macro or an enumeration constant
int big[0x7fffffffffffffff];  // expect-error: size of array 'big' is too large
int af[3](void);  // expect-error: declaration of 'af' as array of functions
int fa(void)[3];  // expect-error: 'fa' declared as function returning an array
int ff(void)(void);  // expect-error: 'ff' declared as function returning a function
void va[3];  // expect-error: declaration of 'va' as array of voids
struct inc ai[3];  // expect-error: array type has incomplete element type 'struct inc'
int dup(int a, int a);  // expect-error: redefinition of parameter 'a'
int vp(void x);  // expect-error: parameter 'x' has incomplete type
