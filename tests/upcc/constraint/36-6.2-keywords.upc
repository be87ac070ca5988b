// UPC keywords are reserved.
int shared;  // expect-warning: useless type name in empty declaration
int strict = 1;  // expect-error: 'strict' without 'shared'  // expect-error: expected identifier or '(' before '=' token
int upc_forall(void);  // expect-error: expected identifier or '(' before 'upc_forall'
int MYTHREAD;  // expect-error: expected identifier or '(' before 'MYTHREAD'
