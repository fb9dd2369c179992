// A project as a plain value: chats that share instructions, a model, files and a folder.
#pragma once

#include <QString>
#include <optional>

#include "store/conversation.h"

namespace hearth::ui {

struct Project {
    static constexpr int kLongestName = 100;  // characters

    qint64 id = kNoId;
    QString name = {};
    QString instructions = {};  // the model reads them before those of a chat
    QString model = {};         // the path of its file; empty: the one that is loaded
    std::optional<double> temperature = std::nullopt;  // empty: as the settings say
    // Canonical path of the folder whose files are searched, and in which tools read; empty: none.
    QString folder = {};

    friend bool operator==(const Project&, const Project&) = default;
};

}  // namespace hearth::ui
