#include "library/model_packing.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <cmath>

#include "library/model_library.h"
#include "settings/app_settings.h"
#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

// The source is read twice, the copy written once and read once. Two cores with an SSD did all of
// that at this rate with the starter model, whose rows are computed anew on the way.
constexpr double kBytesPerSecond = 300e6;

QString minutesWords(quint64 sourceBytes, quint64 targetBytes) {
    const double seconds = 2 * static_cast<double>(sourceBytes + targetBytes) / kBytesPerSecond;
    const int minutes = static_cast<int>(std::lround(seconds / 60));
    return minutes < 1 ? ModelPacking::tr("less than a minute")
                       : ModelPacking::tr("about %n minutes", nullptr, minutes);
}

// A name that any file system accepts.
QString fileNameOf(QString name) {
    static const QRegularExpression kOdd(QStringLiteral("[^A-Za-z0-9._+-]+"));
    name.replace(kOdd, QStringLiteral("-"));
    while (name.startsWith(QLatin1Char('.')) || name.startsWith(QLatin1Char('-'))) {
        name.remove(0, 1);
    }
    return (name.isEmpty() ? QStringLiteral("model") : name.left(120)) +
           QStringLiteral(".hearth.gguf");
}

}  // namespace

ModelPacking::ModelPacking(ModelLibrary& library, AppSettings& settings, PackService* service,
                           const QString& noteFile, QObject* parent)
    : QObject(parent),
      library_(library),
      settings_(settings),
      service_(service),
      noteFile_(noteFile) {
    if (service_ == nullptr) {
        return;
    }
    connect(service_, &PackService::outlook, this, &ModelPacking::onOutlook);
    connect(service_, &PackService::step, this, &ModelPacking::onStep);
    connect(service_, &PackService::ended, this, &ModelPacking::onEnded);
    connect(service_, &PackService::discarded, this, [this](const QString& wrong) {
        if (wrong.isEmpty()) {
            forgetNote();
            enter("");
        } else {
            enter("interrupted", wrong);
        }
    });
    const auto note = readPackNote(noteFile_);
    if (!note) {
        return;
    }
    note_ = *note;
    if (QFileInfo::exists(note_.job.target + QStringLiteral(".partial"))) {
        state_ = QStringLiteral("interrupted");
    } else {
        forgetNote();  // it is done, or was removed by hand
    }
}

QStringList ModelPacking::targetsFor(const QString& path) const {
    const ModelRow* row = library_.models().find(path);
    const QFileInfo file(path);
    const QString name = row != nullptr ? row->found.name : file.completeBaseName();
    QStringList all;
    // A model of another application is in a folder of that application.
    if (row != nullptr && row->found.app.isEmpty()) {
        all << QDir(file.path()).filePath(fileNameOf(name));
    }
    const QString downloads = library_.downloadFolder();
    if (!downloads.isEmpty()) {
        all << QDir(downloads).filePath(fileNameOf(name));
    }
    all.removeDuplicates();
    return all;
}

void ModelPacking::consider(const QString& path) {
    const ModelRow* row = library_.models().find(path);
    if (row == nullptr || state_ == QLatin1String("running") ||
        state_ == QLatin1String("stopping") || state_ == QLatin1String("interrupted")) {
        return;
    }
    if (service_ == nullptr) {
        note_ = {row->found.name, {}};
        enter("refused", tr("Hearth is open in another window; prepare it there."));
        return;
    }
    const LoadOptions options = settings_.loadOptions(path);
    note_ = {row->found.name,
             {.source = path,
              .activation = options.activation,
              .predictorInput = options.predictorInput}};
    outlook_.reset();
    enter("looking");
    service_->askOutlook(++asked_, note_.job, targetsFor(path));
}

QStringList ModelPacking::facts() const {
    if (!outlook_) {
        return {};
    }
    const PackOutlook& outlook = *outlook_;
    const QString size = sizeWords(outlook.targetBytes);
    return {
        outlook.freeBytes < 0
            ? tr("The copy takes %1 on the disk. The original stays as it is.").arg(size)
            : tr("The copy takes %1 on the disk, which has %2 free. The original stays as it "
                 "is.")
                  .arg(size, sizeWords(static_cast<quint64>(outlook.freeBytes))),
        tr("It takes %1 on an SSD, and several times that on a hard disk. Hearth can be used "
           "meanwhile.")
            .arg(minutesWords(outlook.sourceBytes, outlook.targetBytes)),
        outlook.profileTokens > 0
            ? tr("The most used parts come first, as counted over %1 tokens of its answers here.")
                  .arg(windowLocale().toString(outlook.profileTokens))
            : tr("The most used parts are not known yet. Let the model write a few answers first "
                 "for a better copy."),
        tr("The copy will be saved as %1.").arg(QDir::toNativeSeparators(outlook.target))};
}

void ModelPacking::onOutlook(quint64 id, const PackOutlook& outlook) {
    if (id != asked_ || state_ != QLatin1String("looking")) {
        return;
    }
    note_.job.target = outlook.target;
    if (!outlook.wrong.isEmpty()) {
        enter("refused", outlook.wrong);
        return;
    }
    outlook_ = outlook;
    enter("ready");
}

void ModelPacking::begin() {
    if (state_ != QLatin1String("ready") && state_ != QLatin1String("interrupted")) {
        return;
    }
    // The note is written first, so that a file on the disk is never unknown.
    if (const QString wrong = writePackNote(noteFile_, note_); !wrong.isEmpty()) {
        enter("failed", wrong);
        return;
    }
    step_ = {};
    speed_.reset();
    clock_.start();
    enter("running");
    service_->pack(note_.job);
}

void ModelPacking::stop() {
    if (state_ == QLatin1String("running")) {
        enter("stopping");
        service_->stop();
    }
}

void ModelPacking::discard() {
    if (state_ == QLatin1String("interrupted")) {
        enter("stopping");
        service_->discard(note_.job.target);
    }
}

void ModelPacking::dismiss() {
    if (!state_.isEmpty() && state_ != QLatin1String("running") &&
        state_ != QLatin1String("stopping") && state_ != QLatin1String("interrupted")) {
        ++asked_;
        enter("");
    }
}

void ModelPacking::onStep(const PackStep& step) {
    if (state_ != QLatin1String("running")) {
        return;
    }
    const quint64 before = step_.writtenBytes + step_.checkedBytes;
    const quint64 now = step.writtenBytes + step.checkedBytes;
    if (step_.targetBytes > 0 && now > before) {  // the first step includes the earlier attempt
        speed_.add(static_cast<qint64>(now - before), clock_.elapsed());
    }
    step_ = step;
    emit changed();
}

void ModelPacking::onEnded(const PackOutcome& outcome) {
    if (state_ != QLatin1String("running") && state_ != QLatin1String("stopping")) {
        return;
    }
    forgetNote();
    switch (outcome.end) {
        case PackOutcome::End::Done:
            enter("done");
            library_.include(note_.job.target);
            emit done(note_.name, note_.job.target);
            break;
        case PackOutcome::End::Stopped:
            enter("");
            break;
        case PackOutcome::End::Failed:
            enter("failed", outcome.wrong);
            emit failed(note_.name, outcome.wrong);
            break;
    }
}

void ModelPacking::enter(const char* state, const QString& wrong) {
    state_ = QString::fromLatin1(state);
    wrong_ = wrong;
    emit changed();
}

void ModelPacking::forgetNote() {
    if (!noteFile_.isEmpty()) {
        QFile::remove(noteFile_);
    }
}

double ModelPacking::progress() const {
    if (step_.targetBytes == 0) {
        return -1;
    }
    return static_cast<double>(step_.writtenBytes + step_.checkedBytes) /
           (2 * static_cast<double>(step_.targetBytes));
}

QString ModelPacking::line() const {
    if (state_ == QLatin1String("stopping")) {
        return tr("Stopping…");
    }
    if (state_ != QLatin1String("running")) {
        return {};
    }
    if (step_.targetBytes == 0) {
        return tr("Beginning…");
    }
    const QString all = sizeWords(step_.targetBytes);
    QStringList words{step_.writtenBytes < step_.targetBytes
                          ? tr("%1 of %2 written").arg(sizeWords(step_.writtenBytes), all)
                          : tr("%1 of %2 checked").arg(sizeWords(step_.checkedBytes), all)};
    const auto left =
        static_cast<qint64>(2 * step_.targetBytes - step_.writtenBytes - step_.checkedBytes);
    const QString time = timeLeftText(speed_.secondsLeft(left, clock_.elapsed()));
    if (!time.isEmpty()) {
        words << time;
    }
    return words.join(QStringLiteral(" · "));
}

}  // namespace hearth::ui
