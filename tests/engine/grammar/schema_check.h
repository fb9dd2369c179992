// Checks JSON against a schema: a second, plain implementation on Qt's JSON.
#pragma once

#include <QDate>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QJsonValue>
#include <QRegularExpression>
#include <QString>
#include <algorithm>
#include <cmath>
#include <limits>

namespace hearth::test {

class SchemaCheck {
public:
    explicit SchemaCheck(QJsonValue root) : root_(std::move(root)) {}

    bool holds(const QJsonValue& value) const { return holds(root_, value); }

private:
    static bool is_type(const QString& type, const QJsonValue& value) {
        const bool whole = value.isDouble() && std::floor(value.toDouble()) == value.toDouble();
        return (type == "null" && value.isNull()) || (type == "boolean" && value.isBool()) ||
               (type == "integer" && whole) || (type == "number" && value.isDouble()) ||
               (type == "string" && value.isString()) || (type == "array" && value.isArray()) ||
               (type == "object" && value.isObject());
    }

    static bool has_format(const QString& format, const QString& text) {
        const QString date = "(\\d{4})-(\\d\\d)-(\\d\\d)";
        const QString time =
            "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)";
        const auto matches = [&](const QString& pattern) {
            return QRegularExpression("\\A(?:" + pattern + ")\\z").match(text).hasMatch();
        };
        const auto is_day = [&] {
            const QString day = text.left(10);
            const int year = day.left(4).toInt();
            // QDate has no year 0; 2000 has the same days.
            return QDate(year == 0 ? 2000 : year, day.mid(5, 2).toInt(), day.mid(8, 2).toInt())
                .isValid();
        };
        if (format == "date") {
            return matches(date) && is_day();
        }
        if (format == "time") {
            return matches(time);
        }
        if (format == "date-time") {
            return matches(date + "T" + time) && is_day();
        }
        if (format == "uuid") {
            return matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
        }
        const QString part = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
        return format == "ipv4" && matches(part + "(\\." + part + "){3}");
    }

    QJsonValue at(const QString& pointer) const {
        QJsonValue here = root_;
        for (const QString& name : pointer.mid(1).split('/', Qt::SkipEmptyParts)) {
            here = here.toObject()[name];
        }
        return here;
    }

    // PCRE2 spells \\uHHHH otherwise.
    static QString for_pcre(QString pattern) {
        return pattern.replace(QRegularExpression("\\\\u([0-9a-fA-F]{4})"), "\\x{\\1}");
    }

    bool strings_hold(const QJsonObject& schema, const QString& text) const {
        const auto length = text.toUcs4().size();
        return length >= schema["minLength"].toInteger(0) &&
               length <= schema["maxLength"].toInteger(1 << 30) &&
               (!schema.contains("pattern") ||
                QRegularExpression(for_pcre(schema["pattern"].toString()),
                                   QRegularExpression::DontCaptureOption)
                    .match(text)
                    .hasMatch()) &&
               (!schema.contains("format") || has_format(schema["format"].toString(), text));
    }

    bool arrays_hold(const QJsonObject& schema, const QJsonArray& items) const {
        const QJsonArray first = schema["prefixItems"].toArray();
        for (qsizetype i = 0; i < items.size(); ++i) {
            const QJsonValue own = i < first.size() ? first[i] : schema.value("items");
            if (!own.isUndefined() && !holds(own, items[i])) {
                return false;
            }
        }
        return items.size() >= schema["minItems"].toInteger(0) &&
               items.size() <= schema["maxItems"].toInteger(1 << 30);
    }

    bool objects_hold(const QJsonObject& schema, const QJsonObject& object) const {
        for (const QJsonValue& name : schema["required"].toArray()) {
            if (!object.contains(name.toString())) {
                return false;
            }
        }
        const QJsonObject properties = schema["properties"].toObject();
        for (const QString& name : object.keys()) {
            const QJsonValue own =
                properties.contains(name) ? properties[name] : schema.value("additionalProperties");
            if (!own.isUndefined() && !holds(own, object[name])) {
                return false;
            }
        }
        return true;
    }

    bool holds(const QJsonValue& any, const QJsonValue& value) const {
        if (any.isBool()) {
            return any.toBool();
        }
        const QJsonObject schema = any.toObject();
        if (schema.contains("$ref") && !holds(at(schema["$ref"].toString()), value)) {
            return false;
        }
        if (schema.contains("type")) {
            const QJsonValue type = schema["type"];
            const QJsonArray types = type.isArray() ? type.toArray() : QJsonArray{type};
            if (std::none_of(types.begin(), types.end(), [&](const QJsonValue& one) {
                    return is_type(one.toString(), value);
                })) {
                return false;
            }
        }
        if (schema.contains("enum") && !schema["enum"].toArray().contains(value)) {
            return false;
        }
        if (schema.contains("const") && schema["const"] != value) {
            return false;
        }
        const auto count = [&](const char* name) {
            const QJsonArray list = schema[QLatin1String(name)].toArray();
            return std::count_if(list.begin(), list.end(),
                                 [&](const QJsonValue& one) { return holds(one, value); });
        };
        if ((schema.contains("anyOf") && count("anyOf") < 1) ||
            (schema.contains("oneOf") && count("oneOf") != 1) ||
            (schema.contains("allOf") && count("allOf") != schema["allOf"].toArray().size())) {
            return false;
        }
        if (value.isDouble()) {
            const double number = value.toDouble();
            const double inf = std::numeric_limits<double>::infinity();
            return number >= schema["minimum"].toDouble(-inf) &&
                   number <= schema["maximum"].toDouble(inf) &&
                   number > schema["exclusiveMinimum"].toDouble(-inf) &&
                   number < schema["exclusiveMaximum"].toDouble(inf);
        }
        if (value.isString()) {
            return strings_hold(schema, value.toString());
        }
        if (value.isArray()) {
            return arrays_hold(schema, value.toArray());
        }
        return !value.isObject() || objects_hold(schema, value.toObject());
    }

    QJsonValue root_;
};

}  // namespace hearth::test
