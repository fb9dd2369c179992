#include <QCommandLineParser>
#include <QFileInfo>
#include <QGuiApplication>
#include <QIcon>
#include <QLoggingCategory>
#include <QQmlApplicationEngine>
#include <QtQml/QQmlExtensionPlugin>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app_controller.h"
#include "app_paths.h"
#include "app_settings.h"
#include "display.h"
#include "gpu_trial.h"
#include "local_inference.h"
#include "log_file.h"
#include "quit_signals.h"
#include "say_queue.h"

Q_IMPORT_QML_PLUGIN(HearthPlugin)

namespace {

constexpr int kEngineEndMs = 5000;

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
                        "The answers also go to standard output."),
         QStringLiteral("TEXT")});
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

// Help or version, which end the program.
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

QString chosenModel(const QStringList& arguments, const hearth::ui::AppSettings& settings) {
    if (!arguments.isEmpty()) {
        return QFileInfo(arguments.first()).absoluteFilePath();
    }
    const QString last = settings.lastModelPath();
    return !last.isEmpty() && QFileInfo::exists(last)
               ? last
               : hearth::ui::starterModel(QCoreApplication::applicationDirPath());
}

int runWindow(QGuiApplication& application, const QCommandLineParser& parser) {
    using namespace hearth::ui;
    const AppPaths paths = AppPaths::find(QCoreApplication::applicationDirPath(),
                                          parser.value(QStringLiteral("data-dir")));
    LogFile log(paths.logFile);
    log.install();
    qInfo().noquote() << "Hearth" << QCoreApplication::applicationVersion() << "starts";

    AppSettings settings(paths.settingsFile);
    ConversationStore store;
    const ConversationStore::OpenReport report = store.open(paths.dataFolder);
    LocalInference inference;
    AppController controller(inference, store, settings);
    if (!report.noticeText.isEmpty()) {
        if (report.diskFull) {
            controller.notices()->notifyAboutDisk(report.noticeKind, report.noticeText);
        } else {
            controller.notices()->notify(report.noticeKind, report.noticeText);
        }
    }
    if (report.interrupted > 0) {  // there the user was when it ended
        controller.chats()->select(controller.chats()->conversations()->idAt(0));
    }

    const QuitSignals quitSignals;
    QObject::connect(&quitSignals, &QuitSignals::asked, &application, [] {
        qInfo() << "a signal asks Hearth to end";
        QCoreApplication::exit(EXIT_SUCCESS);
    });
    int result = EXIT_FAILURE;
    {
        QQmlApplicationEngine engine;
        engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
        engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&controller)}});
        engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Hearth/qml/Main.qml")));
        if (!engine.rootObjects().isEmpty()) {
            const QString model = chosenModel(parser.positionalArguments(), settings);
            if (!model.isEmpty()) {
                controller.model()->openPath(model);
            }
            const SayQueue say(controller, parser.values(QStringLiteral("say")));
            result = application.exec();
        }
        controller.close();
    }
    const bool ended = inference.shutdown(kEngineEndMs);
    store.close();
    qInfo() << "Hearth ends";
    if (!ended) {
        // Everything is on disk. A driver that does not come back must not keep the process.
        qWarning() << "the engine did not end in time";
        std::_Exit(result);
    }
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    if (const std::optional<int> status = hearth::ui::gpuTrial(argc, argv)) {
        return *status;
    }
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
    QGuiApplication application(argc, argv);
    QGuiApplication::setDesktopFileName(QStringLiteral("hearth"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/qt/qml/Hearth/icons/hearth-256.png")));
    parser.process(application);
    return runWindow(application, parser);
}
