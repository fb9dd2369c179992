#include "conversation/chat_search.h"

#include <functional>
#include <utility>

#include "conversation/chats.h"

namespace hearth::ui {

namespace {

constexpr int kRestMs = 1500;

}  // namespace

// Lives on the search's thread. Callbacks are called there.
class SearchWorker : public QObject {
public:
    using Progress = std::function<void(double share, const QString& problem)>;
    static constexpr quint64 kClosing = ~quint64{0};  // the number of no question

    SearchWorker(QString folder, bool mayWrite, std::shared_ptr<std::atomic<quint64>> latest,
                 Progress progress)
        : folder_(std::move(folder)),
          mayWrite_(mayWrite),
          latest_(std::move(latest)),
          progress_(std::move(progress)) {}

    // One step now, the next ones after what else waits on this thread.
    void catchUp() {
        if (stepping_ || !open()) {
            return;
        }
        stepping_ = true;
        stepOn();
    }

    QList<SearchHit> find(quint64 number, const QString& query, qint64 project) {
        if (*latest_ != number || !open()) {
            return {};
        }
        return index_->find(query, ChatSearch::kMostHits, project,
                            [&] { return *latest_ != number; });
    }

    void reopen(qint64 messageId, const QString& former) {
        if (open()) {
            index_->reopen(messageId, former);
        }
    }

    void close() { index_.reset(); }

private:
    bool open() {
        if (!index_) {
            auto index = std::make_unique<SearchIndex>();
            if (!index->open(folder_, mayWrite_)) {
                progress_(0, index->problem());
                return false;
            }
            index_ = std::move(index);
            progress_(index_->share(), {});
        }
        return true;
    }

    void stepOn() {
        const bool more = index_ && *latest_ != kClosing && index_->step();
        if (index_) {
            progress_(index_->share(), index_->problem());
        }
        stepping_ = more;
        if (more) {
            QMetaObject::invokeMethod(
                this, [this] { stepOn(); }, Qt::QueuedConnection);
        }
    }

    const QString folder_;
    const bool mayWrite_;
    const std::shared_ptr<std::atomic<quint64>> latest_;
    const Progress progress_;
    std::unique_ptr<SearchIndex> index_;
    bool stepping_ = false;
};

ChatSearch::ChatSearch(ConversationStore& store, Chats& chats, QObject* parent)
    : QObject(parent), store_(store), latest_(std::make_shared<std::atomic<quint64>>(0)) {
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &ChatSearch::catchUp);
    if (store_.mode() == ConversationStore::Mode::Memory || store_.folder().isEmpty()) {
        problem_ = tr("Chats cannot be searched while their folder cannot be written.");
        return;
    }
    worker_ = std::make_unique<SearchWorker>(
        store_.folder(), !store_.readOnly(), latest_, [this](double share, const QString& problem) {
            QMetaObject::invokeMethod(
                this,
                [this, share, problem] {
                    const bool further = share > share_;
                    share_ = share;
                    problem_ = problem;
                    if (further && share >= 1 && !query_.isEmpty()) {
                        ask();  // there may be more hits now
                    }
                    tell();
                },
                Qt::QueuedConnection);
        });
    worker_->moveToThread(&thread_);
    // Each of them follows a change on the disk.
    const auto touch = [this] { rest_.start(); };
    connect(chats.conversations(), &QAbstractItemModel::rowsInserted, this, touch);
    connect(chats.conversations(), &QAbstractItemModel::rowsRemoved, this, touch);
    connect(chats.conversations(), &QAbstractItemModel::dataChanged, this, touch);
    rest_.start();
}

ChatSearch::~ChatSearch() {
    close();
}

void ChatSearch::close() {
    rest_.stop();
    *latest_ = SearchWorker::kClosing;
    if (thread_.isRunning()) {
        QMetaObject::invokeMethod(
            worker_.get(),
            [worker = worker_.get()] {
                worker->close();  // its connections belong to that thread
                QThread::currentThread()->quit();
            },
            Qt::QueuedConnection);
        thread_.wait();
    }
    worker_.reset();
}

void ChatSearch::catchUp() {
    if (worker_) {
        thread_.start(QThread::LowestPriority);
        QMetaObject::invokeMethod(
            worker_.get(), [worker = worker_.get()] { worker->catchUp(); }, Qt::QueuedConnection);
    }
}

void ChatSearch::reopen(qint64 messageId, const QString& former) {
    if (worker_) {
        thread_.start(QThread::LowestPriority);
        QMetaObject::invokeMethod(
            worker_.get(),
            [worker = worker_.get(), messageId, former] { worker->reopen(messageId, former); },
            Qt::QueuedConnection);
    }
}

void ChatSearch::setQuery(const QString& query) {
    if (query == query_) {
        return;
    }
    query_ = query;
    emit queryChanged();
    begin();
}

void ChatSearch::setProject(qint64 id) {
    if (id != project_) {
        project_ = id;
        emit projectChanged();
        begin();
    }
}

void ChatSearch::begin() {
    if (searchWords(query_).isEmpty()) {
        ++*latest_;
        answered_ = true;
        hits_.setHits({});
        tell();
    } else {
        ask();
    }
}

void ChatSearch::ask() {
    if (!worker_) {
        tell();
        return;
    }
    answered_ = false;
    const quint64 number = ++*latest_;
    catchUp();
    QMetaObject::invokeMethod(
        worker_.get(),
        [this, worker = worker_.get(), number, query = query_, project = project_] {
            const QList<SearchHit> hits = worker->find(number, query, project);
            QMetaObject::invokeMethod(
                this, [this, number, hits] { show(number, hits); }, Qt::QueuedConnection);
        },
        Qt::QueuedConnection);
}

void ChatSearch::show(quint64 number, const QList<SearchHit>& hits) {
    if (number == *latest_) {  // else a later question was asked
        answered_ = true;
        hits_.setHits(hits);
        tell();
    }
}

QString ChatSearch::says() const {
    if (query_.trimmed().isEmpty()) {
        return {};
    }
    if (!problem_.isEmpty()) {
        return problem_;
    }
    if (share_ < 1 && worker_) {
        return tr("%1 % of the messages are searched so far.").arg(static_cast<int>(100 * share_));
    }
    if (answered_ && hits_.count() == 0) {
        return project_ == kNoId ? tr("No message has these words.")
                                 : tr("No message of this project has these words.");
    }
    return hits_.count() == kMostHits
               ? tr("The latest %1. Type more to find earlier ones.").arg(kMostHits)
               : QString();
}

void ChatSearch::tell() {
    const QString said = says();
    if (said != told_) {
        told_ = said;
        emit saysChanged();
    }
}

}  // namespace hearth::ui
