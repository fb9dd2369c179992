// How long the header of a model file is, from its first bytes: to know when enough was fetched;
// and where the activation profile lies that the engine plans with. All else is for the engine to
// read.
#pragma once

#include <QByteArray>
#include <QList>

namespace hearth::ui {

struct HeaderExtent {
    // A tensor by the header's words, which may be lies: beyond the file's end, over another one.
    struct Tensor {
        quint64 from = 0;  // the byte of the file
        quint64 bytes = 0;
    };
    enum class State {
        More,   // the header goes on behind these bytes
        Whole,  // it ends at `bytes`
        None,   // this is no header of a model
    };
    State state = State::None;
    qint64 bytes = 0;
    // Of a whole header: blk.N.ffn_fired (docs/formats/profile.md), in the header's order. What no
    // file can have is 2^64 - 1.
    QList<Tensor> profile = {};
};

// Hostile counts and lengths end in More or None; it takes a time that grows with the bytes alone.
HeaderExtent headerExtent(const QByteArray& bytes);

}  // namespace hearth::ui
