// upc_elemsizeof applies only to shared types and expressions of shared type.
int a;
int f(void);
struct s { int bits : 3; };
shared struct s sh;
struct incomplete;
unsigned long n1 = upc_elemsizeof(int);  // expect-error: 'upc_elemsizeof' applied to 'int', which is not shared
unsigned long n2 = upc_elemsizeof a;  // expect-error: 'upc_elemsizeof' applied to 'int', which is not shared
unsigned long n3 = upc_elemsizeof(shared void);  // expect-error: invalid application of 'upc_elemsizeof' to a void type
unsigned long n4 = upc_elemsizeof(f);  // expect-error: invalid application of 'upc_elemsizeof' to a function type
unsigned long n5 = upc_elemsizeof(sh.bits);  // expect-error: 'upc_elemsizeof' applied to a bit-field
unsigned long n6 = upc_elemsizeof(shared struct incomplete);  // expect-error: invalid application of 'upc_elemsizeof' to incomplete type 'shared struct incomplete'
