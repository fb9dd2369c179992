// Records an exchange with a real server of tools: OUT COMMAND NAME ARGUMENTS [NAME ARGUMENTS ...].
// Calls follow one another; results go to standard output.
#include <QCoreApplication>
#include <cstdio>

#include "exchange_file.h"
#include "toolset/mcp_client.h"
#include "toolset/stdio_transport.h"

int main(int argc, char** argv) {
    using namespace hearth::ui;
    const QCoreApplication app(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    McpClient client(
        QStringLiteral("server"),
        std::make_unique<test::RecordingTransport>(
            std::make_unique<StdioTransport>(commandWords(words.value(2)), ChildNetwork::None),
            words.value(1)),
        {20'000, 5'000});
    qsizetype next = 3;
    const auto callNext = [&] {
        if (next + 1 < words.size()) {
            client.call(static_cast<quint64>(next), words.at(next), words.at(next + 1).toUtf8(),
                        {});
            next += 2;
        } else {
            QCoreApplication::quit();
        }
    };
    bool begun = false;
    QObject::connect(&client, &ToolSource::changed, [&] {
        std::printf("%s: %lld tools\n", qPrintable(client.words()),
                    static_cast<long long>(client.tools().size()));
        if (client.state() == McpClient::State::Failed) {
            QCoreApplication::exit(1);
        } else if (!std::exchange(begun, true)) {
            callNext();
        }
    });
    QObject::connect(&client, &McpClient::said,
                     [](const QString& line) { std::printf("says: %s\n", qPrintable(line)); });
    QObject::connect(&client, &ToolSource::done, [&](quint64, const ToolOutcome& outcome) {
        std::printf("%s: %s\n", outcome.failed ? "failed" : "done",
                    qPrintable(outcome.text.left(300)));
        callNext();
    });
    client.start();
    return QCoreApplication::exec();
}
