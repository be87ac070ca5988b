int n;
int a = n;  // expect-error: initializer element is not constant: 'n' is a variable; make it a macro or an enumeration constant
int b[2] = {1, 2, 3};  // expect-warning: excess elements in array initializer
char s[2] = "abc";  // expect-warning: initializer-string for array of 'char' is too long
struct p { int x, y; } c = {.z = 1};  // expect-error: 'struct p' has no member named 'z'
int d[2] = {[2] = 1};  // expect-error: array index in initializer exceeds array bounds
int e = {};  // expect-error: empty scalar initializer
int f = {1, 2};  // expect-warning: excess elements in scalar initializer
struct p g = 3;  // expect-error: invalid initializer
int h[] = 3;  // expect-error: invalid initializer
int i[3] = {[n] = 1};  // expect-error: nonconstant array index in initializer
int j = {.x = 1};  // expect-error: field name not in record or union initializer
typedef int T = 1;  // expect-error: typedef 'T' is initialized (use '__typeof__' instead)
int k(void) = 1;  // expect-error: function 'k' is initialized like a variable
void l(int m) {
  int v[m] = {1};  // expect-error: variable-sized object may not be initialized
  static int o = m;  // expect-error: initializer element is not constant
  struct q r = {1};  // expect-error: initializer for incomplete type 'struct q'  // expect-error: storage size of 'r' isn't known
}
int from_text = "s";  // expect-error: initialization of 'int' from 'char *' makes integer from pointer without a cast, and is not constant
void one_message(void) {
  int x = "s";  // expect-warning: initialization of 'int' from 'char *' makes integer from pointer without a cast [-Wint-conversion]
}
