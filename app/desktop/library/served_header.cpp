#include "served_header.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QLocale>
#include <QPointer>
#include <algorithm>

#include "http_fields.h"
#include "network_door.h"
#include "size_words.h"

namespace hearth::ui {

namespace {

// What is wrong, or nothing. Resizing before writing leaves a hole where the file system has holes.
// Where it has none, that takes its time, and the disk may be too small for it, which is said.
QString writeHeader(const QString& folder, const ServedHeader& header, const QByteArray& bytes) {
    QFile file(header.path);
    if (QDir().mkpath(folder) && file.open(QIODevice::WriteOnly | QIODevice::Truncate) &&
        file.resize(header.bytes) && file.seek(0) && file.write(bytes) == bytes.size() &&
        file.flush()) {
        return {};
    }
    const QString why = file.errorString();
    file.close();
    file.remove();
    return HeaderFetch::tr("The header could not be written to %1: %2.")
        .arg(QDir::toNativeSeparators(folder), why);
}

}  // namespace

HeaderFetch::HeaderFetch(NetworkDoor& door, const QString& folder, QObject* parent)
    : QObject(parent), door_(door), folder_(folder) {
    pool_.setMaxThreadCount(1);
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
    sha256_.clear();
    want_ = firstBytes_;
    ask();
}

void HeaderFetch::cancel() {
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
                             ? tr("The server sends all of the file instead of its beginning, so "
                                  "nothing can be said before it is downloaded.")
                             : answer.text});
        return;
    }
    qint64 from = 0;
    qint64 total = answer.body.size();  // a server that knows no ranges, and a file that is small
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
    if (total_ >= 0 && (total != total_ || from != have_.size())) {
        finish({.wrong = tr("The file changed on the server meanwhile. Try again.")});
        return;
    }
    if (answer.body.isEmpty() || total > kFileBytesMost) {
        finish({.wrong = tr("The server says the file has %1 bytes, which cannot be.")
                             .arg(QLocale().toString(total))});
        return;
    }
    total_ = total;
    have_ += answer.body;
    const QByteArray hash = QByteArray::fromHex(answer.linkedHash);
    sha256_ = hash.size() == 32 ? hash : QByteArray();
    const HeaderExtent extent = headerExtent(have_);
    if (extent.state == HeaderExtent::State::None) {
        finish({.wrong = tr("The file on the server is no model, whatever it is called.")});
    } else if (extent.state == HeaderExtent::State::Whole) {
        have_.truncate(extent.bytes);
        write();
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

void HeaderFetch::finish(const ServedHeader& header) {
    asking_.release()->deleteLater();  // it is what called us
    emit done(header);
}

void HeaderFetch::write() {
    asking_.release()->deleteLater();  // it is what called us
    asking_ = std::make_unique<QObject>();
    const QByteArray hash =
        QCryptographicHash::hash(url_.toEncoded(), QCryptographicHash::Sha256).toHex().left(24);
    ++files_;
    const QString path = QDir(folder_).filePath(
        name_.isEmpty()
            ? QStringLiteral("%1-%2.header.gguf").arg(QString::fromLatin1(hash)).arg(files_)
            : name_);
    const ServedHeader header{
        .path = path, .bytes = total_, .fetched = have_.size(), .sha256 = sha256_};
    const QPointer<QObject> context = asking_.get();
    pool_.start([this, context, header, folder = folder_, have = have_] {
        const QString wrong = writeHeader(folder, header, have);
        QMetaObject::invokeMethod(this, [this, context, header, wrong] {
            if (context == nullptr) {  // nobody wants it any more
                QFile::remove(header.path);
            } else {
                finish(wrong.isEmpty() ? header : ServedHeader{.wrong = wrong});
            }
        });
    });
}

}  // namespace hearth::ui
