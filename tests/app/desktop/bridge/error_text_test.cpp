#include "error_text.h"

#include <QtTest>

using namespace hearth::ui;
using hearth::Error;
using hearth::ErrorCode;

class ErrorTextTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhatHappenedAndWhatToDo_data();
    void saysWhatHappenedAndWhatToDo();
    void logsEverything();
};

void ErrorTextTest::saysWhatHappenedAndWhatToDo_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, ErrorCode code, const char* words) {
        QTest::addRow("%s", name) << static_cast<int>(code) << QString::fromUtf8(words);
    };
    row("not found", ErrorCode::NotFound, "no file /models/a b.gguf");
    row("folder", ErrorCode::NotAFile, "“a b.gguf” is a folder");
    row("rights", ErrorCode::PermissionDenied, "may not be read");
    row("read", ErrorCode::ReadFailed, "could not be read");
    row("write", ErrorCode::WriteFailed, "could not be written");
    row("full", ErrorCode::DiskFull, "disk is full");
    row("bad", ErrorCode::BadFile, "not a whole GGUF model");
    row("unsupported", ErrorCode::Unsupported, "cannot run yet (words of the engine)");
    row("memory", ErrorCode::OutOfMemory, "not enough memory");
    row("budget", ErrorCode::OverBudget, "needs more memory");
    row("context", ErrorCode::ContextFull, "longer than the model can take in");
    row("cancelled", ErrorCode::Cancelled, "stopped");
    row("argument", ErrorCode::InvalidArgument, "words of the engine");
    row("internal", ErrorCode::Internal, "words of the engine");
}

void ErrorTextTest::saysWhatHappenedAndWhatToDo() {
    QFETCH(int, code);
    QFETCH(QString, words);
    const Error error{static_cast<ErrorCode>(code), "words of the engine", "/models/a b.gguf", "f"};
    const QString sentence = sentenceFor(error);
    QVERIFY2(sentence.contains(words), qPrintable(sentence));
    QVERIFY2(sentence.endsWith(QLatin1Char('.')), qPrintable(sentence));
    QVERIFY2(sentence.front().isUpper() || !sentence.front().isLetter(), qPrintable(sentence));
    QVERIFY(!sentence.contains(QLatin1Char('%')));
    // No path, no field: still a sentence.
    const QString bare = sentenceFor(Error{static_cast<ErrorCode>(code), "m", {}, {}});
    QVERIFY2(bare.endsWith(QLatin1Char('.')) && !bare.contains(QLatin1String("“”")),
             qPrintable(bare));
}

void ErrorTextTest::logsEverything() {
    const QString line =
        logLineFor(Error{ErrorCode::BadFile, "ends at byte 912", "/a.gguf", "blk.3"});
    for (const char* part : {"ends at byte 912", "/a.gguf", "blk.3"}) {
        QVERIFY2(line.contains(QLatin1String(part)), qPrintable(line));
    }
}

QTEST_GUILESS_MAIN(ErrorTextTest)
#include "error_text_test.moc"
