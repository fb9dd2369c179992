// Exchanges with a server of tools as lines of JSON: {"to": message} and {"from": message}.
#pragma once

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <memory>
#include <utility>

#include "toolset/mcp_transport.h"

namespace hearth::ui::test {

// Writes down what passes a transport.
class RecordingTransport : public McpTransport {
public:
    RecordingTransport(std::unique_ptr<McpTransport> real, const QString& path)
        : real_(std::move(real)), file_(path) {
        if (!file_.open(QIODevice::WriteOnly)) {
            qFatal("the record cannot be written");
        }
        connect(real_.get(), &McpTransport::received, this, [this](const QByteArray& message) {
            note("from", message);
            emit received(message);
        });
        connect(real_.get(), &McpTransport::closed, this, &McpTransport::closed);
        connect(real_.get(), &McpTransport::said, this, &McpTransport::said);
    }
    void start() override { real_->start(); }
    void stop() override { real_->stop(); }
    void setProtocol(const QByteArray& version) override { real_->setProtocol(version); }
    void send(const QByteArray& message) override {
        note("to", message);
        real_->send(message);
    }

private:
    void note(const char* way, const QByteArray& message) {
        file_.write("{\"" + QByteArray(way) + "\":" + message + "}\n");
        file_.flush();
    }
    std::unique_ptr<McpTransport> real_;
    QFile file_;
};

// Plays the server's side of a record: after each message that the record expects, what the server
// answered then.
class ReplayTransport : public McpTransport {
public:
    explicit ReplayTransport(const QString& path) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) {
            qFatal("the record cannot be read");
        }
        while (!file.atEnd()) {
            lines_.append(QJsonDocument::fromJson(file.readLine()).object());
        }
    }
    void start() override {}
    void stop() override {}
    void send(const QByteArray& message) override {
        const QJsonObject sent = QJsonDocument::fromJson(message).object();
        if (at_ >= lines_.size() || lines_.at(at_).value("to").toObject() != sent) {
            if (trouble_.isEmpty()) {
                trouble_ = "not in the record: " + message;
            }
            return;
        }
        ++at_;
        while (at_ < lines_.size() && lines_.at(at_).contains("from")) {
            const QByteArray answer = QJsonDocument(lines_.at(at_++).value("from").toObject())
                                          .toJson(QJsonDocument::Compact);
            QMetaObject::invokeMethod(
                this, [this, answer] { emit received(answer); }, Qt::QueuedConnection);
        }
    }
    // Empty: all that was sent is in the record, in its order.
    QByteArray trouble() const { return trouble_; }
    bool atEnd() const { return at_ == lines_.size(); }

private:
    QList<QJsonObject> lines_;
    qsizetype at_ = 0;
    QByteArray trouble_;
};

// The calls of a record, in their order: name and arguments.
inline QList<QPair<QString, QByteArray>> callsOf(const QString& path) {
    QList<QPair<QString, QByteArray>> calls;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        qFatal("the record cannot be read");
    }
    while (!file.atEnd()) {
        const QJsonObject sent =
            QJsonDocument::fromJson(file.readLine()).object().value("to").toObject();
        if (sent.value("method") == QLatin1String("tools/call")) {
            const QJsonObject params = sent.value("params").toObject();
            calls.append({params.value("name").toString(),
                          QJsonDocument(params.value("arguments").toObject())
                              .toJson(QJsonDocument::Compact)});
        }
    }
    return calls;
}

}  // namespace hearth::ui::test
