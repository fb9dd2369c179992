// Plays a server of tools that behaves as its first argument says: "good", "silent", "old",
// "no_tools", "crash", "refuse", "flood", "stubborn". The tools of a good one fail, hang, die and
// lie by name.
#include <cstdlib>
#include <iostream>
#include <string>

#include "toolbox/rpc_message.h"

#ifdef __linux__
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

using namespace hearth::toolbox;

namespace {

void put(const std::string& line) {
    std::cout << line << std::endl;
}

RpcJson text_result(const std::string& text, bool is_error = false) {
    return {{"content", RpcJson::array({{{"type", "text"}, {"text", text}}})},
            {"isError", is_error}};
}

RpcJson tool(const char* name) {
    return {
        {"name", name},
        {"description", std::string("the tool ") + name},
        {"inputSchema", {{"type", "object"}, {"properties", {{"text", {{"type", "string"}}}}}}}};
}

// Two pages.
RpcJson tools(const RpcJson& params) {
    if (!params.contains("cursor")) {
        return {{"tools", RpcJson::array({tool("echo"), tool("fail"), tool("deny"), tool("hang")})},
                {"nextCursor", "second"}};
    }
    return {{"tools", RpcJson::array({tool("die"), tool("flood"), tool("long"), tool("wrong"),
                                      tool("lie"), tool("ask"), tool("connect"), tool("fork"),
                                      tool("big"), tool("file")})}};
}

// Tries to reach a port of this computer.
std::string connected(const std::string& port) {
#ifdef __linux__
    const int socket_file = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool done =
        connect(socket_file, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    close(socket_file);
    return done ? "connected" : "no way out";
#else
    return port;
#endif
}

// A process of its own holds the pipe open until it ends.
std::string forked(const std::string& pipe) {
#ifdef __linux__
    if (fork() == 0) {
        setsid();
        const int file = open(pipe.c_str(), O_WRONLY);
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        while (file >= 0) {
            pause();
        }
    }
#endif
    return pipe;
}

std::string made(const std::string& path) {
#ifdef __linux__
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    return file >= 0 ? "made" : "not made";
#else
    return path;
#endif
}

void flood() {
    while (std::cout) {
        std::cout << rpc_notice("notifications/message", {{"level", "info"}}) << "\n";
    }
}

void call(const RpcMessage& request) {
    const std::string name = request.body.value("name", "");
    const RpcJson arguments = request.body.value("arguments", RpcJson::object());
    const std::string text = arguments.value("text", "");
    const RpcJson& id = request.their_id;
    if (name == "fail") {
        put(rpc_answer(id, text_result("it went wrong", true)));
    } else if (name == "deny") {
        put(rpc_failure(id, -32602, "not like this"));
    } else if (name == "die") {
        std::_Exit(3);
    } else if (name == "flood") {
        flood();
    } else if (name == "long") {
        std::cout << std::string(kMostRpcBytes + 1, 'x') << std::endl;
    } else if (name == "wrong") {
        put("this is no JSON");
        put("{\"jsonrpc\":\"2.0\",\"id\":{}}");
        put(rpc_answer(id, text_result("right after all")));
    } else if (name == "lie") {
        put(rpc_answer(id.get<std::int64_t>() + 1000, text_result("a lie")));
        put(rpc_answer(id.get<std::int64_t>() - 1, text_result("an old lie")));
        put(rpc_answer(id, text_result("the truth")));
        put(rpc_answer(id, text_result("once more")));
    } else if (name == "ask") {
        put("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
        put("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/createMessage\",\"params\":{}}");
        std::string first, second;
        std::getline(std::cin, first);
        std::getline(std::cin, second);
        put(rpc_answer(id, text_result(first + "\n" + second)));
    } else if (name == "connect") {
        put(rpc_answer(id, text_result(connected(text))));
    } else if (name == "fork") {
        put(rpc_answer(id, text_result(forked(text))));
    } else if (name == "file") {
        put(rpc_answer(id, text_result(made(text))));
    } else if (name == "big") {
        put(rpc_answer(id, text_result(std::string(100'000, 'x'))));
    } else if (name != "hang") {
        std::cerr << "echoes " << text << std::endl;
        put(rpc_answer(id, text_result(text)));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string kind = argc > 1 ? argv[1] : "good";
    std::cerr << "a server that is " << kind << std::endl;
    if (kind == "crash") {
        return 7;
    }
    for (std::string line; std::getline(std::cin, line);) {
        const auto message = read_rpc(line);
        if (!message || message->kind != RpcMessage::Kind::Request || kind == "silent") {
            continue;
        }
        if (kind == "flood") {
            flood();
        } else if (kind == "refuse") {
            put(rpc_failure(message->their_id, -1, "I would rather not"));
        } else if (message->method == "initialize") {
            RpcJson can = RpcJson::object();
            if (kind != "no_tools") {
                can["tools"] = RpcJson::object();
            }
            put(rpc_answer(message->their_id,
                           {{"protocolVersion", kind == "old" ? "1999-01-01" : "2025-06-18"},
                            {"capabilities", can},
                            {"serverInfo", {{"name", "scripted"}, {"version", "1"}}}}));
        } else if (message->method == "tools/list") {
            put(rpc_answer(message->their_id, tools(message->body)));
        } else if (message->method == "tools/call") {
            call(*message);
        }
    }
#ifdef __linux__
    // It does not heed the end of its input.
    while (kind == "stubborn") {
        pause();
    }
#endif
    return 0;
}
