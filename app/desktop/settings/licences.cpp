#include "settings/licences.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

namespace hearth::ui {

namespace {

constexpr qint64 kMostBytes = qint64{16} * 1024 * 1024;

QString textOf(const QStringList& files) {
    for (const QString& path : files) {
        QFile file(path);
        if (file.open(QIODevice::ReadOnly)) {
            QString text = QString::fromUtf8(file.read(kMostBytes));
            if (!text.trimmed().isEmpty()) {
                return text;
            }
        }
    }
    return QCoreApplication::translate(
               "Licences",
               "The licences cannot be read. Install Hearth again; they are in its file %1.")
        .arg(QDir::toNativeSeparators(files.value(0)));
}

}  // namespace

Licences::Licences(QObject* parent)
    : Licences(places(QCoreApplication::applicationDirPath()), parent) {}

Licences::Licences(const QStringList& files, QObject* parent) : QObject(parent), files_(files) {
    pool_.setMaxThreadCount(1);
}

Licences::~Licences() {
    pool_.waitForDone();
}

QStringList Licences::places(const QString& programFolder) {
    return {QDir::cleanPath(programFolder + QStringLiteral("/../share/doc/hearth/copyright")),
            QStringLiteral(":/qt/qml/Hearth/licences.md")};
}

void Licences::read() {
    pool_.start([this] {
        const QString text = textOf(files_);
        QMetaObject::invokeMethod(this, [this, text] { emit done(text); });
    });
}

}  // namespace hearth::ui
