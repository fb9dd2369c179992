// Forecasts a model that is not downloaded: its header is fetched, planned with, and removed again.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QUrl>

#include "bridge/load_options.h"
#include "bridge/model_facts.h"
#include "downloads/file_expectation.h"
#include "library/model_list_model.h"
#include "library/served_header.h"

namespace hearth::ui {

class PlanQueue;

struct OfferVerdict {
    QString wrong = {};  // why nothing is known, a sentence; empty: the rest is valid
    ModelFit fit = {};
    QString facts = {};  // "llama · Q4_0 · 6.7 billion parameters · 3.8 GB · licence: mit"
};

// Called from the GUI thread, which never waits for network or disk.
class OfferCheck : public QObject {
    Q_OBJECT

public:
    struct Question {
        QList<QUrl> urls;  // of its parts, in order
        QString title;
        LoadOptions options;            // path: the later place of the model, or of its first part
        FileExpectation expected = {};  // of the first file
    };

    // door and plans outlive it. folder: for headers, which do not stay; created where it is
    // missing.
    OfferCheck(NetworkDoor& door, PlanQueue& plans, const QString& folder,
               QObject* parent = nullptr);
    // Waits for the disk's work under way.
    ~OfferCheck() override;

    // One at a time: a later call ends the one before, which gets no answer.
    void start(const Question& question);
    void cancel();

signals:
    void done(const hearth::ui::OfferVerdict& verdict);

private:
    void fetchNext();
    void onHeader(const ServedHeader& header);
    void readFacts();
    void plan(const ModelFacts& facts);
    void removeHeaders(const QStringList& headers);
    void nameModel(QString& text) const;
    void clearFolder();

    PlanQueue& plans_;
    QString folder_;
    HeaderFetch fetch_;
    Question question_;
    quint64 run_ = 0;      // counts start() and cancel(): results of an earlier run are dropped
    QStringList headers_;  // of this run, in order
    QStringList all_;      // all that still exist
    bool fetching_ = false;
    bool cleared_ = false;  // headers that a crash left are removed
    QThreadPool pool_;
};

}  // namespace hearth::ui
