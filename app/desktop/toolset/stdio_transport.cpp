#include "toolset/stdio_transport.h"

#include <QDir>
#include <utility>

namespace hearth::ui {

namespace {

constexpr qsizetype kMostWords = 500;  // characters of a line for the log
constexpr int kEndMs = 1000;

}  // namespace

StdioTransport::StdioTransport(const QStringList& command, ChildNetwork network, QObject* parent)
    : McpTransport(parent), command_(command), network_(network) {
    connect(&process_, &QProcess::readyReadStandardOutput, this, &StdioTransport::readMessages);
    connect(&process_, &QProcess::readyReadStandardError, this, &StdioTransport::readWords);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            close(tr("The program %1 cannot be started: %2")
                      .arg(command_.value(0), process_.errorString()));
        }
    });
    connect(&process_, &QProcess::finished, this, &StdioTransport::onFinished);
}

StdioTransport::~StdioTransport() {
    closed_ = true;
    process_.disconnect(this);
    if (process_.state() != QProcess::NotRunning) {
        process_.kill();
        process_.waitForFinished(kEndMs);
    }
}

void StdioTransport::start() {
    if (command_.isEmpty()) {
        close(tr("The command line has no program, or a quotation mark without its second."));
        return;
    }
    if (network_ == ChildNetwork::None && !knowsChildIsolation()) {
        close(
            tr("On this system Hearth cannot shut a program out of the network, so the server "
               "was not started. Allow it the network to start it all the same."));
        return;
    }
    tieChild(process_);
    process_.setWorkingDirectory(QDir::homePath());
    startIn(knowsChildIsolation());
}

void StdioTransport::startIn(bool namespaces) {
    inNamespaces_ = namespaces;
    const QStringList words = namespaces ? isolatedCommand(command_, network_) : command_;
    process_.start(words.first(), words.mid(1));
}

void StdioTransport::onFinished(int code, QProcess::ExitStatus status) {
    readMessages();
    readWords();
    if (closed_) {
        return;
    }
    if (refused_ && network_ == ChildNetwork::Allowed && inNamespaces_) {
        // All that is lost is the certain end of what the server starts.
        startIn(false);
        for (const QByteArray& message : std::as_const(sent_)) {
            process_.write(message + '\n');
        }
    } else if (refused_ && inNamespaces_) {
        close(
            tr("This system does not let Hearth shut a program out of the network, so the "
               "server was not started. Allow it the network to start it all the same."));
    } else if (inNamespaces_ && (code == 126 || code == 127)) {
        close(tr("The program %1 cannot be started.").arg(command_.value(0)));
    } else if (status == QProcess::CrashExit) {
        close(tr("The server has crashed."));
    } else {
        close(tr("The server has ended (code %1).").arg(code));
    }
}

void StdioTransport::stop() {
    closed_ = true;
    process_.kill();
}

void StdioTransport::send(const QByteArray& message) {
    if (closed_ || process_.state() == QProcess::NotRunning) {
        return;
    }
    if (process_.bytesToWrite() + message.size() > kMostUnread) {
        close(tr("The server does not read what it is sent."));
        return;
    }
    process_.write(message + '\n');
    if (inNamespaces_ && sent_.size() < 4) {
        sent_.append(message);
    }
}

void StdioTransport::readMessages() {
    const QByteArray bytes = process_.readAllStandardOutput();
    lines_.push({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    while (!closed_) {
        const auto line = lines_.next();
        if (!line) {
            break;
        }
        if (!line->empty()) {
            emit received(QByteArray::fromStdString(*line));
        }
    }
    if (lines_.is_too_long()) {
        close(tr("The server sent a message that is too long."));
    }
}

void StdioTransport::readWords() {
    words_ += process_.readAllStandardError();
    qsizetype begin = 0;
    for (qsizetype end = 0; (end = words_.indexOf('\n', begin)) >= 0; begin = end + 1) {
        const QString line = QString::fromUtf8(words_.mid(begin, end - begin)).trimmed();
        refused_ = refused_ || (inNamespaces_ && isIsolationRefusal(line));
        if (!line.isEmpty() && !closed_) {
            emit said(line.left(kMostWords));
        }
    }
    words_.remove(0, begin);
    if (words_.size() > 4 * kMostWords) {
        emit said(QString::fromUtf8(words_).left(kMostWords));
        words_.clear();
    }
}

void StdioTransport::close(const QString& sentence) {
    if (!closed_) {
        stop();
        emit closed(sentence);
    }
}

QStringList commandWords(const QString& line) {
    QStringList words;
    QString word;
    bool inWord = false;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line.at(i);
        if (!quote.isNull() && c == quote) {
            quote = {};
        } else if (c == QLatin1Char('\\') && quote != QLatin1Char('\'') && i + 1 < line.size()) {
            word += line.at(++i);
            inWord = true;
        } else if (quote.isNull() && (c == QLatin1Char('"') || c == QLatin1Char('\''))) {
            quote = c;
            inWord = true;
        } else if (quote.isNull() && c.isSpace()) {
            if (std::exchange(inWord, false)) {
                words.append(std::exchange(word, {}));
            }
        } else {
            word += c;
            inWord = true;
        }
    }
    if (!quote.isNull()) {
        return {};
    }
    if (inWord) {
        words.append(word);
    }
    return words;
}

}  // namespace hearth::ui
