// UPC keywords are reserved.
int shared;  // expect-warning: useless type name in empty declaration
int strict = 1;  // expect-error: 'strict' without 'shared'  // expect-error: expected identifier or '(' before '=' token; 'strict' is a keyword of UPC
int upc_forall(void);  // expect-error: expected identifier or '(' before 'upc_forall'; 'upc_forall' is a keyword of UPC
int MYTHREAD;  // expect-error: expected identifier or '(' before 'MYTHREAD'; 'MYTHREAD' is a keyword of UPC
