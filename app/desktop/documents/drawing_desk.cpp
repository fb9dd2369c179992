#include "documents/drawing_desk.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QLoggingCategory>
#include <utility>

#include "documents/drawing_child.h"
#include "documents/svg_source.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcDrawings, "hearth.drawings")

namespace {

constexpr int kMostFacts = 1000;
constexpr qsizetype kMostChoices = 1000;

QByteArray hashOf(const QString& source) {
    return QCryptographicHash::hash(source.toUtf8(), QCryptographicHash::Sha256);
}

QByteArray keyOf(const QByteArray& hash, const QSize& pixels) {
    return hash + QByteArray::number(pixels.width()) + 'x' + QByteArray::number(pixels.height());
}

DrawnSvg failed(DrawingTrouble trouble) {
    DrawnSvg drawing;
    drawing.trouble = trouble;
    return drawing;
}

// On the desk's thread.
DrawnSvg drawInChild(const QString& program, const QString& source, const DrawingPlace& place,
                     const std::function<bool()>& stopped, const ChildBounds& bounds) {
    const ChildAnswer answer =
        runChild(program, drawingArguments(place), source.toUtf8(), stopped, bounds);
    const auto drawing =
        answer.why == nullptr ? DrawnSvg::fromBytes(answer.output) : std::optional<DrawnSvg>();
    if (drawing && (drawing->trouble != DrawingTrouble::None ||
                    drawing->picture.size() == drawingPixels(drawing->size, place))) {
        return *drawing;
    }
    if (!stopped()) {
        qCWarning(lcDrawings) << "a drawing was not drawn:"
                              << (answer.why != nullptr ? answer.why
                                                        : "its process wrote something else");
    }
    return failed(DrawingTrouble::TooDemanding);
}

}  // namespace

DrawingDesk::DrawingDesk(QObject* parent)
    : QObject(parent),
      program_(QCoreApplication::applicationFilePath()),
      facts_(kMostFacts),
      pictures_(kMostPictureBytes) {
    thread_.setMaxThreadCount(1);
    thread_.setThreadPriority(QThread::LowPriority);
}

DrawingDesk::~DrawingDesk() {
    close();
}

void DrawingDesk::close() {
    stop_ = true;
    waiting_.clear();
    thread_.waitForDone();
}

std::optional<DrawnSvg> DrawingDesk::known(const QString& source, const DrawingPlace& place) const {
    const QByteArray hash = hashOf(source);
    const DrawnSvg* found = facts_.object(hash);
    if (found != nullptr && found->trouble == DrawingTrouble::None) {
        found = pictures_.object(keyOf(hash, drawingPixels(found->size, place)));
    }
    return found == nullptr ? std::optional<DrawnSvg>() : *found;
}

quint64 DrawingDesk::draw(const QString& source, const DrawingPlace& place, const Done& done) {
    if (waiting_.size() >= kMostWaiting) {
        waiting_.removeFirst();
    }
    waiting_.append({++lastTicket_, source, place, done, std::make_shared<std::atomic<bool>>()});
    QMetaObject::invokeMethod(this, &DrawingDesk::next, Qt::QueuedConnection);
    return lastTicket_;
}

void DrawingDesk::drop(quint64 ticket) {
    waiting_.removeIf([ticket](const Wish& wish) { return wish.ticket == ticket; });
    if (ticket != 0 && current_.ticket == ticket) {
        *current_.unwanted = true;
    }
}

void DrawingDesk::forgetTrouble(const QString& source) {
    const QByteArray hash = hashOf(source);
    const DrawnSvg* facts = facts_.object(hash);
    if (facts != nullptr && facts->trouble != DrawingTrouble::None) {
        facts_.remove(hash);
    }
}

void DrawingDesk::next() {
    if (stop_ || current_.ticket != 0 || waiting_.isEmpty()) {
        return;
    }
    current_ = waiting_.takeFirst();
    // Another block with the same drawing may have had it drawn meanwhile.
    if (const auto already = known(current_.source, current_.place)) {
        drawn(*already);
        return;
    }
    if (current_.source.size() > kMostSvgCharacters) {
        drawn(failed(DrawingTrouble::TooLarge));
        return;
    }
    thread_.start([this, program = program_, bounds = bounds_, source = current_.source,
                   place = current_.place, unwanted = current_.unwanted] {
        const auto stopped = [&] { return stop_ || *unwanted; };
        const DrawnSvg drawing =
            stopped() ? DrawnSvg() : drawInChild(program, source, place, stopped, bounds);
        QMetaObject::invokeMethod(
            this, [this, drawing] { drawn(drawing); }, Qt::QueuedConnection);
    });
}

void DrawingDesk::drawn(const DrawnSvg& drawing) {
    const Wish wish = std::exchange(current_, {});
    QMetaObject::invokeMethod(this, &DrawingDesk::next, Qt::QueuedConnection);
    if (!stop_ && !*wish.unwanted) {
        keep(wish, drawing);
        wish.done(drawing);
    }
}

void DrawingDesk::keep(const Wish& wish, const DrawnSvg& drawing) {
    const QByteArray hash = hashOf(wish.source);
    auto* facts = new DrawnSvg(drawing);
    facts->picture = {};
    facts_.insert(hash, facts);
    if (drawing.trouble == DrawingTrouble::None) {
        pictures_.insert(keyOf(hash, drawing.picture.size()), new DrawnSvg(drawing),
                         drawing.picture.sizeInBytes());
    }
}

bool DrawingDesk::showsSource(const QString& source) const {
    return !asSource_.isEmpty() && asSource_.contains(hashOf(source));
}

void DrawingDesk::setShowsSource(const QString& source, bool shows) {
    if (!shows) {
        asSource_.remove(hashOf(source));
        return;
    }
    if (asSource_.size() >= kMostChoices) {
        asSource_.erase(asSource_.constBegin());
    }
    asSource_.insert(hashOf(source));
}

}  // namespace hearth::ui
