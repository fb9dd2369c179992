#include "demo_downloads.h"

#include <QUrl>

namespace hearth::ui::demo {

QList<DownloadStatus> downloads() {
    using State = DownloadStatus::State;
    QList<DownloadStatus> all;
    const auto add = [&](const char* title, State state, qint64 done, qint64 total) {
        DownloadStatus one;
        one.id = all.size() + 1;
        one.title = QString::fromLatin1(title);
        one.licence = QStringLiteral("apache-2.0");
        one.paths = {QStringLiteral("/nowhere/") + one.title};
        one.state = state;
        one.bytesDone = done;
        one.bytesTotal = total;
        all.append(one);
    };
    add("SmallThinker 4B, sparse, Q4_0", State::Receiving, 1'240'000'000, 2'510'000'000);
    all.last().bytesPerSecond = 11'800'000;
    all.last().secondsLeft = 108;
    add("Llama 3.2 1B Instruct, Q8_0", State::Waiting, 310'000'000, 1'320'000'000);
    all.last().text = QStringLiteral("The server has too many requests and asks for a pause.");
    all.last().waitSeconds = 42;
    add("Qwen 2.5 7B Instruct, Q4_K_M, in three files", State::Paused, 4'020'000'000,
        4'680'000'000);
    add("A model of somebody", State::Failed, 0, 990'000'000);
    all.last().text = QStringLiteral("The server has no such file; it may have been moved.");
    add("Gemma 2 2B, Q4_0", State::Done, 1'630'000'000, 1'630'000'000);
    add("Phi 3.5 mini, Q4_0", State::Cancelled, 200'000'000, 2'180'000'000);
    return all;
}

void fillRequests(RequestLog& log) {
    const auto add = [&](const char* url, const char* purpose, qint64 bytes, int status,
                         const char* result) {
        const qint64 id = log.begin(QStringLiteral("GET"), QUrl(QString::fromLatin1(url)),
                                    QString::fromLatin1(purpose));
        log.received(id, bytes);
        if (*result != 0) {
            log.end(id, status, QString::fromLatin1(result));
        }
    };
    add("https://huggingface.co/api/models?search=x", "Search for models", 48'200, 200, "done");
    add("https://huggingface.co/somebody/a-model/resolve/main/a-model-Q4_0.gguf",
        "Download of a-model-Q4_0.gguf", 0, 302, "redirected to cdn.example");
    add("https://cdn.example/repos/3a/7c/9f0c1d", "Download of a-model-Q4_0.gguf", 1'240'000'000, 0,
        "");
    add("https://huggingface.co/somebody/gone.gguf", "Download of gone.gguf", 0, 404,
        "The server has no such file; it may have been moved.");
}

}  // namespace hearth::ui::demo
