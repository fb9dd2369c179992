#include "downloads/download_order.h"

#include <QCoreApplication>
#include <QDir>
#include <QRegularExpression>
#include <QSet>
#include <algorithm>

#include "network/network_rules.h"

namespace hearth::ui {

namespace {

constexpr qsizetype kPartsMost = 1000;
constexpr qint64 kBytesMost = qint64{1} << 50;
constexpr qsizetype kNameMost = 100;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Downloads)
};

// True for a plain name that every file system accepts and that is not hidden.
bool isFileName(const QString& name) {
    static const QRegularExpression kOdd(QStringLiteral("[/\\\\:*?\"<>|\\x00-\\x1f\\x7f]"));
    return !name.isEmpty() && name.toUtf8().size() <= 200 && !name.startsWith(QLatin1Char('.')) &&
           !name.endsWith(QLatin1Char('.')) && !name.contains(kOdd) && name == name.trimmed();
}

}  // namespace

qint64 DownloadOrder::bytes() const {
    qint64 sum = 0;
    for (const DownloadPart& part : parts) {
        if (part.bytes < 0) {
            return -1;
        }
        sum += part.bytes;
    }
    return sum;
}

bool DownloadOrder::hasAllHashes() const {
    return std::all_of(parts.begin(), parts.end(),
                       [](const DownloadPart& part) { return !part.sha256.isEmpty(); });
}

QStringList DownloadOrder::paths() const {
    QStringList all;
    for (const DownloadPart& part : parts) {
        all << QDir(folder).filePath(part.fileName);
    }
    return all;
}

QString refusalOf(const DownloadOrder& order) {
    if (order.parts.isEmpty() || order.parts.size() > kPartsMost) {
        return Words::tr("There is no file to download.");
    }
    if (order.folder.isEmpty() || !QDir::isAbsolutePath(order.folder)) {
        return Words::tr("Choose a folder for it.");
    }
    QSet<QString> names;
    for (const DownloadPart& part : order.parts) {
        if (!isFileName(part.fileName)) {
            return Words::tr("“%1” cannot be the name of a file.").arg(part.fileName.left(100));
        }
        if (!isWebAddress(part.url)) {
            return Words::tr("The address of %1 is not that of a web server.").arg(part.fileName);
        }
        const bool oddHash = !part.sha256.isEmpty() && part.sha256.size() != 32;
        if (part.bytes < -1 || part.bytes > kBytesMost || part.bytesAbout < -1 ||
            part.bytesAbout > kBytesMost || part.architecture.size() > kNameMost || oddHash) {
            return Words::tr("What is said of %1 makes no sense.").arg(part.fileName);
        }
        const QString name = part.fileName.toCaseFolded();
        if (names.contains(name)) {
            return Words::tr("Two files of it have the same name: %1.").arg(part.fileName);
        }
        names.insert(name);
    }
    return {};
}

QStringList namesOfSplit(const QString& fileName) {
    static const QRegularExpression kSplit(
        QStringLiteral("^(.*-)([0-9]{5})-of-([0-9]{5})(\\.gguf)$"));
    const QRegularExpressionMatch match = kSplit.match(fileName);
    if (!match.hasMatch()) {
        return {fileName};
    }
    const int number = match.captured(2).toInt();
    const int count = match.captured(3).toInt();
    if (count == 0 || count > kPartsMost || number == 0 || number > count) {
        return {};
    }
    QStringList names;
    for (int i = 1; i <= count; ++i) {
        names << QStringLiteral("%1%2-of-%3%4")
                     .arg(match.captured(1))
                     .arg(i, 5, 10, QLatin1Char('0'))
                     .arg(match.captured(3), match.captured(4));
    }
    return names;
}

}  // namespace hearth::ui
