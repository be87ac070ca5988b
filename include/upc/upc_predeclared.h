/* Types that UPC programs may use before they include a header, as with compilers that have them built in. upcc
 * includes this file before every UPC source. */
#ifndef UPC_PREDECLARED_H
#define UPC_PREDECLARED_H

typedef shared struct upcr_lock upc_lock_t;
typedef shared struct upcr_atomicdomain upc_atomicdomain_t;
typedef unsigned long upc_handle_t;

#endif
