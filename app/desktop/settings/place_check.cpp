#include "settings/place_check.h"

#include <QDir>
#include <QFileInfo>
#include <QMutex>
#include <thread>

namespace hearth::ui {

struct PlaceCheck::Link {
    QMutex mutex;
    PlaceCheck* check;  // null: gone
};

PlaceCheck::PlaceCheck(QObject* parent) : QObject(parent), link_(std::make_shared<Link>()) {
    link_->check = this;
}

PlaceCheck::~PlaceCheck() {
    const QMutexLocker locker(&link_->mutex);
    link_->check = nullptr;
}

void PlaceCheck::look(const Questions& questions) {
    const int turn = ++turn_;
    // Nobody waits for this thread, as in FolderView: a server that does not answer blocks it for
    // minutes.
    std::thread([link = link_, turn, questions] {
        QHash<QString, QString> said;
        for (auto it = questions.begin(); it != questions.end(); ++it) {
            if (const QString sentence = say(it.value()); !sentence.isEmpty()) {
                said.insert(it.key(), sentence);
            }
        }
        const QMutexLocker locker(&link->mutex);
        if (link->check != nullptr) {
            QMetaObject::invokeMethod(
                link->check,
                [check = link->check, turn, said] {
                    if (turn == check->turn_) {
                        emit check->looked(said);
                    }
                },
                Qt::QueuedConnection);
        }
    }).detach();
}

QString PlaceCheck::say(const Question& question) {
    constexpr qsizetype kMostSaid = 3;
    const bool wantsFolder = question.wanted != Wanted::File;
    QStringList said;
    for (const QString& path : question.paths) {
        const QFileInfo place(path);
        const QString name = QDir::toNativeSeparators(path);
        if (place.exists() && place.isDir() != wantsFolder) {
            said << (wantsFolder ? tr("“%1” is a file. Name the folder that it is in.").arg(name)
                                 : tr("“%1” is a folder. Name a file in it.").arg(name));
        } else if (!place.exists()) {
            said << (question.wanted == Wanted::Folders
                         ? tr("The folder “%1” is not there. Attach its disk, or take it off.")
                     : question.wanted == Wanted::Target
                         ? tr("The folder “%1” is not there. If it is on a disk, attach it; "
                              "else the next download makes the folder.")
                         : tr("The file “%1” is not there. Attach its disk, or choose "
                              "another."))
                        .arg(name);
        } else if (question.wanted == Wanted::Target && !place.isWritable()) {
            said << tr("The folder “%1” cannot be written. Choose another.").arg(name);
        } else if (question.wanted != Wanted::Target && !place.isReadable()) {
            said << tr("“%1” cannot be read. Change its permissions, or choose another.").arg(name);
        }
        if (said.size() == kMostSaid) {
            break;
        }
    }
    return said.join(QLatin1Char('\n'));
}

}  // namespace hearth::ui
