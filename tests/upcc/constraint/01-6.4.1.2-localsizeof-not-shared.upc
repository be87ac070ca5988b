// upc_localsizeof applies only to shared types and expressions of shared type.
int a[10];
int f(void);
struct incomplete;
struct s { int bits : 3; };
shared struct s sh;
unsigned long n1 = upc_localsizeof(int);  // expect-error: 'upc_localsizeof' applied to 'int', which is not shared
unsigned long n2 = upc_localsizeof(a);  // expect-error: 'upc_localsizeof' applied to 'int[10]', which is not shared
unsigned long n3 = upc_localsizeof(shared void);  // expect-error: invalid application of 'upc_localsizeof' to a void type
unsigned long n4 = upc_localsizeof(shared struct incomplete);  // expect-error: invalid application of 'upc_localsizeof' to incomplete type 'shared struct incomplete'
unsigned long n5 = upc_localsizeof(f);  // expect-error: invalid application of 'upc_localsizeof' to a function type
unsigned long n6 = upc_localsizeof(sh.bits);  // expect-error: 'upc_localsizeof' applied to a bit-field
unsigned long n7 = upc_localsizeof(shared int *);  // expect-error: 'upc_localsizeof' applied to 'shared int *', which is not shared
