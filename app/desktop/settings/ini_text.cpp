#include "settings/ini_text.h"

#include <cctype>
#include <utility>

namespace hearth::ui {

namespace {

constexpr char kEnd = '\n';

// Names as QSettings writes them: "\" for "/", "%41" and "%U0041" for characters that are neither
// letter nor digit.
QString nameFrom(const QByteArray& written) {
    QString name;
    for (qsizetype i = 0; i < written.size(); ++i) {
        if (written[i] == '\\') {
            name += QLatin1Char('/');
            continue;
        }
        const bool isLong = written.mid(i, 2) == "%U";
        const qsizetype from = i + (isLong ? 2 : 1);
        const qsizetype digits = isLong ? 4 : 2;
        bool ok = false;
        const uint code = written.mid(from, digits).toUInt(&ok, 16);
        if (written[i] == '%' && ok && from + digits <= written.size()) {
            name += QChar(code);
            i = from + digits - 1;
        } else {
            name += QLatin1Char(written[i]);
        }
    }
    return name;
}

QByteArray nameOf(const QString& name) {
    QByteArray written;
    for (const QChar c : name) {
        const bool plain = c.unicode() < 128 && (c.isLetterOrNumber() || c == QLatin1Char('-') ||
                                                 c == QLatin1Char('_') || c == QLatin1Char('.'));
        if (c == QLatin1Char('/')) {
            written += '\\';
        } else if (plain) {
            written += c.toLatin1();
        } else {
            written += "%U" + QByteArray::number(c.unicode(), 16).rightJustified(4, '0').toUpper();
        }
    }
    return written;
}

QString sectionFrom(const QByteArray& line) {
    const qsizetype close = line.indexOf(']');
    const QByteArray name = line.mid(1, (close < 0 ? line.size() : close) - 1).trimmed();
    if (name.compare("general", Qt::CaseInsensitive) == 0) {
        return {};
    }
    return (name.compare("%general", Qt::CaseInsensitive) == 0 ? nameFrom(name.mid(1))
                                                               : nameFrom(name)) +
           QLatin1Char('/');
}

QByteArray valueOf(const QString& value) {
    // A leading @ means something else to QSettings, so it is doubled.
    const QByteArray bytes =
        (value.startsWith(QLatin1Char('@')) ? QLatin1Char('@') + value : value).toUtf8();
    QByteArray written;
    bool quote = bytes.startsWith(' ') || bytes.endsWith(' ');
    bool afterCode = false;  // a digit right behind "\x1f" would belong to it
    for (const char c : bytes) {
        const bool code = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
                          (afterCode && std::isxdigit(static_cast<unsigned char>(c)) != 0);
        afterCode = false;
        if (c == '"' || c == '\\') {
            written += '\\';
            written += c;
        } else if (c == '\n') {
            written += "\\n";
        } else if (c == '\r') {
            written += "\\r";
        } else if (c == '\t') {
            written += "\\t";
        } else if (code) {
            written += "\\x" + QByteArray::number(static_cast<unsigned char>(c), 16);
            afterCode = true;
        } else {
            quote = quote || c == ';' || c == ',' || c == '=';
            written += c;
        }
    }
    return quote ? '"' + written + '"' : written;
}

QByteArray valueOf(const QStringList& values) {
    if (values.isEmpty()) {
        return "@Invalid()";
    }
    QByteArray written;
    for (const QString& value : values) {
        written += (written.isEmpty() ? "" : ", ") +
                   (value.isEmpty() && values.size() > 1 ? QByteArray("\"\"") : valueOf(value));
    }
    return written;
}

// The end of a section or entry that begins at `from`. QSettings ends it at the end of the line or
// before a semicolon, neither of which counts within quotes or behind a backslash.
qsizetype endOf(const QByteArray& text, qsizetype from) {
    bool quoted = false;
    for (qsizetype i = from; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && (text[i] == kEnd || text[i] == '\r' || text[i] == ';')) {
            return i;
        }
    }
    return text.size();
}

}  // namespace

IniText::IniText(const QByteArray& text) {
    QString section;
    for (qsizetype at = 0; at < text.size();) {
        const char c = text[at];
        Part part;
        qsizetype end = at + 1;
        if (c == ';') {
            end = text.indexOf(kEnd, at);
            end = end < 0 ? text.size() : end;
        } else if (c != kEnd && c != '\r' && c != ' ' && c != '\t') {
            end = endOf(text, at);
            const QByteArray line = text.mid(at, end - at);
            const qsizetype equals = line.indexOf('=');
            if (c == '[') {
                section = sectionFrom(line);
                part.kind = Part::Kind::Section;
                part.key = section;
            } else if (equals >= 0) {
                part.kind = Part::Kind::Entry;
                part.key = section + nameFrom(line.left(equals).trimmed());
            }
        }
        part.text = text.mid(at, end - at);
        parts_.append(part);
        at = end;
    }
}

void IniText::set(const QString& key, const QStringList& values) {
    const qsizetype slash = key.indexOf(QLatin1Char('/'));
    const QString section = key.left(slash + 1);
    const QByteArray entry = nameOf(key.mid(slash + 1)) + '=' + valueOf(values);
    qsizetype last = -1;     // the entry that is in force
    qsizetype sibling = -1;  // the last of the section, or the section's own line
    for (qsizetype i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_.at(i);
        last = part.kind == Part::Kind::Entry && part.key == key ? i : last;
        const bool within = part.kind == Part::Kind::Entry
                                ? part.key.left(part.key.indexOf(QLatin1Char('/')) + 1) == section
                                : part.kind == Part::Kind::Section && part.key == section;
        sibling = within ? i : sibling;
    }
    if (last >= 0) {
        const bool comment = last + 1 < parts_.size() && parts_.at(last + 1).text.startsWith(';');
        parts_[last].text = entry + (comment ? " " : "");
        return;
    }
    const Part line{Part::Kind::Other, QByteArray(1, kEnd), {}};
    const Part added{Part::Kind::Entry, entry, key};
    if (sibling >= 0) {
        // The place behind the end of that line and of comments about it.
        qsizetype at = sibling + 1;
        while (at < parts_.size() && !parts_.at(at).text.startsWith(kEnd)) {
            ++at;
        }
        if (at == parts_.size()) {
            parts_.append(line);
        }
        parts_.insert(at + 1, added);
        parts_.insert(at + 2, line);
        return;
    }
    if (!parts_.isEmpty()) {
        if (!parts_.last().text.endsWith(kEnd)) {
            parts_.append(line);
        }
        parts_.append(line);
    }
    const QByteArray name = section.isEmpty() ? QByteArray("General") : nameOf(section.chopped(1));
    parts_.append({Part::Kind::Section, '[' + name + ']', section});
    parts_.append(line);
    parts_.append(added);
    parts_.append(line);
}

void IniText::remove(const QString& key) {
    for (qsizetype i = parts_.size() - 1; i >= 0; --i) {
        if (parts_.at(i).kind != Part::Kind::Entry || parts_.at(i).key != key) {
            continue;
        }
        parts_.removeAt(i);
        // The end of the line goes too, if nothing else stands on the line.
        const bool first = i == 0 || parts_.at(i - 1).text.endsWith(kEnd);
        if (first && i < parts_.size() && parts_.at(i).text.startsWith('\r')) {
            parts_.removeAt(i);
        }
        if (first && i < parts_.size() && parts_.at(i).text.startsWith(kEnd)) {
            parts_.removeAt(i);
        }
    }
}

QByteArray IniText::text() const {
    QByteArray all;
    for (const Part& part : parts_) {
        all += part.text;
    }
    return all;
}

}  // namespace hearth::ui
