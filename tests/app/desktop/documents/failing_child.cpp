// Answers "read-document HOW" as a reader that a document has broken, and "draw-svg" with a comment
// "<!--HOW-->" in the drawing as a renderer that this has broken.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

std::string how_of_drawing() {
    std::string source;
    for (int c = std::getchar(); c != EOF; c = std::getchar()) {
        source += static_cast<char>(c);
        const std::size_t begin = source.find("<!--");
        if (begin != std::string::npos && source.ends_with("-->")) {
            return source.substr(begin + 4, source.size() - begin - 7);
        }
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    const bool draws = argc > 3;
    const std::string how = draws ? how_of_drawing() : argc == 3 ? argv[2] : "";
    if (how == "crash") {
        std::abort();
    }
    if (how.starts_with("hang")) {
        std::this_thread::sleep_for(std::chrono::minutes(10));
    }
    if (how == "flood") {
        const std::string much(1 << 16, 'x');
        while (std::fwrite(much.data(), 1, much.size(), stdout) > 0) {}
    }
    if (how == "crash after the answer") {
        // A whole drawing (documents/drawing.h): that there is nothing to draw. A whole reading
        // (documents/document_text.h): the text "a".
        const std::string drawing = std::string("HDW1\3", 5) + std::string(29, '\0');
        const std::string reading("HDR1\0\0\0\0\0\0\1a\0\0\0\0", 16);
        const std::string& answer = draws ? drawing : reading;
        std::fwrite(answer.data(), 1, answer.size(), stdout);
        std::fflush(stdout);
        std::abort();
    }
    if (how == "other") {
        std::fputs("text", stdout);
    }
    return how == "status" ? 3 : 0;
}
