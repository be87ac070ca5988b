int a = _Generic(1, double: 2);  // expect-error: '_Generic' selector of type 'int' is not compatible with any association
int b = _Generic(1, int: 2, int: 3);  // expect-error: '_Generic' specifies two compatible types
int c = _Generic(1, default: 2, default: 3);  // expect-error: duplicate 'default' case in '_Generic'
