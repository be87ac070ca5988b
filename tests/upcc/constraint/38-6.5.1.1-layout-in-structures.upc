// A layout needs shared before it; one dimension only.
[4] int a;  // expect-error: expected identifier or '(' before '[' token
