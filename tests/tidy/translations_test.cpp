// The translations in resources/translations hold every text of the sources, whole, with what is
// filled in.
#include <QtTest>
#include <algorithm>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);
const char* const kFolder = "resources/translations";

// Texts that are the same in another language: names, units, keys and words that it has taken over.
const QStringList kSame = {"Hearth", "Hearth %1", "%1 GB/s",   "%1/s", "F1",  "F2", "Esc",
                           "Del",    "Enter",     "Backspace", "OK",   "GPU", "API"};
const QHash<QString, QStringList> kSameIn = {
    {"de",
     {"Name", "Details", "Chats", "Chats: %1", "Code", "Code in %1", "Downloads", "Tokenizer",
      "Port", "Proxy", "Text", "Download of %1", "Version %1", "Server %1"}},
    {"zh_CN", {"%1 — Hearth", "Ctrl+Page Up / Down"}}};

struct Message {
    QString context, source;
    QStringList translations;  // one for each number; one if there is no number in it
    bool isFinished = true;

    QString name() const { return context + QStringLiteral(": “") + source + QStringLiteral("”"); }
};

struct Read {
    QList<Message> messages;
    QString trouble;
};

Read messagesOf(QIODevice& file) {
    Read read;
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) {
            continue;
        }
        const auto name = xml.name();
        if (name == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (name == QLatin1String("source")) {
            read.messages.append({context, xml.readElementText(), {}, true});
        } else if (name == QLatin1String("translation") && !read.messages.isEmpty()) {
            Message& message = read.messages.last();
            message.isFinished = !xml.attributes().hasAttribute(QLatin1String("type"));
            QString plain;
            while (!(xml.readNext() == QXmlStreamReader::EndElement &&
                     xml.name() == QLatin1String("translation")) &&
                   !xml.atEnd()) {
                if (xml.isStartElement()) {
                    message.translations << xml.readElementText();
                } else if (xml.isCharacters()) {
                    plain += xml.text();
                }
            }
            if (message.translations.isEmpty()) {
                message.translations << plain;
            }
        }
    }
    if (xml.hasError()) {
        read.trouble = xml.errorString();
    }
    return read;
}

Read messagesAt(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {{}, path + QStringLiteral(" cannot be read")};
    }
    return messagesOf(file);
}

// "%1" and the like, sorted. A translation for one may leave the number out.
QStringList filledIn(const QString& text, bool isForANumber) {
    static const QRegularExpression kPlace(QStringLiteral("%L?(?:\\d{1,2}|n)"));
    QStringList places;
    for (auto it = kPlace.globalMatch(text); it.hasNext();) {
        const QString place = it.next().captured();
        if (!(isForANumber && place.endsWith(QLatin1Char('n')))) {
            places << place;
        }
    }
    places.sort();
    return places;
}

bool hasWords(const QString& text) {
    QString bare = text;
    static const QRegularExpression kPlace(QStringLiteral("%L?(?:\\d{1,2}|n)"));
    bare.remove(kPlace);
    return std::any_of(bare.cbegin(), bare.cend(), [](QChar c) { return c.isLetter(); });
}

// Keys of a keyboard, which Chinese writes as English does.
bool isKeys(const QString& text) {
    static const QRegularExpression kKeys(QStringLiteral("^(Ctrl|Shift)\\+.*"));
    return kKeys.match(text).hasMatch();
}

// The fault of a message's translation; empty: there is none.
QString faultOf(const Message& message, const QString& language) {
    const bool isSame =
        kSame.contains(message.source) || kSameIn.value(language).contains(message.source) ||
        !hasWords(message.source) || (language == QLatin1String("zh_CN") && isKeys(message.source));
    if (!message.isFinished) {
        return QStringLiteral("is not translated");
    }
    for (const QString& translation : message.translations) {
        if (translation.trimmed().isEmpty()) {
            return QStringLiteral("is not translated");
        }
        const bool counts = message.translations.size() > 1 || message.source.contains("%n") ||
                            message.source.contains("%Ln");
        if (filledIn(translation, counts) != filledIn(message.source, counts)) {
            return QStringLiteral("is filled in otherwise: “%1”").arg(translation);
        }
        if (!isSame && language != QLatin1String("en") && translation == message.source) {
            return QStringLiteral("is as in English");
        }
    }
    const QString last = message.translations.last();
    if (message.source.contains("%n") != last.contains("%n") ||
        message.source.contains("%Ln") != last.contains("%Ln")) {
        return QStringLiteral("has another number: “%1”").arg(last);
    }
    const auto ends = [&](const char* sign, const QString& text) {
        return text.endsWith(QString::fromUtf8(sign));
    };
    if (ends("…", message.source) != ends("…", last)) {
        return QStringLiteral("has lost or won its “…”: “%1”").arg(last);
    }
    return {};
}

QStringList names(const QList<Message>& messages) {
    QStringList all;
    for (const Message& message : messages) {
        all << message.name();
    }
    all.sort();
    return all;
}

QStringList without(QStringList list, const QStringList& others) {
    list.removeIf([&](const QString& one) { return others.contains(one); });
    return list;
}

}  // namespace

class TranslationsTest : public QObject {
    Q_OBJECT

private slots:
    void each_data() {
        QTest::addColumn<QString>("language");
        for (const char* language : {"de", "zh_CN", "en"}) {
            QTest::newRow(language) << QString::fromLatin1(language);
        }
    }
    void each() {
        QFETCH(QString, language);
        const Read read =
            messagesAt(kRoot.filePath(QStringLiteral("%1/hearth_%2.ts").arg(kFolder, language)));
        QCOMPARE(read.trouble, QString());
        QVERIFY(read.messages.size() > (language == QLatin1String("en") ? 10 : 1000));
        QStringList wrong;
        for (const Message& message : read.messages) {
            const QString fault = faultOf(message, language);
            if (!fault.isEmpty()) {
                wrong << message.name() + QLatin1Char(' ') + fault;
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1Char('\n') + wrong.join(QLatin1Char('\n'))));
    }

    void asInTheSources_data() { each_data(); }
    // resources/translations/update.sh would change nothing.
    void asInTheSources() {
        QFETCH(QString, language);
        const QTemporaryDir made;
        QProcess update;
        update.start(QStringLiteral("bash"),
                     {kRoot.filePath(QStringLiteral("%1/update.sh").arg(kFolder)), made.path()});
        QVERIFY(update.waitForFinished(120'000));
        const QString said = QString::fromUtf8(update.readAllStandardError());
        if (said.contains(QStringLiteral("There is no lupdate"))) {
            QSKIP("lupdate is not installed");
        }
        QCOMPARE(update.exitCode(), 0);
        // It tells of calls whose class it does not know: their texts would be in no translation.
        QCOMPARE(said, QString());
        const QString name = QStringLiteral("hearth_%1.ts").arg(language);
        const Read now = messagesAt(made.filePath(name));
        const Read kept = messagesAt(kRoot.filePath(QStringLiteral("%1/%2").arg(kFolder, name)));
        QCOMPARE(now.trouble + kept.trouble, QString());
        const QStringList missing = without(names(now.messages), names(kept.messages));
        QVERIFY2(missing.isEmpty(),
                 qPrintable(
                     QStringLiteral("%1 lacks, run resources/translations/update.sh:\n").arg(name) +
                     missing.join(QLatin1Char('\n'))));
        const QStringList more = without(names(kept.messages), names(now.messages));
        QVERIFY2(more.isEmpty(),
                 qPrintable(QStringLiteral("%1 has what no source has:\n").arg(name) +
                            more.join(QLatin1Char('\n'))));
    }

    // Breaches, so that the checks are known to fail.
    void examples() {
        const auto fault = [](const char* source, const QStringList& translations,
                              bool isFinished = true) {
            return faultOf(
                {QStringLiteral("A"), QString::fromUtf8(source), translations, isFinished},
                QStringLiteral("de"));
        };
        QCOMPARE(fault("Send", {"Senden"}), QString());
        QCOMPARE(fault("%n chats", {"Ein Chat", "%n Chats"}), QString());
        QCOMPARE(fault("%1 of %2", {"%2, davon %1"}), QString());
        QCOMPARE(fault("%1: %2", {"%1: %2"}), QString());
        QVERIFY(!fault("Send", {"Senden"}, false).isEmpty());
        QVERIFY(!fault("Send", {""}).isEmpty());
        QVERIFY(!fault("Send", {"Send"}).isEmpty());
        QVERIFY(!fault("Send %1", {"Senden"}).isEmpty());
        QVERIFY(!fault("Send %1", {"%2 senden"}).isEmpty());
        QVERIFY(!fault("%n chats", {"Ein Chat", "Chats"}).isEmpty());
        QVERIFY(!fault("%n chats of %1", {"Ein Chat", "%n Chats von %1"}).isEmpty());
        QVERIFY(!fault("Open…", {"Öffnen"}).isEmpty());
        QByteArray ts(
            "<TS><context><name>C</name><message><source>a &amp; b</source>"
            "<translation type=\"unfinished\"></translation></message><message numerus=\"yes\">"
            "<source>%n c</source><translation><numerusform>x</numerusform><numerusform>%n y"
            "</numerusform></translation></message></context></TS>");
        QBuffer buffer(&ts);
        QVERIFY(buffer.open(QIODevice::ReadOnly));
        const Read read = messagesOf(buffer);
        QCOMPARE(read.trouble, QString());
        QCOMPARE(read.messages.size(), 2);
        QCOMPARE(read.messages.at(0).source, QStringLiteral("a & b"));
        QVERIFY(!read.messages.at(0).isFinished);
        QCOMPARE(read.messages.at(1).translations, QStringList({"x", "%n y"}));
        QByteArray cut("<TS><context><name>C</name>");
        QBuffer half(&cut);
        QVERIFY(half.open(QIODevice::ReadOnly));
        QVERIFY(!messagesOf(half).trouble.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TranslationsTest)
#include "translations_test.moc"
