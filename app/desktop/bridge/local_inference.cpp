#include "bridge/local_inference.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QLoggingCategory>
#include <optional>

#include "bridge/engine_worker.h"
#include "bridge/error_text.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcEngine, "hearth.engine")

LocalInference::LocalInference(const QString& cacheFolder, QObject* parent)
    : InferenceService(parent),
      program_(QCoreApplication::applicationFilePath()),
      worker_(new EngineWorker(cacheFolder)) {
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("engine"));
    thread_.start();
    budgets_.setMaxThreadCount(1);
    // The engine may produce a thousand pieces a second; the window takes one update a frame.
    pieceTimer_.setInterval(kPiecesIntervalMs);
    pieceTimer_.setTimerType(Qt::PreciseTimer);
    connect(&pieceTimer_, &QTimer::timeout, this, &LocalInference::passPieces);
    restTimer_.setSingleShot(true);
    restTimer_.setInterval(kRestMs);
    connect(&restTimer_, &QTimer::timeout, this, [this] {
        QMetaObject::invokeMethod(worker_,
                                  [worker = worker_, task = resting_] { worker->keepPast(task); });
    });
}

void LocalInference::setRest(int ms, double leastSeconds) {
    restTimer_.setInterval(ms);
    QMetaObject::invokeMethod(
        worker_, [worker = worker_, leastSeconds] { worker->setLeastPastSeconds(leastSeconds); });
}

void LocalInference::forget(const QString& conversation) {
    QMetaObject::invokeMethod(worker_,
                              [worker = worker_, conversation] { worker->forget(conversation); });
}

LocalInference::~LocalInference() {
    cancelAll();
    budgets_.waitForDone();
    thread_.quit();
    thread_.wait();
}

bool LocalInference::shutdown(int timeoutMs) {
    ended_ = true;
    cancelAll();
    const QDeadlineTimer deadline(timeoutMs);
    const bool planned = budgets_.waitForDone(timeoutMs);
    thread_.quit();
    return thread_.wait(deadline) && planned;
}

void LocalInference::cancelAll() {
    for (const auto& task : {load_, generation_, carrying_, resting_}) {
        if (task) {
            task->cancellation.request();
        }
    }
    pieceTimer_.stop();
    restTimer_.stop();
}

void LocalInference::loadModel(const LoadOptions& options) {
    if (load_) {
        load_->cancellation.request();
    }
    for (const auto& task : {carrying_, resting_}) {
        if (task) {
            task->cancellation.request();
        }
    }
    cancel();
    load_ = std::make_shared<Task>();
    const std::shared_ptr<Task> task = load_;
    const auto progress = [this, task](double fraction) {
        QMetaObject::invokeMethod(this, [this, task, fraction] {
            if (task == load_ && !ended_) {
                emit loadProgress(fraction);
            }
        });
    };
    const auto done = [this, task](const Result<ModelSummary>& result) {
        QMetaObject::invokeMethod(this, [this, task, result] {
            if (task != load_ || ended_) {
                return;  // another load replaced it
            }
            load_.reset();
            if (result) {
                emit loaded(result.value());
            } else {
                qCWarning(lcEngine).noquote() << "load:" << logLineFor(result.error());
                emit loadFailed(sentenceFor(result.error()));
            }
        });
    };
    QMetaObject::invokeMethod(worker_, [=, this, worker = worker_, program = program_] {
        worker->load(options, program, task, progress, done);
        passReport(worker->report());
        passMap(worker->mapIfWanted(false));
    });
}

// Any thread calls this.
void LocalInference::passReport(const std::optional<EngineReport>& report) {
    if (report) {
        QMetaObject::invokeMethod(this, [this, report] {
            if (!ended_) {
                emit reported(*report);
            }
        });
    }
}

// Any thread calls this.
void LocalInference::passMap(const std::optional<MapReport>& map) {
    if (map) {
        QMetaObject::invokeMethod(this, [this, map] {
            if (!ended_) {
                emit mapped(*map);
            }
        });
    }
}

void LocalInference::watchMap(bool wanted) {
    worker_->watchMap(wanted);
    if (wanted) {
        QMetaObject::invokeMethod(
            worker_, [this, worker = worker_] { passMap(worker->mapIfWanted(false)); });
    }
}

void LocalInference::setMapInterval(int ms) {
    worker_->setMapInterval(ms);
}

void LocalInference::setBudget(const BudgetRequest& budget) {
    if (resting_) {
        resting_->cancellation.request();
    }
    const auto carried = std::make_shared<Task>();
    carrying_ = carried;
    const auto answer = [this, id = budget.id](const Result<void>& result) {
        QMetaObject::invokeMethod(this, [this, id, result] {
            if (ended_) {
                return;
            }
            if (result) {
                emit budgetSet(id);
            } else {
                qCWarning(lcEngine).noquote() << "budget:" << logLineFor(result.error());
                emit budgetRefused(id, sentenceForBudget(result.error()));
            }
        });
    };
    budgets_.start([this, worker = worker_, budget, carried, answer] {
        const Result<void> result = worker->setBudget(budget);
        answer(result);
        if (!result) {
            return;
        }
        // Queued behind a running answer, which carries the budget out itself.
        QMetaObject::invokeMethod(worker, [this, worker, carried, answer] {
            const Result<void> done = worker->carryOutBudget(carried);
            if (!done && done.error().code != ErrorCode::Cancelled) {
                answer(done);
            }
            passReport(worker->report());
            passMap(worker->mapIfWanted(false));
        });
    });
}

void LocalInference::unloadModel() {
    cancelAll();
    load_.reset();
    QMetaObject::invokeMethod(worker_, [worker = worker_] { worker->unload(); });
}

void LocalInference::generate(quint64 requestId, const QList<ChatTurn>& turns,
                              const GenerationSettings& settings) {
    Q_ASSERT(!generation_);
    if (resting_) {
        resting_->cancellation.request();
    }
    generation_ = std::make_shared<Task>();
    resting_ = std::make_shared<Task>();
    buffer_ = std::make_shared<PieceBuffer>();
    requestId_ = requestId;
    restTimer_.stop();
    pieceTimer_.start();
    QMetaObject::invokeMethod(worker_, [this, worker = worker_, turns, settings, task = generation_,
                                        buffer = buffer_, resting = resting_] {
        const auto result = worker->generate(
            turns, settings, task, buffer,
            [this](const EngineReport& report) { passReport(report); },
            [this](const MapReport& map) { passMap(map); });
        passReport(worker->report());
        passMap(worker->mapIfWanted(false));
        QMetaObject::invokeMethod(this, [this, result] {
            if (ended_) {
                return;
            }
            passPieces();
            pieceTimer_.stop();
            generation_.reset();
            buffer_.reset();
            restTimer_.start();
            const quint64 id = requestId_;
            if (result) {
                emit finished(id, result.value());
            } else {
                qCWarning(lcEngine).noquote() << "chat:" << logLineFor(result.error());
                emit failed(id, sentenceFor(result.error()));
            }
        });
        worker->idle(resting);
        passMap(worker->mapIfWanted(false));  // experts may have moved
    });
}

void LocalInference::cancel() {
    if (generation_) {
        generation_->cancellation.request();
    }
}

void LocalInference::passPieces() {
    if (!buffer_) {
        return;
    }
    const QString text = buffer_->take();
    if (!text.isEmpty()) {
        emit pieces(requestId_, text);
    }
}

}  // namespace hearth::ui
