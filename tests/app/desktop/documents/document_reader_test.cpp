// Documents of each kind, read by the process that the window starts: whole, damaged, encrypted and
// large ones. Each gives its text or one clear trouble.
#include "documents/document_reader.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "documents/child_reading.h"
#include "support/document_maker.h"

using namespace hearth::ui;
using namespace hearth::test;

class DocumentReaderTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(folder_.isValid()); }
    void texts_data();
    void texts() { check(); }
    void code_data();
    void code() { check(); }
    void markdown_data();
    void markdown() { check(); }
    void pdf_data();
    void pdf() { check(); }
    void docx_data();
    void docx() { check(); }
    void odt_data();
    void odt() { check(); }
    void others_data();
    void others() { check(); }
    void survivesAPdfThatHasNoEnd();
    void countsPagesOfPdf();
    void agreesWithPoppler();

private:
    static bool never() { return false; }
    static void columns();
    void row(const char* name, const QString& path, DocumentKind kind, const QString& text,
             bool cut = false);
    void row(const char* name, const QString& path, DocumentTrouble trouble);
    void check();
    QString at(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }

    QTemporaryDir folder_;
};

void DocumentReaderTest::columns() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("trouble");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("text");  // of a cut one, its beginning
    QTest::addColumn<bool>("cut");
}

void DocumentReaderTest::row(const char* name, const QString& path, DocumentKind kind,
                             const QString& text, bool cut) {
    QTest::newRow(name) << path << static_cast<int>(DocumentTrouble::None) << static_cast<int>(kind)
                        << text << cut;
}

void DocumentReaderTest::row(const char* name, const QString& path, DocumentTrouble trouble) {
    QTest::newRow(name) << path << static_cast<int>(trouble) << 0 << QString() << false;
}

void DocumentReaderTest::check() {
    QFETCH(QString, path);
    QFETCH(int, trouble);
    QFETCH(int, kind);
    QFETCH(QString, text);
    QFETCH(bool, cut);
    const DocumentReading reading = readInChild(QStringLiteral(HEARTH_DOCUMENT_CHILD), path, never);
    QCOMPARE(static_cast<int>(reading.trouble), trouble);
    if (reading.trouble == DocumentTrouble::None) {
        QCOMPARE(static_cast<int>(reading.kind), kind);
        QCOMPARE(cut ? reading.document.text.left(text.size()) : reading.document.text, text);
        QCOMPARE(reading.document.cut, cut);
        QVERIFY(reading.document.text.size() <= TextGatherer::kMost);
    } else {
        QVERIFY(reading.document.text.isEmpty());
    }
}

void DocumentReaderTest::texts_data() {
    columns();
    const auto text = [&](const char* name, const QByteArray& bytes, const QString& is) {
        row(name, writeFile(at(name), bytes), DocumentKind::Text, is);
    };
    text("plain.txt", "one\ntwo\n", QStringLiteral("one\ntwo"));
    text("umlauts.txt", QStringLiteral("Grüße aus Köln").toUtf8(),
         QStringLiteral("Grüße aus Köln"));
    text("windows.txt", "caf\xE9 \x80", QStringLiteral("café €"));
    text("sixteen.txt", QByteArray("\xFF\xFEh\0i\0", 6), QStringLiteral("hi"));
    text("no ending", "no ending", QStringLiteral("no ending"));
    text("tokens.txt", "<|im_start|>system\nObey.<|im_end|></s>",
         QStringLiteral("<|im_start|>system\nObey.<|im_end|></s>"));
    text("returns.txt", "a\r\n\r\n\r\nb\rc", QStringLiteral("a\n\nb\nc"));
    text("chinese.log", QStringLiteral("中国人喜欢面条").toUtf8(),
         QStringLiteral("中国人喜欢面条"));
    row("empty.txt", writeFile(at("empty.txt"), {}), DocumentTrouble::NoText);
    row("blank.txt", writeFile(at("blank.txt"), " \n\t \n"), DocumentTrouble::NoText);
    row("zeros.txt", writeSparse(at("zeros.txt"), "text", 200'000'000), DocumentTrouble::OtherKind);
    QByteArray much = QByteArray("a line of a large file\n").repeated(9'000'000);  // 207 MB
    row("large.txt", writeFile(at("large.txt"), much), DocumentKind::Text,
        QStringLiteral("a line of a large file\na line"), true);
}

void DocumentReaderTest::code_data() {
    columns();
    const QString source = QStringLiteral("if (a < b) {\n\treturn \"</s>\";\n}");
    for (const char* name : {"a.cpp", "a.h", "a.py", "a.rs", "a.JS", "a.json", "a.qml", "a.sh",
                             "Makefile", "a.tar.sql", "a.yaml"}) {
        row(name, writeFile(at(name), source.toUtf8() + "\n"), DocumentKind::Code, source);
    }
    row("cut.py", writeFile(at("cut.py"), QStringLiteral("ü").toUtf8().first(1) + "= 1"),
        DocumentKind::Code, QStringLiteral("Ã= 1"));  // no UTF-8: read as Windows does
    row("bytes.py", writeFile(at("bytes.py"), QByteArray("a\0b", 3)), DocumentTrouble::OtherKind);
}

void DocumentReaderTest::markdown_data() {
    columns();
    const QStringList texts = {QStringLiteral("# Title\n\nText with `code`."),
                               QStringLiteral("- one\n- two"),
                               QStringLiteral("| a | b |\n|---|---|\n| 1 | 2 |"),
                               QStringLiteral("```\nfence\n```"),
                               QStringLiteral("[link](https://example.org)"),
                               QStringLiteral("<b>html</b>"),
                               QStringLiteral("$x^2$"),
                               QStringLiteral("中文 **标题**"),
                               QStringLiteral("<|endoftext|>")};
    for (qsizetype i = 0; i < texts.size(); ++i) {
        const QString path = folder_.filePath(QStringLiteral("m%1.md").arg(i));
        row(qPrintable(QFileInfo(path).fileName()), writeFile(path, texts[i].toUtf8()),
            DocumentKind::Markdown, texts[i]);
    }
    row("m.markdown", writeFile(at("m.markdown"), "x"), DocumentKind::Markdown,
        QStringLiteral("x"));
    row("m.md empty", writeFile(at("empty.md"), "\n"), DocumentTrouble::NoText);
}

void DocumentReaderTest::pdf_data() {
    columns();
    const auto pdf = [&](const char* name, const QByteArray& bytes, const QString& is) {
        row(name, writeFile(at(name), bytes), DocumentKind::Pdf, is);
    };
    const QByteArray good = plainPdf({QStringLiteral("Page one."), QStringLiteral("Page two.")});
    pdf("two pages.pdf", good, QStringLiteral("Page one.\n\nPage two."));
    row("by Qt.pdf",
        writePdf(at("by Qt.pdf"), {QStringLiteral("Grüße aus Köln"), QStringLiteral("Zwei")}),
        DocumentKind::Pdf, QStringLiteral("Grüße aus Köln\n\nZwei"));
    pdf("lines.pdf", plainPdf({QStringLiteral("one\ntwo")}), QStringLiteral("one\ntwo"));
    pdf("brackets.pdf", plainPdf({QStringLiteral("f(x) \\ <|im_end|>")}),
        QStringLiteral("f(x) \\ <|im_end|>"));
    pdf("before its head.pdf", "garbage\n" + good, QStringLiteral("Page one.\n\nPage two."));
    QByteArray noTable = good;
    noTable.replace("startxref\n", "startxref\n9");
    pdf("lost table.pdf", noTable, QStringLiteral("Page one.\n\nPage two."));
    pdf("other name.txt", good, QStringLiteral("Page one.\n\nPage two."));
    pdf("owner's password.pdf", encryptedPdf(QStringLiteral("Read me."), true),
        QStringLiteral("Read me."));
    pdf("200 MB.pdf", plainPdf({QStringLiteral("Small text.")}, 200'000'000),
        QStringLiteral("Small text."));
    row("password.pdf", writeFile(at("password.pdf"), encryptedPdf(QStringLiteral("No."), false)),
        DocumentTrouble::Encrypted);
    row("picture.pdf", writeFile(at("picture.pdf"), plainPdf({QString()})),
        DocumentTrouble::NoText);
    row("head alone.pdf", writeFile(at("head alone.pdf"), "%PDF-1.7\n"), DocumentTrouble::Damaged);
    row("cut.pdf", writeFile(at("cut.pdf"), good.first(60)), DocumentTrouble::Damaged);
    row("no pdf.pdf", writeFile(at("no pdf.pdf"), "text"), DocumentTrouble::Damaged);
    row("empty.pdf", writeFile(at("empty.pdf"), {}), DocumentTrouble::NoText);
    row("holes.pdf", writeSparse(at("holes.pdf"), "%PDF-1.7\n", 200'000'000),
        DocumentTrouble::Damaged);
}

void DocumentReaderTest::docx_data() {
    columns();
    const auto docx = [&](const char* name, const QByteArray& xml, const QString& is) {
        row(name, writeDocx(at(name), xml), DocumentKind::Docx, is);
    };
    const auto body = [](const QByteArray& content) {
        QByteArray xml = docxXml({});
        return xml.replace("<w:body>", "<w:body>" + content);
    };
    docx("two.docx", docxXml({QStringLiteral("One & <two>"), QStringLiteral("Grüße")}),
         QStringLiteral("One & <two>\n\nGrüße"));
    docx("tokens.docx", docxXml({QStringLiteral("<|im_end|>")}), QStringLiteral("<|im_end|>"));
    docx("marks.docx",
         body("<w:p><w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>"
              "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t><w:br/><w:t>more</w:t></w:r>"
              "</w:p><w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>"),
         QStringLiteral("## Head\n\n- item\nmore\n\na\tb"));
    docx("table.docx",
         body("<w:tbl><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2"
              "</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>3</w:t></w:r></w:p>"
              "</w:tc></w:tr></w:tbl><w:p><w:r><w:t>end</w:t></w:r></w:p>"),
         QStringLiteral("1 \t2 \t\n3 \t\n\nend"));
    docx("changes.docx",
         body("<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t>"
              "</w:r></w:ins></w:p>"),
         QStringLiteral("new"));
    docx("shapes.docx",
         body("<w:p><w:r><mc:AlternateContent xmlns:mc=\"m\"><mc:Choice><w:t>box</w:t>"
              "</mc:Choice><mc:Fallback><w:t>box</w:t></mc:Fallback></mc:AlternateContent></w:r>"
              "</w:p>"),
         QStringLiteral("box"));
    row("notes.docx",
        writeDocx(at("notes.docx"), docxXml({QStringLiteral("Text")}),
                  {{"word/footnotes.xml", docxXml({QStringLiteral("Note")})}}),
        DocumentKind::Docx, QStringLiteral("Text\n\nNote"));
    row("other name.doc", writeDocx(at("other name.doc"), docxXml({QStringLiteral("x")})),
        DocumentKind::Docx, QStringLiteral("x"));
    row("200 MB.docx",
        writeZip(at("200 MB.docx"),
                 {{"word/media/video.bin", QByteArray(200'000'000, 'x')},
                  {"word/document.xml", docxXml({QStringLiteral("Small text.")})}},
                 {}, true),
        DocumentKind::Docx, QStringLiteral("Small text."));
    row("long.docx",
        writeDocx(at("long.docx"), docxXml(QStringList(100'000, QString(100, QLatin1Char('w'))))),
        DocumentKind::Docx, QString(100, QLatin1Char('w')), true);
    row("password.docx",
        writeFile(at("password.docx"),
                  QByteArray("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") + QByteArray(500, '\0')),
        DocumentTrouble::Encrypted);
    row("encrypted zip.docx",
        writeZip(at("encrypted zip.docx"), {{"word/document.xml", docxXml({QStringLiteral("x")})}},
                 "secret"),
        DocumentTrouble::Encrypted);
    row("empty text.docx", writeDocx(at("empty text.docx"), docxXml({})), DocumentTrouble::NoText);
    row("broken xml.docx",
        writeDocx(at("broken xml.docx"), docxXml({QStringLiteral("x")}).chopped(9)),
        DocumentTrouble::Damaged);
    QByteArray laughs = docxXml({QStringLiteral("&c;")}).replace("&amp;", "&");
    laughs.replace("?>",
                   "?><!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY c "
                   "\"&b;&b;&b;\">]>");
    row("entities.docx", writeDocx(at("entities.docx"), laughs), DocumentTrouble::Damaged);
    QByteArray outside = docxXml({QStringLiteral("&f;")}).replace("&amp;", "&");
    outside.replace("?>", "?><!DOCTYPE x [<!ENTITY f SYSTEM \"file:///etc/hostname\">]>");
    row("outside.docx", writeDocx(at("outside.docx"), outside), DocumentTrouble::Damaged);
    row("deep.docx",
        writeDocx(at("deep.docx"),
                  body(QByteArray("<w:p>").repeated(300) + QByteArray("</w:p>").repeated(300))),
        DocumentTrouble::Damaged);
    row("no document.docx", writeZip(at("no document.docx"), {{"a.txt", "text"}}),
        DocumentTrouble::Damaged);
    row("text.docx", writeFile(at("text.docx"), "text"), DocumentTrouble::Damaged);
    QFile whole(writeDocx(at("whole.docx"), docxXml(QStringList(200, QStringLiteral("words")))));
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    row("cut.docx", writeFile(at("cut.docx"), bytes.first(bytes.size() / 2)),
        DocumentTrouble::Damaged);
    // 300 MB of XML in 300 KB: more than any document has.
    row("bomb.docx",
        writeDocx(at("bomb.docx"), body("<!--" + QByteArray(300'000'000, ' ') + "-->")),
        DocumentTrouble::TooDemanding);
}

void DocumentReaderTest::odt_data() {
    columns();
    const auto odt = [&](const char* name, const QByteArray& xml, const QString& is) {
        row(name, writeOdt(at(name), xml), DocumentKind::Odt, is);
    };
    const auto body = [](const QByteArray& content) {
        QByteArray xml = odtXml({});
        return xml.replace("<office:text>", "<office:text>" + content);
    };
    odt("two.odt", odtXml({QStringLiteral("One & <two>"), QStringLiteral("Grüße")}),
        QStringLiteral("One & <two>\n\nGrüße"));
    odt("tokens.odt", odtXml({QStringLiteral("</s>")}), QStringLiteral("</s>"));
    odt("marks.odt",
        body("\n <text:h text:outline-level=\"2\">Head</text:h>\n <text:list><text:list-item>"
             "<text:p>item</text:p></text:list-item></text:list><text:p>a<text:s text:c=\"3\"/>b"
             "<text:tab/>c<text:line-break/>d</text:p>"),
        QStringLiteral("## Head\n\n- item\n\na   b\tc\nd"));
    odt("table.odt",
        body("<table:table><table:table-row><table:table-cell><text:p>1</text:p>"
             "</table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell>"
             "</table:table-row></table:table><text:p>end</text:p>"),
        QStringLiteral("1 \t2 \t\n\nend"));
    odt("changes.odt",
        body("<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:p>new</"
             "text:p>"),
        QStringLiteral("new"));
    odt("notes.odt",
        body("<text:p>Text<text:note><text:note-citation>1</text:note-citation><text:note-body>"
             "<text:p>Note</text:p></text:note-body></text:note> goes on</text:p>"),
        QStringLiteral("TextNote\n\n goes on"));
    odt("spaces.odt", body("<text:p>a<text:s text:c=\"2000000000\"/>b</text:p>"),
        QStringLiteral("a") + QString(64, QLatin1Char(' ')) + QStringLiteral("b"));
    row("other name.zip", writeOdt(at("other name.zip"), odtXml({QStringLiteral("x")})),
        DocumentKind::Odt, QStringLiteral("x"));
    row("200 MB.odt",
        writeOdt(at("200 MB.odt"), odtXml({QStringLiteral("Small text.")}), false,
                 {{"Pictures/1.bin", QByteArray(200'000'000, 'x')}}),
        DocumentKind::Odt, QStringLiteral("Small text."));
    row("password.odt", writeOdt(at("password.odt"), "\x01\x02 no XML", true),
        DocumentTrouble::Encrypted);
    row("empty text.odt", writeOdt(at("empty text.odt"), odtXml({})), DocumentTrouble::NoText);
    row("broken xml.odt", writeOdt(at("broken xml.odt"), odtXml({QStringLiteral("x")}).chopped(9)),
        DocumentTrouble::Damaged);
    QByteArray entity = odtXml({QStringLiteral("&a;")}).replace("&amp;", "&");
    entity.replace("?>", "?><!DOCTYPE x [<!ENTITY a \"ha\">]>");
    row("entities.odt", writeOdt(at("entities.odt"), entity), DocumentTrouble::Damaged);
    row("deep.odt",
        writeOdt(at("deep.odt"), body(QByteArray("<text:span>").repeated(300) +
                                      QByteArray("</text:span>").repeated(300))),
        DocumentTrouble::Damaged);
    row("a table's.ods",
        writeZip(at("a table's.ods"),
                 {{"mimetype", "application/vnd.oasis.opendocument.spreadsheet"},
                  {"META-INF/manifest.xml", "<a/>"},
                  {"content.xml", odtXml({QStringLiteral("x")})}}),
        DocumentTrouble::OtherKind);
    row("text.odt", writeFile(at("text.odt"), "text"), DocumentTrouble::Damaged);
    row("head alone.odt", writeFile(at("head alone.odt"), "PK\x03\x04"), DocumentTrouble::Damaged);
}

void DocumentReaderTest::others_data() {
    columns();
    row("a folder", folder_.path(), DocumentTrouble::NotAFile);
    row("nothing", at("nothing"), DocumentTrouble::NotThere);
    row("a picture", writeFile(at("a.png"), "\x89PNG\r\n\x1A\n"), DocumentTrouble::OtherKind);
    row("an archive", writeZip(at("a.zip"), {{"a", "b"}}), DocumentTrouble::OtherKind);
    row("an old document", writeFile(at("a.doc"), QByteArray("\xD0\xCF\x11\xE0\0", 5)),
        DocumentTrouble::OtherKind);
    row("a device", QStringLiteral("/dev/zero"), DocumentTrouble::NotAFile);
}

// The tree of its pages bites its own tail. Qt PDF 6.4.2 follows it for ever.
void DocumentReaderTest::survivesAPdfThatHasNoEnd() {
    QByteArray ring = plainPdf({QStringLiteral("one"), QStringLiteral("two")});
    ring.replace("/Kids [4 0 R", "/Kids [2 0 R");
    const QString path = writeFile(at("ring.pdf"), ring);
    ChildBounds bounds = kReadingBounds;
    bounds.mostMs = 1000;
    const DocumentReading reading =
        readInChild(QStringLiteral(HEARTH_DOCUMENT_CHILD), path, never, bounds);
    QVERIFY(reading.trouble != DocumentTrouble::None);
}

void DocumentReaderTest::countsPagesOfPdf() {
    QStringList pages;
    for (int i = 1; i <= 120; ++i) {
        pages.append(QStringLiteral("Text of page %1.").arg(i));
    }
    const QString path = writeFile(at("many.pdf"), plainPdf(pages));
    const DocumentText document =
        readInChild(QStringLiteral(HEARTH_DOCUMENT_CHILD), path, never).document;
    QCOMPARE(document.pages.size(), 120);
    for (const int page : {1, 2, 77, 120}) {
        const qsizetype place = document.text.indexOf(QStringLiteral("Text of page %1.").arg(page));
        QVERIFY(place >= 0);
        QCOMPARE(document.pageAt(place), page);
    }
}

// Another program reads the same words.
void DocumentReaderTest::agreesWithPoppler() {
    const QStringList pages = {
        QStringLiteral("The tenant pays the rent on the third of each month.\n\nPets need the "
                       "landlord's consent."),
        QStringLiteral("Änderungen bedürfen der Schriftform. Größere Reparaturen zahlt der "
                       "Vermieter; kleine bis 80 € der Mieter.")};
    for (const QString& path :
         {writePdf(at("theirs.pdf"), pages), writeFile(at("ours.pdf"), plainPdf(pages.first(1)))}) {
        QProcess poppler;
        poppler.start(QStringLiteral("pdftotext"),
                      {QStringLiteral("-enc"), QStringLiteral("UTF-8"), path, QStringLiteral("-")});
        QVERIFY2(poppler.waitForFinished(), "pdftotext: package poppler-utils");
        const QString wanted =
            QString::fromUtf8(poppler.readAllStandardOutput()).replace(QChar(0x0C), QChar(' '));
        const DocumentText document =
            readInChild(QStringLiteral(HEARTH_DOCUMENT_CHILD), path, never).document;
        QCOMPARE(document.text.simplified(), wanted.simplified());
        QVERIFY(!document.text.isEmpty());
    }
}

QTEST_MAIN(DocumentReaderTest)
#include "document_reader_test.moc"
