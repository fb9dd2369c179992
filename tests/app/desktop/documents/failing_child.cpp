// Answers "read-document HOW" as a reader that a document has broken.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

int main(int argc, char** argv) {
    const std::string how = argc == 3 ? argv[2] : "";
    if (how == "crash") {
        std::abort();
    }
    if (how == "hang") {
        std::this_thread::sleep_for(std::chrono::minutes(10));
    }
    if (how == "flood") {
        const std::string much(1 << 16, 'x');
        while (std::fwrite(much.data(), 1, much.size(), stdout) > 0) {}
    }
    if (how == "crash after the answer") {
        // A whole reading (documents/document_text.h): the text "a".
        std::fwrite("HDR1\0\0\0\0\0\0\1a\0\0\0\0", 1, 16, stdout);
        std::fflush(stdout);
        std::abort();
    }
    if (how == "other") {
        std::fputs("text", stdout);
    }
    return how == "status" ? 3 : 0;
}
