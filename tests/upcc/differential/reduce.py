"""Takes statements away from a program as long as it still prints something else in one of the ways it is compiled."""
import pathlib

from generate import program


class Reduction:
    def __init__(self, tester, case, seed, builds):
        self.tester, self.case, self.seed, self.builds = tester, case, seed, builds
        self.way = None  # (build, threads, mapped) that differs
        self.source = tester.directory / f"reduce{seed}_{case.id}.upc"

    def text(self):
        return program(self.seed, [], (), [self.case])

    def outcome(self, build, threads, mapped):
        binary, said = self.tester.compile(self.source, build)
        if binary is None:
            return "rejected"
        code, out, _ = self.tester.launch(binary, threads, mapped)
        return out if code == 0 else f"exit code {code}"

    def differs(self):
        self.source.write_text(self.text())
        candidates = [self.way] if self.way else [(b, t, m) for b in self.builds[1:] for t, m in b.runs]
        right = {}
        for build, threads, mapped in candidates:
            if threads not in right:
                right[threads] = self.outcome(self.builds[0], threads, True)
            if right[threads] == "rejected" or right[threads].startswith("exit"):
                continue
            if self.outcome(build, threads, mapped) != right[threads]:
                self.way = build, threads, mapped
                return True
        return False

    def lists(self):
        """Everything statements can be taken from."""
        def below(nodes):
            yield nodes
            for node in nodes:
                if node.body is not None:
                    yield from below(node.body)
        yield from below(self.case.main)
        for _, body in self.case.functions:
            yield from below(body)

    def take_away(self):
        changed = False
        for nodes in list(self.lists()):
            size = len(nodes)
            while size:
                at = 0
                while at < len(nodes):
                    removed = nodes[at:at + size]
                    if not any(node.fixed for node in removed):
                        nodes[at:at + size] = []
                        if self.differs():
                            changed = True
                            continue
                        nodes[at:at] = removed
                    at += size
                size //= 2
        for lines in (self.case.outside, self.case.functions):
            for at in reversed(range(len(lines))):
                removed = lines.pop(at)
                if self.differs():
                    changed = True
                else:
                    lines.insert(at, removed)
        return changed

    def simplify(self):
        """Smaller expressions: what stands in parentheses becomes 1 or 0, or goes."""
        changed = False
        for nodes in list(self.lists()):
            for node in nodes:
                if "sizeof" in node.head:  # what is allocated, filled and hashed
                    continue
                at = 0
                while (at := node.head.find("(", at)) >= 0:
                    end = closing(node.head, at)
                    whole = node.head
                    for text in ("(1u)", "(0u)") if whole[at:end] not in ("(1u)", "(0u)") and end > at else ():
                        node.head = whole[:at] + text + whole[end:]
                        if self.differs():
                            changed = True
                            break
                        node.head = whole
                    at += 1
        return changed

    def write(self, directory):
        if not self.differs():
            print("no difference any more")
            return
        while self.take_away() or self.simplify():
            pass
        self.differs()
        path = pathlib.Path(directory) / f"seed{self.seed}_case{self.case.id}.upc"
        build, threads, mapped = self.way
        path.write_text(f"/* {build.name(threads, mapped)} is not as -O0 */\n" + self.text())
        print(f"{path}: {build.name(threads, mapped)}")


def closing(text, at):
    depth = 0
    for end in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return end + 1
    return at
