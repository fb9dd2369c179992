#include "conversation/document_page.h"

namespace hearth::ui {

DocumentPage::DocumentPage(DocumentDesk& desk, QObject* parent) : QObject(parent), desk_(desk) {}

QStringList DocumentPage::heads() const {
    QStringList heads;
    for (const int page : beginning_) {
        heads.append(page > 0 ? tr("Page %1").arg(page) : QString());
    }
    return heads;
}

QString DocumentPage::says() const {
    return opening_ ? tr("The text is being opened…")
           : gone_  ? tr("The text of this document is not there any more.")
                    : QString();
}

void DocumentPage::show(const QString& title, const QString& hash, const QList<int>& marked,
                        int at) {
    close();
    title_ = title;
    marked_ = marked;
    at_ = at;
    opening_ = true;
    const quint64 turn = turn_;
    emit changed();
    emit opened();
    desk_.parts(hash, [this, turn](const QList<DocumentFile::Part>& parts) { fill(turn, parts); });
}

void DocumentPage::close() {
    ++turn_;
    passages_.clear();
    beginning_.clear();
    marked_.clear();
    at_ = 0;
    opening_ = false;
    gone_ = false;
    emit changed();
}

void DocumentPage::fill(quint64 turn, const QList<DocumentFile::Part>& parts) {
    if (turn != turn_) {
        return;  // another one is shown, or none
    }
    opening_ = false;
    gone_ = parts.isEmpty();
    int page = 0;
    for (const DocumentFile::Part& part : parts) {
        qsizetype end = part.text.size();
        while (end > 0 && part.text[end - 1].isSpace()) {
            --end;  // the space between passages is the page's
        }
        passages_.append(part.text.left(end));
        beginning_.append(part.page > page ? part.page : 0);
        page = part.page;
    }
    if (at_ >= passages_.size()) {
        at_ = 0;
    }
    emit changed();
}

}  // namespace hearth::ui
