// A generic pointer-to-shared has no layout.
shared [2] void *p;  // expect-error: layout qualifier on 'shared void': a generic pointer-to-shared has no block size
shared [] void *q;  // expect-error: layout qualifier on 'shared void': a generic pointer-to-shared has no block size
shared void *r;
