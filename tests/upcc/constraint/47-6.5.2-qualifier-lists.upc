// The rules about block sizes, strict and relaxed hold in every list of qualifiers, not only among the specifiers.
shared int *shared [2] shared [3] a;  // expect-error: more than one block size in one declaration
int *shared strict relaxed b;  // expect-error: both 'strict' and 'relaxed' in one declaration
int *relaxed c;  // expect-error: 'relaxed' without 'shared'
shared [3] int d;
int *shared [4] e;
