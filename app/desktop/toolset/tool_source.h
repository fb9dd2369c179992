// Offers tools and runs them: a server, or this program itself. GUI thread; no call waits.
#pragma once

#include <QList>
#include <QObject>

#include "toolset/tool_outcome.h"

namespace hearth::ui {

class ToolSource : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual QString title() const = 0;
    // The tools that can be called now.
    virtual QList<OfferedTool> tools() const = 0;
    // Answers with exactly one done(), never before it returns. arguments: a JSON object.
    virtual void call(quint64 id, const QString& tool, const QByteArray& arguments,
                      const ToolPlace& place) = 0;
    // done() still comes for it.
    virtual void cancel(quint64 id) = 0;
    // The part of a permission that "always" covers: mostly the tool's name.
    virtual QString permissionOf(const QString& tool, const QByteArray& /*arguments*/) const {
        return tool;
    }

signals:
    void changed();
    void done(quint64 id, const hearth::ui::ToolOutcome& outcome);
};

}  // namespace hearth::ui
