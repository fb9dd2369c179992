// Programs of others get the environment that Hearth was started in, and caches of its own do not
// reach them.
#include "system/outside.h"

#include <QFile>
#include <QTemporaryDir>
#include <QUrl>
#include <QtTest>

#include "system/own_caches.h"

using namespace hearth::ui;

class OutsideTest : public QObject {
    Q_OBJECT

private slots:
    void startsThemAsItWasStarted() {
        const QTemporaryDir folder;
        const QString seen = folder.filePath(QStringLiteral("seen"));
        QFile opener(folder.filePath(QStringLiteral("xdg-open")));
        QVERIFY(opener.open(QIODevice::WriteOnly));
        opener.write(
            "#!/bin/sh\necho \"$1|$HOME|$XDG_CACHE_HOME|$XDG_ACTIVATION_TOKEN|"
            "$DESKTOP_STARTUP_ID|$MARK\" > '" +
            QFile::encodeName(seen) + ".new' && mv '" + QFile::encodeName(seen) + ".new' '" +
            QFile::encodeName(seen) + "'\n");
        opener.close();
        QVERIFY(opener.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("PATH", QFile::encodeName(folder.path()) + ':' + qgetenv("PATH"));
        qputenv("HOME", "/u/somebody");
        qputenv("XDG_CACHE_HOME", "/theirs");
        qputenv("MARK", "before");
        qputenv("XDG_ACTIVATION_TOKEN", "token");
        qputenv("DESKTOP_STARTUP_ID", "id");
        rememberEnvironment();
        const QString caches = folder.filePath(QStringLiteral("caches"));
        keepCachesIn(caches);
        qputenv("MARK", "after");
        QVERIFY(openOutside(QUrl(QStringLiteral("https://example.org/a b?x=%2F"))));
        QTRY_VERIFY(QFile::exists(seen));
        QFile file(seen);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().trimmed(),
                 QByteArray("https://example.org/a%20b?x=%2F|/u/somebody|/theirs|||before"));
    }

    // Variables that name a single folder go before the one for all.
    void keepsCachesTogether() {
        const QTemporaryDir folder;
        const QString caches = folder.filePath(QStringLiteral("new/caches"));
        qputenv("MESA_SHADER_CACHE_DIR", "/theirs");
        qunsetenv("MESA_GLSL_CACHE_DIR");
        keepCachesIn(caches);
        QVERIFY(QFileInfo(caches).isDir());
        QCOMPARE(qEnvironmentVariable("XDG_CACHE_HOME"), caches);
        QCOMPARE(qEnvironmentVariable("QML_DISK_CACHE_PATH"), caches + QStringLiteral("/qml"));
        QCOMPARE(qEnvironmentVariable("MESA_SHADER_CACHE_DIR"), caches);
        QVERIFY(!qEnvironmentVariableIsSet("MESA_GLSL_CACHE_DIR"));
    }
};

QTEST_GUILESS_MAIN(OutsideTest)
#include "outside_test.moc"
