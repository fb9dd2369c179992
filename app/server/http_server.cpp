#include "http_server.h"

#include <http_parser.h>
#include <uv.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace hearth::server {

// Letters to the server's thread. Exchanges hold it: it may outlive the server.
struct HttpMailbox {
    struct Letter {
        std::uint64_t connection = 0;
        std::string bytes;
        bool ends = false;  // the answer is whole
    };
    enum class Wish { None, RefuseMore, Finish };

    void post(Letter letter) {
        const std::lock_guard lock(mutex);
        if (waker != nullptr) {
            letters.push_back(std::move(letter));
            uv_async_send(waker);
        }
    }
    void ask(Wish wanted) {
        const std::lock_guard lock(mutex);
        if (waker != nullptr) {
            wish = std::max(wish, wanted);
            uv_async_send(waker);
        }
    }

    std::mutex mutex;
    std::vector<Letter> letters;
    Wish wish = Wish::None;
    uv_async_t* waker = nullptr;  // null: the server is gone
};

namespace {

constexpr std::size_t kMostPipelined = 64 << 10;  // bytes of requests behind the one being answered
constexpr int kLingerMs = 2'000;  // time for the client to read the last answer and to close

std::string head_text(const HttpResponse& response, std::string_view length, bool closes) {
    std::string text = "HTTP/1.1 " + std::to_string(response.status) + " ";
    text += reason_of(response.status);
    text += "\r\n";
    for (const HttpHeader& header : response.headers) {
        text += header.name + ": " + header.value + "\r\n";
    }
    text += length;
    text += closes ? "connection: close\r\n\r\n" : "\r\n";
    return text;
}

std::string length_line(const HttpResponse& response) {
    return response.status == 204
               ? std::string()
               : "content-length: " + std::to_string(response.body.size()) + "\r\n";
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

}  // namespace

HttpExchange::HttpExchange(std::shared_ptr<HttpMailbox> mailbox, std::uint64_t connection,
                           bool wants_body, bool knows_chunks)
    : mailbox_(std::move(mailbox)),
      connection_(connection),
      wants_body_(wants_body),
      knows_chunks_(knows_chunks) {}

void HttpExchange::respond(HttpResponse response) {
    std::string bytes = head_text(response, length_line(response), false);
    if (wants_body_) {
        bytes += response.body;
    }
    mailbox_->post({connection_, std::move(bytes), true});
}

void HttpExchange::begin_stream(HttpResponse head) {
    const char* const how = knows_chunks_ ? "transfer-encoding: chunked\r\n" : "";
    mailbox_->post({connection_, head_text(head, how, !knows_chunks_), false});
}

void HttpExchange::write(std::string_view bytes) {
    if (bytes.empty() || client_left()) {
        return;  // an empty chunk would end the stream
    }
    if (!knows_chunks_) {
        mailbox_->post({connection_, std::string(bytes), false});
        return;
    }
    constexpr char kDigits[] = "0123456789abcdef";
    std::string size;
    for (std::size_t left = bytes.size(); left > 0; left /= 16) {
        size.insert(size.begin(), kDigits[left % 16]);
    }
    mailbox_->post({connection_, (size += "\r\n").append(bytes) += "\r\n", false});
}

void HttpExchange::end_stream() {
    mailbox_->post({connection_, knows_chunks_ ? "0\r\n\r\n" : "", true});
}

void HttpExchange::note_left() {
    left_.store(true, std::memory_order_relaxed);
    cancellation_.request();
}

// Everything below runs on the server's thread, but for the members of HttpServer.
struct HttpServer::Impl {
    class Connection;

    Impl(const HttpLimits& wanted, HttpHandler& asked) : limits(wanted), handler(asked) {}

    void run();
    void take_mail();
    void accept();
    void tick();
    void refuse_more();
    void close_all();
    void forget(std::uint64_t id);

    HttpLimits limits;
    HttpHandler& handler;
    std::shared_ptr<HttpMailbox> mailbox = std::make_shared<HttpMailbox>();
    std::thread thread;
    std::uint16_t port = 0;

    uv_loop_t loop{};
    uv_tcp_t listener{};
    uv_async_t waker{};
    uv_timer_t timer{};
    std::map<std::uint64_t, std::unique_ptr<Connection>> connections;
    std::uint64_t last_id = 0;
    bool refuses = false;
    bool closes = false;
    std::uint64_t close_at = 0;
};

class HttpServer::Impl::Connection {
public:
    Connection(Impl& server, std::uint64_t id) : server_(server), id_(id) {
        uv_tcp_init(&server.loop, &socket_);
        socket_.data = this;
        http_parser_init(&parser_, HTTP_REQUEST);
        parser_.data = this;
    }

    bool accept(uv_stream_t* from) {
        if (uv_accept(from, stream()) != 0) {
            return false;
        }
        uv_tcp_nodelay(&socket_, 1);
        wait_for(server_.limits.head_ms);
        return uv_read_start(stream(), give_buffer, on_read) == 0;
    }

    // Bytes of the answer from another thread.
    void answer(HttpMailbox::Letter letter) {
        if (exchange_ == nullptr) {
            return;
        }
        send(std::move(letter.bytes));
        if (closing_ || !letter.ends) {
            return;
        }
        exchange_.reset();
        if (!keeps_ || server_.refuses) {
            linger();
            return;
        }
        wait_for(server_.limits.idle_ms);
        // Not from within itself: requests that wait here go through one after another.
        http_parser_pause(&parser_, 0);
        const std::string waiting = std::exchange(pipelined_, {});
        parse(waiting.data(), waiting.size());
    }

    void tick(std::uint64_t now) {
        if (unsent_ > 0) {  // a client may take its time for an answer, as long as it reads
            if (now >= last_sent_ + static_cast<std::uint64_t>(server_.limits.stall_ms)) {
                close();
            }
        } else if (deadline_ != 0 && now >= deadline_) {
            if (lingers_ || !has_begun_) {
                close();
            } else {
                refuse(server_.handler.describe(request_, 408));
            }
        }
    }

    void refuse_more() {
        if (exchange_ != nullptr) {
            exchange_->cancellation().request();
        } else if (unsent_ > 0) {
            linger();
        } else {
            close();
        }
    }
    bool is_quiet() const { return exchange_ == nullptr && unsent_ == 0; }

    void close() {
        if (std::exchange(closing_, true)) {
            return;
        }
        if (exchange_ != nullptr) {
            exchange_->note_left();
            server_.handler.client_left(*std::exchange(exchange_, nullptr));
        }
        uv_close(reinterpret_cast<uv_handle_t*>(&socket_), [](uv_handle_t* handle) {
            auto* self = static_cast<Connection*>(handle->data);
            self->server_.forget(self->id_);
        });
    }

private:
    struct Write {
        uv_write_t request{};
        std::string bytes;
    };

    uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&socket_); }

    void wait_for(int ms) { deadline_ = uv_now(&server_.loop) + static_cast<std::uint64_t>(ms); }

    void send(std::string bytes) {
        if (closing_ || bytes.empty()) {
            return;
        }
        if (unsent_ == 0) {
            last_sent_ = uv_now(&server_.loop);
        }
        unsent_ += bytes.size();
        if (unsent_ > server_.limits.unread_bytes) {
            close();
            return;
        }
        auto write = std::make_unique<Write>();
        write->bytes = std::move(bytes);
        write->request.data = write.get();
        const uv_buf_t buffer =
            uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
        const int failed =
            uv_write(&write->request, stream(), &buffer, 1, [](uv_write_t* request, int status) {
                const std::unique_ptr<Write> done(static_cast<Write*>(request->data));
                static_cast<Connection*>(request->handle->data)
                    ->sent(done->bytes.size(), status == 0);
            });
        if (failed != 0) {
            close();
            return;
        }
        static_cast<void>(write.release());  // the callback has it
    }

    void sent(std::size_t bytes, bool well) {
        unsent_ -= bytes;
        last_sent_ = uv_now(&server_.loop);
        if (!well) {
            close();
        } else if (unsent_ == 0 && lingers_) {
            wait_for(kLingerMs);
        } else if (unsent_ == 0 && exchange_ == nullptr && !has_begun_) {
            wait_for(server_.limits.idle_ms);
        }
    }

    // Says what is wrong and ends the connection.
    void refuse(HttpResponse response) {
        if (closing_ || lingers_) {
            return;
        }
        send(head_text(response, length_line(response), true) +
             (parser_.method == HTTP_HEAD ? std::string() : response.body));
        linger();
    }

    // No more answers: the client is told, and has some time to read the last one. Closing at once
    // while it still sends would take that answer from it.
    void linger() {
        if (closing_ || std::exchange(lingers_, true)) {
            return;
        }
        wait_for(kLingerMs);
        auto shutdown = std::make_unique<uv_shutdown_t>();
        if (uv_shutdown(shutdown.get(), stream(),
                        [](uv_shutdown_t* request, int) { delete request; }) == 0) {
            static_cast<void>(shutdown.release());
        }
    }

    static void give_buffer(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto* self = static_cast<Connection*>(handle->data);
        *buffer = uv_buf_init(self->buffer_, sizeof self->buffer_);
    }

    static void on_read(uv_stream_t* stream, std::ptrdiff_t count, const uv_buf_t* buffer) {
        auto* self = static_cast<Connection*>(stream->data);
        if (count < 0) {
            self->close();
        } else if (count > 0 && !self->lingers_) {
            self->take(buffer->base, static_cast<std::size_t>(count));
        }
    }

    void take(const char* bytes, std::size_t count) {
        if (exchange_ == nullptr) {
            parse(bytes, count);
        } else if (pipelined_.size() + count <= kMostPipelined) {
            pipelined_.append(bytes, count);
        } else {
            close();
        }
    }

    void parse(const char* bytes, std::size_t count) {
        if (count == 0) {
            return;
        }
        if (!has_begun_) {
            has_begun_ = true;
            wait_for(server_.limits.head_ms);
        }
        const std::size_t done = http_parser_execute(&parser_, &settings(), bytes, count);
        const auto error = HTTP_PARSER_ERRNO(&parser_);
        if (error == HPE_PAUSED) {  // a request is whole
            pipelined_.assign(bytes + done, count - done);
            hand_over();
        } else if (error != HPE_OK) {
            if (refusal_.status == 200) {
                stop_with(error == HPE_HEADER_OVERFLOW ? 431 : 400);
            }
            refuse(refusal_);
        }
    }

    void hand_over() {
        has_begun_ = false;
        deadline_ = 0;
        const bool is_new = parser_.http_major > 1 || parser_.http_minor >= 1;
        keeps_ = is_new && http_should_keep_alive(&parser_) != 0;
        exchange_ = std::make_shared<HttpExchange>(server_.mailbox, id_,
                                                   parser_.method != HTTP_HEAD, is_new);
        HttpRequest request = std::exchange(request_, {});
        head_bytes_ = 0;
        is_head_read_ = false;
        url_.clear();
        const std::shared_ptr<HttpExchange> exchange = exchange_;
        server_.handler.handle(std::move(request), exchange);
    }

    // ---- what the parser finds; not 0: it stops -------------------------------------------------

    static const http_parser_settings& settings() {
        static const http_parser_settings all = [] {
            http_parser_settings made;
            http_parser_settings_init(&made);
            made.on_url = [](http_parser* parser, const char* at, std::size_t size) {
                return of(parser).add_head(of(parser).url_, at, size);
            };
            made.on_header_field = [](http_parser* parser, const char* at, std::size_t size) {
                Connection& self = of(parser);
                if (self.in_value_) {
                    self.end_header();
                }
                return self.add_head(self.field_, at, size);
            };
            made.on_header_value = [](http_parser* parser, const char* at, std::size_t size) {
                of(parser).in_value_ = !of(parser).is_head_read_;
                return of(parser).add_head(of(parser).value_, at, size);
            };
            made.on_headers_complete = [](http_parser* parser) {
                return of(parser).end_head() ? 0 : -1;
            };
            made.on_body = [](http_parser* parser, const char* at, std::size_t size) {
                return of(parser).add_body(at, size) ? 0 : -1;
            };
            made.on_message_complete = [](http_parser* parser) {
                http_parser_pause(parser, 1);
                return 0;
            };
            return made;
        }();
        return all;
    }

    static Connection& of(http_parser* parser) { return *static_cast<Connection*>(parser->data); }

    bool stop_with(int status) {
        refusal_ = server_.handler.describe(request_, status);
        return false;
    }

    int add_head(std::string& part, const char* at, std::size_t size) {
        head_bytes_ += size + 4;  // with the marks and ends of lines
        if (head_bytes_ > server_.limits.head_bytes ||
            request_.headers.size() > server_.limits.header_count) {
            stop_with(431);
            return -1;
        }
        if (!is_head_read_) {  // what follows a body in pieces counts, and tells nothing
            part.append(at, size);
        }
        return 0;
    }

    void end_header() {
        in_value_ = false;
        while (!value_.empty() && (value_.back() == ' ' || value_.back() == '\t')) {
            value_.pop_back();
        }
        request_.headers.push_back(
            {lower(std::exchange(field_, {})), std::exchange(value_, std::string())});
    }

    bool end_head() {
        if (in_value_ || !field_.empty()) {
            end_header();
        }
        is_head_read_ = true;
        parser_.upgrade = 0;  // an offer of another protocol, which may be left alone
        request_.method = http_method_str(static_cast<http_method>(parser_.method));
        request_.port = server_.port;
        request_.path = url_.substr(0, url_.find('?'));
        if (request_.headers.size() > server_.limits.header_count) {
            return stop_with(431);
        }
        if (parser_.method == HTTP_CONNECT) {
            return stop_with(400);
        }
        const bool has_length = (parser_.flags & F_CONTENTLENGTH) != 0;
        if (has_length && parser_.content_length > server_.limits.body_bytes) {
            return stop_with(413);
        }
        if (!server_.handler.admits(request_, refusal_)) {
            if (refusal_.status == 200) {
                refusal_.status = 500;  // a refusal says why
            }
            return false;
        }
        wait_for(server_.limits.body_ms);
        if (const std::string* expects = request_.header("expect");
            expects != nullptr && lower(*expects) == "100-continue") {
            send("HTTP/1.1 100 Continue\r\n\r\n");
        }
        return true;
    }

    bool add_body(const char* at, std::size_t size) {
        if (request_.body.size() + size > server_.limits.body_bytes) {
            return stop_with(413);
        }
        request_.body.append(at, size);
        return true;
    }

    Impl& server_;
    std::uint64_t id_;
    uv_tcp_t socket_{};
    http_parser parser_{};
    char buffer_[16 << 10];

    HttpRequest request_;  // as far as it is read
    std::string url_, field_, value_;
    bool in_value_ = false;
    bool is_head_read_ = false;
    std::size_t head_bytes_ = 0;
    HttpResponse refusal_;  // status 200: there is none
    bool has_begun_ = false;

    std::shared_ptr<HttpExchange> exchange_;  // the request being answered; null: none is
    bool keeps_ = true;                       // the connection, behind that answer
    std::string pipelined_;

    std::size_t unsent_ = 0;
    std::uint64_t last_sent_ = 0;  // ms of the loop's clock, as the next
    std::uint64_t deadline_ = 0;   // 0: none
    bool lingers_ = false;
    bool closing_ = false;
};

void HttpServer::Impl::forget(std::uint64_t id) {
    connections.erase(id);
    if (connections.empty() && !closes) {
        uv_timer_stop(&timer);  // an idle server does nothing at all
    }
}

void HttpServer::Impl::accept() {
    auto made = std::make_unique<Connection>(*this, ++last_id);
    Connection& connection = *made;
    connections.emplace(last_id, std::move(made));
    const bool is_room = connections.size() <= limits.connections && !refuses;
    if (!connection.accept(reinterpret_cast<uv_stream_t*>(&listener)) || !is_room) {
        connection.close();
        return;
    }
    if (uv_is_active(reinterpret_cast<uv_handle_t*>(&timer)) == 0) {
        const int soonest = std::min({limits.head_ms, limits.body_ms, limits.stall_ms});
        const auto every = static_cast<std::uint64_t>(std::clamp(soonest / 4, 5, 250));
        uv_timer_start(
            &timer, [](uv_timer_t* handle) { static_cast<Impl*>(handle->data)->tick(); }, every,
            every);
    }
}

void HttpServer::Impl::tick() {
    const std::uint64_t now = uv_now(&loop);
    for (const auto& [id, connection] : connections) {
        connection->tick(now);
    }
    if (!closes) {
        return;
    }
    const bool is_quiet = std::all_of(connections.begin(), connections.end(),
                                      [](const auto& one) { return one.second->is_quiet(); });
    if (is_quiet || now >= close_at) {
        close_all();
    }
}

void HttpServer::Impl::refuse_more() {
    if (std::exchange(refuses, true)) {
        return;
    }
    uv_close(reinterpret_cast<uv_handle_t*>(&listener), nullptr);
    for (const auto& [id, connection] : connections) {
        connection->refuse_more();
    }
}

void HttpServer::Impl::close_all() {
    for (const auto& [id, connection] : connections) {
        connection->close();
    }
    {
        const std::lock_guard lock(mailbox->mutex);
        mailbox->waker = nullptr;
        mailbox->letters.clear();
    }
    for (uv_handle_t* handle :
         {reinterpret_cast<uv_handle_t*>(&waker), reinterpret_cast<uv_handle_t*>(&timer)}) {
        if (uv_is_closing(handle) == 0) {
            uv_close(handle, nullptr);
        }
    }
}

void HttpServer::Impl::take_mail() {
    std::vector<HttpMailbox::Letter> letters;
    HttpMailbox::Wish wish = HttpMailbox::Wish::None;
    {
        const std::lock_guard lock(mailbox->mutex);
        letters = std::exchange(mailbox->letters, {});
        wish = mailbox->wish;
    }
    for (HttpMailbox::Letter& letter : letters) {
        if (const auto found = connections.find(letter.connection); found != connections.end()) {
            found->second->answer(std::move(letter));
        }
    }
    if (wish != HttpMailbox::Wish::None) {
        refuse_more();
    }
    if (wish == HttpMailbox::Wish::Finish && !std::exchange(closes, true)) {
        uv_update_time(&loop);
        close_at = uv_now(&loop) + 2'000;
        uv_timer_start(
            &timer, [](uv_timer_t* handle) { static_cast<Impl*>(handle->data)->tick(); }, 0, 10);
    }
}

void HttpServer::Impl::run() {
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const Endpoint& endpoint,
                                                      const HttpLimits& limits,
                                                      HttpHandler& handler) {
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN);  // a client that left is an error of its own connection alone
#endif
    // The parser's own bound, which holds for all servers of the process, is only a second one.
    http_parser_set_max_header_size(static_cast<std::uint32_t>(2 * limits.head_bytes));
    auto impl = std::make_unique<Impl>(limits, handler);
    const std::string address = endpoint.ipv6 ? "::1" : "127.0.0.1";
    const auto failed = [&](int error) {
        return Error{error == UV_EADDRINUSE ? ErrorCode::Unsupported : ErrorCode::PermissionDenied,
                     address + " port " + std::to_string(endpoint.port) + ": " +
                         std::string(uv_strerror(error)),
                     "", "port"};
    };
    if (const int error = uv_loop_init(&impl->loop); error != 0) {
        return failed(error);
    }
    uv_tcp_init(&impl->loop, &impl->listener);
    uv_async_init(&impl->loop, &impl->waker,
                  [](uv_async_t* handle) { static_cast<Impl*>(handle->data)->take_mail(); });
    uv_timer_init(&impl->loop, &impl->timer);
    impl->listener.data = impl->waker.data = impl->timer.data = impl.get();
    impl->mailbox->waker = &impl->waker;

    sockaddr_in6 six{};
    sockaddr_in four{};
    uv_ip6_addr("::1", endpoint.port, &six);
    uv_ip4_addr("127.0.0.1", endpoint.port, &four);
    const auto* wanted = endpoint.ipv6 ? reinterpret_cast<const sockaddr*>(&six)
                                       : reinterpret_cast<const sockaddr*>(&four);
    int error = uv_tcp_bind(&impl->listener, wanted, endpoint.ipv6 ? UV_TCP_IPV6ONLY : 0);
    if (error == 0) {
        error = uv_listen(reinterpret_cast<uv_stream_t*>(&impl->listener), 64,
                          [](uv_stream_t* stream, int status) {
                              if (status == 0) {
                                  static_cast<Impl*>(stream->data)->accept();
                              }
                          });
    }
    if (error == 0) {
        sockaddr_storage bound{};
        int size = sizeof bound;
        error = uv_tcp_getsockname(&impl->listener, reinterpret_cast<sockaddr*>(&bound), &size);
        impl->port = endpoint.ipv6 ? ntohs(reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port)
                                   : ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
    }
    if (error != 0) {
        impl->closes = true;
        impl->refuse_more();
        impl->close_all();
        impl->run();
        return failed(error);
    }
    impl->thread = std::thread([raw = impl.get()] { raw->run(); });
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
    finish();
}

std::uint16_t HttpServer::port() const {
    return impl_->port;
}

void HttpServer::refuse_more() {
    impl_->mailbox->ask(HttpMailbox::Wish::RefuseMore);
}

void HttpServer::finish() {
    impl_->mailbox->ask(HttpMailbox::Wish::Finish);
    if (impl_->thread.joinable()) {
        impl_->thread.join();
    }
}

}  // namespace hearth::server
