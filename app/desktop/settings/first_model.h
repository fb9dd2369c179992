// The model that a start opens.
#pragma once

#include <QString>
#include <functional>

namespace hearth::ui {

class AppSettings;

struct FirstModel {
    QString path;    // empty: there is no model to open
    QString notice;  // a sentence, if this is not the model that was used last; else empty
};

// The first that applies: `named` by the arguments, the model used last, the starter, which may be
// empty.
// isThere: whether there is such a model; empty: the disk is asked for its file.
FirstModel firstModel(const QString& named, const AppSettings& settings, const QString& starter,
                      const std::function<bool(const QString& path)>& isThere = {});

}  // namespace hearth::ui
