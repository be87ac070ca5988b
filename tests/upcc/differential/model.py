"""What random UPC programs are made of: element types, structures, ways to reach shared memory, statements."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Length:
    """A number of elements: `count`, or `count * THREADS`. Whatever is below `count` is below both."""
    count: int
    times_threads: bool = False

    def holds(self, other):
        return other.count <= self.count and (self.times_threads or not other.times_threads)

    @property
    def text(self):
        return f"{self.count} * THREADS" if self.times_threads else str(self.count)


@dataclasses.dataclass(frozen=True)
class Scalar:
    name: str
    size: int
    floating: bool = False

    def read(self, text):
        """The value as unsigned. A floating-point value gives its bits: no conversion overflows."""
        return f"bits({text})" if self.floating else f"(unsigned)({text})"

    def written(self, text):
        """An unsigned value for a store. Small integers keep floating-point sums exact enough to be the same."""
        return f"(double)(({text}) & 1023u)" if self.floating else text


SCALARS = (Scalar("char", 1), Scalar("signed char", 1), Scalar("unsigned char", 1), Scalar("short", 2),
           Scalar("unsigned short", 2), Scalar("int", 4), Scalar("int", 4), Scalar("unsigned", 4), Scalar("long", 8),
           Scalar("unsigned long", 8), Scalar("long long", 8), Scalar("float", 4, True), Scalar("double", 8, True),
           Scalar("double", 8, True))


@dataclasses.dataclass(frozen=True)
class Member:
    name: str
    scalar: Scalar = None
    dimensions: tuple = ()
    record: object = None  # a Struct, for a member that is one (or an array of them)
    bits: int = 0


@dataclasses.dataclass(frozen=True)
class Struct:
    tag: str
    members: tuple
    link: str = ""  # the text of a pointer-to-shared member, declared last but for bit-fields

    @property
    def name(self):
        return f"struct {self.tag}"

    def text(self):
        out = []
        for m in self.members:
            if m.bits:
                continue
            dimensions = "".join(f"[{d}]" for d in m.dimensions)
            out.append(f"{m.record.body() if m.record else m.scalar.name} {m.name}{dimensions};")
        if self.link:
            out.append(self.link)
        out += [f"{m.scalar.name} {m.name} : {m.bits};" for m in self.members if m.bits]
        return f"struct {self.tag} {{ {' '.join(out)} }};"

    def body(self):
        return self.text()[:-1].replace(f"struct {self.tag} ", "struct ", 1)

    def layout(self):
        """(size, alignment, mask): the mask has '1' for each byte that belongs to a member, up to the link."""
        mask, alignment = "", 1
        for m in self.members:
            if m.bits:
                continue
            size, align, inner = m.record.layout() if m.record else (m.scalar.size, m.scalar.size, "1" * m.scalar.size)
            alignment = max(alignment, align)
            mask += "0" * (-len(mask) % align)
            count = 1
            for d in m.dimensions:
                count *= d
            mask += inner.ljust(size, "0") * count
        if self.link or any(m.bits for m in self.members):
            alignment = max(alignment, 8 if self.link else 4)
        return len(mask) + -len(mask) % alignment, alignment, mask


@dataclasses.dataclass
class View:
    """A way to reach elements that this thread may read, and write where `writable`, in the current phase."""
    name: str              # an array or pointer; elements are name[at(index)], index below length
    element: object        # Scalar or Struct
    block: int             # block size of the pointed-to type; 0 is indefinite
    length: Length
    template: str = "@"  # of a subscript
    writable: bool = True
    local: bool = False    # all of its elements have affinity to this thread
    row: int = 0           # an element is an array of so many
    shared: bool = True    # else a private pointer
    cursor: object = None  # the view that this pointer walks in
    choose: Length = None  # the name has a # for an index below this

    def at(self, index):
        return self.template.replace("@", index)

    def shared_type(self):
        return f"shared [{self.block}] {self.element.name}" if self.block else f"shared [] {self.element.name}"


@dataclasses.dataclass
class Variable:
    """An integer that is never negative and always below `bound`."""
    text: str
    bound: Length
    type: str = "int"
    assignable: bool = True
    plain: bool = True     # & may be applied to it
    uniform: bool = False  # the same on all threads at a time


class Node:
    """A statement: one line, or a head with statements in braces. What is fixed must stay when a program is reduced."""

    def __init__(self, head, body=None, tail="}", fixed=False):
        self.head, self.body, self.tail, self.fixed = head, body, tail, fixed

    def lines(self, indent):
        space = "  " * indent
        if self.body is None:
            return [space + self.head]
        out = [space + self.head]
        for node in self.body:
            out += node.lines(indent + 1)
        return out + [space + self.tail]


class IfElse(Node):
    """Two blocks that stay or go together."""

    def __init__(self, then, otherwise):
        super().__init__(then.head, then.body + [Node("} else {", fixed=True)] + otherwise.body)
