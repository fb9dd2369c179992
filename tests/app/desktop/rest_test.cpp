// The real program with a chat of 10,000 messages that nobody touches: it draws nothing, and takes
// little memory beside the model's. Prints what it takes. Linux only: reads /proc.
#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <unistd.h>

#include "app/desktop/display_main.h"
#include "app/desktop/real_program.h"
#include "store/conversation_store.h"
#include "system/app_paths.h"
#include "system/cursor_rest.h"

using namespace hearth::ui;
using hearth::ui::test::RealProgram;

namespace {

constexpr int kMessages = 10'000;
constexpr double kMostMebibytes = 200;  // beside the model
constexpr int kAtRestMs = 5000;

const char* const kFrame = "rame rendered with ";

// Questions and answers of usual sizes: 300 to 900 letters, with a list, code and a table.
ChatRecord longChat() {
    ChatRecord chat;
    chat.title = QStringLiteral("A long chat");
    chat.createdMs = chat.updatedMs = 1'700'000'000'000;
    for (int i = 0; i < kMessages; ++i) {
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

QByteArray contentOf(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The processor time of a process until now, ms.
double processorMs(qint64 id) {
    const QByteArray line = contentOf(QStringLiteral("/proc/%1/stat").arg(id));
    const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
    constexpr int kUser = 11;  // counted from the state, which follows the name
    return (fields.value(kUser).toDouble() + fields.value(kUser + 1).toDouble()) * 1000 /
           static_cast<double>(sysconf(_SC_CLK_TCK));
}

double mebibytes(qint64 id, const char* name) {
    const QRegularExpression line(QStringLiteral("%1:\\s+(\\d+) kB").arg(QLatin1String(name)));
    return line.match(QString::fromLatin1(contentOf(QStringLiteral("/proc/%1/status").arg(id))))
               .captured(1)
               .toDouble() /
           1024;
}

}  // namespace

class RestTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const QString reason = RealProgram::whyNot();
        if (!reason.isEmpty()) {
            QSKIP(qPrintable(reason));
        }
    }

    // No model is loaded: all that it holds is the window's.
    void aLongChatAtRest() {
        const QTemporaryDir folder;
        const QString data = folder.filePath(QStringLiteral("data"));
        {
            ConversationStore store;
            QVERIFY(QDir().mkpath(data));
            QCOMPARE(store.open(data).mode, ConversationStore::Mode::ReadWrite);
            QVERIFY(store.add(longChat()).has_value());
        }
        RealProgram program(data);
        program.setVariable(QStringLiteral("QT_LOGGING_RULES"),
                            QStringLiteral("qt.scenegraph.time.renderloop.debug=true"));
        QVERIFY(program.start({folder.filePath(QStringLiteral("none.gguf"))}));
        const double before = mebibytes(program.processId(), "RssAnon");
        QVERIFY(program.key(QStringLiteral("ctrl+Next")));  // opens the chat
        QTest::qWait(3000);
        for (const char* key : {"ctrl+Home", "Prior", "Next", "ctrl+End", "Prior"}) {
            QVERIFY(program.key(QString::fromLatin1(key)));
            QTest::qWait(500);
        }
        const auto frames = [&] { return program.log().count(kFrame); };
        QVERIFY(frames() > 0);
        // The search takes the messages in, and the cursor comes to rest.
        qsizetype count = 0;
        double used = 0;
        const auto rests = [&] {
            count = frames();
            used = processorMs(program.processId());
            QTest::qWait(kAtRestMs);
            return frames() == count;
        };
        QTest::qWait(CursorRest::kRestMs);
        QVERIFY(rests() || rests() || rests());
        const qint64 id = program.processId();
        const double own = mebibytes(id, "RssAnon");
        qInfo(
            "at rest: %lld frames and %.0f ms of a processor in %d s; memory of its own %.0f MiB"
            " (%.0f before the chat), %.0f MiB of files",
            static_cast<long long>(frames() - count), processorMs(id) - used, kAtRestMs / 1000, own,
            before, mebibytes(id, "RssFile"));
        QVERIFY(own <= kMostMebibytes);
        QVERIFY(program.quit());
    }
};

int main(int argc, char** argv) {
    return hearth::ui::test::mainOnDisplay<RestTest>(argc, argv);
}
#include "rest_test.moc"
