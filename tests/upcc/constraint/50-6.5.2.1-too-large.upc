// What no process can address.
shared [] char large[1L << 50];  // expect-error: shared object 'large' takes 1125899906842624 bytes of each thread's memory, of which there can be no more than 140737488355328
shared [1L << 30] short per_thread[THREADS * (1L << 60)];  // expect-error: shared object 'per_thread' takes 2305843009213693952 bytes of each thread's memory, of which there can be no more than 140737488355328
shared [] char fits[1L << 47];
