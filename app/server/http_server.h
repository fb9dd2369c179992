// HTTP/1.1 over the loopback interface. libuv and http-parser stay in the source file, so that
// another library could take their place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "http_message.h"

namespace hearth::server {

// Every bound that a stranger could reach.
struct HttpLimits {
    std::size_t head_bytes = 32 << 10;  // request line and headers
    std::size_t header_count = 100;
    std::size_t body_bytes = 8 << 20;
    std::size_t connections = 64;         // more are closed at once
    std::size_t unread_bytes = 16 << 20;  // of an answer that the client does not read
    int head_ms = 10'000;                 // from its first byte, or from the connection's begin
    int body_ms = 60'000;                 // from the end of the head
    int idle_ms = 60'000;                 // between two requests
    int stall_ms = 30'000;                // while the client takes no byte of an answer
};

struct HttpMailbox;  // what other threads leave for the server's

// The answer to one request. Any thread may call any member.
class HttpExchange {
public:
    // wants_body: false for HEAD. knows_chunks: HTTP/1.1; else a stream ends with its connection.
    HttpExchange(std::shared_ptr<HttpMailbox> mailbox, std::uint64_t connection, bool wants_body,
                 bool knows_chunks);

    // One of the two, once: a whole answer, or the head of a stream, whose body write() brings.
    void respond(HttpResponse response);
    void begin_stream(HttpResponse head);
    // Never waits. Bytes for a client that left go nowhere.
    void write(std::string_view bytes);
    void end_stream();

    // Requested when the client leaves and when the server stops. Whoever computes the answer may
    // request it, too.
    Cancellation& cancellation() { return cancellation_; }
    // True once nobody will read the answer.
    bool client_left() const { return left_.load(std::memory_order_relaxed); }
    void note_left();
    std::uint64_t connection() const { return connection_; }

private:
    std::shared_ptr<HttpMailbox> mailbox_;
    std::uint64_t connection_;
    bool wants_body_;
    bool knows_chunks_;
    std::atomic<bool> left_{false};
    Cancellation cancellation_;
};

// The server asks this. All calls come on the server's thread and must not wait.
class HttpHandler {
public:
    virtual ~HttpHandler() = default;
    // Looks at a request before its body is read. True: read it and call handle(). False:
    // `refusal` is the answer, and the connection ends behind it.
    virtual bool admits(const HttpRequest& head, HttpResponse& refusal) = 0;
    // The answer to what is no request: 400, 408, 413, 431. `head` is as far as it was read.
    virtual HttpResponse describe(const HttpRequest& head, int status) = 0;
    virtual void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) = 0;
    // The client left before its answer ended.
    virtual void client_left(const HttpExchange& exchange) = 0;
};

// Answers to one connection go out in the order of its requests, one after another.
class HttpServer {
public:
    struct Endpoint {
        bool ipv6 = false;       // ::1 instead of 127.0.0.1
        std::uint16_t port = 0;  // 0: any
    };
    // Listens when it returns. The handler must outlive the server. Field "port": Unsupported, the
    // port is in use; PermissionDenied, the system does not give it.
    static Result<std::unique_ptr<HttpServer>> start(const Endpoint& endpoint,
                                                     const HttpLimits& limits,
                                                     HttpHandler& handler);
    ~HttpServer();  // as finish()
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;
    // Takes no more connections and requests, and cancels the answers under way, which may still
    // end.
    void refuse_more();
    // Waits at most two seconds for what was written to go out, closes all and ends the thread.
    void finish();

private:
    struct Impl;
    explicit HttpServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::server
