#include "system/before_application.h"

#include <QtTest>

using namespace hearth::ui;

class BeforeApplicationTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhatTheApplicationSays();
    void keepsEveryLetter();
};

void BeforeApplicationTest::saysWhatTheApplicationSays() {
    QCOMPARE(programFolder(), QCoreApplication::applicationDirPath());
}

void BeforeApplicationTest::keepsEveryLetter() {
#ifdef Q_OS_WIN
    QSKIP("Windows keeps the arguments itself");
#else
    QByteArray program("hearth");
    QByteArray option("--data-dir");
    QByteArray folder("Jürgen/Ordner mit Leerzeichen");
    QByteArray empty;
    char* words[] = {program.data(), option.data(), folder.data(), empty.data(), nullptr};
    QCOMPARE(argumentsOf(4, words),
             QStringList({QStringLiteral("hearth"), QStringLiteral("--data-dir"),
                          QString::fromUtf8("Jürgen/Ordner mit Leerzeichen"), QString()}));
#endif
}

QTEST_MAIN(BeforeApplicationTest)
#include "before_application_test.moc"
