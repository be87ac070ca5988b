"""For gdb: shows pointers-to-shared of programs that upcc compiled, without calling a function of the program.

    source PREFIX/share/weft/upc-gdb.py        (in ~/.gdbinit, or gdb -x)

A pointer-to-shared is printed as thread, phase and offset, with the address of its element where this process has that
mapped. Functions for expressions:

    $upc_threadof(p)  $upc_phaseof(p)  $upc_addressof(p)   the parts; the address as char*
    $upc_element(p, "double")                              the element: its type is not in the pointer
    $upc_mythread()   $upc_threads()                       MYTHREAD and THREADS of the selected thread
"""
import gdb
import gdb.printing

THREAD_BITS = 24  # include/weft/upcrt/pts.h


def view():
    """What the selected UPC thread knows: who it is, how many there are, where shared memory is mapped."""
    for name in ("upcr_process_view", "upcr_thread_view"):
        try:
            found = gdb.parse_and_eval(name)
            if int(found["threads"]) != 0:
                return found
        except gdb.error:
            continue
    return None


def parts(pointer):
    """(thread, phase, offset)"""
    where = int(pointer["where"])
    return where & ((1 << THREAD_BITS) - 1), where >> THREAD_BITS, int(pointer["offset"])


def address_of(pointer):
    """Where the element is in this process, or None."""
    thread, _, offset = parts(pointer)
    here = view()
    if here is None or offset == 0:
        return None
    if int(here["base"]) != 0:
        return int(here["base"]) + (thread << int(here["shift"])) + offset
    if thread == int(here["mythread"]):
        return int(here["self"]) + offset
    return None


def known_address(pointer):
    """The same; an error says why there is none."""
    address = address_of(pointer)
    if address is not None:
        return address
    thread, _, offset = parts(pointer)
    if offset == 0:
        raise gdb.GdbError("the pointer-to-shared is null")
    if view() is None:
        raise gdb.GdbError("the program has not started, or has ended: no shared memory is mapped")
    raise gdb.GdbError(f"the memory of thread {thread} is not mapped here, or accesses are watched (WEFT_CHECK, "
                       "WEFT_STATS, WEFT_TRACE); look at it in that thread")


class SharedPointerPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        thread, phase, offset = parts(self.value)
        if offset == 0:
            return "NULL (shared)"
        address = address_of(self.value)
        place = f"at {address:#x}" if address is not None else "not mapped here"
        return f"(shared) thread {thread}, phase {phase}, offset {offset:#x}, {place}"


def function(name):
    """Makes the decorated function gdb's $NAME."""
    def make(body):
        class Function(gdb.Function):
            def __init__(self):
                super().__init__(name)

            def invoke(self, *arguments):
                return body(*arguments)
        Function.__doc__ = body.__doc__
        Function()
        return body
    return make


@function("upc_threadof")
def upc_threadof(pointer):
    """$upc_threadof(p): the thread that a pointer-to-shared points to."""
    return parts(pointer)[0]


@function("upc_phaseof")
def upc_phaseof(pointer):
    """$upc_phaseof(p): the phase of a pointer-to-shared."""
    return parts(pointer)[1]


@function("upc_addressof")
def upc_addressof(pointer):
    """$upc_addressof(p): where the element is in this process, as char*."""
    return gdb.Value(known_address(pointer)).cast(gdb.lookup_type("char").pointer())


@function("upc_element")
def upc_element(pointer, type_name):
    """$upc_element(p, "double"): the element of that type."""
    return gdb.parse_and_eval(f"*({type_name.string()} *){known_address(pointer)}")


def own_view():
    here = view()
    if here is None:
        raise gdb.GdbError("the program has not started, or has ended: there are no UPC threads")
    return here


@function("upc_mythread")
def upc_mythread():
    """$upc_mythread(): MYTHREAD of the selected thread."""
    return own_view()["mythread"]


@function("upc_threads")
def upc_threads():
    """$upc_threads(): THREADS."""
    return own_view()["threads"]


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("weft-upc")
    printers.add_printer("pointer-to-shared", "^upcr_pts(_t)?$", SharedPointerPrinter)
    gdb.printing.register_pretty_printer(None, printers, replace=True)


register()
