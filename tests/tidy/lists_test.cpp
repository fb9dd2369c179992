// Comments, messages and pages that list what a table holds list all of it. The tables are read
// from the source, so that a new row fails here until every list has it.
#include <QtTest>
#include <algorithm>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

QString read(const QString& path) {
    QFile file(kRoot.filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList captures(const QString& text, const QString& pattern) {
    QStringList found;
    auto it = QRegularExpression(pattern, QRegularExpression::MultilineOption).globalMatch(text);
    while (it.hasNext()) {
        found << it.next().captured(1);
    }
    return found;
}

struct Table {
    QString name;
    QStringList rows;
    QString mark;  // a list with this row among three or more is a list of the table
    QRegularExpression but{QStringLiteral("^$")};  // files that may list some rows only
};

QList<Table> tables() {
    QStringList isas;
    for (const char* folder : {"generic", "avx2", "avxvnni", "avx512", "neon"}) {
        isas << captures(read(QString("engine/cpu/kernels/%1/weights.cpp").arg(folder)),
                         R"re(KernelTable k\w+ =\s*\w+::table\(\s*"(\w+)")re");
    }
    const QString modes = read("engine/plan/plan.h").section("to_string(FeedForwardMode", 1, 1);
    const QString ops = read("engine/plan/steps.h").section("enum class Op", 1, 1);
    return {
        {"activations",
         captures(read("engine/model/model_spec.cpp"),
                  R"re(ActivationRow\{Activation::\w+,\s*"(\w+)")re"),
         "silu"},
        {"instruction sets", isas, "generic"},
        {"modes", captures(modes, R"re(case FeedForwardMode::\w+:\s*return "(\w+)")re"), "dense",
         QRegularExpression("^docs/(decisions|measurements)/")},
        {"operations", captures(ops.section('{', 1).section('}', 0, 0), R"re((\w+))re"),
         "AttentionIn"},
    };
}

// The lists of at least three rows of the table in a text: "a", "b" and "c"; `a|b|c`; a, b or c.
QList<QStringList> lists_in(const QString& text, const Table& table) {
    static const QRegularExpression kComment(R"(\n\s*//\s*)");
    // The moc of Qt 6.4 loses its way in a raw string with both kinds of quotes.
    static const QRegularExpression kBetween(
        "^[\"'`]*\\s*(?:,|\\\\?\\||,?\\s(?:and|or)\\s)\\s*(?:and\\s|or\\s)?\\s*[\"'`]*(?:--)?$");
    QStringList names = table.rows;
    std::sort(names.begin(), names.end(),
              [](const QString& a, const QString& b) { return a.size() > b.size(); });
    const QRegularExpression row("(?<![\\w-])(?:" + names.join('|') + ")(?![\\w-])");
    const QString flat = QString(text).replace(kComment, " ");
    QList<QStringList> lists;
    QStringList list;
    qsizetype end = 0;
    const auto close = [&] {
        if (list.size() >= 3) {
            lists << list;
        }
        list.clear();
    };
    for (auto it = row.globalMatch(flat); it.hasNext();) {
        const auto match = it.next();
        if (!kBetween.match(flat.mid(end, match.capturedStart() - end)).hasMatch()) {
            close();
        }
        list << match.captured();
        end = match.capturedEnd();
    }
    close();
    return lists;
}

// What a list of the table leaves out; empty: it is whole, or a list of something else.
QStringList left_out(const QStringList& list, const Table& table) {
    QStringList missing;
    for (const QString& row : table.rows) {
        if (list.contains(table.mark) && !list.contains(row)) {
            missing << row;
        }
    }
    return missing;
}

}  // namespace

class ListsTest : public QObject {
    Q_OBJECT

private slots:
    void tablesAreRead() {
        const QList<Table> all = tables();
        const QList<qsizetype> sizes = {7, 5, 4, 7};
        for (qsizetype i = 0; i < all.size(); ++i) {
            QVERIFY2(all[i].rows.size() >= sizes[i] && all[i].rows.contains(all[i].mark),
                     qPrintable(all[i].name + ": " + all[i].rows.join(' ')));
        }
    }

    void listsAreWhole() {
        QHash<QString, int> found;
        QStringList broken;
        for (const char* top : {"app", "docs", "engine", "installer"}) {
            QDirIterator it(kRoot.filePath(top), {"*.h", "*.cpp", "*.md", "*.qml"}, QDir::Files,
                            QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = kRoot.relativeFilePath(it.next());
                const QString text = read(path);
                for (const Table& table : tables()) {
                    for (const QStringList& list : lists_in(text, table)) {
                        found[table.name] += list.contains(table.mark);
                        const QStringList missing = left_out(list, table);
                        if (!missing.isEmpty() && !table.but.match(path).hasMatch()) {
                            broken << QString("%1 lists the %2 without %3")
                                          .arg(path, table.name, missing.join(", "));
                        }
                    }
                }
            }
        }
        QVERIFY2(broken.isEmpty(), qPrintable(broken.join('\n')));
        for (const Table& table : tables()) {
            QVERIFY2(found[table.name] >= 2, qPrintable(table.name));
        }
    }

    void oneList_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("lists");
        QTest::addColumn<bool>("whole");
        QTest::newRow("quoted") << R"(// "one", "two", "three", "four"; empty: none)" << 1 << true;
        QTest::newRow("words") << "one, two, three or four" << 1 << true;
        QTest::newRow("bars") << "`one|two|three|four`" << 1 << true;
        QTest::newRow("bars in a table") << "| `one\\|two\\|three\\|four` |" << 1 << true;
        QTest::newRow("two lines") << "// one, two,\n    // three and four\n" << 1 << true;
        QTest::newRow("order") << "four, three, two, one" << 1 << true;
        QTest::newRow("one missing") << "`one`, `two`, `four`" << 1 << false;
        QTest::newRow("two, not three") << "one or four" << 0 << true;
        QTest::newRow("without its mark") << "two, three, four" << 1 << true;
        QTest::newRow("words between") << "one, then two, then three" << 0 << true;
        QTest::newRow("parts of words") << "one-way, twofold, threes" << 0 << true;
        QTest::newRow("the second list")
            << "one, two, three, four. But: one, two, three" << 2 << false;
    }
    void oneList() {
        QFETCH(QString, text);
        QFETCH(int, lists);
        QFETCH(bool, whole);
        const Table table{"numbers", {"one", "two", "three", "four"}, "one"};
        const QList<QStringList> found = lists_in(text, table);
        QCOMPARE(found.size(), lists);
        QCOMPARE(std::all_of(found.begin(), found.end(),
                             [&](const QStringList& l) { return left_out(l, table).isEmpty(); }),
                 whole);
    }

    // Decision 33 has a table of what the window is made of.
    void theWindowsParts() {
        QStringList parts = captures(read("app/desktop/window/app_controller.h"),
                                     R"(^\s*Q_PROPERTY\(hearth::ui::\w+\* (\w+) )");
        QStringList rows = captures(read("docs/decisions/0033-the-window-is-made-of-parts.md"),
                                    R"(^\| `(\w+)` \|)");
        parts.sort();
        rows.sort();
        QVERIFY(parts.size() >= 16);
        QCOMPARE(rows, parts);
    }
};

QTEST_GUILESS_MAIN(ListsTest)
#include "lists_test.moc"
