#include "bridge/error_text.h"

#include <QtTest>

using namespace hearth::ui;
using hearth::Error;
using hearth::ErrorCode;

class ErrorTextTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhatHappenedAndWhatToDo_data();
    void saysWhatHappenedAndWhatToDo();
    void ofWhatIsNoChatModel();
    void ofPacking_data();
    void ofPacking();
    void ofSettings_data();
    void ofSettings();
    void ofABudget();
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
    row("rights", ErrorCode::PermissionDenied, "cannot be read");
    row("read", ErrorCode::ReadFailed, "could not be read");
    row("write", ErrorCode::WriteFailed, "could not be written");
    row("full", ErrorCode::DiskFull, "disk is full");
    row("bad", ErrorCode::BadFile, "not a whole GGUF model");
    row("unsupported", ErrorCode::Unsupported, "cannot run yet (words of the engine)");
    row("memory", ErrorCode::OutOfMemory, "not enough memory");
    row("budget", ErrorCode::OverBudget, "needs more memory");
    row("context", ErrorCode::ContextFull, "longer than the model can take in");
    row("card", ErrorCode::DeviceLost, "stopped answering (words of the engine)");
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
    QVERIFY2(bare.endsWith(QLatin1Char('.')) && !bare.contains(QStringLiteral("“”")),
             qPrintable(bare));
}

void ErrorTextTest::ofWhatIsNoChatModel() {
    const Error error{ErrorCode::Unsupported, "it is a projector", "/models/mmproj.gguf",
                      "general.type"};
    QCOMPARE(sentenceFor(error),
             QStringLiteral("“mmproj.gguf” is no model to chat with: it is a projector. Choose "
                            "another one."));
}

// Of the model it says the model, of the copy the copy.
void ErrorTextTest::ofPacking_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, ErrorCode code, const char* message, const char* path,
                        const char* field, const char* words) {
        QTest::addRow("%s", name) << static_cast<int>(code) << QString::fromUtf8(message)
                                  << QString::fromUtf8(path) << QString::fromUtf8(field)
                                  << QString::fromUtf8(words);
    };
    row("changed", ErrorCode::ReadFailed, "m", "/m/a.gguf", "source", "“a.gguf” was changed");
    row("unreadable", ErrorCode::ReadFailed, "m", "/m/a.gguf", "", "“a.gguf” could not be read");
    row("folder", ErrorCode::PermissionDenied, "m", "/m/a.hearth.gguf", "",
        "folder /m does not exist");
    row("its part", ErrorCode::PermissionDenied, "m", "/m/a.hearth.gguf.partial", "", "folder /m");
    row("model", ErrorCode::PermissionDenied, "m", "/m/a.gguf", "", "“a.gguf” cannot be read");
    row("busy", ErrorCode::WriteFailed, "x: another process is writing it", "/m/a.hearth.gguf", "",
        "Another program");
    row("bad disk", ErrorCode::WriteFailed, "x does not read back the same", "/m/a.hearth.gguf",
        "blk.0", "The disk may be failing");
    row("full", ErrorCode::DiskFull, "m", "/m/a.hearth.gguf", "", "The disk is full");
    row("dense", ErrorCode::Unsupported, "it never rests", "/m/a.gguf", "",
        "prepared: it never rests");
}

void ErrorTextTest::ofPacking() {
    QFETCH(int, code);
    QFETCH(QString, message);
    QFETCH(QString, path);
    QFETCH(QString, field);
    QFETCH(QString, words);
    const QString sentence =
        sentenceForPacking({static_cast<ErrorCode>(code), message.toStdString(), path.toStdString(),
                            field.toStdString()},
                           QStringLiteral("/m/a.hearth.gguf"));
    QVERIFY2(sentence.contains(words), qPrintable(sentence));
    QVERIFY(sentence.endsWith(QLatin1Char('.')));
}

// The sentence names the setting that can mend it.
void ErrorTextTest::ofSettings_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("words");
    QTest::newRow("predictors") << "predictors"
                                << "m"
                                << "needs predictors";
    QTest::newRow("their input") << "hearth.predictor.input"
                                 << "it does not say which"
                                 << "must know the input";
    QTest::newRow("another input") << "hearth.predictor.input"
                                   << "it is unknown: x"
                                   << "do not fit this model or this computer: it is unknown: x.";
    QTest::newRow("thresholds") << "thresholds"
                                << "m"
                                << "needs a file of thresholds";
    QTest::newRow("mode") << "mode"
                          << "the model is dense"
                          << "cannot run in that mode: the model is dense.";
    QTest::newRow("others") << "gpu"
                            << "no such card"
                            << "do not fit";
    QTest::newRow("none") << ""
                          << "m"
                          << "engine made a mistake (m)";
}

void ErrorTextTest::ofSettings() {
    QFETCH(const QString, field);
    QFETCH(const QString, message);
    QFETCH(const QString, words);
    const QString sentence =
        sentenceFor({ErrorCode::InvalidArgument, message.toStdString(), {}, field.toStdString()});
    QVERIFY2(sentence.contains(words), qPrintable(sentence));
}

// The model stays as it was, which is said; every other error is what it is.
void ErrorTextTest::ofABudget() {
    const QString little = sentenceForBudget({ErrorCode::OverBudget, "needs 5 GB", {}, {}});
    QVERIFY2(little.contains(QLatin1String("(needs 5 GB). It keeps the memory")),
             qPrintable(little));
    const Error lost{ErrorCode::DeviceLost, "m", {}, {}};
    QCOMPARE(sentenceForBudget(lost), sentenceFor(lost));
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
