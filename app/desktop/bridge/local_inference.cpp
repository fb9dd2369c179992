#include "bridge/local_inference.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QLoggingCategory>
#include <optional>

#include "bridge/engine_turns.h"
#include "bridge/engine_worker.h"
#include "bridge/error_text.h"
#include "bridge/served_engine.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcEngine, "hearth.engine")

LocalInference::LocalInference(const QString& cacheFolder, QObject* parent)
    : InferenceService(parent),
      program_(QCoreApplication::applicationFilePath()),
      worker_(new EngineWorker(
          cacheFolder, {.reported = [this](const EngineReport& report) { passReport(report); },
                        .mapped = [this](const MapReport& map) { passMap(map); }})),
      turns_(std::make_unique<EngineTurns>([this] {
          QMetaObject::invokeMethod(
              worker_, [this] { takeTurn(); }, Qt::QueuedConnection);
      })),
      served_(std::make_unique<ServedEngine>(*worker_)) {
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
        QMetaObject::invokeMethod(
            worker_, [worker = worker_, rest = turns_->rest()] { worker->keepPast(*rest); });
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
    for (const auto& task : {load_, generation_, carrying_}) {
        if (task) {
            task->cancellation.request();
        }
    }
    turns_->endRest();
    worker_->endKeeping();
    served_->refuse("Hearth has no model loaded", false);
    pieceTimer_.stop();
    restTimer_.stop();
}

void LocalInference::loadModel(const LoadOptions& options) {
    if (load_) {
        load_->cancellation.request();
    }
    if (carrying_) {
        carrying_->cancellation.request();
    }
    turns_->endRest();
    worker_->endKeeping();
    cancel();
    const std::uint64_t number = served_->refuse("Hearth loads a model", true);
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
        const auto result = worker->load(options, program, task, progress);
        if (result) {
            served_->serve(number, worker->served());
        } else {
            served_->serve(number, {.why_not = "Hearth could not load its model"});
        }
        done(result);
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
    turns_->endRest();
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
            passMap(worker->mapIfWanted(false));
            passReport(worker->report());  // last: nothing comes of this budget any more
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
    generation_ = std::make_shared<Task>();
    buffer_ = std::make_shared<PieceBuffer>();
    requestId_ = requestId;
    restTimer_.stop();
    pieceTimer_.start();
    turns_->addWindow([this, turns, settings, task = generation_, buffer = buffer_] {
        answerWindow(turns, settings, task, buffer);
    });
}

// The engine's thread, as the next.
void LocalInference::answerWindow(const QList<ChatTurn>& turns, const GenerationSettings& settings,
                                  const std::shared_ptr<Task>& task,
                                  const std::shared_ptr<PieceBuffer>& buffer) {
    const auto result = worker_->generate(turns, settings, task, buffer);
    passReport(worker_->report());
    passMap(worker_->mapIfWanted(false));
    endAnswer([this, result](quint64 id) {
        if (result) {
            emit finished(id, result.value());
        } else {
            qCWarning(lcEngine).noquote() << "chat:" << logLineFor(result.error());
            emit failed(id, sentenceFor(result.error()));
        }
    });
}

// Any thread. tell: called on the window's, behind the answer's last piece.
void LocalInference::endAnswer(const std::function<void(quint64 id)>& tell) {
    QMetaObject::invokeMethod(
        this,
        [this, tell] {
            if (ended_) {
                return;
            }
            passPieces();
            pieceTimer_.stop();
            generation_.reset();
            buffer_.reset();
            restTimer_.start();
            tell(requestId_);
        },
        Qt::QueuedConnection);
}

void LocalInference::takeTurn() {
    if (!turns_->takeTurn()) {
        return;  // whoever asked has left
    }
    worker_->keepCounts();
    worker_->keepPastOfAnswer();
    // Behind what has come meanwhile: a load, a budget.
    QMetaObject::invokeMethod(
        worker_,
        [this, rest = turns_->rest()] {
            if (!rest->requested()) {
                worker_->idle(*rest);
                passMap(worker_->mapIfWanted(false));  // experts may have moved
            }
        },
        Qt::QueuedConnection);
}

void LocalInference::cancel() {
    if (!generation_) {
        return;
    }
    generation_->cancellation.request();
    if (turns_->forgetWindow()) {  // it would have to wait for another program's answer
        GenerationSummary none;
        none.finish = GenerationSummary::Finish::Cancelled;
        endAnswer([this, none](quint64 id) { emit finished(id, none); });
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
