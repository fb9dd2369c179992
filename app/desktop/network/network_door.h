// The one way out: every request of the program goes through a door, and no other folder includes
// Qt's classes for it (tests/tidy/include_rules_test.cpp).
//
// A door
//  - refuses where the user forbade all requests, and then also ends those under way;
//  - asks the mirror for addresses of the hub, and goes through the proxy, as the rules say (what
//    is posted is for the named server and goes to no mirror);
//  - lists every request, each hop of a redirect too (RequestLog);
//  - says "Hearth/0.1.0" and nothing of the machine: no language, cookies, cache or HTTP/2;
//  - verifies certificates always; there is no way to go on after a doubt;
//  - follows redirects itself: at most kRedirectsMost, never from https to http. Tokens go to
//  the site they are for, over https or within this computer, and are dropped when a redirect
//  leaves it.
//
// A few kilobytes at once, such as JSON of the hub or the header of a model file:
//
//     door.fetch({.url = hubUrl("/api/models"), .purpose = tr("Search for models")}, this,
//                [this](const DoorAnswer& answer) { … answer.ok() ? answer.body : answer.text … });
//     door.fetch({.url = file, .purpose = …, .range = {{0, 65536}}, .bodyBytesMost = 65536}, …);
//
// Large bodies stream: send() returns a DoorReply. Downloads use DownloadQueue, which resumes them.
//
// A door belongs to its thread. Another thread makes its own on the same NetworkControl.
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QPair>
#include <QSslConfiguration>
#include <QString>
#include <QUrl>
#include <functional>
#include <memory>
#include <optional>

class QNetworkAccessManager;
class QNetworkReply;

namespace hearth::ui {

class DoorReply;
class NetworkControl;

struct DoorRequest {
    QUrl url = {};         // http or https
    QString purpose = {};  // for the list of requests: "Download of llama.gguf"
    bool headOnly = false;
    std::optional<QPair<qint64, qint64>> range = {};  // bytes from first to before second; second
                                                      // negative: to the end
    QList<QPair<QByteArray, QByteArray>> headers = {};
    // Sent as the body of a POST, in place of a GET. No redirect is followed then.
    std::optional<QByteArray> posted = {};
    bool withToken = false;  // shows the host the user's token, if there is one for it
    // Past the proxy: for a server of this computer, whose requests must not leave it.
    bool direct = false;
    qint64 bodyBytesMost = qint64{4} << 20;  // fetch() only: more is a failure
    int timeoutMs = 30'000;                  // fetch() only: fails after so long without a byte
};

// The reason why there is no answer. An answer of HTTP is one, whatever its status.
enum class DoorFailure {
    None,
    Forbidden,  // by the user's switch
    BadAddress,
    BadRedirect,  // too many, to http, or to no address
    Untrusted,    // the certificate, or TLS itself
    NoHost,       // its name cannot be resolved: often there is no network at all
    Dropped,      // refused, reset or ended early: another try may help
    Proxy,
    TooLarge,
    TimedOut,
    Cancelled,
};

struct DoorAnswer {
    DoorFailure failure = DoorFailure::None;
    int status = 0;
    QString text = {};  // if !ok(): a sentence for people
    QByteArray body = {};
    QUrl url;                      // after redirects
    QByteArray contentRange = {};  // as sent; empty: the body is complete
    QByteArray etag = {};          // as sent, or empty
    QByteArray lastModified = {};  // as sent, or empty
    QByteArray linkedHash = {};  // hub: SHA-256 of a large file in hex ("X-Linked-Etag"), or empty
    qint64 linkedBytes = -1;     // hub: its size ("X-Linked-Size")

    bool ok() const { return failure == DoorFailure::None && status >= 200 && status < 300; }
};

class NetworkDoor : public QObject {
    Q_OBJECT

public:
    static constexpr int kRedirectsMost = 8;

    // `control` outlives the door. `tls` is for tests, which trust a certificate of their own.
    explicit NetworkDoor(NetworkControl& control,
                         const QSslConfiguration& tls = QSslConfiguration::defaultConfiguration(),
                         QObject* parent = nullptr);
    ~NetworkDoor() override;

    // Never null; nothing happens before the event loop runs again. The caller deletes the reply
    // (deleteLater() in a slot of it), which ends the request.
    DoorReply* send(const DoorRequest& request);

    // Calls `done` once, from the event loop, unless `context` is gone by then. Deleting `context`
    // earlier ends the request.
    void fetch(const DoorRequest& request, QObject* context,
               std::function<void(const DoorAnswer&)> done);

private:
    friend class DoorReply;
    QNetworkAccessManager& managerFor(const DoorReply& reply);
    // Sends one hop.
    QNetworkReply* ask(const DoorReply& reply);

    NetworkControl& control_;
    QSslConfiguration tls_;
    // Made when first used. A manager has one proxy, and changing it ends the connections.
    std::unique_ptr<QNetworkAccessManager> manager_, directManager_;
};

// The meaning of a status for people: "The server has no such file." Empty for 2xx.
QString sentenceForStatus(int status);

}  // namespace hearth::ui
