// The downloads of the window. Start one from C++:
//
//     const QString refused = downloads.add({.title = tr("Llama 3.2 1B"), .folder = folder,
//         .licence = "apache-2.0", .parts = {{.url = url, .fileName = "llama.gguf",
//                                             .bytes = 1234, .sha256 = hash}}});
//
// All files of a split model are parts of one order (namesOfSplit()). completed() names their
// paths. A thread of its own does the work (DownloadQueue).
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QSslConfiguration>
#include <QThread>
#include <memory>

#include "downloads/download_list_model.h"
#include "downloads/download_order.h"

namespace hearth::ui {

class NetworkControl;
class TokenKeeper;

class Downloads : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(hearth::ui::DownloadListModel* list READ list CONSTANT)
    Q_PROPERTY(int underWay READ underWay NOTIFY changed)  // number of downloads under way
    // Share of the downloads under way, all together: 0 to 1; -1: unknown.
    Q_PROPERTY(double progress READ progress NOTIFY changed)
    Q_PROPERTY(QString summary READ summary NOTIFY changed)  // "2 downloads · 34 %"; or empty
    Q_PROPERTY(QString trouble READ trouble NOTIFY changed)  // about the list itself, a sentence

public:
    struct Settings {
        QString file;  // keeps the list; empty: nothing is kept
        QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
        bool readOnly = false;  // another window has the data folder
    };
    // Both outlive it.
    Downloads(NetworkControl& control, TokenKeeper& tokens, const Settings& settings,
              QObject* parent = nullptr);
    ~Downloads() override;

    // Empty: the download begins, now or after others have ended. Else a sentence on why it does
    // not.
    QString add(const DownloadOrder& order);
    // True if an unfinished download will create the file at this path.
    bool willHave(const QString& path) const;

    Q_INVOKABLE void pause(qint64 id);
    Q_INVOKABLE void resume(qint64 id);
    Q_INVOKABLE void cancel(qint64 id);
    Q_INVOKABLE void undoCancel(qint64 id);
    Q_INVOKABLE void remove(qint64 id);
    Q_INVOKABLE void showFolder(qint64 id);  // in the system's file manager

    DownloadListModel* list() { return &list_; }
    int underWay() const;
    double progress() const;
    QString summary() const;
    QString trouble() const { return trouble_; }

    // Called before the program ends: pauses all downloads, writes their data, and returns when
    // that is done.
    void close();

signals:
    void changed();
    void completed(qint64 id, const QString& title, const QStringList& paths);

private:
    template <typename Call>
    void post(Call call);
    void take(const QList<DownloadStatus>& all);

    TokenKeeper& tokens_;
    bool readOnly_;
    QThread thread_;
    DownloadQueue* queue_;  // on thread_
    DownloadListModel list_;
    QHash<qint64, QStringList> added_;  // orders that the queue has not reported yet
    QString trouble_;
    qint64 lastId_ = 0;
};

}  // namespace hearth::ui
