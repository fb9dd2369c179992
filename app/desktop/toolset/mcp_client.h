// Speaks the Model Context Protocol with one server: introduces itself, lists the tools, calls
// them. The server is a stranger: it may hang, die, flood, lie about ids and send anything.
#pragma once

#include <QHash>
#include <QTimer>
#include <memory>

#include "toolbox/mcp_answers.h"
#include "toolbox/rpc_message.h"
#include "toolset/mcp_transport.h"
#include "toolset/tool_source.h"

namespace hearth::ui {

class McpClient : public ToolSource {
    Q_OBJECT

public:
    enum class State { Starting, Ready, Failed };
    // Milliseconds that a server may take.
    struct Patience {
        int startMs = 60'000;
        int callMs = 120'000;
    };

    McpClient(const QString& title, std::unique_ptr<McpTransport> transport,
              const Patience& patience, QObject* parent = nullptr);
    ~McpClient() override;

    void start();
    State state() const { return state_; }
    // Failed: the reason. Ready: who the server says it is.
    QString words() const { return words_; }

    QString title() const override { return title_; }
    QList<OfferedTool> tools() const override { return tools_; }
    void call(quint64 id, const QString& tool, const QByteArray& arguments,
              const ToolPlace& place) override;
    void cancel(quint64 id) override;

    static constexpr int kMostPages = 32;
    // Messages in a row that answer nothing: more is a flood.
    static constexpr int kMostUnasked = 1000;

signals:
    void said(const QString& line);  // for the log

private:
    enum class Asked { Introduction, Tools, Call };
    struct Question {
        Asked asked = Asked::Call;
        quint64 callId = 0;
    };
    void ask(Asked asked, const std::string& method, toolbox::RpcJson params, quint64 callId = 0);
    void askForTools(const std::string& cursor);
    void onMessage(const QByteArray& bytes);
    void onAnswer(const Question& question, const toolbox::RpcJson& result);
    void onTools(const toolbox::RpcJson& result);
    void onOtherMessage(const toolbox::RpcMessage& message);
    void endCall(quint64 callId, const ToolOutcome& outcome);
    void endSoon(quint64 callId, const QString& why);
    void fail(const QString& sentence);

    QString title_;
    std::unique_ptr<McpTransport> transport_;
    Patience patience_;
    State state_ = State::Starting;
    QString words_;
    QList<OfferedTool> tools_;
    QList<OfferedTool> listed_;  // the pages so far
    int pages_ = 0;
    bool listsTools_ = false;
    bool listIsOld_ = false;  // it changed while it was read
    qint64 lastId_ = 0;
    QHash<qint64, Question> questions_;
    QHash<quint64, QTimer*> callTimers_;
    QTimer startTimer_;
    int unasked_ = 0;
};

}  // namespace hearth::ui
