#include "bridge/local_packing.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLoggingCategory>
#include <QTemporaryFile>
#include <string>

#include <hearth/tools.h>

#include "bridge/error_text.h"
#include "system/durable_file.h"
#include "system/size_words.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcPacking, "hearth.packing")

namespace {

constexpr qint64 kStepMs = 100;

tools::PackOptions optionsOf(const PackJob& job, const QString& cacheFolder) {
    tools::PackOptions options;
    options.output_path = job.target.toStdString();
    options.activation = job.activation.toStdString();
    options.predictor_input = job.predictorInput.toStdString();
    options.cache_folder = QDir::toNativeSeparators(cacheFolder).toStdString();
    return options;
}

QString sentenceOf(const Error& error, const QString& target) {
    qCWarning(lcPacking).noquote() << logLineFor(error);
    return sentenceForPacking(error, target);
}

// Tries to write: permissions alone do not decide. Creates a missing folder.
bool mayWriteIn(const QString& folder) {
    QTemporaryFile probe(QDir(folder).filePath(QStringLiteral(".hearth-XXXXXX")));
    return QDir().mkpath(folder) && probe.open();
}

QString withoutRoom(quint64 bytes, qint64 freeBytes) {
    return PackService::tr(
               "The copy needs %1, and the disk has %2 free. Make some room on it, or choose "
               "another folder for downloads in the settings.")
        .arg(sizeWords(bytes), sizeWords(static_cast<quint64>(freeBytes)));
}

}  // namespace

LocalPacking::LocalPacking(const QString& cacheFolder, QObject* parent)
    : PackService(parent),
      cacheFolder_(cacheFolder),
      cancellation_(std::make_unique<Cancellation>()) {
    pool_.setMaxThreadCount(1);
}

LocalPacking::~LocalPacking() {
    LocalPacking::shutdown(-1);
}

bool LocalPacking::shutdown(int timeoutMs) {
    pool_.clear();
    keeps_ = true;
    cancellation_->request();
    return pool_.waitForDone(timeoutMs);
}

void LocalPacking::askOutlook(quint64 id, const PackJob& job, const QStringList& targets) {
    latest_ = id;
    pool_.start([this, id, job, targets] {
        if (latest_ != id) {
            return;
        }
        const PackOutlook found = look(job, targets);
        QMetaObject::invokeMethod(this, [this, id, found] { emit outlook(id, found); });
    });
}

PackOutlook LocalPacking::look(const PackJob& job, const QStringList& targets) const {
    PackOutlook found;
    PackJob wanted = job;
    wanted.target.clear();
    for (const QString& target : targets) {
        if (mayWriteIn(QFileInfo(target).path())) {
            wanted.target = target;
            break;
        }
    }
    if (wanted.target.isEmpty()) {
        found.wrong =
            tr("No folder for the copy can be written. Choose a folder for downloads in the "
               "settings.");
        return found;
    }
    found.target = wanted.target;
    if (QFileInfo::exists(wanted.target)) {
        found.wrong = tr("There is a file named “%1” already, in %2. It may be the prepared copy: "
                         "use that one, or delete it first.")
                          .arg(QFileInfo(wanted.target).fileName(),
                               QDir::toNativeSeparators(QFileInfo(wanted.target).path()));
        return found;
    }
    const auto preview =
        tools::preview_pack(job.source.toStdString(), optionsOf(wanted, cacheFolder_));
    if (!preview) {
        found.wrong = sentenceOf(preview.error(), wanted.target);
        return found;
    }
    found.sourceBytes = preview->input_bytes;
    found.targetBytes = preview->output_bytes;
    found.profileTokens = preview->by_hotness ? preview->profile_tokens : 0;
    found.freeBytes = freeBytes(QFileInfo(wanted.target).path());
    const quint64 missing = preview->output_bytes - preview->kept_bytes;
    if (found.freeBytes >= 0 && static_cast<quint64>(found.freeBytes) < missing) {
        found.wrong = withoutRoom(missing, found.freeBytes);
    }
    return found;
}

void LocalPacking::pack(const PackJob& job) {
    cancellation_->reset();
    pool_.start([this, job] {
        const PackOutcome outcome = run(job);
        QMetaObject::invokeMethod(this, [this, outcome] { emit ended(outcome); });
    });
}

PackOutcome LocalPacking::run(const PackJob& job) {
    QElapsedTimer since;
    const auto told = [this, &since](const tools::PackProgress& progress) {
        const bool last = progress.verified_bytes == progress.output_bytes;
        if (since.isValid() && since.elapsed() < kStepMs && !last) {
            return;
        }
        since.start();
        const PackStep now{progress.written_bytes, progress.verified_bytes, progress.output_bytes};
        QMetaObject::invokeMethod(this, [this, now] { emit step(now); });
    };
    const auto report =
        tools::pack(job.source.toStdString(), optionsOf(job, cacheFolder_), told, *cancellation_);
    if (report) {
        return {.end = PackOutcome::End::Done};
    }
    const bool stopped = report.error().code == ErrorCode::Cancelled;
    PackOutcome outcome{.end = stopped ? PackOutcome::End::Stopped : PackOutcome::End::Failed,
                        .wrong = stopped ? QString() : sentenceOf(report.error(), job.target)};
    if (stopped && keeps_) {
        return outcome;
    }
    // If another packing writes this target, its file is not ours to remove. Discarding then fails.
    if (const auto gone = tools::discard_partial_pack(job.target.toStdString()); !gone && stopped) {
        outcome = {.end = PackOutcome::End::Failed, .wrong = sentenceOf(gone.error(), job.target)};
    }
    return outcome;
}

void LocalPacking::stop() {
    cancellation_->request();
}

void LocalPacking::discard(const QString& target) {
    pool_.start([this, target] {
        const auto gone = tools::discard_partial_pack(target.toStdString());
        const QString wrong = gone ? QString() : sentenceOf(gone.error(), target);
        QMetaObject::invokeMethod(this, [this, wrong] { emit discarded(wrong); });
    });
}

}  // namespace hearth::ui
