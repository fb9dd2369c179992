"""Hand-written templates, a row for each filter, test, method, operator and form of the language."""


EXPRESSIONS = r"""
1 + 2 * 3 - 4
7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3, 7.5 // 2, -7.5 % 2
2 ** 10, 2 ** -1, 2 ** 3 ** 2, -2 ** 2
7 / 2, 6 / 3, 1 / 3
1 / 0
1 % 0
9223372036854775807
1e3, 1.5e-7, 1e16, 123456789012345.0, 0.1 + 0.2, 1e22, 1e15, 1_000, 0x1F, 0o17, 0b101, 1_0.5
'a' 'b' "c"
'\n\t\\\'\"\x41\u00e9\U0001f642\101\q'
"it's", 'say "x"', 'both \' and "'
'a' ~ 1 ~ none ~ true ~ 2.0 ~ missing ~ [1]
1 ~ 2 + 3
'1' + '2' ~ 3
'a' * 3, 3 * 'b', [1] * 2, (1,) * 2, 'x' * -1
[1] + [2], (1,) + (2,)
'a' + 1
[1] + (2,)
missing + 1
missing.attribute
missing
missing()
d.missing, d.missing is defined
d.missing.deeper
d['b'], d.b, d['A'], d.c[1].x, d.c.1
d.keys()|list, d.values()|list, d.items()|list
d.get('b'), d.get('q'), d.get('q', 5)
d.pop('b')
d.update({})
l.append(1)
l.append is defined, d.pop is defined
l[0], l[-1], l[10] is defined, l['x'] is defined
l[1:], l[:1], l[::-1], l[-2:], l[5:], l[0:3:2], l[2:0:-1]
l[::0]
s[0], s[-1], s[1:4], s[::-1], s[100] is defined, u[0], u[-1], u[1:3], u[::2]
s[true]
1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, true == 1, 'a' < 'b', [1, 2] < [1, 3], (1, 2) == (1, 2), [1] == (1,)
1 < 'a'
none < 1
missing == none, missing == missing, none == none
1 in [1, 2], 3 not in [1], 'H' in s, 'b' in d, 'q' in d, none in [none], (1, 'a') in [(1, 'a')]
1 in 's'
1 in 5
'x' in missing
not true, not 0, not '', not [], not {}, not missing, not none, not 0.0
true and 'x', false and 'x', 0 or 'y', 'a' or 'b', none or missing or 3
1 if true else 2, 1 if false else 2, (1 if false), ('a' if none else 'b' if true else 'c')
(1 if missing) is defined
{'a': 1, 2: 'b', none: 3, true: 4, (1, 2): 5}
{'a': 1, 'a': 2}
{[1]: 2}
{}, [], (), (1,), [[]], {'a': {}}
-1|abs, (-1)|abs, -n, +n, - -n, -true
n is number, f is number, 't' is number, t is number, n is integer, t is integer, f is float, n is float
s is string, l is sequence, d is sequence, s is sequence, d is mapping, l is mapping, n is iterable, s is iterable, d is iterable
none is none, missing is none, missing is undefined, n is defined, t is boolean, t is true, n is true, false is false, none is false
4 is even, 3 is odd, 6 is divisibleby 3, 6 is divisibleby(4), 1 is eq 1, 1 is ne 2, 1 is lt 2, 2 is ge 2, 3 is gt(2), 2 is le 2
1 is equalto 1, 1 is lessthan 2, 3 is greaterthan 2, 1 is in [1], 'a' is in 'abc', none is sameas none, t is sameas true, 1 is sameas true
'abc' is lower, 'ABC' is upper, 'Abc' is lower, '1' is upper, 'upper' is filter, 'upperr' is filter, 'odd' is test
s is not string, n is not none, 'a' is not in 'b'
range is callable, s is callable, missing is callable
'a' is even
n is nothing_such
s|no_such_filter
'x' if true else (s|no_such_filter)
s|upper, s|lower, s|title, s|capitalize, 'a-b (c d'|title, u|upper, u|lower, u|title, u|capitalize
'  x '|trim, 'xxaxx'|trim('x'), ' a '|trim ~ '|'
s|length, l|length, d|count, u|length, missing|length
5|length
none|length
l|join, l|join(', '), ls|join('-'), rows|join(',', attribute='n'), s|join('.'), missing|join(','), none|string
none|join(',')
l|first, l|last, s|first, s|last, []|first, []|last, d|first
5|first
l|sort, ls|sort, ls|sort(true), ls|sort(case_sensitive=true), rows|sort(attribute='v')|map(attribute='v')|list, rows|sort(attribute='n,v')|map(attribute='v')|list
[1, 'a']|sort
l|max, l|min, ls|max, ls|min(case_sensitive=true), rows|max(attribute='v'), []|max
l|sum, rows|sum(attribute='v'), rows|sum(attribute='v', start=10), []|sum, ll|sum(start=[])
ls|sum
l|reverse|list, s|reverse, d|reverse|list, missing|reverse|list
l|list, s|list, d|list, missing|list, (1, 2)|list
5|list
l|unique|list, ['a', 'A', 'b']|unique|list, ['a', 'A']|unique(true)|list, rows|unique(attribute='n')|map(attribute='v')|list
l|map('string')|list, ls|map('upper')|join, rows[:2]|map(attribute='k.z')|list, rows|map(attribute='k.z', default='-')|list, ll|map('first')|list, ll|map(attribute=1)|list
rows|map(attribute='k.z')|map('default', 9)|list
ls|map('replace', 'b', 'X')|list
ls|map('no_such')|list
[1, 0, '', 'a', none]|select|list, [1, 0, 'a']|reject|list, l|select('odd')|list, l|reject('gt', 1)|list, l|select('in', [1, 2])|list
rows|selectattr('k')|list|length, rows|rejectattr('k')|list|length, rows|selectattr('n', 'equalto', 'x')|map(attribute='v')|list, rows|selectattr('v', '>', 1)|list|length, rows|selectattr('k', 'defined')|list|length
rows|selectattr('k.z', 'eq', 3)|list|length
l|select('nothing_such')|list
d|dictsort, d|dictsort(true), d|dictsort(false, 'key', true), {'x': 2, 'y': 1}|dictsort(by='value')
l|dictsort
d|items|list, missing|items|list
l|items|list
missing|default('x'), none|default('x'), none|default('x', true), ''|default('y', boolean=true), 0|d(5), missing|d
s|replace('l', 'L'), s|replace('l', 'L', 1), s|replace('', '-'), 5|replace(5, 6), none|replace('N', 'M')
'12'|int, '12.7'|int, 'x'|int, 'x'|int(5), '0x1F'|int(base=16), 12.9|int, -12.9|int, none|int, true|int, ' 7 '|int, '1_000'|int, 'ff'|int(0, 16), []|int(3)
missing|int
'1.5'|float, 'x'|float, 'x'|float(2.5), 3|float, '1e3'|float, 'inf'|float, none|float, '-0'|float
2.5|round, 3.5|round, 2.567|round(2), 2.567|round(2, 'floor'), 2.561|round(2, 'ceil'), 1234.5|round(-2), 7|round, 7|round(1), 2.675|round(2), 0.5|round, -0.5|round
2.5|round(0, 'up')
'x'|round
-5|abs, 5.5|abs
'x'|abs
42|string, none|string, true|string, 1.0|string, [1, 'a']|string, s|string
[1, 'a', none, true, 1.5, {'k': (1,)}]|tojson, s|tojson, u|tojson, html|tojson, lines|tojson, 'a\\b"c\u0001\u007f\u2028'|tojson
d|tojson(indent=2), []|tojson(indent=2), {}|tojson(indent=2), [[]]|tojson(indent=1), {1: 2, none: 3, true: 4, 1.5: 5}|tojson, [1, 2]|tojson(separators=(',', ':')), {'b': 1, 'a': 2}|tojson(sort_keys=true), u|tojson(ensure_ascii=true), d|tojson(indent='--')
missing|tojson
range(3)|tojson
d.keys()|tojson
{(1, 2): 3}|tojson
html|e, html|escape, html|safe, html|e|e, html|forceescape, (html|e)|forceescape, html|safe|e, [html|safe], html|safe|string
'<' + ('<'|safe), ('<'|safe) + '<', '<' ~ ('<'|safe), ('<%s>'|safe) % '<', ('<'|safe) * 2, ('<'|safe)|upper, ('<'|safe).upper() + '<'
lines|indent, lines|indent(2, true), lines|indent(1, blank=true), 'a\nb'|indent('> '), 'a\n'|indent ~ '|'
'foo bar baz qux'|truncate(9), 'foo bar baz qux'|truncate(9, true), 'foo bar baz qux'|truncate(11), 'foo bar baz qux'|truncate(11, false, '...', 0), 'foo bar baz'|truncate(5, true, '!')
'one two, three-four'|wordcount, 'a b'|urlencode, u|urlencode, 'x'|center(5) ~ '|', 'ab'|center(5) ~ '|'
'%s is %d and %.2f %5s|%-5s|%05d %x %% %r %e %g %c %i %+d % d'|format('a', 3, 2.345, 'r', 'l', 42, 255, 'q', 12345.678, 0.0001, 'z', 4, 5, 6)
'%s' % 'x', '%s %s' % (1, 2), '%(a)s' % {'a': 1}, '%s' % [1], '%d' % 3.9, '%s' % none, '%s' % missing, '%%' % ()
'%s %s' % 1
'%d' % 'x'
'%s' % (1, 2)
'%z' % 1
'{} {} {0}'.format(1, 2)
'{} {}'.format(1, 'b'), '{0}{1}{0}'.format('a', 'b'), '{x}'.format(x=3), '{:>5}|{:<5}|{:^5}|{:05d}|{:.2f}|{:,}|{:x}|{!r:>6}|{{}}'.format('a', 'b', 'c', 42, 3.14159, 1234567, 255, 'q')
'{}'.format()
[1, 2, 3, 4, 5]|batch(2)|list, [1, 2, 3]|batch(2, 'x')|list, [1, 2, 3, 4, 5]|slice(2)|list, [1, 2, 3]|slice(2, 'x')|list
rows|groupby('n'), rows|groupby('n')|map(attribute='grouper')|list, rows|groupby('n', case_sensitive=true)|map('first')|list, rows|groupby('k.z', default=0)|map('first')|list
d|attr('b') is defined, s|attr('upper') is defined
s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), 'straße'.upper(), 'ΑΣ'.lower(), "they're".title(), 'ǆx'.title(), 'ﬁx'.upper()
'  x '.strip() ~ '|', '  x'.lstrip(), 'x  '.rstrip() ~ '|', 'xyaxy'.strip('xy'), 'aab'.lstrip('a'), 'baa'.rstrip('a'), '\u3000x\u00a0'.strip() ~ '|', 'äxä'.strip('ä')
'a b  c '.split(), 'a,b,,c'.split(','), 'a,b,c'.split(',', 1), 'a b c'.split(maxsplit=1), ' a  b '.split(none, 1), 'a--b--c'.rsplit('--', 1), ' a b  c '.rsplit(none, 1), ''.split(), ''.split(','), 'abc'.split('b', 0)
'a'.split('')
lines.splitlines(), lines.splitlines(true), ''.splitlines(), 'a\n\n'.splitlines()
s.startswith('He'), s.startswith(('x', 'H')), s.endswith('ld'), s.endswith(('x',)), s.startswith('l', 2), s.startswith(''), s.startswith('llo', 2, 4)
s.startswith(1)
s.find('l'), s.find('q'), s.rfind('l'), s.index('W'), s.find('l', 4), s.find('l', 0, 2), u.find('\u96e8'), s.find(''), s.count('l'), s.count(''), s.count('l', 4)
s.index('q')
s.replace('l', 'L'), s.replace('l', 'L', 1), s.replace('', '.'), s.replace('l', '')
', '.join(ls), ''.join(s), '-'.join(d)
','.join(l)
'a'.isalpha(), '1'.isdigit(), 'a1'.isalnum(), ' '.isspace(), 'A'.isupper(), 'a'.islower(), ''.isalpha(), '\u00b2'.isdigit(), '\u00b2'.isdecimal(), 'x'.isascii(), 'é'.isascii(), 'é'.isalpha(), 'a\n'.isprintable()
'a'.ljust(3) ~ '|', 'a'.rjust(3, '.'), 'a'.center(4, '*'), 'ab'.center(5, '*'), '5'.zfill(3), '-5'.zfill(4), 'a\tb'.expandtabs(4), 'abc'.partition('b'), 'abcb'.rpartition('b'), 'abc'.partition('x'), 'abc'.rpartition('x'), 'abc'.removeprefix('a'), 'abc'.removesuffix('c')
l.index(1), l.count(3), (1, 2).index(2), l.copy()
l.index(9)
d.copy()
range(5), range(1, 4)|list, range(5, 0, -2)|list, range(3)[1], range(10)[2:4]|list, range(0)|list
range(1000000)
range(0, 5, 0)
range('a')
dict(a=1), dict({'x': 1}, b=2), dict([('a', 1)]), namespace(a=1).a
d.__class__, s.__len__, l._x is defined
u, [u, '\n\t\x00\u200b\u00ad', "it's"], [true, none, 1.0, missing], {'k': u}
''.__class__.__mro__
strftime_now('%d %b %Y'), strftime_now('%Y-%m-%d'), strftime_now('%B %d, %Y %H:%M:%S %p %j %A %a %y %I')
raise_exception('stop')
loop is defined
(s)|upper, (1, 2)|join, s | upper | lower, s|replace('a', 'b')|replace('b', 'c')
not 1 in [2], not (1 is odd), -1 ** 2, 1 if 0 else 2 if 0 else 3
s is string and n is number or false
s|length > 5 and l|length == 3
messages[-1].role, messages[0]['content'], messages|selectattr('role', 'equalto', 'user')|map(attribute='content')|first
(messages|selectattr('role', 'equalto', 'tool')|list)[0] is defined
a.b
1..2
s.
{{ }}
s|
(1
[1, 2
'abc
1 +
x = 1
f(a=1, 2)
f(**d, *l)
s is
and
""".strip("\n")

TEMPLATES = [
    "{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ x }};{% endfor %}",
    "{% for x in l %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }}{% endfor %}",
    "{% set n = namespace() %}{% for x in l %}{% set n.k = loop %}{% endfor %}{{ n.k.index }}{{ n.k.length }}{{ n.k.last }}{{ n.k.previtem }}",
    "{% set n = namespace() %}{% for x in range(3) %}{% set n.k = loop %}{% endfor %}{{ n.k.length }}{{ n.k.previtem }}",
    "{% set r = range(3) %}{% for a in r %}{% for b in r %}{{ b }}{% endfor %}{% endfor %}{{ r|list }}",
    "{% set n = namespace(r=range(2)) %}{% macro range() %}ab{% endmacro %}{% for a in range() %}{{ a }}{% endfor %}{% for a in n.r %}{{ a }}{% endfor %}{% for a in n.r %}{{ a }}{% endfor %}",
    "{% for a in range(3) %}{% for b in range(a) %}{{ b }}{% endfor %}{{ loop.nextitem }}{% else %}e{% endfor %}",
    "{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for x in [] %}a{% else %}none{% endfor %}{% for x in missing %}a{% else %}nothing{% endfor %}",
    "{% for x in l if x > 1 %}{{ x }}{{ loop.index }}{{ loop.last }}{{ loop.length }}{% else %}e{% endfor %}",
    "{% for x in l if x > 5 %}{{ x }}{% else %}e{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for a, b in ll %}{{ a }}{{ b }}{% endfor %}",
    "{% for (a, b), c in [((1, 2), 3)] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
    "{% for a, b in l %}{% endfor %}", "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% for x in 5 %}{% endfor %}",
    "{% for x in none %}{% endfor %}", "{% for c in u %}[{{ c }}]{% endfor %}", "{% for x in d %}{{ x }}{% endfor %}",
    "{% for x in 1, 2, 3 %}{{ x }}{% endfor %}{% for x in (1,) %}{{ x }}{% endfor %}",
    "{% for x in l %}{% if x == 1 %}{% continue %}{% endif %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% break %}", "{% for x in l %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
    "{% set x = 0 %}{% for i in l %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}",
    "{% set ns = namespace(x=0, l=[]) %}{% for i in l %}{% set ns.x = ns.x + i %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.x }}{{ ns.l }}{{ ns }}",
    "{% set ns = namespace(found=false) %}{% for i in l if not ns.found %}{{ i }}{% if i == 1 %}{% set ns.found = true %}{% endif %}{% endfor %}",
    "{% set d.x = 1 %}", "{% set q.x = 1 %}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a, b = [1] %}", "{% set (a, b) = (1, 2) %}{{ a }}",
    "{% set a = 1, 2 %}{{ a }}", "{% set x %}a{{ n }}b{% endset %}{{ x }}{{ x|length }}", "{% set x | upper %}ab{% endset %}{{ x }}",
    "{% set x | replace('a', 'b') | upper %}ab{% endset %}{{ x }}", "{% set x %}{% set y = 1 %}{% endset %}{{ y is defined }}",
    "{% if n > 5 %}a{% elif n > 3 %}b{% else %}c{% endif %}{% if false %}a{% elif true %}b{% endif %}{% if z %}x{% endif %}",
    "{% if true %}{% set y = 5 %}{% endif %}{{ y }}", "{% for x in [1] %}{% set y = 5 %}{% endfor %}{{ y is defined }}{{ x is defined }}",
    "{% macro m(a, b='B', c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=4) }}{{ m(1, c=5) }}{{ m() }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}", "{% macro m(a) %}{% endmacro %}{{ m(b=1) }}", "{% macro m(a) %}{% endmacro %}{{ m(1, a=1) }}",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}", "{% macro m(a) %}{{ a is defined }}{{ a }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}{% set x = 2 %}{{ m() }}", "{% macro m(x) %}{% if x > 0 %}{{ x }}{{ m(x - 1) }}{% endif %}{% endmacro %}{{ m(5) }}",
    "{% macro m() %}{% set y = 1 %}{% endmacro %}{{ m() }}{{ y is defined }}", "{% macro m() %} a {% endmacro %}[{{ m()|trim }}]{{ m()|length }}{{ m.name }}",
    "{% for i in l %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}", "{% macro m(a=1, b) %}{% endmacro %}", "{{ m() }}{% macro m() %}{% endmacro %}",
    "{% macro m(*a) %}{% endmacro %}", "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}",
    "{% macro w(t) %}<{{ t }}>{{ caller() }}</{{ t }}>{% endmacro %}{% call w('b') %}x{{ n }}{% endcall %}", "{% macro w() %}{{ caller(1, b=2) }}{% endmacro %}{% call(a, b=0) w() %}{{ a }}{{ b }}{% endcall %}",
    "{% macro w() %}{{ caller is defined }}{{ caller() }}{% endmacro %}{{ w() }}", "{% macro w() %}x{% endmacro %}{% call w() %}y{% endcall %}", "{% call n %}{% endcall %}",
    "{% filter upper %}a{{ n }}{% endfilter %}{% filter replace('a', 'b') | upper %}aa{% endfilter %}", "{% with a=1, b=2 %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}", "{% set a = 1 %}{% with a=2, b=a %}{{ a }}{{ b }}{% endwith %}{{ a }}",
    "{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q is defined }}", "{% generation %}x{{ n }}{% set q = 1 %}{% endgeneration %}{{ q is defined }}", "{% print n, s %}", "{% do l.append(1) %}",
    "{% include 'x' %}", "{% import 'x' as x %}", "{% unknown %}", "{% endif %}", "{% if %}{% endif %}", "{% if true %}", "{% for x in l %}", "{% for in l %}{% endfor %}", "{% set 1 = 2 %}", "{% set true = 2 %}", "{% else %}",
    "a{# b #}c{#- d -#} e", "{# unclosed", "{{ unclosed", "{% unclosed", "{{ n }", "{{ 'a }}", "{# a #}\nb", "x {# a #}\nb", "  {# a #}\n  b",
    "{% raw %}{{ x }}{% if %}{% endraw %}", "{% raw %}\n a {% endraw %}\n b", "a {%- raw -%} b {%- endraw -%} c", "{% raw %}", "  {% raw %}x{% endraw %}\ny",
    "  {% if true %}\n  a\n  {% endif %}\nb", "a  {% if true %}\n b {% endif %} c\n", "  {{ n }}\n  {{ n }}\n", "a\n  {%- if true -%}\n  b\n  {%- endif -%}\n  c", "a\n  {%+ if true %}\n b{% endif +%}\nc", "\n\na\n\n", "a\r\nb\rc\n", "{% if true %}\r\na{% endif %}",
    "a  {{- n -}}  b", "a {{+ n +}} b", "{{ n }}\n{% if true %}\nx\n{% endif %}\n\ny", "{%- for x in l %}\n  {{ x }}\n{%- endfor %}", "{% for x in l %}\n{{ x }}\n{% endfor %}\n", "\t{% if true %}x{% endif %}", "a{% if true %}{% endif %}  {% if true %}b{% endif %}",
    "{% if true %}\n{% if true %}\n  x\n{% endif %}\n{% endif %}", "{{ '{{' }}{{ '}}' }}{{ '{%' }}", "{{ {'a': {'b': 1}}.a.b }}", "{{ {'a': 1}}}", "{ {x} } {{ '' }}{", "{{ n }}}", "{{-n}}{{- n}}{{+n}}", "a{{ n\n}}b{{\nn }}",
    "{{ [1,\n2] }}{% set x = [\n1,\n] %}{{ x }}", "{% set x = {'a': 1,} %}{{ x }}{{ (1,)[0] }}", "{{ s if s else\n'x' }}", "{% if 'a' in ['a'] and not false %}y{% endif %}", "{% set j = joiner(',') %}{{ j() }}a{{ j() }}b{{ j() }}",
    "{% set c = cycler(1, 2) %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.reset() }}{{ c.next() }}", "{{ cycler() }}", "{% set g = l|map('string') %}{{ g|list }}{{ g|list }}", "{% set g = l|map('string') %}{{ 1 in g }}{{ g|first }}{{ g|list }}{{ g|length }}",
    "{% for m in messages %}{{ m.role }}: {{ m.content }}{% if not loop.last %}\n{% endif %}{% endfor %}{% if add_generation_prompt %}x{% endif %}",
    "{% set loop_messages = messages[1:] %}{% for m in loop_messages %}{{ m['role'] + '\\n' }}{% endfor %}", "{% for m in messages[::-1] %}{{ m.role }}{% endfor %}",
    "{% set x = 1 %}{% macro m() %}{% for i in [1] %}{{ x }}{% endfor %}{% endmacro %}{% for x in [2] %}{{ m() }}{% endfor %}", "{% for x in l %}{% for y in l %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}",
    "{% set x = missing %}{{ x is defined }}{{ x }}", "{{ namespace() }}{{ [namespace(a=1)] }}", "{% set a = [] %}{% set b = (a, a) %}{{ b }}", "{{ 'a' if n > 5 }}{{ 'a' if n < 5 }}", "{{ 1 }}{{ 2 }}{{ 1.0 }}{{ none }}{{ true }}",
    "{{ 10 ** 18 }}{{ 3000000000 * 3000000000 }}", "{{ s[0:5] }}", "{% if s.upper is defined %}y{% endif %}", "{{ ('a', 'b')|join }}{{ 'a', 'b' }}", "{% set x = 'a', %}{{ x }}", "{{ missing|default(n, true)|string }}", "{{ (l|length)|string + '!' }}",
    "{%- if messages[0].role == 'system' %}a{%- else %}b{%- endif %}", "{{ messages[5].role }}", "{{ messages[5] is defined }}", "{{ messages.0.role }}", "{% for x in range(3) %}{{ x }}{% endfor %}{% for x in range(200000) %}{% endfor %}",
]


def rows():
    for line in EXPRESSIONS.splitlines():
        yield "{{ " + line + " }}"
    yield from TEMPLATES
