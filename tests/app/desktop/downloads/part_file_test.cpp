// What is believed of a file that is not all there, after whatever happened to it.
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include "downloads/part_file.h"

using namespace hearth::ui;

namespace {

constexpr qint64 kChunk = 1000;

QByteArray content(qint64 bytes) {
    QByteArray all(bytes, 0);
    QRandomGenerator random(7);
    for (char& byte : all) {
        byte = static_cast<char>(random.bounded(256));
    }
    return all;
}

QByteArray sha256(const QByteArray& bytes) {
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
}

void check(PartFile& part) {
    while (part.checkNext()) {}
}

QByteArray fileAt(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class PartFileTest : public QObject {
    Q_OBJECT

private slots:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }
    void takesItsNameAtTheEnd();
    void goesOnAfterAnEnd_data();
    void goesOnAfterAnEnd();
    void onlyBadChunksComeAgain();
    void believesNoBrokenJournal_data();
    void believesNoBrokenJournal();
    void replacesNoFile();
    void replacesChunks();
    void knowsTheEndLate();
    void aFinishedChunkHasNoTail();
    void aBadChunkHasATailAgain();
    void saysWhatIsLeft();
    void hasABeginning();
    void anAbandonedChunkBeginsAnew();

private:
    QString target() const { return folder_->filePath(QStringLiteral("new/model.gguf")); }
    QString journal() const { return target() + QStringLiteral(".part.journal"); }
    QString part() const { return target() + QStringLiteral(".part"); }
    static FileSource source(qint64 bytes) { return {bytes, "\"e 1\"", "Tue"}; }

    std::unique_ptr<QTemporaryDir> folder_;
};

void PartFileTest::takesItsNameAtTheEnd() {
    const QByteArray all = content(3500);
    PartFile file(target(), kChunk);
    QVERIFY(!file.open());
    QVERIFY(!file.hasSource());
    QVERIFY(!file.begin(source(all.size())));
    for (qint64 at = 0; at < all.size(); at += 700) {
        QCOMPARE(file.nextMissing(), at);
        QCOMPARE(file.missingEnd(at), all.size());
        QVERIFY(!file.write(at, all.mid(at, 700)));
    }
    QCOMPARE(file.nextMissing(), -1);
    QCOMPARE(file.hashedBytes(), all.size());  // on the way
    QCOMPARE(file.sha256(), sha256(all));
    QVERIFY(!QFile::exists(target()));
    QVERIFY(!file.finish());
    QCOMPARE(fileAt(target()), all);
    QVERIFY(!QFile::exists(part()) && !QFile::exists(journal()));
}

void PartFileTest::goesOnAfterAnEnd_data() {
    QTest::addColumn<bool>("orderly");
    QTest::addColumn<qint64>("written");
    for (const qint64 written : {0, 1, 999, 1000, 1001, 2500, 3499}) {
        QTest::addRow("killed at %lld", written) << false << written;
        QTest::addRow("ended at %lld", written) << true << written;
    }
}

void PartFileTest::goesOnAfterAnEnd() {
    QFETCH(bool, orderly);
    QFETCH(qint64, written);
    const QByteArray all = content(3500);
    {
        PartFile file(target(), kChunk);
        QVERIFY(!file.open() && !file.begin(source(all.size())) &&
                !file.write(0, all.left(written)));
        if (orderly) {
            QVERIFY(!file.keep());
        }
    }
    PartFile file(target(), kChunk);
    QVERIFY(!file.open());
    QVERIFY(file.hasSource());
    QCOMPARE(file.source().etag, QByteArray("\"e 1\""));
    QCOMPARE(file.source().lastModified, QByteArray("Tue"));
    check(file);
    const qint64 kept = orderly ? written : written / kChunk * kChunk;
    QCOMPARE(file.haveBytes(), kept);
    QCOMPARE(file.nextMissing(), kept);
    QCOMPARE(file.badBytes(), 0);
    QCOMPARE(file.hashedBytes(), kept);
    QVERIFY(!file.write(kept, all.mid(kept)));
    QCOMPARE(file.sha256(), sha256(all));
    QVERIFY(!file.finish());
    QCOMPARE(fileAt(target()), all);
}

void PartFileTest::onlyBadChunksComeAgain() {
    const QByteArray all = content(5500);
    {
        PartFile file(target(), kChunk);
        QVERIFY(!file.open() && !file.begin(source(all.size())) && !file.write(0, all.left(4700)));
        QVERIFY(!file.keep());
    }
    QFile damaged(part());
    QVERIFY(damaged.open(QIODevice::ReadWrite));
    for (const qint64 at : {1500, 3999}) {
        QVERIFY(damaged.seek(at) && damaged.putChar(static_cast<char>(~all.at(at))));
    }
    damaged.close();
    PartFile file(target(), kChunk);
    QVERIFY(!file.open());
    check(file);
    QCOMPARE(file.badBytes(), 2 * kChunk);
    QCOMPARE(file.haveBytes(), 2700);
    QCOMPARE(file.checkedBytes(), 4 * kChunk);
    QCOMPARE(file.nextMissing(), 4700);  // the chunk that was begun, first
    QVERIFY(!file.write(4700, all.mid(4700, 600)) && !file.write(5300, all.mid(5300)));
    QCOMPARE(file.nextMissing(), 1000);
    QCOMPARE(file.missingEnd(1000), 2000);
    QVERIFY(!file.write(1000, all.mid(1000, 600)) && !file.keep());
    {
        PartFile again(target(), kChunk);  // were it to end here
        QVERIFY(!again.open());
        check(again);
        QCOMPARE(again.haveBytes(), all.size() - 2 * kChunk + 600);
        QCOMPARE(again.nextMissing(), 1600);
    }
    QVERIFY(!file.write(1600, all.mid(1600, 400)));
    QCOMPARE(file.nextMissing(), 3000);
    QVERIFY(!file.write(3000, all.mid(3000, 1000)));
    QCOMPARE(file.nextMissing(), -1);
    while (file.hashedBytes() < all.size()) {
        QVERIFY(!file.hashNext());
    }
    QCOMPARE(file.sha256(), sha256(all));
}

void PartFileTest::believesNoBrokenJournal_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("have");  // -1: not even a source
    const QByteArray first = "hearth-part 1\nsource 3500 1000 - -\n";
    const QByteArray hash = QByteArray(64, 'a');
    QTest::addRow("empty") << QByteArray() << qint64{-1};
    QTest::addRow("another file") << QByteArray("GGUF\n\x03\n") << qint64{-1};
    QTest::addRow("another version") << QByteArray("hearth-part 2\nsource 1 1 - -\n") << qint64{-1};
    QTest::addRow("no line end") << QByteArray(100'000, 'x') << qint64{-1};
    for (const char* line :
         {"source -5 1000 - -", "source 3500 0 - -", "source 3500 -1 - -", "source x 1000 - -",
          "source 9223372036854775807 1 - -", "source 3500 1000 -", "chunk 0 aa"}) {
        QTest::addRow("%s", line) << "hearth-part 1\n" + QByteArray(line) + '\n' << qint64{-1};
    }
    QTest::addRow("a hash of other bytes") << first + "chunk 0 " + hash + '\n' << qint64{0};
    for (const char* line :
         {"chunk 4 HASH", "chunk -1 HASH", "chunk 0 HASH more", "chunk 0 abc", "tail 0 1000 HASH",
          "tail 0 0 HASH", "tail 9 5 HASH", "chunk", "source 3500 1000 - -", "", "chunk 0 HAS"}) {
        QTest::addRow("then '%s'", line) << first + QByteArray(line).replace("HASH", hash) + '\n'
                                         << qint64{0};
    }
    QTest::addRow("torn") << first + "chunk 0 " + hash << qint64{0};
    QTest::addRow("a tail of other bytes") << first + "tail 1 5 " + hash + '\n' << qint64{0};
}

void PartFileTest::believesNoBrokenJournal() {
    QFETCH(QByteArray, text);
    QFETCH(qint64, have);
    QVERIFY(QDir().mkpath(QFileInfo(target()).path()));
    for (const auto& [name, bytes] :
         {std::pair(journal(), text), std::pair(part(), QByteArray("short"))}) {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    const QByteArray all = content(3500);
    PartFile file(target(), kChunk);
    QVERIFY(!file.open());
    check(file);
    QCOMPARE(file.hasSource(), have >= 0);
    QCOMPARE(file.haveBytes(), std::max<qint64>(have, 0));
    if (!file.hasSource()) {
        QVERIFY(!file.begin(source(all.size())));
    }
    QVERIFY(!file.write(0, all.left(1500)) && !file.keep());
    PartFile again(target(), kChunk);  // what was added is believed
    QVERIFY(!again.open());
    check(again);
    QCOMPARE(again.haveBytes(), 1500);
}

void PartFileTest::replacesNoFile() {
    PartFile file(target(), kChunk);
    QVERIFY(!file.open() && !file.begin(source(5)) && !file.write(0, "hello"));
    QFile other(target());
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("mine");
    other.close();
    QVERIFY(file.finish().kind == DiskTrouble::Kind::Refused);
    QCOMPARE(fileAt(target()), QByteArray("mine"));
    QCOMPARE(fileAt(part()), QByteArray("hello"));
}

void PartFileTest::replacesChunks() {
    const QByteArray all = content(2500);
    QByteArray wrong = all;
    wrong[2400] = static_cast<char>(~wrong.at(2400));
    PartFile file(target(), kChunk);
    QVERIFY(!file.open() && !file.begin(source(all.size())) && !file.write(0, wrong));
    QVERIFY(file.sha256() != sha256(all));
    QVERIFY(file.sameAsChunk(0, all.left(1000)));
    QVERIFY(!file.sameAsChunk(2, all.mid(2000)));
    QVERIFY(!file.sameAsChunk(0, all.left(999)));
    QVERIFY(!file.replaceChunk(2, all.mid(2000)));
    while (file.hashedBytes() < all.size()) {
        QVERIFY(!file.hashNext());
    }
    QCOMPARE(file.sha256(), sha256(all));
    PartFile again(target(), kChunk);
    QVERIFY(!again.open());
    check(again);
    QCOMPARE(again.haveBytes(), all.size());
}

void PartFileTest::knowsTheEndLate() {
    const QByteArray all = content(2500);
    PartFile file(target(), kChunk);
    QVERIFY(!file.open() && !file.begin({}));
    QVERIFY(!file.write(0, all.left(1700)) && !file.write(1700, all.mid(1700)));
    QVERIFY(!file.endHere());
    QCOMPARE(file.nextMissing(), -1);
    QCOMPARE(file.sha256(), sha256(all));
    QVERIFY(!file.finish());
    QCOMPARE(fileAt(target()), all);
}

// The journal of a run that was killed behind the end of a chunk: the chunk's beginning was noted
// before, and must not count beside it.
void PartFileTest::aFinishedChunkHasNoTail() {
    const QByteArray whole = content(2500);
    {
        PartFile first(target(), kChunk);
        QVERIFY(!first.open());
        QVERIFY(!first.begin(source(whole.size())));
        QVERIFY(!first.write(0, whole.left(500)));
        QVERIFY(!first.keep());                           // "tail 0 500"
        QVERIFY(!first.write(500, whole.mid(500, 500)));  // "chunk 0"
    }
    PartFile part(target(), kChunk);
    QVERIFY(!part.open());
    QCOMPARE(part.haveBytes(), 1000);
    check(part);
    QCOMPARE(part.haveBytes(), 1000);
    QCOMPARE(part.badBytes(), 0);
    QCOMPARE(part.nextMissing(), 1000);
    // And the second chunk after it, in the same object.
    QVERIFY(!part.write(1000, whole.mid(1000)));
    QCOMPARE(part.haveBytes(), 2500);
    QVERIFY(!part.finish());
    QCOMPARE(fileAt(target()), whole);
}

// The other order: a chunk that was found bad comes again, and its beginning is noted.
void PartFileTest::aBadChunkHasATailAgain() {
    const QByteArray whole = content(1000);
    {
        PartFile first(target(), kChunk);
        QVERIFY(!first.open());
        QVERIFY(!first.begin(source(whole.size())));
        QVERIFY(!first.write(0, whole));
    }
    QFile bytes(part());
    QVERIFY(bytes.open(QIODevice::ReadWrite));
    QVERIFY(bytes.seek(700));
    QVERIFY(bytes.putChar(static_cast<char>(~whole.at(700))));
    bytes.close();
    {
        PartFile second(target(), kChunk);
        QVERIFY(!second.open());
        check(second);
        QCOMPARE(second.badBytes(), 1000);
        QVERIFY(!second.write(0, whole.left(300)));
        QVERIFY(!second.keep());
    }
    PartFile third(target(), kChunk);
    QVERIFY(!third.open());
    QCOMPARE(third.haveBytes(), 300);
    check(third);
    QCOMPARE(third.nextMissing(), 300);
    QVERIFY(!third.write(300, whole.mid(300)));
    QVERIFY(!third.finish());
    QCOMPARE(fileAt(target()), whole);
}

void PartFileTest::saysWhatIsLeft() {
    QCOMPARE(PartFile::leftOf(target()).bytesTotal, -1);
    const QByteArray whole = content(2500);
    {
        PartFile first(target(), kChunk);
        QVERIFY(!first.open());
        QVERIFY(!first.begin(source(whole.size())));
        QVERIFY(!first.write(0, whole.left(1300)));
        QVERIFY(!first.keep());
    }
    QFile file(journal());
    QVERIFY(file.open(QIODevice::Append));
    file.write("chunk 2 torn");
    file.close();
    const QByteArray before = fileAt(journal());
    QCOMPARE(PartFile::leftOf(target()).bytesTotal, 2500);
    QCOMPARE(PartFile::leftOf(target()).bytesDone, 1300);
    QCOMPARE(fileAt(journal()), before);  // nothing is changed by a look
    QVERIFY(QFile::remove(part()));
    QCOMPARE(PartFile::leftOf(target()).bytesDone, 0);  // of what is not there
}

void PartFileTest::hasABeginning() {
    const QByteArray whole = content(2500);
    PartFile part(target(), kChunk);
    QVERIFY(!part.open());
    QVERIFY(!part.begin(source(whole.size())));
    QCOMPARE(part.beginningBytes(), 0);
    QVERIFY(!part.write(0, whole.left(1300)));
    QCOMPARE(part.beginningBytes(), 1300);
    QCOMPARE(part.beginning(2000), whole.left(1300));
    QCOMPARE(part.beginning(7), whole.left(7));
    QVERIFY(!part.write(1300, whole.mid(1300)));
    QCOMPARE(part.beginningBytes(), 2500);
    QCOMPARE(part.beginning(9999), whole);
    // The first chunk was found bad: the others do not count as a beginning.
    PartFile again(target(), kChunk);
    QVERIFY(!again.open());
    QFile bytes(this->part());
    QVERIFY(bytes.open(QIODevice::ReadWrite));
    QVERIFY(bytes.putChar(static_cast<char>(~whole.at(0))));
    bytes.close();
    check(again);
    QCOMPARE(again.haveBytes(), 1500);
    QCOMPARE(again.beginningBytes(), 0);
}

// A chunk was begun, and then another one comes: only whole chunks are counted on.
void PartFileTest::anAbandonedChunkBeginsAnew() {
    const QByteArray whole = content(2500);
    PartFile file(target(), kChunk);
    QVERIFY(!file.open() && !file.begin(source(whole.size())));
    QVERIFY(!file.write(0, whole.left(300)));
    QVERIFY(!file.write(1000, whole.mid(1000, 1000)));
    QCOMPARE(file.haveBytes(), 1000);
    QCOMPARE(file.nextMissing(), 0);
    QCOMPARE(file.missingEnd(0), 1000);  // what follows is there
    QVERIFY(!file.write(0, whole.left(1000)));
    QCOMPARE(file.haveBytes(), 2000);
    QCOMPARE(file.nextMissing(), 2000);
    QVERIFY(!file.write(2000, whole.mid(2000)));
    while (file.hashedBytes() < whole.size()) {
        QVERIFY(!file.hashNext());
    }
    QCOMPARE(file.sha256(), sha256(whole));
    PartFile again(target(), kChunk);
    QVERIFY(!again.open());
    check(again);
    QCOMPARE(again.badBytes(), 0);
    QCOMPARE(again.haveBytes(), whole.size());
}

QTEST_GUILESS_MAIN(PartFileTest)
#include "part_file_test.moc"
