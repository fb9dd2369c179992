// What messages are made of, as a reader meets it: markup, links, formulas, long texts.
#include <QAccessible>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QQmlContext>
#include <QQmlEngine>
#include <QTest>

#include "ui_window.h"

using hearth::ui::FakeInference;
using hearth::ui::test::UiWindow;

namespace {

QVariant valueOf(const QQuickItem* item, const char* name) {
    return item == nullptr ? QVariant() : item->property(name);
}

}  // namespace

class TextsTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void showsMarkupAsText();
    void opensALinkWhenTheReaderAgrees();
    void reachesLinksByTab();
    void copiesAFormula();
    void copiesAFormulaInALine();
    void saysThatNothingOpensALink();
    void copiesAnAddress();
    void keepsALongPasteBesideTheField();
    void knowsWhichPieceIsMeant();
    void foldsALongQuestion();
    void foldsTheReasoning();
    void showsReasoningAsItIsWritten();
    void showsAnAddressBesideTheJump();

public slots:
    void take(const QUrl& url) { opened_ << url; }  // in the place of the browser

private:
    std::unique_ptr<UiWindow> ui_;
    QList<QUrl> opened_;
};

void TextsTest::init() {
    opened_.clear();
    QDesktopServices::setUrlHandler(QStringLiteral("https"), this, "take");
    ui_ = std::make_unique<UiWindow>();
    QVERIFY(ui_->ok());
    QVERIFY(ui_->activate());
}

void TextsTest::cleanup() {
    ui_.reset();
    QDesktopServices::unsetUrlHandler(QStringLiteral("https"));
}

void TextsTest::showsMarkupAsText() {
    const QString hostile =
        QStringLiteral("<b>bold</b> <img src=\"file:///etc/passwd\"> <h1>big</h1>");
    ui_->inference().setScripts({FakeInference::scriptFrom(hostile)});
    QVERIFY(ui_->ask(hostile));
    QTRY_VERIFY(ui_->item(QStringLiteral("blockText")) != nullptr);
    for (QQuickItem* block : ui_->items(QStringLiteral("blockText"))) {
        QString shown;
        QMetaObject::invokeMethod(block, "getText", Q_RETURN_ARG(QString, shown), Q_ARG(int, 0),
                                  Q_ARG(int, block->property("length").toInt()));
        QVERIFY2(shown.contains(QStringLiteral("<b>bold</b>")), qPrintable(shown));
        QVERIFY2(shown.contains(QStringLiteral("<img")), qPrintable(shown));
    }
    QVERIFY(valueOf(ui_->item(QStringLiteral("title")), "text")
                .toString()
                .contains(QStringLiteral("<b>")));
}

void TextsTest::opensALinkWhenTheReaderAgrees() {
    ui_->inference().setScripts({FakeInference::scriptFrom(
        QStringLiteral("[https://my-bank.example](https://evil.example/login) and more words."))});
    QVERIFY(ui_->ask(QStringLiteral("My bank?")));
    QTRY_VERIFY(ui_->item(QStringLiteral("link")) != nullptr);
    const QPoint middle = UiWindow::area(ui_->item(QStringLiteral("link"))).center().toPoint();
    ui_->settle();
    QTest::mouseMove(ui_->window(), middle - QPoint(3, 0));
    QTest::mouseMove(ui_->window(), middle);
    QTRY_COMPARE(valueOf(ui_->item(QStringLiteral("linkTarget")), "text").toString(),
                 QStringLiteral("https://<b>evil.example</b>/login"));
    for (const char* answer : {"Enter", "Escape"}) {
        ui_->click(ui_->item(QStringLiteral("link")));
        QTRY_VERIFY(ui_->item(QStringLiteral("linkAddress")) != nullptr);
        QCOMPARE(valueOf(ui_->item(QStringLiteral("linkAddress")), "text").toString(),
                 QStringLiteral("https://<b>evil.example</b>/login"));
        QTRY_COMPARE(ui_->window()->activeFocusItem()->objectName(), QStringLiteral("cancelLink"));
        ui_->press(answer[1] == 'n' ? Qt::Key_Return : Qt::Key_Escape);
        QTRY_VERIFY(ui_->item(QStringLiteral("linkAddress")) == nullptr);
    }
    QVERIFY(opened_.isEmpty());
    ui_->click(ui_->item(QStringLiteral("link")));
    QTRY_VERIFY(ui_->item(QStringLiteral("openLink")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("openLink")));
    QTRY_VERIFY(ui_->item(QStringLiteral("linkAddress")) == nullptr);
    QCOMPARE(opened_, QList<QUrl>({QUrl(QStringLiteral("https://evil.example/login"))}));
}

// An address that nothing opens says so, and the next one is not blamed for it.
void TextsTest::saysThatNothingOpensALink() {
    ui_->inference().setScripts({FakeInference::scriptFrom(
        QStringLiteral("[one](https://one.example/x) and [two](https://two.example/y)."))});
    QVERIFY(ui_->ask(QStringLiteral("Links")));
    QTRY_COMPARE(ui_->items(QStringLiteral("link")).size(), 2);
    ui_->click(ui_->items(QStringLiteral("link")).first());
    QTRY_VERIFY(ui_->item(QStringLiteral("openLink")) != nullptr);
    // An address that no program is asked to open.
    QObject* const dialog = qmlContext(ui_->item(QStringLiteral("openLink")))->contextObject();
    QVERIFY(dialog->setProperty("link", QStringLiteral("nonsense:x")));
    QVERIFY(ui_->item(QStringLiteral("linkFailed")) == nullptr);
    ui_->click(ui_->item(QStringLiteral("openLink")));
    QTRY_VERIFY(ui_->item(QStringLiteral("linkFailed")) != nullptr);
    QVERIFY(opened_.isEmpty());
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("openLink")) == nullptr);
    ui_->click(ui_->items(QStringLiteral("link")).last());
    QTRY_VERIFY(ui_->item(QStringLiteral("openLink")) != nullptr);
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("linkFailed")) == nullptr);
    ui_->click(ui_->item(QStringLiteral("openLink")));
    QTRY_COMPARE(opened_, QList<QUrl>({QUrl(QStringLiteral("https://two.example/y"))}));
}

// The address, whatever its words say; of two links the one that was asked for.
void TextsTest::copiesAnAddress() {
    ui_->inference().setScripts({FakeInference::scriptFrom(QStringLiteral(
        "[a **bold** bank](https://one.example/x) and [b](https://two.example/y)."))});
    QVERIFY(ui_->ask(QStringLiteral("Links")));
    QTRY_COMPARE(ui_->items(QStringLiteral("link")).size(), 2);
    QCOMPARE(UiWindow::accessibleName(ui_->items(QStringLiteral("link")).first()),
             QStringLiteral("a bold bank"));
    for (const char* address : {"https://one.example/x", "https://two.example/y"}) {
        const bool isFirst = QByteArray(address).contains("one");
        ui_->settle();
        ui_->click(ui_->items(QStringLiteral("link")).at(isFirst ? 0 : 1));
        QTRY_VERIFY(ui_->item(QStringLiteral("copyLink")) != nullptr);
        ui_->click(ui_->item(QStringLiteral("copyLink")));
        QTRY_VERIFY(ui_->item(QStringLiteral("copyLink")) == nullptr);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString::fromLatin1(address));
    }
    QVERIFY(opened_.isEmpty());
}

void TextsTest::reachesLinksByTab() {
    ui_->inference().setScripts({FakeInference::scriptFrom(
        QStringLiteral("See [one](https://one.example) or\n\n- [two](https://two.example)."))});
    QVERIFY(ui_->ask(QStringLiteral("Links")));
    QTRY_COMPARE(ui_->items(QStringLiteral("link")).size(), 2);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    QStringList seen;
    for (int i = 0; i < 40; ++i) {
        ui_->press(Qt::Key_Tab);
        const QQuickItem* item = ui_->window()->activeFocusItem();
        if (item != nullptr && item->objectName() == QLatin1String("link")) {
            seen << UiWindow::accessibleName(ui_->window()->activeFocusItem());
            QVERIFY(valueOf(ui_->item(QStringLiteral("linkTarget")), "text")
                        .toString()
                        .contains(seen.last() + QStringLiteral(".example")));
            if (seen.size() == 2) {
                break;
            }
        }
    }
    QCOMPARE(seen, QStringList({"one", "two"}));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(ui_->item(QStringLiteral("cancelLink")) != nullptr);
    QTRY_VERIFY(ui_->item(QStringLiteral("cancelLink"))->hasActiveFocus());
    // On from there to the button that opens it.
    for (int i = 0; i < 5; ++i) {
        ui_->press(Qt::Key_Tab);
        if (ui_->item(QStringLiteral("openLink"))->hasActiveFocus()) {
            break;
        }
    }
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(opened_, QList<QUrl>({QUrl(QStringLiteral("https://two.example"))}));
    QTRY_VERIFY(ui_->window()->activeFocusItem()->objectName() == QLatin1String("link"));
}

void TextsTest::copiesAFormula() {
    const QString formula = QStringLiteral("\\[\nE = m\\,c^2\n\\]");
    const QString unknown = QStringLiteral("\\[\n\\frobnicate{x}\n\\]");
    ui_->inference().setScripts({FakeInference::scriptFrom(
        QStringLiteral("With \\(m_0 * c_0\\) it is\n%1\nand not\n%2\n").arg(formula, unknown))});
    QVERIFY(ui_->ask(QStringLiteral("Energy?")));
    QTRY_VERIFY(ui_->item(QStringLiteral("copyFormula")) != nullptr);
    QVERIFY(valueOf(ui_->item(QStringLiteral("formula")), "drawn").toBool());
    ui_->click(ui_->item(QStringLiteral("copyFormula")));
    QCOMPARE(QGuiApplication::clipboard()->text(), formula);
    // One that is not known stands as its source.
    QCOMPARE(valueOf(ui_->item(QStringLiteral("codeLanguage")), "text").toString(),
             QStringLiteral("formula"));
    ui_->click(ui_->item(QStringLiteral("copyCode")));
    QCOMPARE(QGuiApplication::clipboard()->text(), unknown);
    // The formula is selected as a whole.
    QGuiApplication::clipboard()->clear();
    ui_->click(ui_->item(QStringLiteral("formula")));
    QVERIFY(ui_->item(QStringLiteral("formula"))->hasActiveFocus());
    ui_->press(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), formula);
}

// The words of a line are copied with the source of the formula among them, and read with its
// words.
void TextsTest::copiesAFormulaInALine() {
    const QString text = QStringLiteral("With \\(m_0 * c_0\\) and $x^2$ it is");
    ui_->inference().setScripts({FakeInference::scriptFrom(text)});
    QVERIFY(ui_->ask(QStringLiteral("Energy?")));
    QQuickItem* block = ui_->lastItem(QStringLiteral("blockText"));
    QVERIFY(block != nullptr);
    block->forceActiveFocus();
    QVERIFY(QMetaObject::invokeMethod(block, "selectAll"));
    const QString shown = block->property("selectedText").toString();
    QVERIFY2(!shown.contains(QLatin1Char('\\')) && !shown.contains(QLatin1Char('$')),
             qPrintable(shown));
    ui_->press(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), text);
    // A part of a formula is what it shows.
    QVERIFY(QMetaObject::invokeMethod(block, "select", Q_ARG(int, 0), Q_ARG(int, 6)));
    ui_->press(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("With m"));
    const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(block);
    QVERIFY(told != nullptr);
    QCOMPARE(told->text(QAccessible::Name), QStringLiteral("With m_0 ∗ c_0 and x^2 it is"));
}

void TextsTest::keepsALongPasteBesideTheField() {
    const QString big = QStringLiteral("words and more words ").repeated(50'000);
    QGuiApplication::clipboard()->setText(big);
    ui_->type(QStringLiteral("Sum up"));
    ui_->press(Qt::Key_V, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("attachment")) != nullptr);
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("Sum up"));
    ui_->press(Qt::Key_V, Qt::ControlModifier);
    QTRY_COMPARE(ui_->items(QStringLiteral("attachment")).size(), 2);
    ui_->click(ui_->lastItem(QStringLiteral("removeAttachment")));
    QTRY_COMPARE(ui_->items(QStringLiteral("attachment")).size(), 1);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());

    ui_->click(ui_->item(QStringLiteral("lookAtAttachment")));
    QTRY_VERIFY(ui_->item(QStringLiteral("longText")) != nullptr);
    QTRY_VERIFY(ui_->item(QStringLiteral("longText"))->hasActiveFocus());
    // The keys stop at both ends, and go on from there.
    const auto value = [this](const char* name) {
        return ui_->item(QStringLiteral("longText"))->property(name).toDouble();
    };
    const auto first = [&] { return value("originY"); };
    const auto last = [&] { return first() + value("contentHeight") - value("height"); };
    ui_->press(Qt::Key_End);
    ui_->settle();
    QCOMPARE(value("contentY"), last());
    QVERIFY(last() > first() + 10'000);
    ui_->press(Qt::Key_PageDown);
    ui_->press(Qt::Key_Down);
    QCOMPARE(value("contentY"), last());
    ui_->press(Qt::Key_PageUp);
    QVERIFY(value("contentY") < last() - 100);
    ui_->press(Qt::Key_Home);
    QTRY_COMPARE(value("contentY"), first());
    ui_->press(Qt::Key_PageUp);
    ui_->press(Qt::Key_Up);
    QCOMPARE(value("contentY"), first());
    ui_->press(Qt::Key_Down);
    const double line = value("contentY");
    QVERIFY(line > first());
    ui_->press(Qt::Key_PageDown);
    QVERIFY(value("contentY") > line + 100);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("longText")) == nullptr);

    ui_->press(Qt::Key_L, Qt::ControlModifier);
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(0, "text").toString(), QStringLiteral("Sum up\n\n") + big);
    QVERIFY(ui_->item(QStringLiteral("attachment")) == nullptr);
    // What fits is the field's own.
    QGuiApplication::clipboard()->setText(QStringLiteral("short"));
    ui_->press(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("short"));
}

// The second of two pieces is looked at, and the first is taken away; and a piece alone is a
// message.
void TextsTest::knowsWhichPieceIsMeant() {
    const QString one = QStringLiteral("one and more words ").repeated(50'000);
    const QString two = QStringLiteral("two and more words ").repeated(50'000);
    for (const QString& text : {one, two}) {
        QGuiApplication::clipboard()->setText(text);
        ui_->press(Qt::Key_V, Qt::ControlModifier);
    }
    QTRY_COMPARE(ui_->items(QStringLiteral("attachment")).size(), 2);
    ui_->settle();
    ui_->click(ui_->downwards(QStringLiteral("lookAtAttachment")).at(1));
    QTRY_VERIFY(ui_->item(QStringLiteral("copyLongText")) != nullptr);
    QGuiApplication::clipboard()->clear();
    ui_->click(ui_->item(QStringLiteral("copyLongText")));
    QTRY_VERIFY(ui_->item(QStringLiteral("longText")) == nullptr);
    QCOMPARE(QGuiApplication::clipboard()->text(), two);
    ui_->click(ui_->downwards(QStringLiteral("removeAttachment")).at(0));
    QTRY_COMPARE(ui_->items(QStringLiteral("attachment")).size(), 1);
    QCOMPARE(ui_->app().chats()->attachment(0), two);
    QVERIFY(ui_->item(QStringLiteral("sendButton"))->isEnabled());
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(0, "text").toString(), two);
}

void TextsTest::foldsALongQuestion() {
    const QString big = QStringLiteral("a line of it\n").repeated(20'000);
    QVERIFY(ui_->ask(big));
    // From the end, where an answer leaves the list, to the question's button.
    ui_->settle();
    QVERIFY(QMetaObject::invokeMethod(ui_->item(QStringLiteral("chat")), "scrollBy",
                                      Q_ARG(double, -0.4)));
    ui_->settle();
    QTRY_VERIFY(ui_->item(QStringLiteral("showAll")) != nullptr);
    QVERIFY(UiWindow::accessibleName(ui_->item(QStringLiteral("showAll")))
                .contains(QLocale().toString(20'000)));
    QVERIFY(ui_->item(QStringLiteral("userBubble"))->height() < 1500);
    for (QQuickItem* edit : ui_->items(QStringLiteral("editMessage"))) {
        QVERIFY(!edit->isEnabled());
    }
    ui_->click(ui_->item(QStringLiteral("showAll")));
    QTRY_VERIFY(ui_->item(QStringLiteral("copyLongText")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("copyLongText")));
    QCOMPARE(QGuiApplication::clipboard()->text(), big);
    QTRY_VERIFY(ui_->item(QStringLiteral("longText")) == nullptr);
}

// By a click and by the keyboard; what is copied is the answer.
void TextsTest::foldsTheReasoning() {
    const QString raw =
        QStringLiteral("<think>\nA [secret](https://one.example) thought.\n</think>\n\nIt rains.");
    ui_->inference().setScripts({FakeInference::scriptFrom(raw)});
    QVERIFY(ui_->ask(QStringLiteral("Weather?")));
    const auto shown = [this] {
        QStringList all;
        for (QQuickItem* block : ui_->items(QStringLiteral("blockText"))) {
            QString text;
            QMetaObject::invokeMethod(block, "getText", Q_RETURN_ARG(QString, text), Q_ARG(int, 0),
                                      Q_ARG(int, block->property("length").toInt()));
            all << text;
        }
        return all;
    };
    QTRY_COMPARE(shown(), QStringList({"Weather?", "It rains."}));
    const auto line = [this] { return ui_->item(QStringLiteral("thoughtLine")); };
    QVERIFY(line() != nullptr);
    QCOMPARE(valueOf(line(), "text").toString(), QStringLiteral("Reasoning"));
    QCOMPARE(UiWindow::accessibleName(line()), QStringLiteral("Show the reasoning"));
    ui_->click(line());
    QTRY_COMPARE(shown(), QStringList({"Weather?", "A secret thought.", "It rains."}));
    QCOMPARE(UiWindow::accessibleName(line()), QStringLiteral("Hide the reasoning"));
    ui_->click(line());
    QTRY_COMPARE(shown(), QStringList({"Weather?", "It rains."}));

    // Tab goes to it, and into it while it is open.
    const auto tabTo = [this](const char* name) {
        for (int i = 0; i < 40; ++i) {
            ui_->press(Qt::Key_Tab);
            const QQuickItem* item = ui_->window()->activeFocusItem();
            if (item != nullptr && item->objectName() == QLatin1String(name)) {
                return true;
            }
        }
        return false;
    };
    QVERIFY(tabTo("thoughtLine"));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(shown().size(), 3);
    QVERIFY(tabTo("link"));
    QVERIFY(tabTo("thoughtLine"));
    ui_->press(Qt::Key_Space);
    QTRY_COMPARE(shown().size(), 2);

    ui_->click(ui_->lastItem(QStringLiteral("copyMessage")));
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("It rains."));
    QCOMPARE(ui_->message(1, "text").toString(), raw);
    // The model is told what it wrote, as before.
    QVERIFY(ui_->ask(QStringLiteral("And tomorrow?")));
    QCOMPARE(ui_->store().activePath(ui_->app().chats()->currentId()).at(1).content, raw);
}

void TextsTest::showsReasoningAsItIsWritten() {
    FakeInference::Script script;
    script.pieces = QStringList({"<thi", "nk>\nOne.", "\n\nTwo.", "\n</think>", "\n\nIt rains."});
    ui_->inference().setScripts({script});
    ui_->inference().pauseAfter(3);
    QVERIFY(ui_->app().replies()->send(QStringLiteral("Weather?")));
    const auto line = [this] { return ui_->item(QStringLiteral("thoughtLine")); };
    QTRY_COMPARE(ui_->message(1, "text").toString(), QStringLiteral("<think>\nOne.\n\nTwo."));
    QTRY_VERIFY(line() != nullptr);
    QCOMPARE(valueOf(line(), "text").toString(), QStringLiteral("Thinking…"));
    QVERIFY(ui_->item(QStringLiteral("waitingText")) == nullptr);
    QCOMPARE(ui_->items(QStringLiteral("blockText")).size(), 1);  // the question
    ui_->click(line());
    QTRY_COMPARE(ui_->items(QStringLiteral("blockText")).size(), 3);
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    QTRY_COMPARE(ui_->items(QStringLiteral("blockText")).size(), 4);
    QCOMPARE(valueOf(line(), "text").toString(), QStringLiteral("Reasoning"));

    // Stopped within it: what is there can be read.
    script.pieces = QStringList({"<think>\nHm."});
    ui_->inference().setScripts({script});
    QVERIFY(ui_->ask(QStringLiteral("Again?")));
    QTRY_COMPARE(ui_->items(QStringLiteral("thoughtLine")).size(), 2);
    QCOMPARE(ui_->message(3, "thought").toString(), QStringLiteral("done"));
}

// While the button that leads to the end is there.
void TextsTest::showsAnAddressBesideTheJump() {
    QStringList paragraphs;
    for (int i = 0; i < 40; ++i) {
        paragraphs << QStringLiteral("Paragraph %1 of a long answer.").arg(i);
    }
    paragraphs.insert(
        36, QStringLiteral("[a link](https://www.paypal.com.security.example/login?u=paypal.com)"));
    ui_->inference().setScripts(
        {FakeInference::scriptFrom(paragraphs.join(QStringLiteral("\n\n")))});
    QVERIFY(ui_->ask(QStringLiteral("Links")));
    const QQuickItem* list = ui_->item(QStringLiteral("messageList"));
    QTRY_VERIFY(valueOf(list, "contentHeight").toDouble() >
                1.3 * valueOf(list, "height").toDouble());
    ui_->settle();
    QVERIFY(QMetaObject::invokeMethod(ui_->item(QStringLiteral("chat")), "scrollBy",
                                      Q_ARG(double, -0.15)));
    QTRY_VERIFY(ui_->item(QStringLiteral("jumpToEnd")) != nullptr);
    QTRY_VERIFY(ui_->item(QStringLiteral("link")) != nullptr);
    ui_->settle();
    const QPoint middle = UiWindow::area(ui_->item(QStringLiteral("link"))).center().toPoint();
    QTest::mouseMove(ui_->window(), middle - QPoint(3, 0));
    QTest::mouseMove(ui_->window(), middle);
    QTRY_VERIFY(ui_->item(QStringLiteral("linkTarget")) != nullptr);
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("jumpToEnd")) != nullptr);
    const QRectF address = UiWindow::area(ui_->item(QStringLiteral("linkTarget"))->parentItem());
    const QRectF jump = UiWindow::area(ui_->item(QStringLiteral("jumpToEnd")));
    QVERIFY(address.width() > 100);
    QVERIFY2(!address.intersects(jump), qPrintable(QStringLiteral("%1 to %2, the button from %3 on")
                                                       .arg(address.top())
                                                       .arg(address.bottom())
                                                       .arg(jump.top())));
}

QTEST_MAIN(TextsTest)
#include "texts_test.moc"
