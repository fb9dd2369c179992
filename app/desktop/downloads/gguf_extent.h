// Finds the end of a model file's header from its first bytes, to know when enough was fetched, and
// the place of the activation profile that the engine plans with. The engine reads everything else.
#pragma once

#include <QByteArray>
#include <QList>

namespace hearth::ui {

struct HeaderExtent {
    // A tensor by the header's words, which may be false: beyond the file's end, or over another
    // one.
    struct Tensor {
        quint64 from = 0;  // its first byte in the file
        quint64 bytes = 0;
    };
    enum class State {
        More,   // the header continues after these bytes
        Whole,  // it ends at `bytes`
        None,   // this is no header of a model
    };
    State state = State::None;
    qint64 bytes = 0;
    // general.architecture, known as soon as these bytes hold it; empty: they do not.
    QByteArray architecture = {};
    // Of a whole header: blk.N.ffn_fired (docs/formats/profile.md), in the header's order. A value
    // that no file can have is 2^64 - 1.
    QList<Tensor> profile = {};
};

// Hostile counts and lengths end in More or None; the time grows with the bytes alone.
HeaderExtent headerExtent(const QByteArray& bytes);

}  // namespace hearth::ui
