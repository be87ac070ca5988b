"""One random program: a function with shared data of its own that returns a hash of what it computed.

It is free of races by construction. Between two barriers a shared object is one of
  mine      made by upc_global_alloc or upc_alloc for one thread, wherever it lies; that thread alone uses it
  read      read by all threads
  blocks, cyclic
            a declared array whose elements are shared out by index: each thread uses its share
  forall    a declared array that upc_forall writes, an element per iteration, with barriers around it
so its output depends on nothing but THREADS."""
import dataclasses
import random

from expressions import Expressions
from loops import Loops
from model import SCALARS, Length, Member, Node, Scalar, Struct, Variable, View
from pointers import Pointers
from statements import Statements

# What can be left out by name.
FEATURES = ("alias", "bulk", "call", "comma-pointer", "copy", "cursor", "forall", "forall-pointer", "forall-test",
            "goto", "index-change", "limits", "list", "nested-forall", "private-cast", "second-index", "sequence",
            "shadow", "spin", "statement-expression", "statics", "switch", "sync", "table", "tags", "threadof",
            "threadof-change", "threadof-condition", "vla", "wrap", "wrap-affinity", "wrap-index")


@dataclasses.dataclass
class Declared:
    """A static shared array of extent * THREADS elements (or rows)."""
    name: str
    element: object
    block: int
    extent: int
    row: int
    mode: str = "read"

    def view(self, at=None, local=False):
        n = self.extent
        whole = n * (self.row or 1)
        if at is not None:
            local = local and (not self.row or self.block and self.block % self.row == 0)
            return View(self.name, self.element, self.block, Length(1), at, True, local, self.row)
        if self.mode == "read":
            return View(self.name, self.element, self.block, Length(n, True), "@", False, False, self.row)
        if self.mode == "blocks":
            own = self.block == whole
            return View(self.name, self.element, self.block, Length(n), f"MYTHREAD * {n} + @", True, own, self.row)
        return View(self.name, self.element, self.block, Length(n), "(@) * THREADS + MYTHREAD", True,
                    self.block == (self.row or 1), self.row)


class Case(Expressions, Statements, Loops, Pointers):
    def __init__(self, seed, number, without=()):
        self.random = random.Random(f"{seed}:{number}")
        self.id = number
        self.without = frozenset(without)
        self.names = 0
        self.variables, self.views, self.arrays, self.declared, self.helpers = [], [], [], [], []
        self.mine = []
        self.nodes = self.table = self.walker = self.forall_function = None
        self.all_threads = False
        self.outside = []  # lines at file scope
        self.functions = []
        self.cost, self.depth, self.left, self.in_loop, self.nesting = 1, 0, 0, 0, 0
        self.collective = self.dividing = self.in_forall_loop = False
        self.build()

    def on(self, feature):
        assert feature in FEATURES, feature
        return feature not in self.without

    def build(self):
        r = self.random
        self.structs = [self.struct(i) for i in range(r.choice((0, 1, 1, 2)))]
        self.setup, self.finish = [], []
        self.outside.append(f"static strict shared unsigned strict_{self.id}[THREADS];")
        for i in range(r.randint(1, 3)):
            self.make_mine(i)
        for i in range(r.choice((0, 1, 1, 2, 2, 3))):
            self.make_declared(i)
        if self.on("list") and self.chance(35):
            self.make_list()
        file_scope_variables = self.file_scope()
        self.make_helpers(file_scope_variables)
        self.make_locals()
        mine = list(self.views)
        nodes = []
        for phase in range(r.choice((1, 1, 2))):
            nodes += self.phase(mine, phase)
        nodes.append(Node("upc_barrier;", fixed=True))
        self.main = [*self.setup, Node("upc_barrier;", fixed=True), *nodes, *self.finish]

    # ---- types ----

    def struct(self, number):
        r = self.random
        members = []
        for k in range(r.randint(2, 4)):
            shape = self.pick((4, ()), (5, (r.randint(2, 8),)), (2, (r.randint(2, 3), r.randint(2, 4))))
            if self.chance(15):
                inner = Struct("inner", tuple(Member(n, r.choice(SCALARS), d) for n, d in (("a", ()), ("b", (3,)))))
                members.append(Member(f"m{k}", dimensions=shape[:1], record=inner))
            else:
                members.append(Member(f"m{k}", r.choice(SCALARS), shape))
        if self.chance(35):
            members.append(Member("f0", Scalar("unsigned", 4), bits=r.randint(1, 17)))
            members.append(Member("f1", r.choice((Scalar("unsigned", 4), Scalar("int", 4))), bits=r.randint(2, 20)))
        out = Struct(f"s{number}_{self.id}", tuple(members))
        self.outside.append(out.text())
        return out

    def any_element(self):
        return self.random.choice(self.structs) if self.structs and self.chance(50) else self.random.choice(SCALARS)

    # ---- objects ----

    def make_mine(self, number):
        r = self.random
        element, n = self.any_element(), self.random.choice((4, 6, 8, 8, 12, 16, 24))
        file_scope = self.chance(35)
        name = f"g{number}_{self.id}" if file_scope else f"a{number}"
        own = self.chance(25)
        block = 0 if own else self.pick((3, 0), (4, 1), (4, r.randint(2, 5)), (3, r.randint(8, 20)), (2, n))
        row = r.randint(2, 4) if not own and isinstance(element, Scalar) and self.chance(20) else 0
        size = f"{(n + max(block, 8)) * (row or 1)} * sizeof({element.name})"  # a whole block may be one thread's
        view = View(name, element, block, Length(n, not own and block != 0), local=own, row=row)
        pointer = f"(*{name})[{row}]" if row else f"*{name}"
        layout = view.shared_type()
        part = "own" if own else "spread"
        make = f"({layout} {f'(*)[{row}]' if row else '*'})make_{part}({size}, {number + 3})"
        if file_scope:
            self.outside.append(f"static {layout} {pointer};")
            self.setup.append(Node(f"{name} = {make};"))
        else:
            self.setup.append(Node(f"{layout} {pointer} = {make};"))
        mask = element.layout()[2] if isinstance(element, Struct) else "1" * element.size
        self.finish += [Node(f"u = hash_{part}(u, (shared void *){name}, {size}, \"{mask}\", sizeof({element.name}));",
                             ),
                        Node(f"upc_free((shared void *){name});")]
        self.views.append(view)
        self.mine.append(view)
        if not own and not row and self.chance(45):
            self.other_layout(view, number)
        if not row and self.chance(70):
            self.make_cursor(view)

    def other_layout(self, view, number):
        """Another pointer to the same memory, with other blocks."""
        block = self.random.choice([b for b in (1, 2, 3, 4, 5, 7, 8) if b != view.block])
        name = f"o{number}"
        other = View(name, view.element, block, Length(view.length.count, True))
        self.setup.append(Node(f"{other.shared_type()} *{name} = ({other.shared_type()} *){view.name};"))
        self.views.append(other)

    def make_cursor(self, view):
        name = self.new_name("c")
        half = Length(max(1, view.length.count // 2))
        start = f"{view.name} + {self.random.randrange(half.count)}"
        form = self.pick((5, "local"), (2, "static"), (2, "member"), (1, "pointed"))
        if form == "static":
            name = f"{name}_{self.id}"
            self.outside.append(f"static {view.shared_type()} *{name};")
            self.setup.append(Node(f"{name} = {start};"))
        elif form == "member":
            self.setup.append(Node(f"struct {{ int before; {view.shared_type()} *p; }} {name} = {{1, {start}}};"))
            name += ".p"
        else:
            self.setup.append(Node(f"{view.shared_type()} *{name} = {start};"))
        self.views.append(View(name, view.element, view.block, half, local=view.local, cursor=view))
        if form == "pointed":
            self.setup.append(Node(f"{view.shared_type()} **const {name}_at = &{name};"))
            self.views.append(dataclasses.replace(self.views[-1], name=f"(*{name}_at)"))

    def make_declared(self, number):
        r = self.random
        element, extent = self.any_element(), r.choice((1, 2, 4, 4, 6, 8, 16))
        row = r.randint(2, 5) if isinstance(element, Scalar) and self.chance(30) else 0
        whole = extent * (row or 1)
        text, block = self.pick((4, ("", 1)), (2, ("[1] ", 1)), (3, ("[*] ", whole)), (3, (f"[{whole}] ", whole)),
                                (2, (f"[{row or 2}] ", row or 2)), (2, ("[3] ", 3)), (2, ("[8] ", 8)),
                                (1, ("[12] ", 12)), (2, ("[] ", 0)))
        name = f"d{number}_{self.id}"
        rows = f"[{row}]" if row else ""
        size = f"[{extent} * THREADS]" if block else f"[{extent * 4}]"
        self.outside.append(f"static shared {text}{element.name} {name}{size}{rows};")
        self.declared.append(Declared(name, element, block, extent, row))
        bytes_ = f"upc_affinitysize(sizeof {name}, {block} * sizeof({element.name}), MYTHREAD)"
        mask = element.layout()[2] if isinstance(element, Struct) else "1" * element.size
        self.setup.append(Node(f"fill_part((shared void *){name}, {bytes_}, {number + 20});"))
        size = f"sizeof({element.name})"
        self.finish.append(Node(f"u = hash_part(u, (shared void *){name}, {bytes_}, \"{mask}\", {size});",
                                ))

    def make_list(self):
        """Nodes on all threads, each with a pointer to the next."""
        r = self.random
        block, n = r.choice((0, 1, 1, 2)), r.randint(3, 7)
        tag = f"node_{self.id}"
        layout = f"shared [{block}]" if block else "shared []"
        members = (Member("a", r.choice(SCALARS)), Member("b", r.choice(SCALARS), (2,)))
        element = Struct(tag, members, f"{layout} struct {tag} *next;")
        self.outside.append(element.text())
        self.nodes = View("list", element, block, Length(n))
        size = f"{n + 6} * sizeof(struct {tag})"
        self.setup += [Node(f"{layout} struct {tag} *list = ({layout} struct {tag} *)make_spread({size}, 9);"),
                       Node(f"for (int i = 0; i < {n}; i++) list[i].next = i + 1 < {n} ? &list[i + 1] : NULL;")]
        self.finish += [Node(f"u = hash_spread(u, (shared void *)list, {size}, \"{element.layout()[2]}\", "
                             f"sizeof(struct {tag}));"), Node("upc_free((shared void *)list);")]
        self.views.append(self.nodes)

    # ---- variables ----

    def file_scope(self):
        r = self.random
        out = []
        for k in range(r.choice((0, 1, 1, 2))):
            n = r.randint(2, 8)
            name = f"k{k}_{self.id}"
            self.outside.append(f"static int {name} = {r.randrange(n)};")
            out.append(Variable(name, Length(n)))
        return out

    def make_helpers(self, variables):
        """Functions that see what is at file scope, and change it."""
        self.variables = variables
        seen = [v for v in self.views if v.name.endswith(f"_{self.id}")]
        saved, self.views = self.views, [v for v in seen if v.cursor is None or v.cursor in seen]
        nodes, self.nodes = self.nodes, None
        if self.on("call") and (self.variables or self.views):
            for k in range(self.random.choice((0, 1, 1, 2))):
                name = f"h{k}_{self.id}"
                self.left, self.depth = 2, 1
                body = [Node("unsigned u = 1;", fixed=True), *self.change(), *self.body(2)]
                self.functions.append((f"static unsigned {name}(void) {{", [*body, Node("return u;", fixed=True)]))
                if self.chance(30):
                    self.outside.append(f"static unsigned {name}(void);")
                    self.outside.append(f"static unsigned (*volatile f{k}_{self.id})(void) = {name};")
                    name = f"f{k}_{self.id}"
                self.helpers.append(f"{name}()")
            self.make_walker(saved)
            self.make_forall_function()
        self.depth = 0
        self.views, self.nodes = saved, nodes

    def make_walker(self, views):
        """A function that is given a pointer-to-shared and a limit."""
        given = [v for v in views if not v.row and v.shared and v.cursor is None]
        if not given or not self.chance(50):
            return
        view = self.random.choice(given)
        half = Length(max(1, view.length.count // 2))
        name, seen, variables = f"walk_{self.id}", list(self.views), list(self.variables)
        self.views = [View("p", view.element, view.block, half, local=view.local)] * 3 + seen
        self.variables = variables + [Variable("n", Length(half.count + 1))]
        self.left, self.depth = 2, 0
        body = [Node("unsigned u = 3;", fixed=True), *self.body(2)]
        head = f"static unsigned {name}({view.shared_type()} *p, int n) {{"
        self.functions.append((head, [*body, Node("return u;", fixed=True)]))
        self.views, self.variables = seen, variables
        self.walker = name, view, half

    def make_forall_function(self):
        """A function with a upc_forall, which divides the work only if it is not called in another's iteration."""
        if not self.on("forall") or not self.on("nested-forall") or not self.chance(30):
            return
        name, n = f"share_{self.id}", Length(self.random.randint(2, 5))
        walker, self.walker = self.walker, None
        self.left, self.depth = 2, 1
        index = Variable("i", n, assignable=False, plain=False)
        affinity = self.random.choice(("i", "i + 1", "continue", "i / 2", "2"))
        head = self.uniform_head(n, "i", "int")
        loop = Node(f"upc_forall ({head}; {affinity}) {{", self.forall_body(index, [], n, False))
        self.functions.append((f"static unsigned {name}(void) {{",
                               [Node("unsigned u = 5;", fixed=True), loop, Node("return u;", fixed=True)]))
        self.forall_function, self.walker = f"{name}()", walker

    def make_locals(self):
        r = self.random
        for k in range(r.randint(1, 3)):
            n = r.randint(2, 8)
            type_ = self.pick((6, "int"), (1, "long"), (1, "unsigned"), (1, "short"), (1, "unsigned char"),
                              (1, "volatile int"))
            self.setup.append(Node(f"{type_} k{k} = {r.randrange(n)};"))
            v = self.declare(f"k{k}", Length(n), type=type_)
            if type_ == "int" and self.on("alias") and self.chance(50):
                self.setup.append(Node(f"int *const at{k} = &k{k};"))
                self.declare(f"(*at{k})", v.bound)
        if self.chance(35):
            n = r.randint(2, 6)
            self.setup.append(Node(f"struct {{ char before; int k; }} l = {{0, {r.randrange(n)}}};"))
            self.declare("l.k", Length(n))
            if self.on("alias") and self.chance(50):
                self.setup.append(Node("__typeof__(l) *const lp = &l;"))
                self.declare("lp->k", Length(n))
        if self.chance(40):
            n, extent = r.randint(2, 6), r.randint(2, 4)
            values = ", ".join(str(r.randrange(n)) for _ in range(extent))
            self.setup.append(Node(f"int map[{extent}] = {{{values}}};"))
            self.arrays.append(IndexArray("map", Length(n), extent))
            if self.on("alias") and self.chance(50):
                self.setup.append(Node("int *const map_at = map;"))
                self.arrays.append(IndexArray("map_at", Length(n), extent))
        pointers = [v for v in self.views if v.cursor is None and not v.row and v.shared]
        if pointers and self.chance(30):
            v = r.choice(pointers)
            half = max(1, v.length.count // 2)
            values = ", ".join(f"{v.name} + {r.randrange(half)}" for _ in range(3))
            self.setup.append(Node(f"{v.shared_type()} *dir[3] = {{{values}}};"))
            self.views += [View("dir[#]", v.element, v.block, Length(half), choose=Length(3))] * 2
        if pointers and self.on("table") and self.chance(35):
            self.make_table(r.choice(pointers))
        # Last: what is named above must not depend on a name that blocks give another meaning.
        if self.on("shadow"):
            k = r.randint(1, 3)
            self.setup.append(Node(f"enum {{ K = {k} }};"))
            self.declare("K", Length(k + 1), assignable=False, plain=False, uniform=True)

    def make_table(self, view):
        """Shared pointers in this thread's own shared memory, which change."""
        half, type_ = max(1, view.length.count // 2), f"{view.shared_type()} *"
        block = self.random.choice((0, 1, 2))
        layout = f"shared [{block}]" if block else "shared []"
        self.setup += [Node(f"{type_}{layout} *table = ({type_}{layout} *)make_spread(10 * sizeof({type_}), 2);"),
                       Node(f"for (int i = 0; i < 4; i++) table[i] = {view.name} + i % {half};", fixed=True)]
        self.finish.append(Node("upc_free((shared void *)table);"))
        self.views += [View("table[#]", view.element, view.block, Length(half), choose=Length(4))] * 2
        self.table = view

    # ---- phases ----

    def phase(self, mine, number):
        r = self.random
        exchange = number > 0 and self.chance(60)
        nodes = [Node("upc_barrier;", fixed=True)] if number else []
        self.views = list(mine)
        for d in self.declared:
            spread = "read", "read", "blocks", "cyclic", "forall", "forall", "forall"
            d.mode = r.choice(spread if d.block else ("read", "blocks"))
            if d.mode != "forall":
                self.views.append(d.view())
        helpers, nodes_of_list, walker, forall_function = self.helpers, self.nodes, self.walker, self.forall_function
        if exchange:
            nodes = self.publish() + nodes
            self.helpers, self.walker, self.forall_function = [], None, None
            self.views = [dataclasses.replace(v, writable=False) for v in mine] + \
                         [v for v in self.views if v not in mine] + self.published()
            if self.nodes:
                self.nodes = dataclasses.replace(self.nodes, writable=False)
        self.left = r.randint(5, 9)
        self.collective = True
        while self.left > 0:
            nodes += self.statement()
        self.helpers, self.nodes, self.walker, self.forall_function = helpers, nodes_of_list, walker, forall_function
        return nodes

    def publish(self):
        self.public = [v for v in self.mine if not v.row]
        out = []
        for k, v in enumerate(self.public):
            self.outside.append(f"static {v.shared_type()} *shared all{k}_{self.id}[THREADS];")
            out.append(Node(f"all{k}_{self.id}[MYTHREAD] = {v.name};"))
        return out

    def published(self):
        """What the threads have, by way of a directory."""
        out = []
        for k, v in enumerate(self.public):
            out += [View(f"all{k}_{self.id}[#]", v.element, v.block, v.length, "@", False, choose=Length(1, True))] * 2
        return out

    # ---- text ----

    def text(self):
        lines = [f"/* case {self.id} */", *self.outside]
        for head, body in self.functions:
            lines += Node(head, body).lines(0)
        body = [Node(f"unsigned u = {self.id + 1};", fixed=True), *self.main, Node("return u;", fixed=True)]
        lines += Node(f"static unsigned case_{self.id}(void) {{", body).lines(0)
        return "\n".join(lines) + "\n"


@dataclasses.dataclass
class IndexArray:
    """A private array of subscripts below `bound`."""
    text: str
    bound: Length
    extent: int
    assignable: bool = True
