// Syntax of GNU extensions: what gcc rejects is rejected here, not in generated C.
__thread static int a;  // expect-error: '__thread' before 'static'
static __thread int b;
_Thread_local static int c;
int _Noreturn;  // expect-error: '_Noreturn' in empty declaration  // expect-warning: useless type name in empty declaration
int d __attribute__((alias("b")));  // expect-error: 'd' defined both normally and as 'alias' attribute
struct s {
  int e __attribute__((unused)) : 3;  // expect-error: expected ',', ';' or '}' before ':' token
  __auto_type f;  // expect-error: expected specifier-qualifier-list before 'f'
  int g : 3 __attribute__((unused));
};
int size = sizeof(int _Alignas(8));  // expect-error: alignment specified for type name
asm(".globl x" if);  // expect-error: expected ')' before 'if'
asm(5);  // expect-error: expected string literal before numeric constant
asm("");
int j(const char *, ...) __attribute__((format(printf, 1 2)));  // expect-error: expected ')' before numeric constant
int k(const char *, ...) __attribute__((format(printf, 1, 2), deprecated("use " "j"), nonnull(1)));
int h asm(if);  // expect-error: expected string literal before 'if'
void f(void *p, _Bool t) {
  int x = 0;
  asm("" : : : x);  // expect-error: expected string literal before 'x'
  asm("" : : : : out);  // expect-error: expected ')' before ':' token
  asm goto("" : : : : out);
  asm goto("" : : :);  // expect-error: expected ':' before ')' token
  asm volatile volatile("");  // expect-error: duplicate 'asm' qualifier 'volatile'
  asm volatile inline goto("" : "+r"(x) : : "cc" : out);
  asm("" : [5] "=r"(x));  // expect-error: expected identifier before numeric constant
  asm("" : [name] "=r"(x));
  int array[3] = {[2] 5};
  p = t;  // expect-error: incompatible types when assigning to type 'void *' from type '_Bool'
  p = (_Bool)0;
  __builtin_prefetch(_Bool);  // expect-error: expected expression before '_Bool'
out:;
}
