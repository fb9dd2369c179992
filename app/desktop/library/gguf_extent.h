// How long the header of a model file is, from its first bytes: to know when enough was fetched.
// What stands in it is for the engine to read.
#pragma once

#include <QByteArray>

namespace hearth::ui {

struct HeaderExtent {
    enum class State {
        More,   // the header goes on behind these bytes
        Whole,  // it ends at `bytes`
        None,   // this is no header of a model
    };
    State state = State::None;
    qint64 bytes = 0;
};

// Hostile counts and lengths end in More or None; it takes a time that grows with the bytes alone.
HeaderExtent headerExtent(const QByteArray& bytes);

}  // namespace hearth::ui
