// Every row against the patterns its models publish, run by python3-regex over random strings of
// characters that python3's Unicode knows (pre_tokenizer_oracle.py). 300 strings, 10,000 with
// HEARTH_ALL_ROWS=1.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "text/compose.h"
#include "text/pre_tokenizer.h"

namespace hearth {
namespace {

// Debian's own, which python3-regex belongs to; another may stand before it on the path.
const QString kPython = "/usr/bin/python3";

bool all_rows() {
    const char* value = std::getenv("HEARTH_ALL_ROWS");
    return value != nullptr && std::string_view(value) == "1";
}

QString ran(const QStringList& arguments, QByteArray& out) {
    QProcess python;
    python.start(kPython, arguments);
    if (!python.waitForFinished(600000) || python.exitCode() != 0) {
        return python.errorString() + "\n" + QString::fromUtf8(python.readAllStandardError());
    }
    out = python.readAllStandardOutput();
    return {};
}

// The pieces' lengths in characters.
QList<int> lengths(const PreTokenizer& made, const std::string& text) {
    std::vector<std::string_view> pieces;
    made.split(text, pieces);
    QList<int> out;
    for (const std::string_view piece : pieces) {
        int characters = 0;
        for (const char c : piece) {
            characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
        }
        out << characters;
    }
    return out;
}

}  // namespace

class PreTokenizerOracleTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QByteArray out;
        if (!ran({"-c", "import regex"}, out).isEmpty()) {
            QSKIP("python3-regex is not here");
        }
        const QString error = ran({HEARTH_SOURCE_DIR "/tests/engine/text/pre_tokenizer_oracle.py",
                                   all_rows() ? "10000" : "300", "11434"},
                                  out);
        QVERIFY2(error.isEmpty(), qPrintable(error));
        const QJsonObject answer = QJsonDocument::fromJson(out).object();
        for (const auto& text : answer["strings"].toArray()) {
            strings_ << text.toString();
        }
        for (const auto& text : answer["nfc"].toArray()) {
            composed_ << text.toString();
        }
        pieces_ = answer["pieces"].toObject();
        QVERIFY(strings_.size() >= 300);
    }

    void formC() {
        QCOMPARE(composed_.size(), strings_.size());
        int changed = 0;
        for (qsizetype i = 0; i < strings_.size(); ++i) {
            const std::string text = strings_[i].toStdString();
            const std::string wanted = composed_[i].toStdString();
            QVERIFY2(compose(text) == wanted, qPrintable(strings_[i]));
            QVERIFY(may_need_composing(text) || wanted == text);
            changed += wanted == text ? 0 : 1;
        }
        QVERIFY(changed > 20);
    }

    void everyNameIsThere() {
        QStringList known;
        for (const PreTokenizerRow& row : pre_tokenizers()) {
            known << QString::fromUtf8(row.name.data(), static_cast<qsizetype>(row.name.size()));
        }
        known.sort();
        QCOMPARE(known, pieces_.keys());
    }

    void asPublished_data() {
        QTest::addColumn<QString>("name");
        for (const PreTokenizerRow& row : pre_tokenizers()) {
            const std::string name(row.name);
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }
    void asPublished() {
        QFETCH(QString, name);
        const PreTokenizerRow* row = find_pre_tokenizer(name.toStdString());
        QVERIFY(row != nullptr);
        const auto made = PreTokenizer::create(*row);
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        const QJsonArray wanted = pieces_[name].toArray();
        QCOMPARE(wanted.size(), strings_.size());
        for (qsizetype i = 0; i < strings_.size(); ++i) {
            QList<int> cuts;
            for (const auto& length : wanted[i].toArray()) {
                cuts << length.toInt();
            }
            const QList<int> got = lengths(*made, strings_[i].toStdString());
            QVERIFY2(got == cuts, qPrintable(difference(strings_[i], got, cuts)));
        }
    }

private:
    static QString difference(const QString& text, const QList<int>& got, const QList<int>& cuts) {
        QString out = "text:";
        for (const char32_t c : text.toUcs4()) {
            out += QStringLiteral(" U+%1").arg(static_cast<uint>(c), 4, 16, QLatin1Char('0'));
        }
        const auto listed = [](const QList<int>& numbers) {
            QStringList all;
            for (const int number : numbers) {
                all << QString::number(number);
            }
            return all.join(' ');
        };
        return out + "\ncut here: " + listed(got) + "\npublished: " + listed(cuts);
    }

    QStringList strings_;
    QStringList composed_;
    QJsonObject pieces_;
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::PreTokenizerOracleTest)
#include "pre_tokenizer_oracle_test.moc"
