// How long it takes until a data folder with many chats is shown, and until a chat with many
// messages is. Prints, asserts nothing. Run with QT_QPA_PLATFORM=offscreen where there is no
// display.
//
//   hearth_bench_ui_opening [CHATS] [MESSAGES] [TIMES]
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTest>
#include <QtQml/QQmlExtensionPlugin>
#include <cstdio>

#include "app/ui/thread_clock.h"
#include "ui_window.h"

Q_IMPORT_QML_PLUGIN(HearthPlugin)

using namespace hearth::ui;
using namespace hearth::ui::test;

namespace {

QString answerText(int i) {
    return QStringLiteral(
               "Answer %1 with *some* markdown, `code` and a [link](https://example.org), long "
               "enough to fill more than one line of the window.\n\n- one\n- two\n\n"
               "```cpp\nint value = %1;\n```\n\nAnd a last paragraph after it.")
        .arg(i);
}

// The latest chat has `messages` of them, the others two each.
bool fill(const QString& folder, int chats, int messages) {
    ConversationStore store;
    if (store.open(folder).mode != ConversationStore::Mode::ReadWrite) {
        return false;
    }
    QSqlDatabase database = QSqlDatabase::database(store.connectionName());
    QSqlQuery chat(database);
    QSqlQuery message(database);
    QSqlQuery leaf(database);
    bool ok = database.transaction() &&
              chat.prepare(QStringLiteral("INSERT INTO conversations (title, created_at, "
                                          "updated_at) VALUES (?, ?, ?)")) &&
              message.prepare(QStringLiteral(
                  "INSERT INTO messages (conversation_id, parent_id, role, content, state, "
                  "created_at) VALUES (?, ?, ?, ?, 'complete', 0)")) &&
              leaf.prepare(QStringLiteral("UPDATE conversations SET active_leaf = ? WHERE id = ?"));
    for (int c = 0; ok && c < chats; ++c) {
        chat.addBindValue(QStringLiteral("Chat %1 about this and that").arg(c));
        chat.addBindValue(c);
        chat.addBindValue(c);
        ok = chat.exec();
        const QVariant id = chat.lastInsertId();
        QVariant parent(QMetaType::fromType<qint64>());
        for (int m = 0; ok && m < (c == chats - 1 ? messages : 2); ++m) {
            message.addBindValue(id);
            message.addBindValue(parent);
            message.addBindValue(m % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant"));
            message.addBindValue(m % 2 == 0 ? QStringLiteral("Question %1?").arg(m)
                                            : answerText(m));
            ok = message.exec();
            parent = message.lastInsertId();
        }
        leaf.addBindValue(parent);
        leaf.addBindValue(id);
        ok = ok && leaf.exec();
    }
    if (!ok || !database.commit()) {
        std::fprintf(stderr, "%s\n", qPrintable(message.lastError().text()));
        return false;
    }
    return true;
}

struct Stage {
    const char* name;
    QList<double> clock_ms = {};
    QList<double> computed_ms = {};
};

class Watch {
public:
    Watch() { clock_.start(); }
    void note(Stage& stage) {
        stage.clock_ms.append(static_cast<double>(clock_.nsecsElapsed()) / 1e6);
        stage.computed_ms.append(threadMs() - before_);
        clock_.start();
        before_ = threadMs();
    }

private:
    QElapsedTimer clock_;
    double before_ = threadMs();
};

bool waitForFrame(QQuickWindow* window) {
    bool swapped = false;
    const auto connection = QObject::connect(window, &QQuickWindow::frameSwapped, window,
                                             [&swapped] { swapped = true; });
    window->update();
    const bool seen = QTest::qWaitFor([&swapped] { return swapped; }, 30'000);
    QObject::disconnect(connection);
    return seen;
}

}  // namespace

int main(int argc, char** argv) {
    QGuiApplication application(argc, argv);
    const int chats = argc > 1 ? std::atoi(argv[1]) : 1500;
    const int messages = argc > 2 ? std::atoi(argv[2]) : 10'000;
    const int times = argc > 3 ? std::atoi(argv[3]) : 5;
    const QTemporaryDir folder;
    if (!fill(folder.path(), chats, messages)) {
        std::fprintf(stderr, "no data\n");
        return 1;
    }
    Stage store{"the store is open"};
    Stage controller{"chats are listed"};
    Stage qml{"the window is made"};
    Stage shown{"its first frame is shown"};
    Stage chat{"the longest chat: its end is read"};
    Stage chatShown{"its first frame is shown"};
    Stage chatWhole{"all of its messages are there"};
    for (int i = 0; i < times; ++i) {
        FakeInference inference;
        FakeMachine machine;
        FakeMachine planner;
        AppSettings settings(folder.filePath(QStringLiteral("settings.ini")));
        settings.set("window/motion", QStringLiteral("none"));
        Watch watch;
        ConversationStore data;
        data.open(folder.path());
        watch.note(store);
        AppController app(inference, data, settings, &machine, &planner);
        watch.note(controller);
        QQmlApplicationEngine engine;
        engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
        engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&app)}});
        engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Hearth/qml/Main.qml")));
        auto* window = engine.rootObjects().isEmpty()
                           ? nullptr
                           : qobject_cast<QQuickWindow*>(engine.rootObjects().constFirst());
        if (window == nullptr) {
            return 1;
        }
        watch.note(qml);
        window->show();
        if (!QTest::qWaitForWindowExposed(window) || !waitForFrame(window)) {
            return 1;
        }
        watch.note(shown);
        app.chats()->select(app.chats()->conversations()->idAt(0));
        watch.note(chat);
        if (!waitForFrame(window)) {
            return 1;
        }
        watch.note(chatShown);
        const auto all = [&] { return app.chats()->messages()->count() == messages; };
        if (!QTest::qWaitFor(all, 30'000)) {
            return 1;
        }
        watch.note(chatWhole);
    }
    std::printf("%d chats, %d messages in the latest, %d times\n", chats, messages, times);
    for (const Stage* stage : {&store, &controller, &qml, &shown, &chat, &chatShown, &chatWhole}) {
        std::printf(
            "  %-42s least %7.1f  median %7.1f ms on the clock | least %7.1f  median %7.1f "
            "ms computed\n",
            stage->name, at(stage->clock_ms, 0), at(stage->clock_ms, 0.5),
            at(stage->computed_ms, 0), at(stage->computed_ms, 0.5));
    }
    return 0;
}
