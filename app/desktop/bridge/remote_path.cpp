#include "bridge/remote_path.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QUrl>
#include <algorithm>

namespace hearth::ui {

namespace {

const QString kBegin = QStringLiteral("remote:");
constexpr qsizetype kIdDigits = 8;

}  // namespace

QString remotePath(const RemoteModel& model) {
    // Encoded, a name with slashes or dots stays as it is where paths are cleaned.
    return kBegin + model.server + QLatin1Char('/') +
           QString::fromLatin1(QUrl::toPercentEncoding(model.model, {}, QByteArrayLiteral(".")));
}

std::optional<RemoteModel> remoteModelAt(const QString& path) {
    if (!isRemotePath(path)) {
        return std::nullopt;
    }
    const QString rest = path.mid(kBegin.size());
    RemoteModel model{rest.section(QLatin1Char('/'), 0, 0),
                      QUrl::fromPercentEncoding(rest.section(QLatin1Char('/'), 1).toLatin1())};
    const bool isId = model.server.size() == kIdDigits &&
                      std::all_of(model.server.begin(), model.server.end(), [](QChar c) {
                          return (c >= QLatin1Char('0') && c <= QLatin1Char('9')) ||
                                 (c >= QLatin1Char('a') && c <= QLatin1Char('f'));
                      });
    if (!isId || model.model.isEmpty()) {
        return std::nullopt;
    }
    return model;
}

bool isRemotePath(const QString& path) {
    return path.startsWith(kBegin);
}

QString nameOfModelAt(const QString& path) {
    const auto remote = remoteModelAt(path);
    return remote ? notLocal(remote->model) : QFileInfo(path).fileName();
}

QString notLocal(const QString& name) {
    return QCoreApplication::translate("RemoteModel", "%1 · not local").arg(name);
}

}  // namespace hearth::ui
