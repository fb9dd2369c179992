// The window's search of the model hub: from words to repositories, from a repository to its files,
// from a file to a download. No request is made before search(), open() or get(). The answers are a
// stranger's text (hub_answers.h), which a thread of its own reads.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QVariantList>
#include <functional>
#include <memory>

#include "library/hub_answers.h"

namespace hearth::ui {

class Downloads;
class ModelLibrary;
class NetworkControl;
class NetworkDoor;
class TokenKeeper;
struct DoorAnswer;

class HubSearch : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(QString host READ host NOTIFY changed)       // the host that is asked: the hub, or
                                                            // its mirror
    Q_PROPERTY(bool busy READ busy NOTIFY changed)          // an answer is awaited
    Q_PROPERTY(bool searched READ searched NOTIFY changed)  // models and line belong to a search
    Q_PROPERTY(QString line READ line NOTIFY changed)       // the outcome, a sentence
    Q_PROPERTY(QString wrong READ wrong NOTIFY changed)     // the reason for a failure, a sentence
    // {repository, facts} each; facts: "12,345 downloads · licence: mit".
    Q_PROPERTY(QVariantList models READ models NOTIFY changed)
    // The opened repository; empty: none.
    Q_PROPERTY(QString repository READ repository NOTIFY changed)
    Q_PROPERTY(QString terms READ terms NOTIFY changed)  // licence, and the condition for access
    Q_PROPERTY(QString page READ page NOTIFY changed)    // its address, for a browser
    // {title, facts, warning, address} each; facts: "Q4_0 · 3.8 GB"; warning: why it will not run,
    // or empty; address: that of the file, or of the first of several.
    Q_PROPERTY(QVariantList files READ files NOTIFY changed)
    Q_PROPERTY(
        QStringList states READ states NOTIFY statesChanged)  // of each file: "", "coming", "here"

public:
    struct Parts {
        NetworkControl& control;
        NetworkDoor& door;  // one of this thread
        TokenKeeper& tokens;
        Downloads& downloads;
        ModelLibrary& library;
    };
    // All parts outlive it.
    explicit HubSearch(const Parts& parts, QObject* parent = nullptr);
    ~HubSearch() override;

    Q_INVOKABLE void search(const QString& words);
    Q_INVOKABLE void open(int index);  // one of models
    Q_INVOKABLE void back();           // to the found models
    Q_INVOKABLE void stop();           // ends the request under way
    Q_INVOKABLE void clear();
    // True if the download begins, now or later; else wrong() says why not.
    Q_INVOKABLE bool get(int index);
    Q_INVOKABLE void look();  // looks whether files are here by now

    QString host() const;
    bool busy() const { return asking_ != nullptr; }
    bool searched() const { return searched_; }
    QString line() const { return line_; }
    QString wrong() const { return wrong_; }
    QVariantList models() const;
    QString repository() const { return repository_.repository; }
    QString terms() const;
    QString page() const;
    QVariantList files() const;
    QStringList states() const { return states_; }

    static constexpr int kAskedFor = 50;

signals:
    void changed();
    void statesChanged();

private:
    // read runs on another thread; show gets its result, on this one. Neither is called once
    // another question is asked.
    template <typename Found>
    void ask(const QUrl& url, const QString& purpose, qint64 bytesMost, bool withToken,
             std::function<Found(const QByteArray&)> read, std::function<void(const Found&)> show);
    QUrl addressOf(const HubPart& part) const;
    void fail(const QString& why);
    void showModels(const HubFound& found);
    void showRepository(const HubRepository& found);

    Parts parts_;
    std::unique_ptr<QObject> asking_;  // deleting it ends the request under way
    bool searched_ = false;
    QString line_;
    QString wrong_;
    QList<HubModel> models_;
    HubRepository repository_;
    QStringList states_;
    QThreadPool pool_;
};

}  // namespace hearth::ui
