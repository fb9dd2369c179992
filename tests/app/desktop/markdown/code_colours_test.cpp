// Code in its colours, also while it grows.
#include "markdown/code_colours.h"

#include <QQmlComponent>
#include <QQmlEngine>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>
#include <QtTest>
#include <memory>

using namespace hearth::ui;

class CodeColoursTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void coloursCodeThatIsThere();
    void followsCodeThatGrows();
    void followsTheTheme();
    void leavesOtherLanguagesAlone();
    void coloursAnEndlessLineInPart();

private:
    // The colour of each character of a line, "." for none.
    QString colours(int line) const {
        const QTextBlock block = document_->findBlockByNumber(line);
        QString out(block.text().size(), QLatin1Char('.'));
        for (const QTextLayout::FormatRange& range : block.layout()->formats()) {
            const QColor colour = range.format.foreground().color();
            const QChar mark = colour == QColor(Qt::red)    ? QLatin1Char('k')
                               : colour == QColor(Qt::blue) ? QLatin1Char('t')
                               : colour == QColor(Qt::gray) ? QLatin1Char('c')
                                                            : QLatin1Char('?');
            for (int i = range.start; i < range.start + range.length; ++i) {
                out[i] = mark;
            }
        }
        return out;
    }
    void write(const QString& text) {
        QTextCursor cursor(document_);
        cursor.movePosition(QTextCursor::End);
        cursor.insertText(text);
    }

    std::unique_ptr<QQmlEngine> engine_;
    std::unique_ptr<QObject> edit_;
    std::unique_ptr<CodeColours> colours_;
    QTextDocument* document_ = nullptr;
};

void CodeColoursTest::init() {
    colours_.reset();
    edit_.reset();
    engine_ = std::make_unique<QQmlEngine>();
    QQmlComponent component(engine_.get());
    component.setData("import QtQuick\nTextEdit { textFormat: TextEdit.PlainText }", QUrl());
    edit_.reset(component.create());
    QVERIFY2(edit_ != nullptr, qPrintable(component.errorString()));
    auto* target = edit_->property("textDocument").value<QQuickTextDocument*>();
    QVERIFY(target != nullptr);
    document_ = target->textDocument();
    colours_ = std::make_unique<CodeColours>();
    colours_->setKeyword(Qt::red);
    colours_->setType(Qt::blue);
    colours_->setComment(Qt::gray);
    colours_->setTarget(target);
}

void CodeColoursTest::coloursCodeThatIsThere() {
    edit_->setProperty("text", QStringLiteral("int a\nreturn"));
    colours_->setLanguage(QStringLiteral("c"));
    QTRY_COMPARE(colours(0), QStringLiteral("ttt.."));
    QCOMPARE(colours(1), QStringLiteral("kkkkkk"));
}

void CodeColoursTest::followsCodeThatGrows() {
    colours_->setLanguage(QStringLiteral("c"));
    QCoreApplication::processEvents();  // the first look is a queued one
    edit_->setProperty("text", QStringLiteral("in"));
    write(QStringLiteral("t a /"));
    QCOMPARE(colours(0), QStringLiteral("ttt...."));
    write(QStringLiteral("* b\nint"));
    QCOMPARE(colours(0), QStringLiteral("ttt...cccc"));
    QCOMPARE(colours(1), QStringLiteral("ccc"));
    write(QStringLiteral(" */ int"));
    QCOMPARE(colours(1), QStringLiteral("cccccc.ttt"));
}

void CodeColoursTest::followsTheTheme() {
    colours_->setLanguage(QStringLiteral("c"));
    edit_->setProperty("text", QStringLiteral("int a"));
    QTRY_COMPARE(colours(0), QStringLiteral("ttt.."));
    colours_->setType(Qt::red);
    QCOMPARE(colours(0), QStringLiteral("kkk.."));
}

void CodeColoursTest::leavesOtherLanguagesAlone() {
    colours_->setLanguage(QStringLiteral("c"));
    edit_->setProperty("text", QStringLiteral("int a"));
    QTRY_COMPARE(colours(0), QStringLiteral("ttt.."));
    colours_->setLanguage(QStringLiteral("formula"));
    QCOMPARE(colours(0), QStringLiteral("....."));
    QVERIFY(colours_->document() == nullptr);
    colours_->setLanguage(QStringLiteral("c"));
    QTRY_COMPARE(colours(0), QStringLiteral("ttt.."));
}

void CodeColoursTest::coloursAnEndlessLineInPart() {
    colours_->setLanguage(QStringLiteral("c"));
    edit_->setProperty("text", QStringLiteral("int ").repeated(3000));
    QTRY_VERIFY(colours(0).startsWith(QLatin1String("ttt.ttt")));
    QVERIFY(!colours(0).mid(CodeColours::kLongestLine).contains(QLatin1Char('t')));
}

QTEST_MAIN(CodeColoursTest)
#include "code_colours_test.moc"
