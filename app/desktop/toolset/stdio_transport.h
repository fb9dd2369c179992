// A server of tools as a child process: messages are lines on its standard input and output, and
// its standard error goes to the log. It ends with this object.
#pragma once

#include <QProcess>
#include <QStringList>

#include "system/child_isolation.h"
#include "toolbox/line_reader.h"
#include "toolbox/rpc_message.h"
#include "toolset/mcp_transport.h"

namespace hearth::ui {

class StdioTransport : public McpTransport {
    Q_OBJECT

public:
    // command: the program and its arguments.
    StdioTransport(const QStringList& command, ChildNetwork network, QObject* parent = nullptr);
    ~StdioTransport() override;

    void start() override;
    void stop() override;
    void send(const QByteArray& message) override;

    // Bytes that a server leaves unread before it is given up.
    static constexpr qint64 kMostUnread = qint64{8} << 20;

private:
    void startIn(bool namespaces);
    void onFinished(int code, QProcess::ExitStatus status);
    void readMessages();
    void readWords();
    void close(const QString& sentence);

    QStringList command_;
    ChildNetwork network_;
    QProcess process_;
    toolbox::LineReader lines_{toolbox::kMostRpcBytes};
    QByteArray words_;  // of standard error, an unfinished line
    bool closed_ = false;
    bool inNamespaces_ = false;
    bool refused_ = false;    // the namespaces were
    QList<QByteArray> sent_;  // until the first answer: for a second start
};

// The words of a command line, where "..." and '...' keep blanks together, and a backslash keeps
// the next character outside '...'. Empty: a quotation does not end.
QStringList commandWords(const QString& line);

}  // namespace hearth::ui
