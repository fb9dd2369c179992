"""Random templates over the language. The same seed gives the same templates."""
import random

import conversations

TEXTS = ["", "a", "Hello", " two words ", "<b>&'\"", "\u00e9\u00df\u96e8", "x,y,,z", "line\nline", "ABC",
         "%", "{}", "12", "-4.5", "\t tab", "\\"]
WORDS = ["alpha", "beta", "role", "x1"]


class Writer:
    def __init__(self, rng):
        self.rng = rng
        self.depth = 0
        self.loops = 0
        self.macros = []
        self.strings = ["s", "u", "e", "lines", "html"]
        self.numbers = ["n", "z", "m", "f"]
        self.lists = ["l", "ls", "ll"]
        self.dicts = ["d", "rows[0]"]

    def pick(self, *choices):
        return self.rng.choice(choices)

    def literal(self, text):
        quote = self.pick("'", '"')
        text = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
        return quote + text.replace("\n", "\\n") + quote

    def deep(self):
        return self.depth > 4 or self.rng.random() < 0.25

    def string(self):
        self.depth += 1
        try:
            if self.deep():
                return self.pick(self.literal(self.rng.choice(TEXTS)),
                                 self.rng.choice(self.strings))
            return self.rng.choice([
                lambda: f"{self.string()} ~ {self.any()}",
                lambda: f"({self.string()} + {self.string()})",
                lambda: f"({self.string()}){self.slice()}",
                lambda: f"({self.string()}) * {self.pick(0, 1, 2, 3)}",
                lambda: f"({self.string()})|{self.string_filter()}",
                lambda: f"({self.string()}).{self.string_method()}",
                lambda: f"({self.list()})|map('string')|join({self.literal(self.pick(',', ' ', ''))})",
                lambda: f"({self.string()} if {self.condition()} else {self.string()})",
                lambda: f"({self.any()})|tojson",
                lambda: f"({self.any()})|string",
                lambda: f"'%s-%d' % ({self.any()}, {self.integer()})",
                lambda: f"'{{}}:{{}}'.format({self.any()}, {self.any()})",
                lambda: f"({self.dict()}).get({self.literal(self.pick('b', 'A', 'q'))}, 'none')",
                lambda: f"({self.any()})|default({self.string()})",
            ])()
        finally:
            self.depth -= 1

    def string_filter(self):
        return self.rng.choice([
            "upper", "lower", "title", "capitalize", "trim", "reverse", "string", "length",
            f"replace({self.literal(self.pick('l', 'a', ' ', ''))}, {self.string()})",
            "trim('aH ')", "indent(2)", "indent(1, true)", "center(12)", "e", "wordcount",
            "truncate(6)", "truncate(5, true)", "default('x', true)", "urlencode", "safe|string",
            "list|join('.')", "first", "last", "int", "float", "int(3)", "tojson", "forceescape",
        ])

    def string_method(self):
        return self.rng.choice([
            "upper()", "lower()", "strip()", "lstrip()", "rstrip()", "strip('aHo')", "title()",
            "capitalize()", "split()", "split(',')", "split('l', 1)", "rsplit(' ', 1)", "splitlines()",
            "startswith('H')", "endswith(('d', 'o'))", "find('l')", "rfind('l')", "count('l')",
            "replace('l', 'LL')", "replace('', '-')", "replace('l', '', 1)", "swapcase()",
            "isdigit()", "isalpha()", "isupper()", "islower()", "isspace()", "isalnum()",
            "ljust(8)", "rjust(8, '.')", "center(9, '*')", "zfill(6)", "partition('l')",
            "rpartition(' ')", "removeprefix('He')", "removesuffix('ld')", "expandtabs(4)",
            "split('l')[0]", "split(',')[-1]", "index('a')",
        ])

    def slice(self):
        bounds = [self.pick("", "", -3, -1, 0, 1, 2, 5, 100) for _ in range(2)]
        step = self.pick("", "", "", ":", ":2", ":-1", ":-2")
        return f"[{bounds[0]}:{bounds[1]}{step}]"

    def integer(self):
        self.depth += 1
        try:
            if self.deep():
                return str(self.pick(0, 1, 2, 3, 10, "n", "z", "m", "loop.index" if self.loops else 4,
                                     "loop.length" if self.loops else 5))
            return self.rng.choice([
                lambda: f"({self.integer()} {self.pick('+', '-', '*', '//', '%')} {self.integer()})",
                lambda: f"-({self.integer()})",
                lambda: f"({self.integer()}) ** {self.pick(0, 1, 2, 3)}",
                lambda: f"({self.list()})|length",
                lambda: f"({self.string()})|length",
                lambda: f"({self.integer()})|abs",
                lambda: f"({self.numbers_list()})|{self.pick('sum', 'min', 'max')}",
                lambda: f"({self.string()}).count('l')",
                lambda: f"({self.any()})|int",
            ])()
        finally:
            self.depth -= 1

    def number(self):
        return self.rng.choice([
            self.integer, self.integer, lambda: self.pick("f", "2.5", "1e3", "0.1", "1e22", "big"),
            lambda: f"({self.integer()} / {self.pick(1, 2, 3, 4)})",
            lambda: f"({self.number()})|round({self.pick('', 1, 2)})",
            lambda: f"({self.number()})|float",
            lambda: f"({self.number()})|round(1, {self.literal(self.pick('floor', 'ceil'))})",
        ])()

    def numbers_list(self):
        return self.pick("l", "[1, 2, 3]", "range(4)", "[2.5, 1]", "rows|map(attribute='v')|list")

    def list(self):
        self.depth += 1
        try:
            if self.deep():
                return self.pick("[]", "[1, 'a', none]", "(1, 'b')", *self.lists, "rows")
            return self.rng.choice([
                lambda: f"[{self.any()}, {self.any()}]",
                lambda: f"({self.any()}, {self.any()})",
                lambda: f"({self.list()}){self.slice()}",
                lambda: f"({self.list()})|list",
                lambda: f"({self.list()})|reverse|list",
                lambda: f"({self.numbers_list()})|sort",
                lambda: f"ls|sort(reverse={self.pick('true', 'false')})",
                lambda: f"ls|sort(case_sensitive=true)",
                lambda: f"rows|sort(attribute={self.literal(self.pick('v', 'n', 'n,v'))})",
                lambda: f"rows|map(attribute={self.literal(self.pick('v', 'n'))})|list",
                lambda: f"rows|map(attribute='k.z', default=0)|list",
                lambda: f"ls|map({self.literal(self.pick('upper', 'lower', 'length'))})|list",
                lambda: f"({self.list()})|select({self.literal(self.pick('string', 'number', 'none', 'defined', 'mapping'))})|list",
                lambda: f"({self.list()})|reject({self.literal(self.pick('string', 'number', 'none'))})|list",
                lambda: f"rows|selectattr('v', {self.literal(self.pick('gt', 'eq', 'lt', '>=', '!='))}, 2)|list",
                lambda: f"rows|{self.pick('selectattr', 'rejectattr')}('k')|list",
                lambda: f"({self.numbers_list()})|unique|list",
                lambda: f"({self.list()})|batch(2, 0)|list",
                lambda: f"({self.list()})|slice(2)|list",
                lambda: f"({self.dict()})|dictsort",
                lambda: f"({self.dict()})|items|list",
                lambda: f"({self.dict()}).{self.pick('keys', 'values', 'items')}()|list",
                lambda: f"({self.list()} + {self.list()})",
                lambda: f"range({self.pick('3', '1, 4', '5, 0, -2', '0')})|list",
                lambda: f"({self.string()}).split({self.literal(self.pick('l', ',', ' '))})",
                lambda: f"rows|groupby('n')|map('first')|list",
            ])()
        finally:
            self.depth -= 1

    def dict(self):
        self.depth += 1
        try:
            if self.deep():
                return self.pick("{}", "{'a': 1, 'b': 'x'}", *self.dicts)
            return self.rng.choice([
                lambda: f"{{'a': {self.any()}, {self.literal(self.pick('b', 'c d'))}: {self.any()}}}",
                lambda: f"{{1: {self.any()}, none: 2, true: 3, 2.5: 'f'}}",
                lambda: f"dict(a={self.any()}, b=2)",
                lambda: f"dict({self.dict()}, z=1)",
            ])()
        finally:
            self.depth -= 1

    def condition(self):
        self.depth += 1
        try:
            if self.deep():
                return self.pick("true", "false", "t", "n", "e", "none", "missing", "l", "loop.first"
                                 if self.loops else "z", "loop.last" if self.loops else "f")
            return self.rng.choice([
                lambda: f"({self.condition()} and {self.condition()})",
                lambda: f"({self.condition()} or {self.condition()})",
                lambda: f"not {self.condition()}",
                lambda: f"{self.integer()} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.integer()}",
                lambda: f"1 < {self.integer()} <= {self.integer()}",
                lambda: f"({self.any()}) == ({self.any()})",
                lambda: f"({self.literal(self.pick('a', 'l', ''))}) {self.pick('in', 'not in')} ({self.string()})",
                lambda: f"({self.any()}) in ({self.list()})",
                lambda: f"'b' in ({self.dict()})",
                lambda: f"({self.any()}) is {self.pick('', 'not ')}{self.test()}",
                lambda: f"missing is {self.pick('defined', 'undefined', 'none', 'string', 'iterable')}",
                lambda: f"({self.integer()}) is {self.pick('odd', 'even', 'divisibleby 3', 'gt(2)', 'eq 1', 'in [1, 2]')}",
                lambda: f"({self.string()}) is {self.pick('lower', 'upper')}",
            ])()
        finally:
            self.depth -= 1

    def test(self):
        return self.pick("string", "mapping", "sequence", "iterable", "number", "integer", "float",
                         "boolean", "none", "defined", "true", "false", "callable", "sameas none",
                         "equalto(1)", "ne 2", "escaped")

    def any(self):
        return self.rng.choice([self.string, self.string, self.number, self.list, self.dict,
                                self.condition, lambda: "none"])()

    def data(self):
        return self.pick("text", " ", "\n", "\n  ", "a\n\n b", "  \n", "{ x }", "\t\n", "}}", "# x",
                         "\u96e8 ", "\r\n")

    def tag(self, inside):
        return f"{{%{self.pick('', '', '-', '+')} {inside} {self.pick('', '', '-', '+')}%}}"

    def print(self):
        return f"{{{{{self.pick('', '', '-')} {self.any()} {self.pick('', '', '-')}}}}}"

    def body(self, size=None):
        self.depth += 1
        size = size if size is not None else self.rng.randint(1, 3)
        text = "".join(self.statement() for _ in range(size))
        self.depth -= 1
        return text

    def statement(self):
        if self.depth > 4:
            return self.pick(self.data(), self.print())
        return self.rng.choice([
            self.data, self.data, self.print, self.print, self.print, self.if_, self.for_, self.set_,
            self.for_, self.namespace, self.macro, self.call, self.other,
        ])()

    def if_(self):
        text = self.tag(f"if {self.condition()}") + self.body()
        if self.rng.random() < 0.4:
            text += self.tag(f"elif {self.condition()}") + self.body()
        if self.rng.random() < 0.6:
            text += self.tag("else") + self.body()
        return text + self.tag("endif")

    def for_(self):
        pairs = self.rng.random() < 0.3
        source = f"({self.dict()}).items()" if pairs else self.list()
        target = "k, v" if pairs else self.pick("x", "x1")
        text = f"for {target} in {source}"
        if self.rng.random() < 0.25:
            text += f" if {self.pick('x', 'x1', 't', self.condition())}"
        text = self.tag(text)
        self.loops += 1
        text += self.pick("{{ loop.index }}", "{{ loop.index0 }}{{ loop.last }}", "{{ x }}",
                          "{{ loop.previtem }}", "{{ loop.nextitem is defined }}",
                          "{{ loop.cycle('a', 'b') }}", "{{ loop.changed(x) }}",
                          "{{ loop.revindex }}{{ loop.depth }}")
        text += self.body()
        if self.rng.random() < 0.3:
            text += self.tag(f"if {self.condition()}") + self.tag(self.pick("break", "continue"))
            text += self.tag("endif") + self.data()
        self.loops -= 1
        if self.rng.random() < 0.3:
            text += self.tag("else") + self.body(1)
        return text + self.tag("endfor")

    def set_(self):
        kind = self.rng.random()
        if kind < 0.5:
            return self.tag(f"set {self.pick('x', 's', 'n', 'y')} = {self.any()}")
        if kind < 0.65:
            return self.tag(f"set x, y = {self.any()}, {self.any()}")
        loops, self.loops = self.loops, 0
        filters = self.pick("", "", " | upper", " | trim | length")
        text = self.tag(f"set x{filters}") + self.body() + self.tag("endset")
        self.loops = loops
        return text

    def namespace(self):
        text = self.tag(f"set ns = namespace(v={self.any()}, w=0)")
        text += self.tag("for q in range(3)") + self.tag("set ns.w = ns.w + q")
        text += self.tag(f"set ns.v = {self.any()}") + self.tag("endfor")
        return text + "{{ ns.w }}{{ ns.v }}{{ ns.none_such is defined }}"

    def macro(self):
        name = f"m{len(self.macros)}"
        parameters = self.pick("a", "a, b='B'", "a='A', b=n", "")
        loops, self.loops = self.loops, 0
        body = self.pick("{{ a }}", "{{ b }}{{ a is defined }}", "{{ varargs }}", "{{ kwargs }}",
                         "{{ caller is defined }}", "{{ a }}|{{ b }}") + self.body()
        self.loops = loops
        calls = self.pick(f"{{{{ {name}({self.any()}) }}}}", f"{{{{ {name}() }}}}",
                          f"{{{{ {name}({self.any()}, b={self.any()}) }}}}",
                          f"{{{{ {name}(*[1, 2]) }}}}", f"{{{{ {name}(**{{'a': 3}}) }}}}",
                          f"{{{{ {name}(a=1)|length }}}}")
        return self.tag(f"macro {name}({parameters})") + body + self.tag("endmacro") + calls

    def call(self):
        name = self.pick("c1", "c2")
        text = self.tag(f"macro {name}(p='P')") + "<{{ p }}{{ caller(1) }}>" + self.tag("endmacro")
        loops, self.loops = self.loops, 0
        text += self.tag(f"call(i) {name}({self.any()})") + "{{ i }}" + self.body(1)
        self.loops = loops
        return text + self.tag("endcall")

    def other(self):
        loops, self.loops = self.loops, 0
        text = self.rng.choice([
            lambda: self.tag(f"filter {self.pick('upper', 'trim', 'indent(2)|lower', 'length')}") +
            self.body(1) + self.tag("endfilter"),
            lambda: self.tag(f"with x={self.any()}, y=x") + "{{ x }}{{ y }}" + self.body(1) +
            self.tag("endwith"),
            lambda: self.pick("{% raw %}", "{%- raw -%}", "{% raw -%}") +
            "{{ x }}\n {% if %} " + self.pick("{% endraw %}", "{%- endraw -%}\n", "{% endraw %}\n"),
            lambda: self.pick("{# a #}", "{#- a -#}", "  {# a\n b #}\n", "{#+ a #}"),
            lambda: self.tag("generation") + self.body(1) + self.tag("endgeneration"),
            lambda: self.tag(f"print {self.any()}"),
            lambda: "{{ strftime_now('%Y-%m-%d %H:%M %B %d %b %A %a %j %y %I %p %-d') }}",
            lambda: self.tag(f"if {self.condition()}") + "{{ raise_exception('no') }}" +
            self.tag("endif"),
            lambda: "{% set j = joiner('; ') %}{{ j() }}{{ j() }}{{ j() }}",
            lambda: "{% set y = cycler('a', 'b') %}{{ y.next() }}{{ y.current }}{{ y.next() }}{{ y.next() }}",
        ])()
        self.loops = loops
        return text


def templates(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        yield Writer(rng).body(rng.randint(2, 5)), conversations.ROW_CONTEXT
