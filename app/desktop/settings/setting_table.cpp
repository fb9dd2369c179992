#include "settings/setting_table.h"

#include <QCoreApplication>
#include <QDir>
#include <QUrl>
#include <array>
#include <cmath>

#include "common/size.h"
#include "system/this_computer.h"

namespace hearth::ui {

namespace {

using Kind = SettingSpec::Kind;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Settings)
};

// Quotes the text for a message, at most one line of it.
QString quoted(const QString& text) {
    constexpr qsizetype kMost = 60;
    const QString line = text.simplified();
    return QStringLiteral("“%1”").arg(line.size() > kMost ? line.left(kMost) + QStringLiteral("…")
                                                          : line);
}

CheckedSetting good(const QString& text) {
    return {text, {}};
}

CheckedSetting wrong(const SettingSpec& spec, const QString& text) {
    return {std::nullopt, Words::tr("%1 is not %2").arg(quoted(text), rangeOf(spec))};
}

QString numberText(const SettingSpec& spec, double value) {
    if (spec.kind == Kind::Size) {
        return sizeText(static_cast<quint64>(value));
    }
    return spec.kind == Kind::Whole ? QString::number(static_cast<qint64>(value))
                                    : QString::number(value, 'g', 12);
}

CheckedSetting checkNumber(const SettingSpec& spec, const QString& text) {
    const QString trimmed = text.trimmed();
    if (spec.wordList().contains(trimmed)) {
        return good(trimmed);
    }
    bool ok = false;
    double value = 0;
    if (spec.kind == Kind::Whole) {
        value = static_cast<double>(trimmed.toLongLong(&ok));
    } else if (spec.kind == Kind::Real) {
        value = trimmed.toDouble(&ok);  // always with a point; "nan" passes here
    } else if (const auto bytes = bytesOf(trimmed)) {
        value = static_cast<double>(*bytes);
        ok = true;
    }
    if (!ok || !std::isfinite(value) || value < spec.least || value > spec.most) {
        return wrong(spec, text);
    }
    return good(spec.kind == Kind::Size ? trimmed.toUpper() : numberText(spec, value));
}

CheckedSetting checkFlag(const SettingSpec& spec, const QString& text) {
    const QString word = text.trimmed().toLower();
    for (const char* yes : {"true", "on", "yes", "1"}) {
        if (word == QLatin1String(yes)) {
            return good(QStringLiteral("true"));
        }
    }
    for (const char* no : {"false", "off", "no", "0"}) {
        if (word == QLatin1String(no)) {
            return good(QStringLiteral("false"));
        }
    }
    return wrong(spec, text);
}

CheckedSetting checkPaths(const SettingSpec& spec, const QString& text) {
    QStringList kept;
    const QStringList lines = text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    for (const QString& line : lines) {
        const QString path = line.trimmed();
        if (path.isEmpty()) {
            continue;
        }
        if (!QDir::isAbsolutePath(path) || path.contains(QChar(u'\0'))) {
            return {std::nullopt,
                    Words::tr("%1 is no whole path, which begins at the root").arg(quoted(path))};
        }
        kept.append(QDir::cleanPath(path));
    }
    kept.removeDuplicates();
    if (kept.size() > (spec.kind == Kind::Path ? 1 : static_cast<qsizetype>(spec.most))) {
        return {std::nullopt, spec.kind == Kind::Path ? Words::tr("it is more than one path")
                                                      : Words::tr("these are too many folders")};
    }
    return good(kept.join(QLatin1Char('\n')));
}

// A password in a plain file would be readable for every program of this user.
CheckedSetting secretInside() {
    return {
        std::nullopt,
        Words::tr("a name or password would lie open in the settings file, so none may be in it")};
}

CheckedSetting checkAddress(const SettingSpec& spec, const QString& text) {
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty()) {
        return good({});
    }
    const QUrl url(trimmed, QUrl::StrictMode);
    const bool secure = url.scheme() == QLatin1String("https") ||
                        (url.scheme() == QLatin1String("http") && isThisComputer(url.host()));
    if (!url.isValid() || !secure || url.host().isEmpty() || url.hasQuery() || url.hasFragment() ||
        trimmed.size() > 2000) {
        return wrong(spec, text);
    }
    return url.userInfo().isEmpty() ? good(url.toString(QUrl::StripTrailingSlash)) : secretInside();
}

CheckedSetting checkProxy(const SettingSpec& spec, const QString& text) {
    const QString trimmed = text.trimmed();
    if (spec.wordList().contains(trimmed)) {
        return good(trimmed);
    }
    const QUrl url(trimmed, QUrl::StrictMode);
    const bool known =
        url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("socks5");
    if (!url.isValid() || !known || url.host().isEmpty() || url.port() < 1 ||
        (!url.path().isEmpty() && url.path() != QLatin1String("/")) || url.hasQuery() ||
        url.hasFragment()) {
        return wrong(spec, text);
    }
    return url.userInfo().isEmpty()
               ? good(QStringLiteral("%1://%2:%3")
                          .arg(url.scheme(), url.host().contains(QLatin1Char(':'))
                                                 ? QLatin1Char('[') + url.host() + QLatin1Char(']')
                                                 : url.host())
                          .arg(url.port()))
               : secretInside();
}

CheckedSetting checkText(const SettingSpec& spec, const QString& text) {
    if (text.contains(QChar(u'\0'))) {
        return {std::nullopt, Words::tr("it holds characters that are no text")};
    }
    if (static_cast<double>(text.size()) > spec.most) {
        return {std::nullopt, Words::tr("it has %1 characters, and at most %2 may be")
                                  .arg(text.size())
                                  .arg(static_cast<qint64>(spec.most))};
    }
    // A name cannot be empty.
    const QString kept = *spec.fallback == '\0' ? text : text.trimmed();
    return good(kept.isEmpty() ? QString::fromLatin1(spec.fallback) : kept);
}

}  // namespace

QStringList SettingSpec::wordList() const {
    QStringList list;
    for (const SettingWord& known : words) {
        list << QString::fromLatin1(known.word);
    }
    return list;
}

const SettingSpec* findSetting(const QString& key) {
    if (key.isEmpty()) {
        return nullptr;
    }
    for (const SettingSpec& spec : settingTable()) {
        if (key == QLatin1String(spec.key) || key == QLatin1String(spec.before)) {
            return &spec;
        }
    }
    return nullptr;
}

CheckedSetting checkSetting(const SettingSpec& spec, const QString& text) {
    switch (spec.kind) {
        case Kind::Choice:
            return spec.wordList().contains(text.trimmed()) ? good(text.trimmed())
                                                            : wrong(spec, text);
        case Kind::Whole:
        case Kind::Real:
        case Kind::Size:
            return checkNumber(spec, text);
        case Kind::Flag:
            return checkFlag(spec, text);
        case Kind::Text:
            return checkText(spec, text);
        case Kind::Path:
        case Kind::Paths:
            return checkPaths(spec, text);
        case Kind::Address:
            return checkAddress(spec, text);
        case Kind::Proxy:
            return checkProxy(spec, text);
    }
    return wrong(spec, text);
}

QString rangeOf(const SettingSpec& spec) {
    QStringList parts = spec.wordList();
    switch (spec.kind) {
        case Kind::Choice:
            break;
        case Kind::Whole:
        case Kind::Real:
        case Kind::Size:
            parts << Words::tr("%1 to %2")
                         .arg(numberText(spec, spec.least), numberText(spec, spec.most));
            break;
        case Kind::Flag:
            parts << QStringLiteral("true") << QStringLiteral("false");
            break;
        case Kind::Text:
            return Words::tr("text of at most %1 characters").arg(static_cast<qint64>(spec.most));
        case Kind::Path:
            return Words::tr("a whole path");
        case Kind::Paths:
            return Words::tr("whole paths");
        case Kind::Address:
            return Words::tr(
                "an address that begins with https:// (with http:// only on this computer)");
        case Kind::Proxy:
            parts << QStringLiteral("http://HOST:PORT") << QStringLiteral("socks5://HOST:PORT");
            break;
    }
    if (parts.size() < 2) {
        return parts.value(0);
    }
    const QString last = parts.takeLast();
    return Words::tr("%1 or %2").arg(parts.join(QStringLiteral(", ")), last);
}

QString SettingOnPage::labelText() const {
    return Words::tr(label);
}

QString SettingOnPage::saysText() const {
    return Words::tr(says);
}

QString sectionTitle(const QString& section) {
    return section == QLatin1String("model")        ? Words::tr("Model & machine")
           : section == QLatin1String("answers")    ? Words::tr("Answers")
           : section == QLatin1String("appearance") ? Words::tr("Appearance")
           : section == QLatin1String("folders")    ? Words::tr("Folders")
           : section == QLatin1String("network")    ? Words::tr("Network")
           : section == QLatin1String("api")        ? Words::tr("Local API")
                                                    : Words::tr("About");
}

QString wordText(const QString& key, const QString& word) {
    const SettingSpec* spec = findSetting(key);
    for (const SettingWord& known :
         spec == nullptr ? std::span<const SettingWord>() : spec->words) {
        if (word == QLatin1String(known.word)) {
            return known.label == nullptr ? word : Words::tr(known.label);
        }
    }
    return word == QLatin1String("auto")   ? Words::tr("Automatic")
           : word == QLatin1String("none") ? Words::tr("None")
                                           : word;
}

std::optional<quint64> bytesOf(const QString& size) {
    return parse_size(size.trimmed().toStdString());
}

QString sizeText(quint64 bytes) {
    constexpr std::array kSuffixes = {'T', 'G', 'M', 'K'};
    int shift = 40;
    for (const char suffix : kSuffixes) {
        if (bytes >> shift > 0 && (bytes & ((quint64{1} << shift) - 1)) == 0) {
            return QString::number(bytes >> shift) + QLatin1Char(suffix);
        }
        shift -= 10;
    }
    return QString::number(bytes);
}

}  // namespace hearth::ui
