// The activation profile of a packed model is fetched with its header: the plan is that of the
// whole file, or, where the server does not play along, the one that counts every neuron.
#include <QtTest>
#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "app/desktop/library/header_bench.h"
#include "gguf/reader.h"
#include "model/model_hash.h"
#include "plan/profile_file.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace hearth::ui {

using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using test::HeaderBench;
using test::ServerAnswer;
using test::ServerRequest;

namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

TinyModelOptions sparse(int n_embd, int n_ff) {
    return {.arch = "bamboo",
            .type = DType::Q8_0,
            .n_embd = n_embd,
            .n_ff = n_ff,
            .by_neuron = true,
            .pwri = true,
            .predictor_width = 64};
}

ActivationProfile counts(int layers, int n_ff, const std::string& hash) {
    std::mt19937 random(7);
    ActivationProfile profile;
    profile.model_hash = hash;
    profile.tokens = 1000;
    for (std::size_t b = 0; b < profile.groups.size(); ++b) {
        profile.groups[b] = profile.tokens >> b;
    }
    profile.layers.resize(static_cast<std::size_t>(layers));
    for (LayerProfile& layer : profile.layers) {
        layer.fired.fill(std::vector<std::uint32_t>(static_cast<std::size_t>(n_ff)));
        for (std::size_t n = 0; n < static_cast<std::size_t>(n_ff); ++n) {
            const auto often = static_cast<std::uint32_t>(random() % 300);
            for (std::size_t b = 0; b < profile.groups.size(); ++b) {
                layer.fired[b][n] = std::min(often, static_cast<std::uint32_t>(profile.groups[b]));
            }
        }
    }
    return profile;
}

// Packed as `pack` does it: all of the profile lies together.
hearth::test::Bytes packed(int n_embd, int n_ff) {
    const hearth::test::TempDir folder;
    const std::string model = folder.file("model.gguf");
    const std::string profile = folder.file("profile.gguf");
    const Cancellation never;
    if (!TinyModel(sparse(n_embd, n_ff)).write(model) ||
        !write_profile(profile, counts(2, n_ff, *model_hash(*GgufFile::open(model)))) ||
        !tools::pack(model, {.output_path = folder.file("packed.gguf"), .profile_path = profile},
                     {}, never)) {
        return {};
    }
    return hearth::test::read_file(folder.file("packed.gguf"));
}

// As somebody else may lay it out: with the output head between the layers' counts, and of no
// sequence.
hearth::test::Bytes scattered() {
    constexpr int kFf = 512;
    GgufBuilder file = TinyModel(sparse(128, kFf)).file();
    const ActivationProfile profile = counts(2, kFf, {});
    const std::vector<std::uint64_t> shape{kProfileBatches.size(), kFf};
    file.key("hearth.profile.tokens", profile.tokens)
        .array("hearth.profile.batches",
               std::vector<std::int32_t>(kProfileBatches.begin(), kProfileBatches.end()))
        .array("hearth.profile.groups",
               std::vector<std::uint64_t>(profile.groups.begin(), profile.groups.end()))
        .tensor("blk.1.ffn_fired", shape, DType::I32, profile_tensor_bytes(profile.layers[1]))
        .without("output.weight")
        .tensor("output.weight", {TinyModel::kVocab, 128}, DType::F32)
        .tensor("blk.0.ffn_fired", shape, DType::I32, profile_tensor_bytes(profile.layers[0]));
    return file.bytes();
}

}  // namespace

class ServedProfileTest : public QObject {
    Q_OBJECT

private slots:
    void init() { bench_ = std::make_unique<HeaderBench>(); }
    void cleanup() { bench_.reset(); }

    void thePlanIsThatOfTheWholeFile_data() {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("mode");
        QTest::addColumn<int>("requests");  // for the profile
        for (const char* mode : {"exact", "predicted"}) {
            QTest::addRow("packed, %s", mode) << "packed" << mode << 1;
            QTest::addRow("scattered, %s", mode) << "scattered" << mode << 2;
        }
        QTest::newRow("larger than RAM") << "large"
                                         << "predicted" << 1;
    }
    void thePlanIsThatOfTheWholeFile() {
        QFETCH(const QString, layout);
        QFETCH(const QString, mode);
        QFETCH(const int, requests);
        const bool large = layout == QLatin1String("large");
        bench_->load(layout == QLatin1String("scattered") ? scattered()
                     : large                              ? packed(512, 8192)
                                                          : packed(256, 1024));
        const QString whole = bench_->whole();
        QVERIFY(!whole.isEmpty() && !bench_->model.isEmpty());
        const ServedHeader served = bench_->fetch();
        QCOMPARE(served.wrong, QString());
        QVERIFY(served.fetched > served.header && served.fetched < bench_->model.size() / 2);
        QCOMPARE(askedBehind(served.header), requests);
        const std::uint64_t ram = large ? std::uint64_t{33} << 20 : kPlenty;
        const auto real = HeaderBench::planOf(whole, ram, mode.toStdString());
        QVERIFY2(real, real ? "" : real.error().message.c_str());
        QVERIFY(real->has_profile);
        QCOMPARE(real->flash_weights_bytes > 0, large);
        QCOMPARE(HeaderBench::said(HeaderBench::planOf(served.path, ram, mode.toStdString())),
                 HeaderBench::said(real));
    }

    // What comes with the header is not fetched again; a server without ranges has sent it all.
    void aSmallFileIsFetchedOnce() {
        bench_->load(scattered());
        bench_->fetcher.setLimits(bench_->model.size() + 1, HeaderFetch::kHeaderBytesMost);
        for (const bool ranges : {true, false}) {
            if (!ranges) {
                bench_->answer = [this](const ServerRequest&) {
                    return ServerAnswer{.body = bench_->model};
                };
            }
            const qsizetype before = bench_->server.requests().size();
            const ServedHeader served = bench_->fetch();
            QCOMPARE(bench_->server.requests().size(), before + 1);
            QCOMPARE(planOf(served), planOfWhole());
        }
    }

    void aServerThatDoesNotPlayAlong_data() {
        QTest::addColumn<QString>("fault");
        for (const char* fault :
             {"no such file", "all of the file", "another part", "another beginning", "less",
              "more", "no part named", "another length", "another ETag", "another date", "an end",
              "nothing more"}) {
            QTest::newRow(fault) << fault;
        }
    }
    // The first range comes, the second does not: one layer's counts alone would be worse than
    // none.
    void aServerThatDoesNotPlayAlong() {
        QFETCH(const QString, fault);
        bench_->load(scattered());
        bench_->fetcher.setLimits(4096, HeaderFetch::kHeaderBytesMost,
                                  fault == QLatin1String("nothing more") ? 50 : 60'000);
        qint64 last = 0;
        bench_->answer = [&](const ServerRequest& request) {
            last = std::max(last, request.range()->first);
            ServerAnswer answer = bench_->ranged(request);
            const bool good = last < bench_->model.size() * 9 / 10;
            add(answer, "ETag", good || fault != QLatin1String("another ETag") ? "\"1\"" : "\"2\"");
            if (fault == QLatin1String("another date")) {
                answer.headers.removeLast();
                add(answer, "Last-Modified", good ? "Mon, 01 Jan 2024" : "Tue, 02 Jan 2024");
            }
            return good ? answer : faulty(fault, request, answer);
        };
        const ServedHeader served = bench_->fetch();
        // A slow machine may lose its patience with the first range already.
        QVERIFY(last >= bench_->model.size() * 9 / 10 || fault == QLatin1String("nothing more"));
        QCOMPARE(served.wrong, QString());
        QCOMPARE(served.fetched, served.header);
        QVERIFY(bytesOf(served) == headerAlone());
    }

    // A header that names more than any model has costs one fetch of a header.
    void hostileHeaders() {
        GgufBuilder file = TinyModel(sparse(128, 512)).file();
        file.tensor("blk.0.ffn_fired", {6, 512}, DType::I32).with_offset(std::uint64_t{1} << 60);
        bench_->load(file.bytes());
        const ServedHeader served = bench_->fetch();
        QCOMPARE(served.wrong, QString());
        QCOMPARE(askedBehind(served.header), 0);
        QCOMPARE(served.fetched, served.header);
    }

    // 40 servers, each with faults of its own by a seed and by the part that is asked for, so that
    // it does not matter when or how often. None of them makes a file of something in between.
    void seededServers() {
        bench_->load(scattered());
        const qint64 size = bench_->model.size();
        const QByteArray without = headerAlone();
        QByteArray with = without;
        for (const ByteRange& range : profileRanges(headerExtent(bench_->model), size)) {
            with.replace(range.from, range.end - range.from,
                         bench_->model.mid(range.from, range.end - range.from));
        }
        QVERIFY(with != without);
        constexpr std::array kFaults = {
            "no such file", "all of the file", "another part",   "another beginning", "less",
            "more",         "no part named",   "another length", "another ETag"};
        int said = 0, whole = 0, bare = 0;
        for (unsigned seed = 0; seed < 40; ++seed) {
            bench_->answer = [&](const ServerRequest& request) {
                std::seed_seq by{seed, static_cast<unsigned>(request.range()->first)};
                std::mt19937 random(by);
                ServerAnswer answer = bench_->ranged(request);
                const bool good = random() % 4 != 0;
                const QLatin1String fault(kFaults[random() % kFaults.size()]);
                const bool other = !good && fault == QLatin1String("another ETag");
                add(answer, "ETag", other ? "\"2\"" : "\"1\"");
                return good ? answer : faulty(fault, request, answer);
            };
            const ServedHeader served = bench_->fetch();
            if (!served.wrong.isEmpty()) {
                ++said;
                continue;
            }
            const QByteArray bytes = bytesOf(served);
            QVERIFY2(bytes == with || bytes == without, qPrintable(QString::number(seed)));
            ++(bytes == with ? whole : bare);
            QVERIFY(QFile::remove(served.path));
        }
        QVERIFY2(said >= 4 && whole >= 4 && bare >= 4,
                 qPrintable(QStringLiteral("%1 %2 %3").arg(said).arg(whole).arg(bare)));
    }

    void cancelledWhileItComes() {
        bench_->load(scattered());
        bench_->answer = [this](const ServerRequest& request) {
            ServerAnswer answer = bench_->ranged(request);
            if (request.range()->first > bench_->model.size() / 2) {
                answer.bodyBytesSent = 10;
                answer.then = ServerAnswer::Then::Stall;
            }
            return answer;
        };
        bench_->start();
        QTRY_VERIFY(bench_->server.stalls());
        bench_->fetcher.cancel();
        QTest::qWait(20);
        QVERIFY(!bench_->result && QDir(bench_->headers()).isEmpty());
    }

private:
    static void add(ServerAnswer& answer, const char* name, const QByteArray& value) {
        answer.headers.append(qMakePair(QByteArray(name), value));
    }
    ServerAnswer faulty(const QString& fault, const ServerRequest& request,
                        ServerAnswer answer) const {
        const qint64 from = request.range()->first;
        const qint64 end = std::min<qint64>(request.range()->second, bench_->model.size());
        const auto named = [&](qint64 first, qint64 last, qint64 total) {
            answer.headers[0].second = HeaderBench::contentRange(first, last, total);
        };
        const qint64 total = bench_->model.size();
        if (fault == QLatin1String("no such file")) {
            return {.status = 404};
        }
        if (fault == QLatin1String("all of the file")) {
            return {.body = bench_->model};
        }
        if (fault == QLatin1String("another part")) {
            answer.body = bench_->model.left(end - from);
            named(1, 1 + end - from, total);
        } else if (fault == QLatin1String("another beginning")) {
            named(from + 1, end, total);  // with as many bytes as were asked for
        } else if (fault == QLatin1String("less")) {
            answer.body.chop(1);
            named(from, end - 1, total);
        } else if (fault == QLatin1String("more")) {
            answer.body += 'x';
            named(from, end + 1, total + 1);
        } else if (fault == QLatin1String("no part named")) {
            answer.headers.removeFirst();
        } else if (fault == QLatin1String("another length")) {
            named(from, end, total + 1 + from);  // not twice the same
        } else if (fault == QLatin1String("an end")) {
            answer.bodyBytesSent = 100;
            answer.then = ServerAnswer::Then::Close;
        } else if (fault == QLatin1String("nothing more")) {
            answer.bodyBytesSent = 100;
            answer.then = ServerAnswer::Then::Stall;
        }
        return answer;
    }

    int askedBehind(qint64 header) const {
        const auto& all = bench_->server.requests();
        return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto& request) {
            return request.range()->first > header + 4 * 4096;
        }));
    }
    QStringList planOf(const ServedHeader& served) const {
        return HeaderBench::said(HeaderBench::planOf(served.path, kPlenty, "predicted"));
    }
    QStringList planOfWhole() const {
        return HeaderBench::said(HeaderBench::planOf(bench_->whole(), kPlenty, "predicted"));
    }
    static QByteArray bytesOf(const ServedHeader& served) {
        QFile file(served.path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QByteArray headerAlone() const {
        const qint64 header = headerExtent(bench_->model).bytes;
        return bench_->model.left(header) + QByteArray(bench_->model.size() - header, '\0');
    }

    std::unique_ptr<HeaderBench> bench_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ServedProfileTest)
#include "served_profile_test.moc"
