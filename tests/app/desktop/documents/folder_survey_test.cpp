// A folder of any kind: what is found in it, what is passed over, and where a survey ends.
#include "documents/folder_survey.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#ifdef Q_OS_UNIX
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "support/document_maker.h"

using namespace hearth::ui;
using hearth::test::writeFile;

class FolderSurveyTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    QString root_;

    void put(const QString& path, const QByteArray& bytes = "words") {
        const QString file = root_ + QLatin1Char('/') + path;
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        writeFile(file, bytes);
    }
    FolderSurvey survey(const SurveyBounds& bounds = {}) const {
        return surveyFolder(
            root_, [] { return false; }, bounds);
    }
    static QStringList paths(const FolderSurvey& survey) {
        QStringList list;
        for (const SurveyedFile& file : survey.files) {
            list << file.path;
        }
        return list;
    }

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        root_ = QFileInfo(folder_->path()).canonicalFilePath() + QStringLiteral("/project");
        QVERIFY(QDir().mkpath(root_));
    }

    void findsDocumentsFromTheTopDown() {
        put("sub/deep/z.md");
        put("sub/a.cpp");
        put("b.txt", "four");
        put("a.pdf");
        put("README");
        put("photo.png");
        put("movie.mp4");
        put(".hidden.txt");
        put(".git/config.txt");
        const FolderSurvey found = survey();
        QVERIFY(found.there);
        QVERIFY(!found.cut);
        QCOMPARE(paths(found),
                 QStringList({"README", "a.pdf", "b.txt", "sub/a.cpp", "sub/deep/z.md"}));
        QCOMPARE(found.files[2].bytes, 4);
        QCOMPARE(found.files[2].modifiedMs,
                 QFileInfo(root_ + "/b.txt").lastModified().toMSecsSinceEpoch());
        // The second one of an unchanged folder is the same.
        QCOMPARE(survey().files, found.files);
    }

    void isBounded() {
        for (int i = 0; i < 30; ++i) {
            put(QStringLiteral("%1.txt").arg(i, 2, 10, QLatin1Char('0')), "0123456789");
        }
        SurveyBounds bounds;
        bounds.mostFiles = 30;
        QVERIFY(!survey(bounds).cut);
        bounds.mostFiles = 29;
        QVERIFY(survey(bounds).cut);
        QCOMPARE(survey(bounds).files.size(), 29);
        QCOMPARE(survey(bounds).files.last().path, QStringLiteral("28.txt"));
        bounds = {};
        bounds.mostEntries = 10;
        QVERIFY(survey(bounds).cut);
        QVERIFY(survey(bounds).files.size() <= 11);
        bounds = {};
        bounds.mostBytes = 100;
        QVERIFY(survey(bounds).cut);
        QCOMPARE(survey(bounds).files.size(), 10);
        bounds = {};
        bounds.mostFileBytes = 9;
        QCOMPARE(survey(bounds).tooLarge, 30);
        QVERIFY(survey(bounds).files.isEmpty());
        put("1/2/3/deep.txt");
        bounds = {};
        bounds.deepest = 2;
        QVERIFY(survey(bounds).cut);
        QCOMPARE(survey(bounds).files.size(), 30);
        bounds.deepest = 3;
        QVERIFY(!survey(bounds).cut);
        QCOMPARE(survey(bounds).files.size(), 31);
    }

    void endsWhenItIsStopped() {
        for (int i = 0; i < 30; ++i) {
            put(QStringLiteral("%1/a.txt").arg(i));
        }
        int asked = 0;
        const FolderSurvey found = surveyFolder(root_, [&] { return ++asked > 5; });
        QVERIFY(found.files.size() < 30);
    }

    void aFolderThatIsGone() {
        QVERIFY(QDir(root_).removeRecursively());
        QVERIFY(!survey().there);
        writeFile(root_, "a file");
        QVERIFY(!survey().there);
        QVERIFY(!surveyFolder({}, [] { return false; }).there);
    }

#ifdef Q_OS_UNIX
    void followsNoLink() {
        const QString secret = folder_->filePath("secret.txt");
        writeFile(secret, "secret");
        QVERIFY(QDir().mkpath(folder_->filePath("others")));
        writeFile(folder_->filePath("others/more.txt"), "more");
        put("own.txt");
        QVERIFY(QFile::link(secret, root_ + "/link.txt"));
        QVERIFY(QFile::link("own.txt", root_ + "/near.txt"));
        QVERIFY(QFile::link(folder_->filePath("others"), root_ + "/others"));
        QVERIFY(QFile::link(root_, root_ + "/round"));
        QVERIFY(QFile::link("/nowhere", root_ + "/broken.txt"));
        QCOMPARE(paths(survey()), QStringList{"own.txt"});
        QVERIFY(standsInFolder(root_, "own.txt"));
        for (const char* path : {"link.txt", "near.txt", "others/more.txt", "round/own.txt",
                                 "../secret.txt", "missing.txt", "others", ""}) {
            QVERIFY2(!standsInFolder(root_, QLatin1String(path)), path);
        }
        // A link in the folder's own place.
        QVERIFY(QFile::link(root_, folder_->filePath("alias")));
        QVERIFY(!surveyFolder(QFileInfo(folder_->path()).canonicalFilePath() + "/alias", [] {
                     return false;
                 }).there);
    }

    void passesOverWhatIsNoFile() {
        put("own.txt");
        QCOMPARE(mkfifo(QFile::encodeName(root_ + "/pipe.txt").constData(), 0600), 0);
        QVERIFY(QDir().mkpath(root_ + "/folder.txt"));
        QCOMPARE(paths(survey()), QStringList{"own.txt"});
        QVERIFY(!standsInFolder(root_, "pipe.txt"));
        QVERIFY(!standsInFolder(root_, "folder.txt"));
    }

    void countsFoldersThatAreClosed() {
        if (geteuid() == 0) {
            QSKIP("root reads every folder");
        }
        put("closed/a.txt");
        put("open/a.txt");
        QVERIFY(QFile::setPermissions(root_ + "/closed", QFile::WriteOwner));
        const FolderSurvey found = survey();
        QFile::setPermissions(root_ + "/closed",
                              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QCOMPARE(found.closed, 1);
        QCOMPARE(paths(found), QStringList{"open/a.txt"});
    }
#endif
};

QTEST_GUILESS_MAIN(FolderSurveyTest)
#include "folder_survey_test.moc"
