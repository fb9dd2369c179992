// For how long the window answers nobody: the real controller, store, engine and QML, and a timer
// on the GUI thread that wants to tick every 2 ms. For each phase it prints the longest time
// between two ticks, how much of it the thread computed, how many such times were above 50 ms, and
// which event of the loop took most of the longest. Nothing is subtracted. Asserts nothing.
// Run with QT_QPA_PLATFORM=offscreen QT_QUICK_BACKEND=software where there is no display.
//
//   blocking_bench [FILES] [MESSAGES] [CHATS]
//
//   FILES     of a project's folder (2000)
//   MESSAGES  of the longest chat (10000)
//   CHATS     of 20 messages each, besides (300)
#include <QDir>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QMetaEnum>
#include <QQmlApplicationEngine>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QtQml/QQmlExtensionPlugin>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "app/ui/thread_clock.h"
#include "bridge/local_inference.h"
#include "bridge/local_machine.h"
#include "settings/app_settings.h"
#include "store/conversation_store.h"
#include "support/document_maker.h"
#include "system/app_paths.h"
#include "window/app_controller.h"

Q_IMPORT_QML_PLUGIN(HearthPlugin)

using namespace hearth::ui;
using hearth::ui::test::threadMs;

namespace {

constexpr double kMostMs = 50;
constexpr int kTickMs = 2;
constexpr int kPatienceMs = 900'000;
constexpr int kCatchUpMs = 3000;     // it begins a moment after the latest change
constexpr int kAfterwardsMs = 1000;  // what comes later counts, too

// Remembers the longest event since the last tick.
class WatchedApplication : public QGuiApplication {
public:
    using QGuiApplication::QGuiApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        if (depth_ > 0) {
            return QGuiApplication::notify(receiver, event);
        }
        const QByteArray name = nameOf(receiver);  // it may be gone afterwards
        const int type = event->type();
        ++depth_;
        QElapsedTimer clock;
        clock.start();
        const bool result = QGuiApplication::notify(receiver, event);
        const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        --depth_;
        if (ms > longestMs_) {
            longestMs_ = ms;
            const char* key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
            what_ = name + ' ' + (key == nullptr ? QByteArray::number(type) : QByteArray(key)) +
                    ' ' + QByteArray::number(ms, 'f', 1) + " ms";
        }
        return result;
    }
    QByteArray takeLongest() {
        longestMs_ = 0;
        return std::exchange(what_, {});
    }

private:
    static QByteArray nameOf(const QObject* object) {
        QByteArray name = object->metaObject()->className();
        if (!object->objectName().isEmpty()) {
            name += ' ' + object->objectName().toUtf8();
        }
        return object->parent() == nullptr
                   ? name
                   : name + " of " + object->parent()->metaObject()->className();
    }

    QByteArray what_;
    double longestMs_ = 0;
    int depth_ = 0;
};

class Heartbeat {
public:
    explicit Heartbeat(WatchedApplication& application) : application_(application) {
        timer_.setTimerType(Qt::PreciseTimer);
        timer_.setInterval(kTickMs);
        QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { tick(); });
    }

    // act: runs as an event of the loop.
    void phase(const char* name, const std::function<void()>& act,
               const std::function<bool()>& done) {
        longest_ = {};
        above_ = 0;
        application_.takeLongest();
        QElapsedTimer whole;
        whole.start();
        clock_.start();
        computed_ = threadMs();
        timer_.start();
        QTimer::singleShot(0, &timer_, act);
        QTest::qWait(20);
        const bool came = QTest::qWaitFor(done, kPatienceMs);
        const double seconds = static_cast<double>(whole.elapsed()) / 1000;
        QTest::qWait(kAfterwardsMs);
        timer_.stop();
        std::printf("%-44s %7.1f s  longest %6.1f ms (computed %6.1f)  above 50 ms: %3d  %s%s\n",
                    name, seconds, longest_.ms, longest_.computedMs, above_,
                    longest_.what.constData(), came ? "" : "  NOT DONE");
        std::fflush(stdout);
    }

private:
    struct Gap {
        double ms = 0;
        double computedMs = 0;
        QByteArray what;
    };

    void tick() {
        const double ms = static_cast<double>(clock_.nsecsElapsed()) / 1e6;
        const double computed = threadMs();
        const QByteArray what = application_.takeLongest();
        above_ += ms > kMostMs ? 1 : 0;
        if (ms > longest_.ms) {
            longest_ = {ms, computed - computed_, what};
        }
        clock_.start();
        computed_ = threadMs();
    }

    WatchedApplication& application_;
    QTimer timer_;
    QElapsedTimer clock_;
    double computed_ = 0;
    Gap longest_;
    int above_ = 0;
};

ChatRecord chatOf(int number, int messages) {
    ChatRecord chat;
    chat.title = QStringLiteral("Chat %1 about this and that").arg(number);
    chat.createdMs = chat.updatedMs = 1'700'000'000'000 + number;
    for (int i = 0; i < messages; ++i) {
        RecordedMessage message;
        message.parent = i - 1;
        message.createdMs = chat.createdMs + i;
        if (i % 2 == 0) {
            message.content = QStringLiteral("Question %1: how does rain come about?").arg(i);
        } else {
            message.role = MessageRole::Assistant;
            message.model = QStringLiteral("Starter");
            message.content =
                QStringLiteral(
                    "Water **rises** and falls, for the time number %1.\n\n- one\n- `two`"
                    "\n\n```python\nfor i in range(%1):\n    print(i)\n```\n\n"
                    "| a | b |\n| - | - |\n| 1 | %1 |\n\n")
                    .arg(i) +
                QStringLiteral("It goes on for a while. ").repeated(i % 20);
        }
        chat.messages.append(message);
    }
    return chat;
}

QStringList documentsIn(const QTemporaryDir& folder) {
    QStringList pages;
    for (int page = 0; page < 500; ++page) {
        pages.append(
            QStringLiteral("Clause %1 is about stairs and gardens.\n").arg(page).repeated(40));
    }
    QStringList paragraphs;
    for (int i = 0; i < 2000; ++i) {
        paragraphs.append(QStringLiteral("Paragraph %1 tells of a house by the sea.").arg(i));
    }
    return {
        hearth::test::writeFile(folder.filePath(QStringLiteral("book.pdf")),
                                hearth::test::plainPdf(pages)),
        hearth::test::writeDocx(folder.filePath(QStringLiteral("house.docx")),
                                hearth::test::docxXml(paragraphs)),
        hearth::test::writeFile(
            folder.filePath(QStringLiteral("log.txt")),
            QByteArray("A line of a log: the rent is due.\n").repeated(100'000)),
        hearth::test::writeFile(folder.filePath(QStringLiteral("notes.md")),
                                QByteArray("# Notes\n\nThe gate is green.\n\n").repeated(500)),
    };
}

void fillFolder(const QString& folder, int files) {
    for (int i = 0; i < files; ++i) {
        const QString below = QStringLiteral("%1/part %2").arg(folder).arg(i / 100);
        QDir().mkpath(below);
        hearth::test::writeFile(
            QStringLiteral("%1/note %2.md").arg(below).arg(i),
            QByteArray("# Note\n\nIt tells of the garden, its gate and its roses.\n").repeated(60) +
                QByteArray::number(i));
    }
}

}  // namespace

int main(int argc, char** argv) {
    WatchedApplication application(argc, argv);
    const int files = argc > 1 ? std::atoi(argv[1]) : 2000;
    const int messages = argc > 2 ? std::atoi(argv[2]) : 10'000;
    const int chats = argc > 3 ? std::atoi(argv[3]) : 300;
    const QTemporaryDir data;
    const QTemporaryDir folder;
    const QString exports = folder.filePath(QStringLiteral("exports"));
    const QString notes = folder.filePath(QStringLiteral("notes"));
    QDir().mkpath(exports);
    fillFolder(notes, files);
    const QStringList documents = documentsIn(folder);
    ConversationStore store;
    if (store.open(data.path()).mode != ConversationStore::Mode::ReadWrite) {
        std::fprintf(stderr, "blocking_bench: no store\n");
        return 1;
    }
    for (int i = 0; i < chats; ++i) {
        store.add(chatOf(i, 20));
    }
    const auto longest = store.add(chatOf(chats, messages));
    const QString model = starterModel(QStringLiteral(HEARTH_BINARY_DIR "/bin"));
    if (!longest || model.isEmpty()) {
        std::fprintf(stderr, "blocking_bench: no chats, or no starter model\n");
        return 1;
    }
    AppSettings settings(data.filePath(QStringLiteral("hearth.ini")));
    LocalInference inference(data.filePath(QStringLiteral("cache")));
    LocalMachine machine(data.filePath(QStringLiteral("cache")), {});
    AppController app(inference, store, settings, &machine);
    app.attachments()->desk().setProgram(QStringLiteral(HEARTH_DOCUMENT_CHILD));

    Heartbeat heart(application);
    QQmlApplicationEngine engine;
    QQuickWindow* window = nullptr;
    const auto answered = [&] { return !app.replies()->generating(); };
    heart.phase(
        "the window opens, a model is loaded",
        [&] {
            engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
            engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&app)}});
            engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Hearth/qml/Main.qml")));
            window = qobject_cast<QQuickWindow*>(engine.rootObjects().value(0));
            app.model()->openPath(model);
        },
        [&] { return app.model()->state() == QLatin1String("ready"); });
    if (window == nullptr) {
        return 1;
    }
    const auto searched = [&] { return !app.search()->says().contains(QLatin1Char('%')); };
    heart.phase(
        "the search index takes all chats in",
        [&] { app.search()->setQuery(QStringLiteral("rain")); }, searched);
    app.search()->setQuery({});
    heart.phase(
        "documents are attached, read and indexed", [&] { app.attachments()->attach(documents); },
        [&] { return !app.attachments()->reading(); });
    heart.phase(
        "a question about them",
        [&] { app.replies()->send(QStringLiteral("When is the rent due?")); }, answered);

    const qint64 project = app.projects()->add(QStringLiteral("Garden"));
    heart.phase(
        "the page of a project is opened",
        [&] {
            QObject* dialogs = window->findChild<QObject*>(QStringLiteral("dialogs"));
            QMetaObject::invokeMethod(dialogs, "showProject", Q_ARG(QVariant, project),
                                      Q_ARG(QVariant, qint64{-1}));
        },
        [] { return true; });
    bool known = false;
    const auto refresh = [&] {
        known = false;
        app.projects()->files()->setPatienceMs(kPatienceMs);
        app.projects()->files()->refresh(project, [&known] { known = true; });
    };
    heart.phase(
        "a project's folder is read and indexed",
        [&] {
            app.projects()->setFolder(project, notes);
            refresh();
        },
        [&] { return known; });
    heart.phase("it is looked at again, nothing is new", refresh, [&] { return known; });
    QTest::keyClick(window, Qt::Key_Escape);
    heart.phase(
        "a question in the project",
        [&] {
            app.chats()->newConversationIn(project);
            app.replies()->send(QStringLiteral("What colour is the gate of the garden?"));
        },
        answered);
    const qint64 other = app.chats()->conversations()->idAt(20);
    heart.phase(
        "a chat of 20 messages is opened", [&] { app.chats()->select(other); },
        [&] { return app.chats()->messages()->count() == 20; });
    heart.phase(
        "the longest chat is opened", [&] { app.chats()->select(*longest); },
        [&] { return app.chats()->messages()->count() == messages; });
    heart.phase(
        "it is opened a second time",
        [&] {
            app.chats()->newConversationIn(kNoId);
            app.chats()->select(*longest);
        },
        [&] { return app.chats()->messages()->count() == messages; });
    const auto idle = [&] { return !app.exchange()->busy(); };
    heart.phase(
        "all chats are exported", [&] { app.exchange()->exportAll(exports); }, idle);
    const QString archive = QDir(exports).entryList(QDir::Files).value(0);
    heart.phase(
        "the archive is imported",
        [&] { app.exchange()->importFile(QDir(exports).filePath(archive)); }, idle);
    QElapsedTimer asked;
    heart.phase(
        "the search index catches up",
        [&] {
            asked.start();
            app.search()->setQuery(QStringLiteral("garden"));
        },
        [&] { return asked.isValid() && asked.elapsed() > kCatchUpMs && searched(); });
    std::printf("%d files, %d and %d x 20 messages, archive %lld bytes, chats now %lld\n", files,
                messages, chats,
                static_cast<long long>(QFileInfo(QDir(exports).filePath(archive)).size()),
                static_cast<long long>(store.conversations().size()));
    app.close();
    inference.shutdown(5000);
    return 0;
}
