#include "offer_check.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>

#include "fit_text.h"
#include "model_texts.h"
#include "plan_queue.h"

namespace hearth::ui {

namespace {

QString factsOf(const ModelFacts& facts) {
    ModelRow row;
    row.facts = facts;
    row.factsKnown = true;
    row.found.bytes = facts.bytes;
    QString text = summaryOf(row);
    if (!facts.licence.isEmpty()) {
        text += OfferCheck::tr(" · licence: %1").arg(facts.licence);
    }
    return text;
}

}  // namespace

OfferCheck::OfferCheck(NetworkDoor& door, PlanQueue& plans, const QString& folder, QObject* parent)
    : QObject(parent), plans_(plans), folder_(folder), fetch_(door, folder) {
    pool_.setMaxThreadCount(1);
    connect(&fetch_, &HeaderFetch::done, this, &OfferCheck::onHeader);
}

OfferCheck::~OfferCheck() {
    fetch_.cancel();
    pool_.waitForDone();
    for (const QString& header : std::as_const(headers_)) {
        QFile::remove(header);
    }
}

void OfferCheck::start(const Question& question) {
    cancel();
    question_ = question;
    if (!plans_.works()) {
        emit done({.wrong = tr("Nothing is known of this computer, so nothing can be said.")});
        return;
    }
    clearFolder();
    fetch_.start(question.url, question.title);
}

void OfferCheck::cancel() {
    ++run_;
    fetch_.cancel();
}

// A crash may have left headers, each of which looks as large as its model.
void OfferCheck::clearFolder() {
    if (std::exchange(cleared_, true)) {
        return;
    }
    QDir folder(folder_);
    for (const QString& name : folder.entryList({QStringLiteral("*.header.gguf")}, QDir::Files)) {
        folder.remove(name);
    }
}

void OfferCheck::onHeader(const ServedHeader& header) {
    if (!header.wrong.isEmpty()) {
        emit done({.wrong = header.wrong});
        return;
    }
    headers_ << header.path;
    pool_.start([this, run = run_, path = header.path] {
        const ModelFacts facts = readModelFacts(path);
        QMetaObject::invokeMethod(this, [this, run, path, facts] {
            if (run == run_ && facts.runs) {
                plan(path, facts);
                return;
            }
            QFile::remove(path);
            headers_.removeAll(path);
            if (run == run_) {
                OfferVerdict verdict{.fit = {ModelFit::Kind::Cannot, facts.whyNot},
                                     .facts = factsOf(facts)};
                nameModel(path, verdict.fit.text);
                emit done(verdict);
            }
        });
    });
}

// What is said of the header's file is meant of the model's.
void OfferCheck::nameModel(const QString& header, QString& text) const {
    text.replace(QDir::toNativeSeparators(header),
                 QDir::toNativeSeparators(question_.options.path));
    text.replace(QFileInfo(header).fileName(), QFileInfo(question_.options.path).fileName());
}

void OfferCheck::plan(const QString& header, const ModelFacts& facts) {
    PlanQuestion question{.options = question_.options,
                          .folder = QFileInfo(question_.options.path).path()};
    question.options.path = header;
    const bool open = facts.asksActivation && question.options.activation.isEmpty();
    const auto answered = [this, run = run_, header, facts, open](const PlanAnswer& answer) {
        QFile::remove(header);
        headers_.removeAll(header);
        if (run != run_) {
            return;
        }
        OfferVerdict verdict{.fit = fitOf(answer), .facts = factsOf(facts)};
        nameModel(header, verdict.fit.text);
        if (open) {
            verdict.fit.text += tr(" · if it is a ReLU model, which its file does not say, faster");
        }
        emit done(verdict);
    };
    plans_.ask(question, this, answered, true);
}

}  // namespace hearth::ui
