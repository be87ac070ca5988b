// upc_blocksizeof applies only to shared types and expressions of shared type.
int a;
int f(void);
struct s { int bits : 3; };
shared struct s sh;
unsigned long n1 = upc_blocksizeof(int);  // expect-error: 'upc_blocksizeof' applied to 'int', which is not shared
unsigned long n2 = upc_blocksizeof a;  // expect-error: 'upc_blocksizeof' applied to 'int', which is not shared
unsigned long n3 = upc_blocksizeof(shared void);  // expect-error: invalid application of 'upc_blocksizeof' to a void type
unsigned long n4 = upc_blocksizeof(f);  // expect-error: invalid application of 'upc_blocksizeof' to a function type
unsigned long n5 = upc_blocksizeof(sh.bits);  // expect-error: 'upc_blocksizeof' applied to a bit-field
unsigned long n6 = upc_blocksizeof(shared int []);  // expect-error: invalid application of 'upc_blocksizeof' to incomplete type 'shared int[]'
struct incomplete;
unsigned long n7 = upc_blocksizeof(shared struct incomplete);  // expect-error: invalid application of 'upc_blocksizeof' to incomplete type 'shared struct incomplete'
