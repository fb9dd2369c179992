// The include rules of the architecture, as tables. A breach names the file, the line and the rule.
#include <QtTest>

namespace {

// ---- the rules ---------------------------------------------------------------------------------

// The order the data takes: a folder of engine/ includes itself and what stands before it.
const QStringList kOrder = {"include/hearth", "base",    "gguf",  "model",  "text",    "grammar",
                            "hardware",       "plan",    "flash", "memory", "compute", "cpu",
                            "vulkan",         "session", "tools", "api"};

// The same in app/desktop (its README.md): a folder includes itself and folders before it.
// main.cpp, which lies in none, includes all.
const QStringList kDesktopOrder = {"system",       "files",    "bridge",   "settings", "network",
                                   "downloads",    "library",  "markdown", "remote",   "documents",
                                   "store",        "status",   "map",      "serving",  "toolset",
                                   "conversation", "exchange", "window"};
// It also includes folders that are no part of the window, and a header that the build writes.
const QStringList kDesktopOthers = {"common/size.h",           "commit.h",
                                    "server/access_rules.h",   "server/answer_model.h",
                                    "server/answer_parts.h",   "server/answer_queue.h",
                                    "server/answer_request.h", "server/local_api.h",
                                    "server/turn_order.h",     "toolbox/calculator.h",
                                    "toolbox/event_stream.h",  "toolbox/line_reader.h",
                                    "toolbox/mcp_answers.h",   "toolbox/page_text.h",
                                    "toolbox/rpc_message.h",   "toolbox/schema_check.h"};

// Sharper than the order: files whose path matches `place` see of the engine only `allowed`.
struct PlaceRule {
    const char* name;
    const char* place;
    const char* allowed;  // "folder/file" or "folder/", matched at the start
};
const PlaceRule kPlaceRules[] = {
    {"the public headers see only each other", "^engine/include/hearth/", "include/hearth/"},
    {"hardware/ sees base/ only", "^engine/hardware/", "(hardware|base|include/hearth)/"},
    {"flash/ sees base/ only", "^engine/flash/", "(flash|base|include/hearth)/"},
    {"kernels see blocks, types, flags and AttentionSpec only", "^engine/cpu/kernels/(?!generic/)",
     "(cpu/kernels/|gguf/(dtype|code_kinds|blocks|neuron_row|packed_block)\\.h$|hardware/"
     "cpu_flags\\.h$|model/attention_spec\\.h$)"},
    // generic/ is baseline code, so inline functions may be shared with it: it defines what is
    // right and takes F16 and BF16 from the place that defines those.
    {"generic kernels see blocks, types, flags, AttentionSpec and half.h only",
     "^engine/cpu/kernels/generic/",
     "(cpu/kernels/|gguf/(dtype|code_kinds|blocks|neuron_row|packed_block)\\.h$|hardware/"
     "cpu_flags\\.h$|model/attention_spec\\.h$|base/half\\.h$)"},
    // Each unit is named by one file: what it costs, what it can do, its executor.
    {"only session/processor.cpp sees cpu/", "^engine/(?!cpu/|session/processor\\.cpp$)",
     "(?!cpu/)"},
    {"only session/open_gpu.cpp sees vulkan/", "^engine/(?!vulkan/|session/open_gpu\\.cpp$)",
     "(?!vulkan/)"},
    {"only training/ sees training/", "^engine/(?!tools/training/)", "(?!tools/training/)"},
    {"front ends see include/hearth only", "^app/", "include/hearth/"},
    {"the server sees the engine's calls, not its tools", "^app/server/",
     "include/hearth/(?!tools)"},
    {"the desktop reaches the engine from bridge/ only", "^app/desktop/(?!bridge/)", "(?!)"},
};

// Headers from outside, and where alone they may be included.
struct HeaderRule {
    const char* name;
    const char* header;  // what stands between < and >, or between quotes
    const char* places;
};
const HeaderRule kHeaderRules[] = {
    {"Qt stays in the desktop", "^(Qt?[A-Z][A-Za-z0-9]*($|/)|qt)", "^app/desktop/"},
    // By its class names: only a door makes requests. QLocalSocket is no way out of the machine.
    {"requests go through network/",
     "^(QtNetwork/)?(QtNetwork|QNetwork(AccessManager|Reply|Request)|QTcp(Socket|Server)|"
     "QUdpSocket|QSslSocket|QAbstractSocket|QHostInfo|QDnsLookup|QHttpMultiPart|QHttpPart)$",
     "^app/desktop/network/"},
    {"intrinsics stay in cpu/kernels/<isa>/",
     "^([a-z]{1,2}mmintrin|immintrin|x86intrin|x86gprintrin|avx.*intrin|arm_(neon|sve|acle))\\.h$",
     // the pool's spin loop needs the pause instruction
     "^engine/(cpu/kernels/(avx2|avxvnni|avx512|neon)/|base/thread_pool\\.cpp$)"},
    {"CPUID stays in hardware/", "^(cpuid|intrin)\\.h$", "^engine/hardware/"},
    {"Vulkan stays in vulkan/ and hardware/", "^(vulkan/(vulkan|vk_)|volk\\.h)",
     "^engine/(vulkan|hardware)/"},
    {"system headers stay in base/, flash/, hardware/ and the front ends' system files",
     "^(unistd|fcntl|sched|pthread|poll|dlfcn|time|signal|termios|spawn|malloc|io|direct|process|"
     "windows|psapi|shellapi|winternl|winioctl|memoryapi|ioapiset|shlobj|libproc)\\.h$"
     "|^(sys|mach|mach-o|linux|asm|IOKit|CoreFoundation)/",
     "^(engine/(base|flash|hardware)/|app/cli/system\\.cpp$|app/desktop/system/"
     "(before_application|child_isolation|crash_handler(_windows)?|durable_file|own_folders|"
     "process_limits|quit_signals|standard_streams)\\.cpp$)"},
    {"libuv stays in flash/ and the server's files of the system", "^uv\\.h$",
     "^(engine/flash/|app/server/(http_server|random_bytes)\\.cpp$)"},
    {"HTTP is parsed in one place", "^http_parser\\.h$", "^app/server/http_server\\.cpp$"},
    {"PCRE2 stays in text/", "^pcre2", "^engine/text/"},
    {"utf8proc stays in text/", "^utf8proc", "^engine/text/"},
    {"CBC stays in plan/", "^((coin/)?(Cbc|Clp|Coin|Osi|Cgl)[A-Z_]|coin/)", "^engine/plan/"},
    {"CLI11 stays in the command line", "^CLI/", "^app/cli/"},
    {"JSON stays in the command line and the server", "^nlohmann/", "^app/(cli|server|toolbox)/"},
    {"md4c stays in the desktop", "^md4c", "^app/desktop/"},
    {"OpenSSL computes SHA-256, and else Qt speaks to it", "^openssl/",
     "^app/desktop/downloads/sha256\\.cpp$"},
    {"archives are opened in two places", "^zip\\.h$",
     "^app/desktop/(documents/zip_member|exchange/chat_archive)\\.cpp$"},
    {"drawings of strangers are drawn in one place", "^(QtSvg/)?Q(t)?Svg",
     "^app/desktop/documents/svg_drawing\\.cpp$"},
    {"the keychain is opened in one place", "^qt6keychain/",
     "^app/desktop/network/system_keychain\\.cpp$"},
};

// Kernel files of one instruction set share no inline function with baseline code: its copy with
// AVX2 could be the one that is linked. <cstring> declares the C library's functions and defines
// none.
const char* const kIsaRule = "kernels of one instruction set include no inline functions of others";
const char* const kIsaFile = "^engine/cpu/kernels/(?!generic/)[^/]+/";
const char* const kIsaHeaders = "^(cstdint|cstddef|cstring|immintrin\\.h|arm_neon\\.h)$";

// ---- the check ---------------------------------------------------------------------------------

bool matches(const char* pattern, const QString& text) {
    return QRegularExpression(pattern).match(text).hasMatch();
}

bool matches_start(const char* pattern, const QString& text) {
    return QRegularExpression(QStringLiteral("^(?:%1)").arg(pattern)).match(text).hasMatch();
}

// "cpu/kernels/avx2/gemv.cpp" -> "cpu"; empty: it lies in no folder
QString folder_of(const QString& in_engine) {
    if (in_engine.startsWith("include/hearth/")) {
        return "include/hearth";
    }
    return in_engine.left(std::max(qsizetype{0}, in_engine.indexOf('/')));
}

// The included file as a path in engine/, or empty if it is not of the engine.
QString engine_target(const QString& path, const QString& header, bool quoted) {
    if (header.startsWith("hearth/")) {
        return "include/" + header;
    }
    if (!quoted) {
        return {};
    }
    const bool in_engine = path.startsWith("engine/");
    if (!header.contains('/')) {
        // Beside the file.
        return in_engine ? path.left(path.lastIndexOf('/') + 1).mid(7) + header : QString();
    }
    return kOrder.contains(header.section('/', 0, 0)) ? header : QString();
}

QStringList breaches_of_include(const QString& path, const QString& header, bool quoted) {
    QStringList found;
    if (quoted && path.startsWith("app/desktop/") && !kDesktopOthers.contains(header)) {
        const QString folder = path.section('/', 2, -2);
        const qsizetype from = kDesktopOrder.indexOf(folder);
        const qsizetype to = kDesktopOrder.indexOf(header.section('/', 0, -2));
        if (!folder.isEmpty() && from < 0) {
            found << "a folder that the desktop's order does not name";
        } else if (!folder.isEmpty() && to > from) {
            found << "a folder of the desktop includes only those before it";
        }
        if (!header.contains('/')) {
            found << "an include of the desktop names its folder";
        }
    }
    if (header.contains("..") || header.contains('\\')) {
        found << "includes name a path from the include folders, never ..";
    }
    const QString target = engine_target(path, header, quoted);
    if (!target.isEmpty()) {
        if (path.startsWith("engine/")) {
            const qsizetype from = kOrder.indexOf(folder_of(path.mid(7)));
            const qsizetype to = kOrder.indexOf(folder_of(target));
            if (from < 0 || to < 0) {
                found << "a folder that the order does not name";
            } else if (to > from) {
                found << "a folder includes only what stands before it";
            }
        }
        for (const PlaceRule& rule : kPlaceRules) {
            if (matches(rule.place, path) && !matches_start(rule.allowed, target)) {
                found << rule.name;
            }
        }
    }
    for (const HeaderRule& rule : kHeaderRules) {
        if (target.isEmpty() && matches(rule.header, header) && !matches(rule.places, path)) {
            found << rule.name;
        }
    }
    if (!quoted && matches(kIsaFile, path) && !matches(kIsaHeaders, header)) {
        found << kIsaRule;
    }
    return found;
}

// path: from the project's root, with slashes. "line: header: rule" for each breach.
QStringList breaches(const QString& path, const QString& text) {
    static const QRegularExpression kInclude(
        R"(^[ \t]*#[ \t]*(?:include|import|include_next)[ \t]*([<"])([^>"\n]*)[>"])");
    QStringList found;
    int number = 0;
    for (const QString& line : text.split('\n')) {
        ++number;
        const QRegularExpressionMatch match = kInclude.match(line);
        if (!match.hasMatch()) {
            continue;
        }
        for (const QString& rule :
             breaches_of_include(path, match.captured(2), match.captured(1) == "\"")) {
            found << QString("line %1: %2: %3").arg(number).arg(match.captured(2), rule);
        }
    }
    return found;
}

}  // namespace

class IncludeRulesTest : public QObject {
    Q_OBJECT

private slots:
    // Each source file of the project is a row.
    void theTree_data() {
        QTest::addColumn<QString>("path");
        const QDir root(HEARTH_SOURCE_DIR);
        for (const char* top : {"engine", "app"}) {
            QDirIterator it(root.filePath(top),
                            {"*.h", "*.hpp", "*.cpp", "*.c", "*.cc", "*.inc", "*.mm"}, QDir::Files,
                            QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = root.relativeFilePath(it.next());
                QTest::newRow(qPrintable(path)) << path;
            }
        }
    }
    void theTree() {
        QFETCH(QString, path);
        QFile file(QDir(HEARTH_SOURCE_DIR).filePath(path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList found = breaches(path, QString::fromUtf8(file.readAll()));
        QVERIFY2(found.isEmpty(), qPrintable(found.join("; ")));
    }

    // The rows above must be there: a check that scans nothing holds always.
    void everyFolderIsScanned() {
        const QDir engine(QDir(HEARTH_SOURCE_DIR).filePath("engine"));
        for (const QString& folder : engine.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QVERIFY2(folder == "include" || kOrder.contains(folder),
                     qPrintable("engine/" + folder + " has no place in the order"));
        }
        const QDir desktop(QDir(HEARTH_SOURCE_DIR).filePath("app/desktop"));
        QStringList with_code = desktop.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
        with_code.removeOne("qml");
        QStringList ordered = kDesktopOrder;
        ordered.sort();
        QCOMPARE(with_code, ordered);
        for (const char* folder : {"base", "gguf", "cpu/kernels", "session", "include/hearth"}) {
            QVERIFY2(!engine.entryList({QString(folder)}, QDir::Dirs).isEmpty() ||
                         QDir(engine.filePath(folder)).exists(),
                     folder);
        }
    }

    // Breaches, so that the check is known to fail; an empty rule: allowed.
    void examples_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("rule");
        const auto row = [](const char* path, const char* text, const char* rule) {
            QTest::addRow("%s %s", path, text) << path << text << rule;
        };
        const char* const order = "a folder includes only what stands before it";
        row("engine/gguf/reader.cpp", "#include \"base/half.h\"", "");
        row("engine/gguf/reader.cpp", "#include \"gguf/reader.h\"", "");
        row("engine/gguf/reader.cpp", "#include \"model/model_spec.h\"", order);
        row("engine/base/half.h", "#include \"gguf/dtype.h\"", order);
        row("engine/plan/planner.h", "  #  include \"memory/ledger.h\"", order);
        row("engine/memory/ledger.h", "#include \"plan/plan.h\"", "");
        row("engine/compute/executor.h", "#include \"session/decoder.h\"", order);
        row("engine/tools/bench.cpp", "#include \"session/session.h\"", "");
        row("engine/session/session.cpp", "#include \"tools/bench.h\"", order);
        row("engine/api/engine.cpp", "#include \"session/session.h\"", "");
        row("engine/api/engine.cpp", "#include \"assembly.h\"", "");
        row("engine/tools/bench.cpp", "#include \"api/assembly.h\"", order);
        row("engine/session/machine_plan.cpp", "#include \"tools/observe_text.h\"", order);
        row("engine/engine.cpp", "#include \"session/session.h\"",
            "a folder that the order does not name");
        row("engine/tools/training/fit.cpp", "#include \"tools/training/net.h\"", "");
        row("engine/api/engine.cpp", "#include \"tools/training/net.h\"",
            "only training/ sees training/");
        row("engine/base/half.h", "#include <hearth/result.h>", "");
        row("engine/novel/thing.h", "#include \"base/half.h\"",
            "a folder that the order does not name");
        row("engine/include/hearth/engine.h", "#include <hearth/result.h>", "");
        row("engine/include/hearth/engine.h", "#include \"gguf/dtype.h\"", order);
        row("engine/hardware/cpu_features.cpp", "#include \"base/half.h\"", "");
        row("engine/hardware/cpu_features.cpp", "#include \"gguf/dtype.h\"",
            "hardware/ sees base/ only");
        row("engine/flash/read_queue.cpp", "#include \"plan/plan.h\"", "flash/ sees base/ only");
        row("engine/cpu/kernels/generic/gemv.cpp", "#include \"gguf/blocks.h\"", "");
        row("engine/cpu/kernels/generic/gemv.cpp", "#include \"cpu/kernels/kernels.h\"", "");
        row("engine/cpu/kernels/generic/gemv.cpp", "#include \"hardware/cpu_flags.h\"", "");
        const char* const kernels = "kernels see blocks, types, flags and AttentionSpec only";
        row("engine/cpu/kernels/generic/gemv.cpp", "#include \"base/half.h\"", "");
        row("engine/cpu/kernels/generic/gemv.cpp", "#include \"gguf/reader.h\"",
            "generic kernels see blocks, types, flags, AttentionSpec and half.h only");
        row("engine/cpu/kernels/avx2/gemv.cpp", "#include \"gguf/reader.h\"", kernels);
        row("engine/cpu/kernels/select.cpp", "#include \"hardware/cpu_features.h\"", kernels);
        row("engine/cpu/kernels/avx2/gemv.cpp", "#include \"base/half.h\"", kernels);
        row("engine/cpu/cpu_executor.cpp", "#include \"base/thread_pool.h\"", "");
        const char* const processor = "only session/processor.cpp sees cpu/";
        const char* const gpu = "only session/open_gpu.cpp sees vulkan/";
        row("engine/cpu/cpu_executor.cpp", "#include \"vulkan/device.h\"", gpu);
        row("engine/vulkan/device.cpp", "#include \"cpu/cpu_executor.h\"", processor);
        row("engine/session/processor.cpp", "#include \"cpu/cpu_executor.h\"", "");
        row("engine/session/processor.cpp", "#include \"vulkan/device.h\"", gpu);
        row("engine/session/open_gpu.cpp", "#include \"vulkan/vulkan_executor.h\"", "");
        row("engine/session/open_gpu.cpp", "#include \"cpu/cpu_executor.h\"", processor);
        row("engine/session/decoder.cpp", "#include \"cpu/cpu_executor.h\"", processor);
        row("engine/session/processor.h", "#include \"cpu/cpu_executor.h\"", processor);
        row("engine/tools/devices.cpp", "#include \"cpu/kernels/kernels.h\"", processor);
        row("engine/api/engine.cpp", "#include \"vulkan/device.h\"", gpu);
        const char* const bridge = "the desktop reaches the engine from bridge/ only";
        row("app/desktop/bridge/local_inference.cpp", "#include <hearth/engine.h>", "");
        row("app/desktop/bridge/local_inference.cpp", "#include <hearth/tools.h>", "");
        row("app/desktop/store/conversation.cpp", "#include <hearth/engine.h>", bridge);
        row("app/desktop/main.cpp", "#include \"hearth/result.h\"", bridge);
        row("app/cli/command_run.cpp", "#include <hearth/tools.h>", "");
        const char* const door = "front ends see include/hearth only";
        row("app/cli/command_inspect.cpp", "#include \"gguf/reader.h\"", door);
        row("app/desktop/bridge/local_inference.cpp", "#include \"session/session.h\"", door);
        const char* const window = "a folder of the desktop includes only those before it";
        const char* const folder = "an include of the desktop names its folder";
        row("app/desktop/bridge/local_inference.cpp", "#include \"system/size_words.h\"", "");
        row("app/desktop/bridge/local_inference.cpp", "#include \"bridge/piece_buffer.h\"", "");
        row("app/desktop/bridge/local_inference.cpp", "#include \"store/conversation.h\"", window);
        row("app/desktop/library/catalog.cpp", "#include \"downloads/download_order.h\"", "");
        row("app/desktop/downloads/downloads.cpp", "#include \"library/catalog.h\"", window);
        row("app/desktop/markdown/links.cpp", "#include \"store/conversation.h\"", window);
        row("app/desktop/store/store_rescue.cpp", "#include \"status/notices.h\"", window);
        row("app/desktop/status/notices.h", "#include \"store/store_error.h\"", "");
        row("app/desktop/status/notices.h", "#include \"conversation/chats.h\"", window);
        row("app/desktop/conversation/chats.h", "#include \"window/app_controller.h\"", window);
        row("app/desktop/conversation/chats.cpp", "#include \"chats.h\"", folder);
        row("app/desktop/settings/setting_table.cpp", "#include \"common/size.h\"", "");
        row("app/desktop/settings/setting_table.cpp", "#include \"size.h\"", folder);
        row("app/desktop/novel/thing.cpp", "#include \"system/size_words.h\"",
            "a folder that the desktop's order does not name");
        row("app/desktop/main.cpp", "#include \"window/app_controller.h\"", "");
        row("app/desktop/main.cpp", "#include \"app_controller.h\"", folder);
        row("app/desktop/main.cpp", "#include \"commit.h\"", "");
        const char* const qt = "Qt stays in the desktop";
        row("app/desktop/main.cpp", "#include <QGuiApplication>", "");
        row("app/cli/main.cpp", "#include <QString>", qt);
        row("engine/gguf/reader.cpp", "#include <QtCore/QString>", qt);
        row("engine/gguf/reader.cpp", "#include <qtcore/qstring.h>", qt);
        const char* const requests = "requests go through network/";
        row("app/desktop/network/network_door.cpp", "#include <QNetworkAccessManager>", "");
        row("app/desktop/library/hub.cpp", "#include <QNetworkAccessManager>", requests);
        row("app/desktop/markdown/links.cpp", "#include <QTcpSocket>", requests);
        row("app/desktop/markdown/links.cpp", "#include <QtNetwork/QHostInfo>", requests);
        row("app/desktop/system/hand_over.cpp", "#include <QLocalSocket>", "");
        const char* const intrinsics = "intrinsics stay in cpu/kernels/<isa>/";
        row("engine/cpu/kernels/avx512/gemv.cpp", "#include <immintrin.h>", "");
        row("engine/cpu/kernels/neon/gemv.cpp", "#include <arm_neon.h>", "");
        row("engine/cpu/kernels/generic/gemv.cpp", "#include <immintrin.h>", intrinsics);
        row("engine/cpu/cpu_executor.cpp", "#include <immintrin.h>", intrinsics);
        row("engine/base/thread_pool.cpp", "#include <immintrin.h>", "");
        row("engine/base/half.h", "#include <emmintrin.h>", intrinsics);
        row("engine/hardware/cpu_features.cpp", "#include <cpuid.h>", "");
        row("engine/cpu/kernels/select.cpp", "#include <cpuid.h>", "CPUID stays in hardware/");
        row("engine/hardware/gpu_info.cpp", "#include <vulkan/vulkan.h>", "");
        row("engine/session/decoder.cpp", "#include <vulkan/vulkan.h>",
            "Vulkan stays in vulkan/ and hardware/");
        const char* const system =
            "system headers stay in base/, flash/, hardware/ and the front ends' system files";
        row("engine/base/input_file.cpp", "#include <sys/stat.h>", "");
        row("engine/base/child_process.cpp", "#include <spawn.h>", "");
        row("engine/session/gpus.cpp", "#include <spawn.h>", system);
        row("engine/session/gpus.cpp", "#include \"vulkan/probe.h\"", gpu);
        row("app/cli/system.cpp", "#include <unistd.h>", "");
        row("app/desktop/system/quit_signals.cpp", "#include <unistd.h>", "");
        row("app/desktop/system/durable_file.cpp", "#include <unistd.h>", "");
        row("app/desktop/system/standard_streams.cpp", "#include <fcntl.h>", "");
        row("app/desktop/system/crash_handler.cpp", "#include <fcntl.h>", "");
        row("app/desktop/system/crash_handler_windows.cpp", "#include <windows.h>", "");
        row("app/desktop/system/log_file.cpp", "#include <unistd.h>", system);
        row("app/cli/command_run.cpp", "#include <unistd.h>", system);
        row("engine/gguf/writer.cpp", "#include <fcntl.h>", system);
        row("engine/session/session.cpp", "#include <windows.h>", system);
        row("app/desktop/main.cpp", "#include <sys/types.h>", system);
        row("engine/model/weights.cpp", "#include <pcre2.h>", "PCRE2 stays in text/");
        row("engine/text/compose.cpp", "#include <utf8proc.h>", "");
        row("engine/session/chat.cpp", "#include <utf8proc.h>", "utf8proc stays in text/");
        row("engine/plan/integer_program_cbc.cpp", "#include <Cbc_C_Interface.h>", "");
        row("engine/session/decoder.cpp", "#include <coin/Cbc_C_Interface.h>",
            "CBC stays in plan/");
        row("engine/tools/plan.cpp", "#include <Cbc_C_Interface.h>", "CBC stays in plan/");
        row("engine/plan/plan.cpp", "#include <nlohmann/json.hpp>",
            "JSON stays in the command line and the server");
        const char* const uv = "libuv stays in flash/ and the server's files of the system";
        row("engine/memory/arena.cpp", "#include <uv.h>", uv);
        row("app/server/http_server.cpp", "#include <uv.h>", "");
        row("app/server/local_api.cpp", "#include <uv.h>", uv);
        row("app/server/local_api.cpp", "#include <http_parser.h>", "HTTP is parsed in one place");
        row("app/server/local_api.cpp", "#include <nlohmann/json.hpp>", "");
        row("app/server/local_api.cpp", "#include <CLI/CLI.hpp>",
            "CLI11 stays in the command line");
        row("app/server/answer_model.h", "#include <hearth/engine.h>", "");
        row("app/server/answer_model.h", "#include <hearth/tools.h>",
            "the server sees the engine's calls, not its tools");
        row("app/server/answer_model.h", "#include <hearth/tools/plan.h>",
            "the server sees the engine's calls, not its tools");
        row("app/cli/main.cpp", "#include <md4c.h>", "md4c stays in the desktop");
        row("app/desktop/downloads/sha256.cpp", "#include <openssl/evp.h>", "");
        row("app/desktop/network/network_door.cpp", "#include <openssl/ssl.h>",
            "OpenSSL computes SHA-256, and else Qt speaks to it");
        row("app/desktop/conversation/chats.cpp", "#include <qt6keychain/keychain.h>",
            "the keychain is opened in one place");
        row("engine/cpu/kernels/avx2/gemv.cpp", "#include <cstdint>", "");
        row("engine/cpu/kernels/avx2/gemv.cpp", "#include <algorithm>", kIsaRule);
        row("engine/cpu/kernels/avx512/gemv.cpp", "#include <cmath>", kIsaRule);
        row("engine/gguf/reader.cpp", "#include \"../base/half.h\"",
            "includes name a path from the include folders, never ..");
        row("engine/gguf/reader.cpp", "// #include <QString>", "");
    }
    void examples() {
        QFETCH(QString, path);
        QFETCH(QString, text);
        QFETCH(QString, rule);
        const QStringList found = breaches(path, "// first line\n" + text + "\nint x;\n");
        if (rule.isEmpty()) {
            QVERIFY2(found.isEmpty(), qPrintable(found.join("; ")));
        } else {
            const auto names = [&](const QString& breach) {
                return breach.startsWith("line 2: ") && breach.endsWith(": " + rule);
            };
            QVERIFY2(std::any_of(found.begin(), found.end(), names),
                     qPrintable("found: " + found.join("; ")));
        }
    }
};

QTEST_GUILESS_MAIN(IncludeRulesTest)
#include "include_rules_test.moc"
