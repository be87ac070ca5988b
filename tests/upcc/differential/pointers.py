"""Random statements about pointers: private casts, tests of affinity, cursors, lists."""
from model import IfElse, Length, Node, Struct, View


class Pointers:
    """Part of Case (program.py)."""

    # ---- private casts of own elements and members ----

    def own_array(self):
        """(first place, Scalar, how many lie together) in this thread's own shared memory."""
        found = [v for v in self.views if v.local and v.shared]
        if not found:
            return None
        view = self.random.choice(found)
        if isinstance(view.element, Struct):
            found = self.array_place(view)
            return found and (*found, view.writable)
        if view.row:
            return f"{self.element(view)}", view.element, view.row, view.writable
        if view.template.startswith("MYTHREAD *"):
            return f"{view.name} + MYTHREAD * {view.length.count}", view.element, view.length.count, view.writable
        if view.template == "@" and view.block == 0 and not view.choose:
            return view.name, view.element, view.length.count, view.writable
        if "@" not in view.template:  # the element that an iteration of upc_forall has affinity to
            return f"(&{view.name}[{view.template}])", view.element, 1, view.writable
        return None

    def private_pointers(self):
        """An array of private pointers to own elements, made in one loop and used in others."""
        own = self.own_array()
        if own is None or self.cost > 30:
            return self.private_cast()
        base, scalar, n, writable = own
        name, i = self.new_name("lp"), self.new_name("i")
        a = self.random.randint(1, max(1, n // 2))
        count = max(1, (n - 1) // a + 1) if a > 1 else n
        d = self.random.randrange(max(1, n - a * (count - 1)))
        steps = (f"{a} * {i} + {d}", f"{i} * {a} + {d}", f"{d} + {a} * {i}") if a > 1 or d else (i,)
        if a == 1 and d:
            count = n - d
        at = self.random.choice(steps)
        place = f"{base}[{at}]" if "+" not in base else f"({base})[{at}]"
        cast = self.random.choice((f"({scalar.name} *)&{place}", f"({scalar.name} *)({base} + ({at}))",
                                   f"({scalar.name} *)&{place}", f"({scalar.name} *)&{place}"))
        make = self.random.choice((f"{name}[{i}] = {cast};", f"{scalar.name} *q = {cast}; {name}[{i}] = q;"))
        self.depth += 1
        saved = list(self.views)
        uses = []
        for _ in range(self.random.randint(1, 2)):
            j = self.new_name("i")
            value = scalar.read(f"*{name}[{j}]")
            use = f"u = u * 31u + {value};"
            if writable and self.chance(50):
                use = self.store_text((f"*{name}[{j}]", scalar), f"{value} + {self.value(1)}")
            uses.append(Node(f"for (int {j} = 0; {j} < {count}; {j}++) {{", [Node(use)]))
        if writable and self.chance(50):
            k = self.random.randrange(count)
            uses.insert(self.random.randrange(len(uses) + 1), Node(self.store_text((f"*{name}[{k}]", scalar))))
        nodes = [Node("{", [Node(f"{scalar.name} *{name}[{count}];", fixed=True),
                            Node(f"for (int {i} = 0; {i} < {count}; {i}++) {{", [Node(make, fixed=True)], fixed=True),
                            *uses, *self.body(1)])]
        self.views = saved
        self.depth -= 1
        return nodes

    def private_cast(self):
        """A private pointer into own memory, used beside the shared way to it."""
        own = self.own_array()
        if own is None:
            return self.store()
        base, scalar, n, writable = own
        name = self.new_name("q")
        first = self.random.randrange(n)
        at = self.index(Length(n)) if self.chance(40) else None
        if at is not None:
            # One element, wherever that is.
            place = f"{base}[{at}]" if "+" not in base else f"({base})[{at}]"
            if self.chance(40):
                target = (f"*({scalar.name} *)&{place}", scalar)
                if writable:
                    return [Node(self.store_text(target))]
                return [Node(f"u = u * 3u + {scalar.read(target[0])};")]
            pointer, length = f"({scalar.name} *)&{place}", Length(1)
        else:
            pointer, length = f"({scalar.name} *)({base} + {first})", Length(n - first)
            if "+" not in base:
                pointer = self.random.choice((pointer, f"({scalar.name} *)&{base}[{first}]",
                                              f"({scalar.name} *){base} + {first}"))
        self.depth += 1
        saved = list(self.views)
        self.views += [View(name, scalar, 0, length, writable=writable, local=True, shared=False)] * 3
        declaration = f"{scalar.name} *{name} = {pointer};"
        if self.chance(20):
            holder = self.new_name("h")
            declaration = self.random.choice((
                f"struct {{ int n; {scalar.name} *q; }} {holder} = {{1, {pointer}}}; "
                f"{scalar.name} *const {name} = {holder}.q;",
                f"{scalar.name} *{holder}[2] = {{NULL, {pointer}}}; {scalar.name} *const {name} = {holder}[1];"))
        nodes = [Node("{", [Node(declaration), *self.body(self.random.randint(1, 3))])]
        self.views = saved
        self.depth -= 1
        return nodes

    # ---- tests of affinity ----

    def guard(self, entered=False):
        """(test, statements): a test that some element is this thread's, and uses of that element; what the element
        depends on may change in the test, or in the statements. `entered`: control may come to the statements past
        the test, so they cast no address to a private pointer."""
        view = self.view(shared=True, row=False)
        if view is None:
            return self.condition(), self.body(1)
        cursors = [v for v in self.views if v.cursor is not None and v.shared]
        saved = self.variables
        change = []
        if cursors and self.chance(60):
            view = self.random.choice(cursors)
            pointer = view.name
            moves = [self.move_text(view)]
        else:
            variables = [v for v in self.variables if v.assignable and view.length.holds(v.bound)]
            if variables:
                v = self.random.choice(variables)
                pointer = f"&{self.base(view)}[{view.at(v.text)}]"
                moves = [self.change_text(v)]
            else:
                pointer = f"&{self.base(view)}[{view.at(self.index(view.length))}]"
                moves = []
        test = self.random.choice((f"upc_threadof({pointer}) == MYTHREAD", f"MYTHREAD == upc_threadof({pointer})",
                                   f"(int)upc_threadof({pointer}) == MYTHREAD"))
        if moves and self.on("threadof-change") and self.chance(60):
            change = [Node(moves[0])]
        expression = moves and "=" in moves[0] and moves[0].count(";") == 1 and not moves[0].startswith("if")
        if expression and self.on("threadof-condition") and self.chance(30):
            test += f" && ({moves[0][:-1]}, 1)"
        elif self.chance(30):
            test = f"{test} && {self.condition()}" if self.chance(50) else f"{self.condition()} && {test}"
        before = self.tested_use(view, pointer, not (entered or change or test.endswith(", 1)")))
        after = self.tested_use(view, pointer, False)
        self.variables = saved
        return test, [*before, *change, *after]

    def tested_use(self, view, pointer, unchanged):
        path, scalar = self.path(view.element)
        if path:
            text = self.random.choice((f"({pointer})->{path[1:]}", f"(*{pointer}){path}", f"(*{pointer}){path}"
                                       if pointer[0] != "&" else f"{pointer[1:]}{path}"))
        else:
            text = f"*{pointer}" if pointer[0] != "&" or self.chance(50) else pointer[1:]
        cast = unchanged and self.on("private-cast") and "&" not in pointer[1:] and self.chance(30)
        if cast and not any(m.bits and path == f".{m.name}" for m in getattr(view.element, "members", ())):
            text = f"*({scalar.name} *)&{text}"
        if view.writable and self.chance(60):
            return [Node(self.store_text((text, scalar)))]
        return [Node(f"u = u * 31u + {scalar.read(text)};")]

    def threadof_test(self):
        if self.chance(20):
            return self.conditional_test()
        self.depth += 1
        collective, self.collective = self.collective, False
        test, body = self.guard()
        if self.chance(60):
            body = body + self.body(1)
        self.collective = collective
        self.depth -= 1
        return [Node(f"if ({test}) {{", body)]

    def conditional_test(self):
        """A test of the thread of a member, in an if or in an expression."""
        view = self.view(shared=True, row=False)
        variables = [v for v in self.variables if v.assignable and view and view.length.holds(v.bound)]
        if not variables:
            return self.store()
        v = self.random.choice(variables)
        element = f"{self.base(view)}[{view.at(v.text)}]"
        member, scalar = self.path(view.element)
        if any(m.bits and member == f".{m.name}" for m in getattr(view.element, "members", ())):
            return self.store()
        place = element + member
        own = f"upc_threadof(&{place}) == MYTHREAD"
        if self.chance(40):
            return [Node(f"u = u * 3u + ({own} ? {scalar.read(place)} : 5u);")]
        use = f"u = u * 3u + {scalar.read(place)};"
        if view.writable and self.chance(50):
            use = self.store_text((place, scalar))
        change = [Node(self.change_text(v)), Node(use)] if self.on("threadof-change") and self.chance(50) else []
        nodes = [Node(use), *change]
        if self.on("private-cast") and self.chance(40):
            nodes.insert(0, Node(f"u = u * 5u + {scalar.read(f'*({scalar.name} *)&{place}')};"))
        return [IfElse(Node(f"if ({own}) {{", nodes), Node("", [Node(use)]))] if self.chance(50) else \
            [Node(f"if ({own}) {{", nodes)]

    # ---- cursors ----

    def running_pointer(self):
        """A cursor that moves as it is used."""
        cursors = [v for v in self.views if v.cursor is not None and v.shared and v.length.count > 1]
        if not cursors:
            return self.change()
        v = self.random.choice(cursors)
        path, scalar = self.path(v.element)
        up = self.chance(60)
        test = f"{v.name} - {v.cursor.name} < {v.length.count - 1}" if up else f"{v.name} > {v.cursor.name}"
        c = "+" if up else "-"
        moved = self.random.choice((f"(*{v.name}{c}{c}){path}", f"(*{c}{c}{v.name}){path}",
                                    f"(*({v.name} {c}= 1)){path}"))
        # The value must not name the cursor: nothing orders it and the step.
        value = f"{self.random.randrange(99)}u + u"
        use = f"u = u * 3u + {scalar.read(moved)};" if not v.writable or self.chance(50) else \
            self.store_text((moved, scalar), value)
        return [Node(f"if ({test}) {{", [Node(use)])]

    def pointer_loop(self):
        """A loop whose index is a pointer-to-shared."""
        view = self.view(shared=True, row=False)
        if view is None or view.cursor is not None or view.choose or view.template != "@" \
                or self.trips(view.length) * self.cost > 200:
            return self.store()
        name = self.new_name("p")
        low = self.random.randrange(view.length.count)
        path, scalar = self.path(view.element)
        place = f"(*{name})"
        type_ = f"{view.shared_type()} *{name}"
        head = self.random.choice((
            f"{type_} = {view.name} + {low}; {name} < {view.name} + {view.length.text}; {name}++",
            f"{type_} = {view.name} + ({view.length.text} - 1); {name} >= {view.name} + {low}; {name}--",
            f"{type_} = &{view.name}[{low}]; {name} - {view.name} < {view.length.text}; {name} += 2",
            f"{type_} = &{view.name}[{low}]; {name} != {view.name} + {view.length.text}; ++{name}"))
        use = f"u = u * 31u + {scalar.read(place + path)};"
        if view.writable and self.chance(60):
            use = self.store_text((place + path, scalar))
        return [Node(f"for ({head}) {{", [Node(use), *self.inside(self.trips(view.length), [], 1)])]

    # ---- lists ----

    def list_walk(self):
        """Along a linked list, with tests of affinity on the way. The list has no more than 8 nodes."""
        if self.nodes is None or self.cost > 12:
            return self.store()
        view, p = self.nodes, self.new_name("p")
        path, scalar = self.path(view.element)
        at = f"{p}->{path[1:]}"
        uses = [f"u = u * 31u + {scalar.read(at)};"]
        if view.writable:
            uses += [self.store_text((at, scalar)), self.store_text((f"(*{p}){path}", scalar))]
        use, after = self.random.choice(uses), self.random.choice(uses)
        own = self.random.choice((f"upc_threadof({p}) == MYTHREAD", f"MYTHREAD == upc_threadof({p})"))
        declaration = f"{view.shared_type()} *{p} = &{view.name}[{self.random.randrange(2)}]"
        inner = [Node(use)]
        if self.on("threadof"):
            inner = [Node(f"if ({own}) {{", [Node(use)])]
        steps = [Node(f"{p} = {p}->next;")]
        if self.on("threadof-condition"):
            nested = [Node(f"if ({p} != NULL && {own} && ({p} = {p}->next) != NULL) {{", [Node(after)])]
            # The walk goes on by itself where the test does not.
            inner = self.random.choice((inner, [*nested, Node(f"if ({p} == NULL) break;")]))
        if self.on("threadof-change"):
            change = [Node(use), Node(f"{p} = {p}->next;"), Node(f"if ({p} == NULL) break;"), Node(after)]
            inner = self.random.choice((inner, [Node(f"if ({own}) {{", change)]))
        collective, self.collective = self.collective, False  # how far a thread goes is its own affair
        body = [*inner, *(self.body(1) if self.chance(40) else []), *steps]
        self.collective = collective
        head = self.random.choice(("while", "for"))
        if head == "while":
            return [Node("{", [Node(f"{declaration};"), Node(f"while ({p} != NULL) {{", body)])]
        return [Node(f"for ({declaration}; {p} != NULL; {p} = {p}->next) {{", body[:-1])]
