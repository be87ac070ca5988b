struct s { int a; int a; };  // expect-error: duplicate member 'a'
struct s { int b; };  // expect-error: redefinition of 'struct s'
union s *u;  // expect-error: 's' defined as wrong kind of tag
struct t { struct t inner; };  // expect-error: field 'inner' has incomplete type
struct f { int g(void); };  // expect-error: field 'g' declared as a function
struct b {
  int w : 40;  // expect-error: width of 'w' exceeds its type
  int n : -1;  // expect-error: negative width in bit-field 'n'
  int z : 0;  // expect-error: zero width for bit-field 'z'
  float x : 3;  // expect-error: bit-field 'x' has invalid type
};
struct fl { int v[]; int after; };  // expect-error: flexible array member not at end of struct
struct only { int v[]; };  // expect-error: flexible array member in a struct with no named members
enum e { A, A };  // expect-error: redeclaration of enumerator 'A'
enum e2 { B = 1.5 };  // expect-error: enumerator value for 'B' is not an integer constant
