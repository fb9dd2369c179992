#include "system/window_locale.h"

#include <QtTest>
#include <atomic>
#include <thread>
#include <vector>

#include "system/size_words.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace hearth::ui;

class WindowLocaleTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
#ifdef __GLIBC__
        mallopt(M_PERTURB, 0xA5);  // freed memory is overwritten: who reads it is found out
#endif
    }

    void isQtsUntilOneIsSet() {
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(windowLocale(), QLocale(QLocale::German));
        setWindowLocale(QLocale(QLocale::English));
        QCOMPARE(windowLocale(), QLocale(QLocale::English));
        QCOMPARE(QLocale(), QLocale(QLocale::English));  // QML asks for this one
    }

    // Downloads and lists of folders write numbers on threads of their own. Qt's default, read
    // meanwhile, is freed memory: that crashed within some hundred thousand changes.
    void changesWhileOthersWriteNumbers() {
        const QString english = QStringLiteral("1.5 GB");
        const QString german = QStringLiteral("1,5 GB");
        setWindowLocale(QLocale(QLocale::English));
        std::atomic<bool> ends = false;
        std::atomic<int> wrong = 0;
        std::vector<std::thread> writers;
        for (int i = 0; i < 2; ++i) {
            writers.emplace_back([&] {
                while (!ends) {
                    const QString words = sizeWords(1'500'000'000, 1);
                    wrong += words == english || words == german ? 0 : 1;
                }
            });
        }
        for (int i = 0; i < 200'000; ++i) {
            setWindowLocale(QLocale(QLocale::German));
            setWindowLocale(QLocale(QLocale::English));
        }
        ends = true;
        for (std::thread& writer : writers) {
            writer.join();
        }
        QCOMPARE(wrong.load(), 0);
    }

    // A race that is lost once in some runs is found by reading.
    void nobodyElseReadsQtsDefault() {
        static const QRegularExpression kDefault(
            QStringLiteral("\\bQLocale(\\(\\)|\\s+\\w*[A-Za-z0-9];)|\\bQCollator\\s+\\w+;"));
        QVERIFY(kDefault.match(QStringLiteral("return QLocale().toString(1)")).hasMatch());
        QVERIFY(kDefault.match(QStringLiteral("const QLocale locale;")).hasMatch());
        QVERIFY(!kDefault.match(QStringLiteral("QLocale(name), QLocale::c()")).hasMatch());
        QDirIterator it(QStringLiteral(HEARTH_SOURCE_DIR "/app/desktop"),
                        {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                        QDirIterator::Subdirectories);
        int files = 0;
        while (it.hasNext()) {
            QFile file(it.next());
            if (it.fileInfo().baseName() == QLatin1String("window_locale")) {
                continue;
            }
            ++files;
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(!kDefault.match(QString::fromUtf8(file.readAll())).hasMatch(),
                     qPrintable(it.filePath()));
        }
        QVERIFY(files > 100);
    }
};

QTEST_GUILESS_MAIN(WindowLocaleTest)
#include "window_locale_test.moc"
