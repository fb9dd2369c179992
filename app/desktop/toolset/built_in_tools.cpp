#include "toolset/built_in_tools.h"

#include <QDateTime>
#include <QHostAddress>
#include <QLocale>
#include <QTimeZone>
#include <QUrl>
#include <utility>

#include "network/network_door.h"
#include "network/network_rules.h"
#include "system/this_computer.h"
#include "toolbox/calculator.h"
#include "toolbox/page_text.h"
#include "toolbox/rpc_message.h"
#include "toolset/folder_tools.h"

namespace hearth::ui {

namespace {

using toolbox::RpcJson;

constexpr qint64 kMostPageBytes = qint64{2} << 20;
constexpr int kMostLines = 500;

QString textIn(const RpcJson& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string()
               ? QString::fromStdString(found->get<std::string>())
               : QString();
}

int numberIn(const RpcJson& json, const char* name, int otherwise) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number()) {
        return otherwise;
    }
    const double value = found->get<double>();
    return value >= 1 && value <= 1e9 ? static_cast<int>(value) : otherwise;
}

RpcJson readArguments(const QByteArray& arguments) {
    auto json = server::read_json_object(arguments.toStdString());
    return json ? std::move(*json) : RpcJson::object();
}

ToolOutcome calculated(const QString& expression) {
    const auto value = toolbox::calculate(expression.toStdString());
    return value ? ToolOutcome{false, QString::fromStdString(toolbox::number_text(*value))}
                 : ToolOutcome{true, QString::fromStdString(value.error().message)};
}

ToolOutcome timeIn(const QString& zoneName) {
    const QTimeZone zone =
        zoneName.isEmpty() ? QTimeZone::systemTimeZone() : QTimeZone(zoneName.toUtf8());
    if (!zone.isValid()) {
        return {true, BuiltInTools::tr("There is no time zone \"%1\".").arg(zoneName.left(100))};
    }
    const QDateTime now = QDateTime::currentDateTimeUtc().toTimeZone(zone);
    return {false, QLocale::c().toString(now, QStringLiteral("dddd yyyy-MM-dd HH:mm:ss")) +
                       QLatin1Char(' ') + QString::fromUtf8(zone.id()) + QStringLiteral(" (UTC") +
                       QTime(0, 0)
                           .addSecs(std::abs(zone.offsetFromUtc(now)))
                           .toString(zone.offsetFromUtc(now) < 0 ? QStringLiteral("-HH:mm")
                                                                 : QStringLiteral("+HH:mm")) +
                       QLatin1Char(')')};
}

// By its number alone: names are not looked up.
bool isOfANetworkNearby(const QString& host) {
    const QHostAddress address(host);
    if (address.isNull()) {
        return false;
    }
    bool isMapped = false;
    const QHostAddress plain(address.toIPv4Address(&isMapped));
    for (const char* subnet : {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
                               "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/3",
                               "::/127", "fc00::/7", "fe80::/10", "ff00::/8"}) {
        const auto network = QHostAddress::parseSubnet(QLatin1String(subnet));
        if (address.isInSubnet(network) || (isMapped && plain.isInSubnet(network))) {
            return true;
        }
    }
    return false;
}

}  // namespace

QString refusalOfPage(const QString& address) {
    const QUrl url(address.trimmed(), QUrl::StrictMode);
    if (const QString refusal = refusalOfAddress(url); !refusal.isEmpty()) {
        return refusal;
    }
    // The user's own devices trust whoever asks from within; a page of the web is not among them.
    const bool isNear = isThisComputer(url.host()) || isOfANetworkNearby(url.host()) ||
                        !url.host().contains(QLatin1Char('.')) ||
                        url.host().endsWith(QLatin1String(".local"));
    return isNear ? BuiltInTools::tr(
                        "Addresses of this computer and of its network are not "
                        "fetched for a model.")
                  : QString();
}

BuiltInTools::BuiltInTools(NetworkDoor& door, QObject* parent) : ToolSource(parent), door_(door) {
    pool_.setMaxThreadCount(1);
}

BuiltInTools::~BuiltInTools() {
    for (const auto& stopped : std::as_const(working_)) {
        stopped->store(true);
    }
    pool_.waitForDone();
}

QList<OfferedTool> BuiltInTools::tools() const {
    // Models read these: they are not translated.
    return {
        {QStringLiteral("calculate"),
         QStringLiteral("Works out an arithmetic expression exactly to 15 digits. Knows + - * / % "
                        "^, brackets, sqrt abs round floor ceil exp ln log log2 sin cos tan asin "
                        "acos atan min max, pi and e."),
         R"({"type":"object","properties":{"expression":{"type":"string","description":"for example (3.5 + 2) * 4 ^ 2"}},"required":["expression"],"additionalProperties":false})"},
        {QStringLiteral("time"),
         QStringLiteral("Tells the date, the day of the week and the time of now."),
         R"({"type":"object","properties":{"zone":{"type":"string","description":"an IANA time zone such as Europe/Berlin; without it the user's own"}},"additionalProperties":false})"},
        {QStringLiteral("list_folder"),
         QStringLiteral("Lists files and folders within the folder that the user chose for this "
                        "chat."),
         R"({"type":"object","properties":{"path":{"type":"string","description":"a folder, relative to the chat's folder; without it that folder itself"}},"additionalProperties":false})"},
        {QStringLiteral("read_file"),
         QStringLiteral("Reads lines of a text file within the folder that the user chose for "
                        "this chat."),
         R"({"type":"object","properties":{"path":{"type":"string","description":"the file, relative to the chat's folder"},"first_line":{"type":"integer","minimum":1},"lines":{"type":"integer","minimum":1,"maximum":500}},"required":["path"],"additionalProperties":false})"},
        {QStringLiteral("search_files"),
         QStringLiteral("Finds lines with a text in the files within the folder that the user "
                        "chose for this chat. Answers with path, line number and line."),
         R"({"type":"object","properties":{"text":{"type":"string","minLength":1},"names":{"type":"string","description":"a pattern of file names such as *.txt"}},"required":["text"],"additionalProperties":false})"},
        {QStringLiteral("fetch_page"),
         QStringLiteral("Fetches a page of the web and gives its text."),
         R"({"type":"object","properties":{"address":{"type":"string","description":"begins with https://"}},"required":["address"],"additionalProperties":false})"},
    };
}

bool BuiltInTools::needsFolder(const QString& tool) {
    return tool == QLatin1String("list_folder") || tool == QLatin1String("read_file") ||
           tool == QLatin1String("search_files");
}

QString BuiltInTools::permissionOf(const QString& tool, const QByteArray& arguments) const {
    return tool == QLatin1String("fetch_page")
               ? tool + QLatin1Char('@') +
                     QUrl(textIn(readArguments(arguments), "address").trimmed()).host()
               : tool;
}

void BuiltInTools::call(quint64 id, const QString& tool, const QByteArray& arguments,
                        const ToolPlace& place) {
    const RpcJson json = readArguments(arguments);
    const QString path = textIn(json, "path");
    if (needsFolder(tool) && place.folder.isEmpty()) {
        workAside(id, [](const auto&) {
            return ToolOutcome{true, tr("The user has chosen no folder for this chat.")};
        });
    } else if (tool == QLatin1String("calculate")) {
        workAside(id,
                  [text = textIn(json, "expression")](const auto&) { return calculated(text); });
    } else if (tool == QLatin1String("time")) {
        workAside(id, [zone = textIn(json, "zone")](const auto&) { return timeIn(zone); });
    } else if (tool == QLatin1String("list_folder")) {
        workAside(id, [place, path](const auto&) { return listFolder(place.folder, path); });
    } else if (tool == QLatin1String("read_file")) {
        workAside(id, [place, path, first = numberIn(json, "first_line", 1),
                       lines = numberIn(json, "lines", kMostLines)](const auto&) {
            return readFile(place.folder, path, first, lines);
        });
    } else if (tool == QLatin1String("search_files")) {
        workAside(id, [place, text = textIn(json, "text"),
                       names = textIn(json, "names")](const std::atomic<bool>& stopped) {
            return searchFiles(place.folder, text, names, stopped);
        });
    } else if (tool == QLatin1String("fetch_page")) {
        fetchPage(id, textIn(json, "address"));
    } else {
        workAside(id, [](const auto&) { return ToolOutcome{true, tr("There is no such tool.")}; });
    }
}

void BuiltInTools::workAside(quint64 id, const Work& work) {
    const auto stopped = std::make_shared<std::atomic<bool>>(false);
    working_.insert(id, stopped);
    pool_.start([this, id, work, stopped] {
        const ToolOutcome outcome = work(*stopped);
        QMetaObject::invokeMethod(this, [this, id, outcome] { end(id, outcome); });
    });
}

void BuiltInTools::fetchPage(quint64 id, const QString& address) {
    if (const QString refusal = refusalOfPage(address); !refusal.isEmpty()) {
        workAside(id, [refusal](const auto&) { return ToolOutcome{true, refusal}; });
        return;
    }
    auto* life = new QObject(this);
    fetching_.insert(id, life);
    door_.fetch({.url = QUrl(address.trimmed(), QUrl::StrictMode),
                 .purpose = tr("A page that a model asked for"),
                 .bodyBytesMost = kMostPageBytes},
                life, [this, id](const DoorAnswer& answer) {
                    if (!answer.ok()) {
                        end(id, {true, answer.text});
                        return;
                    }
                    workAside(id, [body = answer.body](const auto&) {
                        if (body.left(1024).contains('\0')) {
                            return ToolOutcome{true, tr("The address leads to no text.")};
                        }
                        const std::string text = toolbox::page_text(
                            {body.constData(), static_cast<std::size_t>(body.size())});
                        QString shown = QString::fromStdString(
                            toolbox::cut_to(text, static_cast<std::size_t>(kMostResultBytes)));
                        if (text.size() > static_cast<std::size_t>(kMostResultBytes)) {
                            shown += tr("\n[The page is longer. It ends here.]");
                        }
                        return ToolOutcome{false, shown};
                    });
                });
}

void BuiltInTools::cancel(quint64 id) {
    if (const auto stopped = working_.value(id)) {
        stopped->store(true);
    } else if (fetching_.contains(id)) {
        QMetaObject::invokeMethod(
            this,
            [this, id] {
                end(id, {true, tr("Stopped.")});
            },
            Qt::QueuedConnection);
    }
}

void BuiltInTools::end(quint64 id, const ToolOutcome& outcome) {
    const bool isKnown = working_.remove(id) + (fetching_.contains(id) ? 1 : 0) > 0;
    if (QObject* life = fetching_.take(id)) {
        life->deleteLater();
    }
    if (isKnown) {
        emit done(id, outcome);
    }
}

}  // namespace hearth::ui
