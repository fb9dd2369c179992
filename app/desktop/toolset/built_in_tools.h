// The tools that need no server: a calculator, the time, the chat's folder, a page of the web.
#pragma once

#include <QHash>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>

#include "toolset/tool_source.h"

namespace hearth::ui {

class NetworkDoor;

class BuiltInTools : public ToolSource {
    Q_OBJECT

public:
    // door: outlives it.
    explicit BuiltInTools(NetworkDoor& door, QObject* parent = nullptr);
    ~BuiltInTools() override;

    QString title() const override { return tr("Hearth"); }
    QList<OfferedTool> tools() const override;
    void call(quint64 id, const QString& tool, const QByteArray& arguments,
              const ToolPlace& place) override;
    void cancel(quint64 id) override;
    // Pages are allowed by their host.
    QString permissionOf(const QString& tool, const QByteArray& arguments) const override;

    // True: it does nothing without a folder.
    static bool needsFolder(const QString& tool);

private:
    using Work = std::function<ToolOutcome(const std::atomic<bool>& stopped)>;
    void workAside(quint64 id, const Work& work);
    void fetchPage(quint64 id, const QString& address);
    void end(quint64 id, const ToolOutcome& outcome);

    NetworkDoor& door_;
    QHash<quint64, std::shared_ptr<std::atomic<bool>>> working_;
    QHash<quint64, QObject*> fetching_;  // each lives as long as its request
    QThreadPool pool_;
};

// The reason why a model may not fetch the address, a sentence; empty: it may.
QString refusalOfPage(const QString& address);

}  // namespace hearth::ui
