#include "told_file.h"

#include <QDir>
#include <QFile>
#include <QTest>
#include <algorithm>

#include "part_bench.h"
#include "ui_window.h"

namespace hearth::ui::test {

namespace {

QString pathOf(const QString& name) {
    return QStringLiteral(HEARTH_SOURCE_DIR "/tests/app/ui/told/") + name + QStringLiteral(".txt");
}

bool isDeed(const QString& step) {
    static const QStringList kWords{"key",   "hold",  "type", "click", "twice",
                                    "press", "focus", "over", "until"};
    return kWords.contains(step.section(QLatin1Char(' '), 0, 0));
}

// The lines that go, with "- ", and those that come, with "+ ", in their order.
QStringList changes(const QStringList& before, const QStringList& after) {
    const qsizetype rows = before.size();
    const qsizetype columns = after.size();
    QList<QList<int>> common(rows + 1, QList<int>(columns + 1, 0));
    for (qsizetype i = rows - 1; i >= 0; --i) {
        for (qsizetype j = columns - 1; j >= 0; --j) {
            common[i][j] = before[i] == after[j] ? common[i + 1][j + 1] + 1
                                                 : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    QStringList found;
    qsizetype i = 0;
    qsizetype j = 0;
    while (i < rows || j < columns) {
        if (i < rows && j < columns && before[i] == after[j]) {
            ++i;
            ++j;
        } else if (j == columns || (i < rows && common[i + 1][j] >= common[i][j + 1])) {
            found << QStringLiteral("- ") + before[i++];
        } else {
            found << QStringLiteral("+ ") + after[j++];
        }
    }
    return found;
}

}  // namespace

QStringList toldFiles() {
    QStringList names = QDir(QStringLiteral(HEARTH_SOURCE_DIR "/tests/app/ui/told"))
                            .entryList({QStringLiteral("*.txt")}, QDir::Files, QDir::Name);
    for (QString& name : names) {
        name.chop(4);
    }
    return names;
}

QList<ToldWalk> readTold(const QString& name) {
    QFile file(pathOf(name));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QList<ToldWalk> walks;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("== "))) {
            walks.append({.name = line.mid(3), .part = {}, .steps = {}});
        } else if (walks.isEmpty()) {
            continue;
        } else if (line == QLatin1String("--")) {
            walks.last().steps.append(ToldStep());
        } else if (walks.last().steps.isEmpty()) {
            walks.last().part += line + QLatin1Char('\n');
        } else if (line.startsWith(QLatin1String("> "))) {
            walks.last().steps.append({.does = line.mid(2), .told = {}});
        } else if (line.startsWith(QLatin1String("  "))) {
            walks.last().steps.last().told << line.mid(2);
        }
    }
    return walks;
}

void writeTold(const QString& name, const QList<ToldWalk>& walks) {
    QString all;
    for (const ToldWalk& walk : walks) {
        all += (all.isEmpty() ? QString() : QStringLiteral("\n")) + QStringLiteral("== ") +
               walk.name + QLatin1Char('\n') + walk.part + QStringLiteral("--\n");
        for (const ToldStep& step : walk.steps) {
            if (!step.does.isEmpty()) {
                all += QStringLiteral("> ") + step.does + QLatin1Char('\n');
            }
            for (const QString& line : step.told) {
                all += QStringLiteral("  ") + line + QLatin1Char('\n');
            }
        }
    }
    QFile file(pathOf(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(all.toUtf8());
}

ToldWalk walked(const ToldWalk& walk) {
    ToldWalk found = walk;
    const QString part = walk.part.trimmed();
    const bool whole = part.startsWith(QLatin1String("window"));
    const QString only = whole ? part.section(QLatin1Char(' '), 1) : QString();
    std::unique_ptr<UiWindow> ui = whole ? std::make_unique<UiWindow>() : nullptr;
    const auto bench =
        whole ? std::make_unique<PartBench>(*ui) : std::make_unique<PartBench>(walk.part.toUtf8());
    if (!bench->error().isEmpty()) {
        QTest::qFail(qPrintable(bench->error()), __FILE__, __LINE__);
        return found;
    }
    QStringList before;
    QString focus = QStringLiteral("nothing");
    QString title;
    for (ToldStep& step : found.steps) {
        for (const QString& one : step.does.split(QStringLiteral(" ;; "), Qt::SkipEmptyParts)) {
            if (isDeed(one)) {
                bench->act(one);
            } else {
                bench->run(one);
            }
        }
        const QStringList now = bench->told(only);
        step.told = changes(before, now);
        before = now;
        for (const QString& heard : bench->heard()) {
            step.told << QStringLiteral("heard ") + heard;
        }
        if (whole && ui->window()->title() != title) {
            title = ui->window()->title();
            step.told << QStringLiteral("title ") + title;
        }
        const bool known = now.isEmpty() || !now.constFirst().startsWith(QLatin1String("in front"));
        if (known && bench->focus() != focus) {
            focus = bench->focus();
            step.told << QStringLiteral("focus ") + focus;
        }
    }
    return found;
}

QString difference(const ToldWalk& expected, const ToldWalk& found) {
    for (qsizetype i = 0; i < expected.steps.size(); ++i) {
        const ToldStep& wanted = expected.steps[i];
        const QStringList wrong = changes(wanted.told, found.steps[i].told);
        if (!wrong.isEmpty()) {
            return QStringLiteral("after “%1”, - is recorded and + is found:\n%2")
                .arg(wanted.does.isEmpty() ? QStringLiteral("the start") : wanted.does,
                     wrong.join(QLatin1Char('\n')));
        }
    }
    return {};
}

}  // namespace hearth::ui::test
