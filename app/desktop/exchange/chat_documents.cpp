#include "exchange/chat_documents.h"

#include <QJsonArray>
#include <algorithm>

#include "documents/document_shelf.h"

namespace hearth::ui {

namespace {

// Readers leave control characters out (TextGatherer); a text that has some comes from elsewhere.
bool isClean(const QString& text) {
    return std::none_of(text.begin(), text.end(), [](QChar letter) {
        return letter.category() == QChar::Other_Control && letter != QLatin1Char('\n') &&
               letter != QLatin1Char('\t');
    });
}

}  // namespace

QJsonObject documentToJson(const DocumentReading& reading) {
    QJsonObject json{{QStringLiteral("kind"), toString(reading.kind)},
                     {QStringLiteral("text"), reading.document.text}};
    QJsonArray pages;
    for (const qsizetype page : reading.document.pages) {
        pages.append(qint64{page});
    }
    if (!pages.isEmpty()) {
        json.insert(QStringLiteral("pages"), pages);
    }
    if (reading.document.cut) {
        json.insert(QStringLiteral("cut"), true);
    }
    return json;
}

std::optional<DocumentReading> documentFromJson(const QJsonObject& json) {
    DocumentReading reading;
    reading.kind = documentKindFromString(json.value(QLatin1String("kind")).toString());
    reading.document.text = json.value(QLatin1String("text")).toString();
    reading.document.cut = json.value(QLatin1String("cut")).toBool();
    const QJsonArray pages = json.value(QLatin1String("pages")).toArray();
    for (const QJsonValue& page : pages) {
        reading.document.pages.append(qsizetype{page.toInteger(-1)});
    }
    const DocumentText& document = reading.document;
    if (document.text.isEmpty() || !document.isSound() || !isClean(document.text) ||
        document.pages.size() > document.text.size() + 1) {
        return std::nullopt;
    }
    return reading;
}

QJsonObject documentOf(const RecordedFile& file, const DocumentShelf& shelf) {
    const auto kept = shelf.open(file.document);
    if (kept == nullptr) {
        return {};
    }
    DocumentReading reading;
    reading.kind = documentKindFromString(file.kind);
    reading.document = kept->document();
    reading.document.cut = file.cut;
    return documentToJson(reading);
}

QJsonObject documentsOf(const ChatRecord& chat, const DocumentShelf& shelf) {
    QJsonObject documents;
    for (const RecordedMessage& message : chat.messages) {
        for (const RecordedFile& file : message.files) {
            if (documents.contains(file.document)) {
                continue;
            }
            if (const QJsonObject json = documentOf(file, shelf); !json.isEmpty()) {
                documents.insert(file.document, json);
            }
        }
    }
    return documents;
}

QString DocumentIntake::keep(const RecordedFile& file, const QJsonObject& inChat) {
    const QJsonObject within = inChat.value(file.document).toObject();
    const auto known = fromElsewhere_.constFind(file.document);
    if (within.isEmpty() && known != fromElsewhere_.cend()) {
        return *known;
    }
    const auto reading =
        documentFromJson(within.isEmpty() && elsewhere_ ? elsewhere_(file.document) : within);
    const QString name = reading && shelf_ != nullptr ? shelf_->add(*reading) : QString();
    if (within.isEmpty()) {
        fromElsewhere_.insert(file.document, name);
    }
    return name;
}

void DocumentIntake::take(const QJsonObject& inChat, ChatRecord* chat) {
    for (RecordedMessage& message : chat->messages) {
        for (RecordedFile& file : message.files) {
            file.document = keep(file, inChat);
            lost_ += file.document.isEmpty() ? 1 : 0;
        }
    }
}

}  // namespace hearth::ui
