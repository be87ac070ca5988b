// The specifiers of a declaration do not hold both strict and relaxed, also through a typedef.
strict relaxed shared int a;  // expect-error: both 'strict' and 'relaxed' in one declaration
shared strict int relaxed b;  // expect-error: both 'strict' and 'relaxed' in one declaration
typedef strict shared int S;
relaxed S c;  // expect-error: both 'strict' and 'relaxed' in one declaration
shared relaxed int *strict shared relaxed d;  // expect-error: both 'strict' and 'relaxed' in one declaration
