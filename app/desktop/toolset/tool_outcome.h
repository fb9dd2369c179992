// Plain values of tools that a model may call.
#pragma once

#include <QByteArray>
#include <QString>

namespace hearth::ui {

// A tool as its source describes it.
struct OfferedTool {
    QString name;
    QString description;
    QByteArray schema;  // of its arguments: a JSON object
};

struct ToolOutcome {
    bool failed = false;
    QString text;  // for the model and for the user
};

// The place from which a tool is called.
struct ToolPlace {
    QString folder = {};  // that the user chose for the chat; empty: none
};

// Bytes of UTF-8 that a model gets of one result.
inline constexpr int kMostResultBytes = 32 * 1024;

}  // namespace hearth::ui
