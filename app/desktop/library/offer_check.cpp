#include "library/offer_check.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>

#include "library/fit_text.h"
#include "library/model_texts.h"
#include "library/plan_queue.h"

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
    const QStringList left = all_;
    removeHeaders(left);
}

void OfferCheck::removeHeaders(const QStringList& headers) {
    for (const QString& header : headers) {
        QFile::remove(header);
        all_.removeAll(header);
    }
}

void OfferCheck::start(const Question& question) {
    cancel();
    question_ = question;
    if (!plans_.works()) {
        emit done({.wrong = tr("Hearth could not measure this computer, so it cannot say whether "
                               "the model fits.")});
        return;
    }
    clearFolder();
    fetching_ = true;
    fetchNext();
}

// Parts find each other by their names.
void OfferCheck::fetchNext() {
    const qsizetype count = question_.urls.size();
    const qsizetype number = headers_.size() + 1;
    const QString name = count == 1 ? QString()
                                    : QStringLiteral("%1-%2-of-%3.gguf")
                                          .arg(QStringLiteral("parts-%1.header").arg(run_))
                                          .arg(number, 5, 10, QLatin1Char('0'))
                                          .arg(count, 5, 10, QLatin1Char('0'));
    fetch_.start(question_.urls.at(number - 1), question_.title, name);
}

void OfferCheck::cancel() {
    ++run_;
    fetch_.cancel();
    if (fetching_) {  // otherwise they are being read, and are removed afterwards
        removeHeaders(headers_);
    }
    fetching_ = false;
    headers_.clear();
}

// A crash may have left headers, each of which looks as large as its model.
void OfferCheck::clearFolder() {
    if (std::exchange(cleared_, true)) {
        return;
    }
    QDir folder(folder_);
    for (const QString& name : folder.entryList({QStringLiteral("*.header*.gguf")}, QDir::Files)) {
        folder.remove(name);
    }
}

void OfferCheck::onHeader(const ServedHeader& header) {
    if (!header.wrong.isEmpty()) {
        cancel();
        emit done({.wrong = header.wrong});
        return;
    }
    headers_ << header.path;
    all_ << header.path;
    if (headers_.size() == 1) {
        const FileExpectation& expected = question_.expected;
        QString why = expected.wrongSize(header.bytes);
        if (why.isEmpty()) {
            why = expected.wrongHash(header.sha256.toHex());
        }
        if (!why.isEmpty()) {
            cancel();
            emit done({.wrong = why});
            return;
        }
    }
    if (headers_.size() < question_.urls.size()) {
        fetchNext();
    } else {
        fetching_ = false;
        readFacts();
    }
}

void OfferCheck::readFacts() {
    pool_.start([this, run = run_, headers = headers_] {
        const ModelFacts facts = readModelFacts(headers.constFirst());
        QMetaObject::invokeMethod(this, [this, run, headers, facts] {
            const QString& wanted = question_.expected.architecture;
            const bool other = !wanted.isEmpty() && facts.architecture != wanted;
            if (run == run_ && facts.runs && !other) {
                plan(facts);
                return;
            }
            removeHeaders(headers);
            if (run == run_ && other) {
                emit done({.wrong = tr("The server's file is a model of the architecture %1 "
                                       "instead of %2. It is not the file you chose.")
                                        .arg(facts.architecture, wanted)});
            } else if (run == run_) {
                OfferVerdict verdict{.fit = {ModelFit::Kind::Cannot, facts.whyNot},
                                     .facts = factsOf(facts)};
                nameModel(verdict.fit.text);
                emit done(verdict);
            }
        });
    });
}

// A sentence about the headers' files is about the model's.
void OfferCheck::nameModel(QString& text) const {
    for (qsizetype i = 0; i < headers_.size(); ++i) {
        const QString path =
            QFileInfo(question_.options.path).dir().filePath(question_.urls.at(i).fileName());
        text.replace(QDir::toNativeSeparators(headers_.at(i)), QDir::toNativeSeparators(path));
        text.replace(QFileInfo(headers_.at(i)).fileName(), QFileInfo(path).fileName());
    }
}

void OfferCheck::plan(const ModelFacts& facts) {
    PlanQuestion question{.options = question_.options,
                          .folder = QFileInfo(question_.options.path).path()};
    question.options.path = headers_.constFirst();
    const bool open = facts.asksActivation && question.options.activation.isEmpty();
    const auto answered = [this, run = run_, headers = headers_, facts,
                           open](const PlanAnswer& answer) {
        removeHeaders(headers);
        if (run != run_) {
            return;
        }
        OfferVerdict verdict{.fit = fitOf(answer), .facts = factsOf(facts)};
        nameModel(verdict.fit.text);
        for (const QString& sentence : {facts.guess, facts.noChat}) {
            if (!sentence.isEmpty()) {
                verdict.fit.text = sentence + QLatin1Char(' ') + verdict.fit.text;
            }
        }
        if (open) {
            verdict.fit.text += tr(" · faster if it is a ReLU model (its file does not say)");
        }
        emit done(verdict);
    };
    plans_.ask(question, this, answered, true);
}

}  // namespace hearth::ui
