// Every text colour of the theme on every ground it stands on, by the formula of WCAG 2.
#include <QColor>
#include <QTest>

#include "contrast.h"
#include "ui_window.h"

using hearth::ui::test::contrast;
using hearth::ui::test::UiWindow;

class ContrastTest : public QObject {
    Q_OBJECT

private slots:
    void formula();
    void pairs_data();
    void pairs();
    void everyColourIsInAPair();

private:
    UiWindow ui_;
};

void ContrastTest::formula() {
    QVERIFY(qAbs(contrast(Qt::black, Qt::white) - 21) < 1e-6);
    QVERIFY(qAbs(contrast(QColor(0x77, 0x77, 0x77), Qt::white) - 4.48) < 0.01);
}

void ContrastTest::pairs_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("front");
    QTest::addColumn<QString>("ground");
    QTest::addColumn<double>("least");
    const QStringList grounds{"window", "sidebar",    "surface", "raised",  "bubble",
                              "code",   "codeHeader", "hover",   "pressed", "selected"};
    const auto row = [](const QString& front, const QString& ground, double least) {
        for (const char* mode : {"light", "dark"}) {
            QTest::addRow("%s/%s on %s", mode, qPrintable(front), qPrintable(ground))
                << QString::fromLatin1(mode) << front << ground << least;
        }
    };
    for (const QString& ground : grounds) {
        row("text", ground, 4.5);
        row("textMuted", ground, 4.5);
        row("link", ground, 4.5);
    }
    row("accentInk", "accent", 4.5);
    row("accentInk", "accentHover", 4.5);
    for (const char* ground : {"accentSoft", "window", "sidebar", "surface", "raised", "hover"}) {
        row("accentText", ground, 4.5);
    }
    row("inverseAccent", "text", 4.5);
    row("window", "text", 4.5);  // tips and the undo bar
    row("infoText", "infoSoft", 4.5);
    row("warningText", "warningSoft", 4.5);
    for (const char* ground : {"errorSoft", "window", "sidebar", "raised"}) {
        row("errorText", ground, 4.5);
    }
    row("success", "window", 4.5);
    row("success", "codeHeader", 4.5);
    row("text", "selection", 4.5);
    for (const char* word :
         {"codeKeyword", "codeType", "codeString", "codeNumber", "codeComment"}) {
        row(QString::fromLatin1(word), QStringLiteral("code"), 4.5);
    }
    // What is not text: the edges of fields, the focus ring.
    for (const char* ground : {"window", "sidebar", "surface", "raised", "bubble", "selected"}) {
        row("controlBorder", ground, 3);
        row("focus", ground, 3);
    }
}

void ContrastTest::pairs() {
    QFETCH(const QString, mode);
    QFETCH(const QString, front);
    QFETCH(const QString, ground);
    QFETCH(const double, least);
    ui_.app().appearance()->setThemeMode(mode);
    QObject* theme = ui_.theme();
    QVERIFY(theme != nullptr);
    QCOMPARE(theme->property("dark").toBool(), mode == QLatin1String("dark"));
    const auto one = theme->property(qPrintable(front)).value<QColor>();
    const auto other = theme->property(qPrintable(ground)).value<QColor>();
    QVERIFY(one.isValid() && other.isValid());
    QCOMPARE(one.alpha(), 255);
    const double found = contrast(one, other);
    QVERIFY2(found >= least, qPrintable(QStringLiteral("%1:1").arg(found, 0, 'f', 2)));
}

// A new colour has to be entered above, or named here as one that carries no meaning alone.
void ContrastTest::everyColourIsInAPair() {
    const QSet<QString> decoration{"border", "line", "paper", "scrim", "shadow"};
    const QSet<QString> known{
        "window",        "sidebar",    "surface",       "raised",      "bubble",      "code",
        "codeHeader",    "hover",      "pressed",       "selected",    "text",        "textMuted",
        "link",          "accent",     "accentHover",   "accentInk",   "accentSoft",  "accentText",
        "inverseAccent", "infoSoft",   "infoText",      "warningSoft", "warningText", "errorSoft",
        "errorText",     "success",    "controlBorder", "focus",       "selection",   "codeKeyword",
        "codeType",      "codeString", "codeNumber",    "codeComment"};
    const QMetaObject* meta = ui_.theme()->metaObject();
    int colours = 0;
    for (int i = 0; i < meta->propertyCount(); ++i) {
        if (meta->property(i).metaType() == QMetaType::fromType<QColor>()) {
            ++colours;
            const QString name = QString::fromLatin1(meta->property(i).name());
            QVERIFY2(known.contains(name) || decoration.contains(name), qPrintable(name));
        }
    }
    QCOMPARE(colours, known.size() + decoration.size());
}

QTEST_MAIN(ContrastTest)
#include "contrast_test.moc"
