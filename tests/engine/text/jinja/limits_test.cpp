// Templates that would take for ever, or all memory, end with a failure that says so.
#include <QTest>

#include <ctime>
#include <string>

#include "text/jinja/json.h"
#include "text/jinja/render.h"

namespace hearth::jinja {

class LimitsTest : public QObject {
    Q_OBJECT

private slots:
    void ends_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QByteArray& source, const char* message) {
            QTest::newRow(name) << source << QByteArray(message);
        };
        const char* const kSteps = "it takes more than 10000000 steps";
        const char* const kBytes = "it creates more than 256 MiB of strings and lists";
        const char* const kDeep =
            "calls and expressions stand more than 600 levels inside each other";
        const char* const kNested =
            "brackets or blocks stand more than 100 levels inside each other";
        row("loops",
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            kSteps);
        row("long string", "{{ 'a' * 10**9 }}", kBytes);
        row("long list", "{{ [1] * 10**9 }}", kBytes);
        row("doubled",
            "{% set n = namespace(s='a') %}{% for i in range(99) %}"
            "{% set n.s = n.s + n.s %}{% endfor %}",
            kBytes);
        row("one string, joined often", "{% set s = 'a' * 100000 %}{{ ([s] * 90000)|join }}",
            kBytes);
        row("replaced", "{{ ('a' * 100000)|replace('a', 'b' * 100000) }}", kBytes);
        row("wide", "{{ ''.center(10**9) }}", kSteps);
        row("indented", "{{ 'a'|indent(10**9, true) }}", kSteps);
        row("format", "{{ '%999999d' % 1 }}",
            "a field is 100001 characters wide, at most 100000 are allowed");
        row("JSON of one list in itself again and again",
            "{% set n = namespace(l=[1]) %}{% for i in range(60) %}{% set n.l = [n.l, n.l] %}"
            "{% endfor %}{{ n.l|tojson }}",
            kSteps);
        row("compared likewise",
            "{% set n = namespace(l=[1], m=[1]) %}{% for i in range(60) %}"
            "{% set n.l = [n.l, n.l] %}{% set n.m = [n.m, n.m] %}{% endfor %}{{ n.l == n.m }}",
            kSteps);
        row("range", "{% for i in range(10**9) %}{% endfor %}",
            "a range has more than 100000 numbers");
        row("lists inside each other",
            "{% set n = namespace(l=[]) %}{% for i in range(999) %}{% set n.l = [n.l] %}"
            "{% endfor %}",
            "lists and dicts stand more than 100 levels inside each other");
        row("dicts inside each other",
            "{% set n = namespace(l={}) %}{% for i in range(999) %}{% set n.l = {'a': n.l} %}"
            "{% endfor %}",
            "lists and dicts stand more than 100 levels inside each other");
        row("a namespace inside itself", "{% set n = namespace() %}{% set n.n = n %}{{ n }}",
            kDeep);
        row("macro", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", kDeep);
        row("two macros",
            "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}"
            "{% endmacro %}{{ a() }}",
            kDeep);
        row("caller",
            "{% macro m() %}{% call m() %}{% endcall %}{{ caller is defined }}{% endmacro %}{{ m() "
            "}}",
            kDeep);
        row("a filter that applies itself", "{{ [[[1]]]|map('map', 'map', 'map')|list }}", "");
        row("brackets", "{{ " + QByteArray(100000, '(') + "1" + QByteArray(100000, ')') + " }}",
            kNested);
        row("lists", "{{ " + QByteArray(100000, '[') + QByteArray(100000, ']') + " }}", kNested);
        row("calls", "{{ " + QByteArray("a(").repeated(100000) + QByteArray(100000, ')') + " }}",
            kNested);
        row("signs", "{{ " + QByteArray(100000, '-') + "1 }}", kNested);
        row("not", "{{ " + QByteArray("not ").repeated(100000) + "1 }}", kNested);
        row("blocks", QByteArray("{% if 1 %}").repeated(100000), kNested);
        row("conditions", "{{ " + QByteArray("1 if 1 else ").repeated(50000) + "1 }}", kNested);
        row("filters", "{{ 1" + QByteArray("|abs").repeated(100000) + " }}",
            "an expression or block is more than 250 levels deep");
        row("attributes", "{{ a" + QByteArray(".a").repeated(100000) + " }}",
            "an expression or block is more than 250 levels deep");
        row("a large number", "{{ 9223372036854775808 }}",
            "the number '9223372036854775808' does not fit 64 bits");
        row("overflow", "{{ 2 ** 64 }}", "a number does not fit 64 bits");
        row("overflow of *", "{{ 9223372036854775807 * 2 }}", "a number does not fit 64 bits");
        row("overflow of -", "{{ -9223372036854775807 - 2 }}", "a number does not fit 64 bits");
        row("overflow of //", "{{ (-9223372036854775807 - 1) // -1 }}",
            "a number does not fit 64 bits");
    }
    void ends() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, message);
        const TemplateProgram::Outcome read = TemplateProgram::parse(
            std::string_view(source.data(), static_cast<std::size_t>(source.size())));
        if (read.program == nullptr) {
            QCOMPARE(QByteArray::fromStdString(read.failure.message), message);
            return;
        }
        Heap heap{Limits{}};
        const Value variables = heap.dict();
        const std::tm now{};
        const Rendered out = render(*read.program, heap, *variables.dict, now);
        QVERIFY(out.failure.has_value());
        if (!message.isEmpty()) {
            QCOMPARE(QByteArray::fromStdString(out.failure->message), message);
        }
    }

    // Long and flat templates are no problem.
    void holds_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::newRow("sum") << "{{ 1" + QByteArray(" + 1").repeated(20000) + " }}";
        QTest::newRow("concatenation") << "{{ 1" + QByteArray(" ~ 1").repeated(20000) + " }}";
        QTest::newRow("or") << "{{ 0" + QByteArray(" or 0").repeated(20000) + " }}";
        QTest::newRow("elif") << "{% if 0 %}" + QByteArray("{% elif 0 %}").repeated(20000) +
                                     "{% endif %}";
        QTest::newRow("recursion") << QByteArray(
            "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}"
            "{{ m(60) }}");
    }
    void holds() {
        QFETCH(QByteArray, source);
        const TemplateProgram::Outcome read = TemplateProgram::parse(
            std::string_view(source.data(), static_cast<std::size_t>(source.size())));
        QVERIFY2(read.program != nullptr, read.failure.message.c_str());
        Heap heap{Limits{}};
        const Value variables = heap.dict();
        const std::tm now{};
        const Rendered out = render(*read.program, heap, *variables.dict, now);
        QVERIFY2(!out.failure, out.failure ? out.failure->message.c_str() : "");
    }

    // Together these loops hold five times as much as is allowed at one time.
    void freesWhatLoopsHeld() {
        const TemplateProgram::Outcome read = TemplateProgram::parse(
            "{% for a in range(100) %}{% for b in range(1000) %}{% endfor %}{% endfor %}");
        QVERIFY2(read.program != nullptr, read.failure.message.c_str());
        Heap heap{Limits{.bytes = 1 << 20}};
        const Value variables = heap.dict();
        const std::tm now{};
        const Rendered out = render(*read.program, heap, *variables.dict, now);
        QVERIFY2(!out.failure, out.failure ? out.failure->message.c_str() : "");
    }
};

}  // namespace hearth::jinja

QTEST_APPLESS_MAIN(hearth::jinja::LimitsTest)
#include "limits_test.moc"
