// The engine's packing, asked from the GUI thread: what it answers, and what it leaves on the disk.
#include "bridge/local_packing.h"

#ifndef _WIN32
#include <sys/file.h>
#endif

#include <QTemporaryDir>
#include <QtTest>
#include <optional>

#include <hearth/tools.h>

#include "bridge/model_facts.h"
#include "support/tiny_model.h"
#include "support/without_root.h"

using namespace hearth::ui;
using hearth::DType;
using hearth::test::TinyModel;
using End = PackOutcome::End;

class LocalPackingTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(TinyModel({.type = DType::F16}).write(at("a.gguf").toStdString()));
        job_ = {.source = at("a.gguf"), .target = at("a.hearth.gguf")};
        packing_ = std::make_unique<LocalPacking>(folder_->filePath(QStringLiteral("cache")));
    }
    void cleanup() {
        packing_.reset();
        steps_.clear();
        stops_ = false;
    }

    void packs() {
        const PackOutlook outlook = look({at("none/../a.hearth.gguf"), job_.target});
        QCOMPARE(outlook.wrong, QString());
        QCOMPARE(outlook.sourceBytes, quint64(QFileInfo(job_.source).size()));
        QVERIFY(outlook.freeBytes > 0);
        QCOMPARE(files(), QStringList({"a.gguf", "none"}));
        QDir(folder_->path()).rmdir(QStringLiteral("none"));
        const PackOutcome outcome = pack();
        QVERIFY2(outcome.end == End::Done, qPrintable(outcome.wrong));
        QVERIFY(!steps_.isEmpty());
        QCOMPARE(steps_.constLast().checkedBytes, outlook.targetBytes);
        QCOMPARE(files(), QStringList({"a.gguf", "a.hearth.gguf"}));
        QCOMPARE(quint64(QFileInfo(job_.target).size()), outlook.targetBytes);
        const ModelFacts facts = readModelFacts(job_.target);
        QVERIFY(facts.runs && facts.packed);
        const QString again = look({job_.target}).wrong;
        QVERIFY2(again.contains(QLatin1String("already")), qPrintable(again));
    }

    void stopsWithoutATrace() {
        stops_ = true;
        QVERIFY(pack().end == End::Stopped);
        QCOMPARE(files(), QStringList({"a.gguf"}));
        stops_ = false;  // that stop was not meant for the next one
        const PackOutcome outcome = pack();
        QVERIFY2(outcome.end == End::Done, qPrintable(outcome.wrong));
        QCOMPARE(files(), QStringList({"a.gguf", "a.hearth.gguf"}));
    }

    // The program ends meanwhile: that waits for the next start, which goes on or removes it.
    void isPutDownAndGoneOnWith() {
        packing_->pack(job_);
        QTRY_VERIFY_WITH_TIMEOUT(files().size() > 1, 60'000);
        QVERIFY(packing_->shutdown(60'000));
        QVERIFY(files().size() > 1);
        packing_ = std::make_unique<LocalPacking>(folder_->filePath(QStringLiteral("cache")));
        QVERIFY(pack().end == End::Done);
        QCOMPARE(files(), QStringList({"a.gguf", "a.hearth.gguf"}));
    }

    void removesWhatACrashLeft() {
        for (const char* name : {"a.hearth.gguf.partial", "a.hearth.gguf.partial.journal"}) {
            QFile file(at(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("x");
        }
        std::optional<QString> gone;
        connect(packing_.get(), &PackService::discarded, this,
                [&](const QString& wrong) { gone = wrong; });
        packing_->discard(job_.target);
        QTRY_VERIFY(gone.has_value());
        QCOMPARE(*gone, QString());
        QCOMPARE(files(), QStringList({"a.gguf"}));
    }

    void saysWhyNot_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("words");
        QTest::newRow("gone") << "gone.gguf"
                              << "moved or deleted";
        QTest::newRow("dense") << "dense.gguf"
                               << "never fall silent";
        QTest::newRow("broken") << "broken.gguf"
                                << "is not a whole GGUF model";
    }
    void saysWhyNot() {
        QFETCH(const QString, source);
        QFETCH(const QString, words);
        QVERIFY(TinyModel({.arch = "llama"}).write(at("dense.gguf").toStdString()));
        QFile broken(at("broken.gguf"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("GGUF and no more");
        broken.close();
        job_.source = folder_->filePath(source);
        const PackOutlook outlook = look({job_.target});
        QVERIFY2(outlook.wrong.contains(words), qPrintable(outlook.wrong));
        const PackOutcome outcome = pack();
        QVERIFY(outcome.end == End::Failed);
        QCOMPARE(outcome.wrong, outlook.wrong);
    }

#ifndef _WIN32
    // Another program's half-written copy is not ours to remove.
    void anotherIsAtIt() {
        QFile partial(at("a.hearth.gguf.partial"));
        QVERIFY(partial.open(QIODevice::WriteOnly));
        QCOMPARE(flock(partial.handle(), LOCK_EX | LOCK_NB), 0);
        const PackOutcome outcome = pack();
        QVERIFY(outcome.end == End::Failed);
        QVERIFY2(outcome.wrong.contains(QLatin1String("Another program")),
                 qPrintable(outcome.wrong));
        QVERIFY(partial.exists());
    }

    // The first folder that may be written is taken; where none may, that is said.
    void aFolderThatMayNotBeWritten() {
        const QString locked = at("locked");
        const QString open = at("open");
        QVERIFY(QDir().mkpath(locked) && QDir().mkpath(open));
        constexpr auto kRead = QFile::ReadOwner | QFile::ExeOwner | QFile::ReadGroup |
                               QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther;
        QVERIFY(QFile::setPermissions(folder_->path(), kRead | QFile::WriteOwner));
        QVERIFY(QFile::setPermissions(job_.source, kRead));
        QVERIFY(QFile::setPermissions(locked, kRead));
        QVERIFY(QFile::setPermissions(
            open, kRead | QFile::WriteOwner | QFile::WriteGroup | QFile::WriteOther));
        const hearth::test::WithoutRoot nobody;
        if (!nobody.done()) {
            QSKIP("this process cannot act as another user");
        }
        const QString there = locked + QStringLiteral("/a.hearth.gguf");
        QCOMPARE(look({there, open + QStringLiteral("/a.hearth.gguf")}).target,
                 open + QStringLiteral("/a.hearth.gguf"));
        const QString wrong = look({there}).wrong;
        QVERIFY2(wrong.contains(QLatin1String("No folder for the copy")), qPrintable(wrong));
        job_.target = there;  // locked since it was looked at
        const QString later = pack().wrong;
        QVERIFY2(later.contains(QLatin1String("cannot be written")), qPrintable(later));
    }
#endif

private:
    QString at(const char* name) const {
        return folder_->filePath(QString::fromLatin1(name));
    }
    QStringList files() const {
        return QDir(folder_->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot, QDir::Name);
    }
    PackOutlook look(const QStringList& targets) {
        std::optional<PackOutlook> found;
        const auto connection = connect(packing_.get(), &PackService::outlook, this,
                                        [&](quint64, const PackOutlook& out) { found = out; });
        packing_->askOutlook(7, job_, targets);
        [[maybe_unused]] const bool came =
            QTest::qWaitFor([&] { return found.has_value(); }, 60'000);
        disconnect(connection);
        return found.value_or(PackOutlook{.wrong = QStringLiteral("no answer")});
    }
    PackOutcome pack() {
        std::optional<PackOutcome> outcome;
        const auto ended = connect(packing_.get(), &PackService::ended, this,
                                   [&](const PackOutcome& out) { outcome = out; });
        const auto stepped = connect(packing_.get(), &PackService::step, this,
                                     [&](const PackStep& step) { steps_ << step; });
        packing_->pack(job_);
        if (stops_) {
            packing_->stop();
        }
        [[maybe_unused]] const bool came =
            QTest::qWaitFor([&] { return outcome.has_value(); }, 60'000);
        disconnect(ended);
        disconnect(stepped);
        return outcome.value_or(PackOutcome{.wrong = QStringLiteral("no answer")});
    }

    std::unique_ptr<QTemporaryDir> folder_;
    PackJob job_;
    std::unique_ptr<LocalPacking> packing_;
    QList<PackStep> steps_;
    bool stops_ = false;
};

QTEST_GUILESS_MAIN(LocalPackingTest)
#include "local_packing_test.moc"
