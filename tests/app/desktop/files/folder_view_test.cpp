#include "files/folder_view.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class FolderViewTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void listsFoldersFirst();
    void listsFoldersOnly();
    void goesUpAndComesBack();
    void saysWhatIsWrong();
    void showsSoMany();
    void takesWhatIsTyped();
    void findsByLetters();
    void showsTheLastFolderAskedFor();
    void endsWhileReading();
    void showsAllFilesWhereAsked();
    void choosesTheFirstOfAnotherFolder();
    void eachRowHasItsOwn();
    void offersPlacesThatAreThere();

private:
    void touch(const QString& name, const QByteArray& bytes = {}) const {
        QFile file(folder_->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    bool show(FolderView& view, const QString& folder) const {
        QSignalSpy listed(&view, &FolderView::listed);
        view.setFolder(folder);
        return view.busy() && listed.wait(30'000) && !view.busy();
    }
    static QStringList names(const FolderView& view) {
        QStringList names;
        for (int row = 0; row < view.count(); ++row) {
            names << view.data(view.index(row), FolderView::NameRole).toString();
        }
        return names;
    }
    static void wantModels(FolderView& view) {
        view.setProperty("suffixes", QStringList({QStringLiteral("gguf")}));
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

void FolderViewTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(folder_->path()).mkpath(QStringLiteral("sub/inner")));
    QVERIFY(QDir(folder_->path()).mkdir(QStringLiteral("Apart")));
    touch(QStringLiteral("m10.gguf"), QByteArray(3000, 'x'));
    touch(QStringLiteral("M2.GGUF"));
    touch(QStringLiteral("notes.txt"));
    touch(QStringLiteral(".hidden.gguf"));
}

void FolderViewTest::listsFoldersFirst() {
    FolderView view;
    wantModels(view);
    QVERIFY(show(view, folder_->path()));
    QCOMPARE(names(view), QStringList({"Apart", "sub", "M2.GGUF", "m10.gguf"}));
    QVERIFY(view.isFolderAt(1));
    QVERIFY(!view.isFolderAt(2));
    QVERIFY(!view.isFolderAt(-1));
    QVERIFY(!view.isFolderAt(9));
    QCOMPARE(view.pathAt(3), folder_->filePath(QStringLiteral("m10.gguf")));
    const QString detail = view.data(view.index(3), FolderView::DetailRole).toString();
    QVERIFY2(
        detail.startsWith(QLatin1String("3.0 kB")) || !QLocale().decimalPoint().startsWith('.'),
        qPrintable(detail));
    QVERIFY(view.notice().isEmpty());
}

void FolderViewTest::listsFoldersOnly() {
    FolderView view;
    QVERIFY(show(view, folder_->path()));
    QCOMPARE(names(view), QStringList({"Apart", "sub"}));
}

void FolderViewTest::goesUpAndComesBack() {
    FolderView view;
    QVERIFY(show(view, folder_->filePath(QStringLiteral("sub/../sub"))));
    QCOMPARE(view.folder(), folder_->filePath(QStringLiteral("sub")));
    QSignalSpy listed(&view, &FolderView::listed);
    view.up();
    QVERIFY(listed.wait(30'000));
    QCOMPARE(view.folder(), folder_->path());
    QCOMPARE(view.rowToChoose(), 1);  // the one it came from
    QCOMPARE(view.folderNear(folder_->filePath(QStringLiteral("m10.gguf"))), folder_->path());
    QCOMPARE(view.folderNear(folder_->path()), folder_->path());
    QCOMPARE(view.folderNear(QStringLiteral("/nowhere/x.gguf")), QDir::homePath());
    QCOMPARE(view.folderNear({}), QDir::homePath());
    QVERIFY(show(view, QDir::rootPath()));
    QVERIFY(!view.hasParent());
    view.up();
    QVERIFY(!view.busy());
}

void FolderViewTest::saysWhatIsWrong() {
    FolderView view;
    wantModels(view);
    QVERIFY(show(view, folder_->filePath(QStringLiteral("nowhere"))));
    QVERIFY2(view.notice().contains(QLatin1String("does not exist")), qPrintable(view.notice()));
    QCOMPARE(view.rowToChoose(), -1);
    QVERIFY(show(view, folder_->filePath(QStringLiteral("sub/inner"))));
    QVERIFY2(view.notice().contains(QLatin1String("*.gguf")), qPrintable(view.notice()));
    QVERIFY(show(view, folder_->path()));
    QVERIFY(view.notice().isEmpty());
}

void FolderViewTest::showsSoMany() {
    // In memory where there is such a place: a busy disk takes long for thousands of folders.
    const QString memory = QStringLiteral("/dev/shm");
    const QTemporaryDir many((QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) +
                             QStringLiteral("/hearth-folders-XXXXXX"));
    const QDir dir(many.path());
    for (int i = 0; i <= FolderView::kMostRows; ++i) {
        QVERIFY(dir.mkdir(QString::number(i)));
    }
    FolderView view;
    QVERIFY(show(view, dir.path()));
    QCOMPARE(view.count(), FolderView::kMostRows);
    QCOMPARE(view.notice(),
             QStringLiteral("Only %1 entries of this folder are shown. Type the rest "
                            "of the path above.")
                 .arg(QLocale().toString(FolderView::kMostRows)));
    QVERIFY(dir.rmdir(QStringLiteral("0")));  // as many as may be
    QVERIFY(show(view, dir.path()));
    QCOMPARE(view.count(), FolderView::kMostRows);
    QVERIFY(view.notice().isEmpty());
}

void FolderViewTest::takesWhatIsTyped() {
    FolderView view;
    wantModels(view);
    QVERIFY(show(view, folder_->path()));
    QCOMPARE(view.take(QStringLiteral("m10.gguf")), folder_->filePath(QStringLiteral("m10.gguf")));
    QCOMPARE(view.take(QStringLiteral(" ") + folder_->filePath(QStringLiteral("notes.txt"))),
             folder_->filePath(QStringLiteral("notes.txt")));
    QCOMPARE(view.take(QStringLiteral("sub")), QString());
    QCOMPARE(view.folder(), folder_->filePath(QStringLiteral("sub")));
    QCOMPARE(view.take(QStringLiteral("~")), QString());
    QCOMPARE(view.folder(), QDir::homePath());
    QCOMPARE(view.take(QStringLiteral("~/")), QString());
    QCOMPARE(view.folder(), QDir::homePath());
    QCOMPARE(view.take(QStringLiteral("~nobody")), QString());  // no folder of that name
    QVERIFY(view.notice().contains(QLatin1String("no file or folder")));
    const QSignalSpy listed(&view, &FolderView::listed);
    qsizetype told = 0;
    for (const char* wrong : {"", "  ", "/nowhere/x.gguf", "\n"}) {
        QCOMPARE(view.take(QString::fromLatin1(wrong)), QString());
        QVERIFY(view.notice().contains(QLatin1String("no file or folder")));
        QCOMPARE(listed.size(), ++told);
        QCOMPARE(view.folder(), QDir::homePath());
    }
}

void FolderViewTest::findsByLetters() {
    FolderView view;
    wantModels(view);
    QVERIFY(show(view, folder_->path()));
    QCOMPARE(view.find(QStringLiteral("m"), -1), 2);
    QCOMPARE(view.find(QStringLiteral("m"), 2), 3);
    QCOMPARE(view.find(QStringLiteral("M"), 3), 2);
    QCOMPARE(view.find(QStringLiteral("z"), 0), -1);
    const FolderView empty;
    QCOMPARE(empty.find(QStringLiteral("m"), 0), -1);
}

void FolderViewTest::showsTheLastFolderAskedFor() {
    FolderView view;
    QSignalSpy listed(&view, &FolderView::listed);
    for (int i = 0; i < 20; ++i) {
        view.setFolder(folder_->path());
        view.setFolder(folder_->filePath(QStringLiteral("sub")));
    }
    QVERIFY(listed.wait(30'000));
    QCOMPARE(names(view), QStringList({"inner"}));
    QTest::qWait(50);
    QCOMPARE(listed.size(), 1);
}

// The object goes while threads read for it.
void FolderViewTest::endsWhileReading() {
    for (int i = 0; i < 50; ++i) {
        FolderView view;
        view.setFolder(folder_->path());
    }
    QTest::qWait(20);
}

void FolderViewTest::showsAllFilesWhereAsked() {
    FolderView view;
    view.setProperty("suffixes", QStringList({QStringLiteral("*")}));
    QVERIFY(show(view, folder_->path()));
    QCOMPARE(names(view), QStringList({"Apart", "sub", "M2.GGUF", "m10.gguf", "notes.txt"}));
    QVERIFY(show(view, folder_->filePath(QStringLiteral("sub/inner"))));
    QCOMPARE(view.notice(), QStringLiteral("There is nothing here."));
    QVERIFY(view.data(view.index(0), FolderView::NameRole).isNull());
    // Only folders: a file that is typed is none.
    FolderView folders;
    QVERIFY(show(folders, folder_->path()));
    QCOMPARE(folders.take(QStringLiteral("m10.gguf")), QString());
    QVERIFY(folders.notice().contains(QLatin1String("no file or folder")));
    QVERIFY(show(folders, folder_->filePath(QStringLiteral("sub/inner"))));
    QCOMPARE(folders.notice(), QStringLiteral("There are no folders here."));
}

void FolderViewTest::choosesTheFirstOfAnotherFolder() {
    FolderView view;
    QVERIFY(show(view, folder_->filePath(QStringLiteral("sub/inner"))));
    QSignalSpy listed(&view, &FolderView::listed);
    view.up();
    QVERIFY(listed.wait(30'000));
    QCOMPARE(view.rowToChoose(), 0);
    view.up();
    QVERIFY(listed.wait(30'000));
    QCOMPARE(view.pathAt(view.rowToChoose()), folder_->filePath(QStringLiteral("sub")));
    QVERIFY(show(view, folder_->filePath(QStringLiteral("sub"))));
    QCOMPARE(view.rowToChoose(), 0);
    QVERIFY(view.hasParent());
}

void FolderViewTest::eachRowHasItsOwn() {
    FolderView view;
    QVERIFY(!view.hasParent());  // of no folder yet
    wantModels(view);
    QVERIFY(show(view, folder_->path()));
    QCOMPARE(view.folderText(), QDir::toNativeSeparators(folder_->path()));
    const QHash<int, QByteArray> roles = view.roleNames();
    QCOMPARE(roles.size(), 4);
    QCOMPARE(roles[FolderView::NameRole], QByteArray("name"));
    QCOMPARE(roles[FolderView::PathRole], QByteArray("path"));
    QCOMPARE(roles[FolderView::IsFolderRole], QByteArray("isFolder"));
    QCOMPARE(roles[FolderView::DetailRole], QByteArray("detail"));
    const auto at = [&](int row, int role) { return view.data(view.index(row), role); };
    QCOMPARE(at(1, FolderView::PathRole).toString(), folder_->filePath(QStringLiteral("sub")));
    QVERIFY(at(1, FolderView::IsFolderRole).toBool());
    QCOMPARE(at(1, FolderView::DetailRole).toString(), QString());
    QCOMPARE(at(1, Qt::DisplayRole).toString(), QStringLiteral("sub"));
    QCOMPARE(at(3, FolderView::PathRole).toString(), folder_->filePath(QStringLiteral("m10.gguf")));
    QVERIFY(!at(3, FolderView::IsFolderRole).toBool());
    const QString date = QLocale().toString(
        QFileInfo(folder_->filePath(QStringLiteral("m10.gguf"))).lastModified().date(),
        QLocale::ShortFormat);
    QVERIFY2(at(3, FolderView::DetailRole).toString().endsWith(QStringLiteral(", ") + date),
             qPrintable(at(3, FolderView::DetailRole).toString()));
    QCOMPARE(view.rowCount(view.index(1)), 0);
    QCOMPARE(view.pathAt(-1), QString());
    QCOMPARE(view.pathAt(4), QString());
    QCOMPARE(view.pathAt(0), folder_->filePath(QStringLiteral("Apart")));
    QVERIFY(view.isFolderAt(0));
    QCOMPARE(view.take(QStringLiteral("nowhere")), QString());
    QCOMPARE(view.notice(),
             QStringLiteral("There is no file or folder at this path. Check how it is written."));
}

void FolderViewTest::offersPlacesThatAreThere() {
    const FolderView view;
    QStringList names, paths;
    for (const QVariant& place : view.places()) {
        names << place.toMap().value(QStringLiteral("name")).toString();
        paths << place.toMap().value(QStringLiteral("path")).toString();
        QVERIFY2(QFileInfo(paths.last()).isDir(), qPrintable(paths.last()));
    }
    QCOMPARE(names.value(0), QStringLiteral("Home"));
    QCOMPARE(paths.value(0), QDir::homePath());
    QCOMPARE(QSet<QString>(paths.begin(), paths.end()).size(), paths.size());  // each once
    const QString downloads = QStandardPaths::writableLocation(QStandardPaths::DownloadLocation);
    QCOMPARE(paths.contains(downloads), QFileInfo(downloads).isDir());
    // A volume counts only if somebody plugged it in.
    QVERIFY(!paths.contains(QStringLiteral("/proc")));
}

QTEST_GUILESS_MAIN(FolderViewTest)
#include "folder_view_test.moc"
