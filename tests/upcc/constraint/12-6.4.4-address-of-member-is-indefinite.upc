// & of a member of a shared structure has type shared [] T *.
struct s { int a; };
shared struct s x;
shared int *p = &x.a;  // expect-error: initialization of 'shared [] int *' to 'shared int *': block sizes [] (indefinite) and 1 differ; use a 'shared [] int *', or a cast, which changes where the pointer moves
