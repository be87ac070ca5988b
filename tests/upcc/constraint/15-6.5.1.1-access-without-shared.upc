// strict and relaxed qualify only shared types.
strict int a;  // expect-error: 'strict' without 'shared'
relaxed int b;  // expect-error: 'relaxed' without 'shared'
int *strict c;  // expect-error: 'strict' without 'shared'
typedef shared int S;
strict S d;
