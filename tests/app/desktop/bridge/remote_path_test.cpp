// The paths of models on other computers.
#include "bridge/remote_path.h"

#include <QDir>
#include <QtTest>

using namespace hearth::ui;

class RemotePathTest : public QObject {
    Q_OBJECT

private slots:
    // As it was, also where a path is cleaned as those of files are.
    void keepsEachName() {
        for (const char* name : {"llama", "org/model", "a/../b", "..", ".", "a//b", "ü %2F", "x:y",
                                 "remote:0123abcd/z", " "}) {
            const RemoteModel model{QStringLiteral("0123abcd"), QString::fromUtf8(name)};
            const QString path = remotePath(model);
            QVERIFY2(isRemotePath(path), name);
            QCOMPARE(remoteModelAt(path), model);
            QCOMPARE(remoteModelAt(QDir::cleanPath(path)), model);
            QCOMPARE(nameOfModelAt(path), QString::fromUtf8(name) + QStringLiteral(" · not local"));
        }
    }
    void readsNothingElse() {
        for (const char* path : {"", "/models/a.gguf", "remote", "remote:", "remote:0123abcd",
                                 "remote:0123abcd/", "remote:0123abc/x", "remote:0123ABCD/x",
                                 "remote:0123abcde/x", "remote:../../etc/x", "Remote:0123abcd/x"}) {
            QVERIFY2(!remoteModelAt(QString(path)), path);
        }
        QVERIFY(!isRemotePath(QStringLiteral("/remote:/x")));
        QCOMPARE(nameOfModelAt(QStringLiteral("/models/a.gguf")), QStringLiteral("a.gguf"));
    }
};

QTEST_GUILESS_MAIN(RemotePathTest)
#include "remote_path_test.moc"
