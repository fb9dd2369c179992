// The pages of downloads and requests, as their user meets them: keys and clicks on the real
// window, and a server on this computer.
#include <QCryptographicHash>
#include <QTest>

#include "app/desktop/network/test_server.h"
#include "ui_window.h"

using namespace hearth::ui;
using namespace hearth::ui::test;

class DownloadsTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void saysThatThereIsNothing();
    void pausesGoesOnAndCancels();
    void deletesByTheKey();
    void showsWhyOneFailed();
    void listsRequestsAndForbidsThem();
    void keepsATokenOutOfSight();

private:
    QQuickItem* item(const char* name) { return ui_->item(QString::fromLatin1(name)); }
    QString name(const char* item) { return UiWindow::accessibleName(this->item(item)); }
    // By the keyboard, to a button of the row that is chosen.
    bool tabTo(const char* button);

    std::unique_ptr<TestServer> server_;
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<UiWindow> ui_;
    bool held_ = true;  // the server stalls in the middle of a file

    DownloadOrder order(const QString& file) const;
    static QByteArray whole() { return QByteArray(300'000, 'w'); }
};

void DownloadsTest::init() {
    held_ = true;
    server_ = std::make_unique<TestServer>([this](const ServerRequest& request) {
        if (request.path() == "/missing.gguf") {
            return ServerAnswer{.status = 404};
        }
        ServerAnswer answer{.headers = {{"ETag", "\"1\""}}, .body = whole()};
        if (const auto range = request.range()) {
            answer.status = 206;
            answer.body = whole().mid(range->first);
            answer.headers.append(
                qMakePair(QByteArray("Content-Range"),
                          "bytes " + QByteArray::number(range->first) + "-299999/300000"));
        }
        if (held_) {
            answer.bodyBytesSent = 100'000;
            answer.then = ServerAnswer::Then::Stall;
        }
        return answer;
    });
    QVERIFY(server_->start());
    folder_ = std::make_unique<QTemporaryDir>();
    ui_ = std::make_unique<UiWindow>();
    QVERIFY(ui_->ok());
    QVERIFY(ui_->activate());
}

void DownloadsTest::cleanup() {
    ui_.reset();
    server_.reset();
    folder_.reset();
}

DownloadOrder DownloadsTest::order(const QString& file) const {
    return {QStringLiteral("A small model"),
            folder_->path(),
            QStringLiteral("mit"),
            {{QUrl(server_->base() + QLatin1Char('/') + file), file, -1,
              QCryptographicHash::hash(whole(), QCryptographicHash::Sha256)}}};
}

bool DownloadsTest::tabTo(const char* button) {
    for (int i = 0; i < 12; ++i) {
        const QQuickItem* focused = ui_->window()->activeFocusItem();
        if (focused != nullptr && focused->objectName() == QLatin1String(button)) {
            return true;
        }
        ui_->press(Qt::Key_Tab);
    }
    return false;
}

void DownloadsTest::saysThatThereIsNothing() {
    QVERIFY(item("downloadsButton") == nullptr);
    ui_->press(Qt::Key_J, Qt::ControlModifier);
    QTRY_VERIFY(item("noDownloads") != nullptr);
    QVERIFY(item("downloadList") == nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(item("noDownloads") == nullptr);
    QCOMPARE(server_->connections(), 0);
}

void DownloadsTest::pausesGoesOnAndCancels() {
    QCOMPARE(ui_->app().downloads()->add(order(QStringLiteral("a.gguf"))), QString());
    QVERIFY(!ui_->app().downloads()->add(order(QStringLiteral("a.gguf"))).isEmpty());
    QTRY_VERIFY(item("downloadsButton") != nullptr);
    ui_->press(Qt::Key_J, Qt::ControlModifier);
    QTRY_VERIFY(item("pauseDownload") != nullptr);
    QCOMPARE(name("pauseDownload"), QStringLiteral("Pause A small model"));
    QTRY_VERIFY(
        name("downloadRow").startsWith(QLatin1String("A small model: 100.0 kB of 300.0 kB")));
    ui_->press(Qt::Key_Space);
    QTRY_VERIFY(item("resumeDownload") != nullptr);
    QCOMPARE(name("resumeDownload"), QStringLiteral("Go on: A small model"));
    QVERIFY(name("downloadRow").contains(QLatin1String("paused")));

    QVERIFY(tabTo("cancelDownload"));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(item("undoCancel") != nullptr);
    QVERIFY(QFile::exists(folder_->filePath(QStringLiteral("a.gguf.part"))));
    held_ = false;
    ui_->click(item("undoCancel"));
    QTRY_VERIFY(item("showFolder") != nullptr);
    QVERIFY(QFile::exists(folder_->filePath(QStringLiteral("a.gguf"))));
    QCOMPARE(server_->requests().last().headers.value("range"), QByteArray("bytes=100000-299999"));
    QVERIFY2(name("downloadRow").contains(QStringLiteral("done · checked by its SHA-256")),
             qPrintable(name("downloadRow")));
    // The row of a finished download has a button that opens the model.
    QCOMPARE(ui_->app().notices()->text(), QStringLiteral("A small model is downloaded."));
    QCOMPARE(name("useDownload"), QStringLiteral("Use A small model"));
    ui_->click(item("useDownload"));
    QTRY_COMPARE(ui_->app().model()->path(), folder_->filePath(QStringLiteral("a.gguf")));
    QTRY_VERIFY(item("downloadList") == nullptr);
    ui_->press(Qt::Key_J, Qt::ControlModifier);
    QTRY_VERIFY(item("removeDownload") != nullptr);
    ui_->click(item("removeDownload"));
    QTRY_VERIFY(item("noDownloads") != nullptr);
    QVERIFY(QFile::exists(folder_->filePath(QStringLiteral("a.gguf"))));
}

// The one of two downloads that is chosen: cancelled, gone on with, and once done taken off the
// list.
void DownloadsTest::deletesByTheKey() {
    held_ = false;
    QCOMPARE(ui_->app().downloads()->add(order(QStringLiteral("done.gguf"))), QString());
    QTRY_VERIFY(QFile::exists(folder_->filePath(QStringLiteral("done.gguf"))));
    held_ = true;
    QCOMPARE(ui_->app().downloads()->add(order(QStringLiteral("a.gguf"))), QString());
    ui_->press(Qt::Key_J, Qt::ControlModifier);
    QTRY_VERIFY(item("pauseDownload") != nullptr && item("removeDownload") != nullptr);
    const auto rows = [this] { return ui_->downwards(QStringLiteral("downloadRow")); };
    QCOMPARE(rows().size(), 2);
    QQuickItem* row =
        rows().first()->isAncestorOf(item("pauseDownload")) ? rows().first() : rows().last();
    row->forceActiveFocus(Qt::TabFocusReason);
    ui_->press(Qt::Key_Delete);
    QTRY_VERIFY(item("undoCancel") != nullptr);
    QVERIFY(row->isAncestorOf(item("undoCancel")));
    QCOMPARE(rows().size(), 2);
    held_ = false;
    ui_->press(Qt::Key_Return);  // the row's own action: to undo that
    QTRY_VERIFY(QFile::exists(folder_->filePath(QStringLiteral("a.gguf"))));
    QTRY_COMPARE(ui_->items(QStringLiteral("removeDownload")).size(), 2);
    const QVariant id = row->property("downloadId");
    row->forceActiveFocus(Qt::TabFocusReason);
    ui_->press(Qt::Key_Delete);
    QTRY_COMPARE(rows().size(), 1);
    QVERIFY(rows().first()->property("downloadId") != id);
    QVERIFY(QFile::exists(folder_->filePath(QStringLiteral("a.gguf"))));
}

void DownloadsTest::showsWhyOneFailed() {
    QCOMPARE(ui_->app().downloads()->add(order(QStringLiteral("missing.gguf"))), QString());
    ui_->press(Qt::Key_J, Qt::ControlModifier);
    QTRY_VERIFY(item("downloadProblem") != nullptr);
    QCOMPARE(item("downloadProblem")->property("text").toString(),
             QStringLiteral("The server has no such file; it may have been moved."));
    QCOMPARE(name("resumeDownload"), QStringLiteral("Try again: A small model"));
}

void DownloadsTest::listsRequestsAndForbidsThem() {
    QCOMPARE(ui_->app().downloads()->add(order(QStringLiteral("a.gguf"))), QString());
    QTRY_COMPARE(server_->requests().size(), 1);
    ui_->click(item("settingsButton"));
    QTRY_VERIFY(item("networkItem") != nullptr);
    ui_->click(item("networkItem"));
    QTRY_VERIFY(item("requestList") != nullptr);
    QTRY_VERIFY(name("requestRow").contains(QLatin1String("Download of a.gguf: GET 127.0.0.1:")));
    QVERIFY(ui_->window()->activeFocusItem() == item("forbidNetwork"));
    ui_->press(Qt::Key_Space);
    QTRY_VERIFY(!ui_->app().network()->allowed());
    QTRY_COMPARE(ui_->app().downloads()->underWay(), 0);
    const qsizetype asked = server_->requests().size();
    ui_->app().downloads()->resume(ui_->app().downloads()->list()->all().first().id);
    QTRY_VERIFY(name("requestRow").contains(QLatin1String("not sent: switched off")));
    QCOMPARE(server_->requests().size(), asked);
    held_ = false;
    ui_->press(Qt::Key_Space);
    QTRY_VERIFY(ui_->app().network()->allowed());
    ui_->app().downloads()->resume(ui_->app().downloads()->list()->all().first().id);
    QTRY_VERIFY(QFile::exists(folder_->filePath(QStringLiteral("a.gguf"))));
}

void DownloadsTest::keepsATokenOutOfSight() {
    QMetaObject::invokeMethod(ui_->item(QStringLiteral("dialogs")), "showNetwork");
    QTRY_VERIFY(item("tokenField") != nullptr);
    QVERIFY(tabTo("tokenField"));
    ui_->type(QStringLiteral("hf_secret"));
    QVERIFY(!item("tokenField")->property("displayText").toString().contains(QLatin1Char('h')));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(item("forgetToken") != nullptr);
    QVERIFY(ui_->app().tokens()->hasToken());
    ui_->click(item("forgetToken"));
    QTRY_VERIFY(item("tokenField") != nullptr);
    QVERIFY(item("tokenField")->property("text").toString().isEmpty());
    QCOMPARE(server_->connections(), 0);
}

QTEST_MAIN(DownloadsTest)
#include "downloads_test.moc"
