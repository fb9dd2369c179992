#include "documents/document_text.h"

#include <QCoreApplication>
#include <QDataStream>
#include <QIODevice>
#include <algorithm>
#include <array>

namespace hearth::ui {

namespace {

constexpr quint32 kMagic = 0x48445231;  // "HDR1"
constexpr std::array<const char*, 6> kKinds = {"text", "code", "markdown", "pdf", "docx", "odt"};

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Documents)
};

}  // namespace

bool DocumentText::isSound() const {
    return text.size() <= TextGatherer::kMost && std::is_sorted(pages.begin(), pages.end()) &&
           (pages.isEmpty() || (pages.first() >= 0 && pages.last() <= text.size()));
}

int DocumentText::pageAt(qsizetype place) const {
    return static_cast<int>(std::upper_bound(pages.begin(), pages.end(), place) - pages.begin());
}

QByteArray DocumentReading::toBytes() const {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out.setVersion(QDataStream::Qt_6_0);
    out << kMagic << static_cast<quint8>(trouble) << static_cast<quint8>(kind) << document.cut
        << document.text.toUtf8() << static_cast<quint32>(document.pages.size());
    for (const qsizetype page : document.pages) {
        out << static_cast<qint64>(page);
    }
    return bytes;
}

std::optional<DocumentReading> DocumentReading::fromBytes(const QByteArray& bytes) {
    QDataStream in(bytes);
    in.setVersion(QDataStream::Qt_6_0);
    quint32 magic = 0;
    quint8 trouble = 0;
    quint8 kind = 0;
    QByteArray text;
    quint32 pages = 0;
    DocumentReading reading;
    in >> magic >> trouble >> kind >> reading.document.cut >> text >> pages;
    // Qt makes room for as many as a list claims to have.
    if (in.status() != QDataStream::Ok ||
        in.device()->bytesAvailable() != qint64{pages} * qint64{sizeof(qint64)}) {
        return std::nullopt;
    }
    for (quint32 i = 0; i < pages; ++i) {
        qint64 page = 0;
        in >> page;
        reading.document.pages.append(page);
    }
    if (in.status() != QDataStream::Ok || !in.atEnd() || magic != kMagic ||
        trouble > static_cast<quint8>(DocumentTrouble::TooDemanding) || kind >= kKinds.size()) {
        return std::nullopt;
    }
    reading.trouble = static_cast<DocumentTrouble>(trouble);
    reading.kind = static_cast<DocumentKind>(kind);
    reading.document.text = QString::fromUtf8(text);
    if (!reading.document.isSound()) {
        return std::nullopt;
    }
    return reading;
}

QString toString(DocumentKind kind) {
    return QLatin1String(kKinds.at(static_cast<std::size_t>(kind)));
}

DocumentKind documentKindFromString(const QString& text) {
    const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const char* spelling) {
        return text == QLatin1String(spelling);
    });
    return found == kKinds.end() ? DocumentKind::Text
                                 : static_cast<DocumentKind>(found - kKinds.begin());
}

QString sentenceFor(DocumentTrouble trouble, const QString& name) {
    switch (trouble) {
        case DocumentTrouble::None:
            return {};
        case DocumentTrouble::NotThere:
            return Words::tr("%1 cannot be opened: it is gone, or you may not read it.").arg(name);
        case DocumentTrouble::NotAFile:
            return Words::tr("%1 is not a file. Attach the files in it one by one.").arg(name);
        case DocumentTrouble::OtherKind:
            return Words::tr(
                       "%1 is of a kind that Hearth does not read. It reads text, code, Markdown, "
                       "PDF, docx and odt.")
                .arg(name);
        case DocumentTrouble::Damaged:
            return Words::tr("%1 is damaged: no text could be read from it.").arg(name);
        case DocumentTrouble::Encrypted:
            return Words::tr(
                       "%1 is protected by a password. Save a copy without one, and attach that.")
                .arg(name);
        case DocumentTrouble::NoText:
            return Words::tr("%1 has no text in it: it is empty, or its pages are pictures.")
                .arg(name);
        case DocumentTrouble::TooDemanding:
            return Words::tr(
                       "%1 was not read: that took too much time or memory. It may be damaged.")
                .arg(name);
    }
    return {};
}

bool TextGatherer::put(QChar c) {
    if (out_.text.size() >= most_) {
        full_ = true;
        out_.cut = true;
        return false;
    }
    out_.text.append(c);
    return true;
}

bool TextGatherer::add(QStringView text) {
    for (const QChar c : text) {
        const bool isReturn = c == QLatin1Char('\r');
        if (isReturn || c == QLatin1Char('\n') || c == QChar::LineSeparator ||
            c == QChar::ParagraphSeparator) {
            const bool second = c == QLatin1Char('\n') && afterReturn_;
            afterReturn_ = isReturn;
            if (second || ends_ >= 2 || out_.text.isEmpty()) {
                continue;
            }
            if (!put(QLatin1Char('\n'))) {
                return false;
            }
            ++ends_;
            continue;
        }
        afterReturn_ = false;
        const bool control = (c.unicode() < 0x20 && c != QLatin1Char('\t')) ||
                             (c.unicode() >= 0x7F && c.unicode() < 0xA0) || c.unicode() == 0xFEFF;
        if (control) {
            continue;
        }
        if (!put(c)) {
            return false;
        }
        ends_ = 0;
    }
    return !full_;
}

bool TextGatherer::endLine() {
    return atLineStart() ? !full_ : add(u"\n");
}

bool TextGatherer::endParagraph() {
    return endLine() && add(u"\n");
}

void TextGatherer::beginPage() {
    out_.pages.append(out_.text.size());
}

DocumentText TextGatherer::take() {
    qsizetype end = out_.text.size();
    // Half a character may be the last one that there was room for.
    while (end > 0 && (out_.text[end - 1].isSpace() || out_.text[end - 1].isHighSurrogate())) {
        --end;
    }
    out_.text.truncate(end);
    for (qsizetype& page : out_.pages) {
        page = std::min(page, end);
    }
    return std::move(out_);
}

}  // namespace hearth::ui
