#include "settings/first_model.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "bridge/remote_path.h"
#include "settings/app_settings.h"

using namespace hearth::ui;

class FirstModelTest : public QObject {
    Q_OBJECT

private slots:
    void takesTheNamedThenTheLast() {
        const QTemporaryDir folder;
        const QString last = folder.filePath(QStringLiteral("last.gguf"));
        QFile file(last);
        QVERIFY(file.open(QIODevice::WriteOnly));
        AppSettings settings(folder.filePath(QStringLiteral("s.ini")), starter_);
        QCOMPARE(firstModel({}, settings, starter_).path, starter_);
        settings.setLastModelPath(last);
        QCOMPARE(firstModel({}, settings, starter_).path, last);
        const FirstModel named = firstModel(QStringLiteral("/named.gguf"), settings, starter_);
        QCOMPARE(named.path, QStringLiteral("/named.gguf"));
        QCOMPARE(named.notice, QString());
        QCOMPARE(firstModel({}, settings, starter_).notice, QString());
    }

    void saysThatTheLastIsGone() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("s.ini")), starter_);
        settings.setLastModelPath(QStringLiteral("/gone/m.gguf"));
        const FirstModel first = firstModel({}, settings, starter_);
        QCOMPARE(first.path, starter_);
        QVERIFY2(first.notice.contains(QDir::toNativeSeparators(QStringLiteral("/gone/m.gguf"))) &&
                     first.notice.contains(QLatin1String("came with Hearth")),
                 qPrintable(first.notice));
        const FirstModel none = firstModel({}, settings, {});
        QCOMPARE(none.path, QString());
        QVERIFY2(none.notice.endsWith(QLatin1String("Open another one.")), qPrintable(none.notice));
    }

    // A model elsewhere has no file: somebody else knows whether it is there.
    void asksForAModelElsewhere() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("s.ini")), starter_);
        const QString path = remotePath({QStringLiteral("0123abcd"), QStringLiteral("big")});
        settings.setLastModelPath(path);
        const auto known = [&](bool is) {
            return firstModel({}, settings, starter_,
                              [&](const QString& asked) { return is && asked == path; });
        };
        QCOMPARE(known(true).path, path);
        QCOMPARE(known(true).notice, QString());
        QCOMPARE(known(false).path, starter_);
        QVERIFY2(known(false).notice.contains(QStringLiteral("big · not local")),
                 qPrintable(known(false).notice));
    }

private:
    const QString starter_ = QStringLiteral("/opt/2/share/hearth/starter-model/s.gguf");
};

QTEST_GUILESS_MAIN(FirstModelTest)
#include "first_model_test.moc"
