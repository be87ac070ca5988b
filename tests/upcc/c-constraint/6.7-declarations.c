int a;
float a;  // expect-error: conflicting types for 'a'; have 'float'
int b = 1;
int b = 2;  // expect-error: redefinition of 'b'
int f(int);
int f(char *);  // expect-error: conflicting types for 'f'; have 'int(char *)'
typedef int T;
typedef long T;  // expect-error: conflicting types for 'T'; have 'long int'
int T;  // expect-error: 'T' redeclared as different kind of symbol
extern int e;
static int e;  // expect-error: static declaration of 'e' follows non-static declaration
int g(void) { return 0; }
int g(void) { return 1; }  // expect-error: redefinition of 'g'
long int char odd;  // expect-error: invalid combination of type specifiers
static extern int se;  // expect-error: multiple storage classes in declaration specifiers
struct incomplete v;  // expect-error: storage size of 'v' isn't known
void w;  // expect-error: variable or field 'w' declared void
unknown_type x;  // expect-error: unknown type name 'unknown_type'
inline int notfunc;  // expect-error: variable 'notfunc' declared 'inline'
int h(void) {
  int a, a;  // expect-error: redeclaration of 'a' with no linkage
  extern int z = 1;  // expect-error: 'z' has both 'extern' and initializer
  struct incomplete local;  // expect-error: storage size of 'local' isn't known
  int arr[];  // expect-error: array size missing in 'arr'
  return a;
}
implicit_int;  // expect-warning: data definition has no type or storage class  // expect-warning: type defaults to 'int' in declaration of 'implicit_int' [-Wimplicit-int]
