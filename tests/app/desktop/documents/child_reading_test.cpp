#include "documents/child_reading.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class ChildReadingTest : public QObject {
    Q_OBJECT

private slots:
    void reads();
    void survivesItsChild_data();
    void survivesItsChild();
    void stops();
    void limitsMemory();

private:
    static bool never() { return false; }
};

void ChildReadingTest::reads() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("-ä \"b\".txt"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("Grüße") > 0);
    file.close();
    // The second time as the first.
    for (int i = 0; i < 2; ++i) {
        const DocumentReading reading =
            readInChild(QStringLiteral(HEARTH_DOCUMENT_CHILD), path, never);
        QCOMPARE(reading.trouble, DocumentTrouble::None);
        QCOMPARE(reading.document.text, QStringLiteral("Grüße"));
    }
    QCOMPARE(
        readInChild(QStringLiteral(HEARTH_DOCUMENT_CHILD), path + QLatin1Char('x'), never).trouble,
        DocumentTrouble::NotThere);
}

void ChildReadingTest::survivesItsChild_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("how");
    QTest::addColumn<int>("mostMs");
    const QString failing = QStringLiteral(HEARTH_FAILING_CHILD);
    for (const char* how :
         {"crash", "crash after the answer", "flood", "other", "status", "nothing"}) {
        QTest::addRow("%s", how) << failing << QString::fromLatin1(how) << 300'000;
    }
    QTest::addRow("hang") << failing << QStringLiteral("hang") << 200;
    QTest::addRow("no program") << failing + QLatin1Char('x') << QString() << 300'000;
}

void ChildReadingTest::survivesItsChild() {
    QFETCH(QString, program);
    QFETCH(QString, how);
    QFETCH(int, mostMs);
    ChildBounds bounds;
    bounds.mostMs = mostMs;
    bounds.mostBytes = 1 << 20;
    const DocumentReading reading = readInChild(program, how, never, bounds);
    QCOMPARE(reading.trouble, DocumentTrouble::TooDemanding);
    QVERIFY(reading.document.text.isEmpty());
}

void ChildReadingTest::stops() {
    int asked = 0;
    const DocumentReading reading =
        readInChild(QStringLiteral(HEARTH_FAILING_CHILD), QStringLiteral("hang"),
                    [&asked] { return ++asked > 2; });
    QCOMPARE(reading.trouble, DocumentTrouble::TooDemanding);
}

// One line without an end: the reader of a text takes no more than its bound, of whatever is there.
void ChildReadingTest::limitsMemory() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("large.txt"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray much(1 << 20, 'w');
    for (int i = 0; i < 40; ++i) {
        QVERIFY(file.write(much) == much.size());
    }
    file.close();
    const DocumentReading reading = readInChild(QStringLiteral(HEARTH_DOCUMENT_CHILD), path, never);
    QCOMPARE(reading.trouble, DocumentTrouble::None);
    QVERIFY(reading.document.cut);
    QCOMPARE(reading.document.text.size(), TextGatherer::kMost);
}

QTEST_GUILESS_MAIN(ChildReadingTest)
#include "child_reading_test.moc"
