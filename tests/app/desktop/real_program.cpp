#include "real_program.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QGuiApplication>
#include <QScreen>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QStandardPaths>

namespace hearth::ui::test {

namespace {

constexpr int kPatienceMs = 60'000;

bool nothing(const QImage& image) {
    return image.isNull();
}

bool nothing(const QRect& area) {
    return area.isEmpty();
}

// Returns what `look` sees once it has seen the same for a second; nothing: that never came.
template <typename Look>
auto once_still(const Look& look) {
    decltype(look()) last{};
    QElapsedTimer still;
    const bool stood = QTest::qWaitFor(
        [&] {
            const auto now = look();
            if (nothing(last) || now != last) {
                last = now;
                still.start();
            }
            return !nothing(last) && still.elapsed() >= 1000;
        },
        kPatienceMs);
    return stood ? last : decltype(look()){};
}

}  // namespace

RealProgram::RealProgram(const QString& dataFolder) : folder_(dataFolder) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("QT_QUICK_BACKEND"));
    program_.setProcessEnvironment(environment);
    program_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
}

RealProgram::~RealProgram() {
    if (QTest::currentTestFailed()) {
        const QString folder = QStringLiteral(HEARTH_BINARY_DIR "/screenshots");
        QDir().mkpath(folder);
        picture().save(folder + QStringLiteral("/failed-") +
                       QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".png"));
    }
    if (program_.state() != QProcess::NotRunning) {
        program_.kill();
        program_.waitForFinished();
    }
}

QString RealProgram::whyNot() {
    return QStandardPaths::findExecutable(QStringLiteral("xdotool")).isEmpty()
               ? QStringLiteral("xdotool is not installed (Debian package xdotool)")
               : QString();
}

void RealProgram::setVariable(const QString& name, const QString& value) {
    QProcessEnvironment environment = program_.processEnvironment();
    environment.insert(name, value);
    program_.setProcessEnvironment(environment);
}

bool RealProgram::xdotool(const QStringList& arguments) const {
    QProcess tool;
    tool.start(QStringLiteral("xdotool"), arguments);
    // The event loop goes on: another program may be asking this one for the clipboard.
    const bool ended = QTest::qWaitFor([&] { return tool.state() == QProcess::NotRunning; }, 30000);
    return ended && tool.exitCode() == 0;
}

bool RealProgram::start(const QStringList& arguments) {
    program_.start(QStringLiteral(HEARTH_PROGRAM),
                   QStringList({QStringLiteral("--data-dir"), folder_}) + arguments);
    if (!program_.waitForStarted()) {
        return false;
    }
    return QTest::qWaitFor(
        [&] {
            QProcess search;
            search.start(QStringLiteral("xdotool"),
                         {QStringLiteral("search"), QStringLiteral("--onlyvisible"),
                          QStringLiteral("--pid"), QString::number(program_.processId())});
            search.waitForFinished();
            window_ = QString::fromLatin1(search.readAllStandardOutput())
                          .trimmed()
                          .section(QLatin1Char('\n'), -1);
            return !window_.isEmpty() &&
                   xdotool({QStringLiteral("windowfocus"), QStringLiteral("--sync"), window_});
        },
        kPatienceMs);
}

bool RealProgram::quit() {
    return key(QStringLiteral("ctrl+q")) &&
           QTest::qWaitFor([&] { return program_.state() == QProcess::NotRunning; }, kPatienceMs) &&
           program_.exitStatus() == QProcess::NormalExit && program_.exitCode() == 0;
}

bool RealProgram::key(const QString& name) {
    return xdotool({QStringLiteral("key"), QStringLiteral("--clearmodifiers"), name});
}

bool RealProgram::hold(const QString& name, int ms) {
    const bool down = xdotool({QStringLiteral("keydown"), name});
    QTest::qWait(ms);
    return xdotool({QStringLiteral("keyup"), name}) && down;
}

bool RealProgram::type(const QString& text) {
    return xdotool({QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("2"), text});
}

bool RealProgram::click(const QPoint& place, int times) {
    return xdotool({QStringLiteral("mousemove"), QString::number(place.x()),
                    QString::number(place.y()), QStringLiteral("click"), QStringLiteral("--repeat"),
                    QString::number(times), QStringLiteral("--delay"), QStringLiteral("40"),
                    QStringLiteral("1")});
}

bool RealProgram::moveTo(const QPoint& place) {
    return xdotool(
        {QStringLiteral("mousemove"), QString::number(place.x()), QString::number(place.y())});
}

bool RealProgram::resize(const QSize& size) {
    return xdotool({QStringLiteral("windowsize"), window_, QString::number(size.width()),
                    QString::number(size.height())});
}

QList<qint64> RealProgram::children() const {
    QList<qint64> found;
    const QStringList all = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString& name : all) {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(name));
        if (name.toLongLong() <= 0 || !stat.open(QIODevice::ReadOnly)) {
            continue;
        }
        // "4711 (a name) S 4710 …": the parent is the second after the name, which may hold
        // anything.
        const QByteArray line = stat.readAll();
        const QList<QByteArray> words = line.mid(line.lastIndexOf(')') + 2).split(' ');
        if (words.value(1).toLongLong() == program_.processId()) {
            found << name.toLongLong();
        }
    }
    return found;
}

QByteArray RealProgram::log() const {
    QFile file(folder_ + QStringLiteral("/hearth.log"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool RealProgram::waitForLog(const QByteArray& line, int times) const {
    return QTest::qWaitFor([&] { return log().count(line) >= times; }, kPatienceMs);
}

QList<QVariantList> RealProgram::rows(const QString& sql) const {
    QList<QVariantList> rows;
    const QString name = QStringLiteral("looking on");
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(folder_ + QStringLiteral("/hearth.db"));
        database.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY"));
        if (database.open()) {
            QSqlQuery query(database);
            if (!query.exec(sql)) {
                qWarning("%s", qPrintable(sql));
            }
            while (query.next()) {
                QVariantList row;
                for (int i = 0; i < query.record().count(); ++i) {
                    row << query.value(i);
                }
                rows << row;
            }
        }
    }
    QSqlDatabase::removeDatabase(name);
    return rows;
}

qlonglong RealProgram::number(const QString& sql) const {
    const QList<QVariantList> all = rows(sql);
    return all.isEmpty() ? -1 : all.first().value(0).toLongLong();
}

QImage RealProgram::picture() const {
    return QGuiApplication::primaryScreen()->grabWindow(0).toImage().convertToFormat(
        QImage::Format_RGB32);
}

QImage RealProgram::stillPicture(const QRect& part) const {
    return once_still([&] { return picture().copy(part); });
}

QRect RealProgram::stillAreaOf(const QColor& color) const {
    return once_still([&] { return areaOf(color); });
}

QRect RealProgram::areaOf(const QColor& color) const {
    const QImage image = picture();
    QRect area;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if ((image.pixel(x, y) & 0xffffffU) == (color.rgb() & 0xffffffU)) {
                area |= QRect(x, y, 1, 1);
            }
        }
    }
    return area;
}

QRect RealProgram::solidAreaOf(const QColor& color, int side) const {
    const QImage image = picture();
    QRect area;
    QList<int> down(image.width(), 0);  // of each column, so many above have it
    for (int y = 0; y < image.height(); ++y) {
        int across = 0;
        for (int x = 0; x < image.width(); ++x) {
            const bool has = (image.pixel(x, y) & 0xffffffU) == (color.rgb() & 0xffffffU);
            down[x] = has ? down[x] + 1 : 0;
            across = down[x] >= side ? across + 1 : 0;
            if (across >= side) {
                area |= QRect(x - side + 1, y - side + 1, side, side);
            }
        }
    }
    return area;
}

int RealProgram::countOf(const QColor& color, const QRect& part) const {
    const QImage image = picture().copy(part);
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            count += (image.pixel(x, y) & 0xffffffU) == (color.rgb() & 0xffffffU) ? 1 : 0;
        }
    }
    return count;
}

}  // namespace hearth::ui::test
