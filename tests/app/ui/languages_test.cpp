// Every page of the window in languages other than English: no English word is left where a
// translator can be asked, no text is cut, and the window follows a change of the language and of
// the direction while it is open.
#include <QAccessible>
#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QRegularExpression>
#include <QTest>

#include "pages.h"
#include "shown_words.h"
#include "system/pseudo_language.h"
#include "ui_window.h"
#include "walker.h"

using namespace hearth::ui::test;
using hearth::ui::Language;

namespace {

const QString kPseudo = QStringLiteral("pseudo");

// Words of the pages that no translator is asked for, a line each. HEARTH_RECORD=1 adds what is
// new: look at it, since an English word of the program does not belong there.
const QString kDataFile = QStringLiteral(HEARTH_SOURCE_DIR "/tests/app/ui/languages/data.txt");

QStringList data() {
    QFile file(kDataFile);
    return file.open(QIODevice::ReadOnly)
               ? QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts)
               : QStringList();
}

// The pseudo-language that is left, but for `said`.
QStringList kept(UiWindow& ui, const QStringList& said) {
    ui.settle();
    QStringList left = shownWords(ui).filter(QChar(u'⟦'));
    left.removeIf([&](QString text) {
        for (const QString& one : said) {
            text = one.isEmpty() ? text : text.remove(one);
        }
        return !text.contains(QChar(u'⟦'));
    });
    return left;
}

QStringList extra(const QStringList& now, const QStringList& before) {
    QStringList more = now;
    for (const QString& one : before) {
        more.removeOne(one);
    }
    return more;
}

}  // namespace

class LanguagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void cleanupTestCase();
    void noRawEnglish_data();
    void noRawEnglish();
    void everySetting();
    void mirrored_data();
    void mirrored();
    void fits_data();
    void fits();
    void follows_data();
    void follows();
    void codeStaysLeftToRight();
    void seesWhatIsWrong();

private:
    // With the folders of this run taken out of the words.
    QStringList raw(UiWindow& ui);
    void picture(UiWindow& ui, const QString& name) const;

    QStringList data_;
};

void LanguagesTest::initTestCase() {
    QAccessible::setActive(true);
    data_ = data();
    QVERIFY(data_.size() > 20);
}

void LanguagesTest::cleanup() {
    QGuiApplication::setLayoutDirection(Qt::LeftToRight);
}

QStringList LanguagesTest::raw(UiWindow& ui) {
    QStringList words = shownWords(ui);
    static const QRegularExpression kReport(QStringLiteral("crash-[0-9-]+\\.txt"));
    words.replaceInStrings(kReport, QStringLiteral("crash.txt"));
    static const QRegularExpression kAddress(QStringLiteral("https?://\\S+|/v1/[a-z/]+"));
    words.replaceInStrings(kAddress, QString());
    words.replaceInStrings(QDir::currentPath(), QString());
    words.replaceInStrings(ui.store().folder(), QString());
    words.replaceInStrings(QStringLiteral(HEARTH_SOURCE_DIR), QString());
    const QStringList found = rawWords(words, data_);
    if (qEnvironmentVariableIsSet("HEARTH_RECORD")) {
        data_ += found;
        return {};
    }
    return found;
}

void LanguagesTest::cleanupTestCase() {
    QFile file(kDataFile);
    if (qEnvironmentVariableIsSet("HEARTH_RECORD") && file.open(QIODevice::WriteOnly)) {
        data_.removeDuplicates();
        data_.sort();
        file.write(data_.join(QLatin1Char('\n')).toUtf8() + '\n');
    }
}

// For somebody who wants to look at them all.
void LanguagesTest::picture(UiWindow& ui, const QString& name) const {
    if (const QString folder = qEnvironmentVariable("HEARTH_PAGE_PICTURES"); !folder.isEmpty()) {
        QDir().mkpath(folder);
        ui.window()->grabWindow().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
    }
}

void LanguagesTest::noRawEnglish_data() {
    QTest::addColumn<int>("page");
    for (int page = 0; page < pages().size(); ++page) {
        QTest::newRow(pages()[page].name) << page;
    }
}

void LanguagesTest::noRawEnglish() {
    QFETCH(int, page);
    UiWindow ui({}, UiWindow::Size::Usual, kPseudo);
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    pages()[page].open(ui);
    if (QTest::currentTestFailed()) {
        return;
    }
    ui.settle();
    picture(ui, QStringLiteral("pseudo-") + QLatin1String(pages()[page].name));
    const QStringList words = shownWords(ui);
    QVERIFY2(words.filter(QChar(u'⟦')).size() > 3, "the pseudo-language is not shown");
    const QStringList english = raw(ui);
    QVERIFY2(english.isEmpty(), qPrintable(english.join(QLatin1Char('\n'))));
    QCOMPARE(clipped(ui).join(QLatin1Char('\n')), QString());
}

void LanguagesTest::everySetting() {
    UiWindow ui({}, UiWindow::Size::Usual, kPseudo);
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    ui.press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
    for (const char* section :
         {"model", "answers", "appearance", "folders", "network", "api", "about"}) {
        ui.app().settings()->rows()->setSection(QLatin1String(section));
        ui.settle();
        picture(ui, QStringLiteral("pseudo-settings-") + QLatin1String(section));
        const QStringList english = raw(ui);
        QVERIFY2(english.isEmpty(), qPrintable(english.join(QLatin1Char('\n'))));
        QVERIFY2(clipped(ui).isEmpty(), qPrintable(clipped(ui).join(QLatin1Char('\n'))));
    }
}

void LanguagesTest::mirrored_data() {
    noRawEnglish_data();
}

// Nothing lies outside of the window, nor over another item, that does not from left to right.
void LanguagesTest::mirrored() {
    QFETCH(int, page);
    UiWindow ui;
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    pages()[page].open(ui);
    if (QTest::currentTestFailed()) {
        return;
    }
    ui.settle();
    const QStringList cutBefore = clipped(ui);
    const QStringList overBefore = overlaps(ui);
    const QQuickItem* const sample = ui.item(QStringLiteral("composer"));
    const double rightBefore =
        sample == nullptr ? 0 : ui.window()->width() - UiWindow::area(sample).right();
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    ui.settle();
    picture(ui, QStringLiteral("rtl-") + QLatin1String(pages()[page].name));
    // A list may still be filling: its rows find their places after that.
    QTRY_COMPARE(extra(clipped(ui), cutBefore).join(QLatin1Char('\n')), QString());
    QTRY_COMPARE(extra(overlaps(ui), overBefore).join(QLatin1Char('\n')), QString());
    if (sample != nullptr) {  // the chat has changed its side
        QCOMPARE(UiWindow::area(sample).left(), rightBefore);
    }
}

void LanguagesTest::fits_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("page");
    for (const char* language : {"de", "zh_CN"}) {
        for (int page = 0; page < pages().size(); ++page) {
            QTest::addRow("%s, %s", language, pages()[page].name)
                << QString::fromLatin1(language) << page;
        }
    }
}

// In a usual window with usual text, and in a narrow one with large text.
void LanguagesTest::fits() {
    QFETCH(QString, language);
    QFETCH(int, page);
    if (language == QLatin1String("zh_CN") &&
        QFontDatabase::families(QFontDatabase::SimplifiedChinese).isEmpty()) {
        QSKIP("no font here has Chinese signs");
    }
    UiWindow ui({}, UiWindow::Size::Usual, language);
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    pages()[page].open(ui);
    if (QTest::currentTestFailed()) {
        return;
    }
    ui.settle();
    picture(ui, language + QLatin1Char('-') + QLatin1String(pages()[page].name));
    QCOMPARE(clipped(ui).join(QLatin1Char('\n')), QString());
    ui.app().appearance()->zoomBy(5);
    ui.window()->resize(480, 720);
    QTRY_COMPARE(ui.window()->contentItem()->width(), 480.0);
    ui.settle();
    picture(ui, language + QStringLiteral("-narrow-") + QLatin1String(pages()[page].name));
    QCOMPARE(clipped(ui).join(QLatin1Char('\n')), QString());
}

void LanguagesTest::follows_data() {
    noRawEnglish_data();
}

// All that is on a page changes with the setting, and all of it changes back.
void LanguagesTest::follows() {
    QFETCH(int, page);
    UiWindow ui({}, UiWindow::Size::Usual, kPseudo);
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    pages()[page].open(ui);
    if (QTest::currentTestFailed()) {
        return;
    }
    ui.settle();
    // A sentence about an event stays as it was said: a notice, why a file was not attached, what a
    // search brought. So do the title under which a text was opened, the name of the program in a
    // call, and the name under which a model has answered.
    static const QStringList kKeep{
        QStringLiteral("attached files"),   QStringLiteral("licences"),
        QStringLiteral("long text"),        QStringLiteral("found on the hub"),
        QStringLiteral("gated on the hub"), QStringLiteral("an answer from elsewhere")};
    const bool keeps = kKeep.contains(QLatin1String(pages()[page].name));
    const QStringList said{ui.app().notices()->text(),
                           hearth::ui::pseudoText(QStringLiteral("Hearth"))};
    for (const char* language : {"de", "zh_CN", "de"}) {
        QCOMPARE(ui.settings().set("window/language", QLatin1String(language)), QString());
        QTRY_VERIFY2(keeps || kept(ui, said).isEmpty(),
                     qPrintable(kept(ui, said).join(QLatin1Char('\n'))));
    }
}

// A message's text takes its direction from what it says; code has but one.
void LanguagesTest::codeStaysLeftToRight() {
    UiWindow ui;
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    ui.inference().setScripts({hearth::ui::FakeInference::scriptFrom(
        QString::fromUtf8("مرحبا بالعالم\n\nHello world.\n\n```\nint x;\n```\n"))});
    QVERIFY(ui.ask(QString::fromUtf8("مرحبا")));
    ui.settle();
    QTRY_COMPARE(ui.items(QStringLiteral("blockText")).size(), 3);
    const auto textStart = [](QQuickItem* item) {
        QRectF first;
        QMetaObject::invokeMethod(item, "positionToRectangle", Q_RETURN_ARG(QRectF, first),
                                  Q_ARG(int, 0));
        return first.left() / item->width();
    };
    const QList<QQuickItem*> blocks = ui.downwards(QStringLiteral("blockText"));
    QVERIFY(textStart(blocks.at(0)) > 0.5);  // the question, in Arabic
    QVERIFY(textStart(blocks.at(1)) > 0.5);
    QVERIFY(textStart(blocks.at(2)) < 0.1);  // English
    QQuickItem* code = ui.item(QStringLiteral("codeText"));
    QVERIFY(code != nullptr);
    QVERIFY(textStart(code) < 0.1);
}

// The checks above must be able to fail.
void LanguagesTest::seesWhatIsWrong() {
    QCOMPARE(rawWords({QStringLiteral("⟦Šéñð~⟧"), QStringLiteral("⟦Šéñð %1 ⟦~⟧~⟧ Send"),
                       QStringLiteral("Qwen · 3 GB"), QStringLiteral("a · 12:00")},
                      {QStringLiteral("Qwen"), QString(), QStringLiteral("3 GB")}),
             QStringList{QStringLiteral("Send")});
    UiWindow ui;
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    ui.settle();
    QVERIFY(shownWords(ui).contains(QStringLiteral("New chat")));
    const qsizetype before = overlaps(ui).size();
    QQuickItem* greeting = ui.item(QStringLiteral("greeting"));
    QQuickItem* prompt = ui.item(QStringLiteral("examplePrompt"));
    QVERIFY(greeting != nullptr && prompt != nullptr);
    greeting->setParentItem(prompt->parentItem());
    greeting->setPosition(prompt->position());
    QVERIFY(overlaps(ui).size() > before);
}

QTEST_MAIN(LanguagesTest)
#include "languages_test.moc"
