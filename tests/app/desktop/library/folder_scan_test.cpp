#include "library/folder_scan.h"

#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "library/ollama_store.h"
#include "support/without_root.h"

#ifndef _WIN32
#include <sys/stat.h>
#endif

namespace hearth::ui {

class FolderScanTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }
    void cleanup() { folder_.reset(); }

    // By its first bytes, at any depth, whatever it is called.
    void whatIsAModel() {
        put("a.gguf", "GGUF....");
        put("one/two/three/four/five/b.bin", "PWRI....");
        put("one/.hidden/c", "GGUF");
        put("notes.gguf", "not a model");
        put("short.gguf", "GG");
        put("empty.gguf", "");
        put("coming.gguf.part", "GGUF");
        put("packing.hearth.gguf.partial", "GGUF");
        QCOMPARE(names(scan()), QStringList({"a", "b", "c"}));
        QCOMPARE(scan().models.constFirst().bytes, quint64{8});
    }

    void splitFilesAreOne() {
        put("big-00002-of-00003.gguf", "GGUF22");
        put("big-00001-of-00003.gguf", "GGUF1");
        put("big-00003-of-00003.gguf", "GGUF333");
        put("cut-00001-of-00002.gguf", "GGUF");
        const ScanReport report = scan();
        QCOMPARE(names(report), QStringList({"big", "cut"}));
        const FoundModel& big = report.models.at(0);
        QCOMPARE(big.paths.size(), 3);
        QVERIFY(big.path().endsWith(QLatin1String("big-00001-of-00003.gguf")));
        QCOMPARE(big.bytes, quint64{18});
        QCOMPARE(big.partsMissing, 0);
        QCOMPARE(report.models.at(1).partsMissing, 1);
    }

    void partNames_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("index");
        QTest::newRow("a part") << "x-00002-of-00003.gguf" << 2;
        QTest::newRow("none at all") << "x.gguf" << 0;
        QTest::newRow("part 0") << "x-00000-of-00003.gguf" << 0;
        QTest::newRow("part 4 of 3") << "x-00004-of-00003.gguf" << 0;
        QTest::newRow("no name") << "-00001-of-00003.gguf" << 0;
    }
    void partNames() {
        QFETCH(const QString, name);
        QFETCH(const int, index);
        const auto part = filePart(name);
        QCOMPARE(part ? part->index : 0, index);
    }

    // Each file once, whichever way leads to it; a circle of links ends.
    void links() {
        put("models/a.gguf", "GGUF");
        link("models", "again");
        link("..", "models/up");
        link("a.gguf", "models/same.gguf");
        link("nowhere", "models/broken.gguf");
        const ScanReport report = scan();
        QCOMPARE(report.models.size(), 1);
        QCOMPARE(report.problems, QStringList());
    }

    void aPipeIsNotWaitedFor() {
#ifdef _WIN32
        QSKIP("there are no pipes in folders here");
#else
        QCOMPARE(mkfifo(qPrintable(at("pipe.gguf")), 0600), 0);
        put("a.gguf", "GGUF");
        QCOMPARE(names(scan()), QStringList({"a"}));
#endif
    }

    void aFolderThatMayNotBeRead() {
#ifdef _WIN32
        QSKIP("permissions are others here");
#else
        put("a.gguf", "GGUF");
        put("closed/b.gguf", "GGUF");
        // Of the group, too: the user without rights is still in root's.
        const QFile::Permissions open = QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner |
                                        QFile::ReadGroup | QFile::ExeGroup | QFile::ReadOther |
                                        QFile::ExeOther;
        QVERIFY(QFile::setPermissions(folder_->path(), open));
        QVERIFY(QFile::setPermissions(at("a.gguf"), open));
        QVERIFY(QFile::setPermissions(at("closed"), QFile::Permissions{}));
        ScanReport report;
        {
            const test::WithoutRoot nobody;
            QVERIFY(nobody.done());
            report = scan();
        }
        QVERIFY(QFile::setPermissions(at("closed"), open));
        QCOMPARE(names(report), QStringList({"a"}));
        QCOMPARE(report.problems.size(), 1);
        QVERIFY2(report.problems.constFirst().contains(QLatin1String("cannot be read")),
                 qPrintable(report.problems.constFirst()));
#endif
    }

    void aFolderThatIsNone() {
        put("file", "x");
        std::atomic<bool> cancelled = false;
        const ScanReport report = scanFolders({at("gone"), at("file")}, {}, cancelled);
        QCOMPARE(report.problems.size(), 2);
        QVERIFY(report.problems.at(0).contains(QLatin1String("is not there")));
        QVERIFY(report.problems.at(1).contains(QLatin1String("is not a folder")));
    }

    void tooManyFiles() {
        for (int i = 0; i < 20; ++i) {
            put(QStringLiteral("%1.gguf").arg(i, 2, 10, QLatin1Char('0')), "GGUF");
        }
        std::atomic<bool> cancelled = false;
        const ScanReport report = scanFolders({folder_->path()}, {}, cancelled, {.entries = 10});
        QCOMPARE(report.models.size(), 10);
        QCOMPARE(report.problems.size(), 1);
        QVERIFY(report.problems.constFirst().contains(QLatin1String("more than 10 files")));
        const ScanReport all = scanFolders({folder_->path()}, {}, cancelled, {.entries = 20});
        QCOMPARE(all.models.size(), 20);  // as many as there may be
        QVERIFY(all.problems.isEmpty());
    }

    // The second folder is looked through as far as the first, whatever was wrong with that.
    void oneFullFolderCostsNoOther() {
        for (int i = 0; i < 20; ++i) {
            put(QStringLiteral("full/%1.gguf").arg(i, 2, 10, QLatin1Char('0')), "GGUF");
        }
        for (int i = 0; i < 8; ++i) {
            put(QStringLiteral("fine/z%1.gguf").arg(i), "GGUF");
        }
        std::atomic<bool> cancelled = false;
        const ScanReport report = scanFolders({at("gone"), at("full"), at("fine"), at("full")}, {},
                                              cancelled, {.entries = 10});
        QCOMPARE(report.models.size(), 18);
        QCOMPARE(names(report).filter(QStringLiteral("z")).size(), 8);
        QCOMPARE(report.problems.size(), 2);  // of the first and of the second
    }

    // Two models in parts side by side, of one name and of another number of parts.
    void splitFilesOfOneName() {
        put("m-00001-of-00002.gguf", "GGUF1");
        put("m-00002-of-00002.gguf", "GGUF22");
        put("m-00001-of-00003.gguf", "GGUF333");
        put("m-00003-of-00003.gguf", "GGUF4444");
        const ScanReport report = scan();
        QCOMPARE(report.models.size(), 2);
        QCOMPARE(report.models.at(0).bytes, quint64{11});
        QCOMPARE(report.models.at(0).partsMissing, 0);
        QCOMPARE(report.models.at(1).bytes, quint64{15});
        QCOMPARE(report.models.at(1).partsMissing, 1);
    }

    void tooDeep() {
        put("a/b/c/d/e.gguf", "GGUF");
        put("a/b/f.gguf", "GGUF");  // the deepest folder that is looked into
        std::atomic<bool> cancelled = false;
        const ScanReport report = scanFolders({folder_->path()}, {}, cancelled, {.depth = 2});
        QCOMPARE(names(report), QStringList({"f"}));
        QCOMPARE(report.problems.size(), 1);
        QVERIFY(report.problems.constFirst().contains(QLatin1String("too deep")));
    }

    void cancelledAtOnce() {
        put("a.gguf", "GGUF");
        std::atomic<bool> cancelled = true;
        QVERIFY(scanFolders({folder_->path()}, {}, cancelled).models.isEmpty());
    }

    void ollama() {
        const QByteArray hash(64, 'a');
        const QByteArray other(64, 'b');
        put("blobs/sha256-" + hash, "GGUF weights");
        put("blobs/sha256-" + other, "{}");
        const QByteArray layers =
            manifest({layer("template", "sha256:" + other), layer("model", "sha256:" + hash)});
        put("manifests/registry.ollama.ai/library/llama3.2/1b", layers);
        const ScanReport report = scan();
        QCOMPARE(names(report), QStringList({"llama3.2:1b"}));
        QCOMPARE(report.models.constFirst().app, QStringLiteral("Ollama"));
        QCOMPARE(report.models.constFirst().path(), at("blobs/sha256-" + hash));
        QCOMPARE(report.problems, QStringList());
    }

    void ollamaNames_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("name");
        QTest::newRow("its own") << "registry.ollama.ai/library/qwen/7b"
                                 << "qwen:7b";
        QTest::newRow("a user's") << "registry.ollama.ai/ann/qwen/7b"
                                  << "ann/qwen:7b";
        QTest::newRow("another host") << "hub.example/ann/qwen/7b"
                                      << "hub.example/ann/qwen:7b";
    }
    void ollamaNames() {
        QFETCH(const QString, place);
        QFETCH(const QString, name);
        const QByteArray hash(64, 'c');
        put("blobs/sha256-" + hash, "GGUF");
        put("manifests/" + place, manifest({layer("model", "sha256:" + hash)}));
        QCOMPARE(names(scan()), QStringList(name));
    }

    // What a manifest says becomes no path; what it lists and is gone is said.
    void hostileManifests() {
        put("blobs/sha256-x", "GGUF");
        put("secret.gguf", "no model");
        put("manifests/h/n/m/path", manifest({layer("model", "sha256:../../secret.gguf")}));
        put("manifests/h/n/m/gone", manifest({layer("model", "sha256:" + QByteArray(64, 'd'))}));
        put("manifests/h/n/m/broken", "{\"layers\":[{");
        put("manifests/h/n/m/other", "[1,2,{}]");
        put("manifests/h/n/m/types", "{\"layers\":[7,{\"mediaType\":1,\"digest\":[]}]}");
        put("manifests/h/n/m/large", QByteArray(2 << 20, ' '));
        put("manifests/stray", manifest({layer("model", "sha256:" + QByteArray(64, 'd'))}));
        // Between them are models that can be opened.
        for (const char letter : {'e', 'f'}) {
            put("blobs/sha256-" + QByteArray(64, letter), "GGUF");
            put(QStringLiteral("manifests/h/n/m/good-%1").arg(QLatin1Char(letter)),
                manifest({layer("model", "sha256:" + QByteArray(64, 'd')),
                          layer("model", "sha256:" + QByteArray(64, letter))}));
        }
        const ScanReport report = scan();
        QCOMPARE(names(report), QStringList({"h/n/m:good-e", "h/n/m:good-f"}));
        QCOMPARE(report.problems.size(), 3);
        QCOMPARE(report.problems.filter(QStringLiteral("h/n/m:gone")).size(), 1);
    }

    // Names come from the links, files from what they lead to.
    void hubCache() {
        put("models--org--name/blobs/1234abcd", "GGUF weights");
        put("models--org--name/refs/main", "r1");
        QVERIFY(QDir(folder_->path()).mkpath(QStringLiteral("models--org--name/snapshots/r1")));
        QVERIFY(QDir(folder_->path()).mkpath(QStringLiteral("models--org--name/snapshots/r2")));
        link("../../blobs/1234abcd", "models--org--name/snapshots/r1/tiny-q4.gguf");
        link("../../blobs/1234abcd", "models--org--name/snapshots/r2/tiny-q4.gguf");
        const ScanReport report = scan();
        QCOMPARE(names(report), QStringList({"tiny-q4"}));
        QCOMPARE(report.models.constFirst().app, QStringLiteral("Hugging Face"));
        QCOMPARE(report.models.constFirst().bytes, quint64{12});
    }

    // Whose folder it lies in, also where a link of ours leads there.
    void owners() {
        put("jan/x/model.gguf", "GGUF");
        put("mine/own.gguf", "GGUF");
        link("../jan/x/model.gguf", "mine/theirs.gguf");
        const QList<ModelPlace> places = {{QStringLiteral("Jan"), at("jan")}};
        std::atomic<bool> cancelled = false;
        const ScanReport report = scanFolders({at("mine")}, places, cancelled);
        QCOMPARE(names(report), QStringList({"own", "theirs"}));
        QCOMPARE(report.models.at(0).app, QString());
        QCOMPARE(report.models.at(1).app, QStringLiteral("Jan"));
        const auto single = scanFile(at("mine/theirs.gguf"), places);
        QVERIFY(single);
        QCOMPARE(single->app, QStringLiteral("Jan"));
        QVERIFY(!scanFile(at("mine"), places));
    }

private:
    QString at(const QString& name) const {
        return folder_->filePath(name);
    }
    void put(const QString& name, const QByteArray& bytes) {
        QVERIFY(QDir().mkpath(QFileInfo(at(name)).path()));
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    void link(const QString& target, const QString& name) {
        QVERIFY(QFile::link(target, at(name)));
    }
    static QByteArray layer(const QByteArray& kind, const QByteArray& digest) {
        return "{\"mediaType\":\"application/vnd.ollama.image." + kind + "\",\"digest\":\"" +
               digest + "\"}";
    }
    static QByteArray manifest(const QList<QByteArray>& layers) {
        return "{\"layers\":[" + layers.join(',') + "]}";
    }
    ScanReport scan() const {
        const std::atomic<bool> cancelled = false;
        return scanFolders({folder_->path()}, {}, cancelled);
    }
    static QStringList names(const ScanReport& report) {
        QStringList list;
        for (const FoundModel& model : report.models) {
            list << model.name;
        }
        list.sort();
        return list;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::FolderScanTest)
#include "folder_scan_test.moc"
