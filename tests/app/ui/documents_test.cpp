// Files in a chat: attached by button, by drop and by paste, removed, read, sent, and the passages
// that an answer used, by keyboard and by mouse.
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QGuiApplication>
#include <QMimeData>
#include <QTest>

#include "support/document_maker.h"
#include "ui_window.h"

using namespace hearth::ui;
using namespace hearth::test;
using hearth::ui::test::UiWindow;

class DocumentsTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { ui_.reset(); }
    void byButton();
    void byDrop();
    void byPaste();
    void aModelIsStillOpened();
    void waitsForAFileThatIsRead();
    void refusedOnesSayWhy();
    void opensWhatWasAttached();
    void showsThePassagesUsed();
    void scrollsByKeys();

private:
    QString file(const char* name, const QString& text) {
        return writeFile(folder_->filePath(QString::fromLatin1(name)), text.toUtf8());
    }
    bool drop(const QList<QUrl>& urls);
    void attach(const QString& path);
    // By keys: a text that is not in the field takes no files along.
    bool ask(const QString& text) {
        ui_->item(QStringLiteral("composerInput"))->forceActiveFocus();
        ui_->type(text);
        ui_->press(Qt::Key_Return);
        return ui_->waitForAnswer();
    }
    bool hasFocus(const char* name) const {
        const QQuickItem* item = ui_->window()->activeFocusItem();
        return item != nullptr && item->objectName() == QLatin1String(name);
    }
    QString nameOf(const char* item) const {
        return UiWindow::accessibleName(ui_->item(QLatin1String(item)));
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<UiWindow> ui_;
};

void DocumentsTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    ui_ = std::make_unique<UiWindow>();
    QVERIFY(ui_->ok() && ui_->activate());
}

// False: the window does not want them.
bool DocumentsTest::drop(const QList<QUrl>& urls) {
    QMimeData data;
    data.setUrls(urls);
    const QPoint place(500, 300);
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(ui_->window(), &enter);
    if (!enter.isAccepted()) {
        return false;
    }
    QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(ui_->window(), &dropped);
    return true;
}

void DocumentsTest::attach(const QString& path) {
    ui_->app().attachments()->attach({path});
    QTRY_VERIFY(!ui_->app().attachments()->reading());
    ui_->settle();
}

void DocumentsTest::byButton() {
    const QString path = file("notes.txt", QStringLiteral("The rent is due."));
    ui_->press(Qt::Key_Tab);
    QVERIFY(hasFocus("attachFile"));
    QCOMPARE(nameOf("attachFile"), QStringLiteral("Attach a file"));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(ui_->item(QStringLiteral("pathField")) != nullptr);
    ui_->item(QStringLiteral("pathField"))->setProperty("text", path);
    ui_->click(ui_->item(QStringLiteral("pickFile")));
    QTRY_COMPARE(ui_->items(QStringLiteral("attachedFile")).size(), 1);
    QTRY_VERIFY(nameOf("lookAtFile").startsWith(QLatin1String("notes.txt, Text, about 5 tokens")));
    // The message takes it along, and shows it.
    QVERIFY(ask(QStringLiteral("When?")));
    QVERIFY(ui_->items(QStringLiteral("attachedFile")).isEmpty());
    QVERIFY(
        ui_->inference().lastTurns().first().content.contains(QLatin1String("The rent is due.")));
    QTRY_COMPARE(ui_->items(QStringLiteral("sentFile")).size(), 1);
    QVERIFY(ui_->items(QStringLiteral("usedPassage")).isEmpty());
}

void DocumentsTest::byDrop() {
    QVERIFY(drop({QUrl::fromLocalFile(file("a.txt", QStringLiteral("one"))),
                  QUrl::fromLocalFile(file("b.md", QStringLiteral("two")))}));
    QTRY_COMPARE(ui_->items(QStringLiteral("attachedFile")).size(), 2);
    QVERIFY(hasFocus("composerInput"));
    QVERIFY(!drop({QUrl(QStringLiteral("https://example.org/a.txt"))}));
    // The page of settings takes none.
    ui_->press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(!drop({QUrl::fromLocalFile(file("c.txt", QStringLiteral("three")))}));
    QTRY_VERIFY(!ui_->app().attachments()->reading());
    QCOMPARE(ui_->app().attachments()->pending().size(), 2);
}

void DocumentsTest::byPaste() {
    auto* data = new QMimeData;
    const QString path = file("a.txt", QStringLiteral("one"));
    data->setUrls({QUrl::fromLocalFile(path)});
    data->setText(path);
    QGuiApplication::clipboard()->setMimeData(data);
    ui_->press(Qt::Key_V, Qt::ControlModifier);
    QTRY_COMPARE(ui_->items(QStringLiteral("attachedFile")).size(), 1);
    QCOMPARE(ui_->app().chats()->draft(), QString());
    QGuiApplication::clipboard()->setText(QStringLiteral("words"));
    ui_->press(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("words"));
}

void DocumentsTest::aModelIsStillOpened() {
    const int loads = ui_->inference().loadCalls();
    QVERIFY(drop({QUrl::fromLocalFile(QStringLiteral("/nowhere/other.gguf"))}));
    QTRY_COMPARE(ui_->inference().loadCalls(), loads + 1);
    QVERIFY(ui_->app().attachments()->pending().isEmpty());
}

// A message goes with its files or not at all.
void DocumentsTest::waitsForAFileThatIsRead() {
    ui_->app().attachments()->desk().setProgram(QStringLiteral(HEARTH_FAILING_CHILD));
    ui_->app().attachments()->attach({QStringLiteral("hang")});
    QTRY_COMPARE(nameOf("lookAtFile"), QStringLiteral("hang, being read…"));
    ui_->type(QStringLiteral("What?"));
    ui_->press(Qt::Key_Return);
    QCOMPARE(ui_->messageCount(), 0);
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("What?"));
    QVERIFY(!ui_->item(QStringLiteral("sendButton"))->isEnabled());
    ui_->click(ui_->item(QStringLiteral("removeFile")));
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->messageCount(), 2);
}

void DocumentsTest::refusedOnesSayWhy() {
    attach(writeFile(folder_->filePath(QStringLiteral("a.png")), "\x89PNG\r\n\x1A\n"));
    QVERIFY2(nameOf("lookAtFile").startsWith(QLatin1String("a.png is of a kind")),
             qPrintable(nameOf("lookAtFile")));
    QVERIFY(!ui_->item(QStringLiteral("lookAtFile"))->isEnabled());
    QCOMPARE(nameOf("removeFile"), QStringLiteral("Remove a.png"));
    ui_->click(ui_->item(QStringLiteral("removeFile")));
    QTRY_VERIFY(ui_->items(QStringLiteral("attachedFile")).isEmpty());
    QVERIFY(hasFocus("composerInput"));
}

void DocumentsTest::opensWhatWasAttached() {
    attach(file("a.txt", QStringLiteral("A short text.")));
    ui_->click(ui_->item(QStringLiteral("lookAtFile")));
    QTRY_VERIFY(hasFocus("documentText"));
    QTRY_COMPARE(ui_->items(QStringLiteral("passage")).size(), 1);
    QVERIFY(ui_->items(QStringLiteral("markedPassage")).isEmpty());
    QCOMPARE(nameOf("documentText"), QStringLiteral("Text of a.txt"));
    ui_->press(Qt::Key_Escape);
    QVERIFY(ui_->item(QStringLiteral("documentText")) == nullptr);
    // The same from the message.
    QVERIFY(ask(QStringLiteral("What?")));
    QTRY_COMPARE(ui_->items(QStringLiteral("sentFile")).size(), 1);
    ui_->click(ui_->item(QStringLiteral("sentFile")));
    QTRY_COMPARE(ui_->items(QStringLiteral("passage")).size(), 1);
}

void DocumentsTest::showsThePassagesUsed() {
    const QString rent = QStringLiteral("The rent is due on the third of the month.");
    QStringList pages;
    for (int page = 1; page <= 60; ++page) {
        pages.append(QStringLiteral("Clause %1 says nothing of interest to anybody.\n")
                         .arg(page)
                         .repeated(40));
    }
    pages[41] += rent;
    attach(writeFile(folder_->filePath(QStringLiteral("lease.pdf")), plainPdf(pages)));
    QVERIFY2(nameOf("lookAtFile").endsWith(QLatin1String("its passages are searched")),
             qPrintable(nameOf("lookAtFile")));
    QVERIFY(ask(QStringLiteral("When must the rent be paid?")));
    QTRY_VERIFY(!ui_->items(QStringLiteral("usedPassage")).isEmpty());
    QQuickItem* used = nullptr;
    for (QQuickItem* item : ui_->items(QStringLiteral("usedPassage"))) {
        if (item->property("text").toString() == QLatin1String("lease.pdf, page 42")) {
            used = item;
        }
    }
    QVERIFY(used != nullptr);
    used->forceActiveFocus();
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(!ui_->items(QStringLiteral("markedPassage")).isEmpty());
    ui_->settle();
    // The passage is in view, has the words, and is what the model got.
    const QRectF list = UiWindow::area(ui_->item(QStringLiteral("documentText")));
    bool inView = false;
    for (const QQuickItem* marked : ui_->items(QStringLiteral("markedPassage"))) {
        const QString text = marked->property("modelData").toString().trimmed();
        QVERIFY(ui_->inference().lastTurns().first().content.contains(text));
        inView = inView || (text.contains(rent) && list.contains(UiWindow::area(marked).center()));
    }
    QVERIFY(inView);
    QVERIFY(!ui_->items(QStringLiteral("passage")).isEmpty());  // others are not marked
    ui_->press(Qt::Key_Escape);
    QVERIFY(hasFocus("usedPassage"));
    // Another one after it opens at its own place.
    ui_->app().attachments()->open(
        ui_->app()
            .attachments()
            ->ofQuestion(ui_->app().chats()->messages()->messages()[0].id)[0]
            .toMap()[QStringLiteral("id")]
            .toLongLong(),
        kNoId, -1);
    QTRY_VERIFY(!ui_->items(QStringLiteral("passage")).isEmpty());
    ui_->settle();
    QVERIFY(ui_->items(QStringLiteral("markedPassage")).isEmpty());
    QCOMPARE(ui_->item(QStringLiteral("documentText"))->property("contentY").toReal(),
             ui_->item(QStringLiteral("documentText"))->property("originY").toReal());
}

void DocumentsTest::scrollsByKeys() {
    attach(file("a.txt", QStringLiteral("A line of the text.\n").repeated(2000)));
    ui_->click(ui_->item(QStringLiteral("lookAtFile")));
    QTRY_VERIFY(!ui_->items(QStringLiteral("passage")).isEmpty());
    const auto at = [this] {
        const QQuickItem* list = ui_->item(QStringLiteral("documentText"));
        return list->property("contentY").toReal() - list->property("originY").toReal();
    };
    ui_->settle();
    QCOMPARE(at(), 0.0);
    ui_->press(Qt::Key_PageDown);
    const qreal page = at();
    QVERIFY(page > 100);
    ui_->press(Qt::Key_Up);
    QVERIFY(at() < page);
    ui_->press(Qt::Key_End);
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("documentText"))->property("atYEnd").toBool());
    ui_->press(Qt::Key_Home);
    ui_->settle();
    QCOMPARE(at(), 0.0);
}

QTEST_MAIN(DocumentsTest)
#include "documents_test.moc"
