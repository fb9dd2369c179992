// hearth-demo: the whole window on a scripted engine. Needs no model and leaves nothing behind.
#include <QGuiApplication>
#include <QIcon>
#include <QQmlApplicationEngine>
#include <QTemporaryDir>
#include <QtQml/QQmlExtensionPlugin>

#include "app/demo/demo_scripts.h"
#include "documents/document_child.h"
#include "documents/drawing_child.h"
#include "settings/app_settings.h"
#include "settings/language.h"
#include "store/conversation_store.h"
#include "support/fake_machine.h"
#include "support/fake_packing.h"
#include "support/fake_serving.h"
#include "window/app_controller.h"

Q_IMPORT_QML_PLUGIN(HearthPlugin)

int main(int argc, char** argv) {
    using namespace hearth::ui;
    for (const auto& child : {documentReading(argc, argv), drawingChild(argc, argv)}) {
        if (child) {
            return *child;
        }
    }
    QGuiApplication application(argc, argv);
    QGuiApplication::setApplicationName(QStringLiteral("Hearth demo"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/qt/qml/Hearth/icons/hearth-256.png")));

    const QTemporaryDir folder;
    FakeInference inference;
    inference.setPieceDelayMs(25);
    inference.setLoadDelayMs(800);
    inference.setScripts(demo::scripts());
    inference.setModel(demo::model());
    inference.setMap(demo::map());
    ConversationStore store;
    store.openInMemory();
    AppSettings settings(folder.filePath(QStringLiteral("settings.ini")));
    Language language(settings);
    FakeMachine machine;
    FakeMachine planner;
    FakePacking packer;
    FakeServing serving;
    AppController controller(inference, store, settings, &machine, &planner, &packer, &serving);
    controller.follow(language);

    int result = EXIT_FAILURE;
    {
        QQmlApplicationEngine engine;
        engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
        engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&controller)}});
        engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Hearth/qml/Main.qml")));
        if (!engine.rootObjects().isEmpty()) {
            controller.model()->openPath(demo::model().path);
            result = QGuiApplication::exec();
        }
        controller.flush();
    }
    inference.shutdown(2000);
    return result;
}
