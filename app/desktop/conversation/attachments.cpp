#include "conversation/attachments.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QMimeData>
#include <algorithm>

#include "conversation/chats.h"
#include "status/active_model.h"
#include "store/conversation_store.h"

namespace hearth::ui {

namespace {

constexpr int kSweepMs = 1000;  // after the last change
constexpr int kUsualContext = 4096;
constexpr int kMostSearched = 4000;  // tokens

QString folderOf(const ConversationStore& store) {
    return store.folder().isEmpty() ? QString()
                                    : QDir(store.folder()).filePath(QStringLiteral("documents"));
}

QString wordFor(const QString& kind) {
    switch (documentKindFromString(kind)) {
        case DocumentKind::Text:
            return Attachments::tr("Text");
        case DocumentKind::Code:
            return Attachments::tr("Code");
        case DocumentKind::Markdown:
            return QStringLiteral("Markdown");
        case DocumentKind::Pdf:
            return QStringLiteral("PDF");
        case DocumentKind::Docx:
            return QStringLiteral("docx");
        case DocumentKind::Odt:
            return QStringLiteral("odt");
    }
    return {};
}

QString grouped(int number) {
    return QLocale(QLocale::English).toString(number);
}

}  // namespace

Attachments::Attachments(ConversationStore& store, Chats& chats, ActiveModel& model,
                         QObject* parent)
    : QObject(parent),
      store_(store),
      chats_(chats),
      model_(model),
      ownFolder_(store.isInMemory() ? std::make_unique<QTemporaryDir>() : nullptr),
      desk_(ownFolder_ ? DocumentShelf(ownFolder_->path(), folderOf(store))
                       : DocumentShelf(folderOf(store))),
      page_(desk_),
      projectFiles_({store, chats, model, desk_, page_,
                     [this](const Attachment& file) { return describe(file); }}) {
    connect(&projectFiles_, &ProjectFiles::dropped, this, &Attachments::sweepSoon);
    sweepTimer_.setSingleShot(true);
    sweepTimer_.setInterval(kSweepMs);
    connect(&sweepTimer_, &QTimer::timeout, this, &Attachments::sweep);
    connect(&chats_, &Chats::currentChanged, this, [this] {
        draftOf(chats_.currentId());
        emit pendingChanged();
    });
    connect(&chats_, &Chats::undoChanged, this, &Attachments::sweepSoon);  // purged, perhaps
    connect(&model_, &ActiveModel::loaded, this, &Attachments::recount);
    draftOf(chats_.currentId());
    sweepSoon();
}

Attachments::~Attachments() {
    close();
}

void Attachments::close() {
    sweepTimer_.stop();
    projectFiles_.close();
    desk_.close();
}

// ---- the draft ---------------------------------------------------------------------------------

QList<Attachments::Pending> Attachments::stored(qint64 conversationId) {
    QList<Pending> list;
    for (const Attachment& attachment : store_.draftAttachments(conversationId)) {
        list.append({attachment, {}, 0, nullptr});
    }
    return list;
}

QList<Attachments::Pending>& Attachments::draftOf(qint64 conversationId) {
    auto draft = drafts_.find(conversationId);
    if (draft == drafts_.end()) {
        draft = drafts_.insert(conversationId, stored(conversationId));
    }
    return *draft;
}

QVariantList Attachments::pending() const {
    QVariantList list;
    for (const Pending& pending : drafts_.value(chats_.currentId())) {
        const bool failed = !pending.problem.isEmpty();
        list.append(QVariantMap{
            {QStringLiteral("name"), pending.attachment.name},
            {QStringLiteral("says"), failed                ? pending.problem
                                     : pending.isReading() ? tr("being read…")
                                                           : describe(pending.attachment)},
            {QStringLiteral("failed"), failed},
            {QStringLiteral("ready"), !failed && !pending.isReading()}});
    }
    return list;
}

bool Attachments::reading() const {
    const QList<Pending> draft = drafts_.value(chats_.currentId());
    return std::any_of(draft.begin(), draft.end(),
                       [](const Pending& pending) { return pending.isReading(); });
}

void Attachments::attach(const QStringList& paths) {
    if (paths.isEmpty() || !chats_.mayWrite()) {
        return;
    }
    for (const QString& path : paths) {
        attachOne(path);
    }
    emit pendingChanged();
}

void Attachments::attachOne(const QString& path) {
    const qint64 conversation = chats_.currentId();
    QList<Pending>& draft = draftOf(conversation);
    Pending pending;
    pending.attachment.name = QFileInfo(path).fileName();
    pending.ticket = ++tickets_;
    if (draft.size() >= kMostFiles) {
        if (draft.size() == kMostFiles) {
            pending.problem = tr("Not attached: a message takes %1 files at most.").arg(kMostFiles);
            draft.append(pending);
        }
        return;
    }
    ++readings_;
    pending.unwanted =
        desk_.read(path, model_.isReady() ? model_.path() : QString(),
                   [this, conversation, ticket = pending.ticket](const ReadFile& file) {
                       readDone(conversation, ticket, file);
                   });
    draft.append(pending);
}

void Attachments::readDone(qint64 conversationId, quint64 ticket, const ReadFile& file) {
    --readings_;
    QList<Pending>& draft = draftOf(conversationId);
    const auto pending = std::find_if(draft.begin(), draft.end(),
                                      [&](const Pending& one) { return one.ticket == ticket; });
    if (pending == draft.end()) {
        sweepSoon();  // it was removed meanwhile
        return;
    }
    Attachment& attachment = pending->attachment;
    pending->problem = file.problem;
    if (file.problem.isEmpty()) {
        attachment.kind = toString(file.kind);
        attachment.hash = file.hash;
        attachment.bytes = file.bytes;
        attachment.characters = file.characters;
        attachment.cut = file.cut;
        attachment.tokens = file.tokens.tokens;
        attachment.tokensExact = file.tokens.isExact;
        const auto id = store_.addDraftAttachment(conversationId, attachment);
        if (chats_.written(id.has_value(), tr("%1 was not attached.").arg(attachment.name))) {
            attachment.id = *id;
        } else {
            draft.erase(pending);
            sweepSoon();
        }
    }
    emit pendingChanged();
}

void Attachments::attachUrls(const QList<QUrl>& urls) {
    QStringList paths;
    for (const QUrl& url : urls) {
        if (url.isLocalFile()) {
            paths.append(url.toLocalFile());
        }
    }
    attach(paths);
}

bool Attachments::paste() {
    const QMimeData* data = QGuiApplication::clipboard()->mimeData();
    if (data == nullptr || !data->hasUrls() || chats_.readOnly()) {
        return false;
    }
    QList<QUrl> files;
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile() && QFileInfo::exists(url.toLocalFile())) {
            files.append(url);
        }
    }
    attachUrls(files);
    return !files.isEmpty();
}

void Attachments::remove(int index) {
    QList<Pending>& draft = draftOf(chats_.currentId());
    if (index < 0 || index >= draft.size()) {
        return;
    }
    const qint64 id = draft[index].attachment.id;
    if (draft[index].unwanted) {
        *draft[index].unwanted = true;
    }
    if (id != kNoId &&
        !chats_.written(store_.removeDraftAttachment(id),
                        tr("%1 is still attached.").arg(draft[index].attachment.name))) {
        return;
    }
    draft.removeAt(index);
    sweepSoon();
    emit pendingChanged();
}

void Attachments::look(int index) {
    const QList<Pending> draft = drafts_.value(chats_.currentId());
    if (index >= 0 && index < draft.size() && draft[index].attachment.id != kNoId) {
        page_.show(draft[index].attachment.name, draft[index].attachment.hash, {}, 0);
    }
}

// Another model cuts a text into other tokens.
void Attachments::recount() {
    for (auto draft = drafts_.begin(); draft != drafts_.end(); ++draft) {
        for (const Pending& pending : *draft) {
            const qint64 id = pending.attachment.id;
            if (id == kNoId) {
                continue;
            }
            desk_.count(pending.attachment.hash, model_.path(),
                        [this, id, conversation = draft.key()](const TokenCount& count) {
                            store_.setTokens(id, count.tokens, count.isExact);
                            for (Pending& one : draftOf(conversation)) {
                                if (one.attachment.id == id) {
                                    one.attachment.tokens = count.tokens;
                                    one.attachment.tokensExact = count.isExact;
                                }
                            }
                            emit pendingChanged();
                        });
        }
    }
}

void Attachments::refresh() {
    for (auto draft = drafts_.begin(); draft != drafts_.end(); ++draft) {
        QList<Pending> now = stored(draft.key());
        for (const Pending& pending : *draft) {
            if (pending.isReading()) {
                now.append(pending);
            }
        }
        *draft = now;
    }
    ofChat_.known = false;
    ++revision_;
    emit pendingChanged();
    emit revisionChanged();
}

// ---- what was sent -----------------------------------------------------------------------------

QString Attachments::describe(const Attachment& attachment) const {
    const QString tokens = attachment.tokensExact
                               ? tr("%1 tokens").arg(grouped(attachment.tokens))
                               : tr("about %1 tokens").arg(grouped(attachment.tokens));
    const bool searched = attachment.use == Attachment::Use::Undecided
                              ? attachment.tokens > mostWhole()
                              : attachment.use == Attachment::Use::Passages;
    QString says = wordFor(attachment.kind) + QStringLiteral(", ") + tokens;
    if (attachment.cut) {
        says += tr(", only its beginning is read");
    }
    return searched ? tr("%1, too long to go in whole: its passages are searched").arg(says) : says;
}

const Attachments::OfChat& Attachments::ofChat() {
    if (!ofChat_.known || ofChat_.conversationId != chats_.currentId()) {
        ofChat_ = {};
        ofChat_.known = true;
        ofChat_.conversationId = chats_.currentId();
        if (ofChat_.conversationId != kNoId) {
            for (const Attachment& attachment : store_.attachmentsIn(ofChat_.conversationId)) {
                ofChat_.byQuestion[attachment.messageId].append(attachment);
            }
            ofChat_.ofProject = store_.usedProjectFiles(ofChat_.conversationId);
            for (const UsedPassage& used : store_.usedPassages(ofChat_.conversationId)) {
                ofChat_.passages[used.questionId].append(used);
            }
        }
    }
    return ofChat_;
}

const Attachment* Attachments::find(qint64 attachmentId) {
    for (const QList<Attachment>& attachments : ofChat().byQuestion) {
        for (const Attachment& attachment : attachments) {
            if (attachment.id == attachmentId) {
                return &attachment;
            }
        }
    }
    for (const Attachment& file : ofChat().ofProject) {
        if (file.id == attachmentId) {
            return &file;
        }
    }
    return nullptr;
}

qint64 Attachments::questionOf(qint64 answerId) const {
    const Message* answer = chats_.messages()->find(answerId);
    return answer == nullptr || answer->role == MessageRole::User ? kNoId : answer->parentId;
}

QVariantList Attachments::ofQuestion(qint64 messageId) {
    QVariantList list;
    for (const Attachment& attachment : ofChat().byQuestion.value(messageId)) {
        list.append(QVariantMap{{QStringLiteral("id"), attachment.id},
                                {QStringLiteral("name"), attachment.name},
                                {QStringLiteral("says"), describe(attachment)}});
    }
    return list;
}

QVariantList Attachments::underAnswer(qint64 messageId) {
    QVariantList list;
    for (const UsedPassage& used : ofChat().passages.value(questionOf(messageId))) {
        const Attachment* attachment = find(used.attachmentId);
        if (attachment == nullptr) {
            continue;
        }
        const QString place = used.passage == UsedPassage::kWhole ? tr("whole")
                              : used.page > 0                     ? tr("page %1").arg(used.page)
                                              : tr("passage %1").arg(used.passage + 1);
        list.append(QVariantMap{
            {QStringLiteral("id"), used.attachmentId},
            {QStringLiteral("passage"), used.passage},
            {QStringLiteral("label"), attachment->name + QStringLiteral(", ") + place}});
    }
    return list;
}

void Attachments::open(qint64 attachmentId, qint64 answerId, int passage) {
    const Attachment* attachment = find(attachmentId);
    if (attachment == nullptr) {
        return;
    }
    QList<int> marked;
    if (passage >= 0) {
        for (const UsedPassage& used : ofChat().passages.value(questionOf(answerId))) {
            if (used.attachmentId == attachmentId) {
                marked.append(used.passage);
            }
        }
    }
    page_.show(attachment->name, attachment->hash, marked, std::max(0, passage));
}

// ---- to the model ------------------------------------------------------------------------------

int Attachments::mostWhole() const {
    return (model_.contextTokens() > 0 ? model_.contextTokens() : kUsualContext) / 2;
}

int Attachments::mostSearched() const {
    return std::min(kMostSearched,
                    (model_.contextTokens() > 0 ? model_.contextTokens() : kUsualContext) / 5);
}

WantedDocument Attachments::wanted(const Attachment& attachment) const {
    WantedDocument document{attachment.id, attachment.hash, attachment.name};
    document.byWordsOnly = !attachment.path.isEmpty();
    if (attachment.characters > 0 && attachment.tokens > 0) {
        document.tokensPerCharacter =
            static_cast<double>(attachment.tokens) / static_cast<double>(attachment.characters);
    }
    return document;
}

// In the order in which they were attached: as long as all of them fit into half of the context,
// they go in whole.
void Attachments::decideUses(QList<Attachment>& attachments) {
    qint64 tokens = 0;
    for (Attachment& attachment : attachments) {
        if (attachment.use == Attachment::Use::Undecided) {
            const bool fits = !attachment.cut && tokens + attachment.tokens <= mostWhole();
            attachment.use = fits ? Attachment::Use::Whole : Attachment::Use::Passages;
            store_.setUse(attachment.id, attachment.use);
        }
        if (attachment.use == Attachment::Use::Whole) {
            tokens += attachment.tokens;
        }
    }
}

void Attachments::bring(qint64 conversationId, const QList<Message>& path,
                        const std::function<void(const QList<Message>&)>& done) {
    const qint64 project = store_.projectOf(conversationId);
    if (project == kNoId) {
        gather(conversationId, path, done);
    } else {
        projectFiles_.refresh(
            project, [this, conversationId, path, done] { gather(conversationId, path, done); });
    }
}

void Attachments::gather(qint64 conversationId, const QList<Message>& path,
                         const std::function<void(const QList<Message>&)>& done) {
    const auto isOnPath = [&path](qint64 id) {
        return std::any_of(path.begin(), path.end(),
                           [id](const Message& message) { return message.id == id; });
    };
    QList<Attachment> attachments;
    for (const Attachment& attachment : store_.attachmentsIn(conversationId)) {
        if (isOnPath(attachment.messageId)) {
            attachments.append(attachment);
        }
    }
    const qint64 project = store_.projectOf(conversationId);
    const QList<Attachment> ofProject =
        project == kNoId ? QList<Attachment>() : store_.projectFiles(project);
    QList<UsedPassage> used;
    for (const UsedPassage& one : store_.usedPassages(conversationId)) {
        if (isOnPath(one.questionId)) {
            used.append(one);
        }
    }
    if (attachments.isEmpty() && ofProject.isEmpty() && used.isEmpty()) {
        done(path);
        return;
    }
    decideUses(attachments);
    const QList<Attachment> all = attachments + store_.usedProjectFiles(conversationId);
    QList<WantedTurn> turns;
    qint64 question = kNoId;
    QList<WantedDocument> searched;
    for (const Message& message : path) {
        WantedTurn turn;
        turn.text = message.content;
        for (const Attachment& attachment : attachments) {
            if (attachment.messageId == message.id) {
                (attachment.use == Attachment::Use::Whole ? turn.whole : searched)
                    .append(wanted(attachment));
            }
        }
        for (const UsedPassage& passage : used) {
            const auto attachment =
                std::find_if(all.begin(), all.end(),
                             [&](const Attachment& one) { return one.id == passage.attachmentId; });
            if (passage.questionId != message.id || attachment == all.end()) {
                continue;
            }
            if (passage.passage == UsedPassage::kWhole) {
                turn.whole.append(wanted(*attachment));
            } else {
                turn.passages.append({wanted(*attachment), passage.passage});
            }
        }
        turns.append(turn);
        if (message.role == MessageRole::User) {
            question = message.id;
        }
    }
    QList<UsedPassage> now;  // what goes with this question
    const auto asked = std::find_if(path.begin(), path.end(),
                                    [&](const Message& message) { return message.id == question; });
    const bool isNew = std::none_of(used.begin(), used.end(), [&](const UsedPassage& one) {
        return one.questionId == question;
    });
    if (asked != path.end() && isNew) {
        WantedTurn& turn = turns[asked - path.begin()];
        for (const Attachment& file : newWholes(ofProject, all, used)) {
            turn.whole.append(wanted(file));
            now.append({question, file.id, UsedPassage::kWhole, 0});
        }
        for (const Attachment& file : ofProject) {
            if (!isWholeIn(used, file) && !isWholeIn(now, file)) {
                searched.append(wanted(file));
            }
        }
        turn.searched = searched;
        turn.searchTokens = mostSearched();
    }
    desk_.quote(turns, [this, path, question, now, done](const QuotedTurns& quoted) {
        QList<Message> messages = path;
        for (qsizetype i = 0; i < messages.size(); ++i) {
            messages[i].content = quoted.texts.value(i);
        }
        QList<UsedPassage> passages = now;
        for (const FoundPassage& found : quoted.found) {
            passages.append({question, found.id, found.passage, found.page});
        }
        if (!passages.isEmpty()) {
            store_.setUsedPassages(question, passages);
        }
        refresh();
        done(messages);
    });
}

bool Attachments::isWholeIn(const QList<UsedPassage>& used, const Attachment& file) {
    return std::any_of(used.begin(), used.end(), [&](const UsedPassage& one) {
        return one.attachmentId == file.id && one.passage == UsedPassage::kWhole;
    });
}

// The attached files of a project that this path has not yet, as long as all that it has whole fits
// into half of the context.
QList<Attachment> Attachments::newWholes(const QList<Attachment>& ofProject,
                                         const QList<Attachment>& all,
                                         const QList<UsedPassage>& used) const {
    qint64 tokens = 0;
    for (const Attachment& one : all) {
        if (one.use == Attachment::Use::Whole || isWholeIn(used, one)) {
            tokens += one.tokens;
        }
    }
    QList<Attachment> wholes;
    for (const Attachment& file : ofProject) {
        if (file.path.isEmpty() && !file.cut && !isWholeIn(used, file) &&
            tokens + file.tokens <= mostWhole()) {
            tokens += file.tokens;
            wholes.append(file);
        }
    }
    return wholes;
}

// ---- tidying -----------------------------------------------------------------------------------

// A window beside another one, or one that cannot write, deletes nothing.
void Attachments::sweepSoon() {
    if (store_.mode() == ConversationStore::Mode::ReadWrite && QDir(folderOf(store_)).exists()) {
        sweepTimer_.start();
    }
}

void Attachments::holdShelf(bool held) {
    readings_ += held ? 1 : -1;
    if (!held) {
        sweepSoon();
    }
}

void Attachments::sweep() {
    if (readings_ > 0 || projectFiles_.isReading()) {
        sweepTimer_.start();
        return;
    }
    if (const auto hashes = store_.documentHashes()) {
        desk_.keepOnly(*hashes);
    }
}

}  // namespace hearth::ui
