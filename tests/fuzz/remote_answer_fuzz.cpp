// Any bytes as what a server of models elsewhere answers: a stream, a whole answer, a list of its
// models, an error.
#include <QByteArray>
#include <QString>
#include <cstddef>
#include <cstdint>

#include "fuzz/fuzz_input.h"
#include "remote/chat_stream.h"
#include "remote/remote_server.h"

namespace fuzz = hearth::fuzz;
using namespace hearth::ui;

namespace {

struct Answer {
    QString text;
    QString problem;
    int tokens = 0;
    QStringList calls;

    bool operator==(const Answer&) const = default;
};

Answer readIn(const QByteArray& bytes, qsizetype step) {
    ChatStream stream;
    Answer answer;
    for (qsizetype at = 0; at < bytes.size(); at += step) {
        stream.push(bytes.mid(at, step));
        answer.text += stream.takeText();
    }
    stream.end();
    answer.text += stream.takeText();
    answer.problem = stream.problem();
    if (answer.problem.isEmpty()) {
        const GenerationSummary summary = stream.summary();
        FUZZ_CHECK(summary.promptTokens >= 0 && summary.cachedTokens <= summary.promptTokens);
        answer.tokens = summary.tokenCount;
        for (const ModelCall& call : summary.calls) {
            FUZZ_CHECK(!call.id.isEmpty() && !call.name.isEmpty() && !call.arguments.isEmpty());
            FUZZ_CHECK(call.name.size() <= ChatStream::kMostName);
            answer.calls << call.name << QString::fromUtf8(call.arguments);
        }
        FUZZ_CHECK(summary.calls.size() <= ChatStream::kMostCalls);
    }
    return answer;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const std::uint8_t choice = input.byte();
    const QByteArray bytes = QByteArray::fromStdString(input.rest());
    switch (choice % 4) {
        case 0: {
            const Answer whole = readIn(bytes, bytes.size() + 1);
            FUZZ_CHECK(readIn(bytes, 1) == whole);
            FUZZ_CHECK(readIn(bytes, 7) == whole);
            break;
        }
        case 1: {
            ChatStream stream;
            stream.pushWhole(bytes);
            stream.end();
            FUZZ_CHECK(stream.takeText().size() <= 2 * bytes.size() + 40);
            break;
        }
        case 2: {
            const ModelListAnswer list = readModelList(bytes);
            FUZZ_CHECK(list.models.isEmpty() != list.problem.isEmpty());
            for (const ListedModel& model : list.models) {
                FUZZ_CHECK(!model.name.isEmpty() && model.name.size() <= kMostModelName);
                FUZZ_CHECK(model.contextTokens >= 0);
            }
            break;
        }
        default:
            FUZZ_CHECK(errorMessageIn(bytes).size() <= 401);
            static_cast<void>(refusalOfServerAddress(serverAddress(QString::fromUtf8(bytes))));
    }
    return 0;
}
