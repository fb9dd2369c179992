// forecast_bench --hearth build/bin/hearth-cli --model A.gguf [--model B.gguf ...] [--ram 2G]
//
// What the window says of a model before it is downloaded, beside what the model then does. A
// server on this computer serves the file; the header comes by ranges and is planned with, as the
// window does it; then `hearth-cli bench` runs the whole file with the same budget, threads and
// context. Rounds alternate, since the memory of a shared machine is fast at one minute and slow at
// the next: both are medians of all rounds.
//
// Ends with 0 where each forecast of tokens a second is within 25 % of what was measured and no
// process held more than the forecast and 5 %.
#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <hearth/tools.h>

#include "app/desktop/network/test_server.h"
#include "bench/child_process.h"
#include "library/served_header.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "size.h"

namespace {

using namespace hearth;
using namespace hearth::ui;

constexpr double kSpeedOff = 0.25;
constexpr double kMemoryMore = 0.05;
// Forecasts are for 256 tokens in the context, and for a prompt of as many.
constexpr int kPositions = 256;
constexpr int kDecoded = 64;
constexpr int kContext = 512;

struct Options {
    std::string hearth;
    std::vector<std::string> models;
    std::string ram;
    std::string gpu = "none";
    std::string mode;  // "dense", "exact", "predicted"
    std::string activation, predictor_input;
    int threads = 0;
    int rounds = 3;
};

struct Round {
    double low = 0, forecast = 0, high = 0, measured = 0;  // tokens a second
    double forecast_ttft_ms = 0, measured_ttft_ms = 0;
    double forecast_bytes = 0, peak_bytes = 0;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double median_of(const std::vector<Round>& rounds, double Round::*what) {
    std::vector<double> values;
    for (const Round& round : rounds) {
        values.push_back(round.*what);
    }
    return median(std::move(values));
}

int fail(const std::string& what) {
    std::fprintf(stderr, "forecast_bench: %s\n", what.c_str());
    return 1;
}

// The header of `model`, served and written into `folder`.
ServedHeader fetch(const std::string& model, const QString& folder) {
    QFile file(QString::fromStdString(model));
    if (!file.open(QIODevice::ReadOnly)) {
        return {.wrong = file.errorString()};
    }
    test::TestServer server([&file](const test::ServerRequest& request) -> test::ServerAnswer {
        const auto range = request.range();
        if (!range || !file.seek(range->first)) {
            return {.status = 416};
        }
        const qint64 end = std::min(range->second, file.size());
        return {.status = 206,
                .headers = {{"Content-Range", "bytes " + QByteArray::number(range->first) + '-' +
                                                  QByteArray::number(end - 1) + '/' +
                                                  QByteArray::number(file.size())}},
                .body = file.read(end - range->first)};
    });
    if (!server.start()) {
        return {.wrong = server.errorString()};
    }
    NetworkControl control;
    NetworkDoor door(control);
    HeaderFetch header(door, folder);
    ServedHeader served{.wrong = QStringLiteral("the server did not answer")};
    QEventLoop loop;
    QObject::connect(&header, &HeaderFetch::done, &loop, [&](const ServedHeader& answer) {
        served = answer;
        loop.quit();
    });
    QTimer::singleShot(60'000, &loop, &QEventLoop::quit);
    header.start(QUrl(server.base() + QStringLiteral("/model.gguf")), QStringLiteral("model"));
    loop.exec();
    return served;
}

std::optional<nlohmann::json> bench(const Options& options, const std::string& model,
                                    const std::vector<std::string>& what) {
    std::vector<std::string> arguments = {
        options.hearth,           "bench", "--json", "-m", model, "--gpu", options.gpu, "--ctx",
        std::to_string(kContext), "-r",    "3"};
    const auto add = [&arguments](const char* name, const std::string& value) {
        if (!value.empty()) {
            arguments.insert(arguments.end(), {name, value});
        }
    };
    add("--ram", options.ram);
    add("-t", options.threads > 0 ? std::to_string(options.threads) : std::string());
    add("--activation", options.activation);
    add("--predictor-input", options.mode == "predicted" ? options.predictor_input : "");
    if (!options.mode.empty()) {
        arguments.push_back("--" + options.mode);
    }
    arguments.insert(arguments.end(), what.begin(), what.end());
    const bench::ChildResult child = bench::run_child(arguments);
    auto report = nlohmann::json::parse(child.output, nullptr, false);
    if (child.status != 0 || report.is_discarded()) {
        fail(options.hearth + " bench: " + child.last_error);
        return std::nullopt;
    }
    return report;
}

std::optional<Round> run_round(const Options& options, const std::string& model,
                               const std::string& header, const std::string& folder) {
    tools::PlanOptions plan;
    plan.model_path = header;
    plan.disk_folder = folder;
    plan.n_ctx = kContext;
    plan.threads = options.threads;
    plan.gpu = options.gpu;
    plan.mode = options.mode;
    plan.activation = options.activation;
    plan.predictor_input = options.predictor_input;
    if (!options.ram.empty()) {
        plan.ram_bytes = parse_size(options.ram);
        if (!plan.ram_bytes) {
            fail("--ram: \"" + options.ram + "\" is no size");
            return std::nullopt;
        }
    }
    const auto report = tools::plan(plan);
    if (!report || report->fits == "no" || !report->forecast.decode_per_s) {
        fail(model + ": " +
             (!report                   ? report.error().message
              : report->reasons.empty() ? std::string("no forecast")
                                        : report->reasons.back()));
        return std::nullopt;
    }
    const auto decode = bench(options, model,
                              {"-p", "0", "-n", std::to_string(kDecoded), "-d",
                               std::to_string(kPositions - kDecoded / 2)});
    const auto prompt = decode
                            ? bench(options, model, {"-p", std::to_string(kPositions), "-n", "0"})
                            : std::nullopt;
    if (!prompt) {
        return std::nullopt;
    }
    const auto& range = *report->forecast.decode_per_s;
    return Round{.low = range.low,
                 .forecast = range.mid,
                 .high = range.high,
                 .measured = decode->at("decode").at("median_per_s").get<double>(),
                 .forecast_ttft_ms = report->forecast.ttft_ms.value_or(0),
                 .measured_ttft_ms = prompt->at("ttft_ms").at("median").get<double>(),
                 .forecast_bytes = static_cast<double>(report->peak_ram_bytes.value_or(0)),
                 .peak_bytes = std::max(decode->at("memory").at("rss_peak_bytes").get<double>(),
                                        prompt->at("memory").at("rss_peak_bytes").get<double>())};
}

// Whether the forecast holds.
bool print(const std::string& model, const ServedHeader& served, const std::vector<Round>& rounds) {
    const double forecast = median_of(rounds, &Round::forecast);
    const double measured = median_of(rounds, &Round::measured);
    const double planned = median_of(rounds, &Round::forecast_bytes);
    double held = 0;
    for (const Round& round : rounds) {
        held = std::max(held, round.peak_bytes);
    }
    const double first = median_of(rounds, &Round::forecast_ttft_ms);
    const double measured_first = median_of(rounds, &Round::measured_ttft_ms);
    const bool speed = std::abs(forecast / measured - 1) <= kSpeedOff;
    const bool memory = held <= planned * (1 + kMemoryMore);
    std::printf("%s: %lld of %lld bytes were served\n", model.c_str(),
                static_cast<long long>(served.fetched), static_cast<long long>(served.bytes));
    std::printf("  tokens/s     forecast %8.2f (%.2f to %.2f)  measured %8.2f  ratio %.3f  %s\n",
                forecast, median_of(rounds, &Round::low), median_of(rounds, &Round::high), measured,
                forecast / measured, speed ? "within 25 %" : "OUTSIDE 25 %");
    std::printf("  first token  forecast %8.0f ms  measured %8.0f ms  ratio %.3f\n", first,
                measured_first, first / measured_first);
    std::printf("  memory       forecast %8.1f MB  peak %8.1f MB  ratio %.3f  %s\n", planned / 1e6,
                held / 1e6, held / planned, memory ? "within 5 %" : "MORE THAN 5 % ABOVE");
    std::printf("  rounds       ");
    for (const Round& round : rounds) {
        std::printf(" %.2f/%.2f", round.forecast, round.measured);
    }
    std::printf("\n");
    std::fflush(stdout);
    return speed && memory;
}

int run(const Options& options) {
    bool all = true;
    for (const std::string& model : options.models) {
        const QTemporaryDir headers;
        const ServedHeader served = fetch(model, headers.path());
        if (!served.wrong.isEmpty()) {
            return fail(model + ": " + served.wrong.toStdString());
        }
        const std::string folder =
            QFileInfo(QString::fromStdString(model)).absolutePath().toStdString();
        std::vector<Round> rounds;
        for (int i = 0; i < options.rounds; ++i) {
            const auto round = run_round(options, model, served.path.toStdString(), folder);
            if (!round) {
                return 1;
            }
            rounds.push_back(*round);
        }
        all = print(model, served, rounds) && all;
    }
    return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    Options options;
    CLI::App app("Forecasts from served headers beside measurements");
    app.add_option("--hearth", options.hearth, "hearth-cli")->required();
    app.add_option("--model", options.models, "model files")->required();
    app.add_option("--ram", options.ram, "budget of RAM, as in hearth-cli");
    app.add_option("--gpu", options.gpu, "as in hearth-cli");
    app.add_option("--mode", options.mode, "dense, exact, predicted (default: as loaded)")
        ->check(CLI::IsMember({"dense", "exact", "predicted"}));
    app.add_option("--activation", options.activation, "for files that do not say");
    app.add_option("--predictor-input", options.predictor_input, "for files that do not say");
    app.add_option("-t,--threads", options.threads, "threads");
    app.add_option("--rounds", options.rounds, "of forecast and measurement");
    CLI11_PARSE(app, argc, argv);
    return run(options);
}
