// The texts of attached files, on their way into exported chats and out of them. Any thread.
#pragma once

#include <QHash>
#include <QJsonObject>
#include <QString>
#include <functional>
#include <optional>

#include "documents/document_text.h"
#include "store/chat_record.h"

namespace hearth::ui {

class DocumentShelf;

// A document as exports have it; docs/formats/chats.md describes it.
QJsonObject documentToJson(const DocumentReading& reading);
// Empty: it is none, or is not sound.
std::optional<DocumentReading> documentFromJson(const QJsonObject& json);

// The document of an attached file. An empty object: the shelf has lost it.
QJsonObject documentOf(const RecordedFile& file, const DocumentShelf& shelf);
// Those of all files of a chat, by their names.
QJsonObject documentsOf(const ChatRecord& chat, const DocumentShelf& shelf);

// Puts the documents of imported chats onto the shelf.
class DocumentIntake {
public:
    // Gives a document that the JSON of its chat does not hold, by its name; an empty object: it is
    // nowhere.
    using Elsewhere = std::function<QJsonObject(const QString& name)>;

    // shelf: null: documents are read and not kept.
    explicit DocumentIntake(const DocumentShelf* shelf, Elsewhere elsewhere = {})
        : shelf_(shelf), elsewhere_(std::move(elsewhere)) {}

    // inChat: the documents within the chat's own JSON. Files of the chat get the names that the
    // shelf gives; those whose text is missing or broken get an empty one.
    void take(const QJsonObject& inChat, ChatRecord* chat);
    // Files that have lost their text so far.
    int lost() const { return lost_; }

private:
    QString keep(const RecordedFile& file, const QJsonObject& inChat);

    const DocumentShelf* shelf_;
    Elsewhere elsewhere_;
    QHash<QString, QString> fromElsewhere_;  // the shelf's name by the archive's
    int lost_ = 0;
};

}  // namespace hearth::ui
