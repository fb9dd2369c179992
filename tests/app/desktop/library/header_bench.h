// A model on a server of a test, the fetch of its header, and the plan that is made of it.
#pragma once

#include <hearth/tools.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <functional>
#include <memory>
#include <optional>

#include "app/desktop/network/test_server.h"
#include "library/served_header.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "support/gguf_builder.h"

namespace hearth::ui::test {

struct HeaderBench {
    HeaderBench() {
        server.start();
        fetcher.setLimits(4096, HeaderFetch::kHeaderBytesMost);
        QObject::connect(&fetcher, &HeaderFetch::done, &fetcher,
                         [this](const ServedHeader& header) { result = header; });
    }

    void load(const hearth::test::Bytes& bytes) {
        model = QByteArray(reinterpret_cast<const char*>(bytes.data()),
                           static_cast<qsizetype>(bytes.size()));
    }
    QString headers() const { return folder.filePath(QStringLiteral("headers")); }

    // What an honest server says.
    ServerAnswer ranged(const ServerRequest& request) const {
        const auto range = request.range();
        if (!range) {
            return {.body = model};
        }
        const qint64 end = std::min<qint64>(range->second, model.size());
        return {.status = 206,
                .headers = {{"Content-Range", contentRange(range->first, end, model.size())}},
                .body = model.mid(range->first, end - range->first)};
    }
    static QByteArray contentRange(qint64 from, qint64 end, qint64 total) {
        return "bytes " + QByteArray::number(from) + '-' + QByteArray::number(end - 1) + '/' +
               QByteArray::number(total);
    }

    void start() {
        result.reset();
        fetcher.start(QUrl(server.base() + QStringLiteral("/model.gguf")), QStringLiteral("model"));
    }
    ServedHeader fetch() {
        start();
        if (!QTest::qWaitFor([this] { return result.has_value(); }, 20'000)) {
            return {.wrong = QStringLiteral("no answer")};
        }
        return *result;
    }

    // The model as a file; empty: it could not be written.
    QString whole() const {
        QFile file(folder.filePath(QStringLiteral("whole.gguf")));
        return file.open(QIODevice::WriteOnly) && file.write(model) == model.size()
                   ? file.fileName()
                   : QString();
    }
    // Speeds are given, so that all are planned for the same machine.
    static Result<tools::PlanReport> planOf(const QString& path, std::uint64_t ramBytes,
                                            const std::string& mode = {}) {
        tools::PlanOptions options;
        options.model_path = path.toStdString();
        options.gpu = "none";
        options.threads = 2;
        options.ram_bytes = ramBytes;
        options.mode = mode;
        options.speeds = MachineSpeeds{.ram_read_gb_per_s = 20, .cpu_gflop_per_s = 100};
        return tools::plan(options);
    }
    // All that the plan says, to the last bit. Without the forecast where it rests on the speed of
    // the disk, which is measured.
    static QStringList said(const Result<tools::PlanReport>& plan) {
        if (!plan) {
            return {QString::fromStdString(plan.error().message)};
        }
        QStringList all{QString::fromStdString(plan->fits), QString::fromStdString(plan->mode)};
        const auto add = [&all](const char* name, auto value) {
            all << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(value);
        };
        add("weights", plan->ram.weights);
        add("predictors", plan->ram.predictors);
        add("kv", plan->ram.kv);
        add("scratch", plan->ram.scratch);
        add("vram", plan->vram.total());
        add("flash", plan->flash_weights_bytes);
        add("budget", plan->ram_budget_bytes);
        add("peak", plan->peak_ram_bytes.value_or(0));
        add("context", plan->n_ctx);
        add("profile", plan->has_profile);
        for (const tools::PlanReport::Layer& layer : plan->layers) {
            add("in RAM", layer.ffn_ram_bytes);
            add("on the disk", layer.ffn_flash_bytes);
        }
        for (const std::string& reason : plan->reasons) {
            all << QString::fromStdString(reason);
        }
        if (plan->flash_weights_bytes == 0) {
            const auto speed = plan->forecast.decode_per_s.value_or(tools::SpeedForecast::Range{});
            for (const double value :
                 {speed.low, speed.mid, speed.high, plan->forecast.prefill_per_s.value_or(0),
                  plan->forecast.ttft_ms.value_or(0)}) {
                all << QString::asprintf("forecast %a", value);
            }
        }
        return all;
    }

    QTemporaryDir folder;
    NetworkControl control;
    NetworkDoor door{control};
    QByteArray model;
    TestServer::Handler answer = [this](const ServerRequest& request) { return ranged(request); };
    TestServer server{[this](const ServerRequest& request) { return answer(request); }};
    HeaderFetch fetcher{door, headers()};
    std::optional<ServedHeader> result;
};

}  // namespace hearth::ui::test
