#include "scripted_qml.h"

#include <QAbstractItemModel>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QMetaMethod>
#include <QMetaProperty>
#include <QRegularExpression>
#include <QSet>

#include "window/app_controller.h"

namespace hearth::ui::test {

namespace {

const QList<const QMetaObject*>& models() {
    static const QList<const QMetaObject*> kModels{
        &ActiveModel::staticMetaObject,   &AppController::staticMetaObject,
        &Appearance::staticMetaObject,    &Chats::staticMetaObject,
        &CrashReports::staticMetaObject,  &Downloads::staticMetaObject,
        &EngineChange::staticMetaObject,  &HubSearch::staticMetaObject,
        &ModelLibrary::staticMetaObject,  &ModelOffers::staticMetaObject,
        &ModelPacking::staticMetaObject,  &NetworkOverview::staticMetaObject,
        &PlanPreview::staticMetaObject,   &SettingListModel::staticMetaObject,
        &RemoteServers::staticMetaObject, &SettingsPage::staticMetaObject,
        &TokenKeeper::staticMetaObject,   &ModelServing::staticMetaObject,
    };
    return kModels;
}

QString nameOf(const QMetaObject* model) {
    return QString::fromLatin1(model->className()).section(QLatin1String("::"), -1);
}

QStringList partFiles() {
    QStringList files;
    for (const char* folder : {"settings", "downloads", "library"}) {
        const QDir parts(QStringLiteral(":/qt/qml/Hearth/qml/") + QLatin1String(folder));
        for (const QString& file : parts.entryList({QStringLiteral("*.qml")})) {
            files << parts.filePath(file);
        }
    }
    return files;
}

QString propertyOf(const QMetaProperty& property) {
    const int type = property.metaType().id();
    const QString name = QString::fromLatin1(property.name());
    const char* word = type == QMetaType::Bool      ? "bool"
                       : type == QMetaType::QString ? "string"
                       : type == QMetaType::Int     ? "int"
                       : type == QMetaType::Double  ? "real"
                                                    : "var";
    const char* start = type == QMetaType::QStringList || type == QMetaType::QVariantList ? ": []"
                        : type == QMetaType::QVariantMap                                  ? ": ({})"
                        : qstrcmp(word, "var") == 0                                       ? ": null"
                                                                                          : "";
    return QStringLiteral("    property %1 %2%3\n")
        .arg(QLatin1String(word), name, QLatin1String(start));
}

// The QML type that stands in for a model.
QString standIn(const QMetaObject* model) {
    const bool lists = model->inherits(&QAbstractItemModel::staticMetaObject);
    const QMetaObject* base =
        lists ? &QAbstractListModel::staticMetaObject : &QObject::staticMetaObject;
    QString text = QStringLiteral("import QtQuick\n%1 {\n    id: own\n")
                       .arg(lists ? QStringLiteral("ListModel") : QStringLiteral("QtObject"));
    QSet<QByteArray> known;
    for (int i = base->propertyCount(); i < model->propertyCount(); ++i) {
        const QMetaProperty property = model->property(i);
        const QString name = QString::fromLatin1(property.name());
        const QByteArray ownSignal = QByteArray(property.name()) + "Changed";
        known << ownSignal;
        if (lists && name == QLatin1String("count")) {
            continue;  // the list's own
        }
        text += propertyOf(property);
        QString body;
        if (property.hasNotifySignal() && property.notifySignal().name() != ownSignal) {
            body += QStringLiteral(" own.%1();")
                        .arg(QString::fromLatin1(property.notifySignal().name()));
        }
        if (property.isWritable()) {
            body += QStringLiteral(" calls.assigned(\"%1.%2\", own.%2);").arg(nameOf(model), name);
        }
        if (!body.isEmpty()) {
            text += QStringLiteral("    on%1%2Changed: {%3 }\n")
                        .arg(name.at(0).toUpper())
                        .arg(name.mid(1), body);
        }
    }
    for (int i = base->methodCount(); i < model->methodCount(); ++i) {
        const QMetaMethod method = model->method(i);
        if (known.contains(method.name()) || method.access() != QMetaMethod::Public) {
            continue;
        }
        known << method.name();
        const QString name = QString::fromLatin1(method.name());
        if (method.methodType() == QMetaMethod::Signal) {
            text += QStringLiteral("    signal %1()\n").arg(name);
        } else {
            const int type = method.returnMetaType().id();
            const char* without = type == QMetaType::QString ? " ?? \"\""
                                  : type == QMetaType::Bool  ? " ?? false"
                                                             : "";
            text += QStringLiteral(
                        "    function %1(...given) { return calls.note(\"%2.%1\", given)%3 }\n")
                        .arg(name, nameOf(model), QLatin1String(without));
        }
    }
    return text + QStringLiteral("}\n");
}

// In place of the real one, which would show the files of this machine.
constexpr const char* kPicker = R"(import QtQuick
QtObject {
    id: own
    property string title
    property string action
    property var suffixes
    signal chosen(string path)
    function ask(start) {
        calls.picker = own
        calls.note("FilePicker.ask", [title, action, "" + suffixes, start])
    }
}
)";

QString spelt(const QVariant& value) {
    if (value.metaType().id() == QMetaType::QString) {
        return QLatin1Char('"') + value.toString().replace(QLatin1Char('\n'), QLatin1Char('|')) +
               QLatin1Char('"');
    }
    return value.toString();
}

}  // namespace

QVariant Calls::note(const QString& function, const QVariantList& arguments) {
    QStringList words;
    for (const QVariant& one : arguments) {
        words << spelt(one);
    }
    calls_ << function + QLatin1Char('(') + words.join(QLatin1String(", ")) + QLatin1Char(')');
    return answers_.value(function);
}

void Calls::assigned(const QString& property, const QVariant& value) {
    if (standing_) {
        calls_ << property + QLatin1String(" = ") + spelt(value);
    }
}

void Calls::openUrl(const QUrl& url) {
    calls_ << QStringLiteral("opens ") + url.toString();
}

bool ScriptedQml::write() {
    const auto put = [this](const QString& name, const QString& text) {
        QFile file(folder_.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0;
    };
    if (!put(QStringLiteral("PartFilePicker.qml"), QString::fromLatin1(kPicker))) {
        return false;
    }
    QStringList names;
    for (const QMetaObject* model : models()) {
        names << nameOf(model);
        if (!put(QStringLiteral("Scripted%1.qml").arg(nameOf(model)), standIn(model))) {
            return false;
        }
    }
    const QRegularExpression typed(
        QStringLiteral("\\bproperty (%1) ").arg(names.join(QLatin1Char('|'))));
    for (const QString& path : partFiles()) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) {
            return false;
        }
        QString text = QString::fromUtf8(file.readAll());
        text.replace(typed, QStringLiteral("property var "));
        if (!put(QStringLiteral("Part%1").arg(QFileInfo(path).fileName()), adapted(text))) {
            return false;
        }
    }
    return true;
}

QString ScriptedQml::adapted(QString text) {
    static const QRegularExpression kParts = [] {
        QStringList names{QStringLiteral("FilePicker")};
        for (const QString& path : partFiles()) {
            names << QFileInfo(path).completeBaseName();
        }
        return QRegularExpression(QStringLiteral("\\b(%1)(?= *\\{)").arg(names.join(u'|')));
    }();
    static const QRegularExpression kModels = [] {
        QStringList names;
        for (const QMetaObject* model : models()) {
            names << nameOf(model);
        }
        return QRegularExpression(QStringLiteral("\\b(%1)(?= *\\{)").arg(names.join(u'|')));
    }();
    return text.replace(kParts, QStringLiteral("Part\\1"))
        .replace(kModels, QStringLiteral("Scripted\\1"))
        .replace(QLatin1String(" as FilePicker"), QLatin1String(" as PartFilePicker"));
}

}  // namespace hearth::ui::test
