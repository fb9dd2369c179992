#include "support/test_program.h"

#include <QCoreApplication>
#include <QFile>
#include <QXmlStreamReader>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/skips.h"

#if defined(__SANITIZE_ADDRESS__)
#include <dlfcn.h>
#endif

namespace hearth::test {
namespace {

// A leak of a driver that is unloaded before the end has no name that lsan.supp could match, so the
// driver stays.
void keep_drivers() {
#if defined(__SANITIZE_ADDRESS__)
    dlopen("libvulkan_lvp.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);  // absent: nothing to keep
#endif
}

struct Entry {
    std::string path;  // "engine/gguf/reader"
    ProgramEntry::Run run;
};

// By stem: "reader". Constructed when the first entry asks, whatever the order of the files.
std::map<std::string, Entry, std::less<>>& entries() {
    static std::map<std::string, Entry, std::less<>> kEntries;
    return kEntries;
}

// "engine/gguf/reader" of ".../tests/engine/gguf/reader_test.cpp".
std::string path_of(std::string file) {
    std::replace(file.begin(), file.end(), '\\', '/');
    constexpr std::string_view kRoot = "/tests/";
    constexpr std::string_view kEnd = "_test.cpp";
    if (const std::size_t root = file.rfind(kRoot); root != std::string::npos) {
        file.erase(0, root + kRoot.size());
    }
    if (file.ends_with(kEnd)) {
        file.resize(file.size() - kEnd.size());
    }
    return file;
}

// Whether QtTest is told where its output goes, or to run nothing.
bool has_output_of_its_own(std::span<char* const> arguments) {
    constexpr std::array<std::string_view, 12> kOptions = {
        "-o",   "-txt",      "-xml",       "-lightxml", "-junitxml", "-csv",
        "-tap", "-teamcity", "-functions", "-datatags", "-help",     "--help"};
    return std::any_of(arguments.begin(), arguments.end(), [&](const char* argument) {
        return std::find(kOptions.begin(), kOptions.end(), argument) != kOptions.end();
    });
}

// The rows that QtTest's XML output names as skipped, each once.
std::vector<Skip> skips_in(const QString& xml_path, const std::string& test) {
    std::vector<Skip> skips;
    QFile file(xml_path);
    if (!file.open(QIODevice::ReadOnly)) {
        return skips;
    }
    QXmlStreamReader xml(&file);
    QString function;
    QString row;
    bool in_skip = false;
    while (!xml.atEnd()) {
        xml.readNext();
        const auto name = xml.name();
        if (xml.isStartElement() && name == QLatin1String("TestFunction")) {
            function = xml.attributes().value(QLatin1String("name")).toString();
        } else if (xml.isStartElement() &&
                   (name == QLatin1String("Message") || name == QLatin1String("Incident"))) {
            in_skip = xml.attributes().value(QLatin1String("type")) == QLatin1String("skip");
            row.clear();
        } else if (xml.isStartElement() && in_skip && name == QLatin1String("DataTag")) {
            row = xml.readElementText();
        } else if (xml.isStartElement() && in_skip && name == QLatin1String("Description")) {
            const QString full = function + QLatin1Char('(') + row + QLatin1Char(')');
            Skip skip{test + "::" + full.toStdString(), xml.readElementText().toStdString()};
            const bool known = std::any_of(skips.begin(), skips.end(), [&](const Skip& other) {
                return other.name == skip.name;
            });
            if (!known) {
                skips.push_back(std::move(skip));
            }
            in_skip = false;
        }
    }
    return skips;
}

// Runs the test with a second, machine-readable output, and judges what it skipped.
int run_and_judge(const Entry& entry, std::vector<char*> arguments) {
    if (has_output_of_its_own(arguments)) {
        arguments.push_back(nullptr);
        return entry.run(static_cast<int>(arguments.size()) - 1, arguments.data());
    }
    const std::filesystem::path xml =
        std::filesystem::temp_directory_path() /
        ("hearth-test-" + std::to_string(QCoreApplication::applicationPid()) + ".xml");
    std::string output_option = "-o";
    std::string text = "-,txt";
    std::string xml_text = xml.string() + ",xml";
    arguments.insert(arguments.begin() + 1,
                     {output_option.data(), text.data(), output_option.data(), xml_text.data()});
    arguments.push_back(nullptr);
    const int failed = entry.run(static_cast<int>(arguments.size()) - 1, arguments.data());
    const int not_allowed = judge_skips(skips_in(QString::fromStdString(xml.string()), entry.path));
    std::error_code ignored;  // a file more in the folder of temporary files is no failed test
    std::filesystem::remove(xml, ignored);
    return std::min(failed + not_allowed, 127);
}

}  // namespace

ProgramEntry::ProgramEntry(const char* file, Run run) {
    const std::string path = path_of(file);
    const std::string stem = path.substr(path.rfind('/') + 1);
    if (!entries().emplace(stem, Entry{path, run}).second) {
        std::fprintf(stderr, "two tests in this program are called %s\n", stem.c_str());
        std::abort();
    }
}

}  // namespace hearth::test

int main(int argc, char** argv) {
    const auto& entries = hearth::test::entries();
    const auto entry = entries.find(std::string_view(argc > 1 ? argv[1] : ""));
    if (entry == entries.end()) {
        std::fprintf(stderr,
                     "usage: %s TEST [QtTest's options] [FUNCTION[:ROW]]...\n"
                     "where TEST is one of:\n",
                     argv[0]);
        for (const auto& [name, run] : entries) {
            std::fprintf(stderr, "  %s\n", name.c_str());
        }
        return 2;
    }
    hearth::test::keep_drivers();
    std::vector<char*> arguments(argv, argv + argc);
    arguments.erase(arguments.begin() + 1);
    return hearth::test::run_and_judge(entry->second, std::move(arguments));
}
