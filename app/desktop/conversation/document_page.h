// A document in the window: its text in passages, some of them marked.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QVariantList>

#include "documents/document_desk.h"

namespace hearth::ui {

class DocumentPage : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Attachments has it")
    Q_PROPERTY(QString title READ title NOTIFY changed)            // the name of the file
    Q_PROPERTY(QStringList passages READ passages NOTIFY changed)  // the whole text, in order
    // For each passage "Page 3" where a page begins, else empty.
    Q_PROPERTY(QStringList heads READ heads NOTIFY changed)
    Q_PROPERTY(int at READ at NOTIFY changed)  // the passage to show first
    // A sentence in place of the text: it is being read, or is gone. Empty: the text is there.
    Q_PROPERTY(QString says READ says NOTIFY changed)

public:
    // desk outlives it.
    explicit DocumentPage(DocumentDesk& desk, QObject* parent = nullptr);

    QString title() const { return title_; }
    QStringList passages() const { return passages_; }
    QStringList heads() const;
    int at() const { return at_; }
    QString says() const;

    // Shows a document, and of it the passages `marked`; `at` is one of them, or 0. The text
    // follows.
    void show(const QString& title, const QString& hash, const QList<int>& marked, int at);
    Q_INVOKABLE bool isMarked(int passage) const { return marked_.contains(passage); }
    // Gives the memory of the text back.
    Q_INVOKABLE void close();

signals:
    void changed();
    void opened();  // the page comes up

private:
    void fill(quint64 turn, const QList<DocumentFile::Part>& parts);

    DocumentDesk& desk_;
    QString title_;
    QStringList passages_;
    QList<int> beginning_;  // for each passage the page that begins there; 0: none
    QList<int> marked_;
    int at_ = 0;
    bool opening_ = false;
    bool gone_ = false;
    quint64 turn_ = 0;
};

}  // namespace hearth::ui
