// The downloads as the window has them: what may be added, for whom one waits, and the sum of all.
#include <QSignalSpy>
#include <QtTest>

#include "download_bench.h"
#include "downloads/downloads.h"
#include "network/token_keeper.h"

using namespace hearth::ui;
using namespace hearth::ui::test;
using State = DownloadStatus::State;

namespace {

const QByteArray kWhole = randomBytes(100'000, 9);

// A keychain that answers when the test lets it.
class HeldStore : public SecretStore {
public:
    explicit HeldStore(QList<std::function<void()>>& held) : held_(held) {}
    void read(const QString& /*key*/, std::function<void(const QString&)> done) override {
        held_.append([done = std::move(done)] { done({}); });
    }
    void write(const QString& /*key*/, const QString& /*secret*/,
               std::function<void(bool)> done) override {
        done(false);
    }
    void remove(const QString& /*key*/, std::function<void()> done) override { done(); }

private:
    QList<std::function<void()>>& held_;
};

}  // namespace

class DownloadsTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void refusesWhatIsThere();
    void takesAgainWhatIsGone();
    void eachHasANumberOfItsOwn();
    void waitsForTheKeychain();
    void sumsUpWhatIsUnderWay();
    void leavesAnotherWindowsListAlone();
    void aCancelledOneComesBack();
    void saysThatTheListWasUnreadable();

private:
    void start(bool readOnly = false) {
        downloads_ = std::make_unique<Downloads>(
            control_, *tokens_,
            Downloads::Settings{.file = at(QStringLiteral("list.json")), .readOnly = readOnly});
    }
    // Lets the keychain say that it has nothing.
    void answer() {
        while (!held_.isEmpty()) {
            held_.takeFirst()();
        }
    }
    QString at(const QString& name) const { return folder_->filePath(name); }
    DownloadOrder order(const QStringList& names, qint64 bytes = kWhole.size()) const {
        DownloadOrder all{names.first(), folder_->path(), {}, {}};
        for (const QString& name : names) {
            all.parts.append({QUrl(server_->base() + QLatin1Char('/') + name), name, bytes});
        }
        return all;
    }
    const QList<DownloadStatus>& all() { return downloads_->list()->all(); }
    bool allDone() {
        return !all().isEmpty() && std::all_of(all().begin(), all().end(), [](const auto& one) {
            return one.state == State::Done;
        });
    }

    NetworkControl control_;
    QSet<QByteArray> stalling_;  // paths
    QList<std::function<void()>> held_;
    std::unique_ptr<TestServer> server_;
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<TokenKeeper> tokens_;
    std::unique_ptr<Downloads> downloads_;
};

void DownloadsTest::init() {
    stalling_.clear();
    held_.clear();
    server_ = std::make_unique<TestServer>([this](const ServerRequest& request) {
        ServerAnswer answer = serve(request, kWhole, "\"one\"");
        if (stalling_.contains(request.path())) {
            answer.bodyBytesSent = 40'000;
            answer.then = ServerAnswer::Then::Stall;
        }
        return answer;
    });
    QVERIFY(server_->start());
    folder_ = std::make_unique<QTemporaryDir>(quickFolder());
    tokens_ = std::make_unique<TokenKeeper>(control_, std::make_unique<HeldStore>(held_));
    start();
}

void DownloadsTest::cleanup() {
    downloads_.reset();
    tokens_.reset();
    server_.reset();
    folder_.reset();
}

// The first file or a later one, on the disk or among the downloads.
void DownloadsTest::refusesWhatIsThere() {
    QFile mine(at(QStringLiteral("b")));
    QVERIFY(mine.open(QIODevice::WriteOnly));
    mine.close();
    QVERIFY(downloads_->add(order({QStringLiteral("a"), QStringLiteral("b")}))
                .contains(QLatin1String("a file named b in this folder already")));
    QVERIFY(!downloads_->willHave(at(QStringLiteral("a"))));
    stalling_ = {"/c", "/d"};
    QCOMPARE(downloads_->add(order({QStringLiteral("c"), QStringLiteral("d")})), QString());
    const QString among = QStringLiteral("d is among the downloads already.");
    QCOMPARE(downloads_->add(order({QStringLiteral("d")})), among);  // the queue knows none yet
    QVERIFY(downloads_->willHave(at(QStringLiteral("./d"))));
    answer();
    QTRY_COMPARE(downloads_->underWay(), 1);
    QCOMPARE(downloads_->add(order({QStringLiteral("d")})), among);
    QVERIFY(!downloads_->add({}).isEmpty());
    QCOMPARE(all().size(), 1);
}

void DownloadsTest::takesAgainWhatIsGone() {
    QCOMPARE(downloads_->add(order({QStringLiteral("a")})), QString());
    answer();
    QTRY_VERIFY(allDone());
    QVERIFY(!downloads_->willHave(at(QStringLiteral("a"))));  // it has come
    QVERIFY(!downloads_->add(order({QStringLiteral("a")})).isEmpty());
    QVERIFY(QFile::remove(at(QStringLiteral("a"))));
    QCOMPARE(downloads_->add(order({QStringLiteral("a")})), QString());
    answer();
    QTRY_COMPARE(all().size(), 2);
    QTRY_VERIFY(allDone());
    stalling_ = {"/b"};
    QCOMPARE(downloads_->add(order({QStringLiteral("b")})), QString());
    answer();
    QTRY_COMPARE(all().size(), 3);
    const qint64 id = all().last().id;
    downloads_->cancel(id);
    downloads_->remove(id);
    QTRY_COMPARE(all().size(), 2);
    QVERIFY(!downloads_->willHave(at(QStringLiteral("b"))));
    stalling_.clear();
    QCOMPARE(downloads_->add(order({QStringLiteral("b")})), QString());
    answer();
    QTRY_COMPARE(all().size(), 3);
    QTRY_VERIFY(allDone());
}

// Some of these are added within one millisecond.
void DownloadsTest::eachHasANumberOfItsOwn() {
    const QStringList names{QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c"),
                            QStringLiteral("d"), QStringLiteral("e"), QStringLiteral("f")};
    for (const QString& name : names) {
        QCOMPARE(downloads_->add(order({name})), QString());
    }
    answer();
    QTRY_COMPARE(all().size(), names.size());
    QSet<qint64> ids;
    for (const DownloadStatus& one : all()) {
        ids.insert(one.id);
    }
    QCOMPARE(ids.size(), names.size());
    QTRY_VERIFY(allDone());
}

// The first request would go without the token that the keychain has.
void DownloadsTest::waitsForTheKeychain() {
    QCOMPARE(downloads_->add(order({QStringLiteral("a")})), QString());
    QCOMPARE(held_.size(), 1);
    stalling_ = {"/b"};
    DownloadOrder second = order({QStringLiteral("b")});
    QCOMPARE(downloads_->add(second), QString());
    QCOMPARE(held_.size(), 1);  // the host is asked about once
    QTest::qWait(1);
    QVERIFY(server_->requests().isEmpty());
    QVERIFY(all().isEmpty());
    answer();
    QTRY_VERIFY(all().size() == 2 && all().last().bytesDone == 40'000);
    // Whoever goes on may need the hub's token, which was not asked for yet.
    downloads_->pause(all().last().id);
    QTRY_VERIFY(all().last().state == State::Paused);
    const qsizetype asked = server_->requests().size();
    stalling_.clear();
    downloads_->resume(all().last().id);
    QCOMPARE(held_.size(), 1);
    QTest::qWait(1);
    QCOMPARE(server_->requests().size(), asked);
    answer();
    QTRY_VERIFY(allDone());
}

void DownloadsTest::sumsUpWhatIsUnderWay() {
    QCOMPARE(downloads_->summary(), QString());
    QCOMPARE(downloads_->progress(), -1.0);
    stalling_ = {"/b", "/c"};
    QSignalSpy completed(downloads_.get(), &Downloads::completed);
    QCOMPARE(downloads_->add(order({QStringLiteral("a")})), QString());
    answer();
    QTRY_COMPARE(completed.size(), 1);
    QCOMPARE(completed.first().at(1).toString(), QStringLiteral("a"));
    QCOMPARE(completed.first().at(2).toStringList(), QStringList(at(QStringLiteral("a"))));
    QCOMPARE(downloads_->add(order({QStringLiteral("b")})), QString());
    QTRY_COMPARE(downloads_->summary(), QStringLiteral("1 download · 40 %"));
    QCOMPARE(downloads_->add(order({QStringLiteral("c"), QStringLiteral("d")})), QString());
    QTRY_COMPARE(downloads_->summary(), QStringLiteral("2 downloads · 26 %"));  // 80 of 300 kB
    QVERIFY(std::abs(downloads_->progress() - 0.8 / 3) < 1e-9);
    QCOMPARE(downloads_->underWay(), 2);
    QCOMPARE(downloads_->add(order({QStringLiteral("e")}, -1)), QString());
    QTRY_COMPARE(downloads_->summary(), QStringLiteral("3 downloads"));  // one of unknown size
}

// A second window of the same data folder.
void DownloadsTest::leavesAnotherWindowsListAlone() {
    stalling_ = {"/a"};
    QCOMPARE(downloads_->add(order({QStringLiteral("a")})), QString());
    answer();
    QTRY_COMPARE(all().size(), 1);
    QTRY_COMPARE(all().first().bytesDone, 40'000);
    downloads_.reset();
    const QByteArray list = fileAt(at(QStringLiteral("list.json")));
    QVERIFY(list.contains("\"open\""));
    start(true);
    QVERIFY(downloads_->add(order({QStringLiteral("b")}))
                .contains(QLatin1String("open in another window")));
    downloads_.reset();
    QCOMPARE(fileAt(at(QStringLiteral("list.json"))), list);
    start();
    QTRY_COMPARE(all().size(), 1);
    QVERIFY(all().first().state == State::Paused);
    QCOMPARE(all().first().bytesDone, 40'000);
}

// The second of two, and only that one.
void DownloadsTest::aCancelledOneComesBack() {
    stalling_ = {"/a", "/b"};
    for (const char* name : {"a", "b"}) {
        QCOMPARE(downloads_->add(order({QString::fromLatin1(name)})), QString());
    }
    answer();
    QTRY_VERIFY(all().size() == 2 && all().first().bytesDone == 40'000 &&
                all().last().bytesDone == 40'000);
    const qint64 first = all().first().id;
    const qint64 second = all().last().id;
    downloads_->cancel(first);
    downloads_->cancel(second);
    QTRY_VERIFY(all().first().state == State::Cancelled && all().last().state == State::Cancelled);
    QCOMPARE(downloads_->underWay(), 0);
    stalling_.clear();
    downloads_->undoCancel(second);
    QTRY_VERIFY(all().last().state == State::Done);
    QVERIFY(all().first().state == State::Cancelled);
    QCOMPARE(fileAt(at(QStringLiteral("b"))), kWhole);
    const QSignalSpy changed(downloads_.get(), &Downloads::changed);
    downloads_->remove(second);
    QTRY_COMPARE(all().size(), 1);
    QCOMPARE(all().first().id, first);
    QVERIFY(changed.size() >= 1);
    QVERIFY(QFile::exists(at(QStringLiteral("b"))));
    QCOMPARE(downloads_->add(order({QStringLiteral("b")})),
             QStringLiteral("There is a file named b in this folder already."));
}

void DownloadsTest::saysThatTheListWasUnreadable() {
    QCOMPARE(downloads_->trouble(), QString());
    downloads_.reset();
    QFile list(at(QStringLiteral("list.json")));
    QVERIFY(list.open(QIODevice::WriteOnly) && list.write("nonsense") == 8);
    list.close();
    start();
    const QSignalSpy changed(downloads_.get(), &Downloads::changed);
    QTRY_COMPARE(downloads_->trouble(),
                 QStringLiteral("The list of downloads could not be read. It is kept as %1.")
                     .arg(QDir::toNativeSeparators(at(QStringLiteral("list.json.unreadable")))));
    QVERIFY(changed.size() >= 1);
    QVERIFY(all().isEmpty());
}

QTEST_GUILESS_MAIN(DownloadsTest)
#include "downloads_test.moc"
