// A double click on a model: the menu entry, run by the desktop's own program, with a real window
// open or not. And what a program sees that the window starts for a link.
#include <QDir>
#include <QProcess>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "app/desktop/display_main.h"
#include "app/desktop/real_program.h"
#include "store/conversation_store.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::ui::test::RealProgram;

namespace {

const QColor kLink(0x96, 0x37, 0x0f);  // of the light theme
const QString kEntry = QStringLiteral(HEARTH_SOURCE_DIR "/installer/linux/hearth.desktop");

}  // namespace

class OpeningTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void aDoubleClickOpens();
    void aLinkSeesNoVariableOfOurs();

private:
    QString data() const { return folder_->filePath(QStringLiteral("data")); }
    QByteArray log() const {
        QFile file(data() + QStringLiteral("/hearth.log"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    // An executable file in the test's folder, which stands first in PATH.
    bool writeScript(const QString& name, const QByteArray& text) const {
        QFile script(folder_->filePath(name));
        return script.open(QIODevice::WriteOnly) && script.write("#!/bin/sh\n" + text) > 0 &&
               script.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    }
    // As file managers do it.
    void doubleClick(const QString& path) const;

    QString model_;
    std::unique_ptr<QTemporaryDir> folder_;
};

void OpeningTest::initTestCase() {
    QString reason = RealProgram::whyNot();
    if (QStandardPaths::findExecutable(QStringLiteral("gio")).isEmpty()) {
        reason = QStringLiteral("gio is not installed (Debian package libglib2.0-bin)");
    }
    model_ = starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path());
    if (!reason.isEmpty() || model_.isEmpty()) {
        QSKIP(qPrintable(reason.isEmpty() ? QStringLiteral("no starter model") : reason));
    }
}

void OpeningTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir().mkpath(data()));
    QSettings(data() + QStringLiteral("/hearth.ini"), QSettings::IniFormat)
        .setValue(QStringLiteral("window/theme"), QStringLiteral("light"));
}

void OpeningTest::doubleClick(const QString& path) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("HEARTH_DATA_DIR"), data());
    environment.insert(QStringLiteral("PATH"),
                       folder_->path() + QLatin1Char(':') + qEnvironmentVariable("PATH"));
    QProcess gio;
    gio.setProcessEnvironment(environment);
    gio.setProcessChannelMode(
        QProcess::ForwardedChannels);  // the window outlives it and writes there
    gio.setWorkingDirectory(folder_->path());
    gio.start(QStringLiteral("gio"), {QStringLiteral("launch"), kEntry, path});
    QVERIFY(gio.waitForFinished(30'000));
    QCOMPARE(gio.exitCode(), 0);
}

void OpeningTest::aDoubleClickOpens() {
    const QString first = folder_->filePath(QStringLiteral("first model.gguf"));
    const QString second = folder_->filePath(QStringLiteral("zweites Mödel %f.gguf"));
    const QString none = folder_->filePath(QStringLiteral("none.gguf"));
    QVERIFY(QFile::copy(model_, first) && QFile::copy(model_, second));
    QFile text(none);
    QVERIFY(text.open(QIODevice::WriteOnly) && text.write("no model") > 0);
    text.close();
    const auto ready = [](const QString& path) { return "model ready: " + path.toUtf8() + ' '; };
    // The window will be nobody's child: the first that is started says its number.
    QVERIFY(writeScript(QStringLiteral("hearth"), "echo $$ >> \"${0%/*}\"/started\nexec \"" +
                                                      QByteArray(HEARTH_PROGRAM) + "\" \"$@\"\n"));
    const auto end = qScopeGuard([&] {
        QFile started(folder_->filePath(QStringLiteral("started")));
        if (started.open(QIODevice::ReadOnly)) {
            const int id = started.readLine().trimmed().toInt();
            QVERIFY(id > 1);
            QCOMPARE(::kill(id, SIGTERM), 0);
            QTRY_VERIFY2_WITH_TIMEOUT(log().contains("Hearth ends"), log().constData(), 30'000);
        }
    });

    doubleClick(first);
    QTRY_VERIFY2_WITH_TIMEOUT(log().contains(ready(first)), log().constData(), 60'000);
    // Into the window that is open now.
    doubleClick(second);
    QTRY_VERIFY2_WITH_TIMEOUT(log().contains(ready(second)), log().constData(), 60'000);
    // Again: it is open.
    doubleClick(second);
    // What is none is said, and the model before it comes back.
    doubleClick(none);
    QTRY_VERIFY2_WITH_TIMEOUT(
        log().contains("model failed: " + none.toUtf8() + " “none.gguf” is not a whole GGUF model"),
        log().constData(), 60'000);
    QTRY_COMPARE_WITH_TIMEOUT(log().count(ready(second)), 2, 60'000);
    // A start by hand, in its folder, by the name alone; and by an address.
    for (const QString& argument : {QStringLiteral("first model.gguf"),
                                    QUrl::fromLocalFile(second).toString(QUrl::FullyEncoded)}) {
        QProcess start;
        start.setWorkingDirectory(folder_->path());
        start.start(QStringLiteral(HEARTH_PROGRAM),
                    {QStringLiteral("--data-dir"), data(), argument});
        QVERIFY(start.waitForFinished(30'000));
        QCOMPARE(start.exitCode(), 0);
    }
    QTRY_COMPARE_WITH_TIMEOUT(log().count(ready(second)), 3, 60'000);
    QVERIFY2(log().count(" starts\n") == 1, log().constData());
}

// The program for links is one that writes down what it was given.
void OpeningTest::aLinkSeesNoVariableOfOurs() {
    {
        ConversationStore store;
        QVERIFY(store.open(data()).mode == ConversationStore::Mode::ReadWrite);
        const auto sent = store.send(kNoId, QStringLiteral("A page?"));
        QVERIFY(sent);
        QVERIFY(store.finishReply(
            sent->assistantId, QStringLiteral("[https://a.example/page](https://a.example/page)"),
            MessageState::Complete, {}, {}));
    }
    QVERIFY(
        writeScript(QStringLiteral("xdg-open"),
                    "cat /proc/$$/environ > \"${0%/*}\"/part && echo \"$1\" > \"${0%/*}\"/address "
                    "&& mv \"${0%/*}\"/part \"${0%/*}\"/environment\n"));
    RealProgram program(data());
    QProcessEnvironment expected = QProcessEnvironment::systemEnvironment();
    expected.remove(QStringLiteral("QT_QUICK_BACKEND"));  // RealProgram takes it away
    const auto set = [&](const char* name, const QString& value) {
        program.setVariable(QLatin1String(name), value);
        expected.insert(QLatin1String(name), value);
    };
    set("PATH", folder_->path() + QLatin1Char(':') + qEnvironmentVariable("PATH"));
    set("XDG_CACHE_HOME", QStringLiteral("/of/the/session"));
    set("MESA_SHADER_CACHE_DIR", QStringLiteral("/of/the/session/mesa"));
    // What a start was given to come to the front is not for the next program.
    program.setVariable(QStringLiteral("XDG_ACTIVATION_TOKEN"), QStringLiteral("once"));
    QVERIFY(program.start({model_}));
    QVERIFY(program.waitForLog("model ready"));
    QVERIFY(program.key(QStringLiteral("ctrl+Next")));
    QTRY_VERIFY(program.areaOf(kLink).width() > 100 && program.areaOf(kLink).height() < 30);
    const QPoint link = program.areaOf(kLink).center();
    // The question darkens what is behind it.
    const auto ground = [&] { return program.picture().pixelColor(link.x(), 600); };
    const QColor before = ground();
    QVERIFY(program.click(link));
    QTRY_VERIFY(ground() != before);
    for (const char* key : {"Tab", "Tab", "Return"}) {  // Cancel, Copy, Open
        QVERIFY(program.key(QLatin1String(key)));
    }
    const QString taken = folder_->filePath(QStringLiteral("environment"));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(taken), 30'000);
    QFile file(taken);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QStringList seen = QString::fromUtf8(file.readAll()).split(QChar(), Qt::SkipEmptyParts);
    QStringList given = expected.toStringList();
    seen.sort();
    given.sort();
    QCOMPARE(seen, given);
    // While the question fades, keys are still its own: RealProgram ends the window.
}

int main(int argc, char** argv) {
    return test::mainOnDisplay<OpeningTest>(argc, argv);
}

#include "opening_test.moc"
