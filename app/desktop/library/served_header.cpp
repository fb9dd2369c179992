#include "library/served_header.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "downloads/http_fields.h"
#include "network/network_door.h"
#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

// Returns nothing, or what is wrong. Resizing before writing leaves a hole where the file system
// supports holes. Without them it takes time, and the disk may be too small, which is then
// reported.
QString HeaderFetch::writeFile(const QString& folder, const ServedHeader& header,
                               const QList<Piece>& pieces) {
    QFile file(header.path);
    bool written = QDir().mkpath(folder) && file.open(QIODevice::WriteOnly | QIODevice::Truncate) &&
                   file.resize(header.bytes);
    for (const Piece& piece : pieces) {
        written = written && file.seek(piece.from) && file.write(piece.bytes) == piece.bytes.size();
    }
    if (written && file.flush()) {
        return {};
    }
    const QString why = file.errorString();
    file.close();
    file.remove();
    return tr("The header could not be written to %1: %2.")
        .arg(QDir::toNativeSeparators(folder), why);
}

HeaderFetch::HeaderFetch(NetworkDoor& door, const QString& folder, QObject* parent)
    : QObject(parent), door_(door), folder_(folder) {
    pool_.setMaxThreadCount(1);
    patience_.setSingleShot(true);
    patience_.setInterval(60'000);
    connect(&patience_, &QTimer::timeout, this, &HeaderFetch::goWithoutProfile);
}

HeaderFetch::~HeaderFetch() {
    cancel();
    pool_.waitForDone();
}

void HeaderFetch::start(const QUrl& url, const QString& title, const QString& name) {
    name_ = name;
    url_ = url;
    title_ = title;
    have_.clear();
    total_ = -1;
    header_ = 0;
    etag_.clear();
    lastModified_.clear();
    sha256_.clear();
    wanted_.clear();
    profile_.clear();
    patience_.stop();
    want_ = firstBytes_;
    ask();
}

void HeaderFetch::cancel() {
    patience_.stop();
    asking_.reset();
}

void HeaderFetch::ask() {
    asking_ = std::make_unique<QObject>();
    const qint64 from = have_.size();
    const qint64 end = total_ < 0 ? want_ : std::min(want_, total_);
    door_.fetch({.url = url_,
                 .purpose = tr("Header of %1").arg(title_),
                 .range = {{from, end}},
                 .withToken = true,
                 .bodyBytesMost = end - from},
                asking_.get(), [this](const DoorAnswer& answer) { take(answer); });
}

void HeaderFetch::take(const DoorAnswer& answer) {
    if (!answer.ok()) {
        finish({.wrong = answer.failure == DoorFailure::TooLarge
                             ? tr("The server sends the whole file instead of its beginning, so "
                                  "there is no forecast before the download.")
                             : answer.text});
        return;
    }
    qint64 from = 0;
    qint64 total = answer.body.size();  // a server without ranges, and a small file
    if (answer.status == 206) {
        const auto range = contentRange(answer.contentRange);
        if (!range || range->total < 0 || range->from != have_.size() ||
            range->end - range->from != answer.body.size() || range->end > range->total) {
            finish({.wrong = tr("The server does not say which part of the file it sends. Try "
                                "again later, or download the model without a forecast.")});
            return;
        }
        from = range->from;
        total = range->total;
    }
    if (total_ >= 0 && (total != total_ || from != have_.size() || !sameFile(answer))) {
        finish({.wrong = tr("The file changed on the server meanwhile. Try again.")});
        return;
    }
    if (answer.body.isEmpty() || total > kFileBytesMost) {
        finish({.wrong = tr("The server gives an impossible size for the file: %1 bytes.")
                             .arg(windowLocale().toString(total))});
        return;
    }
    if (total_ < 0) {
        etag_ = strongEtag(answer.etag);
        lastModified_ = answer.lastModified;
    }
    total_ = total;
    have_ += answer.body;
    const QByteArray hash = QByteArray::fromHex(answer.linkedHash);
    sha256_ = hash.size() == 32 ? hash : QByteArray();
    const HeaderExtent extent = headerExtent(have_);
    if (extent.state == HeaderExtent::State::None) {
        finish({.wrong = tr("The file on the server is no model, despite its name.")});
    } else if (extent.state == HeaderExtent::State::Whole) {
        header_ = extent.bytes;
        wanted_ = profileRanges(extent, total_);
        patience_.start();
        nextOfProfile();
    } else if (have_.size() >= total_) {
        finish({.wrong = tr("The model on the server is cut off: its header ends in the middle.")});
    } else if (have_.size() >= headerBytesMost_) {
        finish({.wrong = tr("The header of the model is larger than %1, which no model needs.")
                             .arg(sizeWords(static_cast<quint64>(headerBytesMost_), 0))});
    } else {
        want_ = std::min(headerBytesMost_, want_ * 4);
        ask();
    }
}

// A partial answer may leave out what the first answer said.
bool HeaderFetch::sameFile(const DoorAnswer& answer) const {
    const QByteArray etag = strongEtag(answer.etag);
    if (!etag_.isEmpty() && !etag.isEmpty()) {
        return etag == etag_;
    }
    return lastModified_.isEmpty() || answer.lastModified.isEmpty() ||
           answer.lastModified == lastModified_;
}

void HeaderFetch::nextOfProfile() {
    // A small file may have come with its header.
    while (!wanted_.isEmpty() && wanted_.constFirst().end <= have_.size()) {
        const ByteRange range = wanted_.takeFirst();
        profile_.append({range.from, have_.mid(range.from, range.end - range.from)});
    }
    if (wanted_.isEmpty()) {
        write();
        return;
    }
    asking_ = std::make_unique<QObject>();
    const ByteRange range = wanted_.constFirst();
    door_.fetch({.url = url_,
                 .purpose = tr("Activation profile of %1").arg(title_),
                 .range = {{range.from, range.end}},
                 .withToken = true,
                 .bodyBytesMost = range.end - range.from},
                asking_.get(), [this](const DoorAnswer& answer) { takeProfile(answer); });
}

void HeaderFetch::takeProfile(const DoorAnswer& answer) {
    const ByteRange asked = wanted_.takeFirst();
    const auto range = contentRange(answer.contentRange);
    if (answer.ok() && answer.status == 206 && range && range->from == asked.from &&
        range->end == asked.end && range->total == total_ &&
        answer.body.size() == asked.end - asked.from && sameFile(answer)) {
        profile_.append({asked.from, answer.body});
        nextOfProfile();
    } else {
        goWithoutProfile();
    }
}

// Missing layers would count as layers in which nothing fires.
void HeaderFetch::goWithoutProfile() {
    wanted_.clear();
    profile_.clear();
    write();
}

void HeaderFetch::finish(const ServedHeader& header) {
    asking_.release()->deleteLater();  // it is our caller
    emit done(header);
}

void HeaderFetch::write() {
    patience_.stop();
    asking_ = std::make_unique<QObject>();
    const QByteArray hash =
        QCryptographicHash::hash(url_.toEncoded(), QCryptographicHash::Sha256).toHex().left(24);
    ++files_;
    const QString path = QDir(folder_).filePath(
        name_.isEmpty()
            ? QStringLiteral("%1-%2.header.gguf").arg(QString::fromLatin1(hash)).arg(files_)
            : name_);
    QList<Piece> pieces = profile_;
    pieces.prepend({0, have_.left(header_)});
    ServedHeader header{.path = path, .bytes = total_, .header = header_, .sha256 = sha256_};
    for (const Piece& piece : std::as_const(pieces)) {
        header.fetched += piece.bytes.size();
    }
    const QPointer<QObject> context = asking_.get();
    pool_.start([this, context, header, folder = folder_, pieces] {
        const QString wrong = writeFile(folder, header, pieces);
        QMetaObject::invokeMethod(this, [this, context, header, wrong] {
            if (context == nullptr) {  // nobody wants the answer any more
                QFile::remove(header.path);
            } else {
                finish(wrong.isEmpty() ? header : ServedHeader{.wrong = wrong});
            }
        });
    });
}

}  // namespace hearth::ui
