#include <QCommandLineParser>
#include <QDateTime>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QGuiApplication>
#include <QIcon>
#include <QLoggingCategory>
#include <QQmlApplicationEngine>
#include <QQuickWindow>
#include <QSysInfo>
#include <QThread>
#include <QtQml/QQmlExtensionPlugin>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "bridge/gpu_trial.h"
#include "bridge/local_inference.h"
#include "bridge/local_machine.h"
#include "bridge/local_packing.h"
#include "bridge/local_serving.h"
#include "bridge/remote_path.h"
#include "commit.h"
#include "documents/document_child.h"
#include "documents/drawing_child.h"
#include "network/closed_engine.h"
#include "settings/app_settings.h"
#include "settings/crash_reports.h"
#include "settings/first_model.h"
#include "settings/language.h"
#include "system/app_paths.h"
#include "system/before_application.h"
#include "system/crash_handler.h"
#include "system/cursor_rest.h"
#include "system/display.h"
#include "system/frame_pace.h"
#include "system/hand_over.h"
#include "system/key_mends.h"
#include "system/log_file.h"
#include "system/no_display.h"
#include "system/outside.h"
#include "system/own_caches.h"
#include "system/own_folders.h"
#include "system/own_fonts.h"
#include "system/own_window.h"
#include "system/quit_signals.h"
#include "system/renderer.h"
#include "system/standard_streams.h"
#include "window/app_controller.h"
#include "window/say_queue.h"

Q_IMPORT_QML_PLUGIN(HearthPlugin)

namespace {

constexpr int kEngineEndMs = 5000;
constexpr int kHandOverMs = 3000;

void describe(QCommandLineParser& parser) {
    parser.setApplicationDescription(
        QStringLiteral("Hearth: chat with a language model on this computer."));
    parser.addPositionalArgument(
        QStringLiteral("MODEL.gguf"),
        QStringLiteral("The model to load. Default: the last one used, else "
                       "the starter model."),
        QStringLiteral("[MODEL.gguf]"));
    parser.addOption({QStringLiteral("data-dir"),
                      QStringLiteral("Keep conversations, settings and log in DIR."),
                      QStringLiteral("DIR")});
    parser.addOption(
        {QStringLiteral("say"),
         QStringLiteral("Send TEXT at the start, in a new conversation; may be repeated. "
                        "The answers also go to standard output. Where Hearth is open already, "
                        "that one sends it."),
         QStringLiteral("TEXT")});
    parser.addOption(
        {QStringLiteral("set"),
         QStringLiteral("A setting for this start only, as in engine/ram=2200M; may be "
                        "repeated. The manual's page on settings lists the keys."),
         QStringLiteral("KEY=VALUE")});
    parser.addHelpOption();
    parser.addVersionOption();
}

// Help and version need no display.
bool wantsText(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        for (const char* option : {"-h", "--help", "--help-all", "-v", "--version"}) {
            if (std::strcmp(argv[i], option) == 0) {
                return true;
            }
        }
    }
    return false;
}

// Shows the help or version text, which end the program.
void showText(const QCoreApplication& application, QCommandLineParser& parser) {
    [[maybe_unused]] const bool understood = parser.parse(QCoreApplication::arguments());
    const QString places = hearth::ui::AppPaths::find(QCoreApplication::applicationDirPath(),
                                                      parser.value(QStringLiteral("data-dir")))
                               .helpText();
#ifdef Q_OS_WIN
    // A program with a window has no standard output there; the parser shows a box.
    parser.setApplicationDescription(parser.applicationDescription() + QStringLiteral("\n\n") +
                                     places);
#else
    if (understood && parser.isSet(QStringLiteral("help"))) {
        const QString text = parser.helpText() + QLatin1Char('\n') + places;
        std::fputs(qPrintable(text), stdout);
        std::exit(EXIT_SUCCESS);
    }
#endif
    parser.process(application);
}

// The arguments after the model; empty: there are none.
QString notOpened(const QCommandLineParser& parser) {
    const QStringList more = parser.positionalArguments().mid(1);
    return more.isEmpty() ? QString()
                          : QCoreApplication::translate(
                                "main", "Hearth opens one model at a start. Not opened: %1.")
                                .arg(more.join(QStringLiteral(", ")));
}

hearth::ui::StartRequest requestOf(const QCommandLineParser& parser) {
    const QStringList arguments = parser.positionalArguments();
    return {arguments.isEmpty() ? QString() : hearth::ui::modelPath(arguments.first()),
            parser.values(QStringLiteral("say")), hearth::ui::activationToken()};
}

// Opens a model that a later start names, as a double click on its file does. The page of the chat
// shows the outcome.
void openNamed(QObject* root, hearth::ui::ActiveModel& model, const QString& path) {
    QMetaObject::invokeMethod(root, "showPage", Q_ARG(QString, QStringLiteral("chat")));
    if (path != model.path() || model.state() == QLatin1String("failed")) {
        model.openPath(path);
    }
}

// Hands over to another process that does not listen yet, for as long as its start may take.
hearth::ui::HandOver handOverLate(const QString& folder, const hearth::ui::StartRequest& request) {
    using hearth::ui::HandOver;
    HandOver outcome = HandOver::NobodyThere;
    for (QDeadlineTimer deadline(kHandOverMs);
         outcome == HandOver::NobodyThere && !deadline.hasExpired();) {
        QThread::msleep(50);
        outcome = hearth::ui::handOver(folder, request, kHandOverMs);
    }
    return outcome;
}

// The QGuiApplication opens the display and with it the graphics driver, which looks for its cache
// once, and the fonts. The places in the arguments must be known before that.
hearth::ui::AppPaths preparePlaces(QCommandLineParser& parser, int argc, char** argv) {
    // Wrong arguments are reported later.
    [[maybe_unused]] const bool understood = parser.parse(hearth::ui::argumentsOf(argc, argv));
    const QString programs = hearth::ui::programFolder();
    hearth::ui::AppPaths paths =
        hearth::ui::AppPaths::find(programs, parser.value(QStringLiteral("data-dir")));
    hearth::ui::keepFoldersPrivate(paths);
    if (paths.together) {
        hearth::ui::keepCachesIn(paths.cacheFolder);
    }
    hearth::ui::bringFonts(programs + QStringLiteral("/../share/hearth/fonts"));
    hearth::ui::nameKeyboardFolder(programs);
    return paths;
}

// The beginning of a crash report: nothing of the user's.
QString crashHead() {
    return QStringLiteral("Hearth %1, commit %2\nsystem: %3, %4, %5\nQt: %6\nstarted: %7 UTC\n")
        .arg(QCoreApplication::applicationVersion(), QStringLiteral(HEARTH_COMMIT),
             QSysInfo::prettyProductName(), QSysInfo::kernelVersion(),
             QSysInfo::currentCpuArchitecture(), QLatin1String(qVersion()),
             QDateTime::currentDateTimeUtc().toString(Qt::ISODate));
}

// The model's kind and sizes; its name and path belong to the user.
QString crashFacts(const QString& drawing, const hearth::ui::ModelSummary& model) {
    return QStringLiteral(
               "%1\nmodel: %2, %3, %4 parameters, %5 layers, %6 bytes, context %7, "
               "%8 threads, %9\ngraphics card: %10\n")
        .arg(drawing, model.architecture, model.type)
        .arg(model.parameters)
        .arg(model.layers)
        .arg(model.fileBytes)
        .arg(model.contextTokens)
        .arg(model.threads)
        .arg(model.isa, model.gpu.isEmpty() ? QStringLiteral("none") : model.gpu);
}

int runWindow(QGuiApplication& application, const QCommandLineParser& parser,
              const hearth::ui::AppPaths& paths) {
    using namespace hearth::ui;
    const StartRequest request = requestOf(parser);
    const QString starter = starterModel(QCoreApplication::applicationDirPath());
    AppSettings settings(paths.settingsFile, starter);
    const QString unopenedInEnglish = notOpened(parser);
    if (!unopenedInEnglish.isEmpty()) {
        std::fprintf(stderr, "%s\n", qPrintable(unopenedInEnglish));
    }
    for (const QString& assignment : parser.values(QStringLiteral("set"))) {
        const QString wrong = settings.setForNow(assignment);
        if (!wrong.isEmpty()) {
            std::fprintf(stderr, "--set: %s\n", qPrintable(wrong));
            return EXIT_FAILURE;
        }
    }
    const auto taken = [&parser] {
        std::fputs("Hearth is open already; that window has what you asked for.\n", stderr);
        if (parser.isSet(QStringLiteral("set"))) {
            std::fputs("Its settings stay as they are: --set is for a new start.\n", stderr);
        }
        return EXIT_SUCCESS;
    };
    HandOver handed = handOver(paths.dataFolder, request, kHandOverMs);
    if (handed == HandOver::Taken) {
        return taken();
    }
    LogFile log(paths.logFile);
    log.install();
    qInfo().noquote() << "Hearth" << QCoreApplication::applicationVersion() << "starts";

    const QString crashFile = CrashReports::prepare(paths.crashFolder);
    if (!installCrashHandler(std::filesystem::path(crashFile.toStdU16String()),
                             crashHead().toStdString())) {
        qWarning() << "a crash would leave no report";
    }

    Language language(settings);  // from here on, words are for the window
    const QString unopened = notOpened(parser);
    ConversationStore store;
    ConversationStore::OpenReport report = store.open(paths.dataFolder);
    if (report.heldByAnother && handed == HandOver::NobodyThere) {
        handed = handOverLate(paths.dataFolder, request);
        if (handed == HandOver::Taken) {
            return taken();
        }
    }
    if (report.heldByAnother && handed == HandOver::NoAnswer) {
        qWarning() << "reads only: another start does not answer";
        report.noticeText = QCoreApplication::translate(
            "main",
            "Hearth is open already and does not answer. This window shows your conversations and "
            "changes nothing; end the other one, then start again.");
    }
    LocalInference inference(paths.cacheFolder);
    if (const auto seconds = pastSecondsFromEnvironment()) {
        inference.setRest(LocalInference::kRestMs, *seconds);
    }
    LocalMachine machine(paths.cacheFolder, QCoreApplication::applicationFilePath());
    LocalMachine planner(paths.cacheFolder, QCoreApplication::applicationFilePath(),
                         machine.speeds());
    LocalPacking packer(paths.cacheFolder);
    LocalServing serving(inference);
    AppController controller(inference, store, settings, &machine, &planner, &packer, &serving);
    controller.setCommit(QStringLiteral(HEARTH_COMMIT));
    controller.follow(language);
    if (!report.noticeText.isEmpty()) {
        if (report.diskFull) {
            controller.notices()->notifyAboutDisk(report.noticeKind, report.noticeText);
        } else {
            controller.notices()->notifyAtStart(report.noticeKind, report.noticeText);
        }
    }
    const QString problems = settings.problemText();
    if (!problems.isEmpty()) {
        qWarning().noquote() << "settings:" << settings.problems().join(QLatin1Char(' '));
        controller.notices()->notifyAtStart(QStringLiteral("warning"), problems);
    }
    if (!unopened.isEmpty()) {
        controller.notices()->notifyAtStart(QStringLiteral("warning"), unopened);
    }
    if (report.interrupted > 0) {  // the chat that the user saw when it ended
        controller.chats()->select(controller.chats()->conversations()->idAt(0));
    }

    if (controller.tellOfCrash(paths.crashFolder)) {
        qInfo() << "offers the report of an earlier crash";
    }

    const KeyMends keyMends;
    const CursorRest cursorRest;
    const QuitSignals quitSignals;
    QObject::connect(&quitSignals, &QuitSignals::asked, &application, [] {
        qInfo() << "a signal asks Hearth to end";
        QCoreApplication::exit(EXIT_SUCCESS);
    });
    int result = EXIT_FAILURE;
    const Drawing drawing = chooseRenderer();
    qInfo().noquote() << drawing.line;
    setCrashFacts((drawing.line + QLatin1Char('\n')).toStdString());
    QObject::connect(&inference, &InferenceService::loaded, &application,
                     [line = drawing.line](const ModelSummary& model) {
                         setCrashFacts(crashFacts(line, model).toStdString());
                         noteModules();  // the driver, and QML's plugins, are loaded by now
                     });
    FramePace pace(drawing.by);
    inference.setPiecesInterval(pace.intervalMs());
    QObject::connect(&pace, &FramePace::intervalChanged, &inference,
                     &LocalInference::setPiecesInterval);
    controller.remoteInference().setPiecesInterval(pace.intervalMs());
    QObject::connect(&pace, &FramePace::intervalChanged, &controller.remoteInference(),
                     &RemoteInference::setPiecesInterval);
    QObject::connect(controller.replies(), &Replies::generatingChanged, &pace,
                     [&] { pace.setRunning(controller.replies()->generating()); });
    controller.appearance()->setSparing(drawing.by != DrawnBy::Card);
    {
        QQmlApplicationEngine engine;
        closeToNetwork(engine);
        engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
        engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&controller)}});
        engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Hearth/qml/Main.qml")));
        if (!engine.rootObjects().isEmpty()) {
            if (!store.readOnly()) {  // a window that only reads asks no model
                const FirstModel first =
                    firstModel(request.model, settings, starter, [&](const QString& path) {
                        return isRemotePath(path) ? controller.remote()->knows(path)
                                                  : QFileInfo::exists(path);
                    });
                controller.model()->openPath(first.path);
                controller.serving()->begin();  // requests are refused until the model is there
                if (!first.notice.isEmpty()) {
                    qInfo().noquote() << first.notice;
                    controller.notices()->notifyAtStart(QStringLiteral("info"), first.notice, true);
                }
            }
            SayQueue say(controller, !request.texts.isEmpty());
            say.add(request.texts);
            StartServer server;
            QObject::connect(&server, &StartServer::asked, &say, [&](const StartRequest& later) {
                if (auto* window = qobject_cast<QWindow*>(engine.rootObjects().constFirst())) {
                    bringToFront(*window, later.activationToken);
                }
                if (!later.model.isEmpty()) {
                    openNamed(engine.rootObjects().constFirst(), *controller.model(), later.model);
                }
                say.add(later.texts);
            });
            if (store.mode() == ConversationStore::Mode::ReadWrite) {  // the lock is ours
                server.listen(paths.dataFolder);
            }
            result = application.exec();
        }
        controller.close();
    }
    const QDeadlineTimer deadline(kEngineEndMs);
    const bool ended = serving.shutdown(kEngineEndMs) &&
                       inference.shutdown(static_cast<int>(deadline.remainingTime())) &&
                       packer.shutdown(static_cast<int>(deadline.remainingTime()));
    store.close();
    settings.flush();
    // A measurement or a plan has nothing of the user's: nobody waits for it.
    const bool idle = machine.shutdown(0) && planner.shutdown(0);
    qInfo() << "Hearth ends";
    if (!ended) {
        qWarning() << "the engine did not end in time";
    }
    if (!ended || !idle) {
        // Everything is on disk. A driver that does not return must not keep the process alive.
        std::_Exit(result);
    }
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    hearth::ui::rememberEnvironment();
    if (const std::optional<int> status = hearth::ui::gpuTrial(argc, argv)) {
        return *status;
    }
    if (const std::optional<int> status = hearth::ui::documentReading(argc, argv)) {
        return *status;
    }
    if (const std::optional<int> status = hearth::ui::drawingChild(argc, argv)) {
        return *status;
    }
    hearth::ui::outliveLauncher();
    QCoreApplication::setApplicationName(QStringLiteral("Hearth"));
    QCoreApplication::setOrganizationName(QStringLiteral("Hearth"));
    QCoreApplication::setApplicationVersion(QStringLiteral(HEARTH_VERSION));
    QCommandLineParser parser;
    describe(parser);
    if (wantsText(argc, argv)) {
        const QCoreApplication application(argc, argv);
        showText(application, parser);
        return EXIT_SUCCESS;
    }
    if (hearth::ui::displayMissing(argc, argv)) {
        std::fputs("There is no display here; chat in the terminal with hearth-cli run --chat\n",
                   stderr);
        return EXIT_FAILURE;
    }
    const hearth::ui::AppPaths paths = preparePlaces(parser, argc, argv);
    std::optional<hearth::ui::DisplayWatch> watch(std::in_place);
    QGuiApplication application(argc, argv);
    watch.reset();
    QGuiApplication::setDesktopFileName(QStringLiteral("hearth"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/qt/qml/Hearth/icons/hearth-256.png")));
    parser.process(application);
    return runWindow(application, parser, paths);
}
