// The specifiers of a declaration hold one block size at most, also through a typedef.
// options: -T4
shared [2] shared [3] int a[10];  // expect-error: more than one block size in one declaration
typedef shared [2] int T;
shared [3] T b[10];  // expect-error: more than one block size in one declaration
shared [2] T c[10];
shared [2][3] int d[10];  // expect-error: more than one block size in one declaration
typedef shared [] int U;
shared [4] U e[10];  // expect-error: more than one block size in one declaration
