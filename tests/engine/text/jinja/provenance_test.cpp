// Each byte of a prompt knows whether a message or the template wrote it, through every operation.
#include <QTest>

#include <ctime>
#include <string>

#include "text/jinja/json.h"
#include "text/jinja/render.h"

namespace hearth::jinja {

class ProvenanceTest : public QObject {
    Q_OBJECT

    // Data in brackets.
    static QByteArray marked(const QByteArray& source) {
        const TemplateProgram::Outcome read = TemplateProgram::parse(source.toStdString());
        if (read.program == nullptr) {
            return QByteArray::fromStdString(read.failure.message);
        }
        Heap heap{Limits{}};
        const auto variables = parse_json(
            heap, R"({"d": "Da ta", "n": 7, "l": ["x", "y"], "o": {"k": "v"}, "w": "  p q  "})",
            false);
        const std::tm now{};
        const Rendered out = render(*read.program, heap, *variables->dict, now);
        if (out.failure) {
            return QByteArray::fromStdString(out.failure->message);
        }
        std::string text;
        for (const TextSegment& segment : out.text.segments()) {
            text += segment.markup ? segment.text : "[" + segment.text + "]";
        }
        return QByteArray::fromStdString(text);
    }

private slots:
    void operations_data() {
        QTest::addColumn<QByteArray>("expression");
        QTest::addColumn<QByteArray>("wanted");
        const auto row = [](const char* expression, const char* wanted) {
            QTest::newRow(expression) << QByteArray(expression) << QByteArray(wanted);
        };
        row("d", "[Da ta]");
        row("'m' + d + 'm'", "m[Da ta]m");
        row("'m' ~ d ~ n ~ 1", "m[Da ta7]1");
        row("d * 2", "[Da taDa ta]");
        row("('m' + d)[1:3]", "[Da]");
        row("('m' + d)[::-1]", "[at aD]m");
        row("('m' + d)[0]", "m");
        row("d|upper", "[DA TA]");
        row("('m' + d)|upper", "M[DA TA]");
        row("d|title ~ d|capitalize", "[Da TaDa ta]");
        row("('m' + w)|trim", "m[  p q]");
        row("w|trim", "[p q]");
        row("w.strip('p ')", "[q]");
        row("d|replace('a', 'm')", "[D]m[ t]m");
        row("'mXm'|replace('X', d)", "m[Da ta]m");
        row("('m ' + d).split(' ')|join('-')", "m-[Da]-[ta]");
        row("l|join(',')", "[x],[y]");
        row("d|tojson", "\"[Da ta]\"");
        row("o|tojson", "{\"[k]\": \"[v]\"}");
        row("[d, 'm']", "['[Da ta]', 'm']");
        row("'%s-%s' % (d, 'm')", "[Da ta]-m");
        row("'%5d' % n", "    [7]");
        row("'{}m{}'.format(d, 1)", "[Da ta]m1");
        row("d|e ~ ('<' + d)|e", "[Da ta]&lt;[Da ta]");
        row("n + 1", "[8]");
        row("'5'|int + 1", "6");
        row("d|length", "5");
        row("d|list|first", "[D]");
        row("d|map('upper')|join", "[DA TA]");
        row("d|center(9)", "  [Da ta]  ");
        row("(d + '\\nm')|indent(2)", "[Da ta]\n  m");
        row("d|string|safe|string", "[Da ta]");
        row("(d|default('m')) ~ (none_such|default('m'))", "[Da ta]m");
        row("d if true else 'm'", "[Da ta]");
        row("o.k ~ o['k'] ~ o.get('k') ~ o.items()|list", "[vvv][('[k]', '[v]')]");
        row("l|sort|reverse|join ~ l|unique|join", "[yxxy]");
        row("d.partition(' ')[1]", " ");
        row("'a\\u00e9'|upper ~ d.swapcase()", "A\xC3\x89[dA TA]");
    }
    void operations() {
        QFETCH(QByteArray, expression);
        QFETCH(QByteArray, wanted);
        QCOMPARE(marked("{{ " + expression + " }}"), wanted);
    }

    void statements_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("wanted");
        QTest::newRow("set block")
            << QByteArray("{% set x %}<{{ d }}>{% endset %}{{ x }}") << QByteArray("<[Da ta]>");
        QTest::newRow("macro") << QByteArray(
                                      "{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(d) + 'm' }}")
                               << QByteArray("<[Da ta]>m");
        QTest::newRow("filter block")
            << QByteArray("{% filter upper %}m{{ d }}{% endfilter %}") << QByteArray("M[DA TA]");
        QTest::newRow("namespace")
            << QByteArray(
                   "{% set n = namespace(x='') %}{% for c in d %}{% set n.x = c + n.x %}"
                   "{% endfor %}{{ n.x }}")
            << QByteArray("[at aD]");
        // Template text that a message only selects is the template's.
        QTest::newRow("selected") << QByteArray("{{ {'Da ta': 'm'}[d] }}") << QByteArray("m");
    }
    void statements() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, wanted);
        QCOMPARE(marked(source), wanted);
    }
};

}  // namespace hearth::jinja

QTEST_APPLESS_MAIN(hearth::jinja::ProvenanceTest)
#include "provenance_test.moc"
