// The search of the model hub, for the window: words to repositories, a repository to its files, a
// file to a download. Nothing is asked of the network before search(), open() or get(); what comes
// back is a stranger's (hub_answers.h) and read on a thread of its own.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QVariantList>
#include <functional>
#include <memory>

#include "hub_answers.h"

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
    Q_PROPERTY(QString host READ host NOTIFY changed)       // that is asked: the hub, or its mirror
    Q_PROPERTY(bool busy READ busy NOTIFY changed)          // an answer is waited for
    Q_PROPERTY(bool searched READ searched NOTIFY changed)  // models and line are of a search
    Q_PROPERTY(QString line READ line NOTIFY changed)       // what came of it, a sentence
    Q_PROPERTY(QString wrong READ wrong NOTIFY changed)     // why nothing did, a sentence
    // {repository, facts} each; facts: "12,345 downloads · licence: mit".
    Q_PROPERTY(QVariantList models READ models NOTIFY changed)
    // Of the repository that is looked into; empty: none is.
    Q_PROPERTY(QString repository READ repository NOTIFY changed)
    Q_PROPERTY(QString terms READ terms NOTIFY changed)  // licence, and what it takes to be let in
    Q_PROPERTY(QString page READ page NOTIFY changed)    // its address, for a browser
    // {title, facts, warning, address} each; facts: "Q4_0 · 3.8 GB"; warning: why it will not run,
    // or empty; address: of the file, or of the first of several.
    Q_PROPERTY(QVariantList files READ files NOTIFY changed)
    Q_PROPERTY(
        QStringList states READ states NOTIFY statesChanged)  // of each: "", "coming", "here"

public:
    struct Parts {
        NetworkControl& control;
        NetworkDoor& door;  // of this thread
        TokenKeeper& tokens;
        Downloads& downloads;
        ModelLibrary& library;
    };
    // All of them outlive it.
    explicit HubSearch(const Parts& parts, QObject* parent = nullptr);
    ~HubSearch() override;

    Q_INVOKABLE void search(const QString& words);
    Q_INVOKABLE void open(int index);  // one of models
    Q_INVOKABLE void back();           // to the models that were found
    Q_INVOKABLE void stop();           // what is waited for
    Q_INVOKABLE void clear();
    // True where its download begins, now or later; else wrong() says why not.
    Q_INVOKABLE bool get(int index);
    Q_INVOKABLE void look();  // whether files are here by now

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
    // read: on another thread; show: with what it gave, on this one. Neither comes once another
    // question is asked.
    template <typename Found>
    void ask(const QUrl& url, const QString& purpose, qint64 bytesMost, bool withToken,
             std::function<Found(const QByteArray&)> read, std::function<void(const Found&)> show);
    QUrl addressOf(const HubPart& part) const;
    void fail(const QString& why);
    void showModels(const HubFound& found);
    void showRepository(const HubRepository& found);

    Parts parts_;
    std::unique_ptr<QObject> asking_;  // what is under way ends with it
    bool searched_ = false;
    QString line_;
    QString wrong_;
    QList<HubModel> models_;
    HubRepository repository_;
    QStringList states_;
    QThreadPool pool_;
};

}  // namespace hearth::ui
