"""Random expressions: subscripts that stay in bounds, values that do not overflow, places in shared memory."""
from model import Length, Scalar, Struct, Variable


class Expressions:
    """Part of Case (program.py), which has `random`, `variables`, `views`, `arrays` and `on(feature)`."""

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, *weighted):
        """One of (weight, value) pairs."""
        point = self.random.randrange(sum(weight for weight, _ in weighted))
        for weight, value in weighted:
            point -= weight
            if point < 0:
                return value
        raise AssertionError

    # ---- subscripts ----

    def index(self, length, uniform=False):
        """Text whose value is at least 0 and below the length. Subscripts in subscripts are simple."""
        self.nesting += 1
        text = self.subscript_text(length, uniform)
        self.nesting -= 1
        return text

    def subscript_text(self, length, uniform):
        r, n, depth = self.random, length.count, self.nesting - 1
        usable = [v for v in self.variables if length.holds(v.bound) and (v.uniform or not uniform)]
        forms = [(1, "constant")]
        if usable:
            forms += [(10, "plain"), (3, "mirror"), (3, "offset"), (3, "scaled"), (3, "converted"), (2, "sum")]
        if not uniform and depth == 0:
            forms += [(2, "modulus")]
            if length.times_threads:
                forms += [(3, "block"), (3, "cyclic"), (2, "neighbour")]
            if self.arrays:
                forms += [(3, "array")]
        v = None
        if usable:
            v = usable[-1] if self.chance(35) else r.choice(usable)
        match self.pick(*forms):
            case "plain":
                return v.text
            case "mirror":
                return f"{length.text} - 1 - {v.text}"
            case "offset":
                room = n - v.bound.count
                if room <= 0:
                    return v.text
                c = r.randint(1, room)
                return r.choice((f"{v.text} + {c}", f"{c} + {v.text}", f"{v.text} - -{c}", f"({v.text} + {c - 1}) + 1"))
            case "scaled":
                a = n // v.bound.count
                if a < 2:
                    return v.text
                a = r.randint(2, min(a, 4))
                d = r.randrange(a)
                return r.choice((f"{a} * {v.text} + {d}", f"{v.text} * {a} + {d}", f"{d} + {v.text} * {a}",
                                 f"{v.text} * {a} + {a - 1} - {a - 1 - d}"))
            case "converted":
                return self.converted(v, length)
            case "sum":
                w = r.choice(usable)
                if v.bound.times_threads or w.bound.times_threads:
                    return v.text
                if v.bound.count * w.bound.count <= n and self.chance(60):
                    return f"{w.bound.count} * {v.text} + {w.text}"
                if v.bound.count + w.bound.count - 1 <= n:
                    return f"{v.text} + {w.text}"
                return v.text
            case "modulus":
                return f"{self.value(r.randrange(2))} % ({length.text})"
            case "block":
                return f"MYTHREAD * {n} + {self.index(Length(n), uniform)}"
            case "cyclic":
                return f"({self.index(Length(n), uniform)}) * THREADS + MYTHREAD"
            case "neighbour":
                return f"(MYTHREAD + {r.randint(1, 3)}) % THREADS * {n} + {self.index(Length(n), uniform)}"
            case "array":
                fitting = [a for a in self.arrays if length.holds(a.bound)]
                if not fitting:
                    return str(r.randrange(n))
                a = r.choice(fitting)
                if self.chance(15):
                    values = ", ".join(str(r.randrange(n)) for _ in range(3))
                    return f"((int[]){{{values}}})[{self.index(Length(3))}]"
                return f"{a.text}[{self.index(Length(a.extent))}]"
        return str(r.randrange(n))

    def converted(self, v, length):
        """The variable's value by way of conversions, some of which wrap on the way."""
        c = self.random.randint(1, 9)
        forms = [f"(long){v.text}", f"(unsigned){v.text}", f"(short)({v.text})", f"(unsigned long){v.text}",
                 f"(long){v.text} + {c} - {c}", f"(int)((unsigned){v.text} + {c}u) - {c}"]
        if self.on("wrap"):
            forms += [f"(unsigned){v.text} - {c}u + {c}u", f"(unsigned char)({v.text} + 256)",
                      f"(unsigned)({v.text} - {c}) + {c}", f"(unsigned short)({v.text} - 65536)",
                      f"{c}u + ((unsigned){v.text} + {2 ** 32 - c}u)", f"(signed char)({v.text} + {256 * c})"]
        if self.on("shadow") and self.chance(30):
            return f"(index_t){v.text}"
        return self.random.choice(forms)

    # ---- values ----

    def value(self, depth=2):
        """An unsigned value. Its operands have no side effects, so their order does not matter."""
        r = self.random
        if depth <= 0 or self.chance(25):
            forms = [(2, "constant"), (2, "thread"), (2, "sum")]
            if self.variables:
                forms += [(5, "variable")]
            if self.views:
                forms += [(12, "read")]
            match self.pick(*forms):
                case "variable":
                    return f"(unsigned){r.choice(self.variables).text}"
                case "thread":
                    return r.choice(("(unsigned)MYTHREAD", "(unsigned)THREADS", "(MYTHREAD + 5u)"))
                case "read":
                    return self.read()
                case "sum":
                    return "u"
            return f"{r.randrange(64)}u"
        a = self.value(depth - 1)
        match self.pick((6, "add"), (3, "mix"), (2, "shift"), (1, "conditional"), (1, "shared"), (1, "guard"),
                        (1, "statement")):
            case "add":
                return f"({a} {r.choice('+-^*&|')} {self.value(depth - 1)})"
            case "mix":
                return f"({a} * {r.randrange(3, 99, 2)}u)"
            case "shift":
                return f"({a} {r.choice(('<<', '>>'))} {r.randrange(1, 9)})"
            case "conditional":
                return f"({self.condition()} ? {a} : {self.value(depth - 1)})"
            case "guard":
                return self.guarded_read() or a
            case "statement":
                if self.on("statement-expression"):
                    return f"({{ const unsigned e_ = {a}; e_ + {r.randrange(9)}u; }})"
                return a
            case "shared":
                view = self.view()
                if view is None or not view.shared or view.row:
                    return a
                return f"(unsigned)upc_threadof(&{self.element(view)})"
        raise AssertionError

    def read(self, **wanted):
        place = self.place(**wanted)
        return place[1].read(place[0]) if place else f"{self.random.randrange(9)}u"

    def guarded_read(self):
        """A read that is in bounds only where the test before it says so."""
        view = self.view()
        loops = [v for v in self.variables if view and view.length.holds(v.bound)]
        if not loops or view.row:
            return None
        v = self.random.choice(loops)
        c = self.random.randint(1, 2)
        down = self.chance(60) or view.length.times_threads != v.bound.times_threads
        at = f"{v.text} - {c}" if down else f"{v.text} + {c}"
        test = f"{v.text} >= {c}" if down else f"{v.text} + {c} < {view.length.text}"
        path, scalar = self.path(view.element)
        read = scalar.read(f"{self.base(view)}[{view.at(at)}]{path}")
        return f"({test} ? {read} : 7u)" if self.chance(60) else f"(unsigned)({test} && {read})"

    def condition(self):
        r = self.random
        forms = [(4, "parity"), (2, "compare"), (2, "thread")]
        if self.variables:
            forms += [(4, "variable")]
        match self.pick(*forms):
            case "variable":
                v = r.choice(self.variables)
                return f"{v.text} {r.choice(('<', '>', '==', '!=', '<=', '>='))} {r.randrange(v.bound.count + 1)}"
            case "compare":
                return f"{self.value(1)} {r.choice(('<', '>', '!='))} {self.value(0)}"
            case "thread":
                return r.choice(("MYTHREAD == 0", "MYTHREAD != THREADS - 1", "(MYTHREAD & 1)"))
        return f"({self.value(1)} & {r.choice((1, 1, 2, 3))}u)"

    # ---- places ----

    def view(self, write=False, local=None, shared=None, record=None, row=None, block=None):
        fitting = [v for v in self.views
                   if (v.writable or not write) and (local is None or v.local == local)
                   and (shared is None or v.shared == shared)
                   and (record is None or isinstance(v.element, Struct) == record)
                   and (row is None or bool(v.row) == row) and (block is None or v.block == block)]
        return self.random.choice(fitting) if fitting else None

    def base(self, view):
        """The text of the array or pointer through which a view is reached."""
        return view.name.replace("#", self.index(view.choose)) if view.choose else view.name

    def element(self, view):
        """The text of one element (or of one row) of a view."""
        name, at = self.base(view), view.at(self.subscript(view))
        plain = view.template == "@" and view.shared and not view.row
        forms = [(30, f"{name}[{at}]"), (5, f"(*({name} + ({at})))"), (5, f"(*&{name}[{at}])")]
        if view.cursor is not None or view.length.count == 1 and view.template == "@":
            forms.append((20, f"(*{name})"))
        if plain and self.on("sequence"):
            others = [v for v in self.views if v.template == "@" and v.shared and not v.row
                      and v.element == view.element and v.block == view.block
                      and v.length.holds(view.length) and v.writable == view.writable]
            other = self.base(self.random.choice(others))
            forms += [(3, f"({self.condition()} ? {name} : {other})[{at}]"),
                      (self.on("comma-pointer"), f"((void)u, {name})[{at}]"),
                      (1, f"({at})[{name}]")]
        return self.pick(*forms)

    def subscript(self, view):
        text = self.index(view.length)
        return text if view.template == "@" else f"({text})"

    def path(self, element):
        """From an element to a scalar in it: the text and the scalar's type."""
        if isinstance(element, Scalar):
            return "", element
        m = self.random.choice(element.members)
        text = f".{m.name}" + "".join(f"[{self.index(Length(d))}]" for d in m.dimensions)
        if m.record:
            inner, scalar = self.path(m.record)
            return text + inner, scalar
        return text, m.scalar

    def place(self, write=False, **wanted):
        """(text, Scalar) of a scalar object, or None."""
        view = self.view(write=write, **wanted)
        if view is None:
            return None
        base = self.element(view)
        if view.row:
            base = f"{base}[{self.index(Length(view.row))}]"
        path, scalar = self.path(view.element)
        if path and base.endswith("]") and not view.row and self.chance(25):
            return f"(&{base})->{path[1:]}", scalar
        return base + path, scalar

    def array_place(self, view):
        """(text of the first element, Scalar, how many follow) of a member array of an element."""
        if not isinstance(view.element, Struct):
            return None
        found = [m for m in view.element.members if m.dimensions and not m.record]
        if not found:
            return None
        m = self.random.choice(found)
        base = f"{self.element(view)}.{m.name}"
        base += "".join(f"[{self.index(Length(d))}]" for d in m.dimensions[:-1])
        return base, m.scalar, m.dimensions[-1]

    def new_name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def declare(self, text, bound, **how):
        variable = Variable(text, bound, **how)
        self.variables.append(variable)
        return variable
