#include "conversation/message_list_model.h"

#include <QLocale>
#include <algorithm>
#include <utility>

#include "conversation/call_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

// A message that has ended keeps its text: id and state tell whether a row stays.
bool sameRow(const Message& a, const Message& b) {
    return a.id == b.id && a.state == b.state;
}

bool isAnswer(const Message& message) {
    return message.role == MessageRole::Assistant;
}

QString withModel(const ReplyStats& stats) {
    const QString figures = statsText(stats);
    return stats.model.isEmpty() || figures.isEmpty()
               ? stats.model + figures
               : stats.model + QStringLiteral(" · ") + figures;
}

bool isContinuable(const Message& message) {
    if (!isAnswer(message) || message.content.isEmpty()) {
        return false;
    }
    switch (message.state) {
        case MessageState::Stopped:
        case MessageState::Failed:
        case MessageState::Interrupted:
            return true;
        case MessageState::Complete:
            return message.stats.isCut;
        case MessageState::Generating:
        case MessageState::Waiting:
            break;
    }
    return false;
}

bool isFolded(const Message& message) {
    return message.role == MessageRole::User && foldedLength(message.content) >= 0;
}

}  // namespace

QString statsText(const ReplyStats& stats) {
    const QLocale locale = windowLocale();
    QStringList parts;
    if (stats.tokensPerSecond > 0) {
        parts << MessageListModel::tr("%1 tokens/s")
                     .arg(locale.toString(stats.tokensPerSecond, 'f',
                                          stats.tokensPerSecond < 10 ? 1 : 0));
    }
    if (stats.firstTokenMs > 0) {
        parts << (stats.firstTokenMs < 100
                      ? MessageListModel::tr("first token %1 ms")
                            .arg(locale.toString(std::max(1.0, stats.firstTokenMs), 'f', 0))
                      : MessageListModel::tr("first token %1 s")
                            .arg(locale.toString(stats.firstTokenMs / 1000, 'f', 2)));
    }
    if (!stats.device.isEmpty()) {
        parts << stats.device;
    }
    if (!stats.experts.isEmpty()) {
        parts << MessageListModel::tr("experts: %1").arg(stats.experts);
    }
    if (stats.tokenCount > 0) {
        parts << MessageListModel::tr("%Ln tokens", nullptr, stats.tokenCount);
    }
    return parts.join(QStringLiteral(" · "));
}

int MessageListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant MessageListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const Row& row = rows_.at(index.row());
    const Message& message = row.message;
    switch (role) {
        case MessageIdRole:
            return message.id;
        case RoleRole:
            return toString(message.role);
        case BlocksRole:
            return QVariant::fromValue(blocksOf(row));
        case Qt::DisplayRole:
        case TextRole:
            return message.content;
        case AnswerRole:
            return row.reasoning.answer(message.content).toString();
        case ThoughtRole:
            return thoughtState(row);
        case ThoughtShownRole:
            return row.thoughtBlocks != nullptr;
        case ThoughtBlocksRole:
            return QVariant::fromValue(row.thoughtBlocks);
        case StateRole:
            return toString(message.state);
        case ErrorTextRole:
            return message.errorText;
        case VersionIndexRole:
            return message.versionIndex;
        case VersionCountRole:
            return message.versionCount;
        case StatsRole:
            return withModel(message.stats);
        case TokensPerSecondRole:
            return message.stats.tokensPerSecond;
        case FirstTokenMsRole:
            return message.stats.firstTokenMs;
        case TokenCountRole:
            return message.stats.tokenCount;
        case CallsRole: {
            QVariantList calls;
            for (const CallRecord& call : message.calls) {
                calls.append(callWords(call));
            }
            return calls;
        }
        case FoldedRole:
            return isFolded(message) ? describeSize(message.content) : QString();
        case ContinuableRole:
            return isContinuable(message);
        case ReadsFromHereRole:
            return message.id == readsFrom_;
        default:
            return {};
    }
}

QHash<int, QByteArray> MessageListModel::roleNames() const {
    return {{MessageIdRole, "messageId"},
            {RoleRole, "role"},
            {BlocksRole, "blocks"},
            {TextRole, "text"},
            {AnswerRole, "answer"},
            {ThoughtRole, "thought"},
            {ThoughtShownRole, "thoughtShown"},
            {ThoughtBlocksRole, "thoughtBlocks"},
            {StateRole, "state"},
            {ErrorTextRole, "errorText"},
            {VersionIndexRole, "versionIndex"},
            {VersionCountRole, "versionCount"},
            {StatsRole, "stats"},
            {TokensPerSecondRole, "tokensPerSecond"},
            {FirstTokenMsRole, "firstTokenMs"},
            {TokenCountRole, "tokenCount"},
            {CallsRole, "calls"},
            {FoldedRole, "folded"},
            {ContinuableRole, "continuable"},
            {ReadsFromHereRole, "readsFromHere"}};
}

int MessageListModel::indexOf(qint64 messageId) const {
    // Searched from the end: mostly the latest message is asked for.
    for (int row = count() - 1; row >= 0; --row) {
        if (rows_.at(row).message.id == messageId) {
            return row;
        }
    }
    return -1;
}

const Message* MessageListModel::find(qint64 messageId) const {
    const int row = indexOf(messageId);
    return row < 0 ? nullptr : &rows_.at(row).message;
}

QList<Message> MessageListModel::messages() const {
    QList<Message> messages;
    for (const Row& row : rows_) {
        messages.append(row.message);
    }
    return messages;
}

void MessageListModel::setMessages(const QList<Message>& messages) {
    int same = 0;
    while (same < count() && same < messages.size() &&
           sameRow(rows_.at(same).message, messages.at(same))) {
        ++same;
    }
    for (int row = 0; row < same; ++row) {
        Message& shown = rows_[row].message;
        const Message& wanted = messages.at(row);
        if (shown.versionCount != wanted.versionCount ||
            shown.versionIndex != wanted.versionIndex) {
            shown.versionIndex = wanted.versionIndex;
            shown.versionCount = wanted.versionCount;
            changed(row, {VersionIndexRole, VersionCountRole});
        }
    }
    dropRows(same);
    if (same < messages.size()) {
        beginInsertRows({}, same, static_cast<int>(messages.size()) - 1);
        for (qsizetype row = same; row < messages.size(); ++row) {
            rows_.append(rowOf(messages.at(row)));
        }
        endInsertRows();
        emit countChanged();
    }
    showWhereReadingBegins();
}

void MessageListModel::prepend(const QList<Message>& messages) {
    if (messages.isEmpty()) {
        return;
    }
    QList<Row> rows;
    rows.reserve(messages.size() + rows_.size());
    for (const Message& message : messages) {
        rows.append(rowOf(message));
    }
    beginInsertRows({}, 0, static_cast<int>(messages.size()) - 1);
    rows_ = rows + rows_;
    endInsertRows();
    emit countChanged();
}

// The last answer that has ended knows it: one that is being written does not yet.
void MessageListModel::showWhereReadingBegins() {
    qint64 wanted = kNoId;
    for (auto row = rows_.crbegin(); row != rows_.crend(); ++row) {
        const Message& message = row->message;
        if (isAnswer(message) && message.state != MessageState::Generating &&
            message.state != MessageState::Waiting && !message.stats.model.isEmpty()) {
            wanted = message.stats.readsFrom;
            break;
        }
    }
    const qint64 former = std::exchange(readsFrom_, wanted);
    if (former == wanted) {
        return;
    }
    for (const qint64 id : {former, wanted}) {
        if (const int row = id == kNoId ? -1 : indexOf(id); row >= 0) {
            changed(row, {ReadsFromHereRole});
        }
    }
}

void MessageListModel::appendText(qint64 messageId, const QString& text) {
    const int row = indexOf(messageId);
    if (row < 0 || text.isEmpty()) {
        return;
    }
    Row& grown = rows_[row];
    QList<int> roles = {TextRole, Qt::DisplayRole, AnswerRole};
    const QString formerThought = thoughtState(grown);
    const qsizetype formerBegin = grown.reasoning.answerBegin();
    const qsizetype formerSize = grown.message.content.size();
    grown.message.content += text;
    if (isAnswer(grown.message)) {
        grown.reasoning.follow(grown.message.content, false);
    }
    showAnswer(grown, formerBegin, formerSize);
    showMoreThought(grown);
    if (thoughtState(grown) != formerThought) {
        roles << ThoughtRole;
    }
    changed(row, roles);
}

void MessageListModel::showThought(qint64 messageId, bool shown) {
    const int row = indexOf(messageId);
    if (row < 0 || shown == (rows_.at(row).thoughtBlocks != nullptr)) {
        return;
    }
    Row& wanted = rows_[row];
    BlockListModel* former = std::exchange(wanted.thoughtBlocks, nullptr);
    if (shown) {
        wanted.thoughtBlocks = new BlockListModel(this);
        wanted.thoughtSize = 0;
        showMoreThought(wanted);
    }
    changed(row, {ThoughtShownRole, ThoughtBlocksRole});
    if (former != nullptr) {
        former->deleteLater();  // a delegate may be using it until the event loop turns
    }
}

void MessageListModel::setCalls(qint64 messageId, const QList<CallRecord>& calls) {
    const int row = indexOf(messageId);
    if (row >= 0 && rows_.at(row).message.calls != calls) {
        rows_[row].message.calls = calls;
        changed(row, {CallsRole});
    }
}

void MessageListModel::setResult(qint64 messageId, MessageState state, const QString& errorText,
                                 const ReplyStats& stats) {
    const int row = indexOf(messageId);
    if (row < 0) {
        return;
    }
    Row& ended = rows_[row];
    Message& message = ended.message;
    message.state = state;
    message.errorText = errorText;
    message.stats = stats;
    if (isAnswer(message)) {
        const qsizetype formerBegin = ended.reasoning.answerBegin();
        ended.reasoning.follow(message.content, true);
        showAnswer(ended, formerBegin, message.content.size());
        showMoreThought(ended);
    }
    if (ended.blocks != nullptr) {
        ended.blocks->finish();
    }
    changed(row, {StateRole, ErrorTextRole, StatsRole, TokensPerSecondRole, FirstTokenMsRole,
                  TokenCountRole, AnswerRole, ThoughtRole, ContinuableRole});
    showWhereReadingBegins();
}

MessageListModel::Row MessageListModel::rowOf(const Message& message) {
    Row row;
    row.message = message;
    if (isAnswer(message)) {
        row.reasoning.follow(message.content, message.state != MessageState::Generating);
    }
    return row;
}

QString MessageListModel::thoughtState(const Row& row) {
    if (row.message.state == MessageState::Generating && row.reasoning.isOpen()) {
        return QStringLiteral("open");
    }
    return row.reasoning.thought(row.message.content).isEmpty() ? QString()
                                                                : QStringLiteral("done");
}

// The text has grown, or where the answer in it begins is known only now.
void MessageListModel::showAnswer(Row& row, qsizetype formerBegin, qsizetype formerSize) {
    if (row.blocks == nullptr) {
        return;
    }
    const QString& text = row.message.content;
    const qsizetype begin = row.reasoning.answerBegin();
    if (begin == formerBegin) {
        row.blocks->append(text.mid(formerSize));
    } else if (formerBegin == formerSize) {  // nothing of it was shown
        row.blocks->append(text.mid(begin));
    } else {
        row.blocks->setText(text.mid(begin), false);
    }
}

void MessageListModel::showMoreThought(Row& row) {
    if (row.thoughtBlocks == nullptr) {
        return;
    }
    const QStringView thought = row.reasoning.thought(row.message.content);
    row.thoughtBlocks->append(thought.mid(row.thoughtSize).toString());
    row.thoughtSize = thought.size();
    if (thoughtState(row) != QLatin1String("open")) {
        row.thoughtBlocks->finish();
    }
}

BlockListModel* MessageListModel::blocksOf(const Row& row) const {
    if (row.blocks == nullptr) {  // created when first shown: long conversations open fast
        row.blocks = new BlockListModel(const_cast<MessageListModel*>(this));
        const QString text = isFolded(row.message)
                                 ? row.message.content.left(foldedLength(row.message.content))
                                 : row.reasoning.answer(row.message.content).toString();
        row.blocks->setText(text, row.message.state != MessageState::Generating);
    }
    return row.blocks;
}

void MessageListModel::changed(int row, const QList<int>& roles) {
    emit dataChanged(index(row), index(row), roles);
}

void MessageListModel::dropRows(int from) {
    if (from >= count()) {
        return;
    }
    beginRemoveRows({}, from, count() - 1);
    QList<Row> dropped = rows_.mid(from);
    rows_.remove(from, count() - from);
    endRemoveRows();
    for (const Row& row : dropped) {
        if (row.blocks != nullptr) {
            row.blocks->deleteLater();  // a delegate may be using it until the event loop turns
        }
        if (row.thoughtBlocks != nullptr) {
            row.thoughtBlocks->deleteLater();
        }
    }
    emit countChanged();
}

}  // namespace hearth::ui
