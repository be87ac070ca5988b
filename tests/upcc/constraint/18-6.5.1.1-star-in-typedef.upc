// The layout [*] does not appear in a typedef.
typedef shared [*] int T[4 * THREADS];  // expect-error: layout '[*]' in the typedef of 'T'
typedef shared [*] int U;  // expect-error: layout '[*]' in the typedef of 'U'
