// The interpreter beside jinja2, which is set up as the library transformers does it. Both must
// print the same bytes, or both refuse.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include <ctime>
#include <string>

#include "text/jinja/json.h"
#include "text/jinja/render.h"

namespace hearth::jinja {
namespace {

const QString kTests = HEARTH_SOURCE_DIR "/tests/engine/text/jinja/";
const QString kRecorded = HEARTH_SOURCE_DIR "/tests/data/jinja_rows.json";
const QString kTemplates = HEARTH_SHARED_DIR "/chat-templates";

bool all_rows() {
    return qEnvironmentVariableIntValue("HEARTH_ALL_ROWS") == 1;
}

// The Python that has jinja2; empty: none here.
QString python() {
    for (const char* name : {"/usr/bin/python3", "python3"}) {
        QProcess process;
        process.start(QString::fromLatin1(name), {"-c", "import jinja2"});
        if (process.waitForFinished() && process.exitStatus() == QProcess::NormalExit &&
            process.exitCode() == 0) {
            return QString::fromLatin1(name);
        }
    }
    return {};
}

// The output of oracle.py; null if it fails.
QJsonDocument oracle(const QString& interpreter, const QStringList& arguments) {
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PYTHONDONTWRITEBYTECODE", "1");
    environment.insert("PYTHONIOENCODING", "utf-8");
    process.setProcessEnvironment(environment);
    process.start(interpreter, QStringList(kTests + "oracle.py") + arguments);
    constexpr int kPatience_ms = 600'000;
    process.waitForFinished(kPatience_ms);
    return QJsonDocument::fromJson(process.readAllStandardOutput());
}

// The date of oracle.py.
std::tm date() {
    std::tm time{};
    time.tm_year = 126;
    time.tm_mon = 1;
    time.tm_mday = 3;
    time.tm_hour = 4;
    time.tm_min = 5;
    time.tm_sec = 6;
    time.tm_wday = 2;
    time.tm_yday = 33;
    return time;
}

std::string_view view_of(const QByteArray& bytes) {
    return {bytes.data(), static_cast<std::size_t>(bytes.size())};
}

struct Ours {
    bool refused = false;
    QByteArray text;  // or why it refuses
};

Ours ours(const QByteArray& source, const QByteArray& context) {
    const auto why = [](const Failure& failure) {
        return Ours{true, QByteArray::fromStdString("line " + std::to_string(failure.line) + ": " +
                                                    failure.message)};
    };
    const TemplateProgram::Outcome read = TemplateProgram::parse(view_of(source));
    if (read.program == nullptr) {
        return why(read.failure);
    }
    Heap heap{Limits{}};
    const auto variables = parse_json(heap, view_of(context), false);
    if (!variables) {
        return {true, "no context"};
    }
    const Rendered rendered = render(*read.program, heap, *variables->dict, date());
    if (rendered.failure) {
        return why(*rendered.failure);
    }
    return {false,
            QByteArray(rendered.text.bytes().data(), static_cast<qsizetype>(rendered.text.size()))};
}

}  // namespace

class AgainstJinja2Test : public QObject {
    Q_OBJECT

private:
    QString python_;

    // How many agree; each that does not is printed.
    static void compare(const QJsonArray& cases) {
        int wrong = 0;
        int refused = 0;
        QByteArray context;
        for (const QJsonValue& one : cases) {
            const QByteArray source = one["template"].toString().toUtf8();
            if (const QString own = one["context"].toString(); !own.isEmpty()) {
                context = own.toUtf8();
            }
            const Ours printed = ours(source, context);
            const bool refuses = one["text"].isNull();
            refused += refuses ? 1 : 0;
            if (refuses != printed.refused ||
                (!refuses && printed.text != one["text"].toString().toUtf8())) {
                ++wrong;
                if (wrong <= 10) {
                    qWarning().noquote()
                        << one["name"].toString() << "\n template" << source.left(3000)
                        << "\n wanted" << (refuses ? "a refusal" : one["text"].toString())
                        << "\n found" << (printed.refused ? "refusal:" : "") << printed.text;
                }
            }
        }
        qInfo("%d templates, %d of them refused by jinja2, %d differ",
              static_cast<int>(cases.size()), refused, wrong);
        QVERIFY(cases.size() > 0);
        QCOMPARE(wrong, 0);
    }

private slots:
    void initTestCase() { python_ = python(); }

    // Recorded, so that this runs without Python.
    void rows() {
        QFile file(kRecorded);
        QVERIFY(file.open(QIODevice::ReadOnly));
        compare(QJsonDocument::fromJson(file.readAll()).array());
    }

    void rows_are_as_recorded() {
        if (python_.isEmpty()) {
            QSKIP("python3-jinja2 is not installed");
        }
        QFile file(kRecorded);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(oracle(python_, {"rows"}).array(),
                 QJsonDocument::fromJson(file.readAll()).array());
    }

    void generated() {
        if (python_.isEmpty()) {
            QSKIP("python3-jinja2 is not installed");
        }
        compare(oracle(python_, {"generated", all_rows() ? "500" : "80", "1"}).array());
    }

    void published() {
        if (python_.isEmpty()) {
            QSKIP("python3-jinja2 is not installed");
        }
        if (!QFile::exists(kTemplates)) {
            QSKIP("needs ../shared/chat-templates");
        }
        compare(oracle(python_, {"templates", kTemplates}).array());
    }
};

}  // namespace hearth::jinja

QTEST_APPLESS_MAIN(hearth::jinja::AgainstJinja2Test)
#include "against_jinja2_test.moc"
