// A local API without a server: a test says what becomes of it.
#pragma once

#include <QList>
#include <QStringList>
#include <utility>

#include "bridge/serving_service.h"

namespace hearth::ui {

class FakeServing : public ServingService {
    Q_OBJECT

public:
    using ServingService::ServingService;

    // The next starts fail with this sentence; empty: they succeed.
    void setStartError(const QString& sentence) { startError_ = sentence; }
    void setHasRandom(bool has) { hasRandom_ = has; }
    // The calls so far: "start 8080 TOKEN", "stop", "token TOKEN", "stopAnswer".
    QStringList calls() const { return calls_; }

    QByteArray newToken() override {
        return hasRandom_ ? "token-of-a-test-number-" + QByteArray::number(++tokens_)
                          : QByteArray();
    }
    void start(quint16 port, const QByteArray& token) override {
        calls_ << QStringLiteral("start %1 %2").arg(port).arg(QString::fromLatin1(token));
        port_ = port;
        starts_ = true;
        QMetaObject::invokeMethod(this, &FakeServing::answerStart, Qt::QueuedConnection);
    }
    void stop() override {
        calls_ << QStringLiteral("stop");
        starts_ = false;
        QMetaObject::invokeMethod(this, &ServingService::stopped, Qt::QueuedConnection);
    }
    void setToken(const QByteArray& token) override {
        calls_ << QStringLiteral("token ") + QString::fromLatin1(token);
    }
    void stopAnswer() override { calls_ << QStringLiteral("stopAnswer"); }
    bool shutdown(int) override { return true; }

private:
    // As the real one answers the latest start alone.
    void answerStart() {
        if (!std::exchange(starts_, false)) {
            return;
        }
        if (startError_.isEmpty()) {
            emit started(port_);
        } else {
            emit failed(startError_);
        }
    }

    QString startError_;
    bool starts_ = false;
    bool hasRandom_ = true;
    int tokens_ = 0;
    quint16 port_ = 0;
    QStringList calls_;
};

}  // namespace hearth::ui
