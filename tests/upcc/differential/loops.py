"""Random loops: every shape, direction and limit; upc_forall with every kind of affinity; jumps."""
import dataclasses

from model import Length, Node, Scalar, Variable, View


class Loops:
    """Part of Case (program.py). `cost` is how often, at most, the statement being made runs (THREADS taken as 4)."""

    def loop(self):
        if self.cost >= 100:
            return self.store()
        form = self.pick((10, self.counted), (5, self.sweep), (9, self.irregular), (16, self.reread),
                         (3, self.counted_outside), (3, self.while_loop), (2, self.do_loop),
                         (3 * self.on("limits"), self.limited))
        return form()

    def inside(self, trips, variables, count=None, uniform=False):
        """The body of a loop."""
        saved = self.cost, self.variables, self.collective
        self.cost *= trips
        self.collective = self.collective and uniform
        self.depth += 1
        self.variables = self.variables + variables
        self.in_loop += 1
        nodes = self.body(count or self.random.randint(1, 3))
        if self.chance(8) and len(nodes) > 1 and not self.in_forall_loop and not self.collective:
            word = self.random.choice(("continue", "continue", "break"))
            nodes.insert(self.random.randrange(1, len(nodes) + 1), Node(f"if ({self.condition()}) {word};"))
        self.in_loop -= 1
        self.depth -= 1
        self.cost, self.variables, self.collective = saved
        return nodes

    def extent(self):
        """How many iterations: one of the lengths of what there is to walk over."""
        lengths = [v.length for v in self.views if 2 <= v.length.count <= 24] or [Length(4)]
        if self.cost > 4:
            lengths = [n for n in lengths if not n.times_threads] or [Length(4)]
        n = self.random.choice(lengths)
        return n if self.chance(70) else Length(self.random.randint(2, max(2, n.count)), n.times_threads)

    def type_of_index(self):
        return self.pick((8, "int"), (2, "long"), (3, "unsigned"), (2, "size_t"), (1, "long long"), (1, "short"))

    def head(self, n, name, type_, declared=True):
        """Init, condition and step of a loop whose index is at least 0 and below the length."""
        r, text = self.random, n.text
        declaration = f"{type_} {name}" if declared else name
        low = r.choice((0, 0, 0, 1, r.randrange(n.count)))
        step = r.choice((1, 1, 1, 1, 2, 3, 5))
        signed = type_ not in ("unsigned", "size_t")
        up = [f"{declaration} = {low}; {name} < {text}; {self.up(name, step)}",
              f"{declaration} = {low}; {name} <= {text} - 1; {self.up(name, step)}",
              f"{declaration} = {low}; {text} > {name}; {self.up(name, step)}",
              f"{declaration} = {low}; {name} != {text}; {name}++"]
        down = [f"{declaration} = {text} - 1; {name} > {low}; {self.down(name, step)}"] if step == 1 or signed else []
        if signed:
            down += [f"{declaration} = {text} - 1; {name} >= {low}; {self.down(name, step)}"]
        if n.times_threads:
            up.append(f"{declaration} = MYTHREAD; {name} < {text}; {name} += THREADS")
        elif self.on("limits") and not self.all_threads and self.chance(12):
            return f"{declaration} = 0; {name} < (int)({self.value(1)} % {n.count}u) + 1; {name}++"
        elif self.on("limits") and self.chance(20):
            names = [v for v in self.variables if v.bound.count <= n.count and not v.bound.times_threads
                     and not v.uniform and v.text != name]
            if names:
                up = [f"{declaration} = 0; {name} < {self.random.choice(names).text} + 1; {name}++"]
                return up[0]
        return r.choice(up + up + down)

    def steps(self):
        """Steps that are not constants, and at least 1."""
        return [f"{v.text} + 1" for v in self.variables if v.assignable]

    def up(self, name, step):
        if step == 1:
            return self.random.choice((f"{name}++", f"++{name}", f"{name} += 1", f"{name} = {name} + 1"))
        if self.on("limits") and self.steps() and self.chance(20):
            return f"{name} += {self.random.choice(self.steps())}"
        return self.random.choice((f"{name} += {step}", f"{name} = {step} + {name}"))

    def down(self, name, step):
        if step == 1:
            return self.random.choice((f"{name}--", f"--{name}", f"{name} -= 1"))
        return self.random.choice((f"{name} -= {step}", f"{name} = {name} - {step}"))

    def trips(self, n):
        return n.count * (4 if n.times_threads else 1)

    def counted(self):
        n, name, type_ = self.extent(), self.new_name("i"), self.type_of_index()
        uniform = self.collective and self.trips(n) <= 8 and self.chance(60)  # the same iterations on every thread
        head = self.uniform_head(n, name, type_) if uniform else self.head(n, name, type_)
        index = Variable(name, n, type_, assignable=False, plain=False, uniform=uniform)
        if self.on("second-index") and self.chance(25):
            return self.with_second(head, n, lambda: self.inside(self.trips(n), [index], uniform=uniform), uniform)
        return [Node(f"for ({head}) {{", self.inside(self.trips(n), [index], uniform=uniform))]

    def with_second(self, head, n, body, uniform=False):
        """A loop of at most n iterations whose step moves a pointer or an integer on, too."""
        r = self.random
        saved = self.variables, list(self.views)  # others extend the list itself
        found = [v for v in self.views if v.shared and v.template == "@" and not v.row and v.cursor is None and
                 not v.choose and v.length.holds(n)]
        name = self.new_name("s")
        move = r.choice((f"{name}++", f"++{name}", f"{name} += 1", f"{name} = {name} + 1"))
        init, rest = head.split(";", 1)
        condition, step = rest.rsplit(";", 1)  # a statement expression in the condition has its own
        head = f"{init};{condition};{r.choice((f'{step}, {move}', f' {move},{step}'))}"
        if found and self.chance(60):
            view = r.choice(found)
            start, back = (view.name, False) if self.chance(70) else (f"{view.name} + ({n.text} - 1)", True)
            if back:
                head = head.replace(move, r.choice((f"{name}--", f"{name} -= 1")))
            declared = f"{view.shared_type()} *{name} = {start};"
            self.views = self.views + 3 * [dataclasses.replace(view, name=name, length=Length(1), local=False)]
            after = f"u = u * 3u + (unsigned)({name} - ({view.name}));"
        else:
            type_ = r.choice(("int", "long", "size_t", "unsigned"))
            declared, after = f"{type_} {name} = 0;", f"u = u * 3u + (unsigned){name};"
            self.variables = self.variables + [Variable(name, n, type_, assignable=False, plain=False, uniform=uniform)]
            if init.startswith("int ") and type_ == "int" and self.chance(50):
                head = head.replace(init, f"{init}, {name} = 0", 1)
                declared, after = "", ""
        loop = Node(f"for ({head}) {{", body())
        self.variables, self.views = saved
        nodes = [Node(declared, fixed=True)] if declared else []
        return [Node("{", [*nodes, loop, *([Node(after)] if after else [])])]

    def sweep(self):
        """A loop over all of something, whose subscripts depend on its index alone: what passes plan as a whole."""
        found = [v for v in self.views if v.shared and v.template == "@" and v.length.count > 1]
        if not found or self.cost > 4:
            return self.counted()
        view = self.random.choice(found)
        n, name, type_ = view.length, self.new_name("i"), self.pick((6, "int"), (2, "long"), (1, "unsigned"))
        saved = self.variables, self.arrays
        head = self.uniform_head(n, name, type_)
        self.variables, self.arrays = [Variable(name, n, type_, assignable=False, plain=False)], []
        nodes = []
        for _ in range(self.random.randint(1, 3)):
            nodes += self.store() if self.chance(65) else self.accumulate()
        self.variables, self.arrays = saved
        if self.on("second-index") and self.chance(30):
            return self.with_second(head, n, lambda: nodes + (self.store() if self.chance(60) else self.accumulate()))
        return [Node(f"for ({head}) {{", nodes)]

    def irregular(self):
        """A loop that reads some arrays and changes others, where the data decide: what passes move together."""
        found = [v for v in self.views if v.shared and not v.row and v.length.count > 1]
        targets = [v for v in found if v.writable]
        if not targets or self.cost > 12:
            return self.counted()
        target = self.random.choice(targets)
        n, name, type_ = self.extent(), self.new_name("e"), self.type_of_index()
        saved = self.variables, self.views
        self.views = [v for v in found if v.name.split("[")[0] != target.name.split("[")[0]]
        head = self.uniform_head(n, name, type_)
        self.variables = self.variables + [Variable(name, n, type_, assignable=False, plain=False)]
        nodes = []
        for _ in range(self.random.randint(1, 3)):
            nodes += [self.accumulate(), [self.change_at(target)], [self.change_at(target)]][self.random.randrange(3)]
            if self.chance(25):
                nodes[-1:] = [Node(f"if ({self.condition()}) {{", nodes[-1:])]
            elif self.chance(15):
                nodes[-1:] = [Node(f"for (int k_ = 0; k_ < {self.random.randint(1, 3)}; k_++) {{", nodes[-1:])]
        self.variables, self.views = saved
        return [Node(f"for ({head}) {{", nodes)]

    def reread(self):
        """A loop in a loop that reads all of an array again and again, which something else may change meanwhile."""
        found = [v for v in self.views if v.shared and not v.row and isinstance(v.element, Scalar) and
                 v.template == "@" and v.length.count > 1 and "#" not in v.name]
        found += 3 * [v for v in found if v.cursor is None and v.block != 0]
        if not found or self.cost > 8:
            return self.counted()
        view, turns = self.random.choice(found), self.random.randint(8, 24)
        n, name, turn, type_ = view.length, self.new_name("j"), self.new_name("r"), self.type_of_index()
        saved = self.variables
        self.variables = saved + [Variable(turn, Length(turns), assignable=False, plain=False)]
        around = self.store() if self.chance(40) else []
        test = self.condition() if self.chance(20) else ""
        self.variables = self.variables + [Variable(name, n, type_, assignable=False, plain=False)]
        at = self.random.choice((name, f"{n.text} - 1 - {name}", f"({name} * 7 + {turn}) % ({n.text})",
                                 self.subscript(view)))
        read = Node(f"u = u * 5u + {view.element.read(f'{self.base(view)}[{at}]')};")
        inner = [Node(f"for ({self.uniform_head(n, name, type_)}) {{",
                      [read, *(self.store() if self.chance(30) else [])])]
        if test:
            inner = [Node(f"if ({test}) {{", inner)]
        self.variables = saved
        return [Node(f"for (int {turn} = 0; {turn} < {turns}; {turn}++) {{", inner + around)]

    def change_at(self, view):
        path, scalar = self.path(view.element)
        text = f"{self.base(view)}[{view.at(self.subscript(view))}]{path}"
        operators = ["+=", "-=", "="] + ["^=", "|=", "&="] * (not scalar.floating)
        if scalar.floating or scalar.size < 4 or scalar.name.startswith("unsigned"):
            operators += ["++", "--"]
        operator = self.random.choice(operators)
        if operator in ("++", "--"):
            return Node(f"{text}{operator};" if self.chance(50) else f"{operator}{text};")
        return Node(f"{text} {operator} {scalar.written(self.value())};")

    def counted_outside(self):
        """The index is a variable of an outer block, read after the loop. (Not assignable meanwhile.)"""
        name, n, type_ = self.new_name("i"), self.extent(), self.type_of_index()
        index = Variable(name, n, type_, assignable=False, plain=False)
        head = self.head(n, name, type_, declared=False)
        body = self.inside(self.trips(n), [index])
        up = not any(down in head for down in ("--", "-=", f"{name} - "))
        if up and self.on("index-change") and self.chance(40):
            # The body moves the index on, by itself or through a pointer.
            at = self.random.choice((name, f"(*({type_} *)&{name})"))
            body.insert(self.random.randrange(len(body) + 1),
                        Node(f"if ({self.condition()} && {name} + 1 < {n.text}) {at}++;"))
        return [Node("{", [Node(f"{type_} {name} = 0;"), Node(f"for ({head}) {{", body),
                           Node(f"u = u * 3u + (unsigned){name};")])]

    def limited(self):
        """The limit or the step is a variable that the body may change: loads, globals, members, aliases."""
        limits = [v for v in self.variables if v.assignable and not v.bound.times_threads]
        if not limits:
            return self.counted()
        v = self.random.choice(limits)
        name = self.new_name("i")
        n = v.bound
        index = Variable(name, n, "int", assignable=False, plain=False)
        step = self.random.choice(self.steps()) if self.steps() and self.chance(40) else "1"
        head = f"int {name} = 0; {name} <= {v.text}; {name} += {step}"
        return [Node(f"for ({head}) {{", self.inside(n.count, [index]))]

    def while_loop(self):
        name, n = self.new_name("w"), self.random.randint(2, 8)
        counter = Variable(name, Length(n), "int", assignable=False, plain=False)
        form = self.random.choice((0, 1, 2))
        body = self.inside(n, [counter])
        if form == 0:
            # Decremented in the test, so a continue does no harm.
            loop = [Node(f"int {name} = {n};", fixed=False), Node(f"while ({name}-- > 0) {{", body)]
        elif form == 1:
            loop = [Node(f"int {name} = -1;"), Node(f"while (++{name} < {n}) {{", body)]
        else:
            loop = [Node(f"int {name} = {n};"), Node(f"for (; {name}-- > 0;) {{", body)]
        return [Node("{", loop)]

    def do_loop(self):
        name, n = self.new_name("w"), self.random.randint(2, 6)
        counter = Variable(name, Length(n), "int", assignable=False, plain=False)
        loop = Node("do {", self.inside(n, [counter]), f"}} while (++{name} < {n});")
        return [Node("{", [Node(f"int {name} = 0;"), loop])]

    def wrapping_loop(self):
        """Unsigned arithmetic that wraps in the middle of a loop, as it may."""
        view = self.view(shared=True, row=False)
        if view is None or self.cost > 60:
            return self.store()
        writable = view.writable
        path, scalar = self.path(view.element)
        n = view.length.count
        i, c = self.new_name("i"), self.random.randint(1, 3)

        def at(index):
            return f"{self.base(view)}[{view.at(f'({index})')}]{path}"

        def use(index):
            if writable:
                return f"{at(index)} += {scalar.written(self.value(1))};"
            return f"u = u * 5u + {scalar.read(at(index))};"
        big = 2 ** 32 - c
        forms = [
            (f"unsigned {i} = 0; {i} < 16; {i} += 4", use(f"{i} * 1073741824u + {self.random.randrange(n)}u")),
            (f"unsigned {i} = 0; {i} < {min(n, 8)}; {i}++", use(f"{n - 1}u - {i}")),
            (f"unsigned {i} = {c}; {i} < {n}; {i}++", use(f"{i} + {big}u")),
        ]
        if n > c + 1 and self.on("wrap-index"):
            forms += [(f"unsigned {i} = {big}u; {i} != {n - c - 1}; {i}++", use(f"{i} + {c}u")),
                      (f"unsigned {i} = {n - 1 - c}; {i} != {2 ** 32 - c - 1}u; {i}--", use(f"{i} + {c}u")),
                      (f"unsigned {i} = {n - 1}; {i} < {n}; {i}--", use(i))]
        head, text = self.random.choice(forms)
        return [Node(f"for ({head}) {{", [Node(text)])]

    # ---- upc_forall ----

    def forall(self):
        """All threads meet here. Each element of one declared array is written by the iteration that names it."""
        divided = [d for d in self.declared if d.mode == "forall"]
        name, type_ = self.new_name("i"), self.pick((6, "int"), (2, "unsigned"), (2, "long"))
        array = self.random.choice(divided) if divided else None
        n = Length(array.extent, True) if array else self.extent_for_all()
        head = self.uniform_head(n, name, type_)
        index = Variable(name, n, type_, assignable=False, plain=False, uniform=False)
        affinity, same = self.affinity(name, n, array)
        extra, pointers = [], None
        if array and affinity not in ("continue", ""):
            at = same if same is not None and self.chance(75) else self.permuted(name, n)
            extra = [array.view(at, local=same is not None and at == same)]
            if not array.row and type_ != "unsigned" and self.on("forall-pointer") and self.chance(60):
                pointers, affinity, extra = self.through_pointers(name, n, array, affinity, extra[0])
        test = affinity not in ("continue", "") and self.on("forall-test") and self.chance(25)
        if extra and self.chance(60):
            nodes = self.own_elements_only(name, extra[0])
        else:
            nodes = self.forall_body(index, extra, n, affinity not in ("continue", "") and not test)
        loop = [Node(f"upc_forall ({head}; {affinity}) {{", nodes)]
        if test:
            loop = self.divided_by_test(head, affinity, (array.name, *pointers) if pointers else
                                        (array.name,) if array else (), nodes)
        elif self.chance(30):
            outside = head.replace(f"{type_} {name} =", f"{name} =", 1)
            loop = [Node("{", [Node(f"{type_} {name} = 0;"), Node(f"upc_forall ({outside}; {affinity}) {{", nodes),
                               Node(f"u = u * 3u + (unsigned){name};")])]
        if pointers:
            places = [f"*{pointer} = {place}" for pointer, place in pointers.items()]
            loop = [Node("{", [Node(f"{extra[0].shared_type()} {', '.join(places)};", fixed=True), *loop])]
        if array:
            return [Node("upc_barrier;", fixed=True), *loop, Node("upc_barrier;", fixed=True)]
        return loop

    def through_pointers(self, name, n, array, affinity, view):
        """The affinity and the array's element through pointers that may lead to other places of the array."""
        r = self.random
        p, q = self.new_name("fp"), self.new_name("fq")
        c, d = (r.choice((0, 0, r.randrange(n.count))) for _ in "pq")
        ahead, local = 0, view.local
        if affinity in (f"&{array.name}[{name}]", f"{array.name} + {name}") or self.chance(60):
            ahead = r.choice((0, 0, 1))  # the affinity is the next element's
            local = view.template == name and ahead == 0
            affinity = r.choice((f"{p} + ({name} - {c})", f"&{p}[{name} - {c}]"))
        view = View(q, view.element, view.block, Length(1), f"({view.template}) - {d}", True, local)
        return {p: f"{array.name} + {c + ahead}", q: f"{array.name} + {d}"}, affinity, [view]

    def divided_by_test(self, head, affinity, pointers, nodes):
        """A loop whose iterations all threads have, and in each of which a test lets one thread through."""
        r = self.random
        is_pointer = affinity.startswith(("&", *(f"{pointer} " for pointer in pointers)))
        thread = f"upc_threadof({affinity})" if is_pointer else f"({affinity}) % THREADS"
        loop = r.choice((f"for ({head})", f"for ({head})", f"upc_forall ({head}; continue)", f"upc_forall ({head}; )"))
        if self.chance(25):
            return [Node(f"{loop} {{", [Node(f"if ({thread} != MYTHREAD) continue;", fixed=True), *nodes])]
        test = r.choice((f"{thread} == MYTHREAD", f"MYTHREAD == {thread}"))
        return [Node(f"{loop} {{", [Node(f"if ({test}) {{", nodes, fixed=True)])]

    def own_elements_only(self, name, view):
        """A body that accesses no shared memory but the iteration's element."""
        saved, self.variables, self.views = (self.variables, self.views), [], []
        nodes = []
        for _ in range(self.random.randint(1, 3)):
            path, scalar = self.path(view.element)
            row = f"[{self.index(Length(view.row))}]" if view.row else ""
            place = f"{view.name}[{view.template}]{row}{path}"
            c = self.random.randrange(99)
            value = self.random.choice((f"{c}u", f"{c}u + u", f"{c}u + (unsigned){name}",
                                        f"{scalar.read(place)} + {c}u"))
            nodes.append(Node(self.store_text((place, scalar), value) if self.chance(70) else
                              f"u = u * 31u + {scalar.read(place)};"))
        self.variables, self.views = saved
        return nodes

    def forall_body(self, index, extra, n, divides):
        saved = self.views, self.collective, self.dividing, self.in_forall_loop
        self.views, self.collective, self.dividing, self.in_forall_loop = self.views + extra * 3, False, divides, True
        saved_variables = self.variables
        if self.chance(40):
            self.variables = []
        nodes = self.inside(self.trips(n) // (2 if divides else 1), [index])
        self.variables = saved_variables
        for view in extra[:1]:
            if self.chance(70):
                path, scalar = self.path(view.element)
                row = f"[{self.index(Length(view.row))}]" if view.row else ""
                nodes.insert(0, Node(self.store_text((f"{view.name}[{view.template}]{row}{path}", scalar))))
        self.views, self.collective, self.dividing, self.in_forall_loop = saved
        return nodes

    def extent_for_all(self):
        return Length(self.random.randint(2, 8), self.chance(70))

    def uniform_head(self, n, name, type_):
        saved, self.variables, self.all_threads = self.variables, [], True
        head = self.head(n, name, type_)
        self.variables, self.all_threads = saved, False
        return head if "MYTHREAD" not in head else f"{type_} {name} = 0; {name} < {n.text}; {name}++"

    def permuted(self, name, n):
        return self.random.choice((name, name, f"{n.text} - 1 - {name}"))

    def affinity(self, name, n, array):
        """(text, the subscript that has the affinity of the iteration or None)."""
        r = self.random
        c = r.randint(1, 4)
        forms = [(4, (name, None)), (2, (f"{name} + {c}", None)), (2, (f"{name} / {c + 1}", None)),
                 (1, ("continue", None)), (1, ("", None)), (1, (f"{c} * {name} + 1", None)), (1, (f"{c}", None)),
                 (1, (f"(long){name}", None)), (1, (f"{n.text} - {name}", None)), (1, (f"(0, {name})", None))]
        if self.on("wrap-affinity"):
            forms += [(1, (f"(unsigned){name} - {c}u", None)), (1, (f"(unsigned long){name} - {c}u", None)),
                      (1, (f"{name} * 1073741825u", None)), (1, (f"(unsigned char)({name} - {c})", None))]
        if array:
            mirrored = f"{n.text} - 1 - {name}"
            forms += [(8, (f"&{array.name}[{name}]", name)), (3, (f"{array.name} + {name}", name)),
                      (2, (f"&{array.name}[{mirrored}]", mirrored))]
            if array.row:
                forms += [(4, (f"&{array.name}[{name}][{r.randrange(array.row)}]", None))]
            path = self.forall_path(array)
            if path and not array.row:
                forms += [(3, (f"&{array.name}[{name}]{path}", name))]
        others = [d for d in self.declared if d is not array and Length(d.extent, True).holds(n)]
        if others:
            other = r.choice(others)
            forms += [(3, (f"&{other.name}[{name}]", None))]
        return self.pick(*forms)

    def forall_path(self, array):
        members = [m for m in getattr(array.element, "members", ()) if not m.bits and not m.record]
        if not members:
            return ""
        m = self.random.choice(members)
        return f".{m.name}" + "".join(f"[{self.random.randrange(d)}]" for d in m.dimensions)

    def inner_forall(self):
        """A upc_forall in an iteration of another does not divide the work."""
        if self.cost > 60:
            return self.store()
        name, n = self.new_name("j"), Length(self.random.randint(2, 6))
        index = Variable(name, n, "int", assignable=False, plain=False)
        view = self.view(shared=True, row=False)
        affinity = self.random.choice((name, f"{name} + 1", "continue", "",
                                       f"&{self.element(view)}" if view else name))
        return [Node(f"upc_forall ({self.uniform_head(n, name, 'int')}; {affinity}) {{",
                     self.forall_body(index, [], n, self.dividing))]

    # ---- jumps ----

    def jump(self):
        self.depth += 1
        collective, self.collective = self.collective, False
        label = self.new_name("in") + f"_{self.id}"
        form = self.random.choice(("forward", "back", "into", "into", "case", "duff"))
        saved = self.cost
        if form == "forward":
            nodes = [Node("{", [Node(f"if ({self.condition()}) goto {label};"), *self.body(1),
                                Node(f"{label}: ;", fixed=True)])]
        elif form == "back":
            w, n = self.new_name("w"), self.random.randint(2, 4)
            self.cost *= n
            counter = Variable(w, Length(n), "int", assignable=False, plain=False)
            self.variables = self.variables + [counter]
            body = self.body(2)
            self.variables = self.variables[:-1]
            nodes = [Node("{", [Node(f"int {w} = 0;"), Node(f"{label}: ;", fixed=True), *body,
                                Node(f"if (++{w} < {n}) goto {label};")])]
            nodes[0].body[-1].head = f"if ({w} + 1 < {n}) {{ {w}++; goto {label}; }}"
        elif form == "into":
            test, body = self.guard(entered=True)
            nodes = [Node("{", [Node(f"if ({self.condition()}) goto {label};"),
                                Node(f"if ({test}) {{", [Node(f"{label}: ;", fixed=True), *body, *self.body(1)])])]
        elif form == "case":
            test, body = self.guard(entered=True)
            nodes = [Node(f"switch ({self.value(1)} % 3u) {{",
                          [Node("case 0: ;", fixed=True),
                           Node(f"if ({test}) {{", [Node("case 1: ;", fixed=True), *body, *self.body(1)]),
                           Node("default: ;", fixed=True)])]
        else:
            name, n = self.new_name("i"), self.extent()
            self.cost *= self.trips(n)
            index = Variable(name, n, "int", assignable=False, plain=False)
            saved_variables, self.variables = self.variables, self.variables + [index]
            before, after = self.body(1), self.body(1)
            self.variables = saved_variables
            nodes = [Node("{", [Node(f"int {name} = 0;"),
                                Node(f"switch ({self.value(1)} % 2u) {{",
                                     [Node("case 0: ;", fixed=True),
                                      Node(f"for ({name} = 0; {name} < {n.text}; {name}++) {{",
                                           [*before, Node("case 1: ;", fixed=True), *after])])])]
        self.cost = saved
        self.collective = collective
        self.depth -= 1
        return nodes
