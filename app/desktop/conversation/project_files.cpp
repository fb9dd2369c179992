#include "conversation/project_files.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "conversation/chats.h"
#include "status/active_model.h"
#include "store/conversation_store.h"

namespace hearth::ui {

namespace {

constexpr int kTogether = 25;  // files of a folder that go into the store in one step

Attachment attachmentFrom(const ReadFile& file, const QString& name) {
    Attachment attachment;
    attachment.name = name;
    attachment.kind = toString(file.kind);
    attachment.hash = file.hash;
    attachment.bytes = file.bytes;
    attachment.characters = file.characters;
    attachment.cut = file.cut;
    attachment.tokens = file.tokens.tokens;
    attachment.tokensExact = file.tokens.isExact;
    return attachment;
}

}  // namespace

ProjectFiles::ProjectFiles(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {}

void ProjectFiles::close() {
    closed_ = true;
    for (Attaching& one : attaching_) {
        if (one.unwanted) {
            *one.unwanted = true;
        }
    }
    for (Reading& reading : readings_) {
        if (reading.unwanted) {
            *reading.unwanted = true;
        }
    }
}

bool ProjectFiles::isReading() const {
    return attachReadings_ > 0 || folderReadings_ > 0 ||
           std::any_of(readings_.begin(), readings_.end(),
                       [](const Reading& reading) { return !reading.read.isEmpty(); });
}

void ProjectFiles::touch() {
    ++revision_;
    emit changed();
}

// ---- attached files ----------------------------------------------------------------------------

QVariantList ProjectFiles::of(qint64 projectId) const {
    QVariantList list;
    const auto add = [&list](qint64 id, const QString& name, const QString& says, bool failed,
                             bool ready) {
        list.append(QVariantMap{{QStringLiteral("id"), id},
                                {QStringLiteral("name"), name},
                                {QStringLiteral("says"), says},
                                {QStringLiteral("failed"), failed},
                                {QStringLiteral("ready"), ready}});
    };
    for (const Attachment& file : parts_.store.projectFiles(projectId)) {
        if (file.path.isEmpty()) {
            add(file.id, file.name, parts_.describe(file), false, true);
        }
    }
    for (const Attaching& one : attaching_) {
        if (one.projectId == projectId) {
            const bool failed = !one.problem.isEmpty();
            add(one.number, one.name, failed ? one.problem : tr("being read…"), failed, false);
        }
    }
    return list;
}

void ProjectFiles::attach(qint64 projectId, const QStringList& paths) {
    if (!parts_.chats.mayWrite()) {
        return;
    }
    qsizetype count = of(projectId).size();
    for (const QString& path : paths) {
        Attaching one{projectId, --lastNumber_, QFileInfo(path).fileName(), {}};
        if (++count > kMostFiles) {
            one.problem = tr("Not added: a project takes %1 files at most.").arg(int{kMostFiles});
            attaching_.append(one);
            break;
        }
        ++attachReadings_;
        one.unwanted = parts_.desk.read(
            path, parts_.model.isReady() ? parts_.model.path() : QString(),
            [this, number = one.number](const ReadFile& file) { attached(number, file); });
        attaching_.append(one);
    }
    touch();
}

void ProjectFiles::attached(qint64 number, const ReadFile& file) {
    --attachReadings_;
    const auto one = std::find_if(attaching_.begin(), attaching_.end(),
                                  [&](const Attaching& each) { return each.number == number; });
    if (one == attaching_.end()) {
        emit dropped();  // it was removed meanwhile
        return;
    }
    one->problem = file.problem;
    if (file.problem.isEmpty()) {
        const Attaching done = attaching_.takeAt(one - attaching_.begin());
        parts_.chats.written(
            parts_.store.addProjectFiles(done.projectId, {attachmentFrom(file, done.name)}),
            tr("%1 was not added.").arg(done.name));
        emit dropped();
    }
    touch();
}

void ProjectFiles::remove(qint64 projectId, qint64 id) {
    if (id < kNoId) {
        attaching_.removeIf([&](const Attaching& one) {
            if (one.number == id && one.unwanted) {
                *one.unwanted = true;
            }
            return one.number == id;
        });
    } else {
        const QList<Attachment> files = parts_.store.projectFiles(projectId);
        const bool isThere = std::any_of(files.begin(), files.end(),
                                         [&](const Attachment& file) { return file.id == id; });
        if (!isThere || !parts_.chats.mayWrite() ||
            !parts_.chats.written(parts_.store.dropProjectFiles({id}),
                                  tr("The file is still in the project."))) {
            return;
        }
        emit dropped();
    }
    touch();
}

void ProjectFiles::look(qint64 projectId, qint64 id) {
    for (const Attachment& file : parts_.store.projectFiles(projectId)) {
        if (file.id == id) {
            parts_.page.show(file.name, file.hash, {}, 0);
        }
    }
}

// ---- the folder --------------------------------------------------------------------------------

QString ProjectFiles::folderSays(qint64 projectId) const {
    const auto project = parts_.store.project(projectId);
    if (!project || project->folder.isEmpty()) {
        return {};
    }
    const auto reading = readings_.constFind(projectId);
    if (reading != readings_.constEnd()) {
        return reading->surveyed ? tr("Being read: %1 of %2 new files.")
                                       .arg(reading->all - reading->next.size())
                                       .arg(reading->all)
                                 : tr("The folder is being looked at.");
    }
    const auto seen = seen_.constFind(projectId);
    if (seen == seen_.constEnd()) {
        return tr("The folder is looked at before the next question.");
    }
    if (!seen->survey.there) {
        return tr("The folder is not there any more, or cannot be read.");
    }
    const qsizetype searched = seen->survey.files.size() - seen->failed.size();
    QStringList says{tr("%n files are searched.", nullptr, static_cast<int>(searched))};
    if (seen->survey.cut) {
        says << tr("The folder holds more than Hearth looks at: the rest is left out.");
    }
    if (seen->survey.tooLarge > 0) {
        says << tr("Files above 32 MiB are left out: %1.").arg(seen->survey.tooLarge);
    }
    if (!seen->failed.isEmpty()) {
        says << tr("Files that cannot be read: %1.").arg(seen->failed.size());
    }
    if (seen->survey.closed > 0) {
        says << tr("Folders that cannot be read: %1.").arg(seen->survey.closed);
    }
    return says.join(QLatin1Char(' '));
}

void ProjectFiles::refresh(qint64 projectId, const std::function<void()>& done) {
    const auto project = parts_.store.project(projectId);
    if (closed_ || !project || project->folder.isEmpty() || parts_.store.readOnly()) {
        if (done) {
            done();
        }
        return;
    }
    auto reading = readings_.find(projectId);
    const bool isNew = reading == readings_.end();
    if (isNew) {
        reading = readings_.insert(projectId, {});
    } else {
        reading->again = true;
    }
    if (done) {
        reading->waiting.append(done);
        QTimer::singleShot(patienceMs_, this, [this, projectId, number = lastReading_ + isNew] {
            const auto late = readings_.constFind(projectId);
            if (!closed_ && late != readings_.constEnd() && late->number <= number) {
                keep(projectId);
                tellWaiting(projectId);
            }
        });
    }
    if (isNew) {
        reading->number = ++lastReading_;
        begin(projectId);
    }
}

void ProjectFiles::begin(qint64 projectId) {
    Reading& reading = readings_[projectId];
    reading.surveyed = false;
    reading.again = false;
    reading.folder = parts_.store.project(projectId).value_or(Project{}).folder;
    parts_.desk.survey(reading.folder,
                       [this, projectId, number = reading.number](const FolderSurvey& survey) {
                           const auto here = readings_.constFind(projectId);
                           if (here != readings_.constEnd() && here->number == number) {
                               onSurvey(projectId, survey);
                           }
                       });
    touch();
}

void ProjectFiles::onSurvey(qint64 projectId, const FolderSurvey& survey) {
    Reading& reading = readings_[projectId];
    Seen& seen = seen_[projectId];
    seen.survey = survey;
    reading.surveyed = true;
    QHash<QString, Attachment> known;
    QHash<QString, SurveyedFile> failed;
    for (const Attachment& file : parts_.store.projectFiles(projectId)) {
        if (!file.path.isEmpty()) {
            known.insert(file.path, file);
        }
    }
    for (const SurveyedFile& file : survey.files) {
        const auto former = known.constFind(file.path);
        const bool same = former != known.constEnd() && former->bytes == file.bytes &&
                          former->modifiedMs == file.modifiedMs;
        if (seen.failed.value(file.path) == file) {
            failed.insert(file.path, file);
        } else if (!same) {
            reading.next.append(file);
            continue;  // its former text is searched until it is read
        }
        if (same) {
            known.remove(file.path);
        }
    }
    seen.failed = failed;
    QList<qint64> gone;
    for (const Attachment& file : std::as_const(known)) {
        const bool comes =
            std::any_of(reading.next.begin(), reading.next.end(),
                        [&](const SurveyedFile& next) { return next.path == file.path; });
        if (!comes) {
            gone.append(file.id);
        }
    }
    if (!gone.isEmpty()) {
        parts_.chats.written(parts_.store.dropProjectFiles(gone),
                             tr("The files of the project could not be noted."));
        emit dropped();
    }
    reading.all = static_cast<int>(reading.next.size());
    readNext(projectId);
}

// One after the other: other files may be read in between.
void ProjectFiles::readNext(qint64 projectId) {
    Reading& reading = readings_[projectId];
    if (reading.read.size() >= kTogether && !keep(projectId)) {
        reading.next.clear();  // the disk refuses; the next question tries again
    }
    if (reading.next.isEmpty()) {
        keep(projectId);
        if (reading.again) {
            begin(projectId);
            return;
        }
        const auto waiting = readings_.take(projectId).waiting;
        touch();
        emit dropped();
        for (const auto& done : waiting) {
            done();
        }
        return;
    }
    const SurveyedFile file = reading.next.takeFirst();
    ++folderReadings_;
    reading.unwanted = parts_.desk.read(
        QDir(reading.folder).filePath(file.path),
        parts_.model.isReady() ? parts_.model.path() : QString(),
        [this, projectId, number = reading.number, file](const ReadFile& read) {
            --folderReadings_;
            const auto here = readings_.find(projectId);
            if (here == readings_.end() || here->number != number) {
                emit dropped();  // nobody wants it any more
                return;
            }
            if (read.problem.isEmpty()) {
                Attachment attachment = attachmentFrom(read, file.path);
                attachment.path = file.path;
                attachment.bytes = file.bytes;
                attachment.modifiedMs = file.modifiedMs;
                here->read.append(attachment);
            } else if (!read.notKept) {
                seen_[projectId].failed.insert(file.path, file);
                // Its former text is no longer what it says.
                for (const Attachment& former : parts_.store.projectFiles(projectId)) {
                    if (former.path == file.path) {
                        parts_.store.dropProjectFiles({former.id});
                    }
                }
            }
            touch();
            readNext(projectId);
        },
        reading.folder);
}

bool ProjectFiles::keep(qint64 projectId) {
    Reading& reading = readings_[projectId];
    const QList<Attachment> files = std::exchange(reading.read, {});
    return files.isEmpty() ||
           parts_.chats.written(parts_.store.addProjectFiles(projectId, files),
                                tr("The files of the project could not be noted."));
}

void ProjectFiles::tellWaiting(qint64 projectId) {
    const auto waiting = std::exchange(readings_[projectId].waiting, {});
    for (const auto& done : waiting) {
        done();
    }
}

void ProjectFiles::forget(qint64 projectId) {
    attaching_.removeIf([&](const Attaching& one) {
        if (one.projectId == projectId && one.unwanted) {
            *one.unwanted = true;
        }
        return one.projectId == projectId;
    });
    forgetFolder(projectId);
}

void ProjectFiles::forgetFolder(qint64 projectId) {
    seen_.remove(projectId);
    if (readings_.contains(projectId)) {
        if (readings_[projectId].unwanted) {
            *readings_[projectId].unwanted = true;
        }
        // The questions go on with what there is.
        const auto waiting = readings_.take(projectId).waiting;
        for (const auto& done : waiting) {
            done();
        }
    }
    emit dropped();
    touch();
}

}  // namespace hearth::ui
