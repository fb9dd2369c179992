#include "conversation/document_page.h"

namespace hearth::ui {

DocumentPage::DocumentPage(DocumentDesk& desk, QObject* parent) : QObject(parent), desk_(desk) {}

void DocumentPage::show(const QString& title, const QString& hash, const QList<int>& marked,
                        int at) {
    close();
    title_ = title;
    marked_ = marked;
    at_ = at;
    says_ = tr("The text is being opened…");
    const quint64 turn = turn_;
    emit changed();
    emit opened();
    desk_.parts(hash, [this, turn](const QList<DocumentFile::Part>& parts) { fill(turn, parts); });
}

void DocumentPage::close() {
    ++turn_;
    passages_.clear();
    heads_.clear();
    marked_.clear();
    at_ = 0;
    says_.clear();
    emit changed();
}

void DocumentPage::fill(quint64 turn, const QList<DocumentFile::Part>& parts) {
    if (turn != turn_) {
        return;  // another one is shown, or none
    }
    says_ = parts.isEmpty() ? tr("The text of this document is not there any more.") : QString();
    int page = 0;
    for (const DocumentFile::Part& part : parts) {
        qsizetype end = part.text.size();
        while (end > 0 && part.text[end - 1].isSpace()) {
            --end;  // the space between passages is the page's
        }
        passages_.append(part.text.left(end));
        heads_.append(part.page > page ? tr("Page %1").arg(part.page) : QString());
        page = part.page;
    }
    if (at_ >= passages_.size()) {
        at_ = 0;
    }
    emit changed();
}

}  // namespace hearth::ui
