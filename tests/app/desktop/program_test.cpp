// `hearth` from outside: its help, where there is no display, how a signal ends it, what it leaves.
#include <QDir>
#include <QDirIterator>
#include <QProcess>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <csignal>

#ifdef Q_OS_UNIX
#include <unistd.h>
#endif

#include "app/server/raw_client.h"
#include "app/ui/virtual_display.h"
#include "documents/child_reading.h"
#include "documents/drawing_child.h"
#include "documents/drawing_desk.h"
#include "settings/app_settings.h"
#include "store/conversation_store.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::ui::test::VirtualDisplay;

class ProgramTest : public QObject {
    Q_OBJECT

private slots:
    void namesItsFolders();
    void saysThatThereIsNoDisplay();
    void saysThatNoDisplayAnswers_data();
    void saysThatNoDisplayAnswers();
    void triesAGpu();
    void readsADocument();
    void drawsADrawing();
    void endsOnASignal_data();
    void endsOnASignal();
    void outlivesItsLauncher_data();
    void outlivesItsLauncher();
    void takesSettingsForOneStart();
    void servesOtherPrograms();
    void refusesWrongSettings();
    void namesWhatItDoesNotOpen();
    void handsOverToTheFirst();
    void readsOnlyWhereTheFirstHangs();
    void fitsItsDisplay();
    void leavesNothingOutside_data();
    void leavesNothingOutside();

private:
    static bool hasModel();
    static QByteArray logOf(const QTemporaryDir& folder);
};

void ProgramTest::namesItsFolders() {
    const QTemporaryDir folder;
    QProcess program;
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("--help")});
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.exitCode(), 0);
    const QString text = QString::fromLocal8Bit(program.readAllStandardOutput());
    QVERIFY2(text.contains(QLatin1String("--data-dir")), qPrintable(text));
    const AppPaths paths = AppPaths::find({}, folder.path());
    for (const QString& path :
         {paths.dataFolder, paths.settingsFile, paths.logFile, paths.cacheFolder}) {
        QVERIFY2(text.contains(QDir::toNativeSeparators(path) + QLatin1Char('\n')),
                 qPrintable(text));
    }
    QVERIFY(text.endsWith(QDir::toNativeSeparators(paths.cacheFolder) + QLatin1Char('\n')));
}

// It starts itself to read what is attached to a chat.
void ProgramTest::readsADocument() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("notes.md"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("# Notes") > 0);
    file.close();
    const DocumentReading reading =
        readInChild(QStringLiteral(HEARTH_PROGRAM), path, [] { return false; });
    QCOMPARE(reading.document.text, QStringLiteral("# Notes"));
    QVERIFY(reading.kind == DocumentKind::Markdown);
    QVERIFY(readInChild(QStringLiteral(HEARTH_PROGRAM), folder.path(), [] {
                return false;
            }).trouble == DocumentTrouble::NotAFile);
}

// It starts itself to draw what a model wrote, and needs no display for that.
void ProgramTest::drawsADrawing() {
    const QByteArray source = "<svg width='4' height='2'><rect width='4' height='2'/></svg>";
    const DrawingPlace place = {700, 1, 2};
    const ChildAnswer answer = runChild(
        QStringLiteral(HEARTH_PROGRAM), drawingArguments(place), source, [] { return false; },
        DrawingDesk::kBounds);
    QVERIFY2(answer.why == nullptr, answer.why);
    const auto drawing = DrawnSvg::fromBytes(answer.output);
    QVERIFY(drawing);
    QCOMPARE(drawing->picture.size(), QSize(8, 4));
    QCOMPARE(drawing->picture.pixelColor(4, 2), QColor(Qt::black));
}

void ProgramTest::saysThatThereIsNoDisplay() {
#if !defined(Q_OS_UNIX) || defined(Q_OS_DARWIN)
    QSKIP("there is always a display");
#endif
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM"}) {
        environment.remove(QString::fromLatin1(name));
    }
    const QTemporaryDir folder;
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEARTH_PROGRAM), {QStringLiteral("--data-dir"), folder.path()});
    QVERIFY(program.waitForFinished());
    QVERIFY(program.exitStatus() == QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 1);
    QCOMPARE(program.readAllStandardError(),
             QByteArray("There is no display here; chat in the terminal with hearth-cli run "
                        "--chat\n"));
}

void ProgramTest::saysThatNoDisplayAnswers_data() {
    QTest::addColumn<QStringList>("variables");
    QTest::addColumn<QByteArray>("why");
    QTest::addRow("X") << QStringList({"DISPLAY=:4711"})
                       << QByteArray("the X display :4711 does not answer");
    QTest::addRow("Qt") << QStringList({"DISPLAY=:4711", "QT_QPA_PLATFORM=paper"})
                        << QByteArray("QT_QPA_PLATFORM=paper cannot be used");
    QTest::addRow("details") << QStringList({"DISPLAY=:4711", "QT_DEBUG_PLUGINS=1"})
                             << QByteArray("the X display :4711 does not answer");
}

void ProgramTest::saysThatNoDisplayAnswers() {
#if !defined(Q_OS_UNIX) || defined(Q_OS_DARWIN)
    QSKIP("there is always a display");
#endif
    QFETCH(QStringList, variables);
    QFETCH(QByteArray, why);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM",
                             "XDG_SESSION_TYPE", "QT_LOGGING_RULES", "QT_DEBUG_PLUGINS"}) {
        environment.remove(QString::fromLatin1(name));
    }
    for (const QString& variable : variables) {
        environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
    }
    const QTemporaryDir folder;
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEARTH_PROGRAM), {QStringLiteral("--data-dir"), folder.path()});
    QVERIFY(program.waitForFinished());
    const QByteArray words = program.readAllStandardError();
    QVERIFY2(program.exitStatus() == QProcess::NormalExit, words.constData());
    QCOMPARE(program.exitCode(), 1);
    const QByteArray sentence =
        "No window can be opened: " + why + ". Chat in the terminal with hearth-cli run --chat\n";
    if (environment.contains(QStringLiteral("QT_DEBUG_PLUGINS"))) {
        QVERIFY2(words.endsWith(sentence) && words.contains("could not connect to display :4711"),
                 words.constData());
    } else {
        QCOMPARE(words, sentence);
    }
}

// Whether there is one or not; hearth-cli's tests read what it says.
void ProgramTest::triesAGpu() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        environment.remove(QString::fromLatin1(name));
    }
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("probe-gpu"), QStringLiteral("9999")});
    QVERIFY(program.waitForFinished());
    QVERIFY(program.exitStatus() == QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    const QByteArray text = program.readAllStandardOutput();
    QVERIFY2(
        text.contains("hearth gpus 3\n") && text.contains(" failed ") && text.endsWith("\nend\n"),
        text.constData());
}

bool ProgramTest::hasModel() {
    return !starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path()).isEmpty();
}

QByteArray ProgramTest::logOf(const QTemporaryDir& folder) {
    QFile log(folder.filePath(QStringLiteral("hearth.log")));
    return log.open(QIODevice::ReadOnly) ? log.readAll() : QByteArray();
}

void ProgramTest::endsOnASignal_data() {
    QTest::addColumn<int>("number");
    QTest::addRow("SIGINT") << SIGINT;
    QTest::addRow("SIGTERM") << SIGTERM;
}

// In the middle of an answer: all of it that was shown is on disk, as an answer that was stopped.
void ProgramTest::endsOnASignal() {
#ifndef Q_OS_UNIX
    QSKIP("no such signals");
#else
    QFETCH(int, number);
    if (starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path()).isEmpty()) {
        if (qEnvironmentVariableIntValue("HEARTH_NO_SKIP") == 1) {
            QFAIL("no starter model");
        }
        QSKIP("no starter model");
    }
    const QTemporaryDir folder;
    QStringList arguments({QStringLiteral("--data-dir"), folder.path()});
    for (int i = 0; i < 200; ++i) {
        arguments << QStringLiteral("--say") << QStringLiteral("Tell me a story.");
    }
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.start(QStringLiteral(HEARTH_PROGRAM), arguments);
    QVERIFY(program.waitForStarted());
    QByteArray bytes;
    QVERIFY(QTest::qWaitFor(
        [&] {
            bytes += program.readAllStandardOutput();
            return bytes.size() > 40;
        },
        30'000));
    QCOMPARE(::kill(static_cast<pid_t>(program.processId()), number), 0);
    QVERIFY(program.waitForFinished());
    bytes += program.readAllStandardOutput();
    QVERIFY(program.exitStatus() == QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);

    ConversationStore store;
    const ConversationStore::OpenReport report = store.open(folder.path());
    QVERIFY(report.mode == ConversationStore::Mode::ReadWrite);
    QCOMPARE(report.interrupted, 0);
    QCOMPARE(store.conversations().size(), 1);
    QByteArray stored;
    for (const Message& message : store.activePath(store.conversations().first().id)) {
        if (message.role == MessageRole::Assistant) {
            QVERIFY(message.state == MessageState::Complete ||
                    message.state == MessageState::Stopped);
            stored += message.content.toUtf8() + '\n';
        }
    }
    QVERIFY2(stored.startsWith(bytes) || bytes.startsWith(stored), "not all that was shown");
    QVERIFY(stored.size() >= bytes.size() - 1);
    QFile log(folder.filePath(QStringLiteral("hearth.log")));
    QVERIFY(log.open(QIODevice::ReadOnly));
    QVERIFY(log.readAll().contains("Hearth ends"));
#endif
}

// --set counts for the start alone; what makes no sense in the file is named and stays there.
void ProgramTest::outlivesItsLauncher_data() {
    QTest::addColumn<bool>("open");
    QTest::addRow("nobody reads") << true;
    QTest::addRow("closed") << false;
}

// Where nobody reads what it says, or where it has no place to say it, it goes on, and none of its
// files gets what was said.
void ProgramTest::outlivesItsLauncher() {
#ifndef Q_OS_LINUX
    QSKIP("/proc is needed");
#else
    QFETCH(bool, open);
    const QTemporaryDir folder;
    QFile settings(folder.filePath(QStringLiteral("hearth.ini")));
    QVERIFY(settings.open(QIODevice::WriteOnly));
    settings.write("[window]\nzoom=enormous\n");  // which is said on standard error
    settings.close();
    QProcess program;
    program.setChildProcessModifier([open] {
        std::array<int, 2> ends{};
        if (open && ::pipe(ends.data()) == 0) {
            ::close(ends[0]);
            ::dup2(ends[1], STDOUT_FILENO);
            ::dup2(ends[1], STDERR_FILENO);
            ::close(ends[1]);
        } else {
            ::close(STDOUT_FILENO);
            ::close(STDERR_FILENO);
        }
    });
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("/nowhere/x.gguf")});
    QVERIFY(program.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).contains("settings:"), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder.filePath(QStringLiteral("hearth.socket"))),
                             30'000);
    for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
        const QString file = QFile::symLinkTarget(
            QStringLiteral("/proc/%1/fd/%2").arg(program.processId()).arg(number));
        QVERIFY2(open ? file.contains(QLatin1String("pipe:")) : file == QLatin1String("/dev/null"),
                 qPrintable(file));
    }
    program.terminate();
    QVERIFY(program.waitForFinished());
    QVERIFY(program.exitStatus() == QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
#endif
}

void ProgramTest::takesSettingsForOneStart() {
    QVERIFY2(hasModel(), "no starter model");
    const QTemporaryDir folder;
    const QByteArray kept = "[engine]\nram=much\nthreads=1\n";
    QFile ini(folder.filePath(QStringLiteral("hearth.ini")));
    QVERIFY(ini.open(QIODevice::WriteOnly) && ini.write(kept) == kept.size());
    ini.close();
    QProcess program;
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("--set"),
                   QStringLiteral("engine/threads=3"), QStringLiteral("--set"),
                   QStringLiteral("engine/ctx=300")});
    QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).contains("model ready"), 30'000);
    program.terminate();
    QVERIFY(program.waitForFinished());
    const QByteArray log = logOf(folder);
    QVERIFY2(log.contains("context 300") && log.contains("3 threads"), log.constData());
    QVERIFY2(log.contains("engine/ram: “much” is not auto"), log.constData());
    QVERIFY(ini.open(QIODevice::ReadOnly));
    const QByteArray after = ini.readAll();
    QVERIFY2(after.contains("ram=much") && after.contains("threads=1") && !after.contains("ctx"),
             after.constData());
}

// The local API begins with the program where the settings say so, and where its port is taken, the
// program goes on without it.
void ProgramTest::servesOtherPrograms() {
    QVERIFY2(hasModel(), "no starter model");
    QTcpServer holder;
    QVERIFY(holder.listen(QHostAddress::LocalHost));
    const quint16 port = holder.serverPort();
    for (const bool taken : {true, false}) {
        if (!taken) {
            holder.close();
        }
        const QTemporaryDir folder;
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        // No keychain, so that nothing of this user is read or written.
        environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("disabled:"));
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(HEARTH_PROGRAM),
                      {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("--set"),
                       QStringLiteral("api/on=true"), QStringLiteral("--set"),
                       QStringLiteral("api/port=%1").arg(port)});
        QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).contains("model ready"), 30'000);
        const QByteArray said = taken ? "the local API: unsupported" : "the local API listens";
        QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).contains(said), 30'000);
        if (!taken) {
            hearth::test::RawClient client(port);
            QCOMPARE(client.ask("GET", "/v1/models").status, 401);
        }
        program.terminate();
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitCode(), 0);
        QVERIFY2(logOf(folder).contains("Hearth ends"), logOf(folder).constData());
        QCOMPARE(logOf(folder).contains("the local API has ended"), !taken);
    }
}

void ProgramTest::refusesWrongSettings() {
    for (const char* wrong : {"engine/threads=many", "engine/warp=9", "engine/threads"}) {
        const QTemporaryDir folder;
        QProcess program;
        program.start(QStringLiteral(HEARTH_PROGRAM),
                      {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("--set"),
                       QString::fromLatin1(wrong)});
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitCode(), 1);
        const QByteArray said = program.readAllStandardError();
        QVERIFY2(said.contains("--set: ") && said.endsWith(".\n"), said.constData());
    }
}

void ProgramTest::namesWhatItDoesNotOpen() {
    const QTemporaryDir folder;
    QProcess program;
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("a.gguf"),
                   QStringLiteral("b.gguf"), QStringLiteral("c.gguf"), QStringLiteral("--set"),
                   QStringLiteral("engine/warp=9")});  // which ends it
    QVERIFY(program.waitForFinished());
    const QByteArray said = program.readAllStandardError();
    QVERIFY2(said.contains("Not opened: b.gguf, c.gguf.\n"), said.constData());
}

// Two real programs on a real display.
void ProgramTest::handsOverToTheFirst() {
#ifndef Q_OS_LINUX
    QSKIP("Xvfb is needed");
#else
    VirtualDisplay display;
    if (!hasModel() || !display.start(1280, 800)) {
        QSKIP(qPrintable(QStringLiteral("no starter model, or ") + display.reason()));
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(display.name()));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    const QTemporaryDir folder;
    const QStringList place({QStringLiteral("--data-dir"), folder.path()});
    QProcess first;
    first.setProcessEnvironment(environment);
    first.start(QStringLiteral(HEARTH_PROGRAM), place);
    QVERIFY(first.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).contains("model ready"), 60'000);

    for (const char* text : {"First words", "More words"}) {
        QProcess second;
        second.setProcessEnvironment(environment);
        second.start(QStringLiteral(HEARTH_PROGRAM),
                     place + QStringList({QStringLiteral("--say"), QString::fromLatin1(text)}));
        QVERIFY(second.waitForFinished(30'000));
        QVERIFY(second.exitStatus() == QProcess::NormalExit);
        QCOMPARE(second.exitCode(), 0);
        QVERIFY(second.readAllStandardError().contains("is open already"));
    }
    QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).count("answered: message") == 2, 60'000);
    QCOMPARE(logOf(folder).count("model ready"), 1);
    QCOMPARE(logOf(folder).count(" starts"), 1);
    QVERIFY(first.readAllStandardOutput().isEmpty());  // nobody asked for it there
    first.terminate();
    QVERIFY(first.waitForFinished());

    ConversationStore store;
    QVERIFY(store.open(folder.path()).mode == ConversationStore::Mode::ReadWrite);
    QStringList titles;
    for (const ConversationSummary& row : store.conversations()) {
        titles << row.title;
    }
    QCOMPARE(titles, QStringList({"More words", "First words"}));
#endif
}

void ProgramTest::readsOnlyWhereTheFirstHangs() {
#ifndef Q_OS_UNIX
    QSKIP("no such signals");
#else
    const QTemporaryDir folder;
    const QStringList arguments(
        {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("/nowhere/x.gguf")});
    QProcess first;
    first.start(QStringLiteral(HEARTH_PROGRAM), arguments);
    QVERIFY(first.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).contains("model failed") &&
                                 QFile::exists(folder.filePath(QStringLiteral("hearth.socket"))),
                             30'000);
    QCOMPARE(::kill(static_cast<pid_t>(first.processId()), SIGSTOP), 0);
    QProcess second;
    second.start(QStringLiteral(HEARTH_PROGRAM), arguments);
    QTRY_VERIFY_WITH_TIMEOUT(logOf(folder).contains("reads only: another start does not answer"),
                             30'000);
    // From here on it ends well on a signal.
    QTRY_COMPARE_WITH_TIMEOUT(logOf(folder).count(": drawn "), 2, 30'000);
    QVERIFY(second.state() == QProcess::Running);
    second.terminate();
    QVERIFY(second.waitForFinished());
    QCOMPARE(second.exitCode(), 0);
    QCOMPARE(logOf(folder).count("model failed"), 1);  // the second one opens none
    first.kill();
    QVERIFY(first.waitForFinished());
#endif
}

void ProgramTest::fitsItsDisplay() {
#ifndef Q_OS_LINUX
    QSKIP("Xvfb is needed");
#else
    VirtualDisplay display;
    if (!display.start(900, 500)) {
        QSKIP(qPrintable(display.reason()));
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(display.name()));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    environment.remove(QStringLiteral("QT_QUICK_BACKEND"));
    const QTemporaryDir folder;
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("/nowhere/x.gguf")});
    QVERIFY(program.waitForStarted());
    const QString ini = folder.filePath(QStringLiteral("hearth.ini"));
    QTRY_VERIFY_WITH_TIMEOUT(!AppSettings(ini).windowPlace().isEmpty(), 30'000);
    QCOMPARE(AppSettings(ini).windowPlace().size(), QSize(900, 460));
    // Where a display has no graphics card, Qt itself draws.
    QVERIFY2(logOf(folder).contains("drawn by Qt on the processor"), logOf(folder).constData());
    program.terminate();
    QVERIFY(program.waitForFinished());
#endif
}

void ProgramTest::leavesNothingOutside_data() {
    QTest::addColumn<QString>("way");
    QTest::addColumn<QByteArray>("renderer");
    QTest::addRow("option") << QStringLiteral("option") << QByteArray();
    QTest::addRow("option, OpenGL") << QStringLiteral("option") << QByteArray("opengl");
    QTest::addRow("environment") << QStringLiteral("environment") << QByteArray();
    QTest::addRow("portable") << QStringLiteral("portable") << QByteArray("opengl");
}

// With a home of its own, which is as empty after an answer as it was before.
void ProgramTest::leavesNothingOutside() {
#ifndef Q_OS_LINUX
    QSKIP("Xvfb is needed");
#else
    QFETCH(QString, way);
    QFETCH(QByteArray, renderer);
    VirtualDisplay display;
    if (!hasModel() || !display.start(900, 600)) {
        QSKIP(qPrintable(QStringLiteral("no starter model, or ") + display.reason()));
    }
    const QTemporaryDir folder;
    const QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(display.name()));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    environment.remove(QStringLiteral("QT_QUICK_BACKEND"));
    environment.insert(QStringLiteral("HOME"), home.path());
    for (const char* name : {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
                             "MESA_SHADER_CACHE_DIR"}) {
        environment.insert(QString::fromLatin1(name),
                           home.filePath(QString::fromLatin1(name).toLower()));
    }
    environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"),
                       QStringLiteral("unix:path=") + home.filePath(QStringLiteral("none")));
    if (!renderer.isEmpty()) {  // it has shaders to keep
        environment.insert(QStringLiteral("QSG_RHI_BACKEND"), QString::fromLatin1(renderer));
    }
    QString program = QStringLiteral(HEARTH_PROGRAM);
    QString data = folder.path();
    QStringList arguments({starterModel(QFileInfo(program).path()), QStringLiteral("--say"),
                           QStringLiteral("Who are you?")});
    if (way == QLatin1String("option")) {
        arguments << QStringLiteral("--data-dir") << data;
    } else if (way == QLatin1String("environment")) {
        environment.insert(QStringLiteral("HEARTH_DATA_DIR"), data);
    } else {
        program = folder.filePath(QStringLiteral("hearth"));
        QVERIFY(QFile::copy(QStringLiteral(HEARTH_PROGRAM), program));
        QFile mark(folder.filePath(QStringLiteral("portable")));
        QVERIFY(mark.open(QIODevice::WriteOnly));
        data = folder.filePath(QStringLiteral("data"));
    }
    const auto log = [&] {
        QFile file(data + QStringLiteral("/hearth.log"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QProcess hearth;
    hearth.setProcessEnvironment(environment);
    hearth.start(program, arguments);
    QVERIFY(hearth.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(log().contains("answered: message"), 60'000);
    hearth.terminate();
    QVERIFY(hearth.waitForFinished());
    QVERIFY2(log().contains("Hearth ends"), log().constData());
    QStringList outside;
    QDirIterator left(home.path(),
                      QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                      QDirIterator::Subdirectories);
    while (left.hasNext()) {
        outside << left.next();
    }
    QVERIFY2(outside.isEmpty(), qPrintable(outside.join(QLatin1Char('\n'))));
    // It learnt something, and it is here.
    QVERIFY(!QDir(data + QStringLiteral("/cache")).isEmpty());
#endif
}

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
