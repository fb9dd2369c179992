#include "documents/pdf_reader.h"

#include <QPdfDocument>
#include <QPdfSelection>
#include <algorithm>

namespace hearth::ui {

namespace {

// A word that is divided at the end of a line has this in place of its hyphen.
constexpr QChar kDivided(0x0002);

QString joined(QString page) {
    page.remove(QString(kDivided) + QStringLiteral("\r\n"));
    page.remove(QString(kDivided) + QLatin1Char('\n'));
    return page;
}

}  // namespace

DocumentTrouble readPdf(const QString& path, TextGatherer& text) {
    QPdfDocument document;
    switch (document.load(path)) {
        case QPdfDocument::Error::None:
            break;
        case QPdfDocument::Error::FileNotFound:
            return DocumentTrouble::NotThere;
        case QPdfDocument::Error::IncorrectPassword:
        case QPdfDocument::Error::UnsupportedSecurityScheme:
            return DocumentTrouble::Encrypted;
        default:
            return DocumentTrouble::Damaged;
    }
    const int pages = std::min(document.pageCount(), kMostPages);
    for (int page = 0; page < pages && !text.isFull(); ++page) {
        text.beginPage();
        text.add(joined(document.getAllText(page).text()));
        text.endParagraph();
    }
    return pages > 0 ? DocumentTrouble::None : DocumentTrouble::Damaged;
}

}  // namespace hearth::ui
