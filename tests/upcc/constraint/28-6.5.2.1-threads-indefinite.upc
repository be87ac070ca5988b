// With dynamic THREADS, THREADS does not size an array with indefinite block size.
shared [] int a[THREADS];  // expect-error: with dynamic THREADS, THREADS cannot size array 'a' with indefinite block size
shared [0] int b[2 * THREADS];  // expect-error: with dynamic THREADS, THREADS cannot size array 'b' with indefinite block size
