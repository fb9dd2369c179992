// The files of projects: attached ones, and those of a project's folder, which is looked at before
// each question. Their texts lie on the shelf of documents, as those of attachments do.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <atomic>
#include <functional>
#include <memory>

#include "conversation/document_page.h"
#include "documents/document_desk.h"
#include "store/attachment.h"

namespace hearth::ui {

class ActiveModel;
class Chats;
class ConversationStore;

class ProjectFiles : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Projects has it")
    // Grows whenever of() or folderSays() may give something else.
    Q_PROPERTY(int revision READ revision NOTIFY changed)

public:
    static constexpr int kMostFiles = 50;  // attached to a project

    // All outlive it. The store is open.
    struct Parts {
        ConversationStore& store;
        Chats& chats;
        ActiveModel& model;
        DocumentDesk& desk;
        DocumentPage& page;
        std::function<QString(const Attachment&)> describe;
    };
    explicit ProjectFiles(const Parts& parts, QObject* parent = nullptr);

    int revision() const { return revision_; }
    // Attached files: {id, name, says, failed, ready}.
    Q_INVOKABLE QVariantList of(qint64 projectId) const;
    // A sentence about the folder: how many files are searched, and what is left out. Empty: there
    // is no folder.
    Q_INVOKABLE QString folderSays(qint64 projectId) const;
    Q_INVOKABLE void attach(qint64 projectId, const QStringList& paths);
    Q_INVOKABLE void remove(qint64 projectId, qint64 id);
    // Opens the text of an attached file.
    Q_INVOKABLE void look(qint64 projectId, qint64 id);

    // Looks at the folder, reads what is new, and calls `done` when that is known, at the latest
    // after the patience: the rest is read all the same, for the next question.
    void refresh(qint64 projectId, const std::function<void()>& done = {});
    void setPatienceMs(int ms) { patienceMs_ = ms; }
    // The project is gone, or has another folder: what is being read of it is dropped.
    void forget(qint64 projectId);
    void forgetFolder(qint64 projectId);
    // A text may be on the shelf that the store does not name yet.
    bool isReading() const;

    // Nothing may be called afterwards.
    void close();

signals:
    void changed();
    void dropped();  // texts may be without an owner now

private:
    // A file that is being attached, or was refused.
    struct Attaching {
        qint64 projectId = kNoId;
        qint64 number = 0;  // less than -1
        QString name;
        QString problem;
        std::shared_ptr<std::atomic<bool>> unwanted = nullptr;
    };
    // The reading of a folder under way.
    struct Reading {
        quint64 number = 0;
        bool surveyed = false;
        bool again = false;  // somebody asked meanwhile
        QString folder;
        QList<SurveyedFile> next;
        int all = 0;
        QList<Attachment> read;
        QList<std::function<void()>> waiting;
        std::shared_ptr<std::atomic<bool>> unwanted = nullptr;
    };
    // The outcome of the last one.
    struct Seen {
        FolderSurvey survey;
        QHash<QString, SurveyedFile> failed;  // by path: not read again until they change
    };
    void attached(qint64 number, const ReadFile& file);
    void begin(qint64 projectId);
    void onSurvey(qint64 projectId, const FolderSurvey& survey);
    void readNext(qint64 projectId);
    bool keep(qint64 projectId);
    void tellWaiting(qint64 projectId);
    void touch();

    Parts parts_;
    QList<Attaching> attaching_;
    QHash<qint64, Reading> readings_;
    QHash<qint64, Seen> seen_;
    qint64 lastNumber_ = kNoId;
    quint64 lastReading_ = 0;
    int attachReadings_ = 0;
    int folderReadings_ = 0;  // of files, also of those that nobody wants any more
    int patienceMs_ = 15'000;
    int revision_ = 0;
    bool closed_ = false;
};

}  // namespace hearth::ui
