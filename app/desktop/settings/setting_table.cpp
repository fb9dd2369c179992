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
using Scope = SettingSpec::Scope;

constexpr double kLeastRam = 16.0 * (1 << 20);
constexpr double kMostSize = static_cast<double>(kMostBudget);
constexpr double kMostTokens = 1 << 24;
constexpr double kMostText = 20'000;
constexpr double kPlace = 1 << 16;

// Names equal those of hearth-cli's options, where it has one.
constexpr SettingSpec kTable[] = {
    {"engine/gpu", Kind::Text, Scope::Either, "auto", 0, 200},
    {"engine/vram", Kind::Size, Scope::Either, "auto", 0, kMostSize, "auto"},
    {"engine/ram", Kind::Size, Scope::Either, "auto", kLeastRam, kMostSize, "auto"},
    {"engine/threads", Kind::Whole, Scope::Either, "auto", 1, 1024, "auto"},
    {"engine/ctx", Kind::Whole, Scope::Either, "auto", 16, kMostTokens, "auto", "engine/context"},
    {"engine/kv", Kind::Choice, Scope::Either, "f16", 0, 0, "f16|q8_0"},
    {"engine/mode", Kind::Choice, Scope::Either, "auto", 0, 0,
     "auto|exact|predicted|dense|approximate"},
    {"engine/memory-pressure", Kind::Flag, Scope::Either, "true"},
    {"engine/keep-profile", Kind::Flag, Scope::Either, "true"},
    {"engine/activation", Kind::Choice, Scope::Model, "auto", 0, 0,
     "auto|silu|reglu|drelu|relu|relu2|gelu|geglu"},
    {"engine/predictor-input", Kind::Choice, Scope::Model, "auto", 0, 0, "auto|normed|residual"},
    {"engine/predictors", Kind::Path, Scope::Model, ""},
    {"engine/thresholds", Kind::Path, Scope::Model, ""},

    {"sampling/preset", Kind::Choice, Scope::Either, "balanced", 0, 0,
     "precise|balanced|creative|own"},
    {"sampling/temp", Kind::Real, Scope::Either, "0.8", 0, 10, "", "sampling/temperature"},
    {"sampling/top-k", Kind::Whole, Scope::Either, "40", 0, 1'000'000, "", "sampling/top_k"},
    {"sampling/top-p", Kind::Real, Scope::Either, "0.95", 0.01, 1, "", "sampling/top_p"},
    {"sampling/min-p", Kind::Real, Scope::Either, "0.05", 0, 1, "", "sampling/min_p"},
    {"sampling/typical-p", Kind::Real, Scope::Either, "1", 0.01, 1},
    {"sampling/xtc-probability", Kind::Real, Scope::Either, "0", 0, 1},
    {"sampling/xtc-threshold", Kind::Real, Scope::Either, "0.1", 0, 0.5},
    {"sampling/repeat-penalty", Kind::Real, Scope::Either, "1", 0.5, 2},
    {"sampling/presence-penalty", Kind::Real, Scope::Either, "0", -2, 2},
    {"sampling/frequency-penalty", Kind::Real, Scope::Either, "0", -2, 2},
    {"sampling/repeat-last-n", Kind::Whole, Scope::Either, "64", 0, kMostTokens},
    {"sampling/dry-multiplier", Kind::Real, Scope::Either, "0", 0, 5},
    {"sampling/dry-base", Kind::Real, Scope::Either, "1.75", 1, 4},
    {"sampling/dry-allowed-length", Kind::Whole, Scope::Either, "2", 1, 1000},
    {"sampling/seed", Kind::Whole, Scope::Either, "0", 0, 9'007'199'254'740'992.0},
    {"sampling/max-tokens", Kind::Whole, Scope::Either, "auto", 1, kMostTokens, "auto"},
    {"chat/system", Kind::Text, Scope::Either, "", 0, kMostText},
    {"chat/reasoning", Kind::Choice, Scope::Either, "auto", 0, 0, "auto|off|on|low|medium|high"},

    {"window/theme", Kind::Choice, Scope::Program, "system", 0, 0, "system|light|dark"},
    {"window/zoom", Kind::Real, Scope::Program, "1", 0.8, 2},
    {"window/motion", Kind::Choice, Scope::Program, "system", 0, 0, "system|none"},

    {"folders/models", Kind::Paths, Scope::Program, "", 0, 64},
    {"folders/downloads", Kind::Path, Scope::Program, ""},

    {"network/allowed", Kind::Flag, Scope::Program, "true"},
    {"network/mirror", Kind::Address, Scope::Program, ""},
    {"network/proxy", Kind::Proxy, Scope::Program, "system", 0, 0, "system|none"},
    {"network/speed-limit", Kind::Size, Scope::Program, "none", 16.0 * 1024, kMostSize, "none"},

    {"model/path", Kind::Path, Scope::Window, ""},
    {"model/recent", Kind::Paths, Scope::Window, "", 0, 8},
    {"model/hidden", Kind::Paths, Scope::Window, "", 0, 256},
    {"window/list", Kind::Flag, Scope::Window, "true"},
    {"window/maximized", Kind::Flag, Scope::Window, "false"},
    {"window/x", Kind::Whole, Scope::Window, "0", -kPlace, kPlace},
    {"window/y", Kind::Whole, Scope::Window, "0", -kPlace, kPlace},
    {"window/width", Kind::Whole, Scope::Window, "0", 0, kPlace},
    {"window/height", Kind::Whole, Scope::Window, "0", 0, kPlace},
};

QString tr(const char* text) {
    return QCoreApplication::translate("Settings", text);
}

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
    return {std::nullopt, tr("%1 is not %2").arg(quoted(text), rangeOf(spec))};
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
                    tr("%1 is no whole path, which begins at the root").arg(quoted(path))};
        }
        kept.append(QDir::cleanPath(path));
    }
    kept.removeDuplicates();
    if (kept.size() > (spec.kind == Kind::Path ? 1 : static_cast<qsizetype>(spec.most))) {
        return {std::nullopt, spec.kind == Kind::Path ? tr("it is more than one path")
                                                      : tr("these are too many folders")};
    }
    return good(kept.join(QLatin1Char('\n')));
}

// A password in a plain file would be readable for every program of this user.
CheckedSetting secretInside() {
    return {std::nullopt,
            tr("a name or password would lie open in the settings file, so none may be in it")};
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
        return {std::nullopt, tr("it holds characters that are no text")};
    }
    if (static_cast<double>(text.size()) > spec.most) {
        return {std::nullopt, tr("it has %1 characters, and at most %2 may be")
                                  .arg(text.size())
                                  .arg(static_cast<qint64>(spec.most))};
    }
    // A name cannot be empty.
    const QString kept = *spec.fallback == '\0' ? text : text.trimmed();
    return good(kept.isEmpty() ? QString::fromLatin1(spec.fallback) : kept);
}

}  // namespace

QStringList SettingSpec::wordList() const {
    return QString::fromLatin1(words).split(QLatin1Char('|'), Qt::SkipEmptyParts);
}

std::span<const SettingSpec> settingTable() {
    return kTable;
}

const SettingSpec* findSetting(const QString& key) {
    if (key.isEmpty()) {
        return nullptr;
    }
    for (const SettingSpec& spec : kTable) {
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
            parts << tr("%1 to %2").arg(numberText(spec, spec.least), numberText(spec, spec.most));
            break;
        case Kind::Flag:
            parts << QStringLiteral("true") << QStringLiteral("false");
            break;
        case Kind::Text:
            return tr("text of at most %1 characters").arg(static_cast<qint64>(spec.most));
        case Kind::Path:
            return tr("a whole path");
        case Kind::Paths:
            return tr("whole paths");
        case Kind::Address:
            return tr("an address that begins with https:// (with http:// only on this computer)");
        case Kind::Proxy:
            parts << QStringLiteral("http://HOST:PORT") << QStringLiteral("socks5://HOST:PORT");
            break;
    }
    if (parts.size() < 2) {
        return parts.value(0);
    }
    const QString last = parts.takeLast();
    return tr("%1 or %2").arg(parts.join(QStringLiteral(", ")), last);
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
