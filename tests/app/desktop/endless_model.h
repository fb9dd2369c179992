// A tiny model whose answer does not end by itself: something to stop, and to be busy with.
#pragma once

#include <QSignalSpy>
#include <QString>

#include "bridge/local_inference.h"
#include "support/tiny_model.h"

namespace hearth::ui::test {

// Writes `folder`/tiny.gguf and returns its path; empty: no seed gives such a model. The best token
// (temperature 0) is taken at least 1100 times in answer to `question`, at most until `n_ctx`
// fill the context.
inline QString endlessModel(const QString& folder, const QString& question, int n_ctx = 16384) {
    const QString file = folder + QStringLiteral("/tiny.gguf");
    hearth::test::TinyModelOptions options;
    options.n_ctx = n_ctx;
    for (unsigned seed = 1; seed <= 64; ++seed) {
        if (!hearth::test::TinyModel(options, seed).write(file.toStdString())) {
            return {};
        }
        LocalInference inference;
        QSignalSpy loaded(&inference, &InferenceService::loaded);
        inference.loadModel({file, 1, 0});
        if (!loaded.wait(60'000)) {
            return {};
        }
        int tokens = 0;
        QObject::connect(
            &inference, &InferenceService::finished, &inference,
            [&](quint64, const GenerationSummary& summary) { tokens = summary.tokenCount; });
        QSignalSpy finished(&inference, &InferenceService::finished);
        GenerationSettings best;
        best.temperature = 0;
        best.maxTokens = 1100;
        inference.generate(1, {{QStringLiteral("user"), question}}, best);
        if (finished.wait(60'000) && tokens == 1100) {
            return file;
        }
    }
    return {};
}

}  // namespace hearth::ui::test
