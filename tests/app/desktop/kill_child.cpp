// What kill_test kills: the real store and controller, answering without end. Beside the database
// it keeps a journal of what a user would have seen, written after the fact.
//
//   hearth-kill-child DATA_FOLDER JOURNAL RUN [MODEL.gguf]
//
// Without a model it answers by script, and all the while changes settings of a model that is not
// there. Journal lines: `sent ID TEXT`, `shown ID MS BASE64`, `ended ID`, `set NUMBER` before a
// setting is changed, `kept NUMBER` when it is in the file; MS is the monotonic clock.
#include <QCoreApplication>
#include <QFile>
#include <QGuiApplication>
#include <QRandomGenerator>
#include <QTimer>
#include <chrono>
#include <cstdio>
#include <memory>
#ifdef Q_OS_UNIX
#include <unistd.h>
#endif

#include "bridge/local_inference.h"
#include "settings/app_settings.h"
#include "support/fake_inference.h"
#include "window/app_controller.h"

using namespace hearth::ui;

namespace {

const QString kOtherModel = QStringLiteral("/other/model.gguf");

qint64 clockMs() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

class Journal {
public:
    explicit Journal(const QString& file) : file_(file) {
        if (!file_.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered)) {
            qFatal("no journal");
        }
    }
    void write(const QByteArray& line, bool sync) {
        file_.write(line + '\n');
#ifdef Q_OS_UNIX
        if (sync) {
            ::fdatasync(file_.handle());
        }
#else
        Q_UNUSED(sync)
#endif
    }

private:
    QFile file_;
};

QList<FakeInference::Script> scripts() {
    QRandomGenerator random(1);
    QList<FakeInference::Script> list;
    for (int i = 0; i < 8; ++i) {
        QString text = QStringLiteral("# Answer %1\n\n").arg(i);
        for (int word = random.bounded(40, 600); word > 0; --word) {
            text += QStringLiteral("word%1 ").arg(word);
            if (word % 17 == 0) {
                text += QStringLiteral("\n\n- **item** \u00e4\U0001F525\n");
            }
        }
        list << FakeInference::scriptFrom(text);
    }
    return list;
}

}  // namespace

int main(int argc, char** argv) {
    QGuiApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() < 4) {
        std::fputs("usage: hearth-kill-child DATA_FOLDER JOURNAL RUN [MODEL.gguf]\n", stderr);
        return 2;
    }
    Journal journal(arguments.at(2));
    ConversationStore store;
    if (store.open(arguments.at(1)).mode != ConversationStore::Mode::ReadWrite) {
        qFatal("the store is not writable");
    }
    AppSettings settings(arguments.at(1) + QStringLiteral("/hearth.ini"));
    std::unique_ptr<InferenceService> inference;
    if (arguments.size() > 4) {
        inference = std::make_unique<LocalInference>(arguments.at(1) + QStringLiteral("/cache"));
    } else {
        auto fake = std::make_unique<FakeInference>();
        fake->setScripts(scripts());
        fake->setPieceDelayMs(2);
        inference = std::move(fake);
    }
    AppController app(*inference, store, settings);
    int count = 0;
    const auto say = [&] {
        if (count % 5 == 4) {
            app.chats()->newConversation();
        }
        const QString text = QStringLiteral("Run %1, message %2: tell me a story.")
                                 .arg(arguments.at(3))
                                 .arg(count++);
        if (!app.replies()->send(text)) {
            qFatal("refused: %s", qPrintable(app.notices()->text()));
        }
        const QList<Message> path = app.chats()->messages()->messages();
        journal.write(
            "sent " + QByteArray::number(path.at(path.size() - 2).id) + ' ' + text.toUtf8(), true);
    };
    QObject::connect(app.replies(), &Replies::replyShown, [&](qint64 id, const QString& text) {
        journal.write("shown " + QByteArray::number(id) + ' ' + QByteArray::number(clockMs()) +
                          ' ' + text.toUtf8().toBase64(),
                      false);
    });
    QObject::connect(
        app.replies(), &Replies::replyEnded, &app,
        [&](qint64 id) {
            journal.write("ended " + QByteArray::number(id), false);
            say();
        },
        Qt::QueuedConnection);
    QTimer changing;
    int number =
        settings.text("engine/predictors", kOtherModel).section(QLatin1Char('/'), 1, 1).toInt();
    QObject::connect(&changing, &QTimer::timeout, &app, [&] {
        journal.write("set " + QByteArray::number(++number), false);
        const QString value =
            QStringLiteral("/%1/%2").arg(number).arg(QString(3000, QLatin1Char('x')));
        for (const char* key : {"engine/predictors", "engine/thresholds"}) {
            const QString wrong = settings.set(key, value, kOtherModel);
            if (!wrong.isEmpty()) {
                qFatal("%s", qPrintable(wrong));
            }
        }
        if (number % 8 == 0) {
            settings.flush();
            journal.write("kept " + QByteArray::number(number), true);
        }
    });
    changing.start(3);
    app.model()->openPath(arguments.value(4, QStringLiteral("/fake.gguf")));
    say();
    return QGuiApplication::exec();
}
