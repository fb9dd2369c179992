// Has drawings drawn by a process of their own, one at a time, and keeps the pictures for a while.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QCache>
#include <QList>
#include <QObject>
#include <QSet>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "documents/child_run.h"
#include "documents/drawing.h"

namespace hearth::ui {

// Called by the window's thread.
class DrawingDesk : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")

public:
    static constexpr qsizetype kMostWaiting = 64;
    static constexpr int kMostPictureBytes = 64 << 20;
    // A child that takes longer was limited without success.
    static constexpr ChildBounds kBounds = {.mostMs = 20'000, .mostBytes = DrawnSvg::kMostBytes};

    using Done = std::function<void(const DrawnSvg&)>;

    // program: Hearth itself (drawing_child.h).
    explicit DrawingDesk(QObject* parent = nullptr);
    ~DrawingDesk() override;

    // In place of this program; before the first drawing.
    void setProgram(const QString& path, const ChildBounds& bounds = kBounds) {
        program_ = path;
        bounds_ = bounds;
    }

    // The drawing that was made for such a place before, or why none was. Empty: it is not known,
    // or no more.
    std::optional<DrawnSvg> known(const QString& source, const DrawingPlace& place) const;
    // Draws for a sound place, and calls `done` once, later, unless the ticket is dropped or
    // close() comes before. Where too many wait, the one that has waited longest is never called.
    // Not 0.
    quint64 draw(const QString& source, const DrawingPlace& place, const Done& done);
    // A drawing under way is stopped.
    void drop(quint64 ticket);
    // Draws anew what failed.
    void forgetTrouble(const QString& source);
    qsizetype waiting() const { return waiting_.size(); }

    // The reader wants to see the source of this drawing, here and wherever it stands.
    Q_INVOKABLE bool showsSource(const QString& source) const;
    Q_INVOKABLE void setShowsSource(const QString& source, bool shows);

    // Waits for the thread. Nothing may be called afterwards.
    void close();

private:
    struct Wish {
        quint64 ticket = 0;
        QString source;
        DrawingPlace place;
        Done done;
        std::shared_ptr<std::atomic<bool>> unwanted = nullptr;
    };
    void next();
    void keep(const Wish& wish, const DrawnSvg& drawing);
    void drawn(const DrawnSvg& drawing);

    QString program_;
    ChildBounds bounds_ = kBounds;
    QList<Wish> waiting_;
    Wish current_;  // ticket 0: none is being drawn
    quint64 lastTicket_ = 0;
    // By the hash of the source: its size, or its trouble.
    QCache<QByteArray, DrawnSvg> facts_;
    // By that hash and the pixels. Costs are bytes.
    QCache<QByteArray, DrawnSvg> pictures_;
    QSet<QByteArray> asSource_;
    std::atomic<bool> stop_ = false;
    QThreadPool thread_;
};

}  // namespace hearth::ui
