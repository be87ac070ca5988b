// A function returns a value, not a shared object.
shared int f(void);  // expect-error: function 'f' returns shared type 'shared int'
shared int *g(void);
typedef int F(void);
shared F h;  // expect-error: a function type cannot be 'shared'
