#include <QTest>

#include <string>

#include "text/template_outline.h"

namespace hearth {
namespace {

// One line a part: "T text", "V value", "S statement"; newlines in them as \n.
QString drawn(const std::string& jinja) {
    const auto parts = template_outline(jinja);
    if (!parts) {
        return "unknown";
    }
    QStringList lines;
    for (const OutlinePart& part : *parts) {
        const char* kind = part.kind == OutlinePart::Kind::Text    ? "T "
                           : part.kind == OutlinePart::Kind::Value ? "V "
                                                                   : "S ";
        lines << kind + QString::fromStdString(part.text).replace('\n', "\\n");
    }
    return lines.join('\n');
}

}  // namespace

class TemplateOutlineTest : public QObject {
    Q_OBJECT

private slots:
    void outlines_data() {
        QTest::addColumn<QByteArray>("jinja");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* name, const char* jinja, const char* wanted) {
            QTest::newRow(name) << QByteArray(jinja) << QString(wanted);
        };
        row("empty", "", "");
        row("text", "a { b } c", "T a { b } c");
        row("output joins", "{{ 'a' + \"b\" }}c{{ x }}", "T abc\nV x");
        row("escapes", R"({{ 'a\n\'\\' }})", "T a\\n'\\");
        row("subscript is dot", "{{ m['role'] + m.role + m[\"a\"]['b'] }}",
            "V m.role\nV m.role\nV m.a.b");
        row("statement words", "{%  if a[ -1 ]['x']!='y'  %}", "S if a [ - 1 ] . x != 'y'");
        row("tag ends inside quotes", "{{ '}}' }}{% if '%}' %}", "T }}\nS if '%}'");
        row("comment", "a{# {{ x }} #}b", "T ab");
        row("minus trims", "a \n {%- if x -%} \n b", "T a\nS if x\nT b");
        row("trim_blocks takes one newline", "{% if x %}\n\nb", "S if x\nT \\nb");
        row("not after output", "{{ x }}\nb", "V x\nT \\nb");
        row("lstrip_blocks", "a\n  {% if x %}", "T a\\n\nS if x");
        row("not in mid line", "a  {% if x %}", "T a  \nS if x");
        row("lstrip at the start", "  {% if x %}\n  {% endif %}", "S if x\nS endif");
        row("plus keeps", "a\n  {%+ if x +%}\nb", "T a\\n  \nS if x\nT \\nb");
        row("last newline goes", "a\n\n", "T a\\n");
        row("dos lines", "a\r\nb{% if x %}\r\nc", "T a\\nb\nS if x\nT c");
        for (const char* bad :
             {"{{ x | trim }}", "{{ f(x) }}", "{{ 'a' ~ 'b' }}", "{{ 'a' 'b' }}", "{{ }}", "{% %}",
              "{{ x", "{{ 'x }}", "{% if 'x %}", "{# x", "{{ 'a\\q' }}", "{{ 'a\\' }}", "{{ + }}",
              "{{ x + }}", "{{ x[0] }}", "{{"}) {
            row(bad, bad, "unknown");
        }
    }
    void outlines() {
        QFETCH(QByteArray, jinja);
        QFETCH(QString, wanted);
        QCOMPARE(drawn(jinja.toStdString()), wanted);
    }

    // Cut anywhere: an answer, never a crash (the sanitizers look on).
    void everyPrefix() {
        const std::string jinja =
            "{%- for m in ms -%}\n {{ '<' + m['role'] + \"\\n\" }}{# c #} {% endfor %}\n";
        for (std::size_t n = 0; n <= jinja.size(); ++n) {
            template_outline(jinja.substr(0, n));
            template_outline(jinja.substr(n));
        }
        QVERIFY(template_outline(jinja).has_value());
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::TemplateOutlineTest)
#include "template_outline_test.moc"
