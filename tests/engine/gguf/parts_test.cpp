// Models in several files: what is read of the parts is what the whole has, and what is wrong with
// them is said.
#include "gguf/parts.h"

#include <QtTest>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/split_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::split_model;
using test::TinyModel;

using Change = std::function<void(int, Metadata&)>;
using Break = std::function<void(const std::string& first)>;
Q_DECLARE_METATYPE(Change)
Q_DECLARE_METATYPE(Break)

namespace {

// Puts another value where the key is.
Metadata with(const Metadata& metadata, const std::string& key, MetadataValue value) {
    Metadata out;
    for (const auto& [name, old] : metadata.entries()) {
        out.add(name, name == key ? value : old);
    }
    out.add(key, std::move(value));
    return out;
}

MetadataValue number(std::uint64_t value) {
    return {MetadataType::U16, value};
}

}  // namespace

class PartsTest : public QObject {
    Q_OBJECT

private slots:
    // One of several parts has to say which; a file that is whole need not.
    void a_part_says_which_it_is() {
        Metadata metadata;
        QCOMPARE(read_split_keys(metadata)->count, 1U);
        metadata.add("split.count", number(1));
        QVERIFY(read_split_keys(metadata));
        metadata = with({}, "split.count", number(3));
        const auto none = read_split_keys(metadata);
        QVERIFY(!none);
        QCOMPARE(none.error().field, std::string("split.no"));
        metadata.add("split.no", number(2));
        QCOMPARE(read_split_keys(metadata)->number, 3U);
    }

    void names_data() {
        QTest::addColumn<std::string>("path");
        QTest::addColumn<std::string>("stem");  // empty: no part
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("count");
        const auto row = [](const char* path, const char* stem, int part, int count) {
            QTest::newRow(path) << std::string(path) << std::string(stem) << part << count;
        };
        row("a/m-00002-of-00003.gguf", "a/m", 2, 3);
        row("m-00001-of-00001.gguf", "m", 1, 1);
        row("m-00001-of-00002-00003-of-00004.gguf", "m-00001-of-00002", 3, 4);
        for (const char* path :
             {"m.gguf", "", "-00001-of-00003.gguf", "m-00000-of-00003.gguf",
              "m-00004-of-00003.gguf", "m-0001-of-0003.gguf", "m-00001-of-0000x.gguf",
              "m_00001-of-00003.gguf", "m-00001-of-00003.ggu", "m-00001_of-00003.gguf"}) {
            row(path, "", 0, 0);
        }
    }
    void names() {
        QFETCH(const std::string, path);
        QFETCH(const std::string, stem);
        const auto name = part_name(path);
        QCOMPARE(name.has_value(), !stem.empty());
        if (name) {
            QCOMPARE(name->stem, stem);
            QTEST(static_cast<int>(name->number), "number");
            QTEST(static_cast<int>(name->count), "count");
            QCOMPARE(name->path_of(name->number), path);
        }
    }

    void theWhole_data() {
        QTest::addColumn<int>("parts");
        QTest::addColumn<int>("opened");
        QTest::newRow("two") << 2 << 1;
        QTest::newRow("three, by the last") << 3 << 3;
        QTest::newRow("more parts than tensors") << 40 << 2;
    }
    void theWhole() {
        QFETCH(const int, parts);
        QFETCH(const int, opened);
        const test::TempDir dir;
        const std::string path = dir.file("m.gguf");
        QVERIFY(TinyModel().write(path));
        const std::string first = split_model(path, parts);
        QVERIFY(!first.empty());
        const auto whole = GgufFile::open(path);
        const auto joined = GgufFile::open(test::part_of(first, opened));
        QVERIFY2(joined, joined ? "" : joined.error().message.c_str());
        QCOMPARE(joined->path(), test::part_of(first, opened));
        QCOMPARE(joined->metadata().entries().size(), whole->metadata().entries().size());
        QVERIFY(!joined->metadata().contains("split.count"));
        QCOMPARE(joined->tensors().entries().size(), whole->tensors().entries().size());
        std::uint64_t bytes = 0;
        for (int part = 1; part <= parts; ++part) {
            bytes += std::filesystem::file_size(test::part_of(first, part));
        }
        QCOMPARE(joined->file_bytes(), bytes);
        for (const TensorInfo& tensor : whole->tensors().entries()) {
            const TensorInfo* same = joined->tensors().find(tensor.name);
            QVERIFY(same != nullptr && same->shape == tensor.shape && same->type == tensor.type);
            test::Bytes a(tensor.bytes), b(tensor.bytes), c(tensor.bytes);
            QVERIFY(whole->read(tensor, 0, a) && joined->read(*same, 0, b));
            QVERIFY(joined->file().read_at(same->offset, c));
            QVERIFY(a == b && a == c);
        }
        // Bytes between the parts belong to nobody.
        std::byte byte{};
        QVERIFY(!joined->file().read_at(joined->file().begin_of(1) - 1, std::span(&byte, 1)));
        QVERIFY(!joined->file().read_at(joined->file().size_bytes(), std::span(&byte, 1)));
    }

    void broken_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<Break>("breaks");
        QTest::addColumn<std::string>("words");
        QTest::addColumn<int>("part");  // that the error names
        const auto row = [](const char* name, const char* words, int part, Change change,
                            Break breaks) {
            QTest::newRow(name) << std::move(change) << std::move(breaks) << std::string(words)
                                << part;
        };
        row("a part is missing", "part 2 of 3 of the model is missing", 2, {},
            [](const std::string& first) { std::filesystem::remove(test::part_of(first, 2)); });
        row("a part is cut", "ends at byte", 3, {}, [](const std::string& first) {
            const std::string part = test::part_of(first, 3);
            std::filesystem::resize_file(part, std::filesystem::file_size(part) - 100);
        });
        row("a part is something else", "is not a GGUF model file", 2, {},
            [](const std::string& first) {
                QVERIFY(test::write_file(test::part_of(first, 2), test::Bytes(100)));
            });
        row("a part stands for another", "it is of another model", 2, {},
            [](const std::string& first) {
                std::filesystem::copy_file(test::part_of(first, 3), test::part_of(first, 2),
                                           std::filesystem::copy_options::overwrite_existing);
            });
        row("a part of another count", "it is of another model", 2,
            [](int part, Metadata& metadata) {
                if (part == 2) {
                    metadata = with(metadata, "split.count", number(4));
                }
            },
            {});
        row("a part of a model with other tensors", "it is of another model", 3,
            [](int part, Metadata& metadata) {
                if (part == 3) {
                    metadata = with(metadata, "split.tensors.count", number(3));
                }
            },
            {});
        row("a part of another architecture", "of another model than the first part", 2,
            [](int part, Metadata& metadata) {
                if (part == 2) {
                    metadata.add("general.architecture",
                                 {MetadataType::String, std::string("other")});
                }
            },
            {});
        row("fewer tensors than said", "the parts hold", 1,
            [](int, Metadata& metadata) {
                metadata = with(metadata, "split.tensors.count", number(1000));
            },
            {});
        row("more parts than anybody has", "split.count", 1,
            [](int, Metadata& metadata) {
                metadata = with(metadata, "split.count", number(65'000));
            },
            {});
        row("a number above the count", "split.no", 1,
            [](int, Metadata& metadata) { metadata = with(metadata, "split.no", number(9)); }, {});
        row("a name that says otherwise", "found by their names", 1, {},
            [](const std::string& first) {
                std::filesystem::rename(first, first + ".whole");
                std::filesystem::copy_file(test::part_of(first, 2), first);
            });
    }
    void broken() {
        QFETCH(const Change, change);
        QFETCH(const Break, breaks);
        QFETCH(const std::string, words);
        QFETCH(const int, part);
        const test::TempDir dir;
        const std::string path = dir.file("m.gguf");
        QVERIFY(TinyModel().write(path));
        const std::string first = split_model(path, 3, change);
        QVERIFY(!first.empty());
        if (breaks) {
            breaks(first);
        }
        const auto joined = GgufFile::open(first);
        QVERIFY(!joined);
        QVERIFY2(joined.error().message.find(words) != std::string::npos,
                 joined.error().message.c_str());
        QCOMPARE(joined.error().path, test::part_of(first, part));
    }

    // The same tensor in two parts.
    void twice() {
        const test::TempDir dir;
        const std::string path = dir.file("m.gguf");
        QVERIFY(TinyModel().write(path));
        const auto renumber = [](int, Metadata& metadata) {
            metadata = with(metadata, "split.no", number(1));
        };
        const std::string first = split_model(path, 2);
        const std::string other = dir.file("o.gguf");
        std::filesystem::copy_file(path, other);
        const std::string second = split_model(other, 1, [&](int part, Metadata& metadata) {
            renumber(part, metadata);
            metadata = with(metadata, "split.count", number(2));
        });
        std::filesystem::copy_file(second, test::part_of(first, 2),
                                   std::filesystem::copy_options::overwrite_existing);
        const auto joined = GgufFile::open(first);
        QVERIFY(!joined);
        QVERIFY2(joined.error().message.find("is in two parts") != std::string::npos,
                 joined.error().message.c_str());
    }

    void oneOfOneIsAFile() {
        const test::TempDir dir;
        const std::string path = dir.file("m.gguf");
        QVERIFY(TinyModel().write(path));
        const std::string first = split_model(path, 1);
        std::filesystem::rename(first, dir.file("renamed.gguf"));
        QVERIFY(GgufFile::open(dir.file("renamed.gguf")));
    }
};

QTEST_GUILESS_MAIN(PartsTest)
#include "parts_test.moc"
