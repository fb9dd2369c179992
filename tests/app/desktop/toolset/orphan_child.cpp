// A program that starts a server of tools and then waits to be killed: argv[1] is the server,
// argv[2] a pipe that a process of the server's holds open.
#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <cstdio>

#include "toolset/mcp_client.h"
#include "toolset/stdio_transport.h"

int main(int argc, char** argv) {
    using namespace hearth::ui;
    const QCoreApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    McpClient client(
        QStringLiteral("server"),
        std::make_unique<StdioTransport>(
            QStringList{arguments.value(1), QStringLiteral("stubborn")}, ChildNetwork::None),
        {});
    QObject::connect(&client, &ToolSource::changed, [&] {
        if (client.state() == McpClient::State::Ready) {
            client.call(1, QStringLiteral("fork"),
                        QJsonDocument(QJsonObject{{"text", arguments.value(2)}}).toJson(), {});
        } else {
            std::printf("%s\n", qPrintable(client.words()));
            std::fflush(stdout);
        }
    });
    QObject::connect(&client, &ToolSource::done, [] {
        std::printf("ready\n");
        std::fflush(stdout);
    });
    client.start();
    return QCoreApplication::exec();
}
