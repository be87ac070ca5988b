"""Random statements without loops: stores, changes of what subscripts depend on, tests, blocks, calls."""
from model import IfElse, Length, Node, Scalar, Variable, View

INT = Scalar("int", 4)


class Statements:
    """Part of Case (program.py)."""

    def body(self, count, first=()):
        """A block of its own: what is declared in it ends with it."""
        saved = list(self.variables), list(self.views), list(self.arrays)
        nodes = list(first)
        for _ in range(count):
            nodes += self.statement()
        self.variables, self.views, self.arrays = saved
        return nodes

    def statement(self):
        self.left -= 1
        nested = self.depth < 3 and self.left > 0
        forms = [(10, self.store), (8, self.accumulate), (8, self.change)]
        if nested:
            forms += [(6, self.test), (10, self.loop)]
            forms += [(weight, make) for weight, feature, make in (
                (8, "threadof", self.threadof_test), (4, "private-cast", self.private_pointers),
                (3, "private-cast", self.private_cast), (3, "switch", self.switch), (3, "goto", self.jump),
                (3, "list", self.list_walk), (2, "shadow", self.shadow), (3, "call", self.call),
                (2, "copy", self.copy), (2, "sync", self.fence), (2, "wrap", self.wrapping_loop),
                (2, "statics", self.static_local), (2, "cursor", self.running_pointer),
                (2, "vla", self.variable_length),
                (2, "sequence", self.sequence),
                (2, "cursor", self.pointer_loop), (1, "bulk", self.bulk)) if self.on(feature)]
            if self.collective and self.cost <= 8 and self.on("forall"):
                forms += [(16, self.forall)]
            if self.dividing and self.on("forall") and self.on("nested-forall"):
                forms += [(6, self.inner_forall)]
        return self.pick(*forms)()

    # ---- plain statements ----

    def store(self):
        place = self.place(write=True)
        if place is None:
            return self.accumulate()
        return [Node(self.store_text(place))]

    def store_text(self, place, value=None):
        text, scalar = place
        text = f"({text})" if text.startswith("*") else text
        value = self.value() if value is None else value
        operators = [(8, "=")]
        if scalar.floating:
            operators += [(2, "+="), (1, "-=")]
        else:
            operators += [(2, "+="), (2, "^="), (1, "-="), (1, "|=")]
            if scalar.size < 4 or scalar.name.startswith("unsigned"):
                operators += [(1, "++"), (1, "--")]
        operator = self.pick(*operators)
        if operator in ("++", "--"):
            return f"{text}{operator};" if self.chance(50) else f"{operator}{text};"
        return f"{text} {operator} {scalar.written(value)};"

    def accumulate(self):
        return [Node(f"u = u * {self.random.choice((3, 5, 31, 33))}u + {self.value()};")]

    def new_value(self, v):
        """An expression for a variable, within its bound."""
        r, n = self.random, v.bound.text
        return r.choice((self.index(v.bound), self.index(v.bound), f"({v.text} + {r.randint(1, 5)}) % ({n})",
                         f"{self.value(1)} % ({n})", f"{v.text} + 1 < {n} ? {v.text} + 1 : 0",
                         f"{v.text} > 0 ? {v.text} - 1 : {n} - 1"))

    def change(self):
        """Changes something that subscripts or addresses depend on."""
        variables = [v for v in self.variables if v.assignable]
        cursors = [v for v in self.views if v.cursor is not None]
        arrays = [a for a in self.arrays if a.assignable]
        forms = [(6, "variable")] * bool(variables) + [(5, "cursor")] * bool(cursors)
        forms += [(2, "array")] * bool(arrays) + [(3, "table")] * bool(self.table)
        match self.pick(*forms) if forms else "":
            case "variable":
                return [Node(self.change_text(self.random.choice(variables)))]
            case "cursor":
                return [Node(self.move_text(self.random.choice(cursors)))]
            case "table":
                half = Length(max(1, self.table.length.count // 2))
                return [Node(f"table[{self.index(Length(4))}] = {self.table.name} + ({self.index(half)});")]
            case "array":
                a = self.random.choice(arrays)
                return [Node(f"{a.text}[{self.index(Length(a.extent))}] = {self.index(a.bound)};")]
        return self.accumulate()

    def change_text(self, v):
        c = v.bound.count
        forms = [(6, f"{v.text} = {self.new_value(v)};"), (2, f"if ({v.text} + 1 < {c}) {v.text}++;"),
                 (1, f"{v.text} = ({self.condition()}, {self.new_value(v)});")]
        if v.plain and v.type == "int" and not v.bound.times_threads:
            forms += [(2, f"*(unsigned char *)&{v.text} = {self.index(Length(c))};")] * self.on("alias")
            if self.on("call") and v.bound.count >= 2:
                forms += [(3, f"u ^= {self.random.choice(('step', 'indirect_step'))}(&{v.text}, {c});")]
        return self.pick(*forms)

    def move_text(self, cursor):
        """A cursor stays in the first half of what it walks in."""
        at, half = cursor.cursor, cursor.length.count
        c = self.random.randint(1, half)
        return self.random.choice((
            f"{cursor.name} = {at.name} + ({self.index(cursor.length)});",
            f"{cursor.name} = &{at.name}[{self.index(cursor.length)}];",
            f"if ({cursor.name} - {at.name} < {half - 1}) {cursor.name}++;",
            f"if ({cursor.name} > {at.name}) --{cursor.name};",
            f"{cursor.name} = {at.name} + ({cursor.name} - {at.name} + {c}) % {half};"))

    # ---- tests ----

    def test(self):
        self.depth += 1
        condition = self.condition()
        if self.chance(30):
            condition = f"{condition} {self.random.choice(('&&', '||'))} {self.condition()}"
        collective, self.collective = self.collective, False
        nodes = [Node(f"if ({condition}) {{", self.body(self.random.randint(1, 2)))]
        if self.chance(40):
            nodes[-1].tail = "} else {"
            nodes.append(Node("", self.body(1)))
            nodes[-2:] = [IfElse(nodes[-2], nodes[-1])]
        self.collective = collective
        self.depth -= 1
        return nodes

    def switch(self):
        self.depth += 1
        collective, self.collective = self.collective, False
        count = self.random.randint(2, 3)
        nodes = []
        for i in range(count):
            nodes.append(Node(f"case {i}: {{", self.body(1)))
            if self.chance(60):
                nodes.append(Node("break;"))
        if self.chance(60):
            nodes.append(Node("default: {", self.body(1)))
        self.collective = collective
        self.depth -= 1
        return [Node(f"switch ({self.value(1)} % {count + 1}u) {{", nodes)]

    def sequence(self):
        """Commas, conditionals and short circuits with effects, each at the root of its expression."""
        variables = [v for v in self.variables if v.assignable]
        if not variables:
            return self.accumulate()
        v = self.random.choice(variables)
        change = f"{v.text} = {self.new_value(v)}"
        return [Node(self.random.choice((
            f"u = u * 3u + ({change}, {self.value(1)});",
            f"if ({self.condition()} && ({change}) >= 0) u += {self.value(1)};",
            f"if (({change}) > 1 || {self.condition()}) u ^= {self.value(1)};",
            f"u += {self.condition()} ? ({change}, {self.value(1)}) : {self.value(1)};")))]

    # ---- blocks ----

    def shadow(self):
        """A block in which names of the outer ones mean something else: enumerators, types, tags."""
        self.depth += 1
        k = self.random.randint(1, 4)
        unsigned = self.random.choice(("unsigned char", "short", "unsigned", "long"))
        declarations = [Node(f"enum {{ K = {k} }};"), Node(f"typedef {unsigned} index_t;")]
        saved = self.variables, self.views
        self.variables = [v for v in self.variables if v.text != "K"]
        self.variables.append(Variable("K", Length(k + 1), assignable=False, plain=False, uniform=True))
        self.views = list(self.views)
        if self.on("tags"):
            declarations += self.block_struct()
        name, cost = self.new_name("i"), self.cost
        head = self.random.choice(("{", f"for (int {name} = 0; {name} < 3; {name}++) {{")) if self.cost <= 30 else "{"
        if head != "{":
            self.cost *= 3
            self.variables = [*self.variables, Variable(name, Length(3), assignable=False, plain=False)]
        nested = self.shadow() if self.depth < 4 and self.chance(40) else []
        view = self.view(shared=True, row=False)
        if view is not None and head != "{":
            path, scalar = self.path(view.element)
            at = view.at(str(self.random.randrange(view.length.count)))
            nested.append(Node(f"u = u * 3u + {scalar.read(f'{self.base(view)}[{at}]{path}')};"))
        nodes = [Node(head, declarations + self.body(self.random.randint(1, 3)) + nested)]
        self.variables, self.views = saved
        self.cost = cost
        self.depth -= 1
        return nodes

    def block_struct(self):
        """A struct of a tag that other blocks use, too, around the address of something that a loop may hoist."""
        view = self.view(shared=True, row=False)
        scalar = self.random.choice((INT, Scalar("long", 8), Scalar("double", 8, True)))
        if view is None:
            return []
        name = self.new_name("b")
        out = [Node(f"struct tag {{ {scalar.name} before; {view.shared_type()} *at; {scalar.name} v[4]; }};")]
        how = self.random.choice(("{1, %s, {1, 2, 3}}", "{.at = %s, .v = {[1] = 5}}", "{.v = {7}, .at = %s}"))
        initialised = f"{name} = {how % ('&' + self.element(view))};"
        if self.chance(50):
            out = [Node(f"{out[0].head[:-1]} {initialised}")]
        else:
            out.append(Node(f"struct tag {initialised}"))
        self.views.append(View(f"{name}.v", scalar, 0, Length(4), local=True, shared=False))
        self.views.append(View(f"{name}.at", view.element, view.block, Length(1), writable=view.writable))
        return out

    def static_local(self):
        """A static that counts, or holds a shared address."""
        name = self.new_name("s")
        n = self.random.randint(3, 6)
        v = Variable(name, Length(n), plain=True)
        self.depth += 1
        saved = list(self.variables)
        self.variables.append(v)
        nodes = [Node("{", [Node(f"static int {name};"), Node(f"{name} = ({name} + 1) % {n};"),
                            *self.body(self.random.randint(1, 2))])]
        self.variables = saved
        self.depth -= 1
        return nodes

    def variable_length(self):
        name, n = self.new_name("vla"), self.random.randint(2, 5)
        shift = self.new_name("n")
        self.depth += 1
        size = f"{n} + (int)({self.value(1)} % 3u)"
        saved = list(self.views)
        self.views.append(View(name, INT, 0, Length(n), local=True, shared=False))
        nodes = [Node("{", [Node(f"const int {shift} = {size};"),
                            Node(f"int {name}[{shift}];"),
                            Node(f"for (int i = 0; i < {shift}; i++) {name}[i] = 3 * i;"),
                            *self.body(self.random.randint(1, 2))])]
        self.views = saved
        self.depth -= 1
        return nodes

    # ---- calls and copies ----

    def call(self):
        """Functions that change what addresses depend on."""
        if self.forall_function and (self.collective or self.dividing) and self.cost <= 16 and self.chance(40):
            return [Node(f"u = u * 7u + {self.forall_function};")]
        if self.walker and self.cost <= 8 and self.chance(50):
            name, view, half = self.walker
            at = self.random.choice((f"{view.name} + ({self.index(half)})", f"&{view.name}[{self.index(half)}]"))
            return [Node(f"u = u * 7u + {name}({at}, {self.index(Length(half.count + 1))});")]
        if self.helpers and self.cost <= 16 and self.chance(70):
            return [Node(f"u = u * 7u + {self.random.choice(self.helpers)};")]
        return self.change()

    def copy(self):
        """Whole structures: from shared memory to shared memory, to a variable, from a compound literal."""
        view = self.view(shared=True, record=True, row=False)
        if view is None:
            return self.store()
        to = [v for v in self.views if v.element == view.element and v.writable and v.shared and not v.element.link]
        name = self.new_name("t")
        fetched = View(name, view.element, 0, Length(1), local=True, shared=False)
        path, scalar = self.path(view.element)
        forms = [[Node("{", [Node(f"{view.element.name} {name} = {self.element(view)};"),
                             Node(f"u += {scalar.read(name + path)};")])]]
        if to:
            target = self.random.choice(to)
            forms += [[Node(f"{self.element(target)} = {self.element(view)};")],
                      [Node("{", [Node(f"{view.element.name} {name} = {self.element(view)};"),
                                  Node(self.store_text(self.scalar_of(fetched))),
                                  Node(f"{self.element(target)} = {name};")])]]
        return self.random.choice(forms)

    def scalar_of(self, view):
        path, scalar = self.path(view.element)
        return view.name + path, scalar

    def bulk(self):
        """The library's copies, of what lies together in one thread's memory."""
        view = self.view(shared=True, record=True, row=False, write=True)
        found = self.array_place(view) if view else None
        if not found:
            return self.store()
        place, scalar, count = found
        name = self.new_name("t")
        return [Node("{", [Node(f"{scalar.name} {name}[{count}];"),
                           Node(f"upc_memget({name}, &{place}[0], sizeof {name});"),
                           Node(f"{name}[{self.index(Length(count))}] = {scalar.written(self.value(1))};"),
                           Node(f"upc_memput(&{place}[0], {name}, sizeof {name});")])]

    def fence(self):
        forms = ["upc_fence;", f"u = u * 3u + (unsigned)strict_{self.id}[MYTHREAD];",
                 f"strict_{self.id}[MYTHREAD] = {self.value(1)};"]
        if self.collective and self.cost <= 8:
            forms += ["upc_barrier;", "upc_notify; upc_wait;"]
            if self.cost == 1 and self.on("spin"):
                return self.spin()
        node = Node(self.random.choice(forms))
        if self.chance(15):
            self.depth += 1
            node = Node("{", [Node("#pragma upc strict", fixed=True), *self.body(1)])
            self.depth -= 1
        return [node]

    def spin(self):
        """Each thread waits for the one before it, which first writes what it has: a relaxed flag, then a fence."""
        name = self.new_name("go") + f"_{self.id}"
        type_ = self.random.choice(("int", "unsigned char", "long"))
        self.outside.append(f"static shared {type_} {name}[THREADS];")
        self.outside.append(f"static shared unsigned sent_{name}[THREADS];")
        wait = self.random.choice((f"while (!{name}[MYTHREAD]) ;", f"while ({name}[MYTHREAD] == 0) {{ }}",
                                   f"for (; !{name}[MYTHREAD];) ;", f"do {{ }} while (!{name}[MYTHREAD]);"))
        after = "(MYTHREAD + 1) % THREADS"
        return [Node("{", [Node("upc_barrier;", fixed=True), Node(f"if (MYTHREAD != 0) {{ {wait} }}", fixed=True),
                           Node("upc_fence;", fixed=True),
                           Node(f"if (MYTHREAD != 0) u = u * 3u + sent_{name}[MYTHREAD - 1];"),
                           Node(f"sent_{name}[MYTHREAD] = u;"), Node("upc_fence;", fixed=True),
                           Node(f"{name}[{after}] = 1;", fixed=True), Node("upc_barrier;", fixed=True)])]
